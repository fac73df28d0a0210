"""Two models on the same personas, concepts and samples: how far they differ, how far they agree."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import polars as pl

from semscale.stats.intervals.estimates import Estimate, IntervalPlan
from semscale.stats.intervals.means import MeanEstimate
from semscale.study.questionnaire import SurveyQuestion
from semscale.study.summary.method_pairs import paired_figures


@dataclass(frozen=True)
class ModelPair:
    """Two models beside each other.

    Attributes:
        question: name of the question.
        method: how the answers were measured.
        first: the one model.
        second: the other.
        difference: mean of the first less the second, over answers that have both.
        correlation: Pearson's, over the same answers; ``None`` for fewer than three, or without spread.
    """

    question: str
    method: str
    first: str
    second: str
    difference: MeanEstimate
    correlation: Estimate | None


def model_pairs(
    question: SurveyQuestion, rows: pl.DataFrame, models: Sequence[str], plan: IntervalPlan
) -> Iterator[ModelPair]:
    """Compare every two models by each method; nothing where one alone answered.

    Args:
        question: what was asked.
        rows: its answers by all methods and models.
        models: names, in the order of the study.
        plan: how intervals are made; personas are resampled as a whole.
    """
    for method in question.methods:
        own = rows.filter(method=method)
        for first, second in combinations(models, 2):
            found = paired_figures(
                question, own.filter(asked_model=first), own.filter(asked_model=second), plan
            )
            yield ModelPair(question.name, method, first, second, *found)
