"""The mean of one figure over many items, with an interval and a count of what was left out."""

from dataclasses import dataclass

import numpy as np

from semscale.errors import InputError
from semscale.stats.intervals.estimates import (
    Estimate,
    GroupEstimate,
    IntervalPlan,
    UsedMethod,
    estimate_figures,
)
from semscale.stats.intervals.moments import Moments
from semscale.stats.intervals.pmf_figures import value_figure
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
    method: UsedMethod | None


def estimate_mean(
    values: Floats,
    *,
    bounds: tuple[float, float],
    clusters: Integers | None = None,
    weights: Floats | None = None,
    plan: IntervalPlan | None = None,
) -> MeanEstimate:
    """Estimate the mean of items' values, leaving out and counting those that have none.

    Args:
        values: shape (n,); NaN where an item has no value.
        bounds: least and greatest value that an item can have; intervals stay within.
        clusters: shape (n,), numbers of what is drawn together, such as a question's answers; every item by
            itself unless given.
        weights: shape (n,), above 0; all alike unless given.
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
    totals = _totals(values[kept], groups[kept], None if weights is None else weights[kept])
    method: UsedMethod | None = plan.method_for(len(totals))
    if method == "bootstrap" and len(totals) > MAX_CLUSTERS:
        method = "linearized"
    mean = Estimate(np.nan, np.nan, np.nan)
    if len(totals):
        moments = Moments.empty(1).added(totals)
        drawn = totals if method == "bootstrap" else None
        named, exact = estimate_figures(moments, drawn, value_figure("mean", bounds), plan)
        mean, method = named["mean"], "exact" if exact else method
    n = int(kept.sum())
    return MeanEstimate(mean.value, mean.low, mean.high, n, len(values) - n, len(totals), method)


def counted_mean(group: GroupEstimate, figure: str | None = None) -> MeanEstimate:
    """Put a figure of a group together with the counts behind it.

    Args:
        group: the group.
        figure: its name; the main one unless given.

    Returns:
        The figure, NaN where no row has it.
    """
    name = figure or group.main
    found = group.figures.get(name, Estimate(np.nan, np.nan, np.nan))
    basis = group.basis(name)
    return MeanEstimate(
        value=found.value,
        low=found.low,
        high=found.high,
        n=basis.n,
        n_left_out=group.n + group.n_left_out - basis.n,
        n_clusters=basis.n_clusters,
        method=basis.method,
    )


def _totals(values: Floats, groups: Integers, weights: Floats | None) -> Floats:
    """Weighted sum of the values and sum of the weights of every cluster, shape (clusters, 2)."""
    _, place = np.unique(groups, return_inverse=True)
    weighted = values if weights is None else values * weights
    return np.column_stack([np.bincount(place, weighted), np.bincount(place, weights)])
