"""Quality of ratings beside people's answers: ranking, distributions, proper scores, spread and bins."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from semscale.stats.agreement.correlations import ks_similarity_estimate, pearson_estimate
from semscale.stats.calibration.proper_scores import log_scores, ranked_probability_scores
from semscale.stats.intervals.coefficients import Resampling
from semscale.stats.intervals.estimates import Estimate, IntervalPlan
from semscale.stats.intervals.means import estimate_mean
from semscale.types import Floats

_MOST_BINS, _FEWEST_IN_BIN = 10, 5


class MeanBin(NamedTuple):
    """Texts with similar ratings, for a calibration picture.

    Attributes:
        rated: mean of their ratings' means.
        human: mean of people's means.
        n: texts.
    """

    rated: float
    human: float
    n: int


@dataclass(frozen=True)
class RatingQuality:
    """How far ratings agree with people's answers to the same texts.

    Attributes:
        pearson: correlation of the means.
        ks_similarity: 1 - max |F_rated - F_human| of the average masses, 0 to 1.
        ranked_probability: mean ranked probability score, 0 (best) to 1.
        log_score: mean log score in nats, 0 is best.
        spread: standard deviation of the means.
        bins: texts in order of their ratings, in at most ten bins of like size.
    """

    pearson: Estimate
    ks_similarity: Estimate
    ranked_probability: Estimate
    log_score: Estimate
    spread: float
    bins: tuple[MeanBin, ...]


def rating_quality(pmf: Floats, human: Floats, values: Floats, how: Resampling) -> RatingQuality:
    """Compare ratings with people's answers.

    Args:
        pmf: shape (n, k), ratings.
        human: shape (n, k), shares of people's answers.
        values: shape (k,), of the scale's points.
        how: what is drawn together for intervals, and their coverage; weights are not used.
    """
    means, humans = pmf @ values, human @ values
    plan = IntervalPlan(interval=how["interval"], seed=how["seed"])
    rps, log = ranked_probability_scores(pmf, human), log_scores(pmf, human)
    scored = (
        estimate_mean(each, bounds=(0.0, float(most)), clusters=how["clusters"], plan=plan)
        for each, most in ((rps, 1.0), (log, max(log.max(), 1.0)))
    )
    ranked, logs = (Estimate(each.value, each.low, each.high) for each in scored)
    return RatingQuality(
        pearson=pearson_estimate(means, humans, **how),
        ks_similarity=ks_similarity_estimate(pmf, human, **how),
        ranked_probability=ranked,
        log_score=logs,
        spread=float(means.std()),
        bins=mean_bins(means, humans),
    )


def mean_bins(rated: Floats, human: Floats) -> tuple[MeanBin, ...]:
    """Put texts into bins of like size by their ratings; none with fewer than 5 texts where that can be.

    Args:
        rated: shape (n,), means of ratings.
        human: shape (n,), people's means.

    Example:
        >>> mean_bins(np.array([1.0, 2.0]), np.array([2.0, 4.0]))
        (MeanBin(rated=1.5, human=3.0, n=2),)
    """
    order = np.argsort(rated, kind="stable")
    bins = max(1, min(_MOST_BINS, len(rated) // _FEWEST_IN_BIN))
    return tuple(
        MeanBin(float(rated[rows].mean()), float(human[rows].mean()), len(rows))
        for rows in np.array_split(order, bins)
        if len(rows)
    )
