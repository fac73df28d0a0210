"""Two models on the same personas, concepts and samples."""

import polars as pl
import pytest

from semscale.scales import load_scale
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.study.questionnaire import SurveyQuestion
from semscale.study.summary.model_pairs import model_pairs

QUESTION = SurveyQuestion("intent", "", load_scale("purchase-intent"), ("dlr",))
PLAN = IntervalPlan(replicates=100)


def rows(**values):
    """Answers of four personas about one concept, by model; ``None`` without a rating."""
    return pl.DataFrame([
        {"persona": f"p{n}", "sample": 1, "concept": "oat", "method": "dlr",
         "asked_model": model, "value": value}
        for model, own in values.items()
        for n, value in enumerate(own)
    ])  # fmt: skip


def test_every_two_models_are_compared_on_answers_that_both_gave():
    answers = rows(a=[1.0, 2.0, 3.0, 5.0], b=[2.0, 3.0, 4.0, None], c=[5.0, 4.0, 3.0, 1.0])
    found = {
        (each.first, each.second): each for each in model_pairs(QUESTION, answers, ("a", "b", "c"), PLAN)
    }
    assert list(found) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert (found["a", "b"].difference.value, found["a", "b"].difference.n) == (-1.0, 3)
    assert found["a", "b"].correlation.value == pytest.approx(1)
    # Values 1 2 3 5 beside 5 4 3 1: 6 less each.
    assert found["a", "c"].correlation.value == pytest.approx(-1)
    assert found["a", "c"].difference.value == pytest.approx((11 - 13) / 4)


def test_one_model_alone_makes_no_pair():
    assert list(model_pairs(QUESTION, rows(a=[1.0, 2.0, 3.0, 4.0]), (), PLAN)) == []
