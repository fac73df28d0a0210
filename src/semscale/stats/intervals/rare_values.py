"""Intervals that rest on few clusters, because nearly all of them have one value, or nearly one."""

import numpy as np

from semscale.stats.intervals.moments import effective_size
from semscale.types import Floats, Mask

FEWEST_DIFFERENT = 5
"""Effective clusters apart from the most frequent value that an interval should rest on at least."""


NEAR = 0.02
"""Share of a figure's range by which values may differ and still say nearly the same."""


def few_different(values: Floats, weights: Floats, unit: float, near: float = 0.0) -> int | None:
    """Count the clusters that differ from the most frequent value, where they are too few for an interval.

    Where values are only nearly equal, as those of texts in nearly equal words are, those count that lie
    farther than ``near`` from the median.

    If d clusters differ, a bootstrap draws none of them with a probability of about exp(-d): below 4 that is
    more than 2.5 %, and one end of a 95 % interval is the frequent value itself. The usual demand for normal
    intervals of shares is 5, too. With weights d is effective: the differing share of the weight times Kish's
    effective number of clusters.

    Args:
        values: shape (m,), of clusters.
        weights: shape (m,), above 0.
        unit: values that differ by less are the same.
        near: values that differ by no more are nearly the same; at least 0.

    Returns:
        How many clusters differ, 0 where all are nearly the same; ``None`` where all are the same, or d is at
        least 5.

    References:
        Cochran (1954), Some methods for strengthening the common chi-squared tests, Biometrics 10(4),
        417-451, doi 10.2307/3001616.

    Example:
        >>> few_different(np.array([3.7] * 19 + [3.9]), np.ones(20), 1e-6)
        1
        >>> few_different(np.array([3.7] * 10 + [3.9] * 10), np.ones(20), 1e-6) is None
        True
        >>> few_different(np.array([3.7] * 10 + [3.72] * 10), np.ones(20), 1e-6, near=0.08)
        0
    """
    kinds, place = np.unique(np.round(values / unit), return_inverse=True)
    if len(kinds) == 1:
        return None
    most = int(np.bincount(place, weights=weights).argmax())
    apart = place != most
    if not _are_few(apart, weights):
        apart = np.abs(values - _median(values, weights)) > near
    return int(apart.sum()) if _are_few(apart, weights) else None


def _are_few(apart: Mask, weights: Floats) -> bool:
    size = effective_size(float(weights.sum()), float(weights @ weights))
    return size * float(weights[apart].sum() / weights.sum()) < FEWEST_DIFFERENT


def _median(values: Floats, weights: Floats) -> float:
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    return float(values[order[np.searchsorted(reached, reached[-1] / 2)]])
