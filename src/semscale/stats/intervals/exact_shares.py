"""Exact bounds and tail probabilities of a binomial share."""

import numpy as np
from scipy.special import bdtr, betaincinv

from semscale.types import Floats


def clopper_pearson_upper(hits: int, n: float, confidence: float) -> float:
    """Highest share that is still plausible after ``hits`` among n: an exact one-sided upper bound.

    It is the share at which so few hits or fewer have the probability 1 - confidence.

    Args:
        hits: 0 to n.
        n: at least 0; an effective number of rows need not be whole.
        confidence: between 0 and 1.

    References:
        Clopper and Pearson (1934), Biometrika 26(4), 404-413, doi 10.1093/biomet/26.4.404. Without a hit and
        for 95 % it is close to 3 / n, the rule of three: Hanley and Lippman-Hand (1983), JAMA 249(13),
        1743-1745, doi 10.1001/jama.1983.03330370053031.

    Example:
        >>> round(clopper_pearson_upper(0, 59, 0.95), 4)  # 1 - .05 ** (1 / 59)
        0.0495
    """
    return 1.0 if hits >= n else float(betaincinv(hits + 1, n - hits, confidence))


def clopper_pearson_ends(shares: Floats, n: float | Floats, interval: float) -> tuple[Floats, Floats]:
    """Exact two-sided intervals of shares: their lower and upper ends, each of the shares' shape, 0 to 1.

    Each end leaves out half of what the interval does not cover. With n = 0 the ends are 0 and 1.

    Args:
        shares: any shape, 0 to 1; share times n, the number of hits, need not be whole.
        n: at least 0, one number or one for each share.
        interval: coverage to hold at least, between 0 and 1.

    References:
        Clopper and Pearson (1934), Biometrika 26(4), 404-413, doi 10.1093/biomet/26.4.404.

    Example:
        >>> low, high = clopper_pearson_ends(np.array([0.0, 0.1]), 10, 0.95)
        >>> low.round(4).tolist(), high.round(4).tolist()  # .3085 is 1 - .025 ** (1 / 10)
        ([0.0, 0.0025], [0.3085, 0.445])
    """
    hits, beyond = shares * n, (1 - interval) / 2
    low, high, missed = np.zeros_like(hits), np.ones_like(hits), n - hits
    some, lacking = hits > 0, missed > 0
    low[some] = betaincinv(hits[some], missed[some] + 1, beyond)
    high[lacking] = betaincinv(hits[lacking] + 1, missed[lacking], 1 - beyond)
    return low, high


def binomial_tail(hits: int, n: int, share: float) -> float:
    """Probability of so few hits or fewer among n, at this share; 1 for n = 0.

    Example:
        >>> binomial_tail(0, 2, 0.5)
        0.25
    """
    return float(bdtr(hits, n, share)) if hits < n else 1.0
