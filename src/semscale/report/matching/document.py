"""The document of matched texts."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from semscale.report.document import (
    Block,
    Cell,
    Citation,
    Count,
    Document,
    ItemCard,
    Items,
    Line,
    Number,
    Paragraph,
    Quoted,
    Section,
    Share,
    WithInterval,
    marked,
)
from semscale.report.formatting import capitalised, counted, one_line, plain
from semscale.report.matching.figures import parts_figure, scores_histogram
from semscale.report.matching.words import (
    MEANINGS,
    cautions,
    contradicted_words,
    costly_tokens,
    details_title,
    empty_words,
    mean_name,
    part_name,
    sampled_words,
    separation_words,
    shown_parts,
)
from semscale.report.parts import (
    GUARD_MEANINGS,
    altogether,
    counts_section,
    estimated_document,
    estimated_settings,
    group_table,
    guard_legend,
    guard_table,
    headline,
    left_out_section,
    low_items,
    nothing_section,
)
from semscale.report.sentences import foreign_warnings, language_warnings, unread_warnings

if TYPE_CHECKING:
    from semscale.matching.summary import MatchedItem, MatchSummary

SHOWN_ITEMS = 12

CLINIQLINK = Citation(
    "ClinIQLink 2025.",
    "Evaluation of answers in words, sentences and paragraphs",
    "Shared task of the BioNLP workshop at ACL 2025",
    "the method",
)
BERTSCORE = Citation(
    "Zhang, T., Kishore, V., Wu, F., Weinberger, K. Q., & Artzi, Y. (2020).",
    "BERTScore: Evaluating text generation with BERT",
    "ICLR 2020, arXiv:1904.09675",
    "the method",
)
SUMMAC = Citation(
    "Laban, P., Schnabel, T., Bennett, P. N., & Hearst, M. A. (2022).",
    "SummaC: Re-visiting NLI-based models for inconsistency detection in summarization",
    "TACL 10, doi:10.1162/tacl_a_00453",
    "sentence by sentence",
)
_CITED = {
    "bertscore": BERTSCORE,
    "entailment": SUMMAC,
    "cliniqlink-doc": CLINIQLINK,
    "cliniqlink-code": CLINIQLINK,
}


def match_document(summary: "MatchSummary") -> Document:
    """Turn the scores of matched texts into a document."""
    base = estimated_document(
        summary, kind="matching report", name="Match", title=_title(summary), n_windowed=summary.n_windowed
    )
    known = {
        "empty": empty_words(summary),
        "contradicted": contradicted_words(summary),
        "separation": separation_words(summary),
        "sampled": sampled_words(summary),
    }
    said = {name: words for name, words in known.items() if words}
    return replace(
        base,
        source=(*base.source, f"method {summary.method}"),
        lead=headline(summary.estimates, mean_name(summary.estimates.overall.main), summary.bounds),
        warnings=(
            *foreign_warnings(summary.languages),
            *language_warnings(summary.unread_language),
            *unread_warnings({str(status): n for status, n in summary.counts.items()}),
        ),
        reading=(*base.reading, *(f"{capitalised(words)}." for words in said.values())),
        facts=(*base.facts, *_facts(summary)),
        cautions=(*base.cautions, *cautions(summary)),
        sections=tuple(_sections(summary)),
        notes=(*base.notes, *(f"{name}: {words}" for name, words in said.items())),
        settings=estimated_settings(summary, _columns(summary)),
        citations=(_CITED[summary.method],) if summary.method in _CITED else (),
    )


def _title(summary: "MatchSummary") -> Line:
    if summary.columns is None:
        return "How far predictions say what is expected"
    return ("How far “", Quoted(summary.columns.prediction), "” says what is expected")


def _facts(summary: "MatchSummary") -> Iterator[tuple[str, Cell]]:
    overall = summary.estimates.overall
    for name, mean in overall.figures.items():
        if name != overall.main:
            yield capitalised(mean_name(name)), WithInterval.of(mean)
    if summary.n_flagged is not None:
        yield "With findings", Count(summary.n_flagged)
    if summary.n_contradicted is not None:
        yield "Contradicted", Count(summary.n_contradicted)
    if summary.n_across_languages:
        yield "Across languages", Count(summary.n_across_languages)
    if summary.separation:
        yield "Above unrelated", Share(summary.separation.share)


def _columns(summary: "MatchSummary") -> list[tuple[str, str | None]]:
    columns = summary.columns
    if columns is None:
        return []
    references = [("References", column) for column in columns.reference]
    return [("Predictions", columns.prediction), *references, ("Groups", columns.by)]


def _sections(summary: "MatchSummary") -> Iterator[Section]:
    if summary.estimates.overall.n:
        yield _spread(summary)
    else:
        yield nothing_section("scores")
    if summary.flagged:
        yield _findings(summary)
    if worst := _worst(summary):
        lowest = counted(min(len(worst), Items.most), "lowest score")
        items = _items(worst, brief_title=lowest, is_explained=summary.is_explained)
        yield Section("worst", "The lowest scores", (items,))
    if parts := parts_figure(summary):
        yield Section("parts", "What the scores are made of", (parts,))
    yield from counts_section(summary.languages, ("prediction", "reference"))
    yield left_out_section(
        summary.estimates.overall.left_out, summary.n, MEANINGS, lambda why: summary.left_out.get(why, ())
    )


def _spread(summary: "MatchSummary") -> Section:
    estimates = summary.estimates
    figures = estimates.overall.figures
    names = {name: mean_name(name) for name in figures}
    names[estimates.overall.main] += f", from {' to '.join(map(plain, summary.bounds))}"
    means = [(name, WithInterval.of(figures[figure])) for figure, name in names.items()]
    blocks: list[Block] = [altogether(means, estimates.interval), scores_histogram(summary)]
    title: Line = "How the scores are spread"
    if estimates.groups:
        blocks.append(replace(group_table(estimates, noun="row"), detail="brief"))
        title = (f"{title}, by ", Quoted(estimates.by or "group"))
    return Section("scores", title, tuple(blocks))


def _findings(summary: "MatchSummary") -> Section:
    lead = (
        "Similarity hardly sees what turns a meaning round. Guards look for it; these are the rows with "
        "findings that score highest."
    )
    blocks = (
        guard_table(summary.guards, GUARD_MEANINGS, noun="row", title="Findings"),
        Paragraph(lead, "lead"),
        _items(summary.flagged[:SHOWN_ITEMS], guards=guard_legend(summary.guards, GUARD_MEANINGS)),
    )
    return Section("findings", "Alike, and yet different", blocks)


def _worst(summary: "MatchSummary") -> "list[MatchedItem]":
    """Give the items with low scores; whoever asks for explanations gets all that could be higher."""
    worst, (_, greatest) = summary.lowest[:SHOWN_ITEMS], summary.bounds
    if summary.is_explained:
        return [item for item in worst if item.score < greatest]
    return low_items(worst, lambda item: item.score, summary.estimates.overall.mean, summary.bounds)


def _items(items: "Sequence[MatchedItem]", **settings: Any) -> Items:  # noqa: ANN401 - fields of Items
    return Items(tuple(map(_item, items)), heads=("prediction", "reference"), **settings)


def _item(item: "MatchedItem") -> ItemCard:
    findings = item.findings or ()
    texts = {"prediction": item.prediction, "reference": item.reference}
    return ItemCard(
        row=item.row + 1,
        score=Number(item.score),
        labels=() if item.group is None else (Quoted(item.group),),
        texts=tuple(
            (side, marked(text, [(found.guard, getattr(found, side)) for found in findings]))
            for side, text in texts.items()
            if text is not None
        ),
        findings=tuple((found.guard, one_line(found.reason)) for found in findings),
        parts=tuple((part_name(name), Number(value)) for name, value in shown_parts(item).items()),
        details=(details_title(item.tokens), costly_tokens(item.tokens)),
        brief=(Quoted(item.prediction), Quoted(item.reference)),
    )
