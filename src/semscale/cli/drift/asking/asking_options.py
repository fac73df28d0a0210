"""Options of ``semscale drift record`` and ``matrix`` about whom to ask, and what."""

from typing import TYPE_CHECKING, Annotated

from semscale.cli.options.groups import option_group
from semscale.cli.options.panels import option, setting
from semscale.errors import InputError

if TYPE_CHECKING:
    from semscale.chat.chat_model import ChatModel
    from semscale.drift.asking.model_asking import AskSettings
    from semscale.types import Progress

ASKING = "Asking"
_ADDRESS = "@http"


@option_group
class RequestOptions:
    """Parameters of each request, and where models without an address of their own are found."""

    base_url: Annotated[str | None, option(ASKING, "An OpenAI-compatible endpoint.", "URL")] = None
    temperature: Annotated[
        float | None, option(ASKING, "Temperature; the model's own unless given.", "NUMBER")
    ] = None
    system: Annotated[str | None, option(ASKING, "Instructions before every prompt.", "TEXT")] = None
    max_tokens: Annotated[int | None, option(ASKING, "Length at which replies are cut.", "NUMBER")] = None

    @property
    def settings(self) -> "AskSettings":
        """Parameters of the requests.

        Raises:
            InputError: a number out of range.
        """
        from semscale.drift.asking.model_asking import AskSettings

        return AskSettings(self.temperature, self.max_tokens, self.system)

    def load(self, name: str, progress: "Progress | None" = None) -> "ChatModel":
        """Load a model; the first time a local one's weights are pulled.

        Args:
            name: a model's name, or ``NAME@URL`` for one at an endpoint of its own.
            progress: called while weights are pulled.

        Raises:
            SemscaleError: it cannot be loaded.
        """
        from semscale.chat import load_chat_model

        model, at, address = name.partition(_ADDRESS)
        base_url = f"{at}{address}".removeprefix("@") or self.base_url
        return load_chat_model(model, base_url=base_url, progress=progress)


@option_group
class AskedRunOptions:
    """Who is asked for a run, what, and how often.

    Attributes:
        prompts: a table of items, or a template, by its ending.
        items: the table whose cells a template reads.
        chat_model: a model's name, with its endpoint if it has one of its own.
        command: a program that answers.
        reruns: how often everything is asked once more.
        request: parameters of the requests.

    Raises:
        InputError: options that do not go together.
    """

    prompts: Annotated[
        str | None,
        option(
            ASKING,
            "Ask for the outputs: a table of items whose input is sent, or a template (.txt, .md) with "
            "columns of --items in braces, such as {input}.",
            "FILE",
        ),
    ] = None
    items: Annotated[
        str | None, option(ASKING, "Table of the items, one a row, that a template is filled with.", "FILE")
    ] = None
    chat_model: Annotated[
        str | None,
        option(ASKING, "The model to ask: a name at an endpoint, NAME@URL, or local.", "NAME"),
    ] = None
    command: Annotated[
        str | None,
        option(
            ASKING,
            "A program to ask instead: it reads a JSON line for each item and writes one, "
            'such as "python ask.py".',
            "PROGRAM",
        ),
    ] = None
    reruns: Annotated[int, setting(ASKING, "How often everything is asked once more.")] = 0
    request: RequestOptions

    def __post_init__(self) -> None:
        if self.prompts is None:
            return
        if (self.chat_model is None) == (self.command is None):
            said = "neither" if self.command is None else "both"
            raise InputError(f"--prompts needs whom to ask: --chat-model or --command, got {said}")
        if self.reruns < 0:
            raise InputError(f"--reruns must be at least 0, got {self.reruns}")
