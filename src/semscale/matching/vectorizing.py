"""Makes of texts that a model has read what is compared of them word by word."""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from semscale.matching.static_words import StaticPieces
from semscale.matching.subjects import SubjectWeights, starts_with_pronoun, subject_length
from semscale.matching.texts_read import TextsRead, TokenWords
from semscale.matching.word_table import WordTable
from semscale.matching.word_vectors import WordVectors, unit_rows, word_means
from semscale.matching.word_weights import WordWeights
from semscale.types import Integers, Vectors


class WordVectorizer:
    """Gives what is compared of texts, each as if it stood alone.

    Args:
        read: the texts.
        static: gives the vectors of words by themselves.
        weights: of words.
        subject: what the words of subjects count.
        dtype: of the vectors of words, float32 or float64.
    """

    def __init__(
        self,
        read: TextsRead,
        static: StaticPieces,
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
        """Give what is compared of some texts.

        Args:
            texts: n >= 1 of them, whose words were learned.
            states: shape (tokens of all of them, hidden), after the last layer, end to end.
        """
        words = [self._read.words[text] for text in texts]
        lengths = self._read.tokens.lengths_of(texts)
        layers = self._layers(words, states, lengths)
        whole = unit_rows(_means(states, lengths).astype(np.float64))
        plain = self._table.weights(np.concatenate([each.numbers for each in words]))
        found, start = [], 0
        for text, own, vector in zip(texts, words, whole, strict=True):
            rows = slice(start, start := start + len(own))
            said = self._read.words_of(text)
            subject = slice(0, subject_length(said))
            weights, to_pronoun = plain[rows].copy(), plain[rows].copy()
            weights[subject] *= self._subject.usual
            to_pronoun[subject] *= self._subject.for_pronoun
            found.append(WordVectors(layers[:, rows], vector, weights, to_pronoun, starts_with_pronoun(said)))
        return found

    def _layers(
        self, words: Sequence[TokenWords], states: Vectors, lengths: Integers
    ) -> npt.NDArray[np.generic]:
        """Vectors of all words by themselves and in context, shape (2, k, hidden)."""
        before = np.repeat(np.cumsum(lengths) - lengths, [len(own) for own in words])
        starts = np.concatenate([own.starts for own in words]) + before
        ends = np.concatenate([own.ends for own in words]) + before
        layers = np.empty((2, len(starts), states.shape[1]), self._dtype)
        layers[0] = self._table.vectors(np.concatenate([own.numbers for own in words]))
        layers[1] = word_means(states, starts, ends)
        layers[1] = unit_rows(layers[1])
        return layers


def _means(states: Vectors, lengths: Integers) -> Vectors:
    """Mean of each text's states, shape (n, hidden)."""
    ends = np.cumsum(lengths)
    sums = [
        np.add.reduce(states[end - length : end], axis=0) for length, end in zip(lengths, ends, strict=True)
    ]
    return np.divide(sums, lengths[:, None], dtype=np.float32)
