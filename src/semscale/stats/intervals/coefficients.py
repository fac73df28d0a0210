"""Intervals of coefficients: a bootstrap of items or clusters, and a jackknife where they are few."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from semscale.stats.intervals.estimates import Estimate
from semscale.stats.intervals.jackknife import (
    NormalizingTransform,
    has_no_spread,
    jackknife_interval,
)
from semscale.stats.intervals.resampling import (
    FEWEST_CLUSTERS,
    check_interval,
    check_seed,
    drawn_counts,
    percentile_interval,
)
from semscale.types import Floats, Integers

FEWEST_FOR_PERCENTILES = 50
"""Clusters below which percentiles of a correlation or another coefficient of agreement are too narrow."""

_FEWEST_PAIRS = 2
_MOST_DRAWS = 40_000_000
_FEWEST_REPLICATES, _MOST_REPLICATES = 200, 2000

Weighted = Callable[..., Floats]
"""A coefficient of measurements of n items; the last argument, ``counts`` (b, n), says how often each counts.

Gives shape (b,), or (b, k) where it computes k coefficients at once.
"""


class Resampling(TypedDict):
    """How items are resampled, as keywords for the estimates; see ``ResamplingPlan``."""

    clusters: Integers | None
    weights: Floats | None
    interval: float
    seed: int


@dataclass(frozen=True)
class ResamplingPlan:
    """How items are resampled.

    Attributes:
        clusters: shape (n,), which items are drawn together; ``None``: each by itself.
        interval: coverage to aim at, between 0 and 1.
        seed: of the bootstrap.
        weights: shape (n,), above 0; ``None``: all alike.

    Raises:
        InputError: a coverage or a seed out of range.
    """

    clusters: Integers | None
    interval: float
    seed: int
    weights: Floats | None = None

    def __post_init__(self) -> None:
        check_interval(self.interval)
        check_seed(self.seed)

    def coefficient(self, coefficient: Weighted, measured: tuple[Floats, ...]) -> float:
        """Compute a coefficient of all items, with their weights."""
        weights = np.ones(len(measured[0])) if self.weights is None else self.weights
        return float(coefficient(*measured, weights[None, :])[0])

    def numbered(self, n: int) -> Integers:
        """Number the clusters of n items in order of first appearance, so that their names do not matter."""
        return np.arange(n) if self.clusters is None else _by_appearance(self.clusters)


def replicates_for(n: int) -> int:
    """Say how many replicates n items get: 2,000, above 20,000 items 40,000,000 / n but at least 200.

    Example:
        >>> replicates_for(100), replicates_for(40_000)
        (2000, 1000)
    """
    return max(_FEWEST_REPLICATES, min(_MOST_REPLICATES, _MOST_DRAWS // max(n, 1)))


def bootstrapped(  # noqa: PLR0913 - a coefficient and how it is resampled
    value: float,
    coefficient: Weighted,
    measured: tuple[Floats, ...],
    plan: ResamplingPlan,
    transform: NormalizingTransform,
    *,
    fewest: int = FEWEST_CLUSTERS,
) -> Estimate:
    """Put an interval over items around a coefficient: expanded percentiles of its bootstrap replicates.

    With fewer than 10 clusters, or than ``fewest``, percentiles are too narrow, and the interval is that of a
    jackknife. From 10 on the bootstrap is taken after all where the jackknife knows nothing. There is
    no interval where all resamples give the same value: they do not show how far it may be off.

    Args:
        value: the coefficient of all items.
        coefficient: computes it from the measurements and from how much each item counts.
        measured: the measurements, items along their first axis.
        plan: what is drawn together, weights, the coverage and the seed.
        transform: of the coefficient, for the jackknife.
        fewest: clusters below which a jackknife is tried, 10 or more.
    """
    n = len(measured[0])
    clusters = plan.numbered(n)
    m = int(clusters.max()) + 1 if n else 0
    weights = 1.0 if plan.weights is None else plan.weights
    if m < _FEWEST_PAIRS:
        return Estimate(value, float("nan"), float("nan"))
    if m < fewest:
        left_out = coefficient(*measured, (1 - np.eye(m))[:, clusters] * weights)
        ends = jackknife_interval(value, left_out, plan.interval, transform)
        is_unknown = np.isnan(ends[0]) or ends == (transform.least, transform.greatest)
        if m < FEWEST_CLUSTERS or not is_unknown:
            return Estimate(value, *ends)
    low, high = percentile_interval(_replicates(coefficient, measured, plan)[:, None], m, plan.interval)
    if has_no_spread(np.concatenate([low, high])):
        return Estimate(value, float("nan"), float("nan"))
    return Estimate(value, float(low[0]), float(high[0]))


def largest_difference(differences: Weighted, measured: tuple[Floats, ...], plan: ResamplingPlan) -> Estimate:
    """Estimate the largest absolute difference of several, with an interval from a band around all of them.

    The largest difference is larger in resamples than in the items, and larger in these than in truth, so
    that its percentiles may miss even the value itself. The interval comes from a band around all
    differences: difference +- c times its scale, where c is the quantile of the largest scaled error in the
    replicates. It goes from the largest lower end to the largest upper one, and covers at least as often as
    it says. The scale is the standard error, but at least half the largest one: that of a difference which
    rests on rare items is 0 where none of them was drawn.

    Args:
        differences: computes k differences from the measurements and from how much each item counts; gives
            shape (b, k).
        measured: the measurements, items along their first axis; 10 clusters or more.
        plan: what is drawn together, weights, the coverage and the seed.

    Returns:
        The estimate, 0 or more; ends are NaN where no difference varies in resamples.

    References:
        Bickel and Krieger (1989), Journal of the American Statistical Association 84(405), 95-100,
        doi 10.1080/01621459.1989.10478744.
    """
    weights = np.ones(len(measured[0])) if plan.weights is None else plan.weights
    (found,) = differences(*measured, weights[None, :])
    value = float(np.abs(found).max())
    errors = _replicates(differences, measured, plan) - found
    spread = errors.std(axis=0)
    if has_no_spread(np.append(spread, 0.0)):
        return Estimate(value, float("nan"), float("nan"))
    scale = np.maximum(spread, spread.max() / 2)
    largest = np.abs(errors / scale).max(axis=1)
    m = len(np.unique(plan.numbered(len(measured[0]))))
    # Percentiles of the error with either sign leave half of the rest at each end.
    _, (quantile,) = percentile_interval(np.concatenate([largest, -largest])[:, None], m, plan.interval)
    low, high = (float((np.abs(found) + sign * quantile * scale).max()) for sign in (-1, 1))
    return Estimate(value, max(0.0, low), high)


def _replicates(coefficient: Weighted, measured: tuple[Floats, ...], plan: ResamplingPlan) -> Floats:
    """Compute a coefficient of resampled clusters, shape (r,), or (r, k) for k coefficients at once."""
    n = len(measured[0])
    clusters = plan.numbered(n)
    m = int(clusters.max()) + 1
    weights = 1.0 if plan.weights is None else plan.weights
    blocks = drawn_counts(m, replicates_for(n), np.random.default_rng(plan.seed))
    # Counts of clusters come in blocks sized for m; as counts of items they are n / m times as wide.
    draws = (part for block in blocks for part in np.array_split(block, -(-n // m)))
    return np.concatenate(
        [coefficient(*measured, counts[:, clusters] * weights) for counts in draws if len(counts)]
    )


def _by_appearance(clusters: Integers) -> Integers:
    _, first, place = np.unique(clusters, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[place]
