"""What the first place does."""

import numpy as np
import polars as pl
import pytest

from semscale.scales import load_scale
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.study.questionnaire import SurveyQuestion
from semscale.study.summary.order_effects import order_effects, place_contrasts

QUESTION = SurveyQuestion("q", "q", load_scale("purchase-intent"), ("dlr",))


def test_the_mean_of_the_contrasts_is_the_difference_of_means():
    rng = np.random.default_rng(0)
    values, concepts = rng.uniform(1, 5, 30), rng.integers(0, 3, 30)
    first = rng.random(30) < 0.3
    deviations = values - np.array([values[concepts == each].mean() for each in concepts])
    expected = deviations[first].mean() - deviations[~first].mean()
    assert place_contrasts(values, first, concepts).mean() == pytest.approx(expected)


def test_better_concepts_in_the_first_place_are_no_order_effect():
    # Concept b is two points better wherever it stands.
    rows = pl.DataFrame(
        {
            "persona": ["1", "1", "2", "2"],
            "concept": ["a", "b", "b", "a"],
            "concept_place": [1, 2, 1, 2],
            "question_place": [1, 1, 1, 1],
            "value": [2.0, 4.0, 4.0, 2.0],
        }
    )
    (found,) = order_effects(QUESTION, "dlr", rows, IntervalPlan())
    assert (found.ordered, found.effect.value) == ("concept", 0.0)


def test_answers_without_a_place_have_no_order_effect():
    rows = pl.DataFrame(
        {
            "persona": ["1"],
            "concept": ["a"],
            "concept_place": [None],
            "question_place": [None],
            "value": [2.0],
        },
        schema_overrides={"concept_place": pl.Int64, "question_place": pl.Int64},
    )
    assert list(order_effects(QUESTION, "dlr", rows, IntervalPlan())) == []
