"""Agreement between two measurements of the same things: correlation, ranks and distribution."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from semscale.errors import InputError
from semscale.stats.estimates import Estimate
from semscale.stats.resampling import drawn_counts, percentile_interval
from semscale.types import Floats, Integers

_FEWEST_PAIRS = 2
_MOST_DRAWS = 40_000_000
_FEWEST_REPLICATES = 200

Weighted = Callable[[Floats, Floats, Floats], Floats]
"""A coefficient of x (n,) and y (n,) in which item i counts ``counts[b, i]`` times; gives shape (b,)."""


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
    return float(_weighted_pearson(x, y, np.ones((1, len(x))))[0])


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
    return pearson(rankdata(x), rankdata(y)) if len(x) else float("nan")


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


def pearson_estimate(
    x: Floats, y: Floats, *, clusters: Integers | None = None, interval: float = 0.95, seed: int = 0
) -> Estimate:
    """Pearson's correlation with a bootstrap interval over pairs; see ``bootstrapped``."""
    return bootstrapped(pearson(x, y), _weighted_pearson, (x, y), ResamplingPlan(clusters, interval, seed))


def spearman_estimate(
    x: Floats, y: Floats, *, clusters: Integers | None = None, interval: float = 0.95, seed: int = 0
) -> Estimate:
    """Spearman's correlation with a bootstrap interval over pairs, ranked anew in every replicate."""
    return bootstrapped(spearman(x, y), _weighted_spearman, (x, y), ResamplingPlan(clusters, interval, seed))


def ks_similarity_estimate(
    p: Floats, q: Floats, *, clusters: Integers | None = None, interval: float = 0.95, seed: int = 0
) -> Estimate:
    """KS similarity of two average PMFs with a bootstrap interval over items.

    Args:
        p: shape (n, k), PMFs of n items.
        q: shape (n, k), other PMFs of the same items.
        clusters: shape (n,), which items are drawn together; each by itself unless given.
        interval: coverage to aim at.
        seed: of the bootstrap.
    """
    if not len(p):
        return Estimate(float("nan"), float("nan"), float("nan"))
    value = ks_similarity(p.mean(axis=0), q.mean(axis=0))
    return bootstrapped(value, _weighted_ks, (p, q), ResamplingPlan(clusters, interval, seed))


@dataclass(frozen=True)
class ResamplingPlan:
    """How items are resampled.

    Attributes:
        clusters: shape (n,), which items are drawn together; ``None``: each by itself.
        interval: coverage to aim at, between 0 and 1.
        seed: of the bootstrap.
    """

    clusters: Integers | None
    interval: float
    seed: int


def bootstrapped(
    value: float, coefficient: Weighted, pair: tuple[Floats, Floats], plan: ResamplingPlan
) -> Estimate:
    """Put a bootstrap interval over items around a coefficient: expanded percentiles of 2,000 replicates.

    Above 20,000 items there are fewer replicates, 40,000,000 / n but at least 200.

    Args:
        value: the coefficient of all items.
        coefficient: computes it from how often each item was drawn.
        pair: the two measurements, items along their first axis.
        plan: what is drawn together, the coverage and the seed.
    """
    n = len(pair[0])
    clusters = np.arange(n) if plan.clusters is None else np.unique(plan.clusters, return_inverse=True)[1]
    m = int(clusters.max()) + 1 if n else 0
    if m < _FEWEST_PAIRS:
        return Estimate(value, float("nan"), float("nan"))
    replicates = max(_FEWEST_REPLICATES, min(2000, _MOST_DRAWS // n))
    rng = np.random.default_rng(plan.seed)
    # Counts of clusters come in blocks sized for m; as counts of items they are n / m times as wide.
    draws = (part for block in drawn_counts(m, replicates, rng) for part in np.array_split(block, -(-n // m)))
    drawn = np.concatenate([coefficient(*pair, counts[:, clusters]) for counts in draws if len(counts)])
    low, high = percentile_interval(drawn[:, None], m, plan.interval)
    return Estimate(value, float(low[0]), float(high[0]))


def _weighted_pearson(x: Floats, y: Floats, counts: Floats) -> Floats:
    if not len(x):
        return np.full(len(counts), np.nan)
    # Centred first, so that sums of squares lose nothing to a large common mean.
    u, v = x - x.mean(), y - y.mean()
    sums = counts @ np.column_stack([np.ones_like(u), u, v, u * u, v * v, u * v])
    return _correlation(*sums.T)


def _weighted_spearman(x: Floats, y: Floats, counts: Floats) -> Floats:
    u, v = _weighted_ranks(x, counts), _weighted_ranks(y, counts)
    n = counts.sum(axis=1)
    u -= (n[:, None] + 1) / 2  # the mean rank, whatever the ties
    v -= (n[:, None] + 1) / 2
    products = [np.einsum("bn,bn,bn->b", counts, a, b) for a, b in ((u, u), (v, v), (u, v))]
    return _correlation(n, np.zeros_like(n), np.zeros_like(n), *products)


def _correlation(n: Floats, u: Floats, v: Floats, uu: Floats, vv: Floats, uv: Floats) -> Floats:
    """Correlation from sums; NaN where a variance is 0 but for rounding."""
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
    gaps = np.abs(counts @ np.cumsum(p - q, axis=1)) / counts.sum(axis=1, keepdims=True)
    return np.asarray(1 - gaps.max(axis=1))


def _check_pairs(x: Floats, y: Floats) -> None:
    if np.ndim(x) != 1 or np.shape(x) != np.shape(y):
        raise InputError(
            f"x and y must be two lists of one length, got shapes {np.shape(x)} and {np.shape(y)}"
        )
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise InputError("x and y must be finite: leave out pairs with a missing value first")
