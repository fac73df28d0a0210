"""Documents about work before measuring: columns of a table, a forecast of calls, embedded texts."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from semscale.chat.prices import amount
from semscale.report.document import (
    Block,
    Cell,
    Count,
    DataTable,
    Document,
    Label,
    Number,
    Paragraph,
    Quoted,
    Section,
    Share,
    stamp,
)
from semscale.report.formatting import counted
from semscale.report.parts import Columns, table_of
from semscale.report.sentences import rows_scored
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.chat.forecast import Forecast, ForecastSummary
    from semscale.embedding.file_embedding import EmbeddingSummary
    from semscale.tabulation.columns import ColumnsSummary, ColumnSummary

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
        sections=tuple(_column_sections(summary)),
        settings=(("Source", Quoted(summary.source)), ("Made", stamp(summary.created))),
    )


def _column_sections(summary: "ColumnsSummary") -> Iterator[Section]:
    columns: Columns[ColumnSummary] = (
        ("column", lambda column: Quoted(column.name, _NAME)),
        ("taken for", lambda column: Label(column.kind)),
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


def forecast_document(summary: "ForecastSummary") -> Document:
    """Turn forecasts into a document with one table for each model."""
    forecasts, total = summary.forecasts, summary.n + sum(summary.left_out.values())
    counting = rows_scored(summary.n, total, summary.left_out, summary.noun, verb="included")
    sections = (
        Section(
            f"model-{number}",
            Quoted(name),
            (
                DataTable(("", "if each reply can be read"), _forecast_rows(forecast), title=Quoted(name)),
                _further(forecast),
            ),
        )
        for number, (name, forecast) in enumerate(forecasts.items(), start=1)
    )
    return Document(
        kind="forecast",
        name="Forecast",
        title="What asking would take",
        source=(Quoted(summary.source),),
        signature=None,
        counting=(counting,),
        reading=(f"{counting}.", summary.note),
        cautions=(*summary.cautions, *_price_notes(summary)),
        sections=tuple(sections),
        notes=(summary.note,),
    )


def _price_notes(summary: "ForecastSummary") -> list[str]:
    notes = (forecast.price_note for forecast in summary.forecasts.values())
    return list(dict.fromkeys(note for note in notes if note))


def _further(forecast: "Forecast") -> DataTable:
    """List what corrections and repetitions may add."""
    named = (
        ("asking again for replies that cannot be read", forecast.corrections),
        ("repeating calls that fail", forecast.repetitions),
        ("letters or prose, if the model takes no decisions", forecast.stand_ins),
    )
    cost = f"cost in {forecast.currency}" if forecast.currency else "cost"
    rows: list[tuple[Cell, ...]] = [
        (
            Label(name),
            Count(calls.calls),
            Count(calls.most.prompt_tokens),
            Count(calls.most.completion_tokens),
            Label("not known") if calls.money is None else _money(calls.money),
        )
        for name, calls in named
        if calls.calls
    ]
    columns = ("", "calls", "tokens of prompts", "tokens of replies", cost)
    return DataTable(columns, tuple(rows), title="What may come on top, at most")


def _money(value: float) -> Label:
    return Label(amount(value))


def _forecast_rows(forecast: "Forecast") -> tuple[tuple[Cell, ...], ...]:
    rows: list[tuple[Cell, ...]] = [
        (Label("requests"), Count(forecast.requests)),
        (Label("answered before"), Count(forecast.answered)),
        (Label("the same as another"), Count(forecast.repeated)),
        (Label("calls to make"), Count(forecast.calls)),
        (Label("tokens of prompts, about"), Count(forecast.most.prompt_tokens)),
        (Label("tokens of replies"), Count(forecast.most.completion_tokens)),
    ]
    if forecast.open_ended:
        rows.append(
            (Label("calls without a limit to their reply (1,024 tokens each)"), Count(forecast.open_ended))
        )
    if forecast.money is None:
        return (*rows, (Label("cost"), Label("not known")))
    return (*rows, (Label(f"cost in {forecast.currency}"), _money(forecast.money)))


def embedding_document(summary: "EmbeddingSummary") -> Document:
    """Turn the summary of an embedding into a document."""
    facts: tuple[tuple[str, Cell], ...] = (
        ("Rows", Count(summary.n)),
        *((f"Rows {status}", Count(n)) for status, n in summary.counts.items() if status != Status.SCORED),
        ("Rows with a vector", Count(summary.counts.get(Status.SCORED, 0))),
        ("Numbers in a vector", Count(summary.dimensions)),
        ("Texts read in several windows", Count(summary.n_windowed)),
    )
    return Document(
        kind="embedding",
        name="Embedding",
        title=("Vectors of ", Quoted(summary.column)),
        source=(Quoted(summary.source), stamp(summary.created)),
        signature=summary.signature,
        counting=(counted(summary.n, "row"),),
        facts=facts,
        sections=(),
        settings=(
            ("Source", Quoted(summary.source)),
            *((name, value) for name, value in summary.signature.fields),
            ("Made", stamp(summary.created)),
        ),
    )
