"""The commands ``semscale code``, ``code label`` and ``code suggest``: open answers coded by a codebook."""

from pathlib import Path
from time import monotonic
from typing import Annotated

from semscale.cli.interrupts import said_if_stopped
from semscale.cli.options.calls import CallOptions
from semscale.cli.options.groups import grouped, option_group, refuse_given, without
from semscale.cli.options.model import ModelOptions
from semscale.cli.options.panels import COLUMNS, OUTPUT, RUN, option, setting
from semscale.cli.options.run import RunOptions
from semscale.cli.options.table import File, RowOptions
from semscale.cli.outputs import Outputs, written_as
from semscale.coding.settings import CODES, CodeSettings, CodingChatSettings, CodingColumns
from semscale.errors import InputError

_LEDGER = "stopped; replies that came, if any, stay in the ledger, and the same command goes on from there"
_PARTS = "stopped; parts that were finished, if any, are kept, and the same command goes on after them"
_NOTHING = "stopped; nothing was written, and the same command starts again"
_NEEDS_CHAT = "--chat-model MODEL: whom to ask"

FEWEST_SAMPLED = 100
"""Different answers below which a sample would say little."""

CodebookFile = Annotated[Path, option(CODES, "YAML with codes: name, definition and examples.", "FILE")]


@option_group
class CodeOptions:
    """All options of ``semscale code``."""

    file: File
    codebook: CodebookFile
    columns: CodingColumns
    coding: CodeSettings
    rate_scale: Annotated[
        str | None,
        option(COLUMNS, "Rate the answers on this scale, for --rating; a name or a YAML file.", "SCALE"),
    ] = None
    other_run: Annotated[
        str | None, option(CODES, "Table of another run on the same rows, to compare with.", "FILE")
    ] = None
    model: ModelOptions
    chat: CodingChatSettings
    calls: CallOptions
    outputs: Annotated[Outputs, written_as("Coded table")]
    table: RowOptions
    run: RunOptions

    def __post_init__(self) -> None:
        if self.rate_scale is not None and self.columns.rating is not None:
            raise InputError("--rate-scale makes a rating of its own: leave --rating out")
        if self.chat.chat_model is None:
            refuse_given(_NEEDS_CHAT, self.chat, self.calls)


@option_group
class CodeLabelOptions:
    """All options of ``semscale code label``."""

    file: File
    text: Annotated[str, option(COLUMNS, "The answers to draw from.", "COLUMN")]
    codebook: CodebookFile
    out: Annotated[Path, option(OUTPUT, "The table to fill in: .csv, .xlsx, .jsonl or .parquet.", "FILE")]
    n: Annotated[int, setting(RUN, "Answers to code by hand.")] = 200
    alike: Annotated[
        bool, option(RUN, "Draw all answers with the same probability, however unsure their codes are.")
    ] = False
    model: ModelOptions
    table: RowOptions
    seed: Annotated[int, setting(RUN, "Seed of the draw.")] = 0


@option_group
class CodeSuggestOptions:
    """All options of ``semscale code suggest``."""

    file: File
    text: Annotated[str, option(COLUMNS, "The answers.", "COLUMN")]
    codebook: Annotated[Path, option(OUTPUT, "The codebook to write, in YAML.", "FILE")]
    codes: Annotated[
        int | None, option(CODES, "Number of codes; chosen by their stability unless set.", "NUMBER")
    ] = None
    most: Annotated[int, setting(CODES, "Maximum number of codes that are tried.")] = 15
    sample: Annotated[
        int, setting(RUN, "Maximum number of different answers; of more a random sample is clustered.")
    ] = 20_000
    model: ModelOptions
    chat: Annotated[CodingChatSettings, without("method")]
    calls: Annotated[CallOptions, without("dry_run")]
    outputs: Annotated[Outputs, written_as("Table with the code of each answer")]
    table: RowOptions
    seed: Annotated[int, setting(RUN, "Seed of everything that is random.")] = 0

    def __post_init__(self) -> None:
        if self.sample < FEWEST_SAMPLED:
            raise InputError(f"sample must be >= {FEWEST_SAMPLED}, got {self.sample}")
        if self.seed < 0:
            raise InputError(f"seed must be >= 0, got {self.seed}")
        if self.chat.chat_model is None:
            refuse_given(_NEEDS_CHAT, self.chat, self.calls)


@grouped
def code(options: CodeOptions) -> None:
    """Code open answers by a codebook: more than one code per answer, each with its probability.

    [bold]semscale code answers.csv --text comment --codebook codes.yaml --labels human --out coded.csv[/bold]

    Codes are assigned by their examples and definitions. Answers that people coded, in the column --labels,
    turn scores into probabilities and correct the shares; without them nothing is calibrated. [bold]semscale
    code label[/bold] draws answers to code, [bold]semscale code suggest[/bold] proposes a codebook.

    A stopped run with --chat-model resumes and never repeats a paid call; --dry-run sends nothing.
    """
    from semscale.cli.outputs import present
    from semscale.cli.runs.code import code_table, forecast_codes

    if options.calls.dry_run:
        present(forecast_codes(options), options.outputs.of_forecast)
        return
    beside = _NOTHING if options.outputs.out is None else _PARTS
    with said_if_stopped(beside if options.chat.chat_model is None else _LEDGER):
        began = monotonic()
        present(code_table(options), options.outputs, seconds=monotonic() - began)


@grouped
def code_label(options: CodeLabelOptions) -> None:
    """Draw answers for people to code, those more often whose codes are least sure.

    [bold]semscale code label answers.csv --text comment --codebook codes.yaml --out labels.csv[/bold]

    The table has the drawn answers first, with an empty column for codes and the probability of each draw;
    instructions are in a file beside it.
    """
    from semscale.cli.runs.code import draw_for_codes

    with said_if_stopped(_NOTHING):
        draw_for_codes(options)


@grouped
def code_suggest(options: CodeSuggestOptions) -> None:
    """Propose a codebook from clusters of the answers, and report which of them are stable.

    [bold]semscale code suggest answers.csv --text comment --codebook codes.yaml[/bold]

    Codes are named by their most typical words, or by a model with --chat-model. Read and correct the file
    before [bold]semscale code[/bold] uses it.
    """
    from semscale.cli.outputs import present
    from semscale.cli.runs.code import suggest_codes

    with said_if_stopped(_NOTHING if options.chat.chat_model is None else _LEDGER):
        present(suggest_codes(options), options.outputs)
