"""Document of the columns of a table: their types, questions with more than one column, values, quotes."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from semscale.report.document import (
    Block,
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
    from semscale.coding.columns import ColumnsSummary, ColumnSummary

_VALUES = 30
_NAME = 60


def columns_document(summary: "ColumnsSummary") -> Document:
    """Turn the description of a table's columns into a document."""
    kinds = [column.kind for column in summary.columns]
    facts: tuple[tuple[str, Cell], ...] = (
        ("Rows", Count(summary.n)),
        ("Columns", Count(len(kinds))),
        *((kind.capitalize(), Count(kinds.count(kind))) for kind in dict.fromkeys(kinds)),
    )
    return Document(
        kind="columns",
        name="Columns",
        title=("Columns of ", Quoted(summary.source)),
        source=(Quoted(summary.source), stamp(summary.created)),
        signature=None,
        counting=(f"{counted(summary.n, 'row')}, {counted(len(kinds), 'column')}",),
        facts=facts,
        cautions=summary.cautions,
        sections=tuple(_sections(summary)),
        settings=(("Source", Quoted(summary.source)), ("Made", stamp(summary.created))),
    )


def _sections(summary: "ColumnsSummary") -> Iterator[Section]:
    columns: Columns[ColumnSummary] = (
        ("column", lambda column: Quoted(column.name, _NAME)),
        ("taken for", lambda column: Words(column.kind)),
        ("missing", lambda column: Count(column.missing)),
        ("values", lambda column: Count(column.distinct)),
        ("least", lambda column: Number(column.low, None)),
        ("greatest", lambda column: Number(column.high, None)),
        ("mean", lambda column: Number(column.mean)),
        ("declared missing", lambda column: Quoted("; ".join(column.missing_codes))),
        ("label", lambda column: Quoted(column.label)),
    )
    yield Section("columns", "Columns", (table_of(summary.columns, columns, noun="column", brief=4),))
    if summary.questions:
        yield Section("questions", "Questions with more than one column", (_questions(summary),))
    listed = [column for column in summary.columns if column.values]
    if listed:
        yield Section("values", "Values", tuple(map(_values, listed)))
    texts = [column for column in summary.columns if column.examples]
    if texts:
        yield Section("texts", "Open texts", _quotes(texts))


def _questions(summary: "ColumnsSummary") -> DataTable:
    rows = tuple(
        (
            Quoted(question, _NAME),
            Quoted(column.name, _NAME),
            Quoted(column.option),
            Count(column.n - column.missing),
        )
        for question, columns in summary.questions.items()
        for column in columns
    )
    return DataTable(("question", "column", "answer", "filled"), rows, detail="full", noun="column")


def _values(column: "ColumnSummary") -> DataTable:
    filled = max(column.n - column.missing, 1)
    rows = tuple(
        (Quoted(value.value), Quoted(value.label), Count(value.n), Share(value.n / filled))
        for value in column.values[:_VALUES]
    )
    hidden = len(column.values) - len(rows)
    return DataTable(
        ("value", "label", "cells", "share"),
        rows,
        title=(Quoted(column.name, _NAME), f", {column.kind}"),
        note=f"{counted(hidden, 'more value')} not shown." if hidden else "",
        detail="full",
        noun="value",
    )


def _quotes(texts: "list[ColumnSummary]") -> tuple[Block, ...]:
    rows = tuple((Quoted(column.name, _NAME), Quoted(text)) for column in texts for text in column.examples)
    return (
        Paragraph("Quotes are of middle length, as written.", "note"),
        DataTable(("column", "quote"), rows, detail="full", noun="quote"),
    )
