"""Chat models (endpoints, LangChain models, models on this machine) and runs of many calls to one."""

from semscale.chat.chat_model import ChatModel
from semscale.chat.loading import load_chat_model
from semscale.chat.messages import ImagePart, Message, Parameters, Request, TextPart
from semscale.chat.replies import CallError, FailureKind, Reply, TokenLogprob, Usage

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
