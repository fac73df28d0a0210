"""Texts that wait for the model, taken in turns so that a large request does not hold up small ones."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from semscale.embedding.embedder import Embeddings
from semscale.types import Integers, Vectors

SLICE_TOKENS = 512
"""Tokens, estimated, that a request gets in each turn."""

_BYTES_PER_TOKEN, _AROUND = 4, 2


def estimated_tokens(text: str) -> int:
    """Estimate a text's tokens by its length in UTF-8; batches need no exact number.

    Example:
        >>> estimated_tokens("good"), estimated_tokens("")
        (3, 2)
    """
    return _AROUND + len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN


@dataclass(eq=False)
class Ticket:
    """The texts of one request on their way through the model.

    Attributes:
        texts: n texts.
        done: called once, from the thread of the model, when all vectors are there or the model failed.
        sizes: estimated tokens of each text.
        taken: how many texts the model has taken.
        missing: how many texts have no vector yet.
        dropped: whether nobody waits for the vectors any more.
        error: why the model failed.
    """

    texts: Sequence[str]
    done: "Callable[[Ticket], None]"
    sizes: list[int] = field(default_factory=list)
    taken: int = 0
    missing: int = 0
    dropped: bool = False
    error: Exception | None = None
    _parts: list[tuple[int, Embeddings]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.sizes = [estimated_tokens(text) for text in self.texts]
        self.missing = len(self.texts)

    @property
    def waiting_tokens(self) -> int:
        """Estimated tokens of the texts that the model has not taken."""
        return sum(self.sizes[self.taken :])

    def put(self, start: int, found: Embeddings) -> None:
        """Take the vectors of the texts from ``start`` on."""
        self._parts.append((start, found))
        self.missing -= len(found.windows)

    def embeddings(self) -> Embeddings:
        """Join all vectors, in the order of the texts.

        Raises:
            Exception: the model failed.
        """
        if self.error is not None:
            raise self.error
        parts = [found for _, found in sorted(self._parts, key=lambda part: part[0])]
        if len(parts) == 1:
            return parts[0]
        return Embeddings(
            np.concatenate([part.vectors for part in parts]),
            np.concatenate([part.windows for part in parts]),
            _joined([part.unknown for part in parts]),
            _joined([part.tokens for part in parts]),
        )


class TextSlice(NamedTuple):
    """Texts of a ticket that are taken together, from one up to another."""

    ticket: Ticket
    start: int
    stop: int

    @property
    def texts(self) -> Sequence[str]:
        """The texts."""
        return self.ticket.texts[self.start : self.stop]


class WaitingTexts:
    """Tickets whose texts wait, in the order of their turns; callers hold a lock.

    Attributes:
        tokens: estimated tokens of all waiting texts.
    """

    def __init__(self) -> None:
        self._tickets: deque[Ticket] = deque()
        self.tokens = 0

    def __len__(self) -> int:
        return len(self._tickets)

    @property
    def n_texts(self) -> int:
        """How many texts wait."""
        return sum(len(ticket.texts) - ticket.taken for ticket in self._tickets)

    def add(self, ticket: Ticket) -> None:
        """Put a ticket at the end of the line."""
        self._tickets.append(ticket)
        self.tokens += ticket.waiting_tokens

    def drop(self, ticket: Ticket) -> None:
        """Take out the texts of a ticket that the model has not taken."""
        ticket.dropped = True
        if ticket in self._tickets:
            self._tickets.remove(ticket)
            self.tokens -= ticket.waiting_tokens

    def take(self, budget: int) -> list[TextSlice]:
        """Take a batch: each ticket in its turn gives a slice, until the budget is used up.

        Args:
            budget: estimated tokens; a batch has one text at least.

        Returns:
            Shares in the order of the turns; those of one ticket that follow each other are one share.
        """
        shares: dict[Ticket, TextSlice] = {}
        while self._tickets and budget > 0:
            ticket = self._tickets.popleft()
            start, used = ticket.taken, 0
            most = min(SLICE_TOKENS, budget)
            for size in ticket.sizes[start:]:
                if used and used + size > most:
                    break
                used += size
                ticket.taken += 1
            begun = shares[ticket].start if ticket in shares else start
            shares[ticket] = TextSlice(ticket, begun, ticket.taken)
            budget -= used
            self.tokens -= used
            if ticket.taken < len(ticket.texts):
                self._tickets.append(ticket)
        return list(shares.values())


def _joined(parts: Sequence[Vectors | Integers | None]) -> "np.ndarray | None":
    known = [part for part in parts if part is not None]
    return np.concatenate(known) if len(known) == len(parts) else None


def cut(found: Embeddings, start: int, stop: int) -> Embeddings:
    """Give the embeddings of some texts of a batch, as arrays of their own."""
    return Embeddings(
        found.vectors[start:stop].copy(),
        found.windows[start:stop].copy(),
        None if found.unknown is None else found.unknown[start:stop].copy(),
        None if found.tokens is None else found.tokens[start:stop].copy(),
    )
