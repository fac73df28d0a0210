"""Calls to a model, its replies and failures, and the outcomes of calls."""

import base64
import binascii
import hashlib
import json
import math
import re
import statistics
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self

from semscale.errors import InputError, ReplyError
from semscale.input_files import read_input
from semscale.json_reading import encodable
from semscale.messages import unreadable
from semscale.reasoning import split_reasoning

ROLES = ("system", "user", "assistant")
MOST_TOP_LOGPROBS = 20


@dataclass(frozen=True)
class TextPart:
    """A piece of text in a message."""

    text: str


@dataclass(frozen=True)
class ImagePart:
    """A picture in a message.

    Attributes:
        url: a ``data:`` URL with the picture itself, or an ``https://`` address that the endpoint fetches.
    """

    url: str

    @classmethod
    def of(cls, source: bytes | Path | str) -> Self:
        """Create an image from a picture's bytes, a file's path or an address.

        Args:
            source: PNG, JPEG, GIF or WebP as bytes or in a file, or a ``data:`` or ``https://`` URL.

        Raises:
            InputError: the file cannot be read, or is not a picture of these kinds.
        """
        return cls(image_url(source))

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of its URL, 64 hex digits; an image in many requests is hashed once."""
        return hashlib.sha256(self.url.encode()).hexdigest()

    def __repr__(self) -> str:
        return f"ImagePart({self.url[:40]!r}..., {len(self.url)} characters)"


Part = TextPart | ImagePart


@dataclass(frozen=True)
class Message:
    """One turn of a conversation.

    Attributes:
        role: ``system``, ``user`` or ``assistant``.
        parts: texts and images, in order; a string is one text.

    Raises:
        InputError: an unknown role, no part, or one that is neither text nor image.

    Examples:
        >>> Message("user", "Is 7 prime?").text
        'Is 7 prime?'
    """

    role: str
    parts: tuple[Part, ...] | str

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise InputError("role", f"must be one of {', '.join(ROLES)}, got {self.role!r}")
        parts = (TextPart(self.parts),) if isinstance(self.parts, str) else tuple(self.parts)
        for part in parts:
            if not isinstance(part, TextPart | ImagePart):
                raise InputError(f"a message's parts are texts and images, got {type(part).__name__}")
        if not parts:
            raise InputError("a message needs at least one part, got none")
        object.__setattr__(self, "parts", parts)

    @property
    def content(self) -> tuple[Part, ...]:
        """The parts as a tuple, even for a single text."""
        return self.parts if isinstance(self.parts, tuple) else (TextPart(self.parts),)

    @property
    def text(self) -> str:
        """All texts of the message, without its images."""
        return "".join(part.text for part in self.content if isinstance(part, TextPart))

    @property
    def n_images(self) -> int:
        """Number of images in the message."""
        return sum(isinstance(part, ImagePart) for part in self.content)


@dataclass(frozen=True)
class Parameters:
    """Settings of a reply; the model decides those that are ``None``.

    Attributes:
        temperature: 0 for the likeliest reply, above 0 for random ones.
        max_tokens: maximum length of the reply in tokens.
        top_p: the share of probability to sample from, above 0 and up to 1.
        seed: makes random replies repeatable if the model supports it.
        stop: texts that end the reply; they are not part of it.
        top_logprobs: number of the likeliest tokens to return at each position with their log-probabilities,
            0 to 20.
        schema: JSON Schema that the reply must follow, if the model supports it.
        extra: further fields of the endpoint, sent unchanged.

    Raises:
        InputError: a value is out of range.
    """

    temperature: float | None = None
    max_tokens: int | None = None
    top_p: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    top_logprobs: int | None = None
    schema: Mapping[str, object] | None = None
    extra: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.temperature is not None and not 0 <= self.temperature <= 100:
            raise InputError("temperature", f"must be from 0 to 100, got {self.temperature}")
        if self.max_tokens is not None and self.max_tokens < 1:
            raise InputError("max_tokens", f"must be >= 1, got {self.max_tokens}")
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise InputError("top_p", f"must be > 0 and <= 1, got {self.top_p}")
        if self.top_logprobs is not None and not 0 <= self.top_logprobs <= MOST_TOP_LOGPROBS:
            raise InputError(
                "top_logprobs", f"must be from 0 to {MOST_TOP_LOGPROBS}, got {self.top_logprobs}"
            )
        if isinstance(self.stop, str):
            raise InputError("stop", f"must be a tuple of texts, got the text {self.stop!r}")
        object.__setattr__(self, "stop", tuple(self.stop))


BYTES_PER_TOKEN = 3.0
"""Bytes per token in estimates: English has about four, and three is safe."""
_TOKENS_PER_MESSAGE = 8
_TOKENS_PER_IMAGE = 1500
_ASSUMED_REPLY = 1024  # tokens of a reply without a limit on its length


def estimate_tokens(messages: Sequence[Message], fields: Mapping[str, object]) -> int:
    """Estimate the tokens of a prompt: a third of its bytes, plus 8 per message and 1,500 per image.

    Args:
        messages: the messages.
        fields: further fields of the endpoint, such as the questions of a decision; they count by their JSON.

    Examples:
        >>> estimate_tokens([Message("user", "Is 7 prime?")], {})  # 11 bytes
        12
    """
    sizes = (len(message.text.encode("utf-8", "surrogatepass")) for message in messages)
    n_images = sum(message.n_images for message in messages)
    texts = sum(math.ceil(size / BYTES_PER_TOKEN) + _TOKENS_PER_MESSAGE for size in sizes)
    others = math.ceil(len(json.dumps(dict(fields), default=str)) / BYTES_PER_TOKEN) if fields else 0
    return texts + _TOKENS_PER_IMAGE * n_images + others


def hashable_messages(messages: Sequence[Message]) -> list[Any]:
    """Return messages as JSON values for the key of a call, with the hash of each image.

    Examples:
        >>> hashable_messages([Message("user", "Is 7 prime?")])
        [['user', [['text', 'Is 7 prime?']]]]
    """
    return [
        [
            message.role,
            [
                ["text", part.text] if isinstance(part, TextPart) else ["image", part.content_hash]
                for part in message.content
            ],
        ]
        for message in messages
    ]


class AnyModel(Protocol):
    """The part of a model that calls need; ``chat_model.Model`` is its full type, which stands above this."""

    @property
    def name(self) -> str:
        """The model's name."""
        ...


