"""Words typical of groups of answers, also in languages without spaces between words."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from semscale.types import Floats, Integers

_FEWEST_ANSWERS = 2
_PRIOR = 0.01

_IDEOGRAPHS = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_KANA = "\u3040-\u30ff\uff66-\uff9f"
_SPACELESS_ALPHABETS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Thai, Lao, Burmese and Khmer, with their signs of vowels and tones."""

_SPACELESS = re.compile(f"[{_IDEOGRAPHS}{_KANA}{_SPACELESS_ALPHABETS}]")
_WORD = re.compile(r"[\uac00-\ud7a3]{2,}|[^\W\d_]{3,}")
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc\uff66-\uff9f]{2,}")
_RUNS = (
    (re.compile(f"[{_IDEOGRAPHS}]{{2,}}"), range(2, 5)),
    (re.compile(f"[{_SPACELESS_ALPHABETS}]{{3,}}"), range(3, 7)),
)
_MOSTLY = 0.8


def typical_words(texts: Sequence[str], labels: Integers, k: int, *, most: int = 8) -> list[tuple[str, ...]]:
    """Find the words that each cluster has more often than the other clusters.

    Words are those of ``words_in``; each answer counts a word once. A word's log odds in the cluster, minus
    those in the other clusters, both with a prior of the word's frequency in all answers, are divided by
    their standard error. So frequent words of no meaning drop out in any language, without a list of them.
    In languages without spaces between words, pieces that overlap a more typical one are left out.

    Args:
        texts: n answers.
        labels: shape (n,), their clusters, 0 to k - 1.
        k: clusters.
        most: words per cluster.

    Returns:
        For each cluster the words, the most typical first; fewer where fewer are typical.

    References:
        Monroe, Colaresi and Quinn (2008), Fightin' words, doi 10.1093/pan/mpn018, equation 22.

    Example:
        >>> texts = ["the battery died", "the battery lasts", "the price is high", "the price is low"]
        >>> typical_words(texts, np.array([0, 0, 1, 1]), 2, most=1)
        [('battery',), ('price',)]
    """
    bags = [words_in(text) for text in texts]
    totals = Counter(word for bag in bags for word in bag)
    frequent = Counter({word: n for word, n in totals.items() if n >= _FEWEST_ANSWERS})
    vocabulary = sorted(without_parts(frequent))
    if not vocabulary:
        return [()] * k
    columns = {word: column for column, word in enumerate(vocabulary)}
    counts = np.zeros((k, len(vocabulary)))
    for bag, label in zip(bags, labels.tolist(), strict=True):
        for word in bag & columns.keys():
            counts[label, columns[word]] += 1
    scores = np.where(counts > 0, _z_scores(counts), 0.0)
    return [_most_typical(vocabulary, row, most) for row in scores]


def words_in(text: str) -> set[str]:
    """Find the words of an answer, in lower case.

    A word is a run of three letters or more, of two in Korean. Of Chinese characters each run of two to four
    counts, of Thai, Lao, Burmese and Khmer each of three to six; of Japanese kana words in katakana do, as
    hiragana is grammar for the most part.

    Example:
        >>> sorted(words_in("The battery died"))
        ['battery', 'died', 'the']
        >>> sorted(words_in("バッテリーが切れた")), sorted(words_in("电池坏"))
        (['バッテリー'], ['池坏', '电池', '电池坏'])
    """
    words = set(_WORD.findall(_SPACELESS.sub(" ", text.lower()))) | set(_KATAKANA.findall(text))
    for pattern, sizes in _RUNS:
        for run in pattern.findall(text):
            words |= {run[start : start + size] for size in sizes for start in range(len(run) - size + 1)}
    return words


def is_piece(word: str) -> bool:
    """Return whether a word was cut out of a text without spaces, so that it may be no word.

    Example:
        >>> is_piece("电池"), is_piece("battery")
        (True, False)
    """
    return _SPACELESS.match(word) is not None


def without_parts(counts: Counter[str]) -> set[str]:
    """Leave out pieces that mostly occur inside a longer one.

    Args:
        counts: answers with each word.

    Example:
        >>> sorted(without_parts(Counter({"充电": 9, "充电器": 8, "电器": 8, "电池": 20})))
        ['充电器', '电池']
    """
    parts = {
        part
        for piece, n in counts.items()
        if is_piece(piece)
        for part in (piece[1:], piece[:-1])
        if n >= _MOSTLY * counts.get(part, float("inf"))
    }
    return set(counts) - parts


def overlaps(word: str, words: Iterable[str]) -> bool:
    """Return whether a piece contains one of some words, or lies in one; other words never overlap."""
    return is_piece(word) and any(word in other or other in word for other in words)


def _most_typical(words: Sequence[str], scores: Floats, most: int) -> tuple[str, ...]:
    """Take the words with the greatest scores above 0, without pieces that overlap."""
    chosen: list[str] = []
    for index in np.argsort(-scores, kind="stable").tolist():
        if len(chosen) == most or scores[index] <= 0:
            break
        if not overlaps(words[index], chosen):
            chosen.append(words[index])
    return tuple(chosen)


def _z_scores(counts: Floats) -> Floats:
    """Log odds ratios of each cluster and all others in units of their standard error, shape (k, w)."""
    totals = counts.sum(axis=0)
    prior = totals * _PRIOR + _PRIOR
    inside, outside = counts + prior, totals - counts + prior
    scores: Floats = (_log_odds(inside) - _log_odds(outside)) / np.sqrt(1 / inside + 1 / outside)
    return scores


def _log_odds(counts: Floats) -> Floats:
    odds: Floats = np.log(counts) - np.log(np.maximum(counts.sum(axis=1, keepdims=True) - counts, _PRIOR))
    return odds
