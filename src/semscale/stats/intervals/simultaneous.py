"""Intervals of several differences that hold together."""

from dataclasses import replace

from semscale.stats.intervals.estimates import IntervalPlan

_REPLICATES_BEYOND = 200
"""Replicates that lie beyond each end of an interval, so that its ends are stable."""


def simultaneous(plan: IntervalPlan, k: int) -> IntervalPlan:
    """Widen intervals so that those of all pairs of k cells hold together.

    Example:
        >>> wider = simultaneous(IntervalPlan(0.95), 3)
        >>> round(wider.interval, 6), wider.replicates
        (0.983333, 24000)
    """
    n_pairs = max(k * (k - 1) // 2, 1)
    tail = (1 - plan.interval) / n_pairs
    return replace(
        plan, interval=1 - tail, replicates=max(plan.replicates, round(2 * _REPLICATES_BEYOND / tail))
    )
