"""A gate's decision as a short document, for a job's summary or a comment on a pull request."""

from collections.abc import Iterator
from dataclasses import replace

from semscale.drift.gate.decision import GateDecision
from semscale.drift.gate.drift_summary import DriftSummary
from semscale.drift.gate.harm import HarmedItem, worst_pairs
from semscale.drift.measure.pair_differences import pair_outputs
from semscale.history.items import Output
from semscale.report.document.blocks import DataTable, Findings, Paragraph
from semscale.report.document.document import Document, Section
from semscale.report.document.values import Cell, Level, Number, Quoted, Words
from semscale.report.drift.document import drift_document
from semscale.report.drift.items import greatest_drift
from semscale.report.drift.limit_words import LIMIT_LEVELS, broken_limit_words, must_pass_words
from semscale.report.drift.sample_size import noise_words, unvaried_words
from semscale.report.drift.tables import covered_words, drift_table
from semscale.report.drift.words import (
    HARM,
    OUTCOMES,
    sequence_words,
    threshold_words,
)
from semscale.report.formatting import count

_ITEMS = 5
_GROUPS = 10
_LONGEST = 140


def job_summary(summary: DriftSummary, decision: GateDecision) -> Document:
    """Shorten a gate's document: verdict, metrics, groups that did not pass, worst items; a few kilobytes.

    Args:
        summary: the comparison.
        decision: the gate's about it.
    """
    baseline, candidate = summary.comparison.baseline, summary.comparison.candidate
    compared = (
        "candidate “", Quoted(candidate.model, 80), f"” ({candidate.recorded:%Y-%m-%d}) against baseline “",
        Quoted(baseline.model, 80), f"” ({baseline.recorded:%Y-%m-%d})",
    )  # fmt: skip
    return replace(
        drift_document(summary),
        title=f"Drift gate {OUTCOMES[decision.outcome]}",
        source=(Quoted(baseline.dataset, 80), compared),
        sections=tuple(_sections(summary, decision)),
        settings=(),
    )


def _sections(summary: DriftSummary, decision: GateDecision) -> Iterator[Section]:
    tested = (figure for figure in summary.overall if figure.test is not None)
    overall = sorted(tested, key=lambda figure: figure.urgency)
    unvaried = unvaried_words(summary)
    said = [Paragraph(unvaried)] if unvaried else []
    if decision.nights.n:
        comparison = summary.comparison
        noise = noise_words(decision, comparison.baseline.model, len(comparison.reruns))
        said.append(Paragraph(f"Noise: {noise}."))
    if overall:
        table = drift_table(summary, overall)
        yield Section("metrics", f"All items{covered_words(summary)}", (table, *said))
    if waiting := summary.open_groups:
        more = f", the {_GROUPS} most urgent of {count(len(waiting))}" if len(waiting) > _GROUPS else ""
        table = drift_table(summary, waiting[:_GROUPS])
        yield Section("groups", f"Groups that did not pass{more}", (table,))
    if checks := tuple(_checks(summary, decision)):
        yield Section("limits", "Limits, thresholds and all runs", (Findings(checks),))
    if harmed := summary.harm.worst(_ITEMS):
        how = f"{HARM[True]}. Of each item the output that has no partner, or the least alike pair, is shown."
        yield Section("changed", "Items that changed most", (_items(summary, harmed), Paragraph(how)))


def _checks(summary: DriftSummary, decision: GateDecision) -> Iterator[tuple[Level, str]]:
    for limit in decision.limits:
        yield LIMIT_LEVELS[limit.outcome], broken_limit_words(limit)
    for item in decision.must_pass:
        yield "pass" if item.passed else "fail", must_pass_words(item)
    for check in decision.thresholds:
        yield "pass" if check.passed else "fail", threshold_words(check)
    if (ruler := summary.ruler) is not None:
        yield "warn" if ruler.has_moved else "pass", ruler.words()
    for one in decision.sequence:
        yield "warn" if one.is_significant else "pass", sequence_words(one, decision)


def _items(summary: DriftSummary, harmed: tuple[HarmedItem, ...]) -> DataTable:
    comparison = summary.comparison
    pairs = worst_pairs(comparison, [one.place for one in harmed])
    rows = []
    for one in harmed:
        outputs = pair_outputs(comparison, pairs[one.place][0]) if pairs[one.place] else (None, None)
        name = Quoted(comparison.baseline.items[one.place].id, 60)
        rows.append((name, Number(one.harm), *greatest_drift(summary, one), *map(_said, outputs)))
    return DataTable(("item", "harm", "metric", "drift", "baseline", "candidate"), tuple(rows))


def _said(output: Output | None) -> Cell:
    return Words("nothing") if output is None else Quoted(output.text, _LONGEST)
