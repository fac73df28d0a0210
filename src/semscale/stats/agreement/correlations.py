"""Agreement between two measurements of the same things: correlation, ranks and distribution."""

import numpy as np

from semscale.errors import InputError
from semscale.stats.intervals.coefficients import (
    FEWEST_FOR_PERCENTILES,
    ResamplingPlan,
    bootstrapped,
    largest_difference,
)
from semscale.stats.intervals.estimates import DEFAULT_INTERVAL, Estimate
from semscale.stats.intervals.jackknife import CORRELATION, SHARE
from semscale.stats.intervals.resampling import FEWEST_CLUSTERS
from semscale.stats.ranks import average_ranks
from semscale.types import Floats, Integers


def pearson(x: Floats, y: Floats) -> float:
    """Pearson's correlation: covariance over the product of the standard deviations.

    Args:
        x: shape (n,).
        y: shape (n,).

    Returns:
        -1 to 1; NaN for fewer than two pairs, or where x or y is constant.

    Raises:
        InputError: lengths differ, or a value is not finite.

    Example:
        >>> round(pearson(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])), 6)
        0.5
    """
    _check_pairs(x, y)
    return float(weighted_pearson(x, y, np.ones((1, len(x))))[0])


def spearman(x: Floats, y: Floats) -> float:
    """Spearman's correlation: Pearson's of the ranks, equal values sharing their average rank.

    Args:
        x: shape (n,).
        y: shape (n,).

    Returns:
        -1 to 1; NaN as for ``pearson``.

    Raises:
        InputError: lengths differ, or a value is not finite.

    Example:
        >>> round(spearman(np.array([1.0, 2.0, 30.0]), np.array([1.0, 2.0, 3.0])), 6)
        1.0
    """
    _check_pairs(x, y)
    return pearson(average_ranks(x), average_ranks(y)) if len(x) else float("nan")


def ks_similarity(p: Floats, q: Floats) -> float:
    """Kolmogorov-Smirnov similarity of two PMFs: 1 - max over r of |F_p(r) - F_q(r)|.

    Args:
        p: shape (k,), sums to 1.
        q: shape (k,), sums to 1.

    Returns:
        0 (all mass at opposite ends) to 1 (the same).

    References:
        arXiv 2510.08338, metric K; the paper averages it over surveys.

    Example:
        >>> round(ks_similarity(np.array([0.5, 0.5, 0.0]), np.array([0.0, 0.5, 0.5])), 6)
        0.5
    """
    if np.shape(p) != np.shape(q):
        raise InputError(f"PMFs must have the same points, got shapes {np.shape(p)} and {np.shape(q)}")
    return float(1 - np.abs(np.cumsum(np.subtract(p, q))).max())


def pearson_estimate(  # noqa: PLR0913 - one setting each of ``Resampling``
    x: Floats,
    y: Floats,
    *,
    clusters: Integers | None = None,
    weights: Floats | None = None,
    interval: float = DEFAULT_INTERVAL,
    seed: int = 0,
) -> Estimate:
    """Pearson's correlation with an interval over pairs, a jackknife's below 50; see ``bootstrapped``.

    Args:
        x: shape (n,).
        y: shape (n,).
        clusters: shape (n,), which pairs are drawn together; each by itself unless given.
        weights: shape (n,), above 0; all alike unless given.
        interval: coverage to aim at.
        seed: of the bootstrap.
    """
    plan = ResamplingPlan(clusters, interval, seed, weights)
    value = pearson(x, y) if weights is None else plan.coefficient(weighted_pearson, (x, y))
    return bootstrapped(value, weighted_pearson, (x, y), plan, CORRELATION, fewest=FEWEST_FOR_PERCENTILES)


def spearman_estimate(  # noqa: PLR0913 - likewise
    x: Floats,
    y: Floats,
    *,
    clusters: Integers | None = None,
    weights: Floats | None = None,
    interval: float = DEFAULT_INTERVAL,
    seed: int = 0,
) -> Estimate:
    """Spearman's correlation with an interval over pairs, ranked anew in every replicate.

    With weights a pair's rank is the weight below it and half of that tied with it. Arguments are those of
    ``pearson_estimate``.
    """
    plan = ResamplingPlan(clusters, interval, seed, weights)
    unweighted = weights is None or not len(x)
    value = spearman(x, y) if unweighted else plan.coefficient(weighted_spearman, (x, y))
    return bootstrapped(value, weighted_spearman, (x, y), plan, CORRELATION, fewest=FEWEST_FOR_PERCENTILES)


