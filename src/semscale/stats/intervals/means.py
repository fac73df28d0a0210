"""The mean of one figure over many items, with an interval and a count of what was left out."""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from semscale.errors import InputError
from semscale.stats.intervals.estimates import IntervalPlan, Method
from semscale.stats.intervals.moments import Moments
from semscale.stats.intervals.resampling import drawn_counts, percentile_interval
from semscale.stats.intervals.tally import MAX_CLUSTERS
from semscale.types import Floats, Integers


@dataclass(frozen=True)
class MeanEstimate:
    """A mean with its interval.

    Attributes:
        value: the mean; NaN where no item counts.
        low: lower end of the interval, NaN with fewer than two clusters.
        high: upper end, NaN likewise.
        n: items that count.
        n_left_out: items that have no value.
        n_clusters: what was resampled: items, or the groups they were said to belong to.
        method: how the interval was made; ``None`` where there is none.
    """

    value: float
    low: float
    high: float
    n: int
    n_left_out: int
    n_clusters: int
    method: Method | None


def estimate_mean(
    values: Floats,
    *,
    bounds: tuple[float, float],
    clusters: Integers | None = None,
    plan: IntervalPlan | None = None,
) -> MeanEstimate:
    """Estimate the mean of items' values, leaving out and counting those that have none.

    Args:
        values: shape (n,); NaN where an item has no value.
        bounds: least and greatest value that an item can have; intervals stay within.
        clusters: shape (n,), numbers of what is drawn together, such as a question's answers; every item by
            itself unless given.
        plan: how the interval is made; linearized in any case with more than 20,000 clusters.

    Raises:
        InputError: ``clusters`` has another length than ``values``.

    Example:
        >>> estimate = estimate_mean(np.array([0.2, np.nan, 0.4]), bounds=(0, 1))
        >>> round(estimate.value, 6), estimate.n, estimate.n_left_out
        (0.3, 2, 1)
    """
    plan = plan or IntervalPlan()
    kept = ~np.isnan(values)
    groups = np.arange(len(values)) if clusters is None else np.asarray(clusters)
    if len(groups) != len(values):
        raise InputError(f"clusters must have {len(values)} rows as values has, got {len(groups)}")
    totals = _totals(values[kept], groups[kept])
    method = plan.method_for(len(totals))
    if method == "bootstrap" and len(totals) > MAX_CLUSTERS:
        method = "linearized"
    low, high = _ends(totals, method, plan)
    return MeanEstimate(
        value=float(totals[:, 0].sum() / totals[:, 1].sum()) if len(totals) else np.nan,
        low=max(low, bounds[0]) if method else np.nan,
        high=min(high, bounds[1]) if method else np.nan,
        n=int(kept.sum()),
        n_left_out=int((~kept).sum()),
        n_clusters=len(totals),
        method=method,
    )


def _totals(values: Floats, groups: Integers) -> Floats:
    """Sum of the values and number of items of every cluster, shape (clusters, 2)."""
    _, place = np.unique(groups, return_inverse=True)
    return np.column_stack([np.bincount(place, values), np.bincount(place)])


def _ends(totals: Floats, method: Method | None, plan: IntervalPlan) -> tuple[float, float]:
    m = len(totals)
    if method is None:
        return np.nan, np.nan
    if method == "linearized":
        moments = Moments.empty(1).added(totals)
        half = stdtrit(m - 1, (1 + plan.interval) / 2) * np.sqrt(max(moments.covariance[0, 0], 0.0))
        return float(moments.mean[0] - half), float(moments.mean[0] + half)
    rng = np.random.default_rng(plan.seed)
    drawn = np.concatenate([counts @ totals for counts in drawn_counts(m, plan.replicates, rng)])
    low, high = percentile_interval(drawn[:, :1] / drawn[:, 1:], m, plan.interval)
    return float(low[0]), float(high[0])
