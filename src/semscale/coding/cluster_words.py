"""Words that are typical of a cluster of answers."""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from semscale.types import Floats, Integers

_WORD = re.compile(r"[^\W\d_]{3,}")
_FEWEST = 2
_PRIOR = 0.01


def typical_words(texts: Sequence[str], labels: Integers, k: int, *, most: int = 8) -> list[tuple[str, ...]]:
    """Find the words that each cluster has more often than the other ones.

    Words are runs of three or more letters, in lower case; each answer counts a word once. A word's log odds
    in the cluster, less those in the other clusters, both with a prior of the word's frequency in all
    answers, are divided by their standard error. So frequent words of no meaning fall out in any language
    with spaces between words, without a list of them.

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
    bags = [set(_WORD.findall(text.lower())) for text in texts]
    total = Counter(word for bag in bags for word in bag)
    words = sorted(word for word, n in total.items() if n >= _FEWEST)
    if not words:
        return [()] * k
    places = {word: place for place, word in enumerate(words)}
    counts = np.zeros((k, len(words)))
    for bag, label in zip(bags, labels.tolist(), strict=True):
        for word in bag:
            if word in places:
                counts[label, places[word]] += 1
    scores = _z_scores(counts)
    found = []
    for own, n in zip(scores, counts, strict=True):
        order = [
            place
            for place in np.argsort(-own, kind="stable")[:most].tolist()
            if own[place] > 0 and n[place] > 0
        ]
        found.append(tuple(words[place] for place in order))
    return found


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
