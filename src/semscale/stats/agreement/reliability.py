"""How well raters agree among themselves, which limits how well anything agrees with them."""

from collections.abc import Sequence

import numpy as np

from semscale.errors import InputError
from semscale.stats.agreement.correlations import correlation, pearson
from semscale.stats.intervals.coefficients import ResamplingPlan, bootstrapped
from semscale.stats.intervals.estimates import Estimate
from semscale.stats.intervals.jackknife import RELIABILITY
from semscale.types import Floats, Integers

_FEWEST_RATERS = 2


def spearman_brown(correlation: float, k: int = 2) -> float:
    """Reliability of the mean of k like parts from their mean correlation: k r / (1 + (k - 1) r).

    For halves of a whole it is 2 r / (1 + r); for k items, their standardised alpha.

    Returns:
        At most 1; NaN for NaN, and where parts cancel out, so that 1 + (k - 1) r is not above 0.

    References:
        Spearman (1910), British Journal of Psychology 3, 271-295. Brown (1910), the same 3, 296-322.
        Cronbach (1951), doi 10.1007/BF02310555.

    Example:
        >>> round(spearman_brown(0.6), 6), round(spearman_brown(0.5, 3), 6)
        (0.75, 0.75)
    """
    scaled = 1 + (k - 1) * correlation
    return k * correlation / scaled if scaled > 0 else float("nan")


def split_half_reliability(  # noqa: PLR0913 - one setting each of the resampling
    ratings: Floats,
    *,
    splits: int = 100,
    clusters: Integers | None = None,
    weights: Floats | None = None,
    interval: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """Reliability of the mean of several raters: halves correlated over items, stepped up by Spearman-Brown.

    Each split parts every item's raters at random, so raters need not be the same people for every item. With
    an odd number one half is larger by one. The value is the mean over splits; every bootstrap replicate
    resamples items and takes the mean over the same splits.

    Args:
        ratings: shape (n, raters), NaN where a rater did not rate; items with fewer than two ratings are set
            aside.
        splits: how many random splits, at least 2.
        clusters: shape (n,), which items are drawn together; each by itself unless given.
        weights: shape (n,), above 0; all alike unless given.
        interval: coverage to aim at, between 0 and 1.
        seed: of splits and resampling.

    Returns:
        The reliability, at most 1; NaN where no two items have two ratings, or halves do not vary.

    Raises:
        InputError: not a table, fewer than 2 splits, or a coverage out of range.

    Example:
        >>> round(split_half_reliability(np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])).value, 6)
        1.0
    """
    if np.ndim(ratings) != 2:  # noqa: PLR2004
        raise InputError(f"ratings must have shape (items, raters), got {np.shape(ratings)}")
    if splits < 2:  # noqa: PLR2004
        raise InputError(f"splits must be at least 2, got {splits}")
    usable = (~np.isnan(ratings)).sum(axis=1) >= _FEWEST_RATERS
    kept_clusters, kept_weights = (None if of is None else of[usable] for of in (clusters, weights))
    plan = ResamplingPlan(kept_clusters, interval, seed, kept_weights)
    if usable.sum() < 2:  # noqa: PLR2004
        return Estimate(float("nan"), float("nan"), float("nan"))
    rng = np.random.default_rng(seed)
    halves = np.array([_split(ratings[usable], rng) for _ in range(splits)])
    first, second = (half - half.mean(axis=1, keepdims=True) for half in halves.swapaxes(0, 1))
    products = np.concatenate([first, second, first * first, second * second, first * second]).T
    value = plan.coefficient(_mean_reliability, (products,))
    return bootstrapped(value, _mean_reliability, (products,), plan, RELIABILITY)


def correlation_attainment(
    machine: Floats, human: Sequence[Floats], *, splits: int = 2000, seed: int = 0
) -> float:
    """How much of the correlation that humans reach with each other is attained: E[R_xy] / E[R_xx].

    In every split each survey's people are parted into random halves. R_xx is the correlation over surveys of
    the two halves' means; R_xy that of the machine's means with the first half's, so that both suffer from
    the same sampling error.

    Args:
        machine: shape (surveys,), the machine's mean in each survey.
        human: for each survey the people's ratings, at least two.
        splits: how many random splits, at least 1.
        seed: of the splits.

    Returns:
        The ratio, usually 0 to 1; NaN where the halves' correlation is not defined or averages to 0 or less.

    Raises:
        InputError: fewer than three surveys, lengths that differ, a survey with fewer than two people, or no
            split.

    References:
        arXiv 2510.08338, correlation attainment rho.
    """
    if splits < 1:
        raise InputError(f"splits must be at least 1, got {splits}")
    if len(machine) != len(human) or len(machine) < 3:  # noqa: PLR2004
        raise InputError(
            f"machine and human must have one length of at least 3, got {len(machine)} and {len(human)}"
        )
    for number, people in enumerate(human):
        if len(people) < _FEWEST_RATERS:
            raise InputError(f"each survey must have at least 2 people, got {len(people)} in survey {number}")
    rng = np.random.default_rng(seed)
    between, within = np.empty(splits), np.empty(splits)
    for split in range(splits):
        halves = np.array([_halved(np.asarray(people, dtype=np.float64), rng) for people in human])
        between[split] = pearson(machine, halves[:, 0])
        within[split] = pearson(halves[:, 0], halves[:, 1])
    return float(between.mean() / within.mean()) if within.mean() > 0 else float("nan")


def _halved(people: Floats, rng: np.random.Generator) -> tuple[float, float]:
    mixed = rng.permutation(people)
    middle = len(mixed) // 2
    return float(mixed[:middle].mean()), float(mixed[middle:].mean())


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
