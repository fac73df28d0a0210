"""Requests to a chat model: messages of texts and images, and the parameters of the reply."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Self

from semscale.chat.images import image_url
from semscale.errors import InputError

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
            InputError: the file cannot be read, or it is no picture of these kinds.
        """
        return cls(image_url(source))

    @cached_property
    def content_hash(self) -> str:
        """64 hex digits of the SHA-256 of its URL; an image that stands in many requests is hashed once."""
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

    Example:
        >>> Message("user", "Is 7 prime?").text
        'Is 7 prime?'
    """

    role: str
    parts: tuple[Part, ...] | str

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise InputError(f"role must be one of {', '.join(ROLES)}, got {self.role!r}")
        parts = (TextPart(self.parts),) if isinstance(self.parts, str) else tuple(self.parts)
        for part in parts:
            if not isinstance(part, TextPart | ImagePart):
                raise InputError(f"a message's parts are texts and images, got {type(part).__name__}")
        if not parts:
            raise InputError("a message needs at least one part, got none")
        object.__setattr__(self, "parts", parts)

    @property
    def content(self) -> tuple[Part, ...]:
        """The parts as a tuple, also where they were given as one text."""
        return self.parts if isinstance(self.parts, tuple) else (TextPart(self.parts),)

    @property
    def text(self) -> str:
        """All texts of the message, without its images."""
        return "".join(part.text for part in self.content if isinstance(part, TextPart))

    @property
    def n_images(self) -> int:
        """How many images the message has."""
        return sum(isinstance(part, ImagePart) for part in self.content)


@dataclass(frozen=True)
class Parameters:
    """Settings of a reply; the model decides those that are ``None``.

    Attributes:
        temperature: 0 for the likeliest reply, above 0 for random ones.
        max_tokens: the length at which a reply is cut.
        top_p: the share of probability to sample from, above 0 and up to 1.
        seed: makes random replies repeatable if the model supports it.
        stop: texts that end the reply; they are not part of it.
        top_logprobs: how many of the likeliest tokens to return at each position with their
            log-probabilities, 0 to 20.
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
        if self.temperature is not None and not 0 <= self.temperature <= 100:  # noqa: PLR2004
            raise InputError(f"temperature must be from 0 to 100, got {self.temperature}")
        if self.max_tokens is not None and self.max_tokens < 1:
            raise InputError(f"max_tokens must be >= 1, got {self.max_tokens}")
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise InputError(f"top_p must be > 0 and <= 1, got {self.top_p}")
        if self.top_logprobs is not None and not 0 <= self.top_logprobs <= MOST_TOP_LOGPROBS:
            raise InputError(f"top_logprobs must be from 0 to {MOST_TOP_LOGPROBS}, got {self.top_logprobs}")
        if isinstance(self.stop, str):
            raise InputError(f"stop must be a tuple of texts, got the text {self.stop!r}")
        object.__setattr__(self, "stop", tuple(self.stop))


@dataclass(frozen=True)
class Request:
    """One call to a chat model.

    Attributes:
        messages: the conversation so far, at least one message.
        parameters: settings of the reply.
        sample: number that tells several replies to one conversation apart; it is not sent.

    Raises:
        InputError: there is no message, or ``sample`` is negative.

    Example:
        >>> request = Request.of("Is 7 prime?", system="Answer yes or no.", temperature=0.0)
        >>> [message.role for message in request.messages]
        ['system', 'user']
        >>> request.resampled(1).sample
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
                raise InputError(f"messages must be of Message, got {type(message).__name__}")
        if self.sample < 0:
            raise InputError(f"sample must be >= 0, got {self.sample}")

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

    def resampled(self, sample: int) -> Self:
        """Return a request for another reply to the same messages; a seed changes with the sample number."""
        seed = self.parameters.seed
        moved = (
            self.parameters if seed is None else replace(self.parameters, seed=seed + sample - self.sample)
        )
        return replace(self, parameters=moved, sample=sample)
