"""What is known of each word of a vocabulary, whatever text it stands in."""

from typing import Any

import numpy as np
import numpy.typing as npt

from semscale.matching.static_words import StaticPieces
from semscale.matching.vocabulary import Vocabulary
from semscale.matching.word_weights import WordWeights
from semscale.types import Floats, Integers


class WordTable:
    """Vectors and weights of words, by their numbers.

    Args:
        vocabulary: the words; it may grow.
        static: gives their vectors.
        weights: of words.
        dtype: of the vectors, float32 or float64.
    """

    def __init__(
        self, vocabulary: Vocabulary, static: StaticPieces, weights: WordWeights, dtype: npt.DTypeLike
    ) -> None:
        self._vocabulary = vocabulary
        self._static = static
        self._word_weights = weights
        self._is_learned = np.empty(0, np.bool_)
        self._vectors = np.empty((0, static.hidden), dtype)
        self._weights = np.empty(0)

    def learn(self, numbers: Integers) -> None:
        """Read those of the words that are new."""
        self._make_room()
        new = np.unique(numbers[~self._is_learned[numbers]])
        if not len(new):
            return
        words = new.tolist()
        self._vectors[new] = self._static.words([self._vocabulary.pieces[word] for word in words])
        self._weights[new] = self._word_weights.of([self._vocabulary.words[word] for word in words])
        self._is_learned[new] = True

    def vectors(self, numbers: Integers) -> Floats:
        """Vectors of learned words by themselves, shape (k, hidden), unit rows."""
        return self._vectors[numbers]

    def weights(self, numbers: Integers) -> Floats:
        """Weights of learned words, shape (k,)."""
        return self._weights[numbers]

    def _make_room(self) -> None:
        if len(self._vocabulary) > len(self._weights):
            # Twice the room at least, so that rows are seldom copied.
            rows = max(len(self._vocabulary), 2 * len(self._weights))
            self._vectors = _longer(self._vectors, rows)
            self._weights = _longer(self._weights, rows)
            self._is_learned = _longer(self._is_learned, rows)


def _longer(rows: npt.NDArray[Any], length: int) -> npt.NDArray[Any]:
    longer = np.zeros((length, *rows.shape[1:]), rows.dtype)
    longer[: len(rows)] = rows
    return longer
