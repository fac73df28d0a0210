"""Examples of a cluster of answers: the nearest to its centre, without those that nearly repeat another."""

from collections.abc import Sequence

import numpy as np

from semscale.types import Floats, Integers

EXAMPLES = 5
_LONGEST = 300


def typical_examples(texts: Sequence[str], vectors: Floats, nearness: Floats) -> tuple[str, ...]:
    """Take the five answers nearest to the centre that differ, from the short ones if there are any.

    An answer nearly repeats one that was taken where their cosine lies above the middle between the mean
    cosine of two answers of the cluster and 1. Such answers are taken only where others are lacking.

    Args:
        texts: n answers of one cluster, all different.
        vectors: shape (n, d), of length 1.
        nearness: shape (n,), cosine of each with the centre.

    Example:
        >>> vectors = np.array([[1.0, 0.0], [1.0, 0.0], [0.6, 0.8]])
        >>> typical_examples(["43 bucks", "56 bucks", "cheap"], vectors, np.array([0.9, 0.9, 0.8]))
        ('43 bucks', 'cheap', '56 bucks')
    """
    short = np.array([len(text) <= _LONGEST for text in texts])
    may: Integers = np.flatnonzero(short) if short.any() else np.arange(len(texts))
    nearly_same = (1 + _mean_cosine(vectors)) / 2
    taken: list[int] = []
    repeats: list[int] = []
    for row in may[np.argsort(-nearness[may], kind="stable")].tolist():
        if len(taken) == EXAMPLES:
            break
        repeated = bool(taken) and float((vectors[taken] @ vectors[row]).max()) > nearly_same
        (repeats if repeated else taken).append(row)
    return tuple(texts[row] for row in [*taken, *repeats][:EXAMPLES])


def _mean_cosine(vectors: Floats) -> float:
    """Give the mean cosine of two different answers; 1 where there is only one."""
    n = len(vectors)
    return 1.0 if n == 1 else float((np.square(vectors.sum(axis=0)).sum() - n) / (n * (n - 1)))
