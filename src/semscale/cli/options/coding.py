"""Options of ``semscale code``, ``code label`` and ``code suggest``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from semscale.cli.options.calls import CallOptions
from semscale.cli.options.groups import option_group, refuse_given, without
from semscale.cli.options.model import ModelOptions
from semscale.cli.options.panels import COLUMNS, OUTPUT, RUN, column, option, setting
from semscale.cli.options.run import RunOptions
from semscale.cli.options.table import File, RowOptions
from semscale.cli.outputs import Outputs, written_as
from semscale.errors import InputError

if TYPE_CHECKING:
    from semscale.chat.chat_model import ChatModel
    from semscale.coding.coding import Thresholds
    from semscale.coding.coding_columns import CodingColumns
    from semscale.judging.settings import Method
    from semscale.types import Progress

_CHAT, _CODES = "Chat model", "Codes"
_WHOM = "--chat-model MODEL: whom to ask"

FEWEST_SAMPLED = 100
"""Different answers below which a sample would say little."""

CodebookFile = Annotated[Path, option(_CODES, "YAML with codes: name, definition and examples.", "FILE")]


@option_group
class CodeColumnOptions:
    """The columns, as ``CodingColumns`` takes them."""

    text: Annotated[str, column("The answers.")]
    labels: Annotated[
        list[str] | None,
        column("Codes given by hand: names with ; between them, or none. Repeat it for a second person."),
    ] = None
    inclusion: Annotated[
        str | None,
        column("Probability with which each row was drawn for --labels; tables of code label have it."),
    ] = None
    by: Annotated[list[str] | None, column("Names of groups to compare; can be repeated.")] = None
    rating: Annotated[str | None, column("A rating: which codes go with high and low values?")] = None

    weight: Annotated[str | None, column("Weights, 0 or more.")] = None
    respondent: Annotated[
        str | None, column("Whose answer it is, or what was drawn together; such rows belong together.")
    ] = None
    strata: Annotated[str | None, column("Names of parts of the population that were sampled apart.")] = None

    @property
    def columns(self) -> "CodingColumns":
        """The columns.

        Raises:
            InputError: one column is to be two things.
        """
        from semscale.coding.coding_columns import CodingColumns

        given = {name: value for name, value in vars(self).items() if name not in {"labels", "by"}}
        return CodingColumns(labels=tuple(self.labels or ()), by=tuple(self.by or ()), **given)


@option_group
class CodingChatOptions:
    """A chat model that is asked about codes as well."""

    chat_model: Annotated[
        str | None, option(_CHAT, "Ask this model as well: a name at an endpoint, or local.", "MODEL")
    ] = None
    chat_url: Annotated[
        str | None, option(_CHAT, "An OpenAI-compatible endpoint; keys come from OPENAI_API_KEY.", "URL")
    ] = None
    method: Annotated[
        str, setting(_CHAT, "decision: a probability for each code; or prose, one call a code.", "METHOD")
    ] = "decision"
    question: Annotated[str | None, option(_CHAT, "What people were asked, for the model.", "TEXT")] = None

    def __post_init__(self) -> None:
        if self.chat_model is None:
            refuse_given(_WHOM, self)
        _ = self.checked_method  # refused now, before anything is loaded

    def load(self, progress: "Progress | None") -> "ChatModel | None":
        """Load the model; ``None`` where none is named.

        Raises:
            SemscaleError: it cannot be loaded.
        """
        if self.chat_model is None:
            return None
        from semscale.chat.loading import load_chat_model

        return load_chat_model(self.chat_model, base_url=self.chat_url, progress=progress)

    @property
    def checked_method(self) -> "Method":
        """How the model is asked.

        Raises:
            InputError: an unknown method.
        """
        if self.method == "decision":
            return "decision"
        if self.method == "prose":
            return "prose"
        raise InputError(f"method must be decision or prose, got {self.method!r}")


@option_group
class ThresholdOptions:
    """Probabilities at which decisions change."""

    given_from: Annotated[float, setting(_CODES, "Probability from which on a code is given.")] = 0.5
    unsure_from: Annotated[
        float, setting(_CODES, "Probability from which on nobody can tell whether it is.")
    ] = 0.3

    @property
    def thresholds(self) -> "Thresholds":
        """Where decisions change.

        Raises:
            InputError: out of range, or the wrong way round.
        """
        from semscale.coding.coding import Thresholds

        return Thresholds(self.given_from, self.unsure_from)


@option_group
class CodeOptions:
    """All options of ``semscale code``."""

    file: File
    codebook: CodebookFile
    columns: CodeColumnOptions
    thresholds: ThresholdOptions
    min_base: Annotated[
        int, setting(RUN, "Answers below which a base is marked as small, and a group left out of tests.")
    ] = 30
    rate_scale: Annotated[
        str | None,
        option(COLUMNS, "Rate the answers on this scale, for --rating; a name or a YAML file.", "SCALE"),
    ] = None
    other_run: Annotated[
        str | None, option(_CODES, "Table of another run on the same rows, to compare with.", "FILE")
    ] = None
    model: ModelOptions
    chat: CodingChatOptions
    calls: CallOptions
    outputs: Annotated[Outputs, written_as("Coded table")]
    table: RowOptions
    run: RunOptions

    def __post_init__(self) -> None:
        if self.min_base < 1:
            raise InputError(f"min_base must be >= 1, got {self.min_base}")
        if self.rate_scale is not None and self.columns.rating is not None:
            raise InputError("--rate-scale makes a rating of its own: leave --rating out")
        if self.chat.chat_model is None:
            refuse_given(_WHOM, self.calls)


@option_group
class CodeLabelOptions:
    """All options of ``semscale code label``."""

    file: File
    text: Annotated[str, option(COLUMNS, "The answers to draw from.", "COLUMN")]
    codebook: CodebookFile
    out: Annotated[Path, option(OUTPUT, "The table to fill in: .csv, .xlsx, .jsonl or .parquet.", "FILE")]
    n: Annotated[int, setting(RUN, "Answers to code by hand.")] = 200
    alike: Annotated[bool, option(RUN, "Draw all answers alike, whatever the codes are unsure of.")] = False
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
        int | None, option(_CODES, "How many codes; chosen by their stability unless given.", "NUMBER")
    ] = None
    most: Annotated[int, setting(_CODES, "Most codes that are tried.")] = 15
    sample: Annotated[
        int, setting(RUN, "Different answers that are clustered; of more a random sample is drawn.")
    ] = 20_000
    model: ModelOptions
    chat: Annotated[CodingChatOptions, without("method")]
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
            refuse_given(_WHOM, self.calls)
