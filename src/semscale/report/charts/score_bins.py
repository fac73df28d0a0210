"""Scores counted in bins of one width, for histograms on the screen and on the page."""

import numpy as np

from semscale.types import Floats, Integers


def bin_edges(score: Floats, bounds: tuple[float, float], *, bins: int) -> Floats:
    """Cut the range that scores can have into bins; what no score reaches below 0 is left off.

    Args:
        score: shape (n,), within ``bounds``.
        bounds: least and greatest score that there can be.
        bins: how many bins from 0, or from the least score above it, to the greatest.

    Returns:
        Edges, shape (bins + 1 or more,), ascending.

    Example:
        >>> bin_edges(np.array([0.2, 0.9]), (-1.0, 1.0), bins=2).tolist()
        [0.0, 0.5, 1.0]
        >>> bin_edges(np.array([-0.2, 0.9]), (-1.0, 1.0), bins=2).tolist()
        [-0.5, 0.0, 0.5, 1.0]
    """
    low, high = bounds
    start = max(low, 0.0)
    width = (high - start) / bins
    least = float(score.min()) if len(score) else start
    below = int(np.ceil(round((start - least) / width, 9))) if least < start else 0
    steps = np.arange(-below, bins + 1)
    return np.asarray(start + steps * width, dtype=np.float64)


def bin_counts(score: Floats, edges: Floats) -> Integers:
    """Count the scores in each bin; a score on an edge belongs to the bin above, the greatest to the last.

    Example:
        >>> bin_counts(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5, 1.0])).tolist()
        [1, 2]
    """
    places = np.clip(np.searchsorted(edges, score, side="right") - 1, 0, len(edges) - 2)
    return np.bincount(places, minlength=len(edges) - 1).astype(np.int64)
