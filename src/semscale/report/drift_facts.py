"""What a comparison rests on: items that count, are left out or silent, and each metric's estimate."""

from typing import TYPE_CHECKING

import numpy as np

from semscale.drift.gate.signature import stated_plan
from semscale.stats.intervals.means import MeanEstimate
from semscale.stats.intervals.paired_bootstrap import paired_means
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.drift.gate.decision import DriftTest, GateDecision
    from semscale.drift.measure.comparison import Comparison


def n_left_out(comparison: "Comparison") -> int:
    """Count the items without any value, as neither run says anything."""
    return int((comparison.measured.status != Status.SCORED).sum())


def n_silent(comparison: "Comparison") -> int:
    """Count the items for which the baseline says something and the candidate nothing."""
    pairs = zip(comparison.baseline.items, comparison.candidate.items, strict=True)
    return sum(bool(baseline.spoken) and not candidate.spoken for baseline, candidate in pairs)


def overall_tests(decision: "GateDecision | None") -> dict[str, "DriftTest"]:
    """Give the tests over all items by metric; empty where no gate was asked."""
    return {} if decision is None else {test.metric: test for test in decision.tests if test.group is None}


def drift_estimates(comparison: "Comparison", decision: "GateDecision | None") -> dict[str, MeanEstimate]:
    """Give each metric's mean drift over all items: the gate's, or one made alike where it tested none."""
    tests = overall_tests(decision)
    missing = [name for name in comparison.metrics if name not in tests]
    if not missing:
        return {name: tests[name].drift for name in comparison.metrics}
    drifts = np.column_stack([comparison.drifts(name) for name in missing])
    spans = np.array([comparison.metrics[name].span for name in missing])
    found = paired_means(
        drifts, spans=spans, plan=stated_plan(None if decision is None else decision.signature)
    )
    made = {name: one.mean for name, one in zip(missing, found, strict=True)}
    return {name: made[name] if name in made else tests[name].drift for name in comparison.metrics}


def mean_loss(comparison: "Comparison", metric: str) -> float:
    """Average a metric's loss over the items that have one; NaN where none has."""
    losses = comparison.losses(metric)
    known = losses[~np.isnan(losses)]
    return float(known.mean()) if len(known) else float("nan")
