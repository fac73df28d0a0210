"""Agreement of ratings under different anchor sets, from running sums."""

import numpy as np

from semscale.stats.intervals.moments import Moments
from semscale.types import Floats

_LEAST_VARIANCE = 1e-12


def set_moments(set_means: Floats, values: Floats) -> Moments:
    """Sum up the means under each anchor set, so that correlations need no second pass over the rows.

    Args:
        set_means: shape (n, s), scored rows only; a row with NaN is left out, since not all sets rated it.
        values: shape (k,), of the scale's points; their centre is taken off, so that sums stay precise.
    """
    by_all = set_means[~np.isnan(set_means).any(axis=1)]
    ones = np.ones((len(by_all), 1))
    return Moments.empty(by_all.shape[1]).added(np.hstack([by_all - values.mean(), ones]))


def set_correlations(moments: Moments) -> Floats:
    """Correlate the means under anchor sets, from their sums.

    Returns:
        Shape (s, s); NaN where a set's means do not vary, or with fewer than two rows.

    Example:
        >>> set_correlations(set_moments(np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([1.0, 2.0]))).tolist()
        [[1.0, -1.0], [-1.0, 1.0]]
    """
    s = len(moments.total) - 1
    if moments.n < 2:  # noqa: PLR2004
        return np.full((s, s), np.nan)
    mean = moments.mean
    covariance = moments.outer[:s, :s] / moments.n - np.outer(mean, mean)
    variance = np.diag(covariance)
    deviation = np.sqrt(np.where(variance > _LEAST_VARIANCE, variance, np.nan))
    correlations: Floats = np.clip(covariance / np.outer(deviation, deviation), -1, 1)
    return correlations
