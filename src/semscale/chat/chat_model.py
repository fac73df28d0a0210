"""What turns a request into a reply."""

from typing import Protocol, runtime_checkable

from semscale.chat.messages import Request
from semscale.chat.replies import Reply
from semscale.signature import Signature


@runtime_checkable
class ChatModel(Protocol):
    """Answers requests; an extension point (entry-point group ``semscale``).

    A model that holds connections may have a coroutine ``aclose()``, which is awaited at the end of a run.
    """

    @property
    def name(self) -> str:
        """The model's name, as price tables and messages have it."""
        ...

    @property
    def signature(self) -> Signature:
        """Model, engine and endpoint: what decides replies besides the request, without any secret."""
        ...

    async def complete(self, request: Request) -> Reply:
        """Send one request, once; waiting and repeating is left to the :class:`~semscale.chat.runner.Runner`.

        Raises:
            CallError: there is no reply; its kind says why.
        """
        ...
