"""Ratings of vectors, as each readout gives them, and the blocks of rows in which they are computed."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np

from semscale.types import Floats

_BLOCK_ROWS = 4096  # 30 float64 similarities a row: a block's intermediates stay in a core's own cache


@dataclass(frozen=True)
class VectorRatings:
    """Ratings of vectors, row by row.

    Attributes:
        pmf: shape (n, k), rows sum to 1 within 1e-12.
        set_means: shape (n, s), the mean under each anchor set alone, before the temperature, in the scale's
            values.
        best_similarity: shape (n,), cosine with the most similar of all anchors, -1 to 1.
    """

    pmf: Floats
    set_means: Floats
    best_similarity: Floats

    @classmethod
    def unfilled(cls, n: int, k: int, n_sets: int) -> Self:
        """Arrays for n rows, k points and so many anchor sets, to be filled block by block."""
        return cls(np.empty((n, k)), np.empty((n, n_sets)), np.empty(n))


def row_blocks(n: int) -> Iterator[slice]:
    """Cut n rows into blocks that fit a processor's cache.

    Example:
        >>> list(row_blocks(5000))
        [slice(0, 4096, None), slice(4096, 8192, None)]
    """
    return (slice(start, start + _BLOCK_ROWS) for start in range(0, n, _BLOCK_ROWS))
