"""What runs ask of a ledger: to find, claim, record and release calls, wherever the ledger is kept."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from semscale.chat.messages import FailureKind

REPLIED = "replied"
FINAL = (REPLIED, FailureKind.REFUSED.value)
"""Final outcomes: they were paid for, and a restarted run does not ask again."""


class Claim(Enum):
    """Who makes a call that has no outcome in the ledger yet."""

    OURS = "ours"
    ELSEWHERE = "elsewhere"  # another process, or another run in this process, is making it


@dataclass(frozen=True)
class Attempt:
    """One attempt at a call, as the ledger stores it.

    Attributes:
        status: ``replied``, or the kind of failure.
        body: JSON of the reply, or of a failure's message and raw answer.
    """

    status: str
    body: str


@dataclass(frozen=True)
class FindOutcome:
    """Give a call's final outcome, or ``None``."""

    key: bytes


@dataclass(frozen=True)
class ClaimCall:
    """Give a call's final outcome; without one, reserve the call for a run unless another one makes it."""

    key: bytes
    run: int


@dataclass(frozen=True)
class RecordAttempt:
    """Store an attempt of a run; a final outcome ends the run's claim."""

    key: bytes
    run: int
    attempt: Attempt


@dataclass(frozen=True)
class ReleaseCall:
    """End a run's claim on a call if it has one."""

    key: bytes
    run: int


@dataclass(frozen=True)
class ListAttempts:
    """Give all attempts at a call, oldest first."""

    key: bytes


Operation = FindOutcome | ClaimCall | RecordAttempt | ReleaseCall | ListAttempts


class LedgerStore(Protocol):
    """A ledger's file or database; one thread uses it."""

    @property
    def longest_idle(self) -> float | None:
        """Seconds after which :meth:`renew` is due if nothing else is done; ``None`` for never."""
        ...

    def do(self, operations: Sequence[Operation]) -> list[object]:
        """Do all operations and return their answers, when all of them are on disk.

        Raises:
            InputError: the ledger cannot be used.
            InterruptedRunError: it can no longer be used; everything before is kept.
        """
        ...

    def renew(self) -> None:
        """Show others that the claims made here still hold."""
        ...

    def close(self) -> None:
        """End all claims made here, and close the ledger."""
        ...


def in_rounds(operations: Sequence[Operation]) -> list[list[int]]:
    """Split operations into rounds that have each key at most once, so that a round's order does not matter.

    Returns:
        The places of each round's operations; operations on one key keep their order.

    Example:
        >>> in_rounds([FindOutcome(b"a"), FindOutcome(b"b"), ReleaseCall(b"a", 1)])
        [[0, 1], [2]]
    """
    rounds: list[list[int]] = []
    seen: Counter[bytes] = Counter()
    for place, operation in enumerate(operations):
        if seen[operation.key] == len(rounds):
            rounds.append([])
        rounds[seen[operation.key]].append(place)
        seen[operation.key] += 1
    return rounds