class Call(Protocol):
    """A call that a run sends to a model, such as a ``Request`` or a decision."""

    @property
    def content(self) -> list[Any]:
        """Everything that distinguishes it from other calls to the model, as JSON values, for the ledger."""
        ...

    @property
    def parameters(self) -> Parameters:
        """Settings of the reply, which a model may refuse."""
        ...

    @property
    def most_tokens(self) -> "Usage":
        """Greatest number of tokens that it may use: estimated for the prompt, the limit for the reply."""
        ...

    async def send(self, model: AnyModel) -> "Reply":
        """Send it once.

        Raises:
            CallError: there is no reply; ``kind`` says why.
        """
        ...


@dataclass(frozen=True)
class Request:
    """One call to a chat model.

    Attributes:
        messages: the conversation so far, at least one message.
        parameters: settings of the reply.
        sample: number that distinguishes several replies to the same conversation; it is not sent.

    Raises:
        InputError: there is no message, or ``sample`` is negative.

    Examples:
        >>> request = Request.of("Is 7 prime?", system="Answer yes or no.", temperature=0.0)
        >>> [message.role for message in request.messages]
        ['system', 'user']
        >>> request.with_sample(1).sample
        1
    """

    messages: tuple[Message, ...]
    parameters: Parameters = field(default_factory=Parameters)
    sample: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "messages", tuple(self.messages))
        if not self.messages:
            raise InputError("a request needs at least one message, got none")
        for message in self.messages:
            if not isinstance(message, Message):
                raise InputError("messages", f"must be of Message, got {type(message).__name__}")
        if self.sample < 0:
            raise InputError("sample", f"must be >= 0, got {self.sample}")

    @classmethod
    def of(
        cls,
        prompt: str | Sequence[Part],
        /,
        *,
        system: str | None = None,
        sample: int = 0,
        **parameters: object,
    ) -> Self:
        """Build a request from a prompt.

        Args:
            prompt: the user's message.
            system: instructions that precede it.
            sample: see the attribute.
            **parameters: attributes of :class:`Parameters`.

        Raises:
            InputError: an unknown parameter, or a value out of range.
        """
        unknown = parameters.keys() - Parameters.__dataclass_fields__.keys()
        if unknown:
            known = ", ".join(Parameters.__dataclass_fields__)
            raise InputError(f"a request's parameters are {known}; got {', '.join(sorted(unknown))}")
        asked = Message("user", prompt if isinstance(prompt, str) else tuple(prompt))
        messages = (asked,) if system is None else (Message("system", system), asked)
        return cls(messages, Parameters(**parameters), sample)  # type: ignore[arg-type]  # checked there

    @property
    def fields(self) -> dict[str, Any]:
        """The parameters that are set."""
        return {name: value for name, value in vars(self.parameters).items() if value not in (None, (), {})}

    @property
    def content(self) -> list[Any]:
        """Messages, parameters and sample; see :class:`Call`."""
        return [hashable_messages(self.messages), self.fields, self.sample]

    @property
    def most_tokens(self) -> "Usage":
        """Greatest number of tokens, with 1,024 for a reply without a limit; see :class:`Call`."""
        prompt = estimate_tokens(self.messages, self.parameters.extra)
        return Usage(prompt, self.parameters.max_tokens or _ASSUMED_REPLY)

    async def send(self, model: AnyModel) -> "Reply":
        """Send it once; see :class:`Call`."""
        complete: Callable[[Request], Awaitable[Reply]] | None = getattr(model, "complete", None)
        if complete is None:
            raise CallError(f"{model.name} takes decisions only", kind=FailureKind.UNSUPPORTED)
        return await complete(self)

    def with_sample(self, sample: int) -> Self:
        """Return a request for another reply to the same messages; a seed changes with the sample number."""
        seed = self.parameters.seed
        moved = (
            self.parameters if seed is None else replace(self.parameters, seed=seed + sample - self.sample)
        )
        return replace(self, parameters=moved, sample=sample)


