"""Items that wait for a model, taken in turns so that a large request does not hold up small ones."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

Item = TypeVar("Item")
Part = TypeVar("Part")

SLICE_TOKENS = 512
"""Tokens, estimated, that a request gets in each turn."""


@dataclass(eq=False)
class Ticket(Generic[Item, Part]):
    """The items of one request on their way through the model.

    Attributes:
        items: n items, such as texts.
        sizes: estimated tokens of each item.
        done: called once, from the thread of the model, when all results are there or the model failed.
        taken: how many items the model has taken.
        missing: how many items have no result yet.
        dropped: whether nobody waits for the results any more.
        error: why the model failed.
    """

    items: Sequence[Item]
    sizes: Sequence[int]
    done: "Callable[[Ticket[Item, Part]], None]"
    taken: int = 0
    missing: int = 0
    dropped: bool = False
    error: Exception | None = None
    _parts: list[tuple[int, Part]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.missing = len(self.items)

    @property
    def waiting_tokens(self) -> int:
        """Estimated tokens of the items that the model has not taken."""
        return sum(self.sizes[self.taken :])

    def put(self, start: int, n: int, part: Part) -> None:
        """Take the results of ``n`` items from ``start`` on."""
        self._parts.append((start, part))
        self.missing -= n

    def parts(self) -> list[Part]:
        """Give all results, in the order of the items.

        Raises:
            Exception: the model failed.
        """
        if self.error is not None:
            raise self.error
        return [part for _, part in sorted(self._parts, key=lambda each: each[0])]


class TicketShare(NamedTuple):
    """Items of a ticket that are taken together, from one up to another."""

    ticket: Ticket[Any, Any]
    start: int
    stop: int

    @property
    def items(self) -> Sequence[Any]:
        """The items."""
        return self.ticket.items[self.start : self.stop]


class TicketLine:
    """Tickets whose items wait, in the order of their turns; callers hold a lock.

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
        """How many items wait."""
        return sum(len(ticket.items) - ticket.taken for ticket in self._tickets)

    def add(self, ticket: Ticket[Any, Any]) -> None:
        """Put a ticket at the end of the line."""
        self._tickets.append(ticket)
        self.tokens += ticket.waiting_tokens

    def drop(self, ticket: Ticket[Any, Any]) -> None:
        """Take out the items of a ticket that the model has not taken."""
        ticket.dropped = True
        if ticket in self._tickets:
            self._tickets.remove(ticket)
            self.tokens -= ticket.waiting_tokens

    def take(self, budget: int, most: int | None = None) -> list[TicketShare]:
        """Take a batch: each ticket in its turn gives a slice, until the budget is used up.

        Args:
            budget: estimated tokens; a batch has one item at least.
            most: estimated tokens up to which tickets still get their first slice, so that a batch has
                something of many small tickets; by default as many as ``budget``.

        Returns:
            Shares in the order of the turns; those of one ticket that follow each other are one share.
        """
        shares: dict[Ticket[Any, Any], TicketShare] = {}
        used = 0
        while self._tickets:
            ticket = self._tickets[0]
            left = (budget if ticket in shares or most is None else most) - used
            if left <= 0:
                break
            self._tickets.popleft()
            begun = shares[ticket].start if ticket in shares else ticket.taken
            used += _taken_from(ticket, min(SLICE_TOKENS, left))
            shares[ticket] = TicketShare(ticket, begun, ticket.taken)
            if ticket.taken < len(ticket.items):
                self._tickets.append(ticket)
        self.tokens -= used
        return list(shares.values())


def _taken_from(ticket: Ticket[Any, Any], most: int) -> int:
    """Take a slice of a ticket, one item at least, and give its tokens."""
    used = 0
    for size in ticket.sizes[ticket.taken :]:
        if used and used + size > most:
            break
        used += size
        ticket.taken += 1
    return used
