"""Intervals that rest on few clusters, because nearly all of them have one value."""

import numpy as np

from semscale.stats.intervals.moments import effective_size
from semscale.types import Floats

FEWEST_DIFFERENT = 5
"""Effective clusters apart from the most frequent value that an interval should rest on at least."""


def few_different(values: Floats, weights: Floats, unit: float) -> int | None:
    """Count the clusters that differ from the most frequent value, where they are too few for an interval.

    If d clusters differ, a bootstrap draws none of them with a probability of about exp(-d): below 4 that is
    more than 2.5 %, and one end of a 95 % interval is the frequent value itself. The usual demand for normal
    intervals of shares is 5, too. With weights d is effective: the differing share of the weight times Kish's
    effective number of clusters.

    Args:
        values: shape (m,), of clusters.
        weights: shape (m,), above 0.
        unit: values that differ by less are the same.

    Returns:
        How many clusters differ; ``None`` where d is 0 or at least 5.

    References:
        Cochran (1954), Some methods for strengthening the common chi-squared tests, Biometrics 10(4),
        417-451, doi 10.2307/3001616.

    Example:
        >>> few_different(np.array([3.7] * 19 + [3.9]), np.ones(20), 1e-6)
        1
        >>> few_different(np.array([3.7] * 10 + [3.9] * 10), np.ones(20), 1e-6) is None
        True
    """
    _, place = np.unique(np.round(values / unit), return_inverse=True)
    shares = np.bincount(place, weights=weights) / weights.sum()
    most = int(shares.argmax())
    different = int((place != most).sum())
    effective = effective_size(float(weights.sum()), float(weights @ weights)) * (1 - shares[most])
    return different if different and effective < FEWEST_DIFFERENT else None
