"""Agreement between two measurements of the same things: correlation, ranks and distribution."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypedDict

import numpy as np
from scipy.stats import rankdata

from semscale.errors import InputError
from semscale.stats.estimates import Estimate
from semscale.stats.resampling import check_interval, drawn_counts, percentile_interval
from semscale.types import Floats, Integers

_FEWEST_PAIRS = 2
_MOST_DRAWS = 40_000_000
_FEWEST_REPLICATES, _MOST_REPLICATES = 200, 2000

Weighted = Callable[..., Floats]
"""A coefficient of measurements of n items; the last argument, ``counts`` (b, n), says how often each counts.

Gives shape (b,).
"""


class Resampling(TypedDict):
    """How items are resampled, as keywords for the estimates; see ``ResamplingPlan``."""

    clusters: Integers | None
    interval: float
    seed: int


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

    Raises:
        InputError: a coverage out of range.
    """

    clusters: Integers | None
    interval: float
    seed: int

    def __post_init__(self) -> None:
        check_interval(self.interval)


def replicates_for(n: int) -> int:
    """Say how many replicates n items get: 2,000, above 20,000 items 40,000,000 / n but at least 200.

    Example:
        >>> replicates_for(100), replicates_for(40_000)
        (2000, 1000)
    """
    return max(_FEWEST_REPLICATES, min(_MOST_REPLICATES, _MOST_DRAWS // max(n, 1)))


def bootstrapped(
    value: float, coefficient: Weighted, measured: tuple[Floats, ...], plan: ResamplingPlan
) -> Estimate:
    """Put a bootstrap interval over items around a coefficient: expanded percentiles of its replicates.

    Clusters are numbered in order of first appearance, so that their names do not matter.

    Args:
        value: the coefficient of all items.
        coefficient: computes it from the measurements and from how often each item was drawn.
        measured: the measurements, items along their first axis.
        plan: what is drawn together, the coverage and the seed.
    """
    n = len(measured[0])
    clusters = np.arange(n) if plan.clusters is None else _by_appearance(plan.clusters)
    m = int(clusters.max()) + 1 if n else 0
    if m < _FEWEST_PAIRS:
        return Estimate(value, float("nan"), float("nan"))
    rng = np.random.default_rng(plan.seed)
    blocks = drawn_counts(m, replicates_for(n), rng)
    # Counts of clusters come in blocks sized for m; as counts of items they are n / m times as wide.
    draws = (part for block in blocks for part in np.array_split(block, -(-n // m)))
    drawn = np.concatenate([coefficient(*measured, counts[:, clusters]) for counts in draws if len(counts)])
    low, high = percentile_interval(drawn[:, None], m, plan.interval)
    return Estimate(value, float(low[0]), float(high[0]))


def _by_appearance(clusters: Integers) -> Integers:
    _, first, place = np.unique(clusters, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[place]


def _weighted_pearson(x: Floats, y: Floats, counts: Floats) -> Floats:
    if not len(x):
        return np.full(len(counts), np.nan)
    # Centred first, so that sums of squares lose nothing to a large common mean.
    u, v = x - x.mean(), y - y.mean()
    sums = counts @ np.column_stack([np.ones_like(u), u, v, u * u, v * v, u * v])
    return correlation(*sums.T)


def _weighted_spearman(x: Floats, y: Floats, counts: Floats) -> Floats:
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
    gaps = np.abs(counts @ np.cumsum(p - q, axis=1)) / counts.sum(axis=1, keepdims=True)
    return np.asarray(1 - gaps.max(axis=1))


def _check_pairs(x: Floats, y: Floats) -> None:
    if np.ndim(x) != 1 or np.shape(x) != np.shape(y):
        raise InputError(
            f"x and y must be two lists of one length, got shapes {np.shape(x)} and {np.shape(y)}"
        )
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise InputError("x and y must be finite: leave out pairs with a missing value first")
