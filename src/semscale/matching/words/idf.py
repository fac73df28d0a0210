"""Inverse document frequency of word pieces in the references."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from semscale.types import Floats


@dataclass(frozen=True)
class WordIdf:
    """Weights of word pieces.

    Attributes:
        weights: weight of each piece that occurs in the corpus, 1 or more.
        unseen: weight of every other piece, 1 or more.
    """

    weights: Mapping[str, float]
    unseen: float

    def of(self, pieces: Sequence[str]) -> Floats:
        """Weights of pieces, shape (number of pieces,)."""
        found = (self.weights.get(piece, self.unseen) for piece in pieces)
        return np.fromiter(found, np.float64, len(pieces))


def smoothed_idf(documents: Iterable[Sequence[str]], *, unseen: float | None = None) -> WordIdf:
    """Compute each piece's weight ``ln((N + 1) / (df + 1)) + 1``, where df of the N documents hold it.

    Args:
        documents: the pieces of each document.
        unseen: weight of a piece that no document holds; by default that of the formula, ``ln(N + 1) + 1``.

    References:
        Spärck Jones 1972, doi:10.1108/eb026526; smoothed as by scikit-learn's ``TfidfTransformer``.

    Example:
        >>> idf = smoothed_idf([["heart", "attack"], ["heart"]])
        >>> idf.of(["heart", "lung"]).round(3).tolist()  # ln(3 / 3) + 1, ln(3 / 1) + 1
        [1.0, 2.099]
    """
    counts: Counter[str] = Counter()
    n = 0
    for document in documents:
        counts.update(set(document))
        n += 1
    weights = {piece: float(np.log((n + 1) / (df + 1)) + 1) for piece, df in counts.items()}
    return WordIdf(weights, float(np.log(n + 1) + 1) if unseen is None else unseen)
