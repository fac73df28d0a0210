"""What became of each metric: better, worse, no different, or different in an unknown direction."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from semscale.drift.directions import Direction
from semscale.drift.gate.decision import DriftTest, MetricChange, Outcome
from semscale.drift.gate.equivalence import equivalence
from semscale.drift.gate.mean_drifts import Members
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.metrics import Metric
from semscale.drift.measure.roles import drifts_of_losses
from semscale.drift.runs import number_of
from semscale.history.items import Item
from semscale.stats.drift_tests import exchange_test
from semscale.stats.intervals import MeanEstimate
from semscale.types import Floats

_SIGNS: Mapping[Direction, float] = {"higher": 1.0, "lower": -1.0}


def with_changes(
    comparison: Comparison, tests: Sequence[DriftTest], members: Members, alpha: float
) -> tuple[DriftTest, ...]:
    """Say of each test whether its metric became better or worse, as far as the metric has a direction.

    A test that failed became worse, or different where nobody knows which direction is better. One that
    passed became better if the exact test of the gate, the other way round, is significant after Bonferroni's
    correction for all metrics with a direction, and the mean improvement is the margin or more.

    Args:
        comparison: what was measured.
        tests: the gate's, decided.
        members: items of each group.
        alpha: level of the tests.
    """
    found = {name: improvements(comparison, name) for name in {test.metric for test in tests}}
    n_directed = sum(found[test.metric] is not None for test in tests)
    return tuple(
        replace(test, change=_change(test, found[test.metric], members, alpha / max(n_directed, 1), alpha))
        for test in tests
    )


def improvements(comparison: Comparison, name: str) -> Floats | None:
    """Return how much better each item became, and beside it other runs in the candidate's place.

    Args:
        comparison: what was measured.
        name: of the metric.

    Returns:
        Shape (n, k), the candidate first, then baseline and reruns, in the metric's unit; NaN for an item
        without a value. ``None`` for a metric without a better side.
    """
    metric = comparison.metrics[name]
    if metric.is_signed:
        return -comparison.drifts_by_role(name)
    if metric.direction == "either":
        return None
    runs = [comparison.candidate.items, comparison.baseline.items, *comparison.rerun_items]
    means = np.array([[_mean_number(item, metric.unit) for item in items] for items in runs]).T
    means[np.isnan(means).any(axis=1)] = np.nan
    return drifts_of_losses(_SIGNS[metric.direction] * means)


def change_by_interval(
    metric: Metric,
    drift: MeanEstimate,
    margin: float,
    *,
    has_reruns: bool,
    better: Floats | None = None,
    alpha: float = 0.05,
) -> MetricChange:
    """Say what became of a metric that no gate tested, by the interval of its drift.

    Args:
        metric: what was measured.
        drift: its mean drift.
        margin: drift from which on it is material.
        has_reruns: whether reruns tell drift from chance.
        better: how much better each item became, as ``improvements`` has it; ``None`` for a metric without
            a better side.
        alpha: level of the exact test that a field became better, whose drift counts nothing below 0.
    """
    if metric.is_signed and drift.high < 0 and drift.value <= -margin:
        return MetricChange.BETTER
    if drift.low > 0 and drift.value >= margin and (has_reruns or metric.is_signed):
        return _beyond(metric.direction)
    if better is not None and drift.value < margin and _improved(better, margin, alpha):
        return MetricChange.BETTER
    if drift.high < margin and (not metric.is_signed or drift.low > -margin):
        return MetricChange.NONE
    return MetricChange.UNDECIDED


def _change(
    test: DriftTest, better: Floats | None, members: Members, single: float, alpha: float
) -> MetricChange:
    if test.outcome is Outcome.FAIL:
        return MetricChange.UNKNOWN if better is None else MetricChange.WORSE
    if test.outcome is Outcome.UNDECIDED:
        return MetricChange.UNDECIDED
    if better is None:
        return MetricChange.NONE
    inside = better[members[test.group]]
    if _improved(inside, test.margin, single):
        return MetricChange.BETTER
    shown = equivalence(inside, test.tolerance, alpha).bound < test.tolerance
    return MetricChange.NONE if shown else MetricChange.NOT_WORSE


def _improved(better: Floats, margin: float, alpha: float) -> bool:
    """Whether items became better by the margin or more, and beyond chance."""
    mean = float(np.nanmean(better[:, 0])) if not np.isnan(better[:, 0]).all() else 0.0
    return mean >= margin and exchange_test(better).p_value < alpha


def _beyond(direction: Direction) -> MetricChange:
    return MetricChange.UNKNOWN if direction == "either" else MetricChange.WORSE


def _mean_number(item: Item, field: str) -> float:
    numbers = [number_of(output, field) for output in item.outputs_with_text]
    known = [number for number in numbers if not np.isnan(number)]
    return float(np.mean(known)) if known else np.nan
