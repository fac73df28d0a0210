"""Cosines of texts' vectors, each text embedded once: a method of matching, and a part of others."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semscale.embedding import Embedder
from semscale.matching.pairs import Pairs
from semscale.matching.scored_pairs import ScoredPairs
from semscale.signature import Signature
from semscale.types import Floats, Integers, Mask, Progress

_BLOCK = 65536  # pairs whose vectors are held in float64 together


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

        Args:
            texts: shape (m,).
            first: shape (p,), rows in ``texts``.
            second: shape (p,), likewise.
            progress: called while texts are embedded.
        """
        embeddings = self._embedder.embed(texts, progress=progress)
        cosines = np.empty(len(first))
        for start in range(0, len(first), _BLOCK):
            rows = slice(start, start + _BLOCK)
            cosines[rows] = row_cosines(
                embeddings.vectors[first[rows]].astype(np.float64),
                embeddings.vectors[second[rows]].astype(np.float64),
            )
        unread, windows = embeddings.unread, embeddings.windows
        return TextCosines(
            cosines, np.maximum(windows[first], windows[second]), unread[first] | unread[second]
        )


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
