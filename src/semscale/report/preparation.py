"""Documents about preparation: columns of a table, forecasts of calls, and embedded texts."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from semscale.chat.budget import amount
from semscale.report import parts
from semscale.report.document import (
    DataTable,
    Document,
    Number,
    Paragraph,
    Quoted,
    Section,
    Share,
    Value,
    notices,
    stamp,
)
from semscale.report.formatting import count_of, join_list
from semscale.report.parts import Columns, section, table, table_of, without_none
from semscale.report.sentences import rows_scored
from semscale.survey.value_order import order_groups
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.chat.budget import Forecast, ForecastSummary
    from semscale.embedding.table import EmbeddingSummary
    from semscale.survey.description import Question
    from semscale.tabulation.column_summaries import ColumnsSummary, ColumnSummary

_VALUES = 30
_NAME = 60
_LISTED = 15


def columns_document(summary: "ColumnsSummary") -> Document:
    """Turn the description of a table's columns into a document."""
    kinds = [column.kind for column in summary.columns]
    return Document(
        kind="columns",
        name="Columns",
        title=("Columns of ", parts.quote_file_name(summary.source)),
        source=(parts.quote_file_name(summary.source), stamp(summary.created)),
        introduction=(
            Paragraph(f"{count_of(summary.n, 'row')}, {count_of(len(kinds), 'column')}", detail="both"),
        ),
        notices=notices(cautions=summary.cautions),
        facts=parts.facts(
            ("Rows", summary.n),
            ("Columns", len(kinds)),
            *((kind.capitalize(), kinds.count(kind)) for kind in dict.fromkeys(kinds)),
        ),
        sections=without_none(*_column_sections(summary)),
    )


def _column_sections(summary: "ColumnsSummary") -> Iterator[Section | None]:
    columns: Columns[ColumnSummary] = (
        ("column", lambda column: Quoted(column.name, _NAME)),
        ("type", lambda column: column.kind),
        ("missing", lambda column: column.missing),
        ("values", lambda column: column.distinct),
        ("least", lambda column: Number(column.low, None)),
        ("greatest", lambda column: Number(column.high, None)),
        ("mean", lambda column: Number(column.mean)),
        ("declared missing", lambda column: Quoted("; ".join(column.missing_codes))),
        ("label", lambda column: Quoted(column.label)),
    )
    yield section("decisions", "Decide first", *_decisions(summary.decisions))
    yield section("columns", "Columns", table_of(summary.columns, columns, noun="column", brief=4))
    yield section("questions", "Questions", *_questions(summary))
    values = (_values(column, summary) for column in summary.columns if column.values)
    yield section("values", "Answers", *values)
    quotes = [
        (Quoted(_heading(column, summary), _NAME), Quoted(text))
        for column in summary.columns
        for text in column.examples
    ]
    quoted = table(("column", "quote"), quotes, detail="full", noun="quote")
    yield section("texts", "Open texts", "Quotes are of middle length, as written.", quoted)


def _decisions(decisions: Mapping[str, str]) -> Iterator[Paragraph | str]:
    """List the questions that need a decision, with the reasons."""
    if not decisions:
        return
    yield "The meaning of these questions is unsure: correct their entries in survey.yaml."
    names: dict[str, list[str]] = {}
    for name, reason in decisions.items():
        names.setdefault(reason, []).append(name)
    for reason, listed in names.items():
        yield Paragraph(Quoted(f"Decide first: {join_list(listed)}: {reason}.", 1_000), detail="both")


def _questions(summary: "ColumnsSummary") -> Iterator[DataTable | str]:
    """Build the table of all questions: what Semscale takes them for, and why."""
    questions: Columns[Question] = (
        ("question", lambda question: Quoted(question.name, _NAME)),
        ("kind", lambda question: question.kind),
        ("columns", lambda question: Quoted(_listed(question.all_columns))),
        ("confidence", lambda question: question.confidence if question.source != "user" else "stated"),
        ("title", lambda question: Quoted(question.title or question.text)),
        ("answers", lambda question: Quoted(_listed(_answers(question)))),
        ("no answer", lambda question: Quoted(_listed(_codes(question)))),
        ("reason", lambda question: Quoted(question.reason)),
    )
    yield table_of(summary.survey.questions, questions, noun="question", brief=4)


def _answers(question: "Question") -> list[str]:
    """Return the options with the marks that say that they were chosen, or the values in order."""
    if not question.options:
        return [_labelled(value.value, value.label) for value in question.answers]
    options = [option.label for option in question.options]
    if question.kind != "multiple" or not question.has_option_columns:
        return options
    marks = (("chosen", question.chosen), ("not chosen", question.not_chosen))
    return options + [
        f"{name}: {_listed(mark or 'empty' for mark in stated)}" for name, stated in marks if stated
    ]


def _codes(question: "Question") -> list[str]:
    """Return the codes for no answer with their reasons."""
    stated = [f"{code} ({reason})" for code, reason in question.missing.items()]
    return stated + [f"{value.value} ({value.missing})" for value in question.values if value.missing]


