"""A comparison and the gate's decision for programs: one document that JSON can hold, at full precision."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from semscale.drift.measure.pair_differences import Difference, pair_differences
from semscale.report.drift_changes import pairs_of
from semscale.report.drift_facts import drift_estimates, mean_loss, n_left_out, n_silent
from semscale.report.drift_items import HarmedItem, most_harmed

if TYPE_CHECKING:
    from semscale.drift.gate.decision import DriftTest, GateDecision, SequenceTest, ThresholdCheck
    from semscale.drift.measure.comparison import Comparison
    from semscale.drift.measure.measured import AlignedPair
    from semscale.history.runs import Run
    from semscale.stats.intervals.means import MeanEstimate

WORST_ITEMS = 20


def decision_document(comparison: "Comparison", decision: "GateDecision | None") -> dict[str, object]:
    """Lay a comparison and the gate's decision out for JSON; a number that does not exist is ``None``.

    Args:
        comparison: what was measured.
        decision: what the gate decided; ``None`` where none was asked.

    Returns:
        These keys: ``outcome`` (``pass``, ``fail``, ``undecided``, or ``None`` without a gate); ``dataset``;
        ``baseline`` and ``candidate`` (``id``, ``model``, ``recorded``, ``revision``, ``note``); ``items``,
        ``left_out``, ``silent``, ``reruns`` (counts); ``n_needed`` (items that would decide, or ``None``);
        ``metrics`` (each metric over all items: ``loss``, ``noise``, ``drift`` with ``low`` and ``high``,
        ``n``, ``left_out``, ``span``, ``unit``, ``floor``); ``tests`` (each metric and group: ``group`` with
        ``kind`` and ``name`` or ``None``, figures, ``margin``, ``p_value``, ``p_adjusted``, ``significant``,
        ``material``, ``outcome``, ``n_needed``); ``thresholds`` (``name``, ``metric``, ``limit``, ``value``,
        ``passed``); ``sequence`` (``metric``, ``losses``, ``allowed``, ``evidence``, ``p_adjusted``,
        ``significant``); ``worst_items`` (``id``, ``groups``, ``harm``, ``drifts``, ``pairs``), worst first;
        ``cautions``; ``signature``. Each of an item's ``pairs``, the least alike first, has the places of its
        outputs among those that say something (``baseline``, ``candidate``), similarities, ``characters`` and
        ``fields`` (each ``baseline``, ``candidate``, ``difference``), and ``findings`` of guards.
    """
    signature = comparison.signature if decision is None else decision.signature
    return {
        "outcome": None if decision is None else str(decision.outcome),
        "dataset": comparison.baseline.dataset,
        "baseline": run_document(comparison.baseline),
        "candidate": run_document(comparison.candidate),
        "items": len(comparison.baseline.items),
        "left_out": n_left_out(comparison),
        "silent": n_silent(comparison),
        "reruns": len(comparison.reruns),
        "n_needed": None if decision is None else decision.n_needed,
        "metrics": _metrics(comparison, decision),
        "tests": [] if decision is None else [_test(test) for test in decision.tests],
        "thresholds": [] if decision is None else [_threshold(check) for check in decision.thresholds],
        "sequence": [] if decision is None else [_sequence(one) for one in decision.sequence],
        "worst_items": _worst(comparison, most_harmed(comparison, decision, limit=WORST_ITEMS)),
        "cautions": [] if decision is None else list(decision.cautions),
        "signature": str(signature),
    }


def run_document(run: "Run") -> dict[str, object]:
    """Lay out which run it is."""
    return {
        "id": run.id,
        "model": run.model,
        "recorded": run.recorded.isoformat(),
        "revision": run.revision,
        "note": run.note,
    }


def number_or_none(value: float | None) -> float | None:
    """Give a number as JSON can hold it.

    Example:
        >>> number_or_none(0.5), number_or_none(float("nan")), number_or_none(None)
        (0.5, None, None)
    """
    return float(value) if value is not None and math.isfinite(value) else None


def _metrics(comparison: "Comparison", decision: "GateDecision | None") -> list[dict[str, object]]:
    drifts = drift_estimates(comparison, decision)
    found: list[dict[str, object]] = []
    for name, metric in comparison.metrics.items():
        found.append(
            {
                "metric": name,
                "loss": number_or_none(mean_loss(comparison, name)),
                "noise": number_or_none(comparison.noise(name)),
                **_estimate(drifts[name]),
                "span": metric.span,
                "unit": metric.unit,
                "floor": number_or_none(comparison.floors.get(name)),
            }
        )
    return found


def _estimate(drift: "MeanEstimate") -> dict[str, object]:
    return {
        "drift": number_or_none(drift.value),
        "low": number_or_none(drift.low),
        "high": number_or_none(drift.high),
        "n": drift.n,
        "left_out": drift.n_left_out,
        "intervals": drift.method,
    }


def _test(test: "DriftTest") -> dict[str, object]:
    return {
        "metric": test.metric,
        "group": None if test.group is None else {"kind": test.group[0], "name": test.group[1]},
        "loss": number_or_none(test.loss),
        "noise": number_or_none(test.noise),
        **_estimate(test.drift),
        "margin": number_or_none(test.margin),
        "p_value": number_or_none(test.p_value),
        "p_adjusted": number_or_none(test.p_adjusted),
        "significant": bool(test.is_significant),
        "material": bool(test.is_material),
        "outcome": str(test.outcome),
        "n_needed": test.n_needed,
    }


def _threshold(check: "ThresholdCheck") -> dict[str, object]:
    return {
        "name": check.name,
        "metric": check.metric,
        "limit": number_or_none(check.limit),
        "value": number_or_none(check.value),
        "passed": bool(check.passed),
    }


def _sequence(one: "SequenceTest") -> dict[str, object]:
    return {
        "metric": one.metric,
        "losses": [number_or_none(loss) for loss in one.losses],
        "allowed": number_or_none(one.allowed),
        "evidence": [number_or_none(value) for value in one.evidence],
        "p_adjusted": number_or_none(one.p_adjusted),
        "significant": bool(one.is_significant),
    }


def _worst(comparison: "Comparison", harmed: Sequence[HarmedItem]) -> list[dict[str, object]]:
    pairs = pairs_of(comparison, [item.place for item in harmed])
    return [_item(comparison, item, pairs[item.place]) for item in harmed]


def _item(comparison: "Comparison", harmed: HarmedItem, pairs: "Sequence[AlignedPair]") -> dict[str, object]:
    item = comparison.baseline.items[harmed.place]
    return {
        "id": item.id,
        "groups": dict(item.groups),
        "harm": harmed.harm,
        "drifts": harmed.drifts,
        "pairs": [_pair(comparison, pair) for pair in pairs],
    }


def _pair(comparison: "Comparison", pair: "AlignedPair") -> dict[str, object]:
    found = pair_differences(comparison, pair)
    return {
        "baseline": pair.baseline,
        "candidate": pair.candidate,
        **{name: number_or_none(score) for name, score in pair.scores.items()},
        "characters": _difference(found.characters),
        "fields": {name: _difference(one) for name, one in found.fields.items()},
        "findings": [{"guard": one.guard, "reason": one.reason} for one in pair.findings],
    }


def _difference(one: Difference) -> dict[str, float | None]:
    return {"baseline": one.baseline, "candidate": one.candidate, "difference": one.value}
