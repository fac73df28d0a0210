"""Ranks of numbers."""

import numpy as np

from semscale.types import Floats


def average_ranks(values: Floats) -> Floats:
    """Rank numbers from 1 for the smallest; equal ones share the average of their ranks.

    This is SciPy's ``rankdata``, without the half second that an import of ``scipy.stats`` takes.

    Args:
        values: shape (n,), finite.

    Returns:
        Shape (n,), 1 to n.

    Example:
        >>> average_ranks(np.array([0.5, 0.1, 0.5])).tolist()
        [2.5, 1.0, 2.5]
    """
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[place])