def _labelled(value: str, label: str) -> str:
    return f"{value} {label}" if label and label != value else value


def _listed(names: Iterable[str]) -> str:
    """List the first names, and count the others."""
    names = list(names)
    more = len(names) - _LISTED
    return "; ".join(names[:_LISTED]) + (f"; {more} more" if more > 0 else "")


def _heading(column: "ColumnSummary", summary: "ColumnsSummary") -> str:
    """Return the title of a column's question and its option, before the column's name."""
    question = summary.survey.of_column(column.name)
    if question is None or question.heading == column.name:
        return column.name
    options = {option.column: option.label for option in question.options}
    option = f": {options[column.name]}" if column.name in options else ""
    return f"{question.heading}{option} ({column.name})"


def _values(column: "ColumnSummary", summary: "ColumnsSummary") -> DataTable:
    """Build the table of a column's values in the order of the survey, with their labels."""
    question = summary.survey.of_column(column.name)
    described = {} if question is None else {value.value: value.label for value in question.values}
    counts = {value.value: value for value in column.values}
    values = [counts[name] for name in order_groups(counts, described)]
    filled = max(column.n - column.missing, 1)
    hidden = len(values) - _VALUES
    return table(
        ("answer", "label", "cells", "share"),
        [
            (
                Quoted(value.value),
                Quoted(described.get(value.value) or value.label),
                value.n,
                Share(value.n / filled),
            )
            for value in values[:_VALUES]
        ],
        title=(Quoted(_heading(column, summary), 2 * _NAME), f", {column.kind}"),
        note=f"{count_of(hidden, 'more value')} not shown." if hidden > 0 else "",
        detail="full",
        noun="value",
    )


def forecast_document(summary: "ForecastSummary") -> Document:
    """Turn forecasts into a document with two tables for each model."""
    total = summary.n + sum(summary.left_out.values())
    counting = rows_scored(summary.n, total, summary.left_out, summary.noun, verb="included")
    prices = dict.fromkeys(forecast.price_note for forecast in summary.forecasts.values())
    return Document(
        kind="forecast",
        name="Forecast",
        title="Forecast of the calls",
        source=(parts.quote_file_name(summary.source),),
        introduction=(parts.sentence(counting), Paragraph(summary.note)),
        notices=notices(
            cautions=[*summary.cautions, *prices],
            notes=[summary.note],
        ),
        sections=without_none(
            *(
                section(f"model-{number}", Quoted(name), _calls(name, forecast), _further_calls(forecast))
                for number, (name, forecast) in enumerate(summary.forecasts.items(), start=1)
            )
        ),
    )


def _calls(name: str, forecast: "Forecast") -> DataTable:
    rows: list[tuple[str, Value]] = [
        ("requests", forecast.requests),
        ("answered before", forecast.answered),
        ("the same as another", forecast.repeated),
        ("calls to make", forecast.calls),
        ("tokens of prompts, about", forecast.most.prompt_tokens),
        (
            f"tokens of replies, {'about' if forecast.open_ended else 'at most'}",
            forecast.most.completion_tokens,
        ),
    ]
    if forecast.open_ended:
        rows.append(("calls without a limit to their reply (1,024 tokens each)", forecast.open_ended))
    cost = "cost" if forecast.money is None else f"cost in {forecast.currency}"
    rows.append((cost, _money(forecast.money)))
    return table(("", "if each reply can be read"), rows, title=Quoted(name))


def _further_calls(forecast: "Forecast") -> DataTable:
    """List the greatest number of calls that corrections and repetitions can add."""
    calls = {
        "repeated requests for replies that cannot be parsed": forecast.corrections,
        "repeating calls that fail": forecast.repetitions,
        "letters or prose, if the model takes no decisions": forecast.stand_ins,
    }
    cost = f"cost in {forecast.currency}" if forecast.currency else "cost"
    return table(
        ("", "calls", "tokens of prompts", "tokens of replies", cost),
        [
            (name, more.calls, more.most.prompt_tokens, more.most.completion_tokens, _money(more.money))
            for name, more in calls.items()
            if more.calls
        ],
        title="Possible extra calls, at most",
    )


def _money(value: float | None) -> str:
    return "not known" if value is None else amount(value)


def embedding_document(summary: "EmbeddingSummary") -> Document:
    """Turn the summary of an embedding into a document."""
    left_out = [(f"Rows {status}", n) for status, n in summary.counts.items() if status != Status.SCORED]
    return Document(
        kind="embedding",
        name="Embedding",
        title=("Vectors of ", Quoted(summary.column)),
        source=parts.input_and_date(summary),
        introduction=(Paragraph(count_of(summary.n, "row"), detail="both"),),
        facts=parts.facts(
            ("Rows", summary.n),
            *left_out,
            ("Rows with a vector", summary.counts.get(Status.SCORED, 0)),
            ("Numbers in a vector", summary.dimensions),
            ("Texts read in several windows", summary.n_windowed),
        ),
        settings=parts.run_settings(summary),
        signature=summary.signature,
    )