MEDIA_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")

_STARTS = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), "image/webp"),
)
_DATA_URL = re.compile(r"data:(?P<type>[\w.+-]+/[\w.+-]+);base64,(?P<body>[A-Za-z0-9+/=\s]+)")


def media_type_of(picture: bytes) -> str:
    """Return a picture's media type, recognised by its first bytes.

    Raises:
        InputError: it is none of PNG, JPEG, GIF and WebP.

    Examples:
        >>> media_type_of(b"GIF89a...")
        'image/gif'
    """
    for start, media_type in _STARTS:
        if start.match(picture):
            return media_type
    raise InputError(f"an image must be PNG, JPEG, GIF or WebP, got bytes that begin with {picture[:8]!r}")


def image_url(source: bytes | Path | str) -> str:
    """Encode a picture as a URL that chat endpoints accept.

    Args:
        source: the picture's bytes, its file's path, a ``data:`` URL, or an ``http(s)://`` address, which the
            endpoint fetches, not Semscale.

    Raises:
        InputError: the file cannot be read, or the picture is none of PNG, JPEG, GIF and WebP.
    """
    if isinstance(source, bytes):
        return f"data:{media_type_of(source)};base64,{base64.b64encode(source).decode()}"
    text = str(source)
    if isinstance(source, str) and text.startswith("data:"):
        return _validate_data_url(text)
    if isinstance(source, str) and re.match(r"https?://", text):
        return text
    try:
        return image_url(read_input(Path(text).expanduser()))
    except OSError as error:
        raise unreadable(f"image {text[:80]!r}", error) from error


