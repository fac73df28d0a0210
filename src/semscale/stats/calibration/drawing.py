"""Drawing of texts to label: spread over all ratings, each with its probability of being drawn."""

from typing import NamedTuple

import numpy as np

from semscale.errors import InputError
from semscale.stats.intervals.resampling import check_seed
from semscale.types import Floats, Integers

_LEAST_SHARE = 0.5  # of the average probability, which every text keeps whatever its interest


class DrawnTexts(NamedTuple):
    """Texts that were drawn.

    Attributes:
        rows: shape (m,), their places, in random order.
        probability: shape (m,), with which each was drawn, above 0 to 1: its inclusion probability.
        all_probabilities: likewise of every text with a rating, in their order.
    """

    rows: Integers
    probability: Floats
    all_probabilities: Floats


def draw_texts(  # noqa: PLR0913 - ratings, and how they are drawn from
    pmf: Floats,
    values: Floats,
    n: int,
    *,
    by_interest: bool = False,
    deviation: Floats | None = None,
    most: float = 1.0,
    seed: int = 0,
) -> DrawnTexts:
    """Draw texts by a systematic sample along their ratings.

    Texts are put in order of their means, and every so many-th is drawn from a random start, so each part of
    the scale gets its share (implicit stratification). By interest, texts whose ratings are widest are drawn
    more often: half of a probability is the same for all, half goes with the standard deviation, that of the
    text's own PMF unless given. A mean weighted by 1 / probability stays unbiased either way.

    Args:
        pmf: shape (m, k), ratings; rows of NaN are never drawn.
        values: shape (k,), of the scale's points.
        n: texts to draw, at least 1.
        by_interest: whether texts that the rating is least sure of are drawn more often.
        deviation: shape (n,), standard deviations of the ratings, where the PMFs do not say them.
        most: greatest probability, at least n by the number of texts with a rating.
        seed: of the draw.

    Returns:
        n texts, or all that have a rating where these are fewer.

    Raises:
        InputError: fewer than one text to draw, or none with a rating.

    References:
        Madow (1949), doi 10.1214/aoms/1177729988. Sizes: Sarndal, Swensson and Wretman (1992), Model Assisted
        Survey Sampling, section 12.2.

    Example:
        >>> drawn = draw_texts(np.eye(4), np.arange(4.0), 2)
        >>> len(drawn.rows), drawn.probability.tolist()
        (2, [0.5, 0.5])
    """
    check_seed(seed)
    if n < 1:
        raise InputError(f"n must be at least 1, got {n}")
    scored = np.flatnonzero(~np.isnan(pmf).any(axis=1))
    if not len(scored):
        raise InputError("no text has a rating or a score, so none can be drawn")
    rng = np.random.default_rng(seed)
    means = pmf[scored] @ values
    sizes = np.ones(len(scored))
    if by_interest:
        widths = np.sqrt(np.maximum(pmf[scored] @ values**2 - means**2, 0))
        widths = widths if deviation is None else deviation[scored]
        average = float(widths.mean())
        sizes = _LEAST_SHARE + (1 - _LEAST_SHARE) * (widths / average if average > 0 else sizes)
    probability = most * inclusion_probabilities(sizes, min(n, len(scored)) / most)
    order = np.lexsort((rng.permutation(len(scored)), means))
    steps = np.cumsum(probability[order])
    # The sum is a whole number but for rounding, which must not draw one text more or fewer.
    starts = rng.uniform() + np.arange(round(steps[-1]))
    places = np.minimum(np.searchsorted(steps, starts, side="right"), len(order) - 1)
    drawn = rng.permutation(order[np.unique(places)])
    return DrawnTexts(scored[drawn], probability[drawn], probability)


def worth_at_random(deviation: Floats, probability: Floats) -> float:
    """Labels drawn at random that would correct a mean as well as labels drawn with these probabilities.

    The error of a corrected mean has a variance of about ``sum s^2 (1 / p - 1)``, for the deviations s of
    people's answers from the scores. With the same p = m / n for all it is the same for
    ``m = n sum s^2 / sum (s^2 / p)``.

    Args:
        deviation: shape (n,), how far people's answers may be from the scores, at least 0.
        probability: shape (n,), of being drawn, above 0 to 1.

    Returns:
        m; the number of labels, ``sum p``, where all deviations are 0.

    Example:
        >>> worth_at_random(np.array([1.0, 1.0]), np.array([0.5, 0.5]))
        1.0
        >>> round(worth_at_random(np.array([3.0, 1.0]), np.array([0.75, 0.25])), 6)
        1.25
    """
    squares = deviation**2
    total = float((squares / probability).sum())
    return len(deviation) * float(squares.sum()) / total if total > 0 else float(probability.sum())


def inclusion_probabilities(sizes: Floats, n: float) -> Floats:
    """Probabilities in proportion to sizes that sum to n; what would exceed 1 is certain.

    Args:
        sizes: shape (m,), above 0.
        n: at most m.

    Example:
        >>> inclusion_probabilities(np.array([1.0, 1.0, 8.0]), 2).tolist()
        [0.5, 0.5, 1.0]
    """
    certain = np.zeros(len(sizes), dtype=bool)
    while True:
        rest = n - certain.sum()
        open_sizes = np.where(certain, 0.0, sizes)
        total = float(open_sizes.sum())
        probability = np.where(certain, 1.0, rest * open_sizes / total if total > 0 else 0.0)
        beyond = (probability > 1 + 1e-12) & ~certain
        if not beyond.any():
            return np.minimum(probability, 1.0)
        certain |= beyond
