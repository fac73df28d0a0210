"""The document of answers that were judged by passages, claim by claim."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from semscale.answer_consistency.claims import Support
from semscale.answer_consistency.consistencies import NO_ANSWER
from semscale.report.answer_consistency.claim_parts import (
    VERDICT_WORDS,
    claim_cautions,
    claim_facts,
    claim_words,
    verdict_table,
)
from semscale.report.document import (
    Block,
    Citation,
    Count,
    DataTable,
    Document,
    Line,
    Number,
    Paragraph,
    Quoted,
    Section,
    WithInterval,
    Words,
)
from semscale.report.parts import (
    Columns,
    altogether,
    estimated_document,
    estimated_settings,
    group_table,
    headline,
    nothing_section,
    table_of,
)
from semscale.report.sentences import (
    STATUS_MEANINGS,
    counts_section,
    foreign_warnings,
    language_warnings,
    left_out_section,
)

if TYPE_CHECKING:
    from semscale.answer_consistency.claim_summary import GroundedClaim, GroundingSummary

SHOWN_CLAIMS = 10
MEAN_NAME = "mean share of supported claims"

_STATUSES = STATUS_MEANINGS | {
    "missing": "no answer: the cell is empty or null",
    "not-text": "a number or something else that is not text stands in the column of answers",
    "no-reference": "no passage holds a text",
    "refused": NO_ANSWER,
    "weightless": "no sentence of the answer states something that the model reads, or no passage does",
}
_VERDICTS = {
    Support.SUPPORTED: "a sentence of the passages says so",
    Support.CONTRADICTED: "a sentence of the passages says otherwise",
    Support.NOT_FOUND: "no sentence of the passages says so or otherwise",
    Support.UNREAD: "the model cannot read the claim or the passages: it does not count",
}
_BY_SCORES = (
    "A claim is a sentence of the answer. A sentence of the passages supports it if their calibrated score "
    "reaches .6 and no guard finds a contradiction; it contradicts it if a guard does and the score reaches "
    ".3. Swapped roles or quantity words lower the score; the table says where that alone decides."
)
_BY_ENTAILMENT = (
    "A claim is a sentence of the answer. A sentence of the passages supports or contradicts it if the model "
    "of entailment says that this is more probable than not."
)
_SUMMAC = Citation(
    "Laban, P., Schnabel, T., Bennett, P. N., & Hearst, M. A. (2022).",
    "SummaC: Re-visiting NLI-based models for inconsistency detection in summarization",
    "TACL 10, doi:10.1162/tacl_a_00453",
    "sentence by sentence",
)


def groundedness_document(summary: "GroundingSummary") -> Document:
    """Turn judged claims of a table of answers into a document."""
    columns = summary.columns
    title: Line = ("How much of “", Quoted(columns.prediction), "” stands in its passages")
    base = estimated_document(summary, kind="groundedness report", name="Groundedness", title=title)
    used = [("Answers", columns.prediction), *(("Passages", one) for one in columns.context)]
    said = claim_words(summary)
    return replace(
        base,
        lead=headline(summary.estimates, MEAN_NAME, (0.0, 1.0)),
        warnings=(*foreign_warnings(summary.languages), *language_warnings(summary.unread_language)),
        reading=(*base.reading, f"{said}."),
        facts=(*base.facts, *claim_facts(summary)),
        cautions=(*base.cautions, *claim_cautions(summary)),
        sections=tuple(_sections(summary)),
        notes=(*base.notes, f"claims: {said}"),
        settings=estimated_settings(summary, [*used, ("Groups", columns.by)]),
        citations=(_SUMMAC,),
    )


def _sections(summary: "GroundingSummary") -> Iterator[Section]:
    if summary.estimates.overall.n:
        yield _spread(summary)
    else:
        yield nothing_section("claims")
    if summary.worst:
        yield Section("worst", "The worst claims", (_worst_table(summary),))
    yield from counts_section(summary.languages, ("answer",))
    yield left_out_section(
        summary.estimates.overall.left_out,
        summary.n,
        _STATUSES,
        lambda status: summary.examples.get(status, ()),
    )


def _spread(summary: "GroundingSummary") -> Section:
    estimates = summary.estimates
    mean = WithInterval.of(estimates.overall_mean("score"))
    title: Line = "What the passages say of the claims"
    blocks: list[Block] = [
        altogether([(MEAN_NAME, mean)], estimates.interval),
        verdict_table(summary, _VERDICTS),
    ]
    blocks.append(Paragraph(_BY_ENTAILMENT if summary.uses_entailment else _BY_SCORES, "note"))
    if estimates.groups:
        title = (f"{title}, by ", Quoted(estimates.by or "group"))
        blocks.append(group_table(estimates, noun="row"))
    return Section("claims", title, tuple(blocks))


def _worst_table(summary: "GroundingSummary") -> DataTable:
    columns: Columns[GroundedClaim] = (
        ("row", lambda one: Count(one.row + 1)),
        ("verdict", lambda one: Words(VERDICT_WORDS[one.verdict])),
        ("claim", lambda one: Quoted(one.claim)),
        ("nearest sentence", lambda one: Quoted(one.sentence)),
        ("why", lambda one: Quoted(one.reason)),
        ("support", lambda one: Number(one.score)),
    )
    return table_of(
        summary.worst,
        columns,
        brief_title="Worst claims",
        most=SHOWN_CLAIMS,
        noun="claim",
        brief=5,
    )
