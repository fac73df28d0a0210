"""Pairing of an item's outputs, by optimal assignment or by position."""

import numpy as np

from semscale.types import Floats, Integers

PAIRINGS = ("assignment", "position")
"""Ways to pair outputs: by optimal assignment, or the first with the first and so on, like Athena."""

_NEARER = 1e-6  # weight of numbers, which decide between equal similarities; below any difference of texts
_EARLIER = 1e-9  # weight of positions, which decide if numbers are equal, too


def align(similarity: Floats, distance: Floats | None = None) -> Integers:
    """Pair outputs so that the sum of the pairs' similarities is greatest.

    Of pairings with equal sums, the one with the smaller sum of distances wins, then the one whose pairs are
    at closer positions.

    Args:
        similarity: shape (b, c), similarities of b outputs of the baseline to c of the candidate.
        distance: shape (b, c), 0 to 1, distances of the outputs' numbers; 0 by default.

    Returns:
        Shape (min(b, c), 2): rows and columns of the pairs, ascending by row.

    References:
        Crouse 2016, On implementing 2D rectangular assignment algorithms, doi:10.1109/TAES.2016.140952.

    Example:
        >>> align(np.array([[0.2, 0.9, 0.3], [0.4, 0.8, 0.1]])).tolist()
        [[0, 1], [1, 0]]
        >>> align(np.ones((2, 2)), np.array([[1.0, 0.0], [0.0, 1.0]])).tolist()
        [[0, 1], [1, 0]]
    """
    from scipy.optimize import linear_sum_assignment

    rows, columns = np.ogrid[: similarity.shape[0], : similarity.shape[1]]
    worth = similarity - _EARLIER * np.abs(rows - columns)
    if distance is not None:
        worth = worth - _NEARER * distance
    return np.column_stack(linear_sum_assignment(worth, maximize=True)).astype(np.int64)


def align_by_position(n_baseline: int, n_candidate: int) -> Integers:
    """Pair the first output with the first, the second with the second, and so on.

    Returns:
        Shape (the smaller number, 2).

    Example:
        >>> align_by_position(3, 2).tolist()
        [[0, 0], [1, 1]]
    """
    places = np.arange(min(n_baseline, n_candidate), dtype=np.int64)
    return np.column_stack([places, places])
