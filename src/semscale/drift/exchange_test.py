"""The gate's test of whether a candidate is significantly worse than the baseline and its reruns."""

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr, stdtrit

from semscale.stats.significance import holm
from semscale.types import Floats

_MOST_EXACT = 300  # items that differ between runs; of more the sum is close to normal
_STEPS, _CELLS = (360, 240, 120, 60), 2**14  # resolution of the exact distribution: many divisors keep ties
_ROUNDING = 1e-12

EXCHANGES = 2_000
"""Number of random exchanges for the joint correction of metrics."""


def exchange_test(drifts: Floats) -> float:
    """Return the p-value of the paired exchange test of the hypothesis that the candidate equals the others.

    At each item, every run has a drift: its loss minus the mean loss of all runs (``comparison.run_drifts``).
    If all runs come from the same model, the choice of the candidate is random. So at each item, each of the
    k drifts is equally likely to be the candidate's, and their sum over items has a known distribution:

        p = P(sum > observed sum) + P(sum = observed sum) / 2

    The half (mid-p, Lancaster 1961) corrects for the discreteness of the sum: the error of the test is close
    to its level on average, while that of the plain p-value is far below it.

    Example: five items, a candidate, a baseline and a rerun. Only the first three items differ between runs.
    At each of these, only the candidate differs, with a drift of .2; the other runs have -.1:

    >>> drifts = np.array([[0.2, -0.1, -0.1]] * 3 + [[0.0, 0.0, 0.0]] * 2)

    The observed sum is .6. The sum of one of three values at each of three items reaches it only if all three
    are .2, which has the probability (1/3)^3 = 1/27. No sum is greater. So p = 0 + (1/27) / 2 = .0185:

    >>> round(exchange_test(drifts), 4)
    0.0185

    For up to 300 items that differ between runs, the distribution is computed exactly, with drifts rounded to
    at most 360 steps. For more items, it is a normal distribution corrected for skewness.

    Args:
        drifts: shape (n, k), drift of each item with each run in the role of the candidate; run 0 is the
            candidate. Items with NaN are ignored.

    Returns:
        P-value from 0 to 1; 1 if no item differs between runs, NaN without items.

    References:
        Pitman (1937), JRSS Supplement 4(1), 119-130, doi 10.2307/2984124. Lancaster (1961), JASA 56(294),
        223-234, doi 10.1080/01621459.1961.10482105. Hall (1992), The Bootstrap and Edgeworth Expansion,
        section 2.4: the correction for skewness.
    """
    known = drifts[~np.isnan(drifts).any(axis=1)]
    if not len(known):
        return math.nan
    differing = known[np.ptp(known, axis=1) > _ROUNDING * max(1.0, float(np.abs(known).max()))]
    if not len(differing):
        return 1.0
    return _normal(differing) if len(differing) > _MOST_EXACT else _exact(differing)


def _exact(drifts: Floats) -> float:
    above = drifts - drifts.min(axis=1, keepdims=True)
    resolution = next((steps for steps in _STEPS if steps * len(drifts) <= _CELLS), _STEPS[-1])
    steps = np.rint(above / above.max() * resolution).astype(np.int64)
    distribution = np.ones(1)
    for row in steps:
        longer = np.zeros(len(distribution) + int(row.max()))
        for value in row.tolist():
            longer[value : value + len(distribution)] += distribution
        distribution = longer / len(row)
    observed = int(steps[:, 0].sum())
    return float(min(distribution[observed + 1 :].sum() + distribution[observed] / 2, 1.0))


def _normal(drifts: Floats) -> float:
    """Return the p-value by the first terms of Edgeworth's expansion."""
    centred = drifts - drifts.mean(axis=1, keepdims=True)
    spread = math.sqrt(float((centred**2).mean(axis=1).sum()))
    z = float(centred[:, 0].sum()) / spread
    skewness = float((centred**3).mean(axis=1).sum()) / spread**3
    density = math.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    return float(np.clip(ndtr(-z) + density * skewness * (z**2 - 1) / 6, 0.0, 1.0))


