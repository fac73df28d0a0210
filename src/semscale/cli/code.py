"""The commands ``semscale code`` and ``code suggest``: open answers coded by a codebook."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated

from cyclopts import App
from pydantic import Field

from semscale.cli.options import Rare, Without, command, refuse_stated
from semscale.cli.outputs import OUTPUT, Outputs, check_input, present
from semscale.cli.process import message_if_stopped
from semscale.cli.shared import (
    CallOptions,
    ChatOptions,
    EmbedderOptions,
    InputFile,
    JudgeCallOptions,
    RowOptions,
    RunOptions,
    SurveyOptions,
    TextColumn,
)
from semscale.coding.settings import CODES, CodeSettings, CodingChatSettings, CodingColumns
from semscale.errors import InputError
from semscale.rating.settings import MissingCodes
from semscale.settings import COLUMNS, RUN, Option, Settings
from semscale.text_preparation import Html, Reasoning, TextCounts, TextPreparation

if TYPE_CHECKING:
    import polars as pl

    from semscale.chat.budget import ForecastSummary
    from semscale.coding.chat_codes import ChatCodes
    from semscale.coding.suggesting import AnswerSample, SuggestionSummary
    from semscale.coding.summary import CodingSummary
    from semscale.embedding.embedder import Embedder
    from semscale.store.table import Table
    from semscale.types import Progress

_LEDGER = "stopped; received replies, if any, stay in the ledger, and the same command continues from there"
_PARTS = "stopped; finished parts are stored, and the same command continues after them"
_NOTHING = "stopped; nothing was written, and the same command starts again"
_BATCH = 50_000
_SUGGESTED = ("semscale_suggested", "semscale_nearness")  # columns of the nearest cluster

app = App(name="code")

CodebookFile = Annotated[
    Path,
    Field(description="YAML with codes: name, definition and examples."),
    Option(CODES, "FILE"),
]


class CodeOptions(Settings):
    """All options of ``semscale code``."""

    file: InputFile
    codebook: CodebookFile
    columns: CodingColumns
    coding: CodeSettings
    rate_scale: Annotated[
        str | None,
        Field(description="Scale to rate the answers on, instead of --rating."),
        Option(COLUMNS, "SCALE", rare=True),
    ] = None
    other_run: Annotated[
        str | None,
        Field(description="Table of another run on the same rows, for comparison."),
        Option(CODES, "FILE", rare=True),
    ] = None
    quotes: Annotated[
        Path | None,
        Field(description="Table of answers for slides to quote: columns code and text."),
        Option(CODES, "FILE", rare=True),
    ] = None
    embedder: EmbedderOptions
    chat: ChatOptions
    asking: CodingChatSettings
    calls: Annotated[JudgeCallOptions, Rare("money")]
    outputs: Outputs
    description: SurveyOptions
    table: RowOptions
    run: RunOptions

    @property
    def asks(self) -> bool:
        """True if a chat model codes, too: the command line names it or the form of its replies."""
        return self.chat.is_stated or "method" in self.asking.model_fields_set

    def model_post_init(self, _context: object) -> None:
        """Refuse options that do not go together."""
        if self.rate_scale is not None and self.columns.rating is not None:
            raise InputError("--rate-scale rates the answers itself: leave out --rating")
        if not self.asks:
            refuse_stated("--chat-model NAME", self.chat, self.asking, self.calls)
        elif self.chat.model is None:
            raise InputError("--reply needs --chat-model NAME")


class SuggestOptions(Settings):
    """All options of ``semscale code suggest``.

    Raises:
        InputError: a value out of range, or an option without the one that it belongs to.
    """

    file: InputFile
    text: TextColumn
    missing: MissingCodes = ()
    reasoning: Reasoning = "keep"
    html: Html = "keep"
    codebook: Annotated[Path, Field(description="The codebook to write, in YAML."), Option(OUTPUT, "FILE")]
    codes: Annotated[
        int | None,
        Field(description="Number of codes (default: by their stability)."),
        Option(CODES, rare=True),
    ] = None
    most: Annotated[int, Field(description="Maximum number of codes."), Option(CODES, rare=True)] = 20
    sample: Annotated[
        int,
        Field(
            ge=100,
            description="Maximum number of answers to cluster; of more, a random sample.",
        ),
        Option(RUN, name="--max-answers", rare=True),
    ] = 20_000
    embedder: EmbedderOptions
    chat: ChatOptions
    calls: Annotated[CallOptions, Without("dry_run")]
    outputs: Outputs
    description: SurveyOptions
    table: RowOptions
    run: Annotated[RunOptions, Without("interval", "part_rows", "restart")]

    def model_post_init(self, _context: object) -> None:
        """Refuse options without the chat model that they belong to."""
        if self.run.seed < 0:
            raise InputError("seed", f"must be >= 0, got {self.run.seed}")
        if not self.chat.is_stated:
            refuse_stated("--chat-model NAME", self.chat, self.calls)


@app.default
@command
def code(options: CodeOptions) -> None:
    """Code open answers by a codebook: more than one code per answer, each with its probability.

    [bold]semscale code answers.csv --text comment --codebook codes.yaml --human codes --out coded.csv[/bold]

    Codes are assigned by their examples and definitions. Answers that people coded, in the column --human,
    turn scores into probabilities and correct the shares; without them nothing is calibrated. [bold]semscale
    label[/bold] draws answers to code, [bold]semscale code suggest[/bold] proposes a codebook.

    A stopped run with --chat-model continues and sends again only the calls that were in flight when it was
    killed; --dry-run sends nothing.
    """
    if options.calls.dry_run:
        present(forecast_codes(options), options.outputs.of_forecast)
        return
    parts = _NOTHING if options.outputs.out is None else _PARTS
    with message_if_stopped(_LEDGER if options.asks else parts):
        began = monotonic()
        present(run_code(options), options.outputs, seconds=monotonic() - began)


@app.command(name="suggest")
@command
def suggest(options: SuggestOptions) -> None:
    """Propose a codebook from topics of the answers, and report which of them are stable.

    [bold]semscale code suggest answers.csv --text comment --codebook codes.yaml[/bold]

    Codes are named by their most typical words, or by a model with --chat-model. Read and correct the file
    before [bold]semscale code[/bold] uses it.
    """
    with message_if_stopped(_LEDGER if options.chat.is_stated else _NOTHING):
        present(suggest_codes(options), options.outputs)


def run_code(options: CodeOptions) -> "CodingSummary":
    """Code a file, write its table, and sum it up.

    Raises:
        SemscaleError: a column, codebook, option or output that cannot be used, or a model that cannot be
            run.
    """
    from semscale.cli.progress import progress_bars
    from semscale.coding.chat_codes import ask_about_codes
    from semscale.coding.chosen_quotes import read_quotes, with_quotes
    from semscale.coding.codebook import load_codebook
    from semscale.coding.coder import Coder
    from semscale.coding.sentiment import NO_SENTIMENT, load_sentiment_scale
    from semscale.coding.table import CodingTable, OtherRun, answers_in
    from semscale.results.table_runs import measure_table
    from semscale.scales import load_scale
    from semscale.store.reading import open_table

    codebook, asking = load_codebook(options.codebook), options.asking
    options.outputs.check_run(options.file, restart=options.run.restart)
    table = options.table.open(options.file, is_reported=True)
    table, columns = options.description.resolve(table, options.file, options.columns)
    columns.check(table)
    other = None
    quotes = None if options.quotes is None else read_quotes(options.quotes)
    # Scales are refused now, as they are needed once answers are scored.
    if options.coding.sentiment != NO_SENTIMENT:
        load_sentiment_scale(options.coding.sentiment)
    if options.rate_scale is not None:
        load_scale(options.rate_scale)
    if options.other_run is not None:
        coded = open_table(options.other_run)
        coded.require(columns.text, "other_run")
        other = OtherRun(coded, codebook, columns, options.other_run)
    with progress_bars() as progress:

        def ask(texts: Sequence[str]) -> "ChatCodes":
            return ask_about_codes(
                options.chat.load(progress),
                codebook,
                texts,
                question=asking.question,
                method=asking.method,
                running=options.calls.running(),
                progress=progress,
            )

        # The settings of the chat model that decide the codes; its endpoint does not.
        named = {"chat_model": options.chat.model, "method": asking.method, "question": asking.question}
        instrument = CodingTable(
            columns,
            codebook,
            lambda: Coder(codebook, embedder=options.embedder.load(progress)),
            settings=options.coding,
            ask=ask if options.asks else None,
            asked={name: value for name, value in named.items() if value} if options.asks else {},
            scale=options.rate_scale,
            other=other,
            quotes=quotes or (),
            plan=options.run.plan,
            progress=progress,
        )
        summary = measure_table(
            table,
            instrument,
            out=options.outputs.out,
            settings=options.run.parts_into(options.outputs),
            progress=progress,
        )
    if quotes is None:
        return summary
    return with_quotes(summary, quotes, answers_in(table, columns), instrument.quoted_units)


def forecast_codes(options: CodeOptions) -> "ForecastSummary":
    """Forecast the calls about the answers of a file, without those whose replies the ledger has.

    Raises:
        SemscaleError: a column, codebook, option or output that cannot be used, or a model that cannot be
            loaded.
    """
    from semscale.chat.budget import ForecastSummary
    from semscale.cli.progress import progress_bars
    from semscale.coding.chat_codes import ChatCoder
    from semscale.coding.codebook import load_codebook
    from semscale.coding.coder import coding_status
    from semscale.coding.table import answers_in
    from semscale.store.missing_codes import missing_keys
    from semscale.types import Status

    codebook, asking = load_codebook(options.codebook), options.asking
    options.outputs.of_forecast.check()
    table = options.table.open(options.file)
    table, columns = options.description.resolve(table, options.file, options.columns, is_reported=False)
    table.require_text(columns.text, "text")
    cells = TextPreparation.from_settings(options.coding).prepare(answers_in(table, columns))
    with progress_bars() as progress:
        coder = ChatCoder(
            options.chat.load(progress), codebook, question=asking.question, method=asking.method
        )
    missing = missing_keys(options.coding.missing)
    cell_statuses = [coding_status(cell, missing) for cell in cells]
    counts = Counter(cell_statuses)
    readable = zip(cells, cell_statuses, strict=True)
    answers = [str(cell) for cell, status in readable if status is Status.SCORED]
    forecast = partial(coder.forecast, answers, retry=options.calls.retry_unparsable)
    n = counts.pop(Status.SCORED, 0)
    return ForecastSummary(
        table.file_name,
        options.calls.forecasts({coder.name: forecast}),
        n,
        {str(status): count for status, count in counts.items()},
        noun="answer",
        note="Nothing was sent. A model that refuses parameters needs a few more calls, once.",
    )


def suggest_codes(options: SuggestOptions) -> "SuggestionSummary":
    """Propose a codebook for a file, and write it.

    Raises:
        SemscaleError: a column, option or output that cannot be used, too few answers, or a model that cannot
            be run.
    """
    from semscale.cli.progress import progress_bars
    from semscale.coding import suggesting
    from semscale.store.atomic import check_writable
    from semscale.store.missing_codes import missing_keys
    from semscale.store.writing import check_free, check_output, write_batches

    options.outputs.check()
    check_input(options.file, options.codebook, name="codebook")
    check_writable(options.codebook, "codebook")
    if options.codebook.exists() and options.codebook.stat().st_size:
        raise InputError(
            "codebook", f": {options.codebook} already exists: name another file, or move it away"
        )
    table = options.table.open(options.file)
    table, columns = options.description.resolve(table, options.file, CodingColumns(text=options.text))
    codes = {columns.text: missing_keys(options.missing)}
    columns = columns.with_no_answer(codes).with_preparation(options)
    check_free(table.columns, table.name, _SUGGESTED.__contains__)
    if options.outputs.out is not None:
        check_output(table, options.outputs.out)
    table.require_text(columns.text, "text")
    sample = suggesting.AnswerSample(options.sample, seed=options.run.seed)
    notes = _add_answers(sample, table, columns, options.missing)
    with progress_bars() as progress:
        embedder = options.embedder.load(progress)
        summary = suggesting.suggest(
            sample,
            embedder,
            codes=options.codes,
            most=options.most,
            source=table.file_name,
            column=columns.text,
            title=suggesting.question_title(table.labels, columns.text),
            codebook=str(options.codebook),
            seed=options.run.seed,
            progress=progress,
        )
        if options.chat.is_stated:
            chat = options.chat.load(progress)
            names = suggesting.name_codes(summary.codes, options.calls.runner(chat), progress=progress)
            summary = summary.with_names(names, chat.name)
        summary = suggesting.count_coded(summary, sample, embedder)
        if options.outputs.out is not None:
            coded = _with_codes(table, columns, summary, embedder, progress)
            write_batches(coded, options.outputs.out, escape=options.outputs.escape)
        # Last of all, as a run is refused where the codebook is there already.
        suggesting.write_suggestion(summary, options.codebook)
    return replace(summary, input_notes=(*table.notes, *notes))


def _add_answers(
    sample: "AnswerSample", table: "Table", columns: CodingColumns, missing: Sequence[str]
) -> tuple[str, ...]:
    """Add the answers of a table to a sample, and return sentences on how they were read."""
    from semscale.report.sentences import unseen_codes_note
    from semscale.results.table_columns import left_out_note
    from semscale.store.missing_codes import code_key, unseen_codes

    counts, left_out = TextCounts(), Counter[str]()
    for batch in table.batches_with([columns.text], _BATCH):
        cells = columns.read(batch)
        sample.add(cells["text"])
        counts.add(cells.text_counts["text"])
        left_out.update(cells.left_out.get(columns.text, {}))
    return (
        *left_out_note({columns.text: left_out}),
        *unseen_codes_note(unseen_codes(missing, set(map(code_key, left_out))), columns.text),
        *columns.preparation.notes(counts, [columns.text]),
    )


def _with_codes(
    table: "Table",
    columns: CodingColumns,
    summary: "SuggestionSummary",
    embedder: "Embedder",
    progress: "Progress | None",
) -> "Iterator[pl.DataFrame]":
    """Add the codes of each answer, part by part; answers outside the sample are embedded."""
    import polars as pl

    suggested, near = _SUGGESTED
    for batch in table.batches(_BATCH):
        prepared = columns.read(batch)["text"]
        codes, nearness = summary.topics.assign(prepared, embedder, progress=progress)
        names = [None if some is None else summary.write_names(some) for some in codes]
        yield batch.with_columns(
            pl.Series(suggested, names, pl.String),
            pl.Series(near, nearness, nan_to_null=True),
        )
