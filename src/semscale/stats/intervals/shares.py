"""Intervals and tests of a binomial share."""

import numpy as np
from scipy.special import bdtr, betaincinv, ndtri

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


def clopper_pearson_upper(hits: int, n: int, confidence: float) -> float:
    """Highest share that is still plausible after ``hits`` among n: an exact one-sided upper bound.

    It is the share at which so few hits or fewer have the probability 1 - confidence.

    Args:
        hits: 0 to n.
        n: at least 0.
        confidence: between 0 and 1.

    References:
        Clopper and Pearson (1934), Biometrika 26(4), 404-413, doi 10.1093/biomet/26.4.404.

    Example:
        >>> round(clopper_pearson_upper(0, 59, 0.95), 4)  # 1 - .05 ** (1 / 59)
        0.0495
    """
    return 1.0 if hits >= n else float(betaincinv(hits + 1, n - hits, confidence))


def binomial_tail(hits: int, n: int, share: float) -> float:
    """Probability of so few hits or fewer among n, at this share; 1 for n = 0.

    Example:
        >>> binomial_tail(0, 2, 0.5)
        0.25
    """
    return float(bdtr(hits, n, share)) if hits < n else 1.0
