"""Runs of ``semscale code``, ``code label`` and ``code suggest``, and forecasts of their calls."""

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import polars as pl
import typer

from semscale.chat.forecast import ForecastSummary
from semscale.chat.loading import load_chat_model
from semscale.cli.outputs import check_input
from semscale.cli.progress import progress_bars
from semscale.cli.runs.judge import forecast_judge
from semscale.cli.runs.label import check_unlabelled, given_options
from semscale.coding.codebook import load_codebook
from semscale.coding.coder import QUESTION, ChatCodes, Coder, ask_about_codes, code_judge
from semscale.coding.labels import check_label_columns, draw_answers, label_batches, write_instructions
from semscale.coding.suggesting import (
    AnswerSample,
    SuggestionSummary,
    name_codes,
    suggest,
    suggested_codebook,
    write_suggestion,
)
from semscale.coding.summary import CodingSummary
from semscale.coding.table_coding import CodingTable, OtherRun, answers_in
from semscale.embedding.embedder import Embedder
from semscale.embedding.texts import text_status
from semscale.errors import InputError
from semscale.rating.labelling import HUMAN, INCLUSION, instructions_path
from semscale.results.runs import measure_table
from semscale.scales import load_scale
from semscale.store.atomic import check_writable
from semscale.store.columns import column_in
from semscale.store.deriving.derived_columns import by_label
from semscale.store.reading import open_table
from semscale.store.result_columns import check_free, check_output
from semscale.store.runs.batch_writing import write_batches
from semscale.store.table import Table
from semscale.store.writing import PREFIX, output_format
from semscale.types import Progress, Status
from semscale.weights.known import DEFAULT_MODEL

if TYPE_CHECKING:
    from semscale.chat.chat_model import ChatModel
    from semscale.cli.commands.code import CodeLabelOptions, CodeOptions, CodeSuggestOptions
    from semscale.coding.settings import CodingChatSettings

_BATCH = 50_000


def code_table(options: "CodeOptions") -> CodingSummary:
    """Code a file, write its table, and sum it up.

    Raises:
        SemscaleError: a column, codebook, option or output that cannot be used, or a model that cannot be
            run.
    """
    codebook, chat = load_codebook(options.codebook), options.chat
    options.outputs.check_run(options.file, restart=options.run.restart)
    table, by = by_label(options.table.open(options.file, is_reported=True), options.columns.by)
    columns = options.columns.changed(by=tuple(by))
    columns.check(table)
    other = None
    if options.rate_scale is not None:
        load_scale(options.rate_scale)  # refused now, as it is needed once answers are scored
    if options.other_run is not None:
        coded = open_table(options.other_run)
        coded.require(columns.text, "other_run")
        other = OtherRun(coded, codebook, columns.text, options.other_run)
    with progress_bars() as progress:

        def ask(texts: Sequence[str]) -> ChatCodes:
            return ask_about_codes(
                _chat_model(chat, progress),
                codebook,
                texts,
                question=chat.question,
                method=chat.method,
                running=options.calls.running(),
                progress=progress,
            )

        instrument = CodingTable(
            columns,
            codebook,
            lambda: Coder(codebook, embedder=options.model.load(progress)),
            settings=options.coding,
            ask=None if chat.chat_model is None else ask,
            asked=_asked_settings(chat),
            scale=options.rate_scale,
            other=other,
            plan=options.run.plan,
            progress=progress,
        )
        return measure_table(
            table, instrument, out=options.outputs.out, settings=options.run.parts, progress=progress
        )


def _asked_settings(chat: "CodingChatSettings") -> dict[str, str]:
    """Name the settings of the chat model that decide the codes; its endpoint does not."""
    if chat.chat_model is None:
        return {}
    settings = {"chat_model": chat.chat_model, "method": chat.method, "question": chat.question}
    return {name: value for name, value in settings.items() if value}


def _chat_model(chat: "CodingChatSettings", progress: Progress | None) -> "ChatModel":
    return load_chat_model(str(chat.chat_model), base_url=chat.chat_url, progress=progress)


def forecast_codes(options: "CodeOptions") -> ForecastSummary:
    """Forecast the calls about the answers of a file, without those whose replies the ledger has.

    Raises:
        SemscaleError: a column, codebook, option or output that cannot be used, or a model that cannot be
            loaded.
    """
    codebook, chat = load_codebook(options.codebook), options.chat
    options.outputs.of_forecast.check()
    table = options.table.open(options.file)
    table.require_text(options.columns.text, "text")
    cells = answers_in(table, options.columns.text)
    with progress_bars() as progress:
        judge = code_judge(_chat_model(chat, progress), codebook, chat.method)
    counts = Counter(text_status(cell) for cell in cells)
    answers = [str(cell) for cell in cells if text_status(cell) is Status.SCORED]
    requests = judge.requests([chat.question or QUESTION] * len(answers), answers)
    n = counts.pop(Status.SCORED, 0)
    return ForecastSummary(
        table.name,
        options.calls.forecasts({judge.name: partial(forecast_judge, judge, requests.__getitem__)}),
        n,
        {str(status): count for status, count in counts.items()},
        noun="answer",
        note="Nothing was sent. A model that refuses parameters takes a few calls more, once.",
    )


