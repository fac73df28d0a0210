"""Many pairs for a cross-encoder: each distinct one once, and those that were computed before from disk."""

from collections.abc import Sequence

import numpy as np

from semscale.embedding.cross_encoders.cross_encoder import CrossEncoder
from semscale.embedding.cross_encoders.pair_cache import PairCache, pair_keys
from semscale.embedding.cross_encoders.pair_logits import PairLogits
from semscale.signature import Signature
from semscale.types import Progress

CHUNK = 2048  # pairs that are computed and stored together; a stopped run loses at most as many


class CachedCrossEncoder:
    """Gives the logits of pairs; equal pairs are computed once.

    Args:
        encoder: computes the logits; its signature is part of every key.
        cache: stores them; ``None`` for no cache.
        chunk: how many pairs are computed between two writes.
    """

    def __init__(self, encoder: CrossEncoder, cache: PairCache | None, *, chunk: int = CHUNK) -> None:
        self.encoder = encoder
        self._cache = cache
        self._chunk = chunk

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the model's classes."""
        return self.encoder.labels

    @property
    def signature(self) -> Signature:
        """The encoder's, as a cache changes no number."""
        return self.encoder.signature

    def logits(
        self, first: Sequence[str], second: Sequence[str], progress: Progress | None = None
    ) -> PairLogits:
        """Classify p pairs of texts.

        Args:
            first: p texts.
            second: p texts.
            progress: called as pairs are read.
        """
        places: dict[tuple[str, str], int] = {}
        pairs = zip(first, second, strict=True)
        where = np.fromiter((places.setdefault(pair, len(places)) for pair in pairs), np.int64, len(first))
        ones, others = [one for one, _ in places], [other for _, other in places]
        found = self._distinct(ones, others, progress)
        return PairLogits(found.values[where], found.truncated[where], found.unread[where])

    def _distinct(self, first: list[str], second: list[str], progress: Progress | None) -> PairLogits:
        n = len(first)
        keys = pair_keys(str(self.signature), first, second) if self._cache else []
        every = PairLogits(np.empty((n, len(self.labels)), np.float32), np.zeros(n, bool), np.zeros(n, bool))
        rows: list[int] = []
        if self._cache:
            rows, known = self._cache.get_many(keys, len(self.labels))
            _fill(every, rows, known)
        missing = np.setdiff1d(np.arange(n), rows).tolist()
        if progress:
            progress("comparing", n - len(missing), n)
        for start in range(0, len(missing), self._chunk):
            part = missing[start : start + self._chunk]
            fresh = self.encoder.logits([first[row] for row in part], [second[row] for row in part])
            if self._cache:
                self._cache.put_many([keys[row] for row in part], fresh)
            _fill(every, part, fresh)
            if progress:
                progress("comparing", n - len(missing) + start + len(part), n)
        return every


def _fill(every: PairLogits, rows: list[int], some: PairLogits) -> None:
    every.values[rows], every.truncated[rows], every.unread[rows] = some.values, some.truncated, some.unread
