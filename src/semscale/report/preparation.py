"""Documents about work before measuring: a forecast of calls, and embedded texts."""

from typing import TYPE_CHECKING

from semscale.chat.costs.prices import amount
from semscale.report.document import Cell, Count, DataTable, Document, Quoted, Section, Words, stamp
from semscale.report.formatting import counted
from semscale.report.sentences import rows_scored
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.chat.costs.forecast import Forecast
    from semscale.chat.costs.forecast_summary import ForecastSummary
    from semscale.embedding.file_embedding import EmbeddingSummary


def forecast_document(summary: "ForecastSummary") -> Document:
    """Turn forecasts into a document with one table for each model."""
    forecasts, total = summary.forecasts, summary.n + sum(summary.left_out.values())
    counting = rows_scored(summary.n, total, summary.left_out, summary.noun, verb="included")
    sections = (
        Section(
            f"model-{number}",
            Quoted(name),
            (
                DataTable(("", "if each reply can be read"), _rows(forecast), title=Quoted(name)),
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
            Words(name),
            Count(calls.calls),
            Count(calls.most.prompt_tokens),
            Count(calls.most.completion_tokens),
            Words("not known") if calls.money is None else _money(calls.money),
        )
        for name, calls in named
        if calls.calls
    ]
    columns = ("", "calls", "tokens of prompts", "tokens of replies", cost)
    return DataTable(columns, tuple(rows), title="What may come on top, at most")


def _money(value: float) -> Words:
    return Words(amount(value))


def _rows(forecast: "Forecast") -> tuple[tuple[Cell, ...], ...]:
    rows: list[tuple[Cell, ...]] = [
        (Words("requests"), Count(forecast.requests)),
        (Words("answered before"), Count(forecast.answered)),
        (Words("the same as another"), Count(forecast.repeated)),
        (Words("calls to make"), Count(forecast.calls)),
        (Words("tokens of prompts, about"), Count(forecast.most.prompt_tokens)),
        (Words("tokens of replies"), Count(forecast.most.completion_tokens)),
    ]
    if forecast.open_ended:
        rows.append(
            (Words("calls without a limit to their reply (1,024 tokens each)"), Count(forecast.open_ended))
        )
    if forecast.money is None:
        return (*rows, (Words("cost"), Words("not known")))
    return (*rows, (Words(f"cost in {forecast.currency}"), _money(forecast.money)))


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
