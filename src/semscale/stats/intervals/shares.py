"""Interval of a binomial share."""

import numpy as np
from scipy.special import ndtri

from semscale.stats.intervals.estimates import Estimate


def wilson_interval(hits: int, n: int, interval: float = 0.95) -> Estimate:
    """Share with Wilson's score interval, which is never empty and stays within 0 to 1.

    With z the normal quantile: (p + z^2 / 2n +- z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n).

    Args:
        hits: 0 to n.
        n: at least 0.
        interval: coverage to aim at, between 0 and 1.

    Returns:
        NaN throughout for n = 0.

    References:
        Wilson (1927), doi 10.1080/01621459.1927.10502953. Brown, Cai and DasGupta (2001),
        doi 10.1214/ss/1009213286, who recommend it.

    Example:
        >>> share = wilson_interval(0, 10)
        >>> share.low, round(share.high, 3)
        (0.0, 0.278)
    """
    if not n:
        return Estimate(float("nan"), float("nan"), float("nan"))
    z, p = float(ndtri((1 + interval) / 2)), hits / n
    middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    low = 0.0 if hits == 0 else max(0.0, float(middle - half))
    high = 1.0 if hits == n else min(1.0, float(middle + half))
    return Estimate(p, low, high)
