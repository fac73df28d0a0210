"""The area under the ROC curve: how often one kind of items scores above another, with its interval."""

import numpy as np
from scipy.special import expit, logit, ndtri

from semscale.stats.intervals.estimates import Estimate
from semscale.stats.intervals.resampling import check_interval
from semscale.stats.ranks import average_ranks
from semscale.types import Floats

_FEWEST = 2
_NO_INTERVAL = float("nan")


def roc_area(above: Floats, below: Floats, *, interval: float = 0.95) -> Estimate:
    """Estimate how often an item of one kind scores above one of the other; ties count half.

    The variance is DeLong's: the variance of the share of ``below`` that each of ``above`` exceeds, divided
    by n, and that of the share of ``above`` that exceeds each of ``below``, divided by m. The interval is
    symmetric on the logit scale, so that it stays between 0 and 1.

    Args:
        above: shape (n,), scores of the kind that should score higher, n items drawn independently.
        below: shape (m,), scores of the other kind.
        interval: coverage, between 0 and 1.

    Returns:
        The area, 0 to 1, with the ends of its interval; NaN where either kind has no item. The ends are NaN
        with fewer than two items of a kind, and where all items of each kind exceed equally many of the
        other: such scores do not show how far the area would vary.

    Raises:
        InputError: the coverage is not between 0 and 1.

    References:
        DeLong, DeLong and Clarke-Pearson 1988, doi:10.2307/2531595; ranks as in Sun and Xu 2014,
        doi:10.1109/LSP.2014.2337313.

    Example:
        >>> roc_area(np.array([0.9, 0.5]), np.array([0.5, 0.1])).value  # 3 wins and a tie among 4
        0.875
    """
    check_interval(interval)
    n, m = len(above), len(below)
    if not n or not m:
        return Estimate(_NO_INTERVAL, _NO_INTERVAL, _NO_INTERVAL)
    ranks = average_ranks(np.concatenate([above, below]))
    exceeded = (ranks[:n] - average_ranks(above)) / m
    exceeding = 1 - (ranks[n:] - average_ranks(below)) / n
    area = float(exceeded.mean())
    if min(n, m) < _FEWEST:
        return Estimate(area, _NO_INTERVAL, _NO_INTERVAL)
    variance = float(exceeded.var(ddof=1) / n + exceeding.var(ddof=1) / m)
    if not variance or not 0 < area < 1:
        return Estimate(area, _NO_INTERVAL, _NO_INTERVAL)
    half = ndtri((1 + interval) / 2) * np.sqrt(variance) / (area * (1 - area))
    low, high = expit(logit(area) + np.array([-half, half])).tolist()
    return Estimate(area, low, high)
