"""Exact test of whether one of several exchangeable runs is worse than the others."""

from dataclasses import dataclass
from math import exp, pi, sqrt

import numpy as np
from scipy.special import ndtr

from semscale.types import Floats

_MOST_EXACT = 300  # items that differ between runs; of more the sum is close to normal
_CELLS, _FEWEST_STEPS, _MOST_STEPS = 2**13, 40, 400  # resolution of the exact distribution
_ROUNDING = 1e-12


@dataclass(frozen=True)
class ExchangeTest:
    """The result of an exchange test.

    Attributes:
        p_value: one-sided mid-p-value of "the first run is like the others"; NaN without an item.
        least: the smallest p-value that these items can give, whichever run is the first; NaN likewise.
    """

    p_value: float
    least: float


def exchange_test(by_role: Floats) -> ExchangeTest:
    """Test whether the first of k runs is worse, by exchanging the runs within each item.

    If the first run is of the same model as the others, each of an item's k values is as likely to be its
    own. So the sum of its values over items has a known distribution: that of a sum of independent draws of
    one value an item. Up to 300 items that differ between runs it is computed exactly, with each value
    rounded to at most 400 steps, which treats all runs alike; beyond that by a normal distribution corrected
    for skewness. The p-value is the mid-p-value, ``P(sum > observed) + P(sum = observed) / 2``: with few
    items that differ, the ordinary p-value is far above the error that it stands for. The error of a
    mid-p-value is close to its level, and may be above it: one item beside nine reruns has 1 / 22, and is
    the greatest of 11 runs with a chance of 1 / 11.

    Two runs give a sign-flip test if their values are d and -d, and the sign test if all of them are equal.

    Args:
        by_role: shape (n, k), k >= 1: each item's value if the first, second, ... run were the one that is
            tested. Items with NaN are left out.

    References:
        Pitman (1937), JRSS Supplement 4(1), 119-130, doi 10.2307/2984124. Lancaster (1961), JASA 56(294),
        223-234, doi 10.1080/01621459.1961.10482105: mid-p-values. Hall (1992), The Bootstrap and Edgeworth
        Expansion, section 2.4: the correction for skewness.

    Example:
        >>> exchange_test(np.array([[1.0, 0.0, 0.0, 0.0]] * 3))  # (1 / 4) ** 3 / 2
        ExchangeTest(p_value=0.0078125, least=0.0078125)
    """
    known = by_role[~np.isnan(by_role).any(axis=1)]
    if not len(known):
        return ExchangeTest(np.nan, np.nan)
    differing = known[np.ptp(known, axis=1) > _ROUNDING * max(1.0, float(np.abs(known).max()))]
    if not len(differing):
        return ExchangeTest(1.0, 1.0)
    if len(differing) > _MOST_EXACT:
        return ExchangeTest(_normal_p_value(differing), 0.0)
    return _exact(differing)


def _exact(by_role: Floats) -> ExchangeTest:
    steps = _in_steps(by_role)
    distribution = np.ones(1)
    for row in steps:
        longer = np.zeros(len(distribution) + int(row.max()))
        for value in row.tolist():
            longer[value : value + len(distribution)] += distribution
        distribution = longer / len(row)
    observed = int(steps[:, 0].sum())
    p_value = float(distribution[observed + 1 :].sum() + distribution[observed] / 2)
    return ExchangeTest(min(p_value, 1.0), float(distribution[-1] / 2))


def _in_steps(by_role: Floats) -> np.typing.NDArray[np.int64]:
    """Round values to whole steps above each item's least."""
    above = by_role - by_role.min(axis=1, keepdims=True)
    resolution = int(np.clip(_CELLS // len(by_role), _FEWEST_STEPS, _MOST_STEPS))
    return np.asarray(np.rint(above / above.max() * resolution), dtype=np.int64)


def _normal_p_value(by_role: Floats) -> float:
    """One-sided p-value by the first terms of Edgeworth's expansion."""
    centred = by_role - by_role.mean(axis=1, keepdims=True)
    spread = sqrt(float((centred**2).mean(axis=1).sum()))
    z = float(centred[:, 0].sum()) / spread
    skewness = float((centred**3).mean(axis=1).sum()) / spread**3
    density = exp(-(z**2) / 2) / sqrt(2 * pi)
    return float(np.clip(ndtr(-z) + density * skewness * (z**2 - 1) / 6, 0.0, 1.0))
