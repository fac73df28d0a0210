"""Batching across requests: waiting items run through a model together, in fair turns."""

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from semscale.serving.refusals import RefusedRequestError

Item = TypeVar("Item")
Part = TypeVar("Part")
Item_contra = TypeVar("Item_contra", contravariant=True)
Part_co = TypeVar("Part_co", covariant=True)

WORKERS = 2
"""Number of batches that run at once: the model works on one while the results of the other are returned."""

FULLEST = 4
"""Largest batch if many requests wait, as a multiple of the usual tokens."""

SLICE_TOKENS = 512
"""Estimated tokens that a request gets in each turn."""

LONGEST = 0.03
"""Longest wait for clients before a batch, as a share of the last batch's time."""

PAUSE = 0.02
"""Pause between requests that ends this wait, as a share of the last batch's time."""

OnBatch = Callable[[int, int | None], None]
"""Called after each batch with the number of its texts, and of its tokens (``None`` if not known)."""


class BatchedModel(Protocol[Item_contra, Part_co]):
    """Model that a batcher can run."""

    def size(self, item: Item_contra, /) -> int:
        """Return the number of tokens of an item, counted or estimated."""
        ...

    def run(
        self, items: Sequence[Item_contra], counts: Sequence[int], check: Callable[[], None], /
    ) -> Sequence[Part_co]:
        """Run the items of several requests through the model; several threads call it at once.

        Args:
            items: items of all requests, one request after the other.
            counts: number of items of each request.
            check: raises once nobody waits for the results; called between the model's own batches.

        Returns:
            The results of each request.
        """
        ...


class Batcher(Generic[Item, Part]):
    """Runs the items of many requests through a model together.

    The result of an item does not depend on the other items of its batch, as the engine pads no text. While a
    batch runs, new items wait until it ends or until they fill a whole batch. After a batch, the next one
    waits briefly for the clients that were just answered (``Gathering``). The more items a batch has, the
    more of them have the same length, and the fewer steps the model takes.

    Args:
        model: computes a batch.
        batch_tokens: estimated tokens up to which a batch takes more than one slice of a request. If many
            requests wait, a batch has up to ``FULLEST`` times as many, with the first slice of each request.
        workers: number of batches that run at once.
    """

    def __init__(
        self,
        model: BatchedModel[Item, Part],
        *,
        batch_tokens: int,
        workers: int = WORKERS,
    ) -> None:
        self._model = model
        self._batch_tokens, self._fullest = batch_tokens, FULLEST * batch_tokens
        self._waiting = TicketQueue()
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
    def waiting_items(self) -> int:
        """Number of items that wait for the model."""
        with self._ready:
            return self._waiting.n_items

    def submit(self, items: Sequence[Item]) -> Future[list[Part]]:
        """Put items in the queue.

        Args:
            items: at least one, none empty.

        Returns:
            A future with the results in the order of the items. If it is cancelled, items that are not yet in
            a batch leave the queue, and a batch in which nobody else has items ends early.

        Raises:
            RefusedRequestError: the service stops.
        """
        ticket: Ticket[Item, Part] = Ticket(items, [self._model.size(item) for item in items])
        with self._ready:
            if self._closed:
                raise RefusedRequestError(500, "the service has stopped")
            self._waiting.add(ticket)
            self._gathering.record_request(time.monotonic())
            self._ready.notify()
        ticket.future.add_done_callback(lambda _: self._drop(ticket))
        return ticket.future

    def _drop(self, ticket: "Ticket[Item, Part]") -> None:
        with self._ready:
            self._waiting.drop(ticket)

    def close(self, seconds: float = 30.0) -> bool:
        """Stop the threads once the queue is empty.

        Args:
            seconds: longest time to wait for them.

        Returns:
            True if all have ended.
        """
        with self._ready:
            self._closed = True
            self._ready.notify_all()
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _work(self) -> None:
        while batch := self._next_batch():
            items = [item for ticket, span in batch.items() for item in ticket.items[span.start : span.stop]]
            started = time.monotonic()
            try:
                parts = self._model.run(
                    items, [len(span) for span in batch.values()], partial(check_wanted, list(batch))
                )
            except Exception as error:
                self._fail(batch, error)
            else:
                self._hand_out(batch, parts, time.monotonic() - started)

    def _next_batch(self) -> "Batch":
        with self._ready:
            while (seconds := self._seconds_to_next()) != 0:
                self._ready.wait(seconds)
            batch = self._waiting.take(self._batch_tokens, self._fullest)
            self._under_way += 1
            if self._waiting:
                self._ready.notify()
            return batch

    def _seconds_to_next(self) -> float | None:
        """Return the seconds until the next batch starts; ``None`` if only an event can start it."""
        if self._closed or self._waiting.tokens >= self._fullest:
            return 0.0
        if self._under_way or not self._waiting:
            return None
        return self._gathering.left(time.monotonic())

    def _hand_out(self, batch: "Batch", parts: Sequence[Part], seconds: float) -> None:
        """Let the next batch start, and set the results of this batch, which took ``seconds``."""
        with self._ready:
            for (ticket, span), part in zip(batch.items(), parts, strict=True):
                ticket.parts[span.start] = part
                ticket.missing -= len(span)
            finished = [ticket for ticket in batch if not ticket.missing]
            self._under_way -= 1
            self._gathering.record_answers(len(finished), seconds, time.monotonic())
            self._ready.notify()
        for ticket in finished:
            if ticket.future.set_running_or_notify_cancel():
                ticket.future.set_result([part for _, part in sorted(ticket.parts.items())])

    def _fail(self, batch: "Batch", error: Exception) -> None:
        with self._ready:
            self._under_way -= 1
            self._ready.notify()
            failed = [ticket for ticket in batch if not ticket.has_failed]
            for ticket in failed:
                ticket.has_failed = True
        for ticket in failed:
            if ticket.future.set_running_or_notify_cancel():
                ticket.future.set_exception(error)


