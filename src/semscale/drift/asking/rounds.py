"""Rounds of asking: a command that was stopped goes on, and one that was finished asks anew.

A ledger gives a request that it knows its old reply. A run needs new ones: a model that is asked again every
night must not be compared with its replies of the first night. Each round therefore has sample numbers of its
own, and the ledger notes when the runs of a round are recorded.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from semscale.chat.ledger import KEY_BYTES, Ledger
from semscale.chat.messages import Reply

_OWNER = -1  # no run of the chat layer
_DONE = Reply("recorded")


@dataclass(frozen=True)
class AskingRound:
    """One round of asking the same things.

    Attributes:
        key: of the note that its runs are recorded.
        first_sample: the first of its sample numbers.
    """

    key: bytes
    first_sample: int

    def samples(self, n: int) -> range:
        """Number the round's askings."""
        return range(self.first_sample, self.first_sample + n)


async def open_round(ledger: Ledger, keys: Iterable[bytes]) -> AskingRound:
    """Find the first round that is not finished: the one to go on with, or a new one.

    Args:
        ledger: that keeps the replies.
        keys: hashes of what is asked; the order does not matter.
    """
    identity = hashlib.blake2b(b"".join(sorted(keys)), digest_size=KEY_BYTES).digest()
    number = 0
    while await ledger.find((found := _round(identity, number)).key) is not None:
        number += 1
    return found


async def close_round(ledger: Ledger, asked: AskingRound) -> None:
    """Note that a round's runs are recorded, so that the same command asks anew."""
    await ledger.record(asked.key, _OWNER, _DONE)


def _round(identity: bytes, number: int) -> AskingRound:
    key = hashlib.blake2b(b"round of asking" + identity + number.to_bytes(8), digest_size=KEY_BYTES).digest()
    return AskingRound(key, int.from_bytes(key[:4]) >> 2)
