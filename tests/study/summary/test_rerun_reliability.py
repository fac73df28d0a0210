"""How far personas say the same when they are asked again."""

import polars as pl
import pytest

from semscale.scales import load_scale
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.study.questionnaire import SurveyQuestion
from semscale.study.summary.rerun_reliability import answer_reliabilities

QUESTION = SurveyQuestion("intent", "Buy?", load_scale("purchase-intent"), ("dlr",))


def reliabilities(samples):
    rows = [
        (f"p{row}", "oat", sample, value)
        for sample, values in enumerate(samples, start=1)
        for row, value in enumerate(values)
    ]
    frame = pl.DataFrame(rows, schema=["persona", "concept", "sample", "value"], orient="row")
    return list(answer_reliabilities(QUESTION, "dlr", frame, IntervalPlan()))


def test_reliability_of_two_samples():
    (found,) = reliabilities([[1.0, 2.0, 4.0, 5.0], [2.0, 2.0, 4.0, 4.0]])
    # Means of personas 1.5, 2, 4, 4.5 about 3: squares 6.5, times 2 samples over 3: 13 / 3 between. Within:
    # (.5 + .5) / 4 = .25. ICC(1,k) = (13 / 3 - .25) / (13 / 3).
    assert found.reliability.value == pytest.approx(1 - 0.25 / (13 / 3))


def test_a_persona_without_a_rating_in_one_sample_is_left_out():
    (found,) = reliabilities([[1.0, 2.0, 4.0, 5.0, None], [2.0, 2.0, 4.0, 4.0, 1.0]])
    assert found.reliability.value == pytest.approx(1 - 0.25 / (13 / 3))


def test_one_sample_has_none():
    assert reliabilities([[1.0, 2.0, 3.0]]) == []


def test_no_rating_at_all_has_no_reliability():
    (found,) = reliabilities([[None, None], [None, None]])
    assert found.reliability.value != found.reliability.value  # noqa: PLR0124 - not a number