class Gathering:
    """Delays the next batch briefly for the clients that the last batch answered.

    One batch of all requests is faster than two batches of half of them. Without the wait, the next batch
    would start with the requests that came during the last one, and clients that were just answered would
    always miss it. A batch waits only after requests were answered, so neither the first request of an idle
    service nor the rest of a long request waits. Times are seconds of one clock, which the caller reads.

    Examples:
        >>> gathering = Gathering()
        >>> gathering.record_answers(2, seconds=10.0, now=100.0)
        >>> gathering.record_request(now=100.0625)
        >>> round(gathering.left(now=100.0625), 4)  # PAUSE of 10 s
        0.2
        >>> gathering.record_request(now=100.125)  # both have asked again
        >>> gathering.left(now=100.125)
        0.0
    """

    def __init__(self) -> None:
        self._expected = 0
        self._until = self._pause = self._last = 0.0

    def record_answers(self, n: int, seconds: float, now: float) -> None:
        """Record that a batch, which took ``seconds``, answered ``n`` requests."""
        self._expected = n
        self._until, self._pause, self._last = now + LONGEST * seconds, PAUSE * seconds, now

    def record_request(self, now: float) -> None:
        """Record a request."""
        self._expected -= 1
        self._last = now

    def left(self, now: float) -> float:
        """Return the seconds that the next batch still waits; 0 if all clients asked again or had time to."""
        if self._expected <= 0:
            return 0.0
        return max(0.0, min(self._until, self._last + self._pause) - now)


@dataclass(eq=False)
class Ticket(Generic[Item, Part]):
    """Items of one request and their results so far.

    Attributes:
        items: n items, such as texts.
        sizes: estimated tokens of each item.
        future: receives the results of all items.
        accepted: number of items that are in a batch or finished.
        missing: number of items without a result.
        parts: results so far, by the index of their first item.
        has_failed: true if the model failed.
    """

    items: Sequence[Item]
    sizes: Sequence[int]
    future: Future[list[Part]] = field(default_factory=Future)
    accepted: int = 0
    missing: int = 0
    parts: dict[int, Part] = field(default_factory=dict)
    has_failed: bool = False

    def __post_init__(self) -> None:
        self.missing = len(self.items)

    @property
    def waiting_tokens(self) -> int:
        """Estimated tokens of the items that are not yet in a batch."""
        return sum(self.sizes[self.accepted :])


Batch = dict[Ticket[Any, Any], range]
"""Tickets of a batch, each with the indices of its items."""


def check_wanted(tickets: Sequence[Ticket[Any, Any]]) -> None:
    """Raise if all tickets were cancelled.

    Raises:
        CancelledError: nobody waits for any of their results.
    """
    if all(ticket.future.cancelled() for ticket in tickets):
        raise CancelledError


class TicketQueue:
    """Queue of tickets that take turns, so that a large request does not delay small ones.

    Callers must hold a lock.

    Attributes:
        tokens: estimated tokens of all waiting items.
    """

    def __init__(self) -> None:
        self._tickets: deque[Ticket[Any, Any]] = deque()
        self.tokens = 0

    def __len__(self) -> int:
        return len(self._tickets)

    @property
    def n_items(self) -> int:
        """Number of items that wait."""
        return sum(len(ticket.items) - ticket.accepted for ticket in self._tickets)

    def add(self, ticket: Ticket[Any, Any]) -> None:
        """Put a ticket at the end of the queue."""
        self._tickets.append(ticket)
        self.tokens += ticket.waiting_tokens

    def drop(self, ticket: Ticket[Any, Any]) -> None:
        """Remove the items of a ticket that are not yet in a batch."""
        if ticket in self._tickets:
            self._tickets.remove(ticket)
            self.tokens -= ticket.waiting_tokens

    def take(self, budget: int, most: int | None = None) -> Batch:
        """Remove and return a batch: a slice of each ticket in turn, until the budget is used up.

        Args:
            budget: estimated tokens; a batch has at least one item.
            most: estimated tokens up to which tickets still get their first slice, so that a batch contains
                many small tickets; by default ``budget``.

        Returns:
            The items of each ticket, in the order of the turns.
        """
        batch: Batch = {}
        used = 0
        while self._tickets:
            ticket = self._tickets[0]
            left = (budget if ticket in batch or most is None else most) - used
            if left <= 0:
                break
            self._tickets.popleft()
            start = batch[ticket].start if ticket in batch else ticket.accepted
            used += _take_slice(ticket, min(SLICE_TOKENS, left))
            batch[ticket] = range(start, ticket.accepted)
            if ticket.accepted < len(ticket.items):
                self._tickets.append(ticket)
        self.tokens -= used
        return batch


def _take_slice(ticket: Ticket[Any, Any], most: int) -> int:
    """Take a slice of at least one item from a ticket, and return its tokens."""
    used = 0
    for size in ticket.sizes[ticket.accepted :]:
        if used and used + size > most:
            break
        used += size
        ticket.accepted += 1
    return used
