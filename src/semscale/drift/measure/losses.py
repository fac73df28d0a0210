"""Arithmetic of losses: similarities, counts and numbers of aligned outputs."""

import math
from collections.abc import Sequence

import numpy as np

from semscale.drift.measure.direction import Direction
from semscale.types import Floats, Integers


def mean_loss(losses: Floats) -> float:
    """Return the mean of losses, shape (n,), without NaN; NaN if no item has a loss.

    Example:
        >>> mean_loss(np.array([0.5, np.nan, 0.25])), mean_loss(np.array([np.nan]))
        (0.375, nan)
    """
    there = losses[~np.isnan(losses)]
    return float(there.mean()) if there.size else math.nan


def similarity_loss(similarities: Sequence[float], longest: int) -> float:
    """Return ``1 - sum of similarities / longest``, in which outputs without a partner count 0.

    Args:
        similarities: similarities of the aligned pairs; negative ones count 0, and so does NaN, which means
            that the model cannot read one of the two texts.
        longest: the greater number of outputs of the two runs, at least 1.

    Returns:
        0 to 1; exactly 0 if every similarity is 1 and no output is missing.

    Example:
        >>> similarity_loss([1.0, 0.5], 4), similarity_loss([1.0, 1.0], 2), similarity_loss([], 3)
        (0.625, 0.0, 1.0)
    """
    kept = [0.0 if math.isnan(similarity) else min(max(similarity, 0.0), 1.0) for similarity in similarities]
    return math.fsum([*(1 - similarity for similarity in kept), longest - len(kept)]) / longest


def difference_share(one: float, other: float) -> float:
    """Return the difference of two sizes as a share of the greater one; 0 if both are 0.

    Example:
        >>> difference_share(3, 1), difference_share(0, 0)
        (0.6666666666666666, 0.0)
    """
    greater = max(one, other)
    return abs(one - other) / greater if greater else 0.0


def number_loss(
    baseline: Floats, candidate: Floats, pairs: Integers, span: float, direction: Direction = "either"
) -> float:
    """Return the mean of ``number_differences``.

    Returns:
        0 to ``span``; NaN if no output has the number.

    Example:
        >>> one, two = np.array([1.0, 0.5, np.nan]), np.array([0.5])
        >>> number_loss(one, two, np.array([[0, 0]]), span=2.0)  # .5 apart, and 2 for the second
        1.25
    """
    counted = number_differences(baseline, candidate, pairs, span, direction)
    return math.fsum(counted.tolist()) / len(counted) if len(counted) else math.nan


def number_differences(
    baseline: Floats, candidate: Floats, pairs: Integers, span: float, direction: Direction = "either"
) -> Floats:
    """Return the absolute differences of a number, first of pairs, then of outputs without a partner.

    Where lower or higher numbers are better, a difference for the better counts 0.

    The difference is ``span`` if only one output of a pair has the number, or if an output with the number
    has no partner. Pairs and outputs without the number are left out. No difference exceeds ``span``.

    Args:
        baseline: shape (b,), the number of each output; NaN without one.
        candidate: shape (c,), the same for the candidate.
        pairs: shape (p, 2), positions of aligned outputs.
        span: the greatest difference that counts.
        direction: which numbers are better.

    Returns:
        Shape (differences,), each 0 to ``span``.
    """
    ours, theirs = baseline[pairs[:, 0]], candidate[pairs[:, 1]]
    worsened = {"lower": theirs - ours, "higher": ours - theirs, "either": np.abs(ours - theirs)}[direction]
    apart = np.where(np.isnan(ours) ^ np.isnan(theirs), span, np.clip(worsened, 0.0, span))
    alone = np.concatenate([np.delete(baseline, pairs[:, 0]), np.delete(candidate, pairs[:, 1])])
    return np.concatenate([apart[~np.isnan(apart)], np.full(int((~np.isnan(alone)).sum()), span)])


def known_pairs(baseline: Floats, candidate: Floats, pairs: Integers) -> tuple[Floats, Floats, Integers]:
    """Take the aligned numbers that both runs have, as arguments of ``number_loss``.

    Example:
        >>> one, two = np.array([1.0, 0.5]), np.array([2.0, np.nan])
        >>> [part.tolist() for part in known_pairs(one, two, np.array([[0, 0], [1, 1]]))]
        [[1.0], [2.0], [[0, 0]]]
    """
    ours, theirs = baseline[pairs[:, 0]], candidate[pairs[:, 1]]
    known = ~(np.isnan(ours) | np.isnan(theirs))
    places = np.arange(known.sum())
    return ours[known], theirs[known], np.column_stack([places, places])


def number_distances(baseline: Floats, candidate: Floats, spans: Floats) -> Floats:
    """Return the distances of outputs by their numbers: the mean over the fields of |difference| / span.

    Args:
        baseline: shape (b, f), the numbers of each output; NaN for a missing one.
        candidate: shape (c, f), the same for the candidate.
        spans: shape (f,), greater than 0.

    Returns:
        Shape (b, c), 0 to 1; a number that only one of two outputs has counts as distance 1.

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
    """Return the range of a field's numbers and 0, which is the greatest loss of a missing output.

    Example:
        >>> span_of([0.5, 2.5]), span_of([-1.0, 1.0]), span_of([0.0])
        (2.5, 2.0, 1.0)
    """
    low, high = min(0.0, *numbers), max(0.0, *numbers)
    return high - low or 1.0
