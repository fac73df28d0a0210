"""The protocol of a chat model, and the check of one that a user brings."""

from typing import Protocol, runtime_checkable

from semscale.chat.messages import Request
from semscale.chat.replies import Reply
from semscale.errors import InputError
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
