"""Ledger keys: hashes of everything that decides a reply."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from semscale.chat.chat_model import ChatModel
from semscale.chat.messages import Request, TextPart
from semscale.errors import InputError

KEY_BYTES = 20


class ContentKeys:
    """Computes the keys of requests to one model.

    Args:
        model: its name and signature are part of every key; the version of Semscale is not.

    Example:
        >>> from semscale.signature import Signature
        >>> class Echo:
        ...     name, signature = "echo", Signature.of("chat", engine="echo")
        >>> keys = ContentKeys(Echo())
        >>> keys.of(Request.of("a")) == keys.of(Request.of("a")), keys.of(Request.of("a", sample=1)).hex()[:0]
        (True, '')
    """

    def __init__(self, model: ChatModel) -> None:
        identity = [model.name, model.signature.instrument, model.signature.fields]
        self._start = hashlib.blake2b(_canonical(identity), digest_size=KEY_BYTES)

    def of(self, request: Request) -> bytes:
        """Return the key of a request: 20 bytes of BLAKE2b over its messages, parameters and sample."""
        state = self._start.copy()
        state.update(_canonical(_content(request)))
        return state.digest()


def _content(request: Request) -> list[Any]:
    messages = [
        [
            message.role,
            [
                ["text", part.text] if isinstance(part, TextPart) else ["image", part.content_hash]
                for part in message.content
            ],
        ]
        for message in request.messages
    ]
    parameters = {
        name: value for name, value in vars(request.parameters).items() if value not in (None, (), {})
    }
    return [messages, parameters, request.sample]


def _canonical(content: object) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":"), default=_plain).encode()


def _plain(value: object) -> dict[Any, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise InputError(f"a request's parameters must be what JSON can hold, got {type(value).__name__}")