def _validate_data_url(url: str) -> str:
    match = _DATA_URL.fullmatch(url)
    if match is None or match["type"] not in MEDIA_TYPES:
        raise InputError(f"a data URL must be base64 of {', '.join(MEDIA_TYPES)}, got {url[:40]!r}...")
    try:
        media_type = media_type_of(base64.b64decode(match["body"], validate=False))
    except binascii.Error as error:
        raise InputError(f"the base64 of the data URL {url[:40]!r}... cannot be read: {error}") from error
    if media_type != match["type"]:
        raise InputError(f"the data URL says {match['type']}, but its picture is {media_type}")
    return url


class Usage(NamedTuple):
    """Tokens of a call, counted by the model."""

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

    def minus(self, other: "Usage") -> "Usage":
        """Subtract the tokens of another call."""
        return Usage(
            self.prompt_tokens - other.prompt_tokens, self.completion_tokens - other.completion_tokens
        )


class TokenLogprob(NamedTuple):
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


_ROUNDING = 0.005
"""Maximum rounding error of a probability with two decimals."""

SLACK = 1e-6
"""Maximum error of a sum of probabilities that is not rounded to decimals."""
_REFUSED = "the model declined to answer"


def standard_error(readings: Sequence[float]) -> float:
    """Compute the standard error of a mean of readings; NaN for fewer than two, and if all are equal.

    Equal readings do not show a spread, and an error of 0 would claim certainty.

    Examples:
        >>> standard_error([0.25, 0.75]), standard_error([1.0, 1.0]), standard_error([0.5])
        (0.25, nan, nan)
    """
    if len(readings) < 2 or max(readings) - min(readings) <= SLACK:
        return math.nan
    return statistics.stdev(readings) / math.sqrt(len(readings))


