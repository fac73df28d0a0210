"""Sums of a sparse table over resampled items, many resamples at once."""

from collections.abc import Callable

import numpy as np
from scipy.sparse import csr_array

from semscale.types import Floats, Integers


def sparse_sums(
    items: Integers, cells: Integers, amounts: Floats, shape: tuple[int, int]
) -> Callable[[Floats], Floats]:
    """Make the sums of cells a function of how often each item is there.

    Args:
        items: shape (e,), the item of each entry.
        cells: shape (e,), its cell.
        amounts: shape (e,), what it adds to the cell; entries of one item and cell add up.
        shape: how many items and how many cells there are.

    Returns:
        From counts (b, items) to sums (b, cells).

    Example:
        >>> sums = sparse_sums(np.array([0, 1]), np.array([0, 0]), np.array([2.0, 3.0]), (2, 1))
        >>> sums(np.array([[1.0, 1.0], [0.0, 2.0]])).tolist()
        [[5.0], [6.0]]
    """
    table = csr_array((amounts, (cells, items)), shape=shape[::-1])

    def sums(counts: Floats) -> Floats:
        drawn: Floats = np.asarray(table @ np.ascontiguousarray(counts.T))
        return drawn.T

    return sums
