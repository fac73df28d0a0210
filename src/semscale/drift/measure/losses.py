"""The arithmetic from aligned outputs to an item's losses."""

import math
from collections.abc import Sequence

import numpy as np

from semscale.types import Floats, Integers


def mean_loss(losses: Floats) -> float:
    """Give the mean over the items that have a loss, shape (n,); NaN where none has.

    Example:
        >>> mean_loss(np.array([0.5, np.nan, 0.25])), mean_loss(np.array([np.nan]))
        (0.375, nan)
    """
    there = losses[~np.isnan(losses)]
    return float(there.mean()) if there.size else math.nan


def similarity_loss(similarities: Sequence[float], longest: int) -> float:
    """Give ``1 - sum of similarities / longest``: outputs without a partner have a similarity of 0.

    Args:
        similarities: of the aligned pairs; those below 0 count as 0, and so does NaN, where a text has no
            token that the model reads.
        longest: outputs of the side that has more of them, at least 1.

    Returns:
        0 to 1; exactly 0 where every similarity is 1 and nothing is missing.

    Example:
        >>> similarity_loss([1.0, 0.5], 4), similarity_loss([1.0, 1.0], 2), similarity_loss([], 3)
        (0.625, 0.0, 1.0)
    """
    kept = [0.0 if math.isnan(similarity) else min(max(similarity, 0.0), 1.0) for similarity in similarities]
    return math.fsum([*(1 - similarity for similarity in kept), longest - len(kept)]) / longest


def difference_share(one: float, other: float) -> float:
    """Give the difference of two sizes as a share of the greater one; 0 where both are 0.

    Example:
        >>> difference_share(3, 1), difference_share(0, 0)
        (0.6666666666666666, 0.0)
    """
    greater = max(one, other)
    return abs(one - other) / greater if greater else 0.0


def number_loss(baseline: Floats, candidate: Floats, pairs: Integers, span: float) -> float:
    """Give the mean of ``number_differences``.

    Returns:
        0 to ``span``; NaN where no output has the number.

    Example:
        >>> one, two = np.array([1.0, 0.5, np.nan]), np.array([0.5])
        >>> number_loss(one, two, np.array([[0, 0]]), span=2.0)  # .5 apart, and 2 for the second
        1.25
    """
    counted = number_differences(baseline, candidate, pairs, span)
    return math.fsum(counted.tolist()) / len(counted) if len(counted) else math.nan


def number_differences(baseline: Floats, candidate: Floats, pairs: Integers, span: float) -> Floats:
    """Give the absolute differences of a number, of pairs and then of outputs without a partner.

    A pair counts ``span`` where only one of the two has the number, and so does an output that has it and no
    partner. What has no number on any side is left out. No difference counts more than ``span``.

    Args:
        baseline: shape (b,), the number of each output; NaN where it has none.
        candidate: shape (c,), likewise.
        pairs: shape (p, 2), which outputs were aligned.
        span: the most that a difference counts.

    Returns:
        Shape (differences,), each 0 to ``span``.
    """
    ours, theirs = baseline[pairs[:, 0]], candidate[pairs[:, 1]]
    apart = np.where(np.isnan(ours) ^ np.isnan(theirs), span, np.minimum(np.abs(ours - theirs), span))
    alone = np.concatenate([np.delete(baseline, pairs[:, 0]), np.delete(candidate, pairs[:, 1])])
    return np.concatenate([apart[~np.isnan(apart)], np.full(int((~np.isnan(alone)).sum()), span)])


def number_distances(baseline: Floats, candidate: Floats, spans: Floats) -> Floats:
    """Say how far outputs lie apart by their numbers: the mean over the fields of |difference| / span.

    Args:
        baseline: shape (b, f), NaN where an output has no such number.
        candidate: shape (c, f), likewise.
        spans: shape (f,), greater than 0.

    Returns:
        Shape (b, c), 0 to 1; a number that only one of two outputs has counts 1.

    Example:
        >>> number_distances(np.array([[1.0], [np.nan]]), np.array([[0.5]]), np.array([2.0])).tolist()
        [[0.25], [1.0]]
    """
    if not len(spans):
        return np.zeros((len(baseline), len(candidate)))
    apart = np.minimum(np.abs(baseline[:, None] - candidate[None]) / spans, 1.0)
    lacking = np.isnan(baseline)[:, None] ^ np.isnan(candidate)[None]
    return np.asarray(np.nan_to_num(np.where(lacking, 1.0, apart), nan=0.0).mean(axis=2))


def span_of(numbers: Sequence[float]) -> float:
    """Give the range of a field's numbers with 0 in it: the most by which an output can miss by its absence.

    Example:
        >>> span_of([0.5, 2.5]), span_of([-1.0, 1.0]), span_of([0.0])
        (2.5, 2.0, 1.0)
    """
    low, high = min(0.0, *numbers), max(0.0, *numbers)
    return high - low or 1.0