@dataclass(frozen=True)
class DecisionAnswer:
    """The answer to one question.

    Attributes:
        masses: probabilities of the question's options, in their order; they sum to 1. Empty without an
            answer.
        covered: the sum of the probabilities before normalisation; NaN without an answer.
        reason: why there is no answer; empty if there is one.
        refused: whether the model declined to answer.
        order_bias: effect of the options' order on the answer, 0 to 1; NaN if only one order was tried.
        readings: probabilities of each reading, if the answer is a mean of several, such as one for each
            order of the options; else empty.
        failed: whether there is no answer because a call failed.
    """

    masses: tuple[float, ...] = ()
    covered: float = math.nan
    reason: str = ""
    refused: bool = False
    order_bias: float = math.nan
    readings: tuple[tuple[float, ...], ...] = ()
    failed: bool = False

    def standard_error(self, values: Sequence[float]) -> float:
        """Return the standard error of the answer's mean: the readings' standard deviation by the root of n.

        It measures the variation of readings, not whether the model is right.

        Args:
            values: shape (k,), values of the options, such as ``(0, 1)`` for the probability of the second
                one.

        Returns:
            At least 0; NaN (unknown) for fewer than two readings, and if all are equal.

        Examples:
            >>> DecisionAnswer((0.5, 0.5), 1.0, readings=((0.25, 0.75), (0.75, 0.25))).standard_error((0, 1))
            0.25
            >>> DecisionAnswer.of((0.5, 0.5)).standard_error((0, 1))
            nan
        """
        means = [
            math.fsum(mass * value for mass, value in zip(reading, values, strict=True))
            for reading in self.readings
        ]
        return standard_error(means)

    @property
    def is_final(self) -> bool:
        """True if the model answered or declined: only then asking again would be useless."""
        return bool(self.masses) or self.refused

    @property
    def fields(self) -> dict[str, Any]:
        """The fields with a value; JSON has none for NaN."""
        return {
            name: value
            for name, value in vars(self).items()
            if not (isinstance(value, float) and math.isnan(value))
        }

    @property
    def is_normalised(self) -> bool:
        """True if the probabilities in the reply did not sum to 1."""
        return bool(self.masses) and abs(self.covered - 1) > SLACK

    @classmethod
    def of(cls, probabilities: Sequence[float]) -> "DecisionAnswer":
        """Build an answer from probabilities; a sum that is off by rounding to two decimals is scaled to 1.

        Args:
            probabilities: shape (k,), from the reply, each from 0 to 1.

        Returns:
            An answer, without masses if the sum differs from 1 by more than k times .005.

        Raises:
            ValueError: a value is not a probability.

        Examples:
            >>> DecisionAnswer.of([0.33, 0.33, 0.33]).covered
            0.99
            >>> DecisionAnswer.of([0.3, 0.3]).reason
            'the probabilities sum to 0.6, and rounding explains 0.99 to 1.01'
        """
        wrong = next((value for value in probabilities if not -SLACK <= value <= 1 + SLACK), None)
        if wrong is not None:
            raise ValueError(f"a probability must be from 0 to 1, got {wrong}")
        masses = [max(0.0, value) for value in probabilities]
        total = math.fsum(masses)
        most = _ROUNDING * len(masses)
        if abs(total - 1) > most + SLACK:
            low, high = f"{1 - most:.4g}", f"{1 + most:.4g}"
            return cls(reason=f"the probabilities sum to {total:.4g}, and rounding explains {low} to {high}")
        return cls(tuple(value / total for value in masses), total)

    @classmethod
    def refusal(cls) -> "DecisionAnswer":
        """Return the answer of a model that declined."""
        return cls(reason=_REFUSED, refused=True)


@dataclass(frozen=True)
class Reply:
    """A model's reply: a text, or the answers to a decision.

    Reasoning at the start of the text, such as ``<think>...</think>``, is moved to ``reasoning``. Its
    tokens are left out.

    Attributes:
        text: the answer; half of a surrogate pair, such as of a cut-off emoji, becomes U+FFFD. For a
            decision, its answers as JSON.
        finish_reason: ``stop``, ``length`` if it was cut at ``max_tokens``, or the endpoint's own word.
        usage: tokens of the call; ``None`` if the model does not state them.
        logprobs: one per token; ``None`` if they were not requested or the model does not give them.
        model: the endpoint's name for the model that answered.
        raw: the endpoint's answer unchanged, except that keys are removed.
        left_out: parameters of the request that the model refused, so that the call was repeated without
            them.
        seconds: duration of the call, including the endpoint's queue; for a local model the time of
            generation. ``None`` if unknown. A reply from the ledger has the duration of its original call.
        reasoning: the model's reasoning before the answer; empty if it has none or does not show it.
        decisions: answers of a decision by the names of its questions; ``None`` for a text.

    Examples:
        >>> reply = Reply("<think>2 + 2</think> 4")
        >>> reply.text, reply.reasoning
        ('4', '2 + 2')
        >>> Reply("", decisions={"ok": DecisionAnswer((0.25, 0.75), 1.0)}).text
        '{"ok":{"masses":[0.25,0.75],"covered":1.0,"reason":"","refused":false,"readings":[],"failed":false}}'
    """

    text: str
    finish_reason: str = "stop"
    usage: Usage | None = None
    logprobs: tuple[TokenLogprob, ...] | None = None
    model: str = ""
    raw: str = ""
    left_out: tuple[str, ...] = ()
    seconds: float | None = field(default=None, compare=False)
    reasoning: str = ""
    decisions: Mapping[str, DecisionAnswer] | None = None

    def __post_init__(self) -> None:
        if self.decisions is not None:
            answers = {name: answer.fields for name, answer in self.decisions.items()}
            object.__setattr__(self, "text", json.dumps(answers, ensure_ascii=False, separators=(",", ":")))
            return
        written = encodable(self.text)
        parts, text = [self.reasoning], written
        # A copy, and a reply that the ledger returns, must have the same answer: so split until none is left.
        while (split := split_reasoning(text))[1] != text:
            reasoning, text = split
            parts.append(reasoning)
        object.__setattr__(self, "text", text)
        if text != written:
            object.__setattr__(self, "reasoning", "\n\n".join(filter(None, parts)))
            object.__setattr__(self, "logprobs", answer_tokens(self.logprobs, text))

    @property
    def transcript(self) -> str:
        """The answer, after the reasoning between ``<think>`` marks if there is any."""
        return f"<think>\n{self.reasoning}\n</think>\n\n{self.text}" if self.reasoning else self.text


