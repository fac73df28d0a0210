"""Batches across requests: what waits is put through the model together, in threads of its own."""

import threading
import time
from collections.abc import Callable, Sequence

from semscale.embedding.embedder import Embedder
from semscale.serving.batching.waiting_texts import TextSlice, Ticket, WaitingTexts, cut
from semscale.serving.refusals import FAILED, TOO_MANY, RefusedRequestError

WORKERS = 2
"""Batches under way at once: while one is handed out, the model works on the other."""

_RETRY_AFTER = 1


class Batcher:
    """Puts the texts of many requests through a model together.

    The vector of a text does not depend on the other texts of its batch: the engine pads no text.

    Args:
        embedder: the model; its ``embed`` is called from several threads at once.
        batch_tokens: tokens, estimated, of a batch.
        waiting_tokens: tokens, estimated, that may wait; above that, requests are refused.
        workers: batches under way at once.
        heard: called after each batch with the number of its texts and tokens (``None`` if not known).
    """

    def __init__(
        self,
        embedder: Embedder,
        *,
        batch_tokens: int,
        waiting_tokens: int,
        workers: int = WORKERS,
        heard: Callable[[int, int | None], None] | None = None,
    ) -> None:
        self.embedder = embedder
        self._batch_tokens = batch_tokens
        self._most_waiting = waiting_tokens
        self._heard = heard
        self._waiting = WaitingTexts()
        self._ready = threading.Condition()
        self._closed = False
        self._threads = [
            threading.Thread(target=self._work, name=f"batches-{number}", daemon=True)
            for number in range(workers)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def waiting_tokens(self) -> int:
        """Estimated tokens that wait for the model."""
        return self._waiting.tokens

    @property
    def waiting_texts(self) -> int:
        """Texts that wait for the model."""
        with self._ready:
            return self._waiting.n_texts

    def submit(
        self, texts: Sequence[str], done: Callable[[Ticket], None], *, is_bounded: bool = True
    ) -> Ticket:
        """Put texts in the line.

        Args:
            texts: at least one, none empty.
            done: called from another thread when all vectors are there, or the model failed.
            is_bounded: whether to refuse the texts where too many wait; jobs wait as long as it takes.

        Raises:
            RefusedRequestError: too many texts wait, or the service stops.
        """
        ticket = Ticket(texts, done)
        with self._ready:
            if self._closed:
                raise RefusedRequestError(FAILED, "the service has stopped")
            if (
                is_bounded
                and self._waiting.tokens + ticket.waiting_tokens > self._most_waiting
                and self._waiting
            ):
                raise RefusedRequestError(
                    TOO_MANY,
                    "too many texts wait for the model: try again later",
                    retry_after=_RETRY_AFTER,
                )
            self._waiting.add(ticket)
            self._ready.notify()
        return ticket

    def drop(self, ticket: Ticket) -> None:
        """Take out the texts that the model has not taken; nobody waits for them any more."""
        with self._ready:
            self._waiting.drop(ticket)

    def close(self, seconds: float = 30.0) -> bool:
        """Stop the threads once the line is empty.

        Args:
            seconds: to wait for them.

        Returns:
            Whether all have ended.
        """
        with self._ready:
            self._closed = True
            self._ready.notify_all()
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _work(self) -> None:
        while shares := self._next_batch():
            self._embed(shares)

    def _next_batch(self) -> list[TextSlice]:
        with self._ready:
            self._ready.wait_for(lambda: self._waiting or self._closed)
            shares = self._waiting.take(self._batch_tokens)
            if self._waiting:
                self._ready.notify()
            return shares

    def _embed(self, shares: Sequence[TextSlice]) -> None:
        texts = [text for share in shares for text in share.texts]
        try:
            found = self.embedder.embed(texts)
        except Exception as error:  # noqa: BLE001 - whoever waits is told
            self._fail(shares, error)
            return
        if self._heard:
            self._heard(len(texts), None if found.tokens is None else int(found.tokens.sum()))
        start, finished = 0, []
        with self._ready:
            for share in shares:
                stop = start + share.stop - share.start
                share.ticket.put(share.start, cut(found, start, stop))
                start = stop
                if not share.ticket.missing:
                    finished.append(share.ticket)
        for ticket in finished:
            ticket.done(ticket)

    def _fail(self, shares: Sequence[TextSlice], error: Exception) -> None:
        with self._ready:
            failed = [share.ticket for share in shares if share.ticket.error is None]
            for ticket in failed:
                ticket.error = error
                self._waiting.drop(ticket)
        for ticket in failed:
            ticket.done(ticket)
