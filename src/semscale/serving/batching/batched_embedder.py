"""An embedder for instruments that work in threads: its texts share batches with those of other requests."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from semscale.embedding.embedder import Embedder, Embeddings, anchor_embedder
from semscale.embedding.texts import checked_texts, distinct
from semscale.errors import SemscaleError
from semscale.serving.batching.batcher import Batcher
from semscale.serving.batching.waiting_texts import Ticket
from semscale.signature import Signature
from semscale.types import Progress


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


class BatchedEmbedder:
    """Embeds texts through a batcher; the vectors are those of the embedder behind it.

    Args:
        batcher: puts the texts through the model.
    """

    def __init__(self, batcher: Batcher) -> None:
        self._batcher = batcher

    @property
    def embedder(self) -> Embedder:
        """The embedder behind the batcher, which methods ask that read the states of tokens."""
        return self._batcher.embedder

    @property
    def for_anchors(self) -> Embedder:
        """The embedder of anchors: its texts are few, so they share no batches."""
        behind = anchor_embedder(self.embedder)
        return self if behind is self.embedder else behind

    @property
    def dimensions(self) -> int:
        """Width of a vector."""
        return self.embedder.dimensions

    @property
    def signature(self) -> Signature:
        """That of the embedder behind it, as batches change no number."""
        return self.embedder.signature

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        """Embed texts in their order; equal texts are computed once.

        Raises:
            AbandonedError: nobody waits for the work any more.
            RefusedRequestError: too many texts wait.
        """
        unique, where = distinct(checked_texts(texts))
        if not unique:
            width = self.dimensions
            return Embeddings(np.empty((0, width), np.float32), np.empty(0, np.int64))
        errand, ready = ERRAND.get() or Errand(), threading.Event()
        errand.check()
        with errand.waking(ready):
            ticket = self._batcher.submit(unique, _setting(ready), is_bounded=errand.is_bounded)
            ready.wait()
        try:
            errand.check()
        except AbandonedError:
            self._batcher.drop(ticket)
            raise
        if progress:
            progress("embedding", len(unique), len(unique))
        return ticket.embeddings().spread(where)


def _setting(ready: threading.Event) -> Callable[[Ticket], None]:
    def set_ready(_: Ticket) -> None:
        ready.set()

    return set_ready
