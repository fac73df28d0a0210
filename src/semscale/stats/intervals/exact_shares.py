"""Exact bounds and tail probabilities of a binomial share."""

from scipy.special import bdtr, betaincinv


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


def binomial_tail(hits: int, n: int, share: float) -> float:
    """Probability of so few hits or fewer among n, at this share; 1 for n = 0.

    Example:
        >>> binomial_tail(0, 2, 0.5)
        0.25
    """
    return float(bdtr(hits, n, share)) if hits < n else 1.0
