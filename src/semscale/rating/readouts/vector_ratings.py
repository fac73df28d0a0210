"""Ratings of vectors, as each readout gives them, and the blocks of rows in which they are computed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from semscale.rating.readouts.array_checks import as_rows, unit_anchors
from semscale.rating.readouts.cosines import best_of, cosines_of
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

    def under_sets(self, own: Sequence[str], sets: Sequence[str]) -> "VectorRatings":
        """Spread the means over more anchor sets; those under sets that did not rate are NaN.

        Args:
            own: names of the s sets that rated.
            sets: names of all sets, ``own`` among them.

        Example:
            >>> rated = VectorRatings(np.ones((1, 1)), np.array([[2.0]]), np.ones(1))
            >>> rated.under_sets(["plain"], ["blunt", "plain"]).set_means.tolist()
            [[nan, 2.0]]
        """
        means = np.full((len(self.set_means), len(sets)), np.nan)
        means[:, [sets.index(name) for name in own]] = self.set_means
        return replace(self, set_means=means)


def best_similarities(vectors: npt.ArrayLike, anchors: npt.ArrayLike) -> Floats:
    """Give the cosine of vectors with the most similar of all anchors, without rating them.

    Args:
        vectors: shape (n, d), finite and not all 0.
        anchors: shape (s, k, d), or (k, d) for one set; any lengths but 0.

    Returns:
        Shape (n,), -1 to 1, to the last bit as the readouts give it.

    Example:
        >>> best_similarities([[3.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]]).round(3).tolist()
        [0.8]
    """
    rows = as_rows(vectors)
    units = unit_anchors(anchors, rows.shape[1]).astype(rows.dtype)
    best = np.empty(len(rows))
    for block in row_blocks(len(rows)):
        best[block] = best_of(cosines_of(rows[block], units)[0])
    return best


def row_blocks(n: int) -> Iterator[slice]:
    """Cut n rows into blocks that fit a processor's cache.

    Example:
        >>> list(row_blocks(5000))
        [slice(0, 4096, None), slice(4096, 8192, None)]
    """
    return (slice(start, start + _BLOCK_ROWS) for start in range(0, n, _BLOCK_ROWS))
