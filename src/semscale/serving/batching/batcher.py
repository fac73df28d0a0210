"""Batches across requests: what waits is put through the model together, in threads of its own."""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from semscale.serving.batching.gathering import Gathering
from semscale.serving.batching.ticket_line import Item, Part, Ticket, TicketLine, TicketShare
from semscale.serving.refusals import FAILED, TOO_MANY, RefusedRequestError

WORKERS = 2
"""Batches under way at once: while one is handed out, the model works on the other."""

FULLEST = 4
"""How many times the tokens of a batch it may have where many requests wait."""

_RETRY_AFTER = 1


Item_contra = TypeVar("Item_contra", contravariant=True)
Part_co = TypeVar("Part_co", covariant=True)


class BatchedModel(Protocol[Item_contra, Part_co]):
    """A model, as a batcher runs it."""

    def size(self, item: Item_contra, /) -> int:
        """Count or estimate the tokens of an item."""
        ...

    def run(self, items: Sequence[Item_contra], counts: Sequence[int], /) -> Sequence[Part_co]:
        """Put the items of several requests through the model, at once from several threads.

        Args:
            items: of all requests, one request after the other.
            counts: how many items each request has.

        Returns:
            The results of each request.
        """
        ...


class Batcher(Generic[Item, Part]):
    """Puts the items of many requests through a model together.

    The result of an item does not depend on the other items of its batch: the engine pads no text. While a
    batch is under way, what comes waits for it or until there is enough for a whole one; after a batch, the
    next one waits a moment for those who were just answered (``Gathering``). The more items a batch has, the
    more have the same length, and the fewer steps the model takes.

    Args:
        model: takes a batch.
        batch_tokens: tokens, estimated, up to which a batch takes more than one slice of a request. It has up
            to ``FULLEST`` times as many where many requests wait: each has its first slice in it.
        waiting_tokens: tokens, estimated, that may wait; above that, requests are refused.
        workers: batches under way at once.
    """

    def __init__(
        self,
        model: BatchedModel[Item, Part],
        *,
        batch_tokens: int,
        waiting_tokens: int,
        workers: int = WORKERS,
    ) -> None:
        self._model = model
        self._batch_tokens, self._fullest = batch_tokens, FULLEST * batch_tokens
        self._most_waiting = waiting_tokens
        self._waiting = TicketLine()
        self._ready = threading.Condition()
        self._closed = False
        self._under_way = 0
        self._gathering = Gathering()
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
    def waiting_items(self) -> int:
        """Items that wait for the model."""
        with self._ready:
            return self._waiting.n_items

    def submit(
        self,
        items: Sequence[Item],
        done: Callable[[Ticket[Item, Part]], None],
        *,
        is_bounded: bool = True,
    ) -> Ticket[Item, Part]:
        """Put items in the line.

        Args:
            items: at least one, none empty.
            done: called from another thread when all results are there, or the model failed.
            is_bounded: whether to refuse the items where too many wait; jobs wait as long as it takes.

        Raises:
            RefusedRequestError: too many items wait, or the service stops.
        """
        ticket = Ticket(items, [self._model.size(item) for item in items], done)
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
            self._gathering.asked(time.monotonic())
            self._ready.notify()
        return ticket

    def drop(self, ticket: Ticket[Item, Part]) -> None:
        """Take out the items that the model has not taken; nobody waits for them any more."""
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
            items = [item for share in shares for item in share.items]
            started = time.monotonic()
            try:
                parts = self._model.run(items, [share.stop - share.start for share in shares])
            except Exception as error:  # noqa: BLE001 - whoever waits is told
                self._fail(shares, error)
                continue
            self._hand_out(shares, parts, time.monotonic() - started)

    def _next_batch(self) -> list[TicketShare]:
        with self._ready:
            while (moment := self._moment()) != 0:
                self._ready.wait(moment)
            shares = self._waiting.take(self._batch_tokens, self._fullest)
            self._under_way += 1
            if self._waiting:
                self._ready.notify()
            return shares

    def _moment(self) -> float | None:
        """Give the seconds until the next batch begins, if nothing happens before; ``None``: not without."""
        if self._closed or self._waiting.tokens >= self._fullest:
            return 0.0
        if self._under_way or not self._waiting:
            return None
        return self._gathering.left(time.monotonic())

    def _hand_out(self, shares: Sequence[TicketShare], parts: Sequence[Part], seconds: float) -> None:
        """Let the next batch begin, and give the results of this one, which took some seconds."""
        finished = []
        with self._ready:
            for share, part in zip(shares, parts, strict=True):
                share.ticket.put(share.start, share.stop - share.start, part)
                if not share.ticket.missing:
                    finished.append(share.ticket)
            self._under_way -= 1
            self._gathering.answered(len(finished), seconds, time.monotonic())
            self._ready.notify()
        for ticket in finished:
            ticket.done(ticket)

    def _fail(self, shares: Sequence[TicketShare], error: Exception) -> None:
        with self._ready:
            self._under_way -= 1
            self._ready.notify()
            failed = [share.ticket for share in shares if share.ticket.error is None]
            for ticket in failed:
                ticket.error = error
                self._waiting.drop(ticket)
        for ticket in failed:
            ticket.done(ticket)
