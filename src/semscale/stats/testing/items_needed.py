"""How many items would decide a test of a mean if mean and spread stayed as they are."""

from math import floor, log2

import numpy as np
from scipy.special import stdtrit

from semscale.stats.intervals.exact_shares import clopper_pearson_upper
from semscale.stats.testing.bisection import smallest_enough

_MOST = 10**9


def signs_needed(alpha: float) -> int:
    """Find how many items a sign test needs: n equal signs have the p-value ``2 ** -n``, to be below alpha.

    Example:
        >>> signs_needed(0.05)
        5
    """
    return max(2, floor(-log2(alpha)) + 1)


def exchanges_needed(alpha: float, runs: int) -> int:
    """Find how many items the exchange test needs: the worst of k runs at n items has ``k ** -n / 2``.

    Example:
        >>> exchanges_needed(0.05, 2), exchanges_needed(0.05 / 6, 5)  # 1 / 32, 1 / 250
        (4, 3)
    """
    return max(2, floor(-log2(2 * alpha) / log2(runs)) + 1)


def needed_for_significance(drift: float, sd: float, alpha: float) -> int | None:
    """Find how many items make a mean significant in a one-sided t-test.

    The smallest n with ``drift >= t(1 - alpha, n - 1) * sd / sqrt(n)``, and with as many as a
    sign test needs at least.

    Args:
        drift: the mean.
        sd: standard deviation of items, not negative.
        alpha: level, 0 to 1.

    Returns:
        The number; ``None`` where none up to 1e9 is enough.

    Example:
        >>> needed_for_significance(0.5, 1.0, 0.05), needed_for_significance(0.4, 0.0, 0.05)
        (13, 5)
    """
    if not (drift > 0 and sd >= 0):
        return None

    def enough(n: int) -> bool:
        return bool(drift >= -stdtrit(n - 1, alpha) * sd / np.sqrt(n))

    return smallest_enough(enough, signs_needed(alpha), _MOST)


def needed_to_exclude(share: float, confidence: float) -> int | None:
    """Find how many items without an event exclude that a share of all items has one.

    Args:
        share: above 0.
        confidence: between 0 and 1.

    Returns:
        The smallest n whose Clopper-Pearson bound for no event is below the share; ``None`` where none up to
        1e9 is enough.

    Example:
        >>> needed_to_exclude(0.05, 0.95)  # ln .05 / ln .95 = 58.4
        59
    """
    return smallest_enough(lambda n: clopper_pearson_upper(0, n, confidence) < share, 1, _MOST)
