"""A random sample of the different answers of a column, drawn while it is read, in bounded memory."""

from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from heapq import heappop, heappush
from typing import Any

import numpy as np
import numpy.typing as npt

from semscale.rating.cells import text_status
from semscale.types import Status

MOST_ANSWERS = 20_000
"""Different answers that are clustered, unless somebody asks for more."""


class AnswerSample:
    """Draws different answers, each with the same chance, whatever their order and the parts they come in.

    Those with the smallest hashes are kept, so that an answer that is given often is as likely as a rare one.
    Of the others 8 bytes each are kept, to count them.

    Args:
        most: answers that are kept; all of them where there are no more.
        seed: of the hashes, any integer.

    Attributes:
        n: rows so far.

    References:
        Cohen and Kaplan (2007), Summarizing data using bottom-k sketches, doi 10.1145/1281100.1281133.

    Example:
        >>> sample = AnswerSample(10)
        >>> sample.add(["good", "bad", None])
        >>> sample.add(["good"])
        >>> sample.texts, sample.times, sample.n_distinct
        (('good', 'bad'), (2, 1), 2)
    """

    def __init__(self, most: int = MOST_ANSWERS, *, seed: int = 0) -> None:
        self.n = 0
        self._most, self._key = most, blake2b(str(seed).encode()).digest()
        self._status: Counter[Status] = Counter()
        self._times: dict[str, int] = {}
        self._largest: list[tuple[int, str]] = []
        self._seen: npt.NDArray[np.uint64] = np.empty(0, dtype=np.uint64)

    def add(self, cells: Sequence[Any]) -> None:
        """Read the next cells, of which some may be missing or no text."""
        self.n += len(cells)
        texts: Counter[str] = Counter()
        for cell in cells:
            status = text_status(cell)
            self._status[status] += 1
            if status is Status.SCORED:
                texts[str(cell)] += 1
        hashes = {text: self._hash(text) for text in texts}
        new = np.fromiter(hashes.values(), np.uint64, len(hashes))
        self._seen = np.union1d(self._seen, new)
        for text, times in texts.items():
            self._offer(text, times, hashes[text])

    @property
    def texts(self) -> tuple[str, ...]:
        """The answers that were drawn, in the order of their first rows."""
        return tuple(self._times)

    @property
    def times(self) -> tuple[int, ...]:
        """Rows with each of them."""
        return tuple(self._times.values())

    @property
    def n_distinct(self) -> int:
        """Different answers, drawn or not."""
        return len(self._seen)

    @property
    def counts(self) -> dict[Status, int]:
        """Rows by status."""
        return {status: self._status[status] for status in Status if self._status[status]}

    def _offer(self, text: str, times: int, number: int) -> None:
        """Keep an answer if it is drawn; one that was dropped never comes back, as its hash is too large."""
        if text in self._times:
            self._times[text] += times
            return
        if len(self._times) >= self._most:
            if number >= -self._largest[0][0]:
                return
            del self._times[heappop(self._largest)[1]]
        self._times[text] = times
        heappush(self._largest, (-number, text))

    def _hash(self, text: str) -> int:
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8, key=self._key).digest()
        return int.from_bytes(digest, "little")
