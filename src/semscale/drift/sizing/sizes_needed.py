"""How many items or reruns would decide a test of which this comparison leaves open whether it passes."""

from math import sqrt

from scipy.special import ndtri

from semscale.drift.gate.equivalence import DriftBound
from semscale.stats.acceptance import smallest_enough

MOST_RERUNS = 20
"""More reruns than these hardly narrow anything: what the candidate adds to the noise stays."""

_MOST_ITEMS = 10**9


def items_to_pass(
    drift: float, found: DriftBound, tolerance: float, alpha: float, *, power: float = 0.5
) -> int | None:
    """Find how many items make the bound of a mean drift lie below the tolerance.

    It is the bound of ``equivalence``, with its correction for skewness; mean, spread and skewness stay.

    Args:
        drift: the mean drift.
        found: its spread.
        tolerance: drift that is tolerated.
        alpha: level of the bound.
        power: chance that the mean of another sample lies low enough; .5 for this mean itself. At least .5.

    Returns:
        The number; ``None`` where none up to 1e9 is enough, or the spread is not known.

    Example:
        >>> still = DriftBound(1.0, 0.0, 0.5, further_freedom=0)
        >>> items_to_pass(0.0, still, tolerance=0.5, alpha=0.05)  # 1.7531 / sqrt(13) > .48, 1.7823 / ...
        13
    """
    if not (found.sd >= 0 and drift < tolerance):
        return None
    if found.sd == 0:
        return 2

    def enough(n: int) -> bool:
        by_chance = max(float(ndtri(power)), 0.0) * found.sd / sqrt(n)
        return drift + by_chance + found.excess(found.sd, n, alpha) < tolerance

    return smallest_enough(enough, 2, _MOST_ITEMS)


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
    now = 1 + 1 / (reruns + 1) if reruns else 2.0
    for more in range(1, MOST_RERUNS + 1):
        sd = found.sd * sqrt((1 + 1 / (reruns + more + 1)) / now)
        if drift + found.excess(sd, n, alpha) < tolerance:
            return more
    return None
