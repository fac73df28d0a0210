"""The protocol of a chat model, the lifetime of its connections, and loading by name."""

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.metadata import entry_points
from typing import Protocol, TypeVar, runtime_checkable

from semscale.chat.decision_formats import DecisionModel
from semscale.chat.local import GGUF
from semscale.chat.messages import Reply, Request
from semscale.errors import InputError, UnknownNameError
from semscale.messages import did_you_mean, nearest_name
from semscale.signature import Signature
from semscale.types import Progress
from semscale.weights.known import KNOWN, find_known


@runtime_checkable
class ChatModel(Protocol):
    """A chat model that answers requests; an extension point (entry-point group ``semscale``).

    A model that holds connections may have a coroutine ``aclose()``, which is awaited at the end of a run.
    One that needs a key may have ``check_run(*, stores_replies: bool)``. It is called before a run sends
    anything, and raises ``InputError`` if no call can succeed, or if replies are stored and nothing
    distinguishes this model from others.
    """

    @property
    def name(self) -> str:
        """The model's name in price tables and messages."""
        ...

    @property
    def signature(self) -> Signature:
        """Model, engine and endpoint, without secrets: all that affects a reply besides the request."""
        ...

    async def complete(self, request: Request) -> Reply:
        """Send one request once; the :class:`~semscale.chat.runner.Runner` waits and repeats.

        Raises:
            CallError: there is no reply; ``kind`` says why.
        """
        ...


M = TypeVar("M", bound="Model")

Model = ChatModel | DecisionModel
"""A model that answers calls of a run: requests, decisions, or both."""


def validate_chat_model(model: M) -> M:
    """Return the model after checking that it has all attributes of a chat model or a decision model.

    Raises:
        InputError: an attribute is missing, its name is not text, or its signature is not a ``Signature``.
    """
    kind = type(model).__name__
    if not isinstance(model, ChatModel | DecisionModel):
        raise InputError(f"a chat model must have name, signature and complete, got {kind}")
    if not isinstance(model.name, str) or not model.name:
        raise InputError(f"the name of a chat model must be a text, got {model.name!r:.60} from {kind}")
    if not isinstance(model.signature, Signature):
        raise InputError(
            "the signature of a chat model must be a semscale.signature.Signature, such as "
            f'Signature.of("chat", model="{kind.lower()}"), got {model.signature!r:.60} from {kind}'
        )
    return model


def check_run(model: object, *, stores_replies: bool) -> None:
    """Call a model's ``check_run``, if it has one.

    Raises:
        InputError: no call can succeed, or stored replies could be those of another model.
    """
    check = getattr(model, "check_run", None)
    if check is not None:
        check(stores_replies=stores_replies)


_runs: Counter[tuple[int, int]] = Counter()


@asynccontextmanager
async def keep_open(model: Model) -> AsyncIterator[None]:
    """Close the model at the end of the block, unless another block in the same event loop still uses it."""
    use = (id(model), id(asyncio.get_running_loop()))
    _runs[use] += 1
    try:
        yield
    finally:
        _runs[use] -= 1
        close = getattr(model, "aclose", None)
        if not _runs[use]:
            del _runs[use]
            if close is not None:
                await close()


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
