"""Loading of chat models by their names."""

import os
from collections.abc import Callable
from importlib.metadata import entry_points

from semscale.chat.chat_model import ChatModel, validate_chat_model
from semscale.chat.local import GGUF
from semscale.errors import InputError, UnknownNameError
from semscale.messages import did_you_mean, nearest_name
from semscale.types import Progress
from semscale.weights.known import KNOWN, find_known

PREFIX = "chat."
"""Prefix of chat engines' names in the entry-point group ``semscale``, which embedders share."""


Build = Callable[[str, str | None, Progress | None], ChatModel]


def load_chat_model(
    model: object,
    *,
    base_url: str | None = None,
    engine: str = "auto",
    key_variable: str | None = "OPENAI_API_KEY",
    progress: Progress | None = None,
) -> ChatModel:
    """Load a chat model.

    Args:
        model: a model's name at an endpoint; ``local``, ``SmolLM2-135M-Instruct`` or the path of a GGUF file;
            any LangChain ``BaseChatModel``; or a :class:`ChatModel`, which is returned unchanged.
        base_url: address of an OpenAI-compatible endpoint; by default ``OPENAI_BASE_URL``, or else OpenAI's.
        engine: ``openai`` (any compatible endpoint; needs ``semscale[api]``), ``local`` (needs
            ``semscale[local]``), another package's engine, registered as ``chat.NAME`` in the entry-point
            group ``semscale``, or ``auto``: ``local`` for names of local models, else ``openai``.
        key_variable: the environment variable that holds the endpoint's key; with ``None`` no key is sent.
        progress: called while weights are pulled.

    Returns:
        A chat model; a local model loads its weights at the first request.

    Raises:
        InputError: an unknown engine, an invalid address, or a model without a ``Signature``. A missing key
            is reported before the first call, as a forecast needs none.
        ModelError: a local model's files are missing and cannot be pulled.
        MissingExtraError: the engine's extra is not installed.
    """
    from semscale.chat.langchain import LangChainChat, is_langchain

    if is_langchain(model):
        return LangChainChat(model)  # type: ignore[arg-type]  # recognised by its methods
    if isinstance(model, ChatModel):
        return validate_chat_model(model)
    name = str(os.fspath(model)) if isinstance(model, str | os.PathLike) else ""
    if not name:
        raise InputError(
            f"a chat model must be a name, a LangChain chat model or a ChatModel, got {type(model).__name__}"
        )
    if engine == "auto":
        engine = "local" if base_url is None and is_local(name) else "openai"
    if engine == "openai":
        return _endpoint(name, base_url, key_variable)
    return validate_chat_model(_engine(engine)(name, base_url, progress))


def is_local(name: str) -> bool:
    """Return true for the name of a model that runs on this machine."""
    known = find_known(name)
    return name == "local" or name.endswith(GGUF) or (known is not None and known.is_chat)


def _endpoint(name: str, base_url: str | None, key_variable: str | None) -> ChatModel:
    from semscale.chat.endpoint import EndpointChat

    local = [model.name for model in KNOWN.values() if model.is_chat]
    near = nearest_name(name, ["local", *local])
    hint = "" if near is None else f"; or did you mean {near!r}, on this machine?"
    return EndpointChat(name, base_url=base_url, key_variable=key_variable, hint=hint)


def _local(name: str, base_url: str | None, progress: Progress | None) -> ChatModel:
    from semscale.chat.local import LocalChat, find_local_model

    if base_url is not None:
        raise InputError(
            "chat:base_url", f"is of an endpoint, and {name} is a model of this machine: leave one out"
        )
    LocalChat.check_installed()
    return LocalChat(find_local_model(name, progress=progress))


def _engine(engine: str) -> Build:
    if engine == "local":
        return _local
    points = entry_points(group="semscale")
    offered = {point.name.removeprefix(PREFIX): point for point in points if point.name.startswith(PREFIX)}
    if engine in offered:
        build: Build = offered[engine].load()
        return build
    names = ["auto", "openai", "local", *offered]
    hint = did_you_mean(engine, names)
    raise UnknownNameError("engine", f"must be one of {', '.join(names)}, got {engine!r}{hint}")
