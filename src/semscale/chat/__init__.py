"""Chat models (endpoints, LangChain models, local models) and runs of many calls to a model."""

from semscale.chat.chat_model import ChatModel, load_chat_model
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
