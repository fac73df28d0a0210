"""The chat model that the options of ``semscale consistency`` choose, and what it is asked."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from semscale.chat.forecast import Forecast, forecast
from semscale.chat.ledger.content_key import ContentKeys
from semscale.chat.replies import CallError
from semscale.cli.options.calls import CallSettings
from semscale.errors import InputError
from semscale.self_consistency.sampling import Sampling, prompt_status
from semscale.self_consistency.scoring.measures import MEASURES
from semscale.types import Progress, Status

if TYPE_CHECKING:
    from semscale.chat.chat_model import ChatModel
    from semscale.chat.ledger.ledger import Ledger


@dataclass(frozen=True)
class AskingChoice:
    """Whom to ask for what.

    Attributes:
        model: the chat model's name.
        sampling: samples, temperature, when to stop.
        base_url: of an endpoint.
        calls: how fast, and how much at most.
    """

    model: str
    sampling: Sampling
    base_url: str | None = None
    calls: CallSettings = CallSettings()

    def check(self, measure: str) -> None:
        """Check that what is asked can be decided.

        Raises:
            InputError: stopping early by a measure that is not from 0 to 1.
        """
        if self.sampling.stopping is not None and MEASURES[measure].bounds != (0.0, 1.0):
            raise InputError(f"--stop-at needs a first measure from 0 to 1, got {measure!r}")

    def load(self, progress: Progress | None = None) -> "ChatModel":
        """Load the model; the first time a local one's weights are pulled."""
        from semscale.chat import load_chat_model

        return load_chat_model(self.model, base_url=self.base_url, progress=progress)

    def preflight(self, prompts: list[Any]) -> dict[str, Forecast]:
        """Say what asking these prompts would take at most, by the model's name; nobody is asked."""
        chat = self.load()
        asked = [prompt for prompt in prompts if prompt_status(prompt) is Status.SCORED]
        return self.calls.forecasts({chat.name: lambda ledger: self._forecast(asked, chat, ledger)})

    async def _forecast(self, prompts: list[Any], chat: "ChatModel", ledger: "Ledger") -> Forecast:
        keys, requests = ContentKeys(chat), []
        for prompt in prompts:
            answer = self.sampling.request(prompt, 0)
            requests.append(answer)
            # A prompt whose answer was refused gets no samples.
            if not isinstance(await ledger.find(keys.of(answer)), CallError):
                requests += [
                    self.sampling.request(prompt, sample) for sample in range(1, self.sampling.n_samples + 1)
                ]
        return await forecast(requests, chat, ledger=ledger)
