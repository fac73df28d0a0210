"""The ruler in a comparison's document: whether the anchors are read as before."""

from collections.abc import Iterator

from semscale.drift.gate.drift_summary import DriftSummary
from semscale.drift.ruler.attribution import Moved
from semscale.drift.ruler.ruler_check import RulerCheck
from semscale.report.document.blocks import Block, DataTable, Paragraph
from semscale.report.document.document import Section
from semscale.report.document.values import Cell, Count, Detail, Number, WithInterval, Words
from semscale.report.drift.words import evidence, label, p_value
from semscale.report.formatting import capitalised, number, one_line, plain

_MOVED = {
    Moved.SYSTEM: "The system moved, and the ruler did not",
    Moved.RULER: "The ruler moved; the gate shows nothing of the system",
    Moved.BOTH: "The ruler moved, and the gate failed: whether the system moved, too, is known when it was "
    "measured with a ruler that holds",
    Moved.NEITHER: "Neither the system nor the ruler moved",
}
_BETS = {
    "changed": "apart from before",
    "higher": "higher than before",
    "lower": "lower than before",
    "farther": "farther from labels",
}
_SHOWN_SETTINGS = 3


def ruler_section(summary: DriftSummary) -> Iterator[Section]:
    """Give the section about the ruler, where the dataset has anchors."""
    check = summary.ruler
    if check is not None:
        yield Section("ruler", "Did the system or the ruler move?", tuple(_blocks(summary, check)))


def ruler_cautions(summary: DriftSummary) -> Iterator[str]:
    """Say that another ruler took the place of the one before, and how far its readings lie from those."""
    check = summary.ruler
    if check is None or not check.declared:
        return
    changed = ", ".join(
        f"{one_line(name)} {one_line(before or 'none')} → {one_line(after or 'none')}"
        for name, (before, after) in list(check.declared.items())[:_SHOWN_SETTINGS]
    )
    apart = ", ".join(f"{label(name)} {number(mean, 4)}" for name, mean in check.apart.items())
    yield (
        f"another ruler than before reads the anchors ({changed}); its readings lie apart from the former "
        f"ones by {apart or 'an unknown amount'} on average: do not compare figures of one with those of the "
        "other"
    )


def _blocks(summary: DriftSummary, check: RulerCheck) -> Iterator[Block]:
    said = f"{capitalised(check.words())}."
    attributed = f" {_MOVED[summary.moved]}." if summary.moved is not None else ""
    yield Paragraph(f"{said}{attributed}", "lead", "both")
    yield Paragraph(
        "The texts of the anchors never change, so that only what measures them can move their readings. "
        "They are read anew in every run, without a cache. The bets may be looked at after every run: the "
        "chance that a ruler which never moves is ever said to have moved is at most "
        f"{plain(check.alpha)}.",
        "note",
    )
    detail: Detail = "both" if check.has_moved else "full"
    if check.tests:
        yield _test_table(check, detail)
    if check.errors:
        yield _error_table(check, detail)


def _test_table(check: RulerCheck, detail: Detail) -> DataTable:
    heads = ("reading", "bet", "difference", "allowed", "evidence", "p (adjusted)", "anchors", "")
    rows = tuple(
        (
            Words(label(test.reading)),
            Words(_BETS[test.movement]),
            Number(test.difference, 4, signed=test.movement != "changed"),
            Number(test.allowed, 4),
            evidence(test.evidence[-1]),
            p_value(test.p_adjusted),
            Count(test.n),
            Words("moved" if test.has_moved else "held"),
        )
        for test in check.tests
    )
    return DataTable(heads, rows, "The ruler over all runs", detail=detail)


def _error_table(check: RulerCheck, detail: Detail) -> DataTable:
    """Show how far readings lie from people's labels, now and in the reference."""
    before = {one.reading: one.error for one in check.reference_errors}
    rows: list[tuple[Cell, ...]] = []
    for one in check.errors:
        then = before.get(one.reading)
        rows.append(
            (
                Words(label(one.reading)),
                WithInterval.of(one.error, 3),
                Words("–") if then is None else WithInterval.of(then, 3),
                Count(one.error.n),
            )
        )
    return DataTable(
        ("reading", "error", "error of the reference", "labels"), tuple(rows), "Against people", detail=detail
    )
