"""Tables of a drift report: what every test found, and what every metric's figures are."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from semscale.drift.gate.decision import DriftTest, GateDecision
from semscale.report.drift_facts import mean_loss
from semscale.report.drift_words import (
    OUTCOMES,
    SYMBOLS,
    digits_of,
    drift_words,
    estimate_words,
    evidence_words,
    group_label,
    metric_label,
    p_words,
    urgency,
)
from semscale.report.figures import Table
from semscale.report.wording import MISSING, count, number, one_line
from semscale.stats.intervals.means import MeanEstimate

if TYPE_CHECKING:
    from semscale.drift.measure.comparison import Comparison

TABLED_TESTS = 400


def table_of_tests(
    comparison: "Comparison", tests: Sequence[DriftTest], *, interval: str, over_runs: bool = False
) -> Table:
    """Lay tests out, the most urgent first, as many as a page can carry.

    Args:
        comparison: what was measured.
        tests: of the gate.
        interval: what intervals cover.
        over_runs: whether p-values are those of all runs.
    """
    chosen = sorted(tests, key=urgency)[:TABLED_TESTS]
    rows = tuple(_test_cells(test, digits_of(comparison.metrics.get(test.metric))) for test in chosen)
    note = (
        f"The {TABLED_TESTS} most urgent of {count(len(tests))} tests; the JSON has all."
        if len(tests) > len(chosen)
        else ""
    )
    heads = (
        "Test",
        "Outcome",
        f"Drift [{interval}]",
        "Margin",
        "Reruns lose",
        *(("p over runs", "adjusted") if over_runs else ("p", "p, adjusted")),
        "Items",
        "Left out",
    )
    return Table(heads, rows, note)


def metrics_table(comparison: "Comparison", drifts: Mapping[str, MeanEstimate], *, interval: str) -> Table:
    """Lay each metric over all items out, in the order of ``drifts``; ``interval``: what intervals cover."""
    rows = []
    for name, drift in drifts.items():
        metric = comparison.metrics[name]
        digits = digits_of(metric)
        loss = mean_loss(comparison, name)
        rows.append(
            (
                metric_label(name),
                number(1 - loss, digits) if metric.is_similarity else MISSING,
                number(loss, digits),
                number(comparison.noise(name), digits),
                estimate_words(drift, digits),
                number(comparison.floors.get(name), digits),
                number(metric.span, digits),
                count(drift.n),
            )
        )
    heads = (
        "Metric",
        "Similarity",
        "Loss",
        "Reruns lose",
        f"Drift [{interval}]",
        "Unrelated text loses",
        "Worst case",
        "Items",
    )
    return Table(heads, tuple(rows))


def _test_cells(test: DriftTest, digits: int) -> tuple[str, ...]:
    name = (
        metric_label(test.metric)
        if test.group is None
        else f"{metric_label(test.metric)}, {group_label(test.group)}"
    )
    return (
        name,
        f"{SYMBOLS[test.outcome]} {OUTCOMES[test.outcome]}".strip(),
        drift_words(test, digits),
        number(test.margin, digits),
        number(test.noise, digits),
        p_words(test.p_value),
        p_words(test.p_adjusted),
        count(test.drift.n),
        count(test.drift.n_left_out),
    )


def thresholds_table(decision: GateDecision) -> Table | None:
    """Lay absolute thresholds out; ``None`` where none was set."""
    rows = tuple(
        (
            one_line(check.name),
            "passed" if check.passed else "✕ failed",
            number(check.value, 3),
            number(check.limit, 3),
            metric_label(check.metric),
        )
        for check in decision.thresholds
    )
    return Table(("Threshold", "Outcome", "Mean", "Limit", "Metric"), rows) if rows else None


def sequence_table(decision: GateDecision) -> Table | None:
    """Lay tests over all runs out; ``None`` where none was asked for."""
    rows = tuple(
        (
            metric_label(one.metric),
            count(len(one.losses)),
            number(sum(one.losses) / len(one.losses) if one.losses else None, 3),
            number(one.allowed, 3),
            evidence_words(one.evidence[-1] if one.evidence else math.nan),
            p_words(one.p_adjusted),
            "beyond chance" if one.is_significant else "within chance",
        )
        for one in decision.sequence
    )
    heads = ("Metric", "Runs", "Mean loss", "Allowed", "Evidence", "p, adjusted", "Loss is")
    return Table(heads, rows) if rows else None
