"""Correlations and other coefficients of two measurements, with resampled intervals."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypedDict

import numpy as np
from scipy.special import expit, logit, ndtri

from semscale.errors import InputError
from semscale.stats.intervals import (
    DEFAULT_INTERVAL,
    FEWEST_CLUSTERS,
    Estimate,
    check_interval,
    check_seed,
    draw_counts,
    percentile_interval,
    t_half_width,
)
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

    Examples:
        >>> round(pearson(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])), 6)
        0.5
    """
    _check_pairs(x, y)
    return float(weighted_pearson(x, y, np.ones((1, len(x))))[0])


def spearman(x: Floats, y: Floats) -> float:
    """Spearman's correlation: Pearson's correlation of the ranks; equal values share their average rank.

    Args:
        x: shape (n,).
        y: shape (n,).

    Returns:
        -1 to 1; NaN as for ``pearson``.

    Raises:
        InputError: lengths differ, or a value is not finite.

    Examples:
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

    Examples:
        >>> round(ks_similarity(np.array([0.5, 0.5, 0.0]), np.array([0.0, 0.5, 0.5])), 6)
        0.5
    """
    if np.shape(p) != np.shape(q):
        raise InputError(f"PMFs must have the same points, got shapes {np.shape(p)} and {np.shape(q)}")
    return float(1 - np.abs(np.cumsum(np.subtract(p, q))).max())


def pearson_estimate(
    x: Floats,
    y: Floats,
    *,
    clusters: Integers | None = None,
    weights: Floats | None = None,
    interval: float = DEFAULT_INTERVAL,
    seed: int = 0,
) -> Estimate:
    """Estimate Pearson's correlation with an interval over pairs, by jackknife below 50 pairs.

    Args:
        x: shape (n,).
        y: shape (n,).
        clusters: shape (n,), cluster of each pair, resampled as a whole; by default each pair is its own
            cluster.
        weights: shape (n,), above 0; all equal by default.
        interval: nominal coverage.
        seed: seed of the bootstrap.
    """
    plan = ResamplingPlan(clusters, interval, seed, weights)
    return _correlation_estimate(pearson, weighted_pearson, (x, y), plan)


def spearman_estimate(
    x: Floats,
    y: Floats,
    *,
    clusters: Integers | None = None,
    weights: Floats | None = None,
    interval: float = DEFAULT_INTERVAL,
    seed: int = 0,
) -> Estimate:
    """Estimate Spearman's correlation with an interval over pairs, ranked anew in every replicate.

    With weights, a pair's rank is the weight below it plus half of the weight tied with it. The arguments are
    those of ``pearson_estimate``.
    """
    plan = ResamplingPlan(clusters, interval, seed, weights)
    return _correlation_estimate(spearman, weighted_spearman, (x, y), plan)


def _correlation_estimate(
    plain: Callable[[Floats, Floats], float],
    weighted: "Weighted",
    pairs: tuple[Floats, Floats],
    plan: "ResamplingPlan",
) -> Estimate:
    unweighted = plan.weights is None or not len(pairs[0])
    value = plain(*pairs) if unweighted else plan.coefficient(weighted, pairs)
    return bootstrap_estimate(value, weighted, pairs, plan, CORRELATION, fewest=FEWEST_FOR_PERCENTILES)


def ks_similarity_estimate(
    p: Floats,
    q: Floats,
    *,
    clusters: Integers | None = None,
    weights: Floats | None = None,
    interval: float = DEFAULT_INTERVAL,
    seed: int = 0,
) -> Estimate:
    """Estimate the KS similarity of two average PMFs, with the interval of ``largest_difference`` over items.

    With fewer than 10 clusters, the interval is a jackknife's.

    Args:
        p: shape (n, k), PMFs of n items.
        q: shape (n, k), other PMFs of the same items.
        clusters: shape (n,), cluster of each item, resampled as a whole; by default each item is its own
            cluster.
        weights: shape (n,), above 0; all equal by default.
        interval: nominal coverage.
        seed: seed of the bootstrap.
    """
    if not len(p):
        return Estimate()
    plan = ResamplingPlan(clusters, interval, seed, weights)
    value = ks_similarity(*(np.average(masses, axis=0, weights=weights) for masses in (p, q)))
    if len(np.unique(plan.cluster_numbers(len(p)))) < FEWEST_CLUSTERS:
        return bootstrap_estimate(value, _weighted_ks, (p, q), plan, SHARE)
    largest = largest_difference(_gaps, (p, q), plan)
    return Estimate(value, float(np.maximum(1 - largest.high, 0.0)), 1 - largest.low)


