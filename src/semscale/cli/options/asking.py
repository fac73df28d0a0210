"""Options of ``semscale consistency`` about the chat model and its samples."""

from typing import TYPE_CHECKING, Annotated

from semscale.cli.options.groups import option_group
from semscale.cli.options.panels import option, setting
from semscale.errors import InputError

if TYPE_CHECKING:
    from semscale.answer_consistency.asking import Sampling
    from semscale.chat.chat_model import ChatModel
    from semscale.types import Progress

_ASKING = "Asking"


@option_group
class AskingOptions:
    """The chat model to ask, if any, and how answers are sampled.

    Raises:
        InputError: options that do not go together.
    """

    samples: Annotated[
        int | None,
        option(_ASKING, "Ask a model for an answer and so many samples a question.", "NUMBER", name="--ask"),
    ] = None
    model: Annotated[
        str | None, option(_ASKING, "The model to ask: a name at an endpoint, or local.", "NAME")
    ] = None
    base_url: Annotated[str | None, option(_ASKING, "An OpenAI-compatible endpoint.", "URL")] = None
    temperature: Annotated[float, setting(_ASKING, "Temperature of the samples.")] = 1.0
    system: Annotated[str | None, option(_ASKING, "Instructions before every question.", "TEXT")] = None
    max_tokens: Annotated[int | None, option(_ASKING, "Length at which replies are cut.", "NUMBER")] = None
    stop_at: Annotated[
        float | None,
        option(
            _ASKING,
            "Stop asking once it is settled on which side of this consistency a question lies.",
            "NUMBER",
        ),
    ] = None
    stop_confidence: Annotated[float, setting(_ASKING, "Confidence with which it is settled.")] = 0.95

    def __post_init__(self) -> None:
        if self.samples is None and (self.model is not None or self.stop_at is not None):
            raise InputError("--model and --stop-at need --ask N; the embedding model is --embedder")
        if self.samples is not None and self.model is None:
            raise InputError("--ask needs --model NAME: whom to ask")

    @property
    def sampling(self) -> "Sampling | None":
        """How answers are sampled; ``None`` where nobody is asked.

        Raises:
            InputError: a number out of range.
        """
        if self.samples is None:
            return None
        from semscale.answer_consistency.asking import Sampling, Stopping
        from semscale.chat.messages import Parameters

        return Sampling(
            n_samples=self.samples,
            temperature=self.temperature,
            answer=Parameters(max_tokens=self.max_tokens),
            system=self.system,
            stopping=None if self.stop_at is None else Stopping(self.stop_at, self.stop_confidence),
        )

    def load(self, progress: "Progress | None" = None) -> "ChatModel":
        """Load the model; the first time a local one's weights are pulled.

        Raises:
            SemscaleError: it cannot be loaded.
        """
        from semscale.chat import load_chat_model

        return load_chat_model(str(self.model), base_url=self.base_url, progress=progress)
