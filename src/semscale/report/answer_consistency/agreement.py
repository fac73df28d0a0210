"""The document of answers whose claims were judged by samples of the same answer."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from semscale.answer_consistency.claim_files import NO_CLAIM
from semscale.answer_consistency.claims import Support
from semscale.report.answer_consistency.claim_parts import (
    VERDICT_WORDS,
    claim_cautions,
    claim_facts,
    claim_words,
    verdict_table,
)
from semscale.report.answer_consistency.words import MEANINGS, asking_words
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
from semscale.report.formatting import capitalised, counted, one_line, percent_with_interval
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
    counts_section,
    foreign_warnings,
    language_warnings,
    left_out_section,
    refused_words,
    stopped_cautions,
)

if TYPE_CHECKING:
    from semscale.answer_consistency.claim_summary import AgreementSummary, SampledClaim

SHOWN_CLAIMS = 10
MEAN_NAME, SHARE_NAME = "mean support of claims", "mean share of supported claims"

_STATUSES = MEANINGS | {"weightless": NO_CLAIM}
_VERDICTS = {
    Support.SUPPORTED: "every sample says so",
    Support.CONTRADICTED: "a sample says otherwise",
    Support.NOT_FOUND: "no sample says otherwise, and one or more do not say so",
    Support.UNREAD: "the model cannot read the claim or the samples: it does not count",
}
_SUPPORT = (
    "A claim is a sentence of the answer. Its support is the mean over samples of how far the sample's "
    "nearest sentence says the same; a sample that contradicts the claim counts a tenth."
)
_BY_SCORES = (
    "A sample says so if the calibrated score of one of its sentences reaches .6 and no guard finds a "
    "contradiction; it says otherwise if a guard does and the score reaches .3."
)
_BY_ENTAILMENT = (
    "A sample says so, or otherwise, if the model of entailment finds this more probable than not for one of "
    "its sentences."
)
_LUQ = Citation(
    "Zhang, C., Liu, F., Basaldella, M., & Collier, N. (2024).",
    "LUQ: Long-text uncertainty quantification for LLMs",
    "arXiv:2403.20279",
    "sentence by sentence, beside samples",
    "https://arxiv.org/abs/2403.20279",
)


def agreement_document(summary: "AgreementSummary") -> Document:
    """Turn claims that were judged by samples into a document."""
    base = estimated_document(
        summary,
        kind="claim consistency report",
        name="Claim consistency",
        title="How far samples support the claims of answers",
        noun="prompt",
    )
    said, asking = claim_words(summary), asking_words(summary)
    columns = [(capitalised(use), column) for use, column in summary.columns]
    return replace(
        base,
        lead=headline(summary.estimates, MEAN_NAME, (0.0, 1.0)),
        warnings=(
            *foreign_warnings(summary.languages, "prompt", remedy="--embedder e5-small"),
            *language_warnings(summary.unread_language, "--embedder"),
        ),
        counting=(*base.counting, *([asking] if asking else [])),
        reading=(*base.reading, f"{said}.", *([f"{asking}."] if asking else [])),
        facts=(*base.facts, ("Samples", Count(summary.n_samples)), *claim_facts(summary)),
        cautions=(*stopped_cautions(summary.stopped), *base.cautions, *_cautions(summary)),
        sections=tuple(_sections(summary)),
        notes=(*base.notes, f"claims: {said}"),
        settings=estimated_settings(summary, columns, noun="prompt"),
        citations=(_LUQ,),
    )


def _cautions(summary: "AgreementSummary") -> Iterator[str]:
    if summary.replies is not None:
        model = dict(summary.signature.fields).get("chat_model", "the model")
        refused = refused_words(one_line(model), summary.replies.left_out)
        yield from [] if refused is None else [refused]
    if summary.n_samples_left_out:
        samples = counted(summary.n_samples_left_out, "sample")
        yield f"{samples} left out: missing, empty, no text, or declining to answer."
    yield from claim_cautions(summary)


def _sections(summary: "AgreementSummary") -> Iterator[Section]:
    if summary.estimates.overall.n:
        yield _spread(summary)
    else:
        yield nothing_section("claims", "prompt")
    if summary.worst:
        yield Section("worst", "The worst claims", (_worst_table(summary),))
    yield from counts_section(summary.languages, ("answer",), "prompt")
    yield left_out_section(
        summary.estimates.overall.left_out,
        summary.n,
        _STATUSES,
        lambda status: summary.examples.get(status, ()),
        noun="prompt",
    )


def _spread(summary: "AgreementSummary") -> Section:
    estimates = summary.estimates
    means = [
        (name, WithInterval.of(estimates.overall_mean(measure)))
        for name, measure in ((MEAN_NAME, "score"), (SHARE_NAME, "supported_share"))
    ]
    title: Line = "What samples say of the claims"
    share = percent_with_interval(estimates.overall_mean("supported_share"))
    rule = _BY_ENTAILMENT if summary.uses_entailment else _BY_SCORES
    blocks: list[Block] = [
        altogether(means, estimates.interval),
        verdict_table(summary, _VERDICTS),
        Paragraph(f"Of an answer's claims {share} are supported by every sample, on average."),
        Paragraph(f"{_SUPPORT} {rule}", "note"),
    ]
    if estimates.groups:
        title = (f"{title}, by ", Quoted(estimates.by or "group"))
        blocks.append(group_table(estimates, noun="prompt"))
    return Section("claims", title, tuple(blocks))


def _worst_table(summary: "AgreementSummary") -> DataTable:
    columns: Columns[SampledClaim] = (
        ("prompt", lambda one: Count(one.item + 1)),
        ("verdict", lambda one: Words(VERDICT_WORDS[one.verdict])),
        ("claim", lambda one: Quoted(one.claim)),
        ("sample", lambda one: Count(one.sample) if one.sample else Words("")),
        ("what it says", lambda one: Quoted(one.sentence)),
        ("why", lambda one: Quoted(one.reason)),
        ("support", lambda one: Number(one.value)),
    )
    return table_of(
        summary.worst, columns, brief_title="Worst claims", most=SHOWN_CLAIMS, noun="claim", brief=5
    )
