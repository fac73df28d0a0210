"""What comes back from a chat model: a reply, or the reason why there is none."""

from dataclasses import dataclass
from enum import StrEnum

from semscale.errors import ReplyError


@dataclass(frozen=True)
class Usage:
    """What a call took, in the model's own tokens."""

    prompt_tokens: int
    completion_tokens: int

    @property
    def tokens(self) -> int:
        """Both together."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True)
class TokenLogprob:
    """One token of a reply.

    Attributes:
        token: its text.
        logprob: natural logarithm of its probability.
        top: the likeliest tokens at this place with theirs, likeliest first; empty where none were asked for.
    """

    token: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Reply:
    """A chat model's reply.

    Attributes:
        text: what it said.
        finish_reason: ``stop``, ``length`` where it was cut at ``max_tokens``, or the endpoint's own word.
        usage: tokens; ``None`` where the model does not say.
        logprobs: of each token; ``None`` where they were not asked for or the model does not give them.
        model: what the endpoint calls the model that answered.
        raw: the reply as it came, without keys.
    """

    text: str
    finish_reason: str = "stop"
    usage: Usage | None = None
    logprobs: tuple[TokenLogprob, ...] | None = None
    model: str = ""
    raw: str = ""


class FailureKind(StrEnum):
    """Why a call brought no reply."""

    RATE_LIMITED = "rate-limited"  # 429
    SERVER = "server"  # 408, 409, 5xx
    TIMEOUT = "timeout"  # no reply within the time allowed
    CONNECTION = "connection"  # the endpoint cannot be reached, or hung up
    MALFORMED = "malformed"  # not JSON, truncated, or without the fields of a reply
    EMPTY = "empty"  # no choice at all
    SILENT = "silent"  # a choice without text
    REFUSED = "refused"  # the model or its filter declined to answer
    REJECTED = "rejected"  # the endpoint does not take this request: 400, 413, 422, ...
    UNSUPPORTED = "unsupported"  # the model cannot do what was asked: images, structured output
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
    }
)
"""Failures that may not happen again, so that the call is repeated."""

FATAL = frozenset({FailureKind.DENIED, FailureKind.UNKNOWN_MODEL, FailureKind.NO_QUOTA})
"""Failures that every further call would share, so that the run ends."""


class CallError(ReplyError):
    """A call brought no reply.

    Args:
        message: one line, without keys.
        kind: why.
        retry_after: seconds that the endpoint asks to wait, or ``None``.
        raw: what came instead of a reply, without keys.
        usage: what the call took all the same.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: FailureKind,
        retry_after: float | None = None,
        raw: str = "",
        usage: Usage | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry_after = retry_after
        self.raw = raw
        self.usage = usage
