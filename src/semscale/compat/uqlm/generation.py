"""What the classes of ``uqlm`` share: prompts, generation of responses and samples, models of entailment."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from semscale.answer_consistency.asking import Sampling
from semscale.answer_consistency.consistency import Consistency
from semscale.chat.chat_model import load_chat_model
from semscale.chat.messages import Message, TokenLogprob
from semscale.chat.pacing import Limits
from semscale.chat.runner import Runner
from semscale.errors import InputError, ModelError
from semscale.matching.entailment import EntailmentModel, chosen_model
from semscale.weights.known import ENGLISH_NLI

SYSTEM = "You are a helpful assistant."
_ROLES = {"human": "user", "ai": "assistant", "system": "system"}

Tokens = tuple[TokenLogprob, ...] | None
"""Tokens of a response; ``None`` where the model gave no log-probabilities."""


@dataclass(frozen=True)
class Generated:
    """Responses and samples of n prompts, with their tokens.

    Attributes:
        responses: n texts; ``None`` where none came.
        samples: n lists of texts.
        tokens: of the responses.
        sample_tokens: of each sample.
    """

    responses: list[str | None]
    samples: list[list[str | None]]
    tokens: list[Tokens]
    sample_tokens: list[list[Tokens]]


class ResponseGenerator:
    """Asks a chat model for responses and samples, with Semscale's ledger, retries and limits.

    Args:
        llm: a LangChain chat model, or the name of a model; ``None`` where nothing is generated.
        system_prompt: precedes every prompt that is a text.
        max_calls_per_min: the most calls per minute.
        sampling_temperature: of the samples, above 0.
        ledger: whether and where to store replies.
    """

    def __init__(
        self,
        llm: Any,  # noqa: ANN401 - LangChain's model
        system_prompt: str | None,
        max_calls_per_min: int | None,
        sampling_temperature: float,
        ledger: bool | str | Path,  # noqa: FBT001
    ) -> None:
        self.llm = llm
        self.sampling = Sampling(temperature=sampling_temperature, system=system_prompt or SYSTEM)
        self._limits = Limits(requests_per_minute=max_calls_per_min)
        self._ledger = ledger

    @property
    def runner(self) -> Runner:
        """What sends requests.

        Raises:
            InputError: there is no ``llm``.
        """
        if self.llm is None:
            raise InputError(
                "llm must be a chat model that answers the prompts; or call score with responses"
            )
        return self.runner_of(self.llm)

    def runner_of(self, llm: Any) -> Runner:  # noqa: ANN401 - LangChain's model
        """Give what sends requests to another model, with the same limits and ledger."""
        return Runner(load_chat_model(llm), limits=self._limits, ledger=self._ledger)

    @property
    def temperature(self) -> float | None:
        """The model's own temperature, if it says one."""
        return getattr(self.llm, "temperature", None)

    async def generate(self, prompts: Sequence[Any], n_samples: int, *, logprobs: bool) -> Generated:
        """Ask for a response to each prompt, and for samples.

        Args:
            prompts: n texts, or lists of LangChain's messages.
            n_samples: of each prompt, at least 0.
            logprobs: whether the likeliest tokens are asked for.

        Raises:
            InputError: there is no ``llm``, or a prompt has another type.
            ReplyError: no call can succeed.
        """
        plan = self.sampling.for_parts({"logprobs"}) if logprobs else self.sampling
        asked = [as_prompt(prompt) for prompt in prompts]
        if not n_samples:
            outcomes = await self.runner.collect([plan.request(prompt, 0) for prompt in asked])
            replies = [outcome.reply for outcome in outcomes]
            none: list[list[Any]] = [[] for _ in asked]
            return Generated(
                [None if reply is None else reply.text for reply in replies],
                none,
                [None if reply is None else reply.logprobs for reply in replies],
                none,
            )
        tool = Consistency(self.llm, measures=["exact_match"])
        found = await tool.ask_async(asked, sampling=replace(plan, n_samples=n_samples), runner=self.runner)
        given = found.replies
        return Generated(
            given.answers, given.samples, list(given.tokens), [list(each) for each in given.sample_tokens]
        )


def entailment_model(given: Any, scorer: str) -> EntailmentModel:  # noqa: ANN401 - a name or a model
    """Load the model of entailment that a scorer needs.

    Args:
        given: a name, a folder, a model, or empty for the one that Semscale names.
        scorer: its name, for messages.

    Raises:
        ModelError: the model cannot be had or run; the message says which command gets it.
    """
    name = given or ENGLISH_NLI.hub_id
    try:
        return chosen_model(name)
    except ModelError as error:
        raise ModelError(
            f"scorer {scorer!r} needs a model of entailment: semscale models pull {name}; or name scorers "
            f"that need none ({error})"
        ) from error


def as_prompt(prompt: Any) -> Any:  # noqa: ANN401 - as uqlm takes them
    """Read a prompt: a text, or a list of LangChain's messages.

    Raises:
        InputError: it is neither.
    """
    if prompt is None or isinstance(prompt, str):
        return prompt
    return [_message(message) for message in prompt]


def _message(message: Any) -> Message:  # noqa: ANN401 - LangChain need not be installed
    if isinstance(message, Message):
        return message
    role = _ROLES.get(getattr(message, "type", ""))
    if role is None or not isinstance(message.content, str):
        raise InputError(
            f"prompts must be texts or lists of messages from people, models or systems with texts in them, "
            f"got {type(message).__name__}"
        )
    return Message(role, message.content)
