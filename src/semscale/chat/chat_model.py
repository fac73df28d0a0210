"""The protocol of a chat model, and the lifetime of its connections."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol, runtime_checkable

from semscale.chat.messages import Request
from semscale.chat.replies import Reply
from semscale.errors import InputError
from semscale.signature import Signature


@runtime_checkable
class ChatModel(Protocol):
    """A chat model that answers requests; an extension point (entry-point group ``semscale``).

    A model that holds connections may have a coroutine ``aclose()``, which is awaited at the end of a run.
    One that needs a key may have ``check_run(*, stores_replies: bool)``. It is called before a run sends
    anything, and raises ``InputError`` where no call can succeed, or where replies are stored and nothing
    tells this model from others.
    """

    @property
    def name(self) -> str:
        """The model's name in price tables and messages."""
        ...

    @property
    def signature(self) -> Signature:
        """Model, engine and endpoint, without secrets: what decides a reply besides the request."""
        ...

    async def complete(self, request: Request) -> Reply:
        """Send one request once; the :class:`~semscale.chat.runner.Runner` waits and repeats.

        Raises:
            CallError: there is no reply; ``kind`` says why.
        """
        ...


def checked_chat_model(model: ChatModel) -> ChatModel:
    """Return the model if ledgers and reports can name it.

    Raises:
        InputError: something is missing, its name is no text, or its signature is no ``Signature``.
    """
    kind = type(model).__name__
    if not isinstance(model, ChatModel):
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
    """Ask a model whether a run may begin, if it has ``check_run``.

    Raises:
        InputError: no call can succeed, or stored replies could be those of another model.
    """
    check = getattr(model, "check_run", None)
    if check is not None:
        check(stores_replies=stores_replies)


_runs: Counter[tuple[int, int]] = Counter()


@asynccontextmanager
async def held_open(model: ChatModel) -> AsyncIterator[None]:
    """Close the model at the end of the block, unless another block in this event loop still uses it."""
    place = (id(model), id(asyncio.get_running_loop()))
    _runs[place] += 1
    try:
        yield
    finally:
        _runs[place] -= 1
        close = getattr(model, "aclose", None)
        if not _runs[place]:
            del _runs[place]
            if close is not None:
                await close()
