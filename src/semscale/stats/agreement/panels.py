"""Panels of judges: agreement of pairs, severity, and the effective number of judges."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.stats.agreement.correlations import correlation
from semscale.stats.agreement.estimates import (
    AgreementEstimate,
    Counted,
    checked_ratings,
    estimate_agreement,
)
from semscale.stats.agreement.kappa import KappaWeights, weighted_kappa
from semscale.stats.intervals.coefficients import ResamplingPlan
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.intervals.jackknife import CORRELATION
from semscale.stats.intervals.means import MeanEstimate, estimate_mean
from semscale.types import Floats, Integers

_ROUNDING = 1e-9
_NO_AGREEMENT = "their scores are not shown to agree beyond chance"


@dataclass(frozen=True)
class PairAgreement:
    """How far two judges agree.

    Attributes:
        first: place of the one judge.
        second: place of the other.
        kappa: weighted kappa of the items that both rated.
    """

    first: int
    second: int
    kappa: AgreementEstimate


@dataclass(frozen=True)
class EffectiveJudges:
    """How many judges with independent errors have a mean as good as that of the panel.

    Attributes:
        value: the number; k where nothing is shared, 1 where everything is, infinite where errors cancel.
            Of ratings it is a bound, 1 to k, and NaN where they are not shown to agree beyond chance.
        low: lower end of its interval, NaN where there is none.
        high: upper end.
        correlation: mean correlation of two judges, from which all that follows.
        of: what was correlated: ``errors``, or ``ratings`` where no truth is known.
        note: why there is no number, or no interval; ``None`` where there are both.
    """

    value: float
    low: float
    high: float
    correlation: AgreementEstimate
    of: Literal["errors", "ratings"]
    note: str | None = None


def pairwise_agreement(
    ratings: Floats,
    *,
    weights: KappaWeights = "quadratic",
    clusters: Integers | None = None,
    interval: float = 0.95,
    seed: int = 0,
) -> tuple[PairAgreement, ...]:
    """Weighted kappa of every two judges; see ``weighted_kappa``.

    Args:
        ratings: shape (n, judges), NaN where a judge has no score.
        weights: of a disagreement.
        clusters: shape (n,), which items are drawn together; each by itself unless given.
        interval: coverage to aim at, between 0 and 1.
        seed: of the bootstrap.

    Raises:
        InputError: not a table of two judges or more, or as ``weighted_kappa``.

    Example:
        >>> [(pair.first, pair.second) for pair in pairwise_agreement(np.eye(3))]
        [(0, 1), (0, 2), (1, 2)]
    """
    table = checked_ratings(ratings)
    return tuple(
        PairAgreement(
            first,
            second,
            weighted_kappa(
                table[:, first],
                table[:, second],
                weights=weights,
                clusters=clusters,
                interval=interval,
                seed=seed,
            ),
        )
        for first, second in combinations(range(table.shape[1]), 2)
    )


def severities(
    ratings: Floats, *, clusters: Integers | None = None, plan: IntervalPlan | None = None
) -> tuple[MeanEstimate, ...]:
    """Say how much higher each judge rates than the mean of the others who rated the same item.

    A judge's own rating is no part of what it is compared with, which would hide 1 / k of the difference.

    Args:
        ratings: shape (n, judges), NaN where a judge has no score.
        clusters: shape (n,), which items are drawn together; each by itself unless given.
        plan: how intervals are made.

    Returns:
        One estimate a judge: above 0 is lenient, below 0 severe. Items that no other judge rated are left
        out.

    Raises:
        InputError: not a table of two judges or more, or clusters of another length.

    Example:
        >>> [float(judge.value) for judge in severities(np.array([[1.0, 2.0, 3.0], [2.0, 2.0, 5.0]]))]
        [-1.5, -0.75, 2.25]
    """
    table = checked_ratings(ratings)
    there = ~np.isnan(table)
    sums, raters = np.nansum(table, axis=1, keepdims=True), there.sum(axis=1, keepdims=True)
    others = np.where(raters > 1, (sums - table) / np.maximum(raters - 1, 1), np.nan)
    return tuple(
        estimate_mean(column, bounds=(-np.inf, np.inf), clusters=clusters, plan=plan)
        for column in (table - others).T
    )


def effective_judges(  # noqa: PLR0913 - one setting each of the resampling
    ratings: Floats,
    *,
    truth: Floats | None = None,
    clusters: Integers | None = None,
    interval: float = 0.95,
    seed: int = 0,
) -> EffectiveJudges:
    """Effective number of independent judges: k / (1 + (k - 1) r), r the mean correlation of two judges.

    With a truth r is of the judges' errors, which is what the formula is about. Without one it is of the
    ratings themselves: judges who agree since they are right then count as dependent too, so the number is
    the lowest that the panel may amount to, provided that all its judges measure the same thing. Ratings that
    are not shown to agree beyond chance (the interval of r reaches 0) do not show that they do: judges who
    rate at random agree in nothing, and amount to none. There is no number then.

    Args:
        ratings: shape (n, k), NaN where a judge has no score.
        truth: shape (n,), such as human labels; NaN where it is not known, and those items are left out.
        clusters: shape (n,), which items are drawn together; each by itself unless given.
        interval: coverage to aim at, between 0 and 1.
        seed: of the bootstrap.

    Returns:
        With a truth 1 to k, above k where errors cancel. Without one 1 to k, and NaN where ratings are not
        shown to agree beyond chance. NaN where no two judges' scores vary.

    Raises:
        InputError: not a table of two judges or more, a truth of another length, an infinite value, or a
            setting out of range.

    References:
        Clemen and Winkler (1985), Operations Research 33(2), 427-442, doi 10.1287/opre.33.2.427; the design
        effect of Kish (1965), Survey Sampling, section 5.4.

    Example:
        >>> same = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
        >>> round(effective_judges(same).value, 6)
        1.0
    """
    table = checked_ratings(ratings)
    if truth is not None:
        known = np.asarray(truth, dtype=np.float64)
        if known.shape != table.shape[:1] or np.isinf(known).any():
            raise InputError(f"truth must have {len(table)} finite values or NaN, got shape {known.shape}")
        table = table - known[:, None]
    k = table.shape[1]
    usable = (~np.isnan(table)).sum(axis=1) > 1
    r = estimate_agreement(
        mean_correlation(table[usable]),
        usable,
        ResamplingPlan(clusters, interval, seed),
        CORRELATION,
        undefined="no two judges have scores that vary",
    )
    if truth is None and not (r.low > 0 or _is_perfect(r.value)):
        note = r.note if np.isnan(r.value) else _NO_AGREEMENT
        return EffectiveJudges(np.nan, np.nan, np.nan, r, "ratings", note)
    value, high, low = (_independent(k, each) for each in (r.value, r.low, r.high))
    return EffectiveJudges(value, low, high, r, "ratings" if truth is None else "errors", r.note)


def _is_perfect(correlation: float) -> bool:
    """Whether judges never differ, which leaves no interval; one judge is the bound that always holds."""
    return correlation > 1 - _ROUNDING


def mean_correlation(table: Floats) -> Counted:
    """Make the mean of Pearson's correlations of every two columns a function of how often each row is there.

    Pairs of columns whose correlation is not defined are passed over.

    Args:
        table: shape (n, k), NaN where there is no value.
    """
    there = ~np.isnan(table)
    centred = np.where(there, table - _column_means(table, there), 0.0)
    features = [
        _pair_features(centred[:, pair], np.asarray(there[:, pair].all(axis=1)))
        for pair in map(list, combinations(range(table.shape[1]), 2))
    ]

    def coefficient(counts: Floats) -> Floats:
        defined = np.array([_of_pair(counts @ sums) for sums in features])
        return mean_defined(defined)

    return coefficient


def mean_defined(values: Floats | Sequence[Floats]) -> Floats:
    """Mean over the first axis of what is not NaN; NaN where all is."""
    table = np.asarray(values, dtype=np.float64)
    defined = ~np.isnan(table)
    n = defined.sum(axis=0)
    return np.where(n > 0, np.where(defined, table, 0.0).sum(axis=0) / np.maximum(n, 1), np.nan)


def _column_means(table: Floats, there: npt.NDArray[np.bool_]) -> Floats:
    means: Floats = np.where(there, table, 0.0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
    return means


def _pair_features(centred: Floats, both: npt.NDArray[np.bool_]) -> Floats:
    u, v = centred.T
    return np.column_stack([np.ones_like(u), u, v, u * u, v * v, u * v]) * both[:, None]


def _of_pair(sums: Floats) -> Floats:
    n, *rest = sums.T
    r = correlation(np.maximum(n, 1), *rest)
    return np.where(n > 1, r, np.nan)


def _independent(k: int, r: float) -> float:
    shared = 1 + (k - 1) * r
    return k / shared if not shared <= 0 else float("inf")
