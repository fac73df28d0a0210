"""Chat models (endpoints, LangChain models, local models) and runs of many calls to a model.

Names load when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from semscale.chat.chat_model import ChatModel
    from semscale.chat.loading import load_chat_model
    from semscale.chat.messages import (
        CallError,
        FailureKind,
        ImagePart,
        Message,
        Parameters,
        Reply,
        Request,
        TextPart,
        TokenLogprob,
        Usage,
    )

__all__ = [
    "CallError",
    "ChatModel",
    "FailureKind",
    "ImagePart",
    "Message",
    "Parameters",
    "Reply",
    "Request",
    "TextPart",
    "TokenLogprob",
    "Usage",
    "load_chat_model",
]


def __getattr__(name: str) -> object:
    """Load a public name when it is first used, so that settings of calls import no model."""
    if name not in __all__:
        raise AttributeError(f"module 'semscale.chat' has no attribute {name!r}")
    home = {"ChatModel": "chat_model", "load_chat_model": "loading"}.get(name, "messages")
    value: object = getattr(import_module(f"semscale.chat.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
