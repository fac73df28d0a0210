"""The protocol of a chat model, and the lifetime of its connections."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol, TypeVar, runtime_checkable

from semscale.chat.decision_formats import DecisionModel
from semscale.chat.messages import Reply, Request
from semscale.errors import InputError
from semscale.signature import Signature


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
