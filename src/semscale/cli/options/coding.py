"""Options of ``semscale code``, ``code label`` and ``code suggest``."""

from pathlib import Path
from typing import Annotated

from semscale.cli.options.calls import CallOptions
from semscale.cli.options.groups import option_group, refuse_given, without
from semscale.cli.options.model import ModelOptions
from semscale.cli.options.panels import COLUMNS, OUTPUT, RUN, option, setting
from semscale.cli.options.run import RunOptions
from semscale.cli.options.table import File, RowOptions
from semscale.cli.outputs import Outputs, written_as
from semscale.coding.settings import CODES, CodeSettings, CodingChatSettings, CodingColumns
from semscale.errors import InputError

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
