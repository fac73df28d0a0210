"""Cosines of texts with anchors, identical to the last bit whatever other texts are in the batch.

In which order a matrix product sums depends on its shape, on the processor, and on where in the matrix a row
stands. Each text is therefore multiplied by itself, in a product whose shape is always the same.
"""

import numpy as np
import numpy.typing as npt

from semscale.rating.readouts.array_checks import Reals
from semscale.types import Floats

_SAFE_SQUARES = (1e-30, 1e30)  # outside, float32 squares may have under- or overflowed


def cosines_of(rows: Reals, units: Reals) -> tuple[Reals, npt.NDArray[np.bool_]]:
    """Cosines of rows with anchors of length 1.

    Args:
        rows: shape (n, d).
        units: shape (s, k, d), of the same type.

    Returns:
        The cosines, shape (s, k, n), and which rows have none, shape (n,).
    """
    rows = np.ascontiguousarray(rows)
    squares = _squares(rows)
    extreme = ~((squares > _SAFE_SQUARES[0]) & (squares < _SAFE_SQUARES[1]))
    if extreme.any():
        rows = _rescaled(rows, extreme)
        squares = _squares(rows)
    usable = np.isfinite(squares) & (squares > 0)
    if not usable.all():
        rows = np.where(usable[:, None], rows, 0.0)
    n_sets, k, d = units.shape
    products = np.matmul(units.reshape(1, n_sets * k, d), rows[:, :, None])[:, :, 0]
    cosines = np.ascontiguousarray(products.T)
    cosines /= np.sqrt(np.where(usable, squares, 1.0))
    return cosines.reshape(n_sets, k, len(rows)), ~usable


def best_of(cosines: Reals) -> Reals:
    """Give each text's cosine with the most similar of all anchors, -1 to 1.

    Args:
        cosines: shape (s, k, n).

    Returns:
        Shape (n,).
    """
    best: Reals = np.clip(cosines.max(axis=(0, 1)), -1, 1)
    return best


def sum_in_order(parts: Floats) -> Floats:
    """Sum along the first axis, one part after another.

    NumPy's own sum takes an order that depends on the other axes' lengths and on the array's layout.

    Example:
        >>> sum_in_order(np.array([[0.25, 1.0], [0.5, 2.0]])).tolist()
        [0.75, 3.0]
    """
    total: Floats = parts[0].copy()
    for part in parts[1:]:
        total += part
    return total


def _squares(rows: Reals) -> Reals:
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        squares: Reals = np.matmul(rows[:, None, :], rows[:, :, None])[:, 0, 0]
    return squares


def _rescaled(rows: Reals, extreme: npt.NDArray[np.bool_]) -> Reals:
    """Bring extreme rows near length 1 by powers of two, which round nothing; the others stay as they are."""
    peaks = np.abs(rows[extreme]).max(axis=1, initial=0.0)
    exponents = np.frexp(np.where(np.isfinite(peaks), peaks, 0.0))[1]
    scaled = rows.copy()
    with np.errstate(under="ignore"):
        scaled[extreme] = np.ldexp(rows[extreme], -exponents[:, None])
    return scaled
