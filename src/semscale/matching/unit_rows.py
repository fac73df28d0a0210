"""Vectors of length 1, so that the product of two is their cosine."""

from typing import TypeVar

import numpy as np
import numpy.typing as npt

Rows = TypeVar("Rows", np.float32, np.float64)


def unit_rows(rows: npt.NDArray[Rows], out: npt.NDArray[Rows] | None = None) -> npt.NDArray[Rows]:
    """Give every row Euclidean length 1; a row of zeros stays as it is.

    Args:
        rows: shape (r, d), in C order.
        out: where to write them, ``rows`` itself at most; a new array unless given.

    Returns:
        Shape (r, d), in the precision of ``rows``.

    Example:
        >>> unit_rows(np.array([[3, 4], [0, 0]], np.float32)).tolist()
        [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    lengths = np.sqrt(np.einsum("rd,rd->r", rows, rows))
    return np.asarray(
        np.divide(rows, np.where(lengths > 0, lengths, lengths.dtype.type(1))[:, None], out=out)
    )
