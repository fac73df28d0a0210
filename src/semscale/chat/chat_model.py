"""The protocol of a chat model."""

from typing import Protocol, runtime_checkable

from semscale.chat.messages import Request
from semscale.chat.replies import Reply
from semscale.signature import Signature


@runtime_checkable
class ChatModel(Protocol):
    """A chat model that answers requests; an extension point (entry-point group ``semscale``).

    A model that holds connections may have a coroutine ``aclose()``, which is awaited at the end of a run.
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
