"""The document of a codebook: all columns, questions of several columns, values, quotes."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from semscale.report.document import (
    Cell,
    Count,
    DataTable,
    Document,
    Number,
    Paragraph,
    Quoted,
    Section,
    Share,
    Words,
    stamp,
)
from semscale.report.formatting import counted
from semscale.report.parts import Columns, table_of

if TYPE_CHECKING:
    from semscale.codebook.codebook import Codebook, CodebookColumn

_VALUES = 30
_NAME = 60


def codebook_document(codebook: "Codebook") -> Document:
    """Turn a codebook into a document."""
    kinds = dict.fromkeys(column.kind for column in codebook.columns)
    facts: tuple[tuple[str, Cell], ...] = (
        ("Rows", Count(codebook.n)),
        ("Columns", Count(len(codebook.columns))),
        *((kind.capitalize(), Count(sum(one.kind == kind for one in codebook.columns))) for kind in kinds),
    )
    return Document(
        kind="codebook",
        name="Codebook",
        title=("Codebook of ", Quoted(codebook.source)),
        source=(Quoted(codebook.source), stamp(codebook.created)),
        signature=None,
        counting=(f"{counted(codebook.n, 'row')}, {counted(len(codebook.columns), 'column')}",),
        facts=facts,
        cautions=codebook.cautions,
        sections=tuple(_sections(codebook)),
        settings=(("Source", Quoted(codebook.source)), ("Made", stamp(codebook.created))),
    )


def _sections(codebook: "Codebook") -> Iterator[Section]:
    yield Section("columns", "Columns", (_columns(codebook),))
    if codebook.questions:
        rows = tuple(
            (
                Quoted(question, _NAME),
                Quoted(column.name, _NAME),
                Quoted(column.option),
                Count(column.n - column.missing),
            )
            for question, columns in codebook.questions.items()
            for column in columns
        )
        heads = ("question", "column", "answer", "filled")
        yield Section(
            "questions",
            "Questions of several columns",
            (DataTable(heads, rows, detail="full", noun="column"),),
        )
    listed = [column for column in codebook.columns if column.values]
    if listed:
        yield Section("values", "Values", tuple(map(_values, listed)))
    texts = [column for column in codebook.columns if column.examples]
    if texts:
        yield Section("texts", "Open texts", tuple(_quotes(texts)))


def _columns(codebook: "Codebook") -> DataTable:
    columns: Columns[CodebookColumn] = (
        ("column", lambda one: Quoted(one.name, _NAME)),
        ("taken for", lambda one: Words(one.kind)),
        ("missing", lambda one: Count(one.missing)),
        ("values", lambda one: Count(one.distinct)),
        ("least", lambda one: Number(one.low, None)),
        ("greatest", lambda one: Number(one.high, None)),
        ("mean", lambda one: Number(one.mean)),
        ("declared missing", lambda one: Quoted("; ".join(one.missing_codes))),
        ("label", lambda one: Quoted(one.label)),
    )
    return table_of(codebook.columns, columns, noun="column", brief=4)


def _values(column: "CodebookColumn") -> DataTable:
    filled = max(column.n - column.missing, 1)
    shown = column.values[:_VALUES]
    rows = tuple((Quoted(one.value), Quoted(one.label), Count(one.n), Share(one.n / filled)) for one in shown)
    more = len(column.values) - len(shown)
    note = f"{counted(more, 'more value')} not shown." if more else ""
    title = (Quoted(column.name, _NAME), f", {column.kind}")
    return DataTable(
        ("value", "label", "cells", "share"), rows, title=title, note=note, detail="full", noun="value"
    )


def _quotes(texts: "list[CodebookColumn]") -> Iterator[DataTable | Paragraph]:
    yield Paragraph("Quotes are of middle length, as written.", "note")
    rows = tuple((Quoted(column.name, _NAME), Quoted(text)) for column in texts for text in column.examples)
    yield DataTable(("column", "quote"), rows, detail="full", noun="quote")
