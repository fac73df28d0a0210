"""Work in threads that can be abandoned, and that waits for batches."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Generic

from semscale.errors import SemscaleError
from semscale.serving.batching.batcher import Batcher
from semscale.serving.batching.ticket_line import Item, Part, Ticket


class AbandonedError(SemscaleError):
    """Nobody waits for the work any more."""


class Errand:
    """Work in a thread that can be abandoned from another one.

    Args:
        is_bounded: whether its texts are refused where too many wait; jobs wait.
    """

    def __init__(self, *, is_bounded: bool = True) -> None:
        self.is_bounded = is_bounded
        self._abandoned = threading.Event()
        self._wake: list[threading.Event] = []

    def abandon(self) -> None:
        """Let the work end at its next step."""
        self._abandoned.set()
        for event in list(self._wake):
            event.set()

    def check(self) -> None:
        """Raise if the work was abandoned.

        Raises:
            AbandonedError: it was.
        """
        if self._abandoned.is_set():
            raise AbandonedError("nobody waits for the work any more")

    @contextmanager
    def waking(self, event: threading.Event) -> Iterator[None]:
        """Set the event, too, when the work is abandoned."""
        self._wake.append(event)
        try:
            yield
        finally:
            self._wake.remove(event)


ERRAND: ContextVar[Errand | None] = ContextVar("errand", default=None)
"""The work that the current thread does."""


class Delivery(Generic[Item, Part]):
    """Items of the current thread's work, sent to a batcher.

    Args:
        batcher: puts them through the model.
        items: at least one.
        is_bounded: whether they are refused where too many wait; by default as the work says.

    Raises:
        AbandonedError: nobody waits for the work any more.
        RefusedRequestError: too many items wait.
    """

    def __init__(
        self, batcher: Batcher[Item, Part], items: Sequence[Item], *, is_bounded: bool | None = None
    ) -> None:
        self._batcher = batcher
        self._errand = ERRAND.get() or Errand()
        self._ready = threading.Event()
        self._errand.check()
        bounded = self._errand.is_bounded if is_bounded is None else is_bounded
        self._ticket = batcher.submit(items, self._is_there, is_bounded=bounded)

    def wait(self) -> list[Part]:
        """Wait for all results, and give them in the order of the items.

        Raises:
            AbandonedError: nobody waits for the work any more.
            Exception: the model failed.
        """
        try:
            with self._errand.waking(self._ready):
                self._errand.check()
                self._ready.wait()
            self._errand.check()
        except AbandonedError:
            self.drop()
            raise
        return self._ticket.parts()

    def drop(self) -> None:
        """Take out of the line what still waits there."""
        self._batcher.drop(self._ticket)

    def _is_there(self, _: Ticket[Item, Part]) -> None:
        self._ready.set()
