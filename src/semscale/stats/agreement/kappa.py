"""Cohen's kappa of two raters, weighted by how far apart their ratings are."""

from typing import Literal

import numpy as np

from semscale.errors import InputError
from semscale.stats.agreement.estimates import (
    AgreementEstimate,
    Counted,
    checked_pair,
    estimate_agreement,
)
from semscale.stats.intervals.coefficients import ResamplingPlan
from semscale.stats.intervals.jackknife import CORRELATION
from semscale.stats.intervals.sparse_sums import sparse_sums
from semscale.types import Floats, Integers

KappaWeights = Literal["quadratic", "linear", "none"]
"""What a disagreement costs: the squared difference, the difference, or 1 whatever the difference."""

MOST_LEVELS = 1000
"""Of how many different values coefficients of levels can be made."""


def weighted_kappa(  # noqa: PLR0913 - the weights, and one setting each of the resampling
    x: Floats,
    y: Floats,
    *,
    weights: KappaWeights = "quadratic",
    clusters: Integers | None = None,
    interval: float = 0.95,
    seed: int = 0,
) -> AgreementEstimate:
    """Cohen's weighted kappa: 1 - observed disagreement / disagreement expected by chance.

    Chance pairs every rating of one rater with every rating of the other. Differences are those of the values
    themselves, so a level that nobody used changes nothing.

    Args:
        x: shape (n,), one rater's ratings; NaN where there is none.
        y: shape (n,), the other's.
        weights: of a disagreement: ``quadratic``, ``linear``, or ``none`` for levels without an order.
        clusters: shape (n,), which items are drawn together; each by itself unless given.
        interval: coverage to aim at, between 0 and 1.
        seed: of the bootstrap.

    Returns:
        -1 to 1; items that one of the two did not rate are left out. NaN where both used one and the same
        level only.

    Raises:
        InputError: lengths differ, an infinite value, unknown weights, more than 1,000 different values, or a
            setting out of range.

    References:
        Cohen (1960), doi 10.1177/001316446002000104; weights: Cohen (1968), doi 10.1037/h0026256.

    Example:
        >>> agreed = weighted_kappa(np.array([1.0, 2, 3, 3]), np.array([1.0, 2, 3, 2]))
        >>> round(agreed.value, 6)  # 1 - (1 / 4) / (20 / 16)
        0.8
    """
    table = checked_pair(x, y)
    usable = np.asarray(~np.isnan(table).any(axis=1))
    coefficient = kappa_coefficient(table[usable, 0], table[usable, 1], weights)
    return estimate_agreement(
        coefficient,
        usable,
        ResamplingPlan(clusters, interval, seed),
        CORRELATION,
        undefined="both raters used one and the same level only",
    )


def kappa_coefficient(x: Floats, y: Floats, weights: KappaWeights) -> Counted:
    """Make kappa of complete pairs a function of how often each is there.

    Args:
        x: shape (n,).
        y: shape (n,).
        weights: of a disagreement.

    Raises:
        InputError: unknown weights, or too many different values.
    """
    levels, codes = distinct_levels(np.concatenate([x, y]))
    disagreement = _disagreement(levels, weights)
    n, k = len(x), len(levels)
    observed = disagreement[codes[:n], codes[n:]]
    first, second = (sparse_sums(np.arange(n), part, np.ones(n), (n, k)) for part in (codes[:n], codes[n:]))

    def coefficient(counts: Floats) -> Floats:
        expected = (first(counts) @ disagreement * second(counts)).sum(axis=1)
        return chance_corrected(counts @ observed * counts.sum(axis=1), expected)

    return coefficient


def distinct_levels(values: Floats) -> tuple[Floats, Integers]:
    """Different values in ascending order, and the place among them of each value.

    Raises:
        InputError: more than 1,000 of them.
    """
    levels, codes = np.unique(values, return_inverse=True)
    if len(levels) > MOST_LEVELS:
        raise InputError(
            f"ratings must have at most {MOST_LEVELS:,} different values, got {len(levels):,}: "
            "round them, or take intraclass correlation"
        )
    return levels, codes


def chance_corrected(observed: Floats, expected: Floats) -> Floats:
    """Correct for chance: 1 - observed / expected disagreement; NaN where nothing can be expected."""
    defined = expected > 0
    return np.where(defined, 1 - observed / np.where(defined, expected, 1.0), np.nan)


def _disagreement(levels: Floats, weights: KappaWeights) -> Floats:
    distance = np.abs(levels[:, None] - levels)
    if weights == "quadratic":
        return distance**2
    if weights == "linear":
        return distance
    if weights == "none":
        return (distance > 0).astype(np.float64)
    raise InputError(f"weights must be quadratic, linear or none, got {weights!r}")
