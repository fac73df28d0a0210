"""Figures, tests and pairs of drift laid out by name, for JSON."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from semscale.drift.gate.decision import DriftTest, SequenceTest, ThresholdCheck
from semscale.drift.limits.results import LimitCheck, LimitOutcome, MustPassCheck
from semscale.drift.limits.slices import Group
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.measured import AlignedPair
from semscale.drift.measure.pair_differences import Difference, pair_differences
from semscale.history.stored_comparison import StoredFigure
from semscale.stats.intervals import MeanEstimate

NAMED_ITEMS = 20
"""Items that JSON names for each hard limit."""


def figure_record(
    metric: str, group: Group | None, *, loss: float, drift: MeanEstimate | Mapping[str, float], margin: float
) -> dict[str, Any]:
    """Lay out one metric's figures, over all items or one group."""
    return {"metric": metric, "group": group_record(group), "loss": loss, "drift": drift, "margin": margin}


def stored_figure_record(figure: StoredFigure) -> dict[str, Any]:
    """Lay out a figure of a history, which keeps a drift's interval and not how it was made."""
    kept = ("low", "high", "n", "n_left_out")
    drift = {"value": figure.drift, **{name: getattr(figure, name) for name in kept}}
    return figure_record(figure.metric, figure.group, loss=figure.loss, drift=drift, margin=figure.margin)


def group_record(group: Group | None) -> dict[str, str] | None:
    """Lay out a group; ``None`` stands for all items."""
    return None if group is None else {"kind": group[0], "name": group[1]}


def test_record(test: DriftTest) -> dict[str, Any]:
    """Lay out a test of one metric, over all items or one group."""
    return {
        "metric": test.metric,
        "group": group_record(test.group),
        "loss": test.loss,
        "noise": test.noise,
        "drift": test.drift,
        "margin": test.margin,
        "p_value": test.p_value,
        "p_adjusted": test.p_adjusted,
        "significant": test.is_significant,
        "material": test.is_material,
        "outcome": test.outcome,
        "n_needed": test.n_needed,
        "reruns_needed": test.reruns_needed,
        "tolerance": test.tolerance,
        "bound": test.bound,
        "p_equivalence": test.p_equivalence,
        "change": test.change,
        "nights_as_reruns": test.nights_as_reruns,
        "shift": None if test.shift is None else asdict(test.shift),
    }


def threshold_record(check: ThresholdCheck) -> dict[str, Any]:
    """Lay out the check of a threshold; one of a slice names its group."""
    fields = {name: getattr(check, name) for name in ("name", "metric", "limit", "value", "passed")}
    return {**fields, "group": group_record(check.group)}


def limit_record(check: LimitCheck) -> dict[str, Any]:
    """Lay out the check of a hard limit, with the first of the items that break it."""
    return {
        "name": check.name,
        "group": group_record(check.group),
        "allowed": check.allowed,
        "n": check.n,
        "n_broken": check.n_broken,
        "items": check.items[:NAMED_ITEMS],
        "excused": check.excused[:NAMED_ITEMS],
        "passed": None if check.outcome is LimitOutcome.NOT_CHECKED else check.passed,
        "outcome": check.outcome,
        "n_unchecked": check.n_unchecked,
        "p_value": check.p_value,
    }


def must_pass_record(check: MustPassCheck) -> dict[str, Any]:
    """Lay out the check of a must-pass item."""
    return {"id": check.id, "passed": check.passed, "reasons": check.reasons}


def sequence_record(one: SequenceTest) -> dict[str, Any]:
    """Lay out a test of one metric over all runs."""
    fields = asdict(one)
    fields["significant"] = fields.pop("is_significant")
    return fields


def pair_record(comparison: Comparison, pair: AlignedPair) -> dict[str, Any]:
    """Lay out what differs between two outputs that belong together."""
    found = pair_differences(comparison, pair)
    return {
        "baseline": pair.baseline,
        "candidate": pair.candidate,
        **pair.scores,
        "characters": _difference_record(found.characters),
        "fields": {name: _difference_record(one) for name, one in found.fields.items()},
        "findings": [{"guard": one.guard, "reason": one.reason} for one in pair.findings],
    }


def _difference_record(one: Difference) -> dict[str, float | None]:
    return {"baseline": one.baseline, "candidate": one.candidate, "difference": one.value}
