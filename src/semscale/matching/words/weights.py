"""Weights of words: greater for words in few texts of a corpus, small for stop words."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from semscale.guards.lexicons import word_list
from semscale.matching.words.stop_words import stop_words
from semscale.types import Floats

_TELLING = word_list("telling_stop_words")


@dataclass(frozen=True)
class WordWeights:
    """Weights of words, from the share of a corpus' texts that have them.

    Attributes:
        frequency: how many of the corpus's texts have each word.
        texts: how many texts the corpus has, at least 1.
        stop: weight of a stop word relative to other words, 0 to 1.
    """

    frequency: Counter[str]
    texts: int
    stop: float

    @classmethod
    def over(cls, corpus: Iterable[Iterable[str]], *, stop: float) -> "WordWeights":
        """Count the texts in which each word occurs."""
        frequency: Counter[str] = Counter()
        texts = 0
        for words in corpus:
            frequency.update(set(words))
            texts += 1
        return cls(frequency, texts, stop)

    def of(self, words: Sequence[str]) -> Floats:
        """Compute ``1 + ln((N + 1) / (df + 1)) / ln(N + 1)``: 1 for a word in all N texts, 2 for one in none.

        Returns:
            Shape (k,), 1 to 2; a stop word's weight is multiplied by ``stop``.

        References:
            Spärck Jones 1972, doi:10.1108/eb026526, scaled by its greatest value.

        Example:
            >>> weights = WordWeights.over([["the", "heart"], ["the", "lung"], ["the", "lung"]], stop=0.5)
            >>> weights.of(["the", "lung", "liver"]).round(2).tolist()
            [0.5, 1.21, 2.0]
        """
        df = np.array([self.frequency[word] for word in words], np.float64)
        grammar = np.array([word in _grammatical() for word in words], np.bool_)
        rarity = 2 - np.log(df + 1) / np.log(self.texts + 1)
        return np.asarray(np.where(grammar, self.stop, 1.0) * rarity)


@cache
def _grammatical() -> frozenset[str]:
    return stop_words() - frozenset(_TELLING)
