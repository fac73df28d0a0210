"""Vectors of the texts that came last, in memory of a fixed size."""

from collections.abc import Sequence

import numpy as np

from semscale.embedding.embedder import Embeddings
from semscale.types import Integers

ROOM = 512 * 2**20
"""Bytes of vectors that are kept: those of 349,525 texts with 384 numbers each."""


class VectorMemory:
    """Keeps embeddings by text; where there is no more room, the oldest ones are forgotten.

    Args:
        dimensions: width of a vector.
        room: bytes of all vectors; at least one is kept.

    Example:
        >>> memory = VectorMemory(2, room=16)
        >>> memory.add(["good"], Embeddings(np.array([[0.6, 0.8]], np.float32), np.array([1])))
        >>> memory.places(["good", "bad"]).tolist()
        [0, -1]
    """

    def __init__(self, dimensions: int, room: int = ROOM) -> None:
        self._n = max(1, room // (4 * dimensions))
        self._vectors = np.zeros((0, dimensions), np.float32)
        self._windows = np.zeros(0, np.int64)
        self._unknown = np.zeros(0, np.float32)
        self._texts: list[str] = []
        self._places: dict[str, int] = {}
        self._next = 0

    def places(self, texts: Sequence[str]) -> Integers:
        """Look texts up: shape (n,), where each is kept; -1 for those that are not."""
        return np.fromiter((self._places.get(text, -1) for text in texts), np.int64, len(texts))

    def at(self, places: Integers) -> Embeddings:
        """Give the embeddings that are kept in some places."""
        return Embeddings(self._vectors[places], self._windows[places], self._unknown[places])

    def add(self, texts: Sequence[str], found: Embeddings) -> None:
        """Keep the embeddings of distinct texts that are new; the last ones, if they are too many."""
        unknown = np.full(len(texts), np.nan, np.float32) if found.unknown is None else found.unknown
        for row in range(max(0, len(texts) - self._n), len(texts)):
            place = self._free_place(texts[row])
            self._vectors[place] = found.vectors[row]
            self._windows[place], self._unknown[place] = found.windows[row], unknown[row]

    def _free_place(self, text: str) -> int:
        if len(self._texts) < self._n:
            place = len(self._texts)
            self._texts.append(text)
            if place == len(self._vectors):
                self._grow()
        else:
            place, self._next = self._next, (self._next + 1) % self._n
            del self._places[self._texts[place]]
            self._texts[place] = text
        self._places[text] = place
        return place

    def _grow(self) -> None:
        n = min(self._n, max(1024, 2 * len(self._vectors)))
        self._vectors = np.resize(self._vectors, (n, self._vectors.shape[1]))
        self._windows = np.resize(self._windows, n)
        self._unknown = np.resize(self._unknown, n)
