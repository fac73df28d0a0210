"""Vectors and weights of the words of texts, from the states of their tokens."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from semscale.matching.unit_rows import unit_rows
from semscale.matching.words.static_vectors import StaticVectors
from semscale.matching.words.subjects import SubjectWeights, start_with_pronoun, subject_lengths
from semscale.matching.words.text_means import text_means
from semscale.matching.words.tokenized_texts import TokenizedTexts
from semscale.matching.words.vectors import WordVectors, word_means
from semscale.matching.words.vocabulary_table import WordTable
from semscale.matching.words.weights import WordWeights
from semscale.types import Integers, Vectors


class WordVectorizer:
    """Computes vectors and weights of texts' words; those of a text do not depend on other texts.

    Args:
        read: texts with their tokens and words.
        static: gives the vectors of words without context.
        weights: weights of words.
        subject: weights of the words of subjects.
        dtype: type of the words' vectors, float32 or float64.
    """

    def __init__(
        self,
        read: TokenizedTexts,
        static: StaticVectors,
        weights: WordWeights,
        subject: SubjectWeights,
        dtype: npt.DTypeLike,
    ) -> None:
        self._read = read
        self._subject = subject
        self._dtype = dtype
        self._table = WordTable(read.vocabulary, static, weights, dtype)

    def learn(self, texts: Iterable[int]) -> None:
        """Read the words of some texts that are new; their places must be known."""
        numbers = [self._read.words[text].numbers for text in texts]
        if numbers:
            self._table.learn(np.concatenate(numbers))

    def vectors(self, texts: Sequence[int], states: Vectors) -> list[WordVectors]:
        """Compute the vectors and weights of some texts' words.

        Args:
            texts: n >= 1 of them, whose words were learned.
            states: shape (tokens of all of them, hidden), after the last layer, end to end.
        """
        words, counts = self._read.joined(texts)
        layers = np.empty((2, len(words), states.shape[1]), self._dtype)
        self._table.vectors(words.numbers, layers[0])
        layers[1] = word_means(states, words.starts, words.ends)
        unit_rows(layers[1], out=layers[1])
        whole = unit_rows(
            text_means(states, self._read.tokens.lengths_of(texts), self._read.left_out).astype(np.float64)
        )
        roles, plain = self._table.roles(words.numbers), self._table.weights(words.numbers)
        is_subject = _are_first(subject_lengths(roles, counts), counts)
        weights, to_pronoun = (
            np.where(is_subject, plain * weight, plain)
            for weight in (self._subject.usual, self._subject.for_pronoun)
        )
        rows = (slice(*bounds) for bounds in pairwise([0, *np.cumsum(counts).tolist()]))
        each = zip(rows, whole, start_with_pronoun(roles, counts).tolist(), strict=True)
        return [
            WordVectors(layers[:, own], text, weights[own], to_pronoun[own], is_pronoun)
            for own, text, is_pronoun in each
        ]


def _are_first(first: Integers, counts: Integers) -> npt.NDArray[np.bool_]:
    """Mark the first words of each text, ``first`` of its ``counts``, shape (k,)."""
    places = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return places < np.repeat(first, counts)
