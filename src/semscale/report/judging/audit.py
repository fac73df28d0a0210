"""The document of an audit: how far a change of form moves a judge's scores."""

from typing import TYPE_CHECKING

from semscale.report.document.blocks import Block, DataTable, Paragraph
from semscale.report.document.document import Document, Section
from semscale.report.document.values import Cell, Count, Flag, Quoted, Share, WithInterval, Words
from semscale.report.wording import coverage, one_line

if TYPE_CHECKING:
    from semscale.judging.audit.audit import Audit, BiasCheck
    from semscale.judging.audit.audit_summary import AuditSummary


def audit_document(summary: "AuditSummary") -> Document:
    """Turn audits into a document with one section for each judge."""
    first = next(iter(summary.audits.values()))
    return Document(
        kind="judge audit",
        name="Judge audit",
        title=f"What a change of form does to {'the' if len(summary.audits) == 1 else 'each'} judge’s scores",
        source=(Quoted(summary.source),),
        signature=first.signature,
        reading=("An unbiased judge’s scores stay where they are when only the form changes.",),
        facts=(("Rows", Count(len(first.plain))), ("Judges", Count(len(summary.audits)))),
        sections=tuple(
            Section(f"judge-{place}", Quoted(name), _blocks(name, found))
            for place, (name, found) in enumerate(summary.audits.items(), start=1)
        ),
        settings=tuple(
            (f"Signature of {one_line(name)}", Quoted(found.signature, 2000))
            for name, found in summary.audits.items()
        ),
    )


def _blocks(name: str, found: "Audit") -> tuple[Block, ...]:
    columns = ("change", "rows", "left out", "mean effect", "scores that move", "")
    title = (Quoted(name), f": what a change of form does to the score ({coverage(found.interval)} interval)")
    why = [
        Paragraph(
            f"{check.name}: {check.meaning}{'' if check.skipped is None else f'; not made: {check.skipped}'}",
            "note",
            detail="both",
        )
        for check in found.checks
    ]
    return (DataTable(columns, tuple(map(_row, found.checks)), title=title), *why)


def _row(check: "BiasCheck") -> tuple[Cell, ...]:
    if check.effect is None or check.moved is None:
        return (
            Words(check.name),
            Count(None),
            Count(None),
            WithInterval.of(None),
            Share(None),
            Words("not made"),
        )
    return (
        Words(check.name),
        Count(check.effect.n),
        Count(check.effect.n_left_out),
        WithInterval.of(check.effect),
        Share(check.moved.value, 0),
        Flag("biased", "warn") if check.biased else Words(""),
    )
