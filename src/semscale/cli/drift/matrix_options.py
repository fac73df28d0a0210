"""Options of ``semscale drift matrix``."""

from typing import TYPE_CHECKING, Annotated

from semscale.cli.drift.asking.asking_options import ASKING, RequestOptions
from semscale.cli.drift.side_by_side_options import PairJudgeOptions
from semscale.cli.options.calls import CallOptions
from semscale.cli.options.groups import option_group, refuse_given, setting_of, without
from semscale.cli.options.model import EmbedderOptions
from semscale.cli.options.panels import column, option, setting
from semscale.cli.options.run import RunOptions
from semscale.cli.options.table import TableOptions
from semscale.cli.outputs import Outputs, written_as
from semscale.errors import InputError
from semscale.matching.settings import MatchSettings

if TYPE_CHECKING:
    from semscale.chat.chat_model import ChatModel
    from semscale.types import Progress


@option_group
class MatrixColumnOptions:
    """The columns of the items."""

    id: Annotated[str | None, column("Names of the items.")] = None
    input: Annotated[str | None, column("What is asked.")] = None
    reference: Annotated[str | None, column("Answers known to be right.")] = None


@option_group
class MatrixOptions:
    """All options of ``semscale drift matrix``.

    Raises:
        InputError: nothing or nobody to ask, or a rubric without a judge.
    """

    prompts: Annotated[
        list[str] | None,
        option(
            ASKING,
            "A template (.txt, .md) with columns of --items in braces, such as {input}; can be repeated. Or "
            "one table of items whose input is sent.",
            "FILE",
        ),
    ] = None
    items: Annotated[
        str | None, option(ASKING, "Table of the items, one a row, that templates are filled with.", "FILE")
    ] = None
    chat_models: Annotated[
        list[str] | None,
        option(
            ASKING,
            "A model to ask: a name at an endpoint, NAME@URL, or local; can be repeated.",
            "NAME",
            name="--chat-model",
        ),
    ] = None
    reruns: Annotated[int, setting(ASKING, "How often everything is asked once more.")] = 0
    request: RequestOptions
    columns: MatrixColumnOptions
    judge: PairJudgeOptions
    calls: CallOptions
    method: Annotated[str, setting_of(MatchSettings, "method")] = "calibrated"
    outputs: Annotated[Outputs, written_as("Table of all answers")]
    embedder: Annotated[EmbedderOptions, without("base_url")]
    table: TableOptions
    run: Annotated[RunOptions, without("part_rows", "restart")]

    def __post_init__(self) -> None:
        if not self.prompts and self.items is None:
            raise InputError("name what to ask: --prompts FILE, with --items FILE for templates")
        if not self.chat_models:
            raise InputError("name whom to ask: --chat-model NAME, which can be repeated")
        if self.reruns < 0:
            raise InputError(f"--reruns must be at least 0, got {self.reruns}")
        if self.judge.model is None:
            refuse_given("--judge-model NAME, which is not given", self.judge)

    def load_models(self, progress: "Progress | None" = None) -> "list[ChatModel]":
        """Load the models that are asked.

        Raises:
            SemscaleError: one of them cannot be loaded.
        """
        return [self.request.load(name, progress) for name in self.chat_models or ()]
