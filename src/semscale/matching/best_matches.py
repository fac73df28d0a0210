"""Mean best match of the rows and of the columns of cosine matrices."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from semscale.types import Floats

Cosines = npt.NDArray[Any]
"""In single or double precision."""


def mean_best(
    matrices: Iterable[Cosines],
    weights: Sequence[tuple[Floats, Floats]],
    reading: Callable[[Cosines], Cosines],
) -> Floats:
    """Compute the weighted mean of the rows' best cosines, and of the columns' ones, for each of p matrices.

    The best cosines of all matrices are mapped and averaged together, which is faster than one by one and
    gives the same numbers.

    Args:
        matrices: p matrices of shape (..., r, c).
        weights: for each matrix the weights of its rows, shape (r,), and columns, shape (c,), at least 0.
        reading: function applied to every best cosine before the mean.

    Returns:
        Shape (..., p, 2); NaN where no row, or no column, has a weight.

    Example:
        >>> matrix = np.array([[1.0, 0.5], [0.0, 0.25]])
        >>> mean_best([matrix], [(np.ones(2), np.array([1.0, 0.0]))], np.abs).tolist()
        [[0.625, 1.0]]
    """
    best = [side for matrix in matrices for side in (matrix.max(axis=-1), matrix.max(axis=-2))]
    return mean_of_best(best, weights, reading)


def mean_of_best(
    best: Sequence[Cosines],
    weights: Sequence[tuple[Floats, Floats]],
    reading: Callable[[Cosines], Cosines],
) -> Floats:
    """Average the best cosines of p matrices, as ``mean_best`` does once it has found them.

    Args:
        best: for each matrix the best cosines of its rows, shape (..., r), then those of its columns,
            shape (..., c).
        weights: as there.
        reading: as there.
    """
    sides = [side for pair in weights for side in pair]
    means = _weighted_means(
        reading(np.concatenate(best, axis=-1)), np.concatenate(sides), [len(side) for side in sides]
    )
    return means.reshape(*means.shape[:-1], -1, 2)


def _weighted_means(values: Cosines, weights: Floats, counts: Sequence[int]) -> Floats:
    """Average runs of values, whose lengths are ``counts``, each as if it stood alone."""
    starts = np.cumsum([0, *counts[:-1]])
    totals = np.add.reduceat(weights, starts)
    sums = np.add.reduceat(values * weights, starts, axis=-1)
    return np.asarray(sums / np.where(totals > 0, totals, np.nan))
