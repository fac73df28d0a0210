"""Cosines of texts' vectors, each text embedded once: a method of matching, and a part of others."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semscale.embedding import Embedder
from semscale.embedding.embedder import Embeddings
from semscale.embedding.part_progress import shifted
from semscale.matching.pair_scheduling import plan_steps
from semscale.matching.pairs import Pairs
from semscale.matching.scored_pairs import ScoredPairs
from semscale.signature import Signature
from semscale.types import Floats, Integers, Mask, Progress

_FRESH = 4096  # texts that are embedded together
_KEPT = 16_384  # texts whose vectors are kept for later pairs: 25 MB for 384 dimensions
_BLOCK = 4096  # pairs whose vectors are held in float64 together


@dataclass(frozen=True)
class TextCosines:
    """Cosines of p pairs of texts.

    Attributes:
        values: shape (p,), -1 to 1; equal texts have exactly 1.
        windows: shape (p,), the most windows that one of the two texts was read in.
        unread: shape (p,), whether the model cannot read one of the two texts.
    """

    values: Floats
    windows: Integers
    unread: Mask


class Cosines:
    """Cosines between texts.

    Args:
        embedder: turns texts into unit vectors.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def signature(self) -> Signature:
        """The embedder's."""
        return self._embedder.signature

    def of(
        self,
        texts: Sequence[str],
        first: Integers,
        second: Integers,
        progress: Progress | None = None,
    ) -> TextCosines:
        """Give the cosine of each pair of texts.

        Vectors are held of some thousand texts at a time: pairs that share a text stand together, and a text
        is embedded again only where thousands of others came between two of its pairs.

        Args:
            texts: shape (m,).
            first: shape (p,), rows in ``texts``.
            second: shape (p,), likewise.
            progress: called while texts are embedded.
        """
        values = np.empty(len(first))
        windows, unread = np.zeros(len(texts), np.int64), np.zeros(len(texts), np.bool_)
        held, done = _HeldVectors(self._embedder.dimensions), 0
        of_each = np.ones(len(texts), np.int64)
        for step in plan_steps(first, second, of_each, fresh_tokens=_FRESH, kept_tokens=_KEPT):
            fresh = [texts[place] for place in step.fresh.tolist()]
            if fresh:
                told = shifted(progress, done, max(len(texts), done + len(fresh)))
                found = self._embedder.embed(fresh, progress=told)
                windows[step.fresh], unread[step.fresh] = found.windows, found.unread
                held.add(step.fresh, found)
                done += len(fresh)
            for start in range(0, len(step.pairs), _BLOCK):
                rows = step.pairs[start : start + _BLOCK]
                values[rows] = row_cosines(held.of(first[rows]), held.of(second[rows]))
            held.drop(step.dropped)
        return TextCosines(
            values, np.maximum(windows[first], windows[second]), unread[first] | unread[second]
        )


class _HeldVectors:
    """Vectors of the texts that are needed now, by the texts' numbers."""

    def __init__(self, dimensions: int) -> None:
        self._numbers = np.empty(0, np.int64)  # ascending
        self._vectors = np.empty((0, dimensions), np.float32)

    def add(self, numbers: Integers, found: Embeddings) -> None:
        """Take the vectors of further texts."""
        joined = np.concatenate([self._numbers, numbers])
        order = np.argsort(joined)
        self._numbers = joined[order]
        self._vectors = np.concatenate([self._vectors, found.vectors])[order]

    def of(self, numbers: Integers) -> Floats:
        """Give the vectors of texts, shape (n, d), as float64."""
        vectors: Floats = self._vectors[np.searchsorted(self._numbers, numbers)].astype(np.float64)
        return vectors

    def drop(self, numbers: Integers) -> None:
        """Let go of texts."""
        kept = ~np.isin(self._numbers, numbers)
        self._numbers, self._vectors = self._numbers[kept], self._vectors[kept]


class CosineMatch:
    """Matches by the cosine of the two texts' vectors.

    Args:
        embedder: turns texts into unit vectors.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._cosines = Cosines(embedder)

    @property
    def signature(self) -> Signature:
        """What is applied."""
        return Signature.of("match", method="cosine").extended(self._cosines.signature)

    def score(self, pairs: Pairs, progress: Progress | None = None) -> ScoredPairs:
        """Score every pair, -1 to 1."""
        found = self._cosines.of(pairs.texts, pairs.prediction, pairs.reference, progress)
        return ScoredPairs(
            found.values, {}, found.windows, self.signature, bounds=(-1.0, 1.0), unread=found.unread
        )


def row_cosines(ours: Floats, theirs: Floats) -> Floats:
    """Give the cosine of each row with the row across, shape (p,); exactly 1 for equal rows.

    A row's result does not depend on the other rows.

    Example:
        >>> row_cosines(np.array([[3.0, 4.0], [1.0, 0.0]]), np.array([[3.0, 4.0], [0.0, 2.0]])).tolist()
        [1.0, 0.0]
    """
    dots, norms, others = (
        np.einsum("ij,ij->i", a, b) for a, b in ((ours, theirs), (ours, ours), (theirs, theirs))
    )
    cosines: Floats = np.clip(dots / np.sqrt(norms * others), -1.0, 1.0)
    return cosines