def joint_p_values(drifts: Sequence[Floats]) -> list[float]:
    """Return the p-values of several metrics, corrected for their number and correlation.

    The candidate's role is exchanged at random at each item, in all metrics at once. Each exchange gives
    every metric a sum of drifts, and thus a p-value among all exchanges. The corrected p-value of a metric is
    the share of exchanges with a smallest p-value of at most the metric's p-value. For an unchanged
    candidate, the probability that any metric falls below alpha is therefore at most alpha, for any number of
    exchanges and any dependence between metrics. Redundant metrics cause no loss of power, unlike with Holm's
    method.

    Args:
        drifts: shape (n, k) for each of m metrics, as for ``exchange_test``, over the same items.

    Returns:
        The m corrected p-values, each at least 1/2,000; 1 for a metric in which no run differs, NaN for a
        metric without items.

    References:
        Westfall and Young (1993), Resampling-Based Multiple Testing, algorithm 2.5 (minimum of p-values).

    Examples:
        >>> same = np.array([[0.2, -0.1, -0.1]] * 5)  # alone, p is (1/3)^5 / 2 = .002
        >>> [round(p, 2) for p in joint_p_values([same, same, 0 * same])]
        [0.01, 0.01, 1.0]
    """
    known = [np.nan_to_num(one, nan=0.0) for one in drifts]
    able = [row for row, one in enumerate(known) if np.ptp(one, axis=1).max(initial=0.0) > _ROUNDING]
    adjusted = [1.0 if np.isfinite(one).any() else math.nan for one in drifts]
    if not able:
        return adjusted
    stacked = np.stack([known[row] for row in able], axis=2)
    n, k, m = stacked.shape
    rng = np.random.default_rng(0)
    sums = np.empty((EXCHANGES, m))
    sums[0] = stacked[:, 0].sum(axis=0)  # the actual roles of the runs are one of the exchanges
    step = max(1, _CELLS * 64 // (n * m))
    for start in range(1, EXCHANGES, step):
        roles = rng.integers(k, size=(min(step, EXCHANGES - start), n))
        sums[start : start + len(roles)] = stacked[np.arange(n), roles].sum(axis=1)
    least = np.array([_shares_at_least(column) for column in np.round(sums, 9).T])
    smallest = np.sort(least.min(axis=0))
    for row, own in zip(able, least[:, 0].tolist(), strict=True):
        adjusted[row] = float(np.searchsorted(smallest, own, side="right")) / EXCHANGES
    return adjusted


def _shares_at_least(values: Floats) -> Floats:
    """Return, for each value, the share of greater values plus half the share of equal values."""
    ordered = np.sort(values)
    below, up_to = (np.searchsorted(ordered, values, side=side) for side in ("left", "right"))
    return np.asarray(1 - (below + up_to) / 2 / len(values))


def correct_by_holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values of several tests, corrected by Holm's method (``stats.significance.holm``).

    A p-value of 1 or NaN belongs to a test without differences between runs. It cannot cause an error and
    does not count.

    Examples:
        >>> [round(p, 3) for p in correct_by_holm([0.01, 0.04, 0.02, 1.0])]
        [0.03, 0.04, 0.04, 1.0]
    """
    corrected: Floats = np.array(p_values, dtype=np.float64)
    counted = corrected < 1
    corrected[counted] = holm(corrected[counted])
    return [float(p) for p in corrected]


def drift_bounds(drifts: Floats, alpha: float = 0.05) -> tuple[float, float]:
    """Return one-sided lower and upper confidence bounds of the mean drift, each of level ``1 - alpha``.

    With mean m, standard deviation s and skewness g of n items, and the quantile t of Student's distribution
    with n - 1 degrees of freedom (Johnson 1978),

        low = m - t s / sqrt(n)    high = m + (t + g (1 + 2 t^2) / (6 sqrt(n))) s / sqrt(n)

    where a negative g counts as 0. Losses of few items have a skewed distribution, and without g the upper
    bound would be too low. If all items have the same drift, both bounds equal that drift.

    Five items with drifts 0, 0, 0, .1 and .4 have m = .1, s = .1732, g = 1.29 and t = 2.132:

    >>> low, high = drift_bounds(np.array([0.0, 0.0, 0.0, 0.1, 0.4]))
    >>> round(low, 3), round(high, 3)
    (-0.065, 0.34)

    Args:
        drifts: shape (n,), the candidate's drift of each item; NaN is ignored.
        alpha: 1 minus the level of each bound.

    References:
        Johnson (1978), JASA 73(363), 536-544, doi 10.1080/01621459.1978.10480051.
    """
    known = drifts[~np.isnan(drifts)]
    n = len(known)
    if n < 2:
        return math.nan, math.nan
    mean, sd = float(known.mean()), float(known.std(ddof=1))
    if sd <= _ROUNDING:
        return mean, mean
    t = -float(stdtrit(n - 1, alpha))
    skewness = max(0.0, float(((known - mean) ** 3).mean()) / float(known.std()) ** 3)
    error = sd / math.sqrt(n)
    return mean - t * error, mean + (t + skewness * (1 + 2 * t**2) / (6 * math.sqrt(n))) * error