def ks_similarity_estimate(  # noqa: PLR0913 - likewise
    p: Floats,
    q: Floats,
    *,
    clusters: Integers | None = None,
    weights: Floats | None = None,
    interval: float = DEFAULT_INTERVAL,
    seed: int = 0,
) -> Estimate:
    """KS similarity of two average PMFs with an interval over items, as ``largest_difference`` makes it.

    With fewer than 10 clusters it is a jackknife's, as of all coefficients.

    Args:
        p: shape (n, k), PMFs of n items.
        q: shape (n, k), other PMFs of the same items.
        clusters: shape (n,), which items are drawn together; each by itself unless given.
        weights: shape (n,), above 0; all alike unless given.
        interval: coverage to aim at.
        seed: of the bootstrap.
    """
    if not len(p):
        return Estimate(float("nan"), float("nan"), float("nan"))
    plan = ResamplingPlan(clusters, interval, seed, weights)
    value = ks_similarity(*(np.average(masses, axis=0, weights=weights) for masses in (p, q)))
    if len(np.unique(plan.numbered(len(p)))) < FEWEST_CLUSTERS:
        return bootstrapped(value, _weighted_ks, (p, q), plan, SHARE)
    largest = largest_difference(_gaps, (p, q), plan)
    return Estimate(value, float(np.maximum(1 - largest.high, 0.0)), 1 - largest.low)


def weighted_pearson(x: Floats, y: Floats, counts: Floats) -> Floats:
    """Pearson's correlation (b,) of items (n,) where each is there ``counts`` (b, n) times."""
    if not len(x):
        return np.full(len(counts), np.nan)
    # Centred first, so that sums of squares lose nothing to a large common mean.
    u, v = x - x.mean(), y - y.mean()
    sums = counts @ np.column_stack([np.ones_like(u), u, v, u * u, v * v, u * v])
    return correlation(*sums.T)


def weighted_spearman(x: Floats, y: Floats, counts: Floats) -> Floats:
    """Spearman's correlation (b,) of items (n,) where each is there ``counts`` (b, n) times."""
    u, v = _weighted_ranks(x, counts), _weighted_ranks(y, counts)
    n = counts.sum(axis=1)
    u -= (n[:, None] + 1) / 2  # the mean rank, whatever the ties
    v -= (n[:, None] + 1) / 2
    products = [np.einsum("bn,bn,bn->b", counts, a, b) for a, b in ((u, u), (v, v), (u, v))]
    return correlation(n, np.zeros_like(n), np.zeros_like(n), *products)


def correlation(n: Floats, u: Floats, v: Floats, uu: Floats, vv: Floats, uv: Floats) -> Floats:
    """Pearson's correlation from sums of weights, u, v and their products; NaN where one does not vary.

    Sums have any shape; u and v should be centred beforehand. A variance that is 0 but for rounding is 0.
    """
    var_u, var_v = uu - u * u / n, vv - v * v / n
    defined = (var_u > 1e-12 * uu) & (var_v > 1e-12 * vv)
    scale = np.sqrt(np.where(defined, var_u * var_v, 1.0))
    return np.where(defined, np.clip((uv - u * v / n) / scale, -1, 1), np.nan)


def _weighted_ranks(x: Floats, counts: Floats) -> Floats:
    """Average ranks (b, n) that items have where each is there ``counts`` times."""
    _, place = np.unique(x, return_inverse=True)
    order = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[order], np.arange(place.max() + 1))
    tied = np.add.reduceat(counts[:, order], starts, axis=1)
    ranks: Floats = (np.cumsum(tied, axis=1) - (tied - 1) / 2)[:, place]
    return ranks


def _weighted_ks(p: Floats, q: Floats, counts: Floats) -> Floats:
    return np.asarray(1 - np.abs(_gaps(p, q, counts)).max(axis=1))


def _gaps(p: Floats, q: Floats, counts: Floats) -> Floats:
    """Differences (b, k) of the cumulative shares of items that are there ``counts`` (b, n) times."""
    gaps: Floats = counts @ np.cumsum(p - q, axis=1) / counts.sum(axis=1, keepdims=True)
    return gaps


def _check_pairs(x: Floats, y: Floats) -> None:
    if np.ndim(x) != 1 or np.shape(x) != np.shape(y):
        raise InputError(
            f"x and y must be two lists of one length, got shapes {np.shape(x)} and {np.shape(y)}"
        )
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise InputError("x and y must be finite: leave out pairs with a missing value first")
