"""Words that are typical of a cluster of answers."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from semscale.coding.suggesting.answer_words import overlaps, without_parts, words_in
from semscale.types import Floats, Integers

_FEWEST = 2
_PRIOR = 0.01


def typical_words(texts: Sequence[str], labels: Integers, k: int, *, most: int = 8) -> list[tuple[str, ...]]:
    """Find the words that each cluster has more often than the other ones.

    Words are those of ``words_in``; each answer counts a word once. A word's log odds in the cluster, less
    those in the other clusters, both with a prior of the word's frequency in all answers, are divided by
    their standard error. So frequent words of no meaning fall out in any language, without a list of them. In
    languages without spaces between words, pieces that overlap a more typical one are left out.

    Args:
        texts: n answers.
        labels: shape (n,), their clusters, 0 to k - 1.
        k: clusters.
        most: words a cluster.

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
    total = Counter(word for bag in bags for word in bag)
    often = Counter({word: n for word, n in total.items() if n >= _FEWEST})
    words = sorted(without_parts(often))
    if not words:
        return [()] * k
    places = {word: place for place, word in enumerate(words)}
    counts = np.zeros((k, len(words)))
    for bag, label in zip(bags, labels.tolist(), strict=True):
        for word in bag:
            if word in places:
                counts[label, places[word]] += 1
    scores = _z_scores(counts)
    typical = np.where(counts > 0, scores, 0.0)
    return [_chosen(words, own, most) for own in typical]


def _chosen(words: Sequence[str], scores: Floats, most: int) -> tuple[str, ...]:
    """Take the words with the greatest scores above 0, without pieces that overlap."""
    chosen: list[str] = []
    for place in np.argsort(-scores, kind="stable").tolist():
        if len(chosen) == most or scores[place] <= 0:
            break
        if not overlaps(words[place], chosen):
            chosen.append(words[place])
    return tuple(chosen)


def _z_scores(counts: Floats) -> Floats:
    """Log odds ratios of each cluster beside all others in units of their standard error, shape (k, w)."""
    everywhere = counts.sum(axis=0)
    prior = everywhere * _PRIOR + _PRIOR
    others = everywhere - counts
    own = _log_odds(counts + prior)
    rest = _log_odds(others + prior)
    scores: Floats = (own - rest) / np.sqrt(1 / (counts + prior) + 1 / (others + prior))
    return scores


def _log_odds(counts: Floats) -> Floats:
    odds: Floats = np.log(counts) - np.log(np.maximum(counts.sum(axis=1, keepdims=True) - counts, _PRIOR))
    return odds
