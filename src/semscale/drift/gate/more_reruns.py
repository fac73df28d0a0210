"""How many more reruns would decide a test of which this one leaves open whether it passes."""

from math import sqrt

from scipy.special import stdtrit

from semscale.drift.gate.equivalence import PRIOR_ITEMS, DriftBound, for_skewness

MOST_RERUNS = 20
"""More reruns than these hardly narrow anything: what the candidate adds to the noise stays."""


def reruns_needed(
    drift: float, found: DriftBound, n: int, *, reruns: int, tolerance: float, alpha: float
) -> int | None:
    """Find how many more reruns make the bound of a mean drift lie below the tolerance.

    The mean and what the candidate adds stay as they are, and only the part of the variance that is due to
    baseline and reruns shrinks: with r reruns it is ``1 + 1 / (r + 1)`` of the candidate's own part. That is
    cautious, as what is particular to a pair of runs shrinks faster.

    Args:
        drift: the mean drift.
        found: its spread.
        n: number of items.
        reruns: number of reruns so far.
        tolerance: drift that is tolerated.
        alpha: level of the bound.

    Returns:
        The number of further reruns, at least 1; ``None`` where 20 are not enough.

    Example:
        >>> reruns_needed(0.0, DriftBound(0.2, 0.062, 0.1), 30, reruns=1, tolerance=0.06, alpha=0.05)
        1
    """
    if not (found.sd > 0 and drift < tolerance):
        return None
    quantile = -float(stdtrit(n - 1 + PRIOR_ITEMS, alpha))
    now = 1 + 1 / (reruns + 1) if reruns else 2.0
    for more in range(1, MOST_RERUNS + 1):
        sd = found.sd * sqrt((1 + 1 / (reruns + more + 1)) / now)
        skewness = found.skewness * (found.sd / sd) ** 3  # the items' third moment stays
        if drift + for_skewness(quantile, skewness, n) * sd / sqrt(n) < tolerance:
            return more
    return None
