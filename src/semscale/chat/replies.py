"""Replies, failures, and the outcomes of requests."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from semscale.errors import ReplyError
from semscale.json_reading import encodable


@dataclass(frozen=True)
class Usage:
    """Tokens of a call, as the model counts them."""

    prompt_tokens: int
    completion_tokens: int

    @property
    def tokens(self) -> int:
        """Tokens of prompt and reply together."""
        return self.prompt_tokens + self.completion_tokens

    def plus(self, other: "Usage") -> "Usage":
        """Add the tokens of another call."""
        return Usage(
            self.prompt_tokens + other.prompt_tokens, self.completion_tokens + other.completion_tokens
        )


@dataclass(frozen=True)
class TokenLogprob:
    """One token of a reply.

    Attributes:
        token: its text.
        logprob: natural logarithm of its probability, at most 0.
        top: the likeliest tokens at this position with their log-probabilities, likeliest first; empty if the
            request asked for none.
    """

    token: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Reply:
    """A chat model's reply.

    Attributes:
        text: the reply's text; half of a surrogate pair, such as a cut-off emoji leaves, is U+FFFD.
        finish_reason: ``stop``, ``length`` if it was cut at ``max_tokens``, or the endpoint's own word.
        usage: tokens of the call; ``None`` if the model does not state them.
        logprobs: one per token; ``None`` if they were not requested or the model does not give them.
        model: the endpoint's name for the model that answered.
        raw: the endpoint's answer unchanged, except that keys are removed.
        left_out: parameters of the request that the model had refused, and was then asked without.
        seconds: how long the call took, waiting for its turn at an endpoint included; what a local model says
            that generating took. ``None`` if unknown. A reply from the ledger keeps what its own call took.
    """

    text: str
    finish_reason: str = "stop"
    usage: Usage | None = None
    logprobs: tuple[TokenLogprob, ...] | None = None
    model: str = ""
    raw: str = ""
    left_out: tuple[str, ...] = ()
    seconds: float | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", encodable(self.text))


class FailureKind(StrEnum):
    """Why a call brought no reply."""

    RATE_LIMITED = "rate-limited"  # 429
    SERVER = "server"  # 408, 409, 425, 5xx but 501
    TIMEOUT = "timeout"  # no reply within the time allowed
    CONNECTION = "connection"  # the endpoint cannot be reached, or hung up
    MALFORMED = "malformed"  # not JSON, truncated, or without the fields of a reply
    EMPTY = "empty"  # no choice at all
    SILENT = "silent"  # a choice without text: empty, null, reasoning alone, a tool call
    REFUSED = "refused"  # the model or its filter declined to answer
    REJECTED = "rejected"  # the endpoint does not take this request: 400, 413, 422, ...
    UNSUPPORTED = "unsupported"  # the model cannot do what was asked: images, structured output; 501
    DENIED = "denied"  # 401: the key is wrong or missing
    UNKNOWN_MODEL = "unknown-model"  # 404
    NO_QUOTA = "no-quota"  # 402, or 429 that says that the account is empty
    BROKEN = "broken"  # the model's own code raised something else


TRANSIENT = frozenset(
    {
        FailureKind.RATE_LIMITED,
        FailureKind.SERVER,
        FailureKind.TIMEOUT,
        FailureKind.CONNECTION,
        FailureKind.MALFORMED,
        FailureKind.EMPTY,
        FailureKind.SILENT,
    }
)
"""Failures that may pass, so the call is repeated."""

FATAL = frozenset({FailureKind.DENIED, FailureKind.UNKNOWN_MODEL, FailureKind.NO_QUOTA})
"""Failures that every other call would have, too, so the run ends."""


class CallError(ReplyError):
    """A call to a chat model brought no reply.

    Args:
        message: one line, without keys.
        kind: the kind of failure.
        retry_after: seconds that the endpoint asks to wait; ``None`` if it states none.
        raw: the answer that came instead of a reply, without keys.
        usage: tokens that the failed call used; ``None`` if unknown.
        refused: names of parameters that the endpoint says it does not take.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: FailureKind,
        retry_after: float | None = None,
        raw: str = "",
        usage: Usage | None = None,
        refused: tuple[str, ...] = (),
    ) -> None:
        super().__init__(encodable(message))
        self.kind = kind
        self.retry_after = retry_after
        self.raw = raw
        self.usage = usage
        self.refused = refused


_REASONING = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)


def checked_reply(reply: Reply, *, model: str, instead: str = "") -> Reply:
    """Return a reply that has a text besides its reasoning.

    Args:
        reply: of a model; its reasoning may stand between ``<think>`` marks.
        model: name of the model, for messages.
        instead: content without text that came, such as ``a tool call``; empty where nothing is known.

    Raises:
        CallError: it has no text; the call may be repeated.

    Example:
        >>> checked_reply(Reply("<think>2 + 2</think> 4"), model="m").text
        '<think>2 + 2</think> 4'
    """
    if _REASONING.sub("", reply.text).strip():
        return reply
    content = "reasoning alone" if reply.text.strip() else instead
    reason = ", ".join(filter(None, [content, f"finish reason {reply.finish_reason}"]))
    hint = "; max_tokens may be too small for it to begin" if reply.finish_reason == "length" else ""
    raise CallError(
        f"{model} answered without text ({reason}){hint}",
        kind=FailureKind.SILENT,
        raw=reply.raw,
        usage=reply.usage,
    )


class OutcomeStatus(StrEnum):
    """How a request ended."""

    REPLIED = "replied"
    REFUSED = "refused"
    FAILED = "failed"


@dataclass(frozen=True)
class RequestOutcome:
    """The outcome of one request.

    Attributes:
        index: position of the request in the run, from 0.
        reply: the reply, or ``None`` without one.
        failure: why there is no reply, or ``None``.
        attempts: how many calls this run sent for it; 0 if the outcome came from the ledger or from an equal
            request of the same run.
    """

    index: int
    reply: Reply | None = None
    failure: CallError | None = None
    attempts: int = 0

    @classmethod
    def of(cls, index: int, result: Reply | CallError, attempts: int = 0) -> "RequestOutcome":
        """Create an outcome from a reply or a failure."""
        if isinstance(result, Reply):
            return cls(index, reply=result, attempts=attempts)
        return cls(index, failure=result, attempts=attempts)

    @property
    def status(self) -> OutcomeStatus:
        """How the request ended."""
        if self.reply is not None:
            return OutcomeStatus.REPLIED
        refused = self.failure is not None and self.failure.kind is FailureKind.REFUSED
        return OutcomeStatus.REFUSED if refused else OutcomeStatus.FAILED


def count_statuses(outcomes: Sequence[RequestOutcome]) -> dict[str, int]:
    """Count the requests by their status.

    Example:
        >>> count_statuses([RequestOutcome(0, reply=Reply("4")), RequestOutcome(1)])
        {'replied': 1, 'refused': 0, 'failed': 1}
    """
    return {status.value: sum(outcome.status is status for outcome in outcomes) for status in OutcomeStatus}
