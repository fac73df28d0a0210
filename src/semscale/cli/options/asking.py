"""The chat model that a command's options choose, what it is asked, and what that may take."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from semscale.errors import InputError
from semscale.self_consistency.measures import MEASURES
from semscale.self_consistency.sampling import Sampling, prompt_status
from semscale.types import Progress, Status

if TYPE_CHECKING:
    from semscale.chat.chat_model import ChatModel
    from semscale.chat.forecast import Forecast
    from semscale.chat.ledger.ledger import Ledger
    from semscale.chat.runner import Runner


@dataclass(frozen=True)
class AskingChoice:
    """Whom to ask for what.

    Attributes:
        model: the chat model's name.
        sampling: samples, temperature, when to stop.
        base_url: of an endpoint.
        concurrency: calls at once.
        calls: most calls that are sent.
        money: most money that is spent, in the currency of the price table.
        ledger: file that keeps replies; Semscale's own unless given.
    """

    model: str
    sampling: Sampling
    base_url: str | None = None
    concurrency: int = 16
    calls: int | None = None
    money: float | None = None
    ledger: str | None = None

    def check(self, measure: str) -> None:
        """Check that what is asked can be decided.

        Raises:
            InputError: stopping early by a measure that is not from 0 to 1.
        """
        if self.sampling.stopping is not None and MEASURES[measure].bounds != (0.0, 1.0):
            raise InputError(f"--stop-at needs a first measure from 0 to 1, got {measure!r}")

    def load(self, progress: Progress | None) -> "ChatModel":
        """Load the model; the first time a local one's weights are pulled."""
        from semscale.chat import load_chat_model

        return load_chat_model(self.model, base_url=self.base_url, progress=progress)

    def runner(self, chat: "ChatModel") -> "Runner":
        """Make what sends the requests."""
        from semscale.chat.budget import Budget
        from semscale.chat.limits import Limits
        from semscale.chat.runner import Runner

        return Runner(
            chat,
            limits=Limits(concurrency=self.concurrency),
            budget=Budget(calls=self.calls, money=self.money),
            ledger=True if self.ledger is None else self.ledger,
        )

    def preflight(self, prompts: list[Any]) -> dict[str, Any]:
        """Say what asking would take at most, without asking.

        Returns:
            ``prompts`` that would be asked, ``left_out``, ``answered`` requests that the ledger has a reply
            or refusal of, which cost nothing, ``calls``, estimated ``prompt_tokens``, the most
            ``reply_tokens``, ``money`` with its ``currency``, both ``None`` where no price is known, and then
            what to do about that in ``price_note``.
        """
        from semscale.chat.ledger.ledger import Ledger
        from semscale.chat.runner import run_apart

        asked = [prompt for prompt in prompts if prompt_status(prompt) is Status.SCORED]
        chat, ledger = self.load(None), Ledger(self.ledger)
        try:
            taken = run_apart(self._forecast(asked, chat, ledger))
        finally:
            ledger.close()
        return {
            "model": self.model,
            "prompts": len(asked),
            "left_out": len(prompts) - len(asked),
            "answered": taken.answered,
            "calls": taken.calls,
            "prompt_tokens": taken.most.prompt_tokens,
            "reply_tokens": taken.most.completion_tokens,
            "money": taken.money,
            "currency": taken.currency or None,
            "price_note": taken.price_note or None,
        }

    async def _forecast(self, prompts: list[Any], chat: "ChatModel", ledger: "Ledger") -> "Forecast":
        from semscale.chat.forecast import forecast
        from semscale.chat.ledger.content_key import ContentKeys
        from semscale.chat.replies import CallError

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
