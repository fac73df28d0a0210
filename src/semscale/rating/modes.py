"""Modes of ratings: the point with the largest mass."""

import numpy as np

from semscale.types import Floats

_TIE = 1e-6  # float32 products leave masses that are equal this far apart


def modes(pmf: Floats, values: Floats) -> Floats:
    """Give the value of the point with the largest mass; the lowest of several equal within 1e-6.

    Args:
        pmf: shape (n, k), masses; NaN where there is no rating.
        values: shape (k,), of the points, ascending.

    Returns:
        Shape (n,); NaN where there is no rating.

    Example:
        >>> modes(np.array([[0.4, 0.4, 0.2], [0.1, 0.2, 0.7]]), np.array([1.0, 2.0, 3.0])).tolist()
        [1.0, 3.0]
    """
    found: Floats = np.full(len(pmf), np.nan)
    scored = ~np.isnan(pmf).any(axis=1)
    masses = pmf[scored]
    found[scored] = values[(masses >= masses.max(axis=1, keepdims=True) - _TIE).argmax(axis=1)]
    return found
