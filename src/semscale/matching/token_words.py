"""The words of a text as a model reads it: which tokens each is made of, and what it counts."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from semscale.embedding.token_ids import Ids
from semscale.guards.lexicons import word_list
from semscale.matching.stop_words import stop_words
from semscale.types import Floats, Integers, Vectors

_TELLING = word_list("telling_stop_words")
_IDEOGRAPH = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
# An ideograph is a word of its own, as tokenizers have it; other letters and digits make a word together.
_WORD = re.compile(rf"[{_IDEOGRAPH}]|[^\W_{_IDEOGRAPH}]+")


@dataclass(frozen=True)
class TokenWords:
    """The k words of a text.

    Attributes:
        words: lower case, in their order.
        starts: shape (k,), first token of each word.
        ends: shape (k,), the token after its last one.
    """

    words: tuple[str, ...]
    starts: Integers
    ends: Integers

    def __len__(self) -> int:
        return len(self.words)

    def pooled(self, states: Vectors) -> Floats:
        """Give each word the mean of its tokens' states, scaled to length 1, shape (k, hidden)."""
        if not len(self):
            return np.empty((0, states.shape[1]))
        means = states[self.starts]
        counts = self.ends - self.starts
        two = np.flatnonzero(counts == 2)  # noqa: PLR2004
        means[two] = (means[two] + states[self.starts[two] + 1]) / 2
        for word in np.flatnonzero(counts > 2).tolist():  # noqa: PLR2004
            means[word] = states[self.starts[word] : self.ends[word]].mean(axis=0)
        return unit_rows(means.astype(np.float64))


def join_words(texts: Sequence[TokenWords], lengths: Sequence[int]) -> TokenWords:
    """Put the words of several texts end to end, as if their tokens were those of one.

    Args:
        texts: n of them.
        lengths: n numbers of tokens.
    """
    before = [0, *np.cumsum(lengths).tolist()]
    return TokenWords(
        tuple(word for text in texts for word in text.words),
        np.concatenate([text.starts + start for text, start in zip(texts, before, strict=False)]),
        np.concatenate([text.ends + start for text, start in zip(texts, before, strict=False)]),
    )


def find_words(text: str, offsets: Integers | Ids, special: npt.NDArray[np.bool_]) -> TokenWords:
    """Find the words of a text among its tokens; marks are no words unless there is nothing else.

    Args:
        text: the text.
        offsets: shape (t, 2), where each token stands in it.
        special: shape (t,), tokens that the tokenizer has added.

    Example:
        >>> offsets = np.array([[0, 0], [0, 2], [2, 6], [6, 7], [0, 0]])
        >>> find_words("unlike.", offsets, np.array([True, False, False, False, True])).words
        ('unlike',)
    """
    found: list[tuple[str, int, int]] = []
    bounds, added = offsets.tolist(), special.tolist()
    places = [place for place, (start, end) in enumerate(bounds) if end > start and not added[place]]
    ends = [bounds[place][1] for place in places]
    at = 0
    for match in _WORD.finditer(text):
        # A token belongs to the word with its last character: some tokenizers count the space before it.
        while at < len(places) and ends[at] <= match.start():
            at += 1
        first = at
        while at < len(places) and ends[at] <= match.end():
            at += 1
        if at > first:
            found.append((match.group().lower(), places[first], places[at - 1] + 1))
    if not found:
        found = [(text[slice(*bounds[place])].lower(), place, place + 1) for place in places]
    spans = np.array([[start, end] for _, start, end in found], np.int64).reshape(-1, 2)
    return TokenWords(tuple(word for word, _, _ in found), spans[:, 0], spans[:, 1])


@dataclass(frozen=True)
class WordWeights:
    """What words count: more the fewer texts of a corpus have them, and little if they are stop words.

    Attributes:
        frequency: how many of the corpus's texts have each word.
        texts: how many texts the corpus has, at least 1.
        stop: what a stop word counts beside another word, 0 to 1.
    """

    frequency: Counter[str]
    texts: int
    stop: float

    @classmethod
    def over(cls, corpus: Iterable[Sequence[str]], *, stop: float) -> "WordWeights":
        """Count in how many texts each word is."""
        sets = [set(words) for words in corpus]
        return cls(Counter(word for words in sets for word in words), len(sets), stop)

    def of(self, words: Sequence[str]) -> Floats:
        """Weigh words by ``1 + ln((N + 1) / (df + 1)) / ln(N + 1)``: 1 if all N texts have it, 2 if none has.

        Returns:
            Shape (k,), greater than 0 as long as ``stop`` is; a stop word's weight is multiplied by ``stop``.

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


def unit_rows(rows: Floats) -> Floats:
    """Scale rows to length 1; a row of zeros stays one."""
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(norms > 0, norms, 1.0))
