"""Shifts: how much longer or shorter an item's list became, or how much greater or less a field's total."""

from collections.abc import Sequence

import numpy as np

from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.roles import drifts_of_losses
from semscale.drift.runs import number_of
from semscale.history.items import Item
from semscale.types import Floats


def shifts_by_role(comparison: Comparison, metric: str) -> Floats | None:
    """Compute each item's shift if the candidate, or in its place another run, were the candidate.

    A shift has a sign, and drift has none: outputs that are lost at one item and gained at another add up to
    no shift. It is what the candidate has at the item (outputs, or the total of the field's numbers), less
    the mean of the other runs, divided by the outputs of the item's longest list. So it is at most about the
    item's loss.

    Args:
        comparison: what was measured.
        metric: name of the metric.

    Returns:
        Shape (n, k), k runs: candidate, baseline, reruns; without a rerun (n, 1), the candidate's alone. NaN
        for an item for which no run has an output, or the candidate has no drift. ``None`` for a metric that
        is neither ``output_count`` nor a field of which either direction counts; and where a shift is not
        known, as reruns' outputs are not, or an output lacks the number.
    """
    measured = comparison.metrics[metric]
    has_shift = metric == "output_count" or (bool(measured.unit) and not measured.may_be_unknown)
    if not has_shift or measured.direction != "either":
        return None
    if len(comparison.rerun_items) != len(comparison.reruns):
        return None
    runs = (comparison.candidate.items, comparison.baseline.items, *comparison.rerun_items)
    there = ~np.isnan(comparison.drifts(metric))
    shifts = np.where(there[:, None], _shifts(runs, measured.unit), np.nan)
    if np.isnan(shifts[there]).any():
        return None
    return shifts if comparison.reruns else shifts[:, :1]


def _shifts(runs: Sequence[Sequence[Item]], field: str) -> Floats:
    counts = np.array([[len(item.outputs_with_text) for item in items] for items in runs], dtype=float).T
    totals = np.array([[_total(item, field) for item in items] for items in runs]).T if field else counts
    longest = counts.max(axis=1, keepdims=True)
    shares = np.full_like(counts, np.nan)
    np.divide(totals, longest, out=shares, where=longest > 0)
    return drifts_of_losses(shares)


def _total(item: Item, field: str) -> float:
    """Add up the numbers of an item's outputs; NaN where one of them has no number."""
    return float(sum(number_of(output, field) for output in item.outputs_with_text))
