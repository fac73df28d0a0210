"""Settings of sampling: how many samples, at what temperature, and when to stop early."""

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from semscale.answer_consistency.white_box.p_true import p_true_request
from semscale.chat.calls.parameter_form import LEFT_OUT
from semscale.chat.declining import gives_no_answer
from semscale.chat.messages import Message, Parameters, Request
from semscale.errors import InputError
from semscale.signature import Signature
from semscale.store.columns import is_missing
from semscale.types import Status

TOP_LOGPROBS = 5
"""Likeliest tokens that are asked for where measures of tokens need them; most endpoints give so many."""
_STATED = ("temperature", "max_tokens", "top_p", "seed", "top_logprobs")

Prompt = str | Sequence[Message] | None
"""A question, or a conversation; ``None`` where it is missing."""


@dataclass(frozen=True)
class Stopping:
    """When no more samples are asked for.

    Attributes:
        threshold: of the first measure, above 0 and below 1: is a prompt's consistency at least this much?
        confidence: probability that the side is the one that all samples would have given.

    Raises:
        InputError: a number out of range.
    """

    threshold: float
    confidence: float = 0.95

    def __post_init__(self) -> None:
        for name in ("threshold", "confidence"):
            if not 0 < getattr(self, name) < 1:
                raise InputError(f"{name} must lie between 0 and 1, got {getattr(self, name)!r}")


@dataclass(frozen=True)
class Sampling:
    """Settings of what each prompt is asked for: one answer, and samples to compare it with.

    Attributes:
        n_samples: samples of each prompt, without the answer.
        temperature: of the samples, above 0.
        answer: parameters of the answer itself; the model's own unless given. The samples have the same ones,
            but for the temperature.
        system: instructions before every prompt that is a question.
        stopping: ends a prompt's samples early; without it all of them are taken.
        asks_p_true: whether the model is asked last, with the samples before it, if its answer is right.

    Raises:
        InputError: a number out of range.
    """

    n_samples: int = 5
    temperature: float = 1.0
    answer: Parameters = field(default_factory=Parameters)
    system: str | None = None
    stopping: Stopping | None = None
    asks_p_true: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.n_samples, bool) or not isinstance(self.n_samples, int) or self.n_samples < 1:
            raise InputError(f"n_samples must be a whole number of at least 1, got {self.n_samples!r}")
        if not self.temperature > 0:
            raise InputError(f"temperature must be > 0 to sample different answers, got {self.temperature!r}")

    @property
    def signature(self) -> Signature:
        """What was asked for; the answer's own parameters as far as they were set."""
        given = {name: getattr(self.answer, name) for name in _STATED}
        settings: dict[str, object] = {"n_samples": self.n_samples, "sampling_temperature": self.temperature}
        settings |= {f"answer_{name}": value for name, value in given.items() if value is not None}
        if self.system is not None:
            settings["system"] = f"#{hashlib.sha256(self.system.encode()).hexdigest()[:12]}"
        if self.stopping is not None:
            settings |= {"stop_at": self.stopping.threshold, "stop_confidence": self.stopping.confidence}
        if self.asks_p_true:
            asked = p_true_request("", "").parameters
            settings |= {f"p_true_{name}": getattr(asked, name) for name in ("temperature", "top_logprobs")}
        return Signature.of("sampling", **settings)

    def for_parts(self, parts: Collection[str]) -> "Sampling":
        """Ask for all that measures are made from.

        Args:
            parts: as ``needed_parts`` gives them. With ``logprobs`` or ``sample_logprobs`` the likeliest
                tokens of answers and samples are asked for, unless their number is set; with ``p_true``
                whether answers are right.
        """
        plan = replace(self, asks_p_true=True) if "p_true" in parts else self
        if not {"logprobs", "sample_logprobs"} & set(parts) or plan.answer.top_logprobs is not None:
            return plan
        return replace(plan, answer=replace(plan.answer, top_logprobs=TOP_LOGPROBS))

    def request(self, prompt: Prompt, sample: int) -> Request:
        """Build the request of a prompt's answer (0) or of one of its samples (from 1)."""
        messages = self._messages(prompt)
        answer = Request(messages, self.answer)
        if not sample:
            return answer
        given = {name: getattr(self.answer, name) for name in Parameters.__dataclass_fields__}
        random = Parameters(**{**given, "temperature": self.temperature})
        return Request(messages, random).resampled(sample)

    def wants_p_true(self, answer: str | None) -> bool:
        """Tell whether the model is asked if an answer is right: not if it is missing, empty or declines."""
        return self.asks_p_true and bool((answer or "").strip()) and not gives_no_answer(answer or "")

    def _messages(self, prompt: Prompt) -> tuple[Message, ...]:
        if isinstance(prompt, str):
            asked = Message("user", prompt)
            return (asked,) if self.system is None else (Message("system", self.system), asked)
        return tuple(prompt or ())


def without_parameters(signature: Signature, left_out: Iterable[str]) -> Signature:
    """Say in a signature that answers and samples were asked for without some parameters.

    Args:
        signature: with the fields of a ``Sampling``'s.
        left_out: parameters that the model refused.
    """
    fields = [f"{kind}_{name}" for name in left_out for kind in ("answer", "sampling", "p_true")]
    return signature.replaced(dict.fromkeys(fields, LEFT_OUT))


def prompt_status(prompt: object) -> Status:
    """Say whether a prompt can be asked.

    Raises:
        InputError: it is neither a text nor a list of messages.

    Example:
        >>> [str(prompt_status(prompt)) for prompt in ("Is 7 prime?", " ", None)]
        ['scored', 'empty', 'missing']
    """
    if is_missing(prompt):
        return Status.MISSING
    if isinstance(prompt, str):
        return Status.SCORED if prompt.strip() else Status.EMPTY
    if isinstance(prompt, Sequence) and all(isinstance(message, Message) for message in prompt):
        return Status.SCORED if prompt else Status.EMPTY
    raise InputError(f"prompts must be texts or lists of messages, got {type(prompt).__name__}")