def draw_for_codes(options: "CodeLabelOptions") -> None:
    """Draw answers of a file for people to code, and write instructions beside the table.

    Raises:
        InputError: a column, codebook, option or output that cannot be used, or no answer that can be read.
        SemscaleError: the model cannot be run.
    """
    if options.n < 1:
        raise InputError(f"n must be at least 1, got {options.n}")
    codebook, out = load_codebook(options.codebook), options.out
    output_format(out)
    check_writable(out, "out")
    check_writable(instructions_path(out), "out")
    check_input(options.file, out, "out")
    check_unlabelled(out)
    table = options.table.open(options.file)
    check_label_columns(table.columns)
    table.require_text(options.text, "text")
    with progress_bars() as progress:
        coder = Coder(codebook, embedder=options.model.load(progress))
        likeness = coder.score_table(table, options.text, progress=progress)
    drawn = draw_answers(likeness, options.n, alike=options.alike, seed=options.seed)
    write_batches(label_batches(table, drawn), out)
    model = given_options(options.model)
    if options.model.name is None:
        model = ["--model", DEFAULT_MODEL, *model[2:]]
    read = [str(out), "--text", options.text, "--codebook", str(options.codebook)]
    command = shlex.join(["semscale", "code", *read, *model, "--labels", HUMAN, "--inclusion", INCLUSION])
    path = write_instructions(out, codebook, options.text, command)
    lines = (
        f"{len(drawn.rows):,} of {len(drawn.all_probabilities):,} answers drawn",
        f"table: {out}",
        f"instructions: {path}",
        f"code the answers at the top in the column {HUMAN!r}; {INCLUSION!r} stays as it is",
        f"then: {command}",
    )
    typer.echo("\n".join(lines))


def suggest_codes(options: "CodeSuggestOptions") -> SuggestionSummary:
    """Propose a codebook for a file, and write it.

    Raises:
        SemscaleError: a column, option or output that cannot be used, too few answers, or a model that cannot
            be run.
    """
    options.outputs.check()
    check_input(options.file, options.codebook, "codebook")
    check_writable(options.codebook, "codebook")
    if options.codebook.exists() and options.codebook.stat().st_size:
        raise InputError(f"codebook: {options.codebook} is there already: name another file, or move it away")
    table = options.table.open(options.file)
    check_free(table.columns, table.name)
    if options.outputs.out is not None:
        check_output(table, options.outputs.out)
    table.require_text(options.text, "text")
    sample = AnswerSample(options.sample, seed=options.seed)
    for batch in table.batches_with([options.text], _BATCH):
        sample.add(column_in(batch, options.text).to_list())
    with progress_bars() as progress:
        embedder = options.model.load(progress)
        summary = suggest(
            sample,
            embedder,
            codes=options.codes,
            most=options.most,
            source=table.name,
            column=options.text,
            codebook=str(options.codebook),
            seed=options.seed,
            progress=progress,
        )
        if options.chat.chat_model is not None:
            chat = _chat_model(options.chat, progress)
            names = name_codes(summary.codes, options.calls.runner(chat), progress=progress)
            summary = summary.renamed(names, chat.name)
        try:
            Coder(suggested_codebook(summary), embedder=embedder)
        except InputError as error:
            # The author of the codebook is told why ``semscale code`` would refuse it.
            summary = replace(summary, problem=str(error))
        if options.outputs.out is not None:
            write_batches(_with_codes(table, options.text, summary, embedder, progress), options.outputs.out)
        # Last of all, as a run is refused where the codebook is there already.
        write_suggestion(summary, options.codebook)
    return summary


def _with_codes(
    table: Table, text: str, summary: SuggestionSummary, embedder: Embedder, progress: Progress | None
) -> Iterator[pl.DataFrame]:
    """Add the code of each answer, part by part; answers outside the sample are embedded."""
    for batch in table.batches(_BATCH):
        cells = column_in(batch, text).to_list()
        clusters, nearness = summary.clusters.assign(cells, embedder, progress=progress)
        names = [None if cluster < 0 else summary.codes[cluster].name for cluster in clusters.tolist()]
        yield batch.with_columns(
            pl.Series(f"{PREFIX}suggested", names, pl.String),
            pl.Series(f"{PREFIX}nearness", nearness, nan_to_null=True),
        )
