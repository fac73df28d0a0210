"""Count of distinct texts in a stream."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from semscale.encodable_texts import encodable

MAX_DISTINCT = 5_000_000
"""Above this many distinct texts nobody counts on."""


class DistinctCount:
    """Counts distinct texts by their 64-bit hashes, as long as there are at most 5,000,000.

    Example:
        >>> distinct = DistinctCount()
        >>> distinct.add(["good", "bad", "good"])
        >>> distinct.add(["bad"])
        >>> distinct.count
        2
    """

    def __init__(self) -> None:
        self._known: npt.NDArray[np.uint64] = np.empty(0, dtype=np.uint64)
        self._pending: list[npt.NDArray[np.uint64]] = []
        self._too_many = False

    def add(self, texts: Sequence[str]) -> None:
        """Add texts."""
        if self._too_many:
            return
        self._pending.append(_as_series(texts).unique().hash(seed=0).to_numpy())
        # Joined only when as much is waiting as is known, so that each hash is sorted a few times at most.
        if sum(map(len, self._pending)) >= len(self._known):
            self._join()

    @property
    def count(self) -> int | None:
        """Number of distinct texts; ``None`` above 5,000,000."""
        self._join()
        return None if self._too_many else len(self._known)

    def _join(self) -> None:
        self._known = np.unique(np.concatenate([self._known, *self._pending]))
        self._pending = []
        if len(self._known) > MAX_DISTINCT:
            self._too_many = True
            self._known = np.empty(0, dtype=np.uint64)


def _as_series(texts: Sequence[str]) -> pl.Series:
    try:
        return pl.Series(texts, dtype=pl.String)
    except UnicodeEncodeError:  # half of a surrogate pair
        return pl.Series([encodable(text) for text in texts], dtype=pl.String)
