"""Positions of words among the tokens of texts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from semscale.matching.words.vocabulary import Shown
from semscale.types import Ids, Integers

_IDEOGRAPH = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
# An ideograph is a word of its own, as tokenizers have it; other letters and digits make a word together.
_WORD = re.compile(rf"([{_IDEOGRAPH}]|[^\W_{_IDEOGRAPH}]+)")


@dataclass(frozen=True)
class WordSpans:
    """The k words of n texts, whose tokens stand end to end.

    Attributes:
        shown: the words and their tokens, as they stand in the texts.
        starts: shape (k,), first token of each word, ascending.
        ends: shape (k,), the token after its last one.
        counts: shape (n,), words of each text.
    """

    shown: list[Shown]
    starts: Integers
    ends: Integers
    counts: Integers


def find_words(
    texts: Sequence[str], offsets: Integers | Ids, special: npt.NDArray[np.bool_], lengths: Integers
) -> WordSpans:
    """Find the words of texts among their tokens; marks are no words unless a text has nothing else.

    Args:
        texts: n of them.
        offsets: shape (t, 2), where in its text each token stands.
        special: shape (t,), tokens that the tokenizer has added.
        lengths: shape (n,), tokens of each text.

    Example:
        >>> offsets = np.array([[0, 0], [0, 2], [2, 6], [6, 7], [0, 0]])
        >>> special = np.array([True, False, False, False, True])
        >>> find_words(["unlike."], offsets, special, np.array([5])).shown
        [('unlike', 'un', 'like')]
    """
    joined = "\n".join(texts)
    own = np.repeat(np.arange(len(texts)), lengths)
    bounds = offsets + np.cumsum([0, *(len(text) + 1 for text in texts[:-1])])[own, None]
    read = np.flatnonzero((offsets[:, 1] > offsets[:, 0]) & ~special)
    spans, first, after = _among(joined, bounds[read])
    wordless = read[np.bincount(own[read[first]], minlength=len(texts))[own[read]] == 0]
    starts = np.concatenate([read[first], wordless])
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], np.concatenate([read[after - 1], wordless])[order] + 1
    spans = np.concatenate([spans, bounds[wordless]])[order]
    counts = np.bincount(own[starts], minlength=len(texts))
    return WordSpans(_shown(joined, spans, bounds, starts, ends), starts, ends, counts)


def _among(text: str, bounds: Integers) -> tuple[Integers, Integers, Integers]:
    """Give the words' first and last characters, their first tokens and the ones after their last.

    A token belongs to the word with its last character: some tokenizers count the space before it.
    """
    parts = _WORD.split(text)  # what is between words, and words, in turn
    spans = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)))[:-1].reshape(-1, 2)
    tokens = np.searchsorted(np.maximum.accumulate(bounds[:, 1]), spans, side="right")
    read = tokens[:, 0] < tokens[:, 1]
    return spans[read], tokens[read, 0], tokens[read, 1]


def _shown(text: str, spans: Integers, bounds: Integers, starts: Integers, ends: Integers) -> list[Shown]:
    words = [text[start:end] for start, end in zip(*spans.T.tolist(), strict=True)]
    shown: list[Shown] = list(words)
    whole = (ends == starts + 1) & (bounds[starts] == spans).all(axis=1)
    for word in np.flatnonzero(~whole).tolist():
        tokens = bounds[starts[word] : ends[word]].T.tolist()
        shown[word] = (words[word], *(text[start:end] for start, end in zip(*tokens, strict=True)))
    return shown
