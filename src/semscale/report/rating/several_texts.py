"""The document of several columns of texts that were rated in one run."""

from dataclasses import replace
from typing import TYPE_CHECKING

from semscale.report.chart_kit import scale_digits
from semscale.report.document import (
    Cell,
    Count,
    DataTable,
    Document,
    Line,
    Paragraph,
    Quoted,
    Section,
    WithInterval,
    stamp,
)
from semscale.report.formatting import one_line
from semscale.report.parts import covered
from semscale.report.rating.document import rating_document

if TYPE_CHECKING:
    from semscale.rating.summary import RatingSummaries, RatingSummary


def several_texts_document(summaries: "RatingSummaries") -> Document:
    """Put the documents of all texts below a table of their means."""
    documents = {text: rating_document(summary) for text, summary in summaries.texts.items()}
    first = next(iter(documents.values()))
    sections = [Section("texts-overview", "All texts", (_overview(summaries),))]
    for number, (text, document) in enumerate(documents.items(), start=1):
        heading = Paragraph(
            (Quoted(text), ", scale ", Quoted(summaries.texts[text].scale.name)), detail="brief"
        )
        named = [_of_text(section, text, number) for section in document.sections]
        sections += [replace(named[0], blocks=(heading, *named[0].blocks)), *named[1:]]
    return Document(
        kind="rating report",
        name="Ratings",
        title=("Ratings of ", Quoted(summaries.source)),
        source=(Quoted(summaries.source), stamp(summaries.created)),
        signature=None,
        counting=tuple(
            _prefixed(text, line) for text, document in documents.items() for line in document.counting
        ),
        reading=tuple(
            _prefixed(text, line) for text, document in documents.items() for line in document.introduction
        ),
        facts=(("Texts", Count(len(documents))), ("Rows", Count(_first(summaries).n))),
        warnings=_said(documents, "warnings"),
        cautions=_said(documents, "cautions"),
        sections=tuple(sections),
        notes=(
            *_said(documents, "notes"),
            *(f"signature of {one_line(text)}: {one.signature}" for text, one in summaries.texts.items()),
        ),
        settings=tuple(
            (f"{one_line(text)}: {name}", value)
            for text, document in documents.items()
            for name, value in document.settings
        ),
        citations=tuple(
            dict.fromkeys(cited for document in documents.values() for cited in document.citations)
        )
        or first.citations,
    )


def _overview(summaries: "RatingSummaries") -> DataTable:
    rows: list[tuple[Cell, ...]] = []
    for text, summary in summaries.texts.items():
        overall = summary.estimates.overall
        mean = WithInterval.of(overall.mean, scale_digits(summary.scale))
        left_out = Count(summary.n - overall.n)
        rows.append((Quoted(text), Quoted(summary.scale.name), Count(overall.n), left_out, mean))
    interval = _first(summaries).estimates.interval
    title = f"Means{covered((row[-1] for row in rows), interval)}"
    return DataTable(("text", "scale", "rows", "left out", "mean"), tuple(rows), title=title, noun="text")


def _first(summaries: "RatingSummaries") -> "RatingSummary":
    return next(iter(summaries.texts.values()))


def _of_text(section: Section, text: str, number: int) -> Section:
    """Name the text in the title of a section, and its number, in letters, in the section's name."""
    return replace(section, name=f"text-{'i' * number}-{section.name}", title=_prefixed(text, section.title))


def _prefixed(text: str, line: Line) -> Line:
    rest = line if isinstance(line, tuple) else (line,)
    return (Quoted(text), ": ", *rest)


def _said(documents: dict[str, Document], field: str) -> tuple[str, ...]:
    """Collect sentences, each with the texts that it is said of unless it is said of all."""
    texts: dict[str, list[str]] = {}
    for text, document in documents.items():
        for sentence in getattr(document, field):
            texts.setdefault(sentence, []).append(one_line(text))
    return tuple(
        sentence if len(of) == len(documents) else f"{', '.join(of)}: {sentence}"
        for sentence, of in texts.items()
    )
