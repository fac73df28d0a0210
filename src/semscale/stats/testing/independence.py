"""Pearson's test of independence of groups and a yes or no, by drawn tables where counts are small."""

import numpy as np
from scipy.special import chdtrc
from scipy.stats import random_table

from semscale.types import Floats, Integers

_DRAWN = 10_000
_LEAST_EXPECTED = 10
_ROUNDING = 1e-9


def independence_p_value(counts: Integers, *, seed: int = 0) -> float:
    """Test whether a share is the same in all groups.

    The statistic is Pearson's sum of (observed - expected)^2 / expected. Its p-value is that of chi-squared
    where every expected count is at least 10; otherwise the share, with one added to both, of 10,000 tables
    with the same margins that have no smaller statistic.

    Args:
        counts: shape (2, g), yes and no in each of g groups.
        seed: of the drawn tables.

    Returns:
        0 to 1; NaN with fewer than two groups that have anything, or where all or none are yes.

    References:
        Pearson (1900), doi 10.1080/14786440009463897. Drawn tables: Patefield (1981), doi 10.2307/2346669,
        and Davison and Hinkley (1997), Bootstrap Methods and their Application, section 4.2.5, for the one
        that is added.

    Example:
        >>> round(independence_p_value(np.array([[20, 30], [30, 20]])), 4)
        0.0455
    """
    table = np.asarray(counts)[:, np.asarray(counts).sum(axis=0) > 0]
    rows = table.sum(axis=1)
    if table.shape[1] < 2 or not rows.all():  # noqa: PLR2004 - one group has nothing beside it
        return float("nan")
    columns = table.sum(axis=0)
    expected = np.outer(rows, columns) / table.sum()
    observed = _statistic(table[None], expected)[0]
    if expected.min() >= _LEAST_EXPECTED:
        return float(chdtrc(table.shape[1] - 1, observed))
    drawn = random_table(rows, columns).rvs(_DRAWN, random_state=np.random.default_rng(seed))
    as_great = _statistic(drawn, expected) >= observed * (1 - _ROUNDING)
    return float((1 + as_great.sum()) / (1 + _DRAWN))


def _statistic(tables: Integers | Floats, expected: Floats) -> Floats:
    statistic: Floats = ((tables - expected) ** 2 / expected).sum(axis=(1, 2))
    return statistic
