"""Vectors, weights and roles of the words of a vocabulary, which do not depend on the text."""

from typing import Any

import numpy as np
import numpy.typing as npt

from semscale.matching.words.static_vectors import StaticVectors
from semscale.matching.words.subjects import Roles, word_roles
from semscale.matching.words.vocabulary import Numbers, Vocabulary
from semscale.matching.words.weights import WordWeights
from semscale.types import Floats


class WordTable:
    """Vectors, weights and roles of words, by their numbers.

    Args:
        vocabulary: the words; it may grow.
        static: gives their vectors.
        weights: weights of words.
        dtype: type of the vectors, float32 or float64.
    """

    def __init__(
        self, vocabulary: Vocabulary, static: StaticVectors, weights: WordWeights, dtype: npt.DTypeLike
    ) -> None:
        self._vocabulary = vocabulary
        self._static = static
        self._word_weights = weights
        self._is_learned = np.empty(0, np.bool_)
        self._vectors = np.empty((0, static.hidden), dtype)
        self._weights = np.empty(0)
        self._roles = np.empty((0, 3), np.bool_)

    def learn(self, numbers: Numbers) -> None:
        """Compute vectors, weights and roles of the words that are new."""
        self._make_room()
        unknown = numbers[~self._is_learned[numbers]]
        if not len(unknown):
            return
        new = np.unique(unknown)
        words = [self._vocabulary.words[number] for number in new.tolist()]
        self._vectors[new] = self._static.words([self._vocabulary.pieces[number] for number in new.tolist()])
        self._weights[new] = self._word_weights.of(words)
        self._roles[new] = word_roles(words)
        self._is_learned[new] = True

    def vectors(self, numbers: Numbers, out: npt.NDArray[Any]) -> None:
        """Write the vectors of learned words by themselves, unit rows, into ``out``, shape (k, hidden)."""
        # Unless told what to do with numbers that are none, NumPy fills an array of its own first.
        np.take(self._vectors, numbers, axis=0, out=out, mode="clip")

    def weights(self, numbers: Numbers) -> Floats:
        """Weights of learned words, shape (k,)."""
        return self._weights[numbers]

    def roles(self, numbers: Numbers) -> Roles:
        """Roles of learned words, shape (k, 3)."""
        return self._roles[numbers]

    def _make_room(self) -> None:
        if len(self._vocabulary) > len(self._weights):
            # Twice the room at least, so that rows are seldom copied.
            rows = max(len(self._vocabulary), 2 * len(self._weights))
            self._vectors = _longer(self._vectors, rows)
            self._weights = _longer(self._weights, rows)
            self._roles = _longer(self._roles, rows)
            self._is_learned = _longer(self._is_learned, rows)


def _longer(rows: npt.NDArray[Any], length: int) -> npt.NDArray[Any]:
    longer = np.zeros((length, *rows.shape[1:]), rows.dtype)
    longer[: len(rows)] = rows
    return longer
