"""A coefficient of agreement with its interval, or the reason why there is none."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.stats.intervals.coefficients import FEWEST_FOR_PERCENTILES, ResamplingPlan, bootstrapped
from semscale.stats.intervals.jackknife import NormalizingTransform, jackknife_interval
from semscale.stats.intervals.resampling import FEWEST_CLUSTERS
from semscale.types import Floats

Counted = Callable[[Floats], Floats]
"""A coefficient of n items as a function of ``counts`` (b, n), how often each is there; gives shape (b,)."""

ResampledBy = Literal["bootstrap", "jackknife"]

_ROUNDING = 1e-12
_TABLE = 2


@dataclass(frozen=True)
class AgreementEstimate:
    """A coefficient of agreement with its interval over items.

    Attributes:
        value: the coefficient; NaN where it is not defined.
        low: lower end of the interval, NaN where there is none.
        high: upper end, NaN likewise.
        n: items that count.
        n_left_out: items that do not, as fewer than two of the ratings that are compared are there.
        n_clusters: what was resampled: items, or the groups they were said to belong to.
        method: ``bootstrap``, or ``jackknife`` with fewer than 50 clusters where that can be made; ``None``
            where there is no interval.
        note: why there is no value or no interval; ``None`` where there are both.
    """

    value: float
    low: float
    high: float
    n: int
    n_left_out: int
    n_clusters: int
    method: ResampledBy | None
    note: str | None = None

    def among(self, n: int) -> Self:
        """Count as left out all others of n items, also those that nobody rated and that were not kept."""
        return replace(self, n_left_out=n - self.n)


def estimate_agreement(
    coefficient: Counted,
    usable: npt.NDArray[np.bool_],
    plan: ResamplingPlan,
    transform: NormalizingTransform,
    *,
    undefined: str,
) -> AgreementEstimate:
    """Put an interval over items around a coefficient of the usable ones.

    Without any disagreement every replicate is 1 too, and says nothing of how far from 1 the coefficient may
    be. There is no interval then. Below 50 clusters percentiles are too narrow, and a jackknife is taken.

    Args:
        coefficient: of the usable items.
        usable: shape (n,), which items count.
        plan: how all n items are resampled.
        transform: of the coefficient, for the jackknife of few clusters.
        undefined: what it means that the coefficient is not defined.

    Raises:
        InputError: clusters of another length than there are items.
    """
    n = int(usable.sum())
    kept = _kept(plan, usable)
    n_clusters = len(np.unique(kept.numbered(n)))
    value = float(coefficient(np.ones((1, n)))[0]) if n else float("nan")
    note = _note(value, n_clusters, transform, undefined if n else "no item has two ratings to compare")
    low, high, method = float("nan"), float("nan"), None
    if note is None:
        low, high, method = _interval(value, coefficient, kept, n, transform)
        note = None if method else "not defined, or always the same, in resamples of so few items"
    return AgreementEstimate(value, low, high, n, len(usable) - n, n_clusters, method, note)


def _interval(
    value: float, coefficient: Counted, plan: ResamplingPlan, n: int, transform: NormalizingTransform
) -> tuple[float, float, ResampledBy | None]:
    """A jackknife of few clusters, unless without one of them the coefficient is at an end of its range."""
    clusters = plan.numbered(n)
    m = int(clusters.max()) + 1
    low = high = float("nan")
    if m < FEWEST_FOR_PERCENTILES:
        left_out = coefficient((1 - np.eye(m))[:, clusters])
        low, high = jackknife_interval(value, left_out, plan.interval, transform)
        unknown = np.isnan(low) or (low, high) == (transform.least, transform.greatest)
        if not unknown or m < FEWEST_CLUSTERS:
            return low, high, None if np.isnan(low) else "jackknife"
    items = np.arange(n, dtype=np.float64)
    estimate = bootstrapped(value, lambda _, counts: coefficient(counts), (items,), plan, transform)
    return estimate.low, estimate.high, None if np.isnan(estimate.low) else "bootstrap"


def checked_ratings(ratings: Floats, name: str = "ratings") -> Floats:
    """Take a table of ratings, NaN where there is none.

    Raises:
        InputError: not a table of numbers with two raters or more, or an infinite value.
    """
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != _TABLE or table.shape[1] < 2:  # noqa: PLR2004
        raise InputError(f"{name} must have shape (items, raters) with two raters or more, got {table.shape}")
    if np.isinf(table).any():
        raise InputError(f"{name} must be finite, or NaN where a rating is missing, got an infinite value")
    return table


def checked_pair(x: Floats, y: Floats, names: tuple[str, str] = ("x", "y")) -> Floats:
    """Put two lists of ratings side by side, shape (n, 2), NaN where there is none.

    Raises:
        InputError: lengths differ, not lists, or an infinite value.
    """
    if np.ndim(x) != 1 or np.shape(x) != np.shape(y):
        first, second = names
        raise InputError(
            f"{first} and {second} must be two lists of one length, "
            f"got shapes {np.shape(x)} and {np.shape(y)}"
        )
    return checked_ratings(np.column_stack([x, y]).reshape(-1, 2), " and ".join(names))


def _kept(plan: ResamplingPlan, usable: npt.NDArray[np.bool_]) -> ResamplingPlan:
    if plan.clusters is None:
        return plan
    clusters = np.asarray(plan.clusters)
    if clusters.shape != usable.shape:
        raise InputError(f"clusters must have {len(usable)} numbers, one an item, got shape {clusters.shape}")
    return ResamplingPlan(clusters[usable], plan.interval, plan.seed)


def _note(value: float, n_clusters: int, transform: NormalizingTransform, undefined: str) -> str | None:
    if np.isnan(value):
        return undefined
    if n_clusters < 2:  # noqa: PLR2004
        return "an interval needs two items or more"
    if transform.greatest - value < _ROUNDING:
        return "no disagreement was seen, so nothing says how far from 1 the coefficient may be"
    return None
