"""Asks a chat model each prompt once or several times, and keeps what each reply took."""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from semscale.chat.budget import Price, PriceTable
from semscale.chat.chat_model import ChatModel
from semscale.chat.ledger import ContentKeys
from semscale.chat.messages import TRANSIENT, FailureKind, Reply, Request, RequestOutcome
from semscale.drift.asking.answers import COST, LATENCY, TOKENS, Answer, Answers
from semscale.errors import ReplyError
from semscale.history.items import Output
from semscale.types import Progress

if TYPE_CHECKING:
    from semscale.chat.runner import Running


_SILENT = frozenset({FailureKind.REFUSED, FailureKind.SILENT})


class UnreachedModelError(ReplyError):
    """No call reached the model, for reasons that may pass, such as an endpoint that does not answer."""


@dataclass(frozen=True)
class AskSettings:
    """Parameters of requests; the model decides those that are ``None``.

    Attributes:
        temperature: 0 for the likeliest reply, above 0 for random ones.
        max_tokens: the length at which a reply is cut.
        system: instructions before every prompt.

    Raises:
        InputError: a number out of range.
    """

    temperature: float | None = None
    max_tokens: int | None = None
    system: str | None = None

    def __post_init__(self) -> None:
        self.request("checked", 0)

    def request(self, prompt: str, sample: int) -> Request:
        """Build the request of a prompt; each sample number is a call of its own."""
        parameters = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        return Request.of(prompt, system=self.system, sample=sample, **parameters)

    @property
    def given(self) -> dict[str, object]:
        """Settings that are not left to the model, by name."""
        named = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in named.items() if value is not None}


@dataclass(frozen=True)
class ModelAsker:
    """A chat model, and how it is asked.

    Attributes:
        model: the model.
        settings: parameters of the requests.
        running: how calls are made: at once, repeated, paid, kept.
    """

    model: ChatModel
    settings: AskSettings
    running: "Running"

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    def keys(self, prompts: Sequence[str]) -> list[bytes]:
        """Hash what is asked: model, prompts and parameters; one key for each prompt."""
        content = ContentKeys(self.model)
        return [content.of(self.settings.request(prompt, 0)) for prompt in prompts]

    def requests(self, prompts: Sequence[str], samples: Sequence[int]) -> list[Request]:
        """Write the requests of all prompts for each sample number, in the order of the answers."""
        return [self.settings.request(prompt, sample) for sample in samples for prompt in prompts]

    async def ask(
        self, prompts: Sequence[str], samples: Sequence[int], progress: Progress | None = None
    ) -> tuple[Answers, "Running"]:
        """Ask every prompt once for each sample number; a reply in the ledger is not paid for again.

        Args:
            prompts: n prompts.
            samples: k numbers, which tell the askings apart.
            progress: called as replies come.

        Returns:
            The answers, and ``running`` with what is left of its budget.

        Raises:
            InterruptedRunError: a cap was reached, or no reply came for too long; replies are kept.
            ReplyError: no call can succeed, or none did; ``UnreachedModelError`` if none reached the model.
        """
        running = self.running
        runner = running.runner(self.model)
        price = (running.prices or PriceTable.load()).find(self.model.name)
        requests = self.requests(prompts, samples)
        outcomes: dict[int, RequestOutcome] = {}
        async with aclosing(runner.stream(requests, progress=progress)) as stream:
            async for outcome in stream:
                outcomes[outcome.index] = outcome
        found = [answer_of(outcomes[place], price) for place in range(len(requests))]
        n = len(prompts)
        asked = tuple(tuple(found[start : start + n]) for start in range(0, len(found), n))
        left_out = {name for one in outcomes.values() if one.reply for name in one.reply.left_out}
        currency = None if price is None else price.currency
        n_new = sum(outcome.attempts > 0 for outcome in outcomes.values())
        n_kept = max(0, len(set(prompts)) * len(samples) - n_new)  # an equal prompt is no call of its own
        answers = Answers(asked, runner.spent.calls, currency, tuple(sorted(left_out)), n_kept)
        _check_any(answers)
        return answers, running.after(runner.spent)


def answer_of(outcome: RequestOutcome, price: Price | None) -> Answer:
    """Turn the outcome of a request into an answer.

    Args:
        outcome: of the request.
        price: of the model's tokens; ``None`` if it is not known, so that the output has no cost.
    """
    reply, failure = outcome.reply, outcome.failure
    if reply is not None:
        return Answer((Output(reply.text, _numbers(reply, price)),), is_cut=reply.finish_reason == "length")
    if failure is None:
        return Answer(reason="no reply", is_lost=True)
    is_silent = failure.kind in _SILENT
    is_lost = failure.kind in TRANSIENT and not is_silent
    return Answer(reason=str(failure), is_lost=is_lost, is_silent=is_silent)


def _numbers(reply: Reply, price: Price | None) -> dict[str, float]:
    numbers: dict[str, float] = {}
    if reply.usage is not None:
        numbers[TOKENS] = float(reply.usage.tokens)
        if price is not None:
            numbers[COST] = price.of(reply.usage)
    if reply.seconds is not None:
        numbers[LATENCY] = reply.seconds
    return numbers


def _check_any(answers: Answers) -> None:
    """Check that some call brought an output."""
    if answers.n_answered == 0 and answers.reasons:
        kind = UnreachedModelError if all(answer.is_lost for answer in answers.every) else ReplyError
        raise kind(f"no call brought a usable reply, most often because: {next(iter(answers.reasons))}")