def spearman_brown(correlation: float, k: int = 2) -> float:
    """Compute the reliability of the mean of k parts from their mean correlation r: k r / (1 + (k - 1) r).

    For two halves, it is 2 r / (1 + r); for k items, their standardised alpha.

    Returns:
        The reliability, at most 1; NaN for NaN, and if 1 + (k - 1) r is not above 0.

    References:
        Spearman (1910), British Journal of Psychology 3, 271-295. Brown (1910), the same 3, 296-322.
        Cronbach (1951), doi 10.1007/BF02310555.

    Examples:
        >>> round(spearman_brown(0.6), 6), round(spearman_brown(0.5, 3), 6)
        (0.75, 0.75)
    """
    scaled = 1 + (k - 1) * correlation
    return k * correlation / scaled if scaled > 0 else float("nan")


def split_half_reliability(
    ratings: Floats,
    *,
    splits: int = 100,
    clusters: Integers | None = None,
    weights: Floats | None = None,
    interval: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """Estimate the reliability of the mean of several raters by correlated halves and Spearman-Brown.

    Each split divides every item's raters at random, so items may have different raters. With an odd number,
    one half is larger by one. The value is the mean over splits; every bootstrap replicate resamples items
    and takes the mean over the same splits.

    Args:
        ratings: shape (n, raters), NaN where a rater did not rate; items with fewer than two ratings are left
            out.
        splits: number of random splits, at least 2.
        clusters: shape (n,), cluster of each item, resampled as a whole; by default each item is its own
            cluster.
        weights: shape (n,), above 0; all equal by default.
        interval: nominal coverage, between 0 and 1.
        seed: seed of splits and resampling.

    Returns:
        The reliability, at most 1; NaN where no two items have two ratings, or halves do not vary.

    Raises:
        InputError: not a table, fewer than 2 splits, or a coverage out of range.

    Examples:
        >>> round(split_half_reliability(np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])).value, 6)
        1.0
    """
    if np.ndim(ratings) != 2:
        raise InputError("ratings", f"must have shape (items, raters), got {np.shape(ratings)}")
    if splits < 2:
        raise InputError("splits", f"must be at least 2, got {splits}")
    usable = (~np.isnan(ratings)).sum(axis=1) >= 2
    plan = ResamplingPlan(
        None if clusters is None else clusters[usable],
        interval,
        seed,
        None if weights is None else weights[usable],
    )
    if usable.sum() < 2:
        return Estimate()
    rng = np.random.default_rng(seed)
    halves = np.array([_split(ratings[usable], rng) for _ in range(splits)])
    first, second = (half - half.mean(axis=1, keepdims=True) for half in halves.swapaxes(0, 1))
    products = np.concatenate([first, second, first * first, second * second, first * second]).T
    value = plan.coefficient(_mean_reliability, (products,))
    return bootstrap_estimate(value, _mean_reliability, (products,), plan, RELIABILITY)


def _split(ratings: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Means (n,) of the two halves in one random split of every item's raters."""
    there = ~np.isnan(ratings)
    keys = np.where(there, rng.random(ratings.shape), 2.0)  # absent raters are sorted to the end
    mixed = np.take_along_axis(np.nan_to_num(ratings), keys.argsort(axis=1), axis=1)
    sums, raters = mixed.cumsum(axis=1), there.sum(axis=1)
    half = raters // 2
    first = np.take_along_axis(sums, half[:, None] - 1, axis=1)[:, 0]
    return first / half, (sums[:, -1] - first) / (raters - half)


def _mean_reliability(products: Floats, counts: Floats) -> Floats:
    """Reliability (b,), the mean over splits, from products (n, 5 splits) of the halves' centred means."""
    sums = (counts @ products).reshape(len(counts), 5, -1)
    r = correlation(counts.sum(axis=1)[:, None], *sums.swapaxes(0, 1))
    stepped: Floats = np.where(r == -1, np.nan, 2 * r / np.where(r == -1, 1.0, 1 + r))
    return np.asarray(stepped.mean(axis=1))


def roc_area(above: Floats, below: Floats, *, interval: float = 0.95) -> Estimate:
    """Estimate the area under the ROC curve: how often one kind scores above the other; ties count half.

    The variance is DeLong's: the variance of the share of ``below`` that each of ``above`` exceeds, divided
    by n, and that of the share of ``above`` that exceeds each of ``below``, divided by m. The interval is
    symmetric on the logit scale, so that it stays between 0 and 1.

    Args:
        above: shape (n,), scores of the kind that should score higher, n items drawn independently.
        below: shape (m,), scores of the other kind.
        interval: coverage, between 0 and 1.

    Returns:
        The area, 0 to 1, with the ends of its interval; NaN where either kind has no item. The ends are NaN
        with fewer than two items of a kind, and if all items of a kind exceed equally many of the other, as
        the variance is then unknown.

    Raises:
        InputError: the coverage is not between 0 and 1.

    References:
        DeLong, DeLong and Clarke-Pearson 1988, doi:10.2307/2531595; ranks as in Sun and Xu 2014,
        doi:10.1109/LSP.2014.2337313.

    Examples:
        >>> roc_area(np.array([0.9, 0.5]), np.array([0.5, 0.1])).value  # 3 wins and a tie among 4
        0.875
    """
    check_interval(interval)
    n, m = len(above), len(below)
    if not n or not m:
        return Estimate()
    ranks = average_ranks(np.concatenate([above, below]))
    exceeded = (ranks[:n] - average_ranks(above)) / m
    exceeding = 1 - (ranks[n:] - average_ranks(below)) / n
    area = float(exceeded.mean())
    if min(n, m) < 2:
        return Estimate(area)
    variance = float(exceeded.var(ddof=1) / n + exceeding.var(ddof=1) / m)
    if not variance or not 0 < area < 1:
        return Estimate(area)
    half = ndtri((1 + interval) / 2) * np.sqrt(variance) / (area * (1 - area))
    low, high = expit(logit(area) + np.array([-half, half])).tolist()
    return Estimate(area, low, high)


def weighted_pearson(x: Floats, y: Floats, counts: Floats) -> Floats:
    """Pearson's correlation (b,) of items (n,), each counted ``counts`` (b, n) times."""
    if not len(x):
        return np.full(len(counts), np.nan)
    # Centred first, so that a large common mean costs no precision.
    u, v = x - x.mean(), y - y.mean()
    sums = counts @ np.column_stack([np.ones_like(u), u, v, u * u, v * v, u * v])
    return correlation(*sums.T)


def weighted_spearman(x: Floats, y: Floats, counts: Floats) -> Floats:
    """Spearman's correlation (b,) of items (n,), each counted ``counts`` (b, n) times."""
    u, v = _weighted_ranks(x, counts), _weighted_ranks(y, counts)
    n = counts.sum(axis=1)
    u -= (n[:, None] + 1) / 2  # the mean rank, whatever the ties
    v -= (n[:, None] + 1) / 2
    products = [np.einsum("bn,bn,bn->b", counts, a, b) for a, b in ((u, u), (v, v), (u, v))]
    return correlation(n, np.zeros_like(n), np.zeros_like(n), *products)


def correlation(n: Floats, u: Floats, v: Floats, uu: Floats, vv: Floats, uv: Floats) -> Floats:
    """Compute Pearson's correlation from sums of weights, u, v and their products; NaN if u or v is constant.

    Sums have any shape; u and v should be centred beforehand. A variance within rounding error of 0 is 0.
    """
    var_u, var_v = uu - u * u / n, vv - v * v / n
    defined = (var_u > 1e-12 * uu) & (var_v > 1e-12 * vv)
    scale = np.sqrt(np.where(defined, var_u * var_v, 1.0))
    return np.where(defined, np.clip((uv - u * v / n) / scale, -1, 1), np.nan)


def _weighted_ranks(x: Floats, counts: Floats) -> Floats:
    """Average ranks (b, n) of items, each counted ``counts`` times."""
    _, number = np.unique(x, return_inverse=True)
    order = np.argsort(number, kind="stable")
    starts = np.searchsorted(number[order], np.arange(number.max() + 1))
    tied = np.add.reduceat(counts[:, order], starts, axis=1)
    ranks: Floats = (np.cumsum(tied, axis=1) - (tied - 1) / 2)[:, number]
    return ranks


def _weighted_ks(p: Floats, q: Floats, counts: Floats) -> Floats:
    return np.asarray(1 - np.abs(_gaps(p, q, counts)).max(axis=1))


def _gaps(p: Floats, q: Floats, counts: Floats) -> Floats:
    """Differences (b, k) of the cumulative shares of items, each counted ``counts`` (b, n) times."""
    gaps: Floats = counts @ np.cumsum(p - q, axis=1) / counts.sum(axis=1, keepdims=True)
    return gaps


def _check_pairs(x: Floats, y: Floats) -> None:
    if np.ndim(x) != 1 or np.shape(x) != np.shape(y):
        raise InputError(
            f"x and y must be two lists of one length, got shapes {np.shape(x)} and {np.shape(y)}"
        )
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise InputError("x and y must be finite: leave out pairs with a missing value first")


def average_ranks(values: Floats) -> Floats:
    """Rank numbers from 1 for the smallest; equal numbers share their average rank.

    This is SciPy's ``rankdata``, without the import of ``scipy.stats``, which takes half a second.

    Args:
        values: shape (n,), finite.

    Returns:
        Shape (n,), 1 to n.

    Examples:
        >>> average_ranks(np.array([0.5, 0.1, 0.5])).tolist()
        [2.5, 1.0, 2.5]
    """
    _, number, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[number])


class NormalizingTransform(NamedTuple):
    """A transform that makes a coefficient's error about normal, such as Fisher's z.

    Attributes:
        forward: transforms values; infinite at an end of the range.
        inverse: transforms back.
        least: lower end of the range.
        greatest: upper end.
    """

    forward: Callable[[Floats], Floats]
    inverse: Callable[[Floats], Floats]
    least: float
    greatest: float


FEWEST_FOR_PERCENTILES = 50
"""Number of clusters below which percentiles of a coefficient of agreement are too narrow."""

_MOST_DRAWS = 40_000_000

_FEWEST_REPLICATES, _MOST_REPLICATES = 200, 2000

ResampledBy = Literal["bootstrap", "jackknife"]
"""Method of an interval of a coefficient."""

_UNKNOWN = (float("nan"), float("nan"), None)

Weighted = Callable[..., Floats]
"""A coefficient of n items' measurements; the last argument, ``counts`` (b, n), is the weight of each item.

Returns shape (b,), or (b, k) if it computes k coefficients at once.
"""


class Resampling(TypedDict):
    """Keyword arguments of estimates that resample items; see ``ResamplingPlan``."""

    clusters: Integers | None
    weights: Floats | None
    interval: float
    seed: int


@dataclass(frozen=True)
class ResamplingPlan:
    """Settings of the resampling of items.

    Attributes:
        clusters: shape (n,), cluster of each item, resampled as a whole; ``None``: each by itself.
        interval: nominal coverage, between 0 and 1.
        seed: seed of the bootstrap.
        weights: shape (n,), above 0; ``None``: all alike.

    Raises:
        InputError: a coverage or a seed out of range.
    """

    clusters: Integers | None
    interval: float
    seed: int
    weights: Floats | None = None

    def __post_init__(self) -> None:
        check_interval(self.interval)
        check_seed(self.seed)

    def coefficient(self, coefficient: Weighted, measured: tuple[Floats, ...]) -> float:
        """Compute a coefficient of all items with their weights."""
        weights = np.ones(len(measured[0])) if self.weights is None else self.weights
        return float(coefficient(*measured, weights[None, :])[0])

    def cluster_numbers(self, n: int) -> Integers:
        """Number the clusters of n items in order of first appearance, so that their names do not matter."""
        return np.arange(n) if self.clusters is None else _by_appearance(self.clusters)


def replicates_for(n: int) -> int:
    """Choose the number of replicates for n items: 2,000; above 20,000 items 40,000,000 / n, at least 200.

    Examples:
        >>> replicates_for(100), replicates_for(40_000)
        (2000, 1000)
    """
    return max(_FEWEST_REPLICATES, min(_MOST_REPLICATES, _MOST_DRAWS // max(n, 1)))


def bootstrap_estimate(
    value: float,
    coefficient: Weighted,
    measured: tuple[Floats, ...],
    plan: ResamplingPlan,
    transform: NormalizingTransform,
    *,
    fewest: int = FEWEST_CLUSTERS,
) -> Estimate:
    """Estimate a coefficient with the interval of ``bootstrap_interval`` over items."""
    low, high, _ = bootstrap_interval(value, coefficient, measured, plan, transform, fewest=fewest)
    return Estimate(value, low, high)


def bootstrap_interval(
    value: float,
    coefficient: Weighted,
    measured: tuple[Floats, ...],
    plan: ResamplingPlan,
    transform: NormalizingTransform,
    *,
    fewest: int,
) -> tuple[float, float, ResampledBy | None]:
    """Compute an interval of a coefficient over items: expanded percentiles of its bootstrap replicates.

    With fewer than ``fewest`` clusters, percentiles are too narrow, and a jackknife is used. From 10 clusters
    on, the bootstrap is used if the jackknife gives no ends, or only the whole range. There is no interval if
    all resamples give the same value, as its error is then unknown.

    Args:
        value: coefficient of all items.
        coefficient: computes the coefficient from the measurements and the weight of each item.
        measured: measurements, with items along their first axis.
        plan: clusters, weights, coverage and seed.
        transform: of the coefficient, for the jackknife.
        fewest: number of clusters below which a jackknife is used, at least 10.

    Returns:
        The ends and the method; NaN and ``None`` without an interval.
    """
    n = len(measured[0])
    clusters = plan.cluster_numbers(n)
    m = int(clusters.max()) + 1 if n else 0
    if m < 2:
        return _UNKNOWN
    if m < fewest:
        weights = 1.0 if plan.weights is None else plan.weights
        left_out = coefficient(*measured, (1 - np.eye(m))[:, clusters] * weights)
        ends = jackknife_interval(value, left_out, plan.interval, transform)
        if not np.isnan(ends[0]) and ends != (transform.least, transform.greatest):
            return *ends, "jackknife"
        if m < FEWEST_CLUSTERS:
            return *ends, None if np.isnan(ends[0]) else "jackknife"
    low, high = percentile_interval(_replicates(coefficient, measured, plan)[:, None], m, plan.interval)
    if np.isnan(low[0]) or has_no_spread(np.concatenate([low, high])):
        return _UNKNOWN
    return float(low[0]), float(high[0]), "bootstrap"


def largest_difference(differences: Weighted, measured: tuple[Floats, ...], plan: ResamplingPlan) -> Estimate:
    """Estimate the largest absolute difference of several, with an interval from a simultaneous band.

    The largest difference is biased upwards, in the items and again in resamples, so percentiles may exclude
    even the value itself. The interval therefore comes from a band around all differences: difference +- c
    times its scale, where c is the quantile of the largest scaled error in the replicates. It reaches from
    the largest lower end to the largest upper end, and its coverage is at least the nominal one. The scale is
    the standard error, but at least half the largest standard error, as a difference that depends on rare
    items may not vary in resamples at all.

    Args:
        differences: computes k differences from the measurements and the weight of each item; returns shape
            (b, k).
        measured: measurements, with items along their first axis; 10 clusters or more.
        plan: clusters, weights, coverage and seed.

    Returns:
        The estimate, at least 0; ends are NaN if no difference varies in resamples.

    References:
        Bickel and Krieger (1989), Journal of the American Statistical Association 84(405), 95-100,
        doi 10.1080/01621459.1989.10478744.
    """
    weights = np.ones(len(measured[0])) if plan.weights is None else plan.weights
    (observed,) = differences(*measured, weights[None, :])
    value = float(np.abs(observed).max())
    errors = _replicates(differences, measured, plan) - observed
    spread = errors.std(axis=0)
    if has_no_spread(np.append(spread, 0.0)):
        return Estimate(value)
    scale = np.maximum(spread, spread.max() / 2)
    largest = np.abs(errors / scale).max(axis=1)
    m = len(np.unique(plan.cluster_numbers(len(measured[0]))))
    # Percentiles of the absolute error leave half of the remainder at each end.
    _, (quantile,) = percentile_interval(np.concatenate([largest, -largest])[:, None], m, plan.interval)
    low, high = (float((np.abs(observed) + sign * quantile * scale).max()) for sign in (-1, 1))
    return Estimate(value, max(0.0, low), high)


def _replicates(coefficient: Weighted, measured: tuple[Floats, ...], plan: ResamplingPlan) -> Floats:
    """Compute a coefficient of r resamples of clusters, shape (r,), or (r, k) for k coefficients."""
    n = len(measured[0])
    clusters = plan.cluster_numbers(n)
    m = int(clusters.max()) + 1
    weights = 1.0 if plan.weights is None else plan.weights
    blocks = draw_counts(m, replicates_for(n), np.random.default_rng(plan.seed))
    # Counts of clusters come in blocks sized for m; as counts of items they are n / m times as wide.
    draws = (part for block in blocks for part in np.array_split(block, -(-n // m)))
    return np.concatenate(
        [coefficient(*measured, counts[:, clusters] * weights) for counts in draws if len(counts)]
    )


def _by_appearance(clusters: Integers) -> Integers:
    _, first, number = np.unique(clusters, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[number]


_NO_SPREAD = 1e-9
"""Spread of a coefficient in resamples that is rounding error."""

CORRELATION = NormalizingTransform(np.arctanh, np.tanh, -1.0, 1.0)
"""Fisher's z."""

SHARE = NormalizingTransform(np.asarray, np.asarray, 0.0, 1.0)
"""No transform, for shares."""

RELIABILITY = NormalizingTransform(lambda r: -np.log1p(-r) / 2, lambda z: -np.expm1(-2 * z), -np.inf, 1.0)
"""Fisher's z of the halves' correlation, from the reliability by Spearman and Brown's formula."""


def has_no_spread(resampled: Floats) -> bool:
    """Return whether a coefficient is the same in all resamples, so that its error is unknown.

    Args:
        resampled: shape (r,), at least one value; NaN where not defined.

    Examples:
        >>> has_no_spread(np.array([1.0, 1 - 1e-16, np.nan])), has_no_spread(np.array([0.9, 1.0]))
        (True, False)
    """
    defined = resampled[~np.isnan(resampled)]
    return defined.size > 0 and float(np.ptp(defined)) <= _NO_SPREAD


def jackknife_interval(
    value: float, left_out: Floats, interval: float, transform: NormalizingTransform
) -> tuple[float, float]:
    """Compute a t interval from a coefficient's values with each cluster left out once.

    After the transform the variance is ``(m - 1) / m * sum((z_i - mean z) ** 2)``, with m - 1 degrees of
    freedom.

    Args:
        value: coefficient of all clusters.
        left_out: shape (m,), coefficient without each cluster.
        interval: coverage, between 0 and 1.
        transform: of the coefficient.

    Returns:
        Low and high ends. NaN with fewer than two clusters, if the coefficient is the same without each
        cluster, or if it is not defined without one. The whole range if the coefficient is at an end of it
        without some of the clusters; NaN if the transform has no range.

    References:
        Tukey (1958), Annals of Mathematical Statistics 29(2), 614. Fisher (1921), Metron 1, 3-32.

    Examples:
        >>> low, high = jackknife_interval(0.2, np.array([0.25, 0.2, 0.15]), 0.95, SHARE)  # of .1, .2 and .3
        >>> low, round(high, 3)
        (0.0, 0.448)
    """
    m = len(left_out)
    if m < 2 or np.isnan([value, *left_out]).any():
        return float("nan"), float("nan")
    if has_no_spread(left_out):
        return float("nan"), float("nan")
    with np.errstate(divide="ignore"):
        centre, z = transform.forward(np.asarray(value)), transform.forward(left_out)
    if not (np.isfinite(centre) and np.isfinite(z).all()):
        known = np.isfinite(transform.least)
        return (transform.least, transform.greatest) if known else (float("nan"), float("nan"))
    variance = (m - 1) / m * ((z - z.mean()) ** 2).sum()
    half = t_half_width(np.sqrt(variance), m - 1, interval)
    low, high = transform.inverse(centre - half), transform.inverse(centre + half)
    return max(float(low), transform.least), min(float(high), transform.greatest)
