"""The chat model that a command's options choose, what it is asked, and what that may take."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from semscale.consistency.measures import MEASURES
from semscale.consistency.sampling import Sampling, prompt_status
from semscale.errors import InputError
from semscale.types import Progress, Status

if TYPE_CHECKING:
    from semscale.chat.chat_model import ChatModel
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
            ``prompts`` that would be asked, ``left_out``, ``calls``, estimated ``prompt_tokens``, the most
            ``reply_tokens``, and ``money`` with its ``currency``, both ``None`` where no price is known.
            Replies that the ledger has cost nothing.
        """
        from semscale.chat.prices import PriceTable
        from semscale.chat.replies import Usage
        from semscale.chat.tokens import estimated_prompt, most_reply_tokens

        asked = [prompt for prompt in prompts if prompt_status(prompt) is Status.SCORED]
        each = 1 + self.sampling.n_samples
        requests = [self.sampling.request(prompt, 0) for prompt in asked]
        sent, replied = sum(map(estimated_prompt, requests)), sum(map(most_reply_tokens, requests))
        usage = Usage(each * sent, each * replied)
        price = PriceTable.load().find(self.model)
        return {
            "model": self.model,
            "prompts": len(asked),
            "left_out": len(prompts) - len(asked),
            "calls": each * len(asked),
            "prompt_tokens": usage.prompt_tokens,
            "reply_tokens": usage.completion_tokens,
            "money": None if price is None else price.of(usage),
            "currency": None if price is None else price.currency,
        }
