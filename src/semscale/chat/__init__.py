"""Chat models (endpoints, LangChain models, models on this machine) and runs of many calls to one."""

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
