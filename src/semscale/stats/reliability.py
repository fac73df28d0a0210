"""How well raters agree among themselves: the ceiling for anything that is compared with them."""

from collections.abc import Sequence

import numpy as np

from semscale.errors import InputError
from semscale.stats.agreement import pearson
from semscale.stats.estimates import Estimate
from semscale.stats.resampling import percentile_interval
from semscale.types import Floats

_FEWEST_RATERS = 2


def spearman_brown(correlation: float) -> float:
    """Reliability of a whole from the correlation of its halves: 2 r / (1 + r).

    Returns:
        At most 1; NaN for NaN or -1.

    References:
        Spearman (1910), British Journal of Psychology 3, 271-295. Brown (1910), the same 3, 296-322.

    Example:
        >>> round(spearman_brown(0.6), 6)
        0.75
    """
    return float("nan") if correlation == -1 else 2 * correlation / (1 + correlation)


def split_half_reliability(
    ratings: Floats, *, splits: int = 100, interval: float = 0.95, seed: int = 0
) -> Estimate:
    """Reliability of the mean of several raters: halves correlated over items, stepped up by Spearman-Brown.

    Each split parts every item's raters at random, so raters need not be the same people for every item. With
    an odd number one half is larger by one. The value is the mean over splits; the interval comes from as
    many replicates that resample items, each with a split of its own.

    Args:
        ratings: shape (n, raters), NaN where a rater did not rate; items with fewer than two ratings are set
            aside.
        splits: how many random splits, at least 2.
        interval: coverage to aim at, between 0 and 1.
        seed: of splits and resampling.

    Returns:
        The reliability, at most 1; NaN where no two items have two ratings, or halves do not vary.

    Raises:
        InputError: not a table, or fewer than 2 splits.

    Example:
        >>> split_half_reliability(np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]), splits=10).value
        1.0
    """
    if np.ndim(ratings) != 2:  # noqa: PLR2004
        raise InputError(f"ratings must have shape (items, raters), got {np.shape(ratings)}")
    if splits < 2:  # noqa: PLR2004
        raise InputError(f"splits must be at least 2, got {splits}")
    usable = ratings[(~np.isnan(ratings)).sum(axis=1) >= _FEWEST_RATERS]
    n = len(usable)
    if n < 2:  # noqa: PLR2004
        return Estimate(float("nan"), float("nan"), float("nan"))
    rng = np.random.default_rng(seed)
    values = [_split(usable, rng) for _ in range(splits)]
    replicates = [_split(usable[rng.integers(0, n, n)], rng) for _ in range(splits)]
    low, high = percentile_interval(np.array(replicates)[:, None], n, interval)
    return Estimate(float(np.mean(values)), float(low[0]), float(high[0]))


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
        InputError: fewer than three surveys, lengths that differ, or a survey with fewer than two people.

    References:
        arXiv 2510.08338, correlation attainment rho.
    """
    if len(machine) != len(human) or len(machine) < 3 or splits < 1:  # noqa: PLR2004
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


def _split(ratings: Floats, rng: np.random.Generator) -> float:
    """Spearman-Brown reliability of one random split of every item's raters."""
    there = ~np.isnan(ratings)
    keys = np.where(there, rng.random(ratings.shape), 2.0)  # absent raters are sorted to the end
    place = keys.argsort(axis=1).argsort(axis=1)
    half = there.sum(axis=1, keepdims=True) // 2
    first, second = place < half, (place >= half) & there
    filled = np.where(there, ratings, 0.0)
    means = [(filled * part).sum(axis=1) / part.sum(axis=1) for part in (first, second)]
    return spearman_brown(pearson(*means))
