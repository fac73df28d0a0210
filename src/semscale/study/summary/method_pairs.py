"""Two methods on the same personas, concepts and samples: how far they differ, how far they agree."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from semscale.stats.agreement.correlations import pearson_estimate
from semscale.stats.intervals.estimates import Estimate, IntervalPlan
from semscale.stats.intervals.means import MeanEstimate, estimate_mean
from semscale.study.questionnaire import SurveyQuestion
from semscale.study.summary.measures import values_in, weights_in
from semscale.types import Floats, Integers

_KEYS = ("persona", "sample", "concept")
_FEWEST = 3


@dataclass(frozen=True)
class MethodPair:
    """Two methods beside each other.

    Attributes:
        question: name of the question.
        first: the one method.
        second: the other.
        difference: mean of the first less the second, over answers that have both.
        correlation: Pearson's, over the same answers; ``None`` for fewer than three, or without spread.
        model: that answered; ``None`` where the study has one alone.
    """

    question: str
    first: str
    second: str
    difference: MeanEstimate
    correlation: Estimate | None
    model: str | None = None


def method_pairs(question: SurveyQuestion, rows: pl.DataFrame, plan: IntervalPlan) -> Iterator[MethodPair]:
    """Compare every two methods of a question.

    Args:
        question: what was asked.
        rows: its answers by all methods.
        plan: how intervals are made; personas are resampled as a whole.
    """
    for first, second in combinations(question.methods, 2):
        found = paired_figures(question, rows.filter(method=first), rows.filter(method=second), plan)
        yield MethodPair(question.name, first, second, *found)


def paired_figures(
    question: SurveyQuestion, first: pl.DataFrame, second: pl.DataFrame, plan: IntervalPlan
) -> tuple[MeanEstimate, Estimate | None]:
    """Compare two ratings of the same personas, concepts and samples.

    Args:
        question: what was asked.
        first: answers.
        second: likewise.
        plan: how intervals are made; personas are resampled as a whole.

    Returns:
        The mean of the first less the second, and their correlation; ``None`` for fewer than three answers
        with both, or without spread.
    """
    both = first.join(second, on=_KEYS, suffix="_other")
    x, y = values_in(both), values_in(both, "value_other")
    personas = both["persona"].rank("dense").to_numpy().astype(np.int64)
    spread = float(np.ptp(question.scale.values))
    weights = weights_in(both)
    difference = estimate_mean(x - y, bounds=(-spread, spread), clusters=personas, weights=weights, plan=plan)
    return difference, _correlation(x, y, personas, weights, plan)


def _correlation(
    x: Floats, y: Floats, personas: Integers, weights: Floats | None, plan: IntervalPlan
) -> Estimate | None:
    kept = ~np.isnan(x) & ~np.isnan(y)
    if kept.sum() < _FEWEST or np.ptp(x[kept]) == 0 or np.ptp(y[kept]) == 0:
        return None
    return pearson_estimate(
        x[kept],
        y[kept],
        clusters=personas[kept],
        weights=None if weights is None else weights[kept],
        interval=plan.interval,
        seed=plan.seed,
    )
