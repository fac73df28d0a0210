"""An embedder that keeps the vectors of texts that it has embedded."""

import math
from collections.abc import Sequence

import numpy as np

from semscale.embedding import Embedder
from semscale.embedding.embedder import Embeddings
from semscale.embedding.texts import distinct
from semscale.signature import Signature
from semscale.types import Progress, Vectors

CAPACITY = 65_536
"""Texts whose vectors are kept: 100 MB for 384 dimensions."""


class MemoizedEmbedder:
    """Embeds with another embedder, and each text that it keeps only once.

    Args:
        embedder: computes vectors.
        capacity: how many texts are kept, the first ones.
    """

    def __init__(self, embedder: Embedder, capacity: int = CAPACITY) -> None:
        self._embedder = embedder
        self._capacity = capacity
        self._kept: dict[str, tuple[Vectors, int, float]] = {}

    @property
    def dimensions(self) -> int:
        """Width of a vector."""
        return self._embedder.dimensions

    @property
    def signature(self) -> Signature:
        """The embedder's own."""
        return self._embedder.signature

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        """Embed texts, as the embedder does."""
        fresh, _ = distinct([text for text in texts if text not in self._kept])
        found = self._embedded(fresh, progress) if fresh else {}
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        windows = np.empty(len(texts), np.int64)
        unknown = np.empty(len(texts), np.float32)
        for row, text in enumerate(texts):
            vectors[row], windows[row], unknown[row] = self._kept.get(text) or found[text]
        for text in fresh[: self._capacity - len(self._kept)]:
            vector, n_windows, share = found[text]
            self._kept[text] = vector.copy(), n_windows, share  # a view would keep the whole block in memory
        return Embeddings(vectors, windows, unknown)

    def _embedded(self, texts: list[str], progress: Progress | None) -> dict[str, tuple[Vectors, int, float]]:
        new = self._embedder.embed(texts, progress=progress)
        unknown = [math.nan] * len(texts) if new.unknown is None else new.unknown.tolist()
        return dict(zip(texts, zip(new.vectors, new.windows.tolist(), unknown, strict=True), strict=True))
