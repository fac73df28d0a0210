"""Krippendorff's alpha: agreement of any number of raters, who need not have rated everything."""

from collections.abc import Callable
from typing import Literal

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.stats.agreement.estimates import (
    AgreementEstimate,
    Counted,
    checked_ratings,
    estimate_agreement,
)
from semscale.stats.agreement.kappa import chance_corrected, distinct_levels
from semscale.stats.intervals.coefficients import ResamplingPlan
from semscale.stats.intervals.jackknife import CORRELATION
from semscale.stats.intervals.sparse_sums import sparse_sums
from semscale.types import Floats, Integers

Metric = Literal["nominal", "ordinal", "interval"]
"""What ratings are: names, ranks, or numbers with equal distances."""

_FEWEST_RATINGS = 2


def krippendorff_alpha(
    ratings: Floats,
    *,
    metric: Metric = "ordinal",
    clusters: Integers | None = None,
    interval: float = 0.95,
    seed: int = 0,
) -> AgreementEstimate:
    """Krippendorff's alpha: 1 - observed disagreement / disagreement expected by chance.

    Observed is the mean difference of two ratings of one item, each item's pairs weighing 1 / (its ratings -
    1); expected that of any two ratings. The difference is 1 for ``nominal``, the squared difference of
    values for ``interval``, and for ``ordinal`` the squared difference of mean ranks among all ratings, which
    are ranked anew in every replicate.

    Args:
        ratings: shape (n, raters), NaN where a rater did not rate; an item's raters may be any of them.
        metric: what ratings are.
        clusters: shape (n,), which items are drawn together; each by itself unless given.
        interval: coverage to aim at, between 0 and 1.
        seed: of the bootstrap.

    Returns:
        At most 1, and 0 for chance; items with fewer than two ratings are left out. NaN where only one level
        was used.

    Raises:
        InputError: not a table, an infinite value, an unknown metric, more than 1,000 different values, or a
            setting out of range.

    References:
        Krippendorff (2011), Computing Krippendorff's Alpha-Reliability,
        https://repository.upenn.edu/asc_papers/43. Hayes and Krippendorff (2007),
        doi 10.1080/19312450709336664, for resampling.

    Example:
        >>> krippendorff_alpha(np.array([[1.0, 1.0], [2.0, 2.0], [3.0, np.nan]])).n_left_out
        1
    """
    table = checked_ratings(ratings)
    usable = (~np.isnan(table)).sum(axis=1) >= _FEWEST_RATINGS
    return estimate_agreement(
        alpha_coefficient(table[usable], metric),
        usable,
        ResamplingPlan(clusters, interval, seed),
        CORRELATION,
        undefined="only one level was used",
    )


def alpha_coefficient(ratings: Floats, metric: Metric) -> Counted:
    """Make alpha a function of how often each item is there.

    Args:
        ratings: shape (n, raters), at least two an item.
        metric: what ratings are.

    Raises:
        InputError: an unknown metric, or too many different values.
    """
    there = ~np.isnan(ratings)
    levels, codes = distinct_levels(ratings[there])
    rows = np.nonzero(there)[0]
    margins = sparse_sums(rows, codes, np.ones(len(rows)), (len(ratings), len(levels)))
    coincidences, first, second = _coincidences(there, codes, len(levels))
    differences = _differences(levels, metric)

    def coefficient(counts: Floats) -> Floats:
        used = margins(counts)
        observed, expected = differences(used, coincidences(counts), first, second)
        return chance_corrected(observed * (used.sum(axis=1) - 1), expected)

    return coefficient


def _coincidences(
    there: npt.NDArray[np.bool_], codes: Integers, k: int
) -> tuple[Callable[[Floats], Floats], Integers, Integers]:
    """Sums of coincidences, and the two levels of each cell that occurs."""
    placed = np.full(there.shape, -1)
    placed[there] = codes
    raters = there.sum(axis=1)
    rows, cells = [], []
    for left in range(there.shape[1]):
        for right in range(left):
            both = np.flatnonzero(there[:, left] & there[:, right])
            rows.append(both)
            cells.append(placed[both, left] * k + placed[both, right])
    row, cell = np.concatenate(rows), np.concatenate(cells)
    present, place = np.unique(cell, return_inverse=True)
    # Each pair of raters counts in both directions.
    amounts = 2.0 / (raters[row] - 1)
    sums = sparse_sums(row, place, amounts, (len(there), len(present)))
    return sums, present // k, present % k


_Differences = Callable[[Floats, Floats, Integers, Integers], tuple[Floats, Floats]]


def _differences(levels: Floats, metric: Metric) -> _Differences:
    """Sums of differences over coincidences and over all pairs of ratings, from both kinds of counts."""
    if metric == "nominal":
        return lambda used, together, first, second: (
            together @ (first != second).astype(np.float64),
            used.sum(axis=1) ** 2 - (used**2).sum(axis=1),
        )
    if metric not in ("ordinal", "interval"):
        raise InputError(f"metric must be nominal, ordinal or interval, got {metric!r}")

    def squared(used: Floats, together: Floats, first: Integers, second: Integers) -> tuple[Floats, Floats]:
        # Only one of many equal values: a rounded mean would leave a rest that is no difference.
        several = (used > 0).sum(axis=1) > 1
        places = _mean_ranks(used) if metric == "ordinal" else np.broadcast_to(levels, used.shape)
        n = used.sum(axis=1)
        centred = places - (used * places).sum(axis=1, keepdims=True) / n[:, None]
        observed = (together * (places[:, first] - places[:, second]) ** 2).sum(axis=1)
        expected = 2 * n * (used * centred**2).sum(axis=1)
        return observed, np.where(several, expected, 0.0)

    return squared


def _mean_ranks(used: Floats) -> Floats:
    """Mean rank (b, k) of ratings at each level where levels are used so often."""
    ranks: Floats = np.cumsum(used, axis=1) - used / 2
    return ranks
