"""The gate's two tests of a metric on many simulated comparisons at once, from moments of the items."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, stdtrit

from semscale.drift.gate.decision import FEWEST_TO_PASS
from semscale.drift.gate.equivalence import PRIOR_ITEMS, for_skewness
from semscale.types import Floats, Integers, Mask


@dataclass(frozen=True)
class DriftMoments:
    """Sums over the items of each simulated comparison, each of shape (draws,).

    Attributes:
        n: items with a value.
        drift: their drift.
        squares: squares of their drift.
        cubes: its third powers.
        variance: variance of an item's drift over all roles.
        third: third central moment of it.
    """

    n: Floats
    drift: Floats
    squares: Floats
    cubes: Floats
    variance: Floats
    third: Floats


@dataclass(frozen=True)
class GateLevel:
    """When a test fails and passes.

    Attributes:
        margin: the smallest material drift.
        tolerance: drift below which it must be shown to lie to pass.
        alpha: level of the bound.
        strictest: level of the exchange test.
    """

    margin: float
    tolerance: float
    alpha: float
    strictest: float


def moments_of_drawn(by_role: Floats, counts: Integers) -> DriftMoments:
    """Sum over items that were drawn so many times each.

    Args:
        by_role: shape (n, k), ``drifts_by_role``; items with NaN are left out.
        counts: shape (draws, n).
    """
    known = ~np.isnan(by_role).any(axis=1)
    parts, times = _of_items(by_role[known]), counts[:, known].astype(np.float64)
    return DriftMoments(*(times @ part for part in parts))


def moments_of_runs(drawn: Iterable[Floats]) -> DriftMoments:
    """Sum over the items of each simulated comparison, which gives drifts by role, shape (n, k)."""
    sums = np.array([[part.sum() for part in _of_items(by_role)] for by_role in drawn])
    return DriftMoments(*sums.T)


def _of_items(by_role: Floats) -> list[Floats]:
    """Give each item's part of the moments, in their order."""
    drift = by_role[:, 0]
    centred = by_role - by_role.mean(axis=1, keepdims=True)
    of_roles = (centred**2).mean(axis=1), (centred**3).mean(axis=1)
    return [np.ones_like(drift), drift, drift**2, drift**3, *of_roles]


def decided(moments: DriftMoments, level: GateLevel) -> tuple[Mask, Mask]:
    """Tell which simulated comparisons fail a test and which pass it.

    As the gate's own tests (``exchange_test`` by its normal distribution, and ``equivalence``), of which all
    roles' mean drift is 0.

    Returns:
        Two masks, shape (draws,): fails, passes.
    """
    n = np.maximum(moments.n, 2)
    mean = moments.drift / n
    own = np.maximum(moments.squares - n * mean**2, 0.0)
    freedom = n - 1 + PRIOR_ITEMS
    variance = (own + PRIOR_ITEMS * moments.variance / n) / freedom
    third = np.maximum(moments.cubes / n - 3 * mean * moments.squares / n + 2 * mean**3, 0.0)
    skewness = np.asarray(np.where(variance > 0, third / np.where(variance > 0, variance, 1.0) ** 1.5, 0.0))
    quantile = np.asarray(-stdtrit(freedom, level.alpha), dtype=np.float64)
    bound = mean + for_skewness(quantile, skewness, n) * np.sqrt(variance / n)
    fails = (exchange_p_values(moments) < level.strictest) & (mean >= level.margin)
    passes = ~fails & (bound < level.tolerance) & (moments.n >= FEWEST_TO_PASS)
    return fails, passes


def exchange_p_values(moments: DriftMoments) -> Floats:
    """Give the p-values of the exchange test by its normal distribution, corrected for skewness, (draws,)."""
    spread = np.sqrt(moments.variance)
    varies = spread > 0
    safe = np.where(varies, spread, 1.0)
    z, skewness = moments.drift / safe, moments.third / safe**3
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    found = np.clip(ndtr(-z) + density * skewness * (z**2 - 1) / 6, 0.0, 1.0)
    return np.asarray(np.where(varies, found, 1.0))
