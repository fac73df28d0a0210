"""Power of a one-sided paired t-test: the difference that it detects, and the items that it needs."""

import numpy as np
from scipy.special import nctdtrinc, stdtrit

from semscale.stats.testing.bisection import smallest_enough

_MOST = 10**9


def detectable_difference(n: int, sd: float, *, alpha: float, power: float) -> float:
    """Find the smallest mean difference that a one-sided paired t-test detects with some power.

    The difference d solves ``P(T(n - 1, d * sqrt(n) / sd) > t(1 - alpha, n - 1)) = power``, T noncentral t.

    Args:
        n: items.
        sd: standard deviation of the items' differences, not negative.
        alpha: level, 0 to 1.
        power: chance of detecting it, above alpha and below 1.

    Returns:
        The difference, in the unit of ``sd``; NaN with fewer than two items.

    References:
        Cohen (1988), Statistical Power Analysis for the Behavioral Sciences, section 2.5.

    Example:
        >>> round(detectable_difference(27, 1.0, alpha=0.05, power=0.8), 3)
        0.491
    """
    if n < 2 or not sd >= 0:  # noqa: PLR2004
        return float("nan")
    return _noncentrality(n, alpha, power) * sd / float(np.sqrt(n))


def items_for_difference(difference: float, sd: float, *, alpha: float, power: float) -> int | None:
    """Find how many items a one-sided paired t-test needs to detect a mean difference with some power.

    Args:
        difference: above 0; no number of items detects another.
        sd: standard deviation of the items' differences, not negative.
        alpha: level, 0 to 1.
        power: chance of detecting it, above alpha and below 1.

    Returns:
        The number; ``None`` where none up to 1e9 is enough.

    References:
        As ``detectable_difference``.

    Example:
        >>> items_for_difference(0.5, 1.0, alpha=0.05, power=0.8)
        27
    """
    if not (difference > 0 and sd >= 0):
        return None

    def enough(n: int) -> bool:
        return detectable_difference(n, sd, alpha=alpha, power=power) <= difference

    return smallest_enough(enough, 2, _MOST)


def _noncentrality(n: int, alpha: float, power: float) -> float:
    """Noncentrality at which the test has this power."""
    return float(nctdtrinc(n - 1, 1 - power, -stdtrit(n - 1, alpha)))