def answer_tokens(tokens: tuple[TokenLogprob, ...] | None, answer: str) -> tuple[TokenLogprob, ...] | None:
    r"""Return the tokens of an answer at the end of a reply; ``None`` if the tokens do not contain it.

    Args:
        tokens: tokens of the whole reply, with the reasoning before the answer.
        answer: the answer's text.

    Examples:
        >>> tokens = tuple(TokenLogprob(text, -0.5) for text in ("No.", "</think>", "\n\n", "Par", "is"))
        >>> [token.token for token in answer_tokens(tokens, "Paris")]
        ['Par', 'is']
    """
    start = -1 if tokens is None else "".join(token.token for token in tokens).rfind(answer)
    if tokens is None or start < 0 or not answer:
        return None
    ends = accumulate(len(token.token) for token in tokens)
    return tuple(token for token, end in zip(tokens, ends, strict=True) if end > start)


class FailureKind(StrEnum):
    """The reason why a call brought no reply."""

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
"""Temporary failures, after which the call is repeated."""

FATAL = frozenset({FailureKind.DENIED, FailureKind.UNKNOWN_MODEL, FailureKind.NO_QUOTA})
"""Failures that affect every call, so that the run ends."""


class CallError(ReplyError):
    """A call to a chat model brought no reply.

    Args:
        message: one line, without keys.
        kind: the kind of failure.
        retry_after: seconds that the endpoint asks to wait; ``None`` if it states none.
        raw: the answer that came instead of a reply, without keys.
        usage: tokens that the failed call used; ``None`` if unknown.
        refused: names of parameters that the endpoint reports as not supported.
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


def validate_reply(reply: Reply, *, model: str, instead: str = "") -> Reply:
    """Return the reply after checking that it has a text.

    Args:
        reply: a model's reply.
        model: name of the model, for messages.
        instead: content that came instead of text, such as ``a tool call``; empty if unknown.

    Raises:
        CallError: the reply has no text; the call may be repeated.

    Examples:
        >>> validate_reply(Reply("<think>2 + 2</think> 4"), model="m").text
        '4'
    """
    if reply.text.strip():
        return reply
    content = instead or "reasoning alone" * bool(reply.reasoning)
    reason = ", ".join(filter(None, [content, f"finish reason {reply.finish_reason}"]))
    hint = "; max_tokens may be too small for it to begin" if reply.finish_reason == "length" else ""
    raise CallError(
        f"{model} answered without text ({reason}){hint}",
        kind=FailureKind.SILENT,
        raw=reply.raw,
        usage=reply.usage,
    )


class OutcomeStatus(StrEnum):
    """Outcome of a request."""

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
        attempts: number of calls that this run sent for it; 0 if the outcome came from the ledger or from an
            equal request of the same run.
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
        """Outcome of the request."""
        if self.reply is not None:
            return OutcomeStatus.REPLIED
        refused = self.failure is not None and self.failure.kind is FailureKind.REFUSED
        return OutcomeStatus.REFUSED if refused else OutcomeStatus.FAILED
