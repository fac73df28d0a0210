"""Differences of concepts and of groups of personas."""

import numpy as np
import polars as pl
import pytest
from scipy.stats import t

from semscale.scales import load_scale
from semscale.study.questionnaire import SurveyQuestion
from semscale.study.summary.level_differences import MOST_LEVELS, level_differences
from semscale.study.summary.measures import PANEL_WEIGHT

QUESTION = SurveyQuestion("intent", "Buy?", load_scale("purchase-intent"), ("dlr",))
ANSWERS = {"oat": [1, 2, 3, 4], "nut": [2, 2, 5, 4], "fig": [5, 4, 5, 5]}


def rows_of(answers, ages=("a", "b", "a", "b"), weights=None):
    n = len(next(iter(answers.values())))
    frame = pl.DataFrame(
        {
            "persona": [f"p{row}" for _ in answers for row in range(n)],
            "concept": [name for name in answers for _ in range(n)],
            "value": [value for own in answers.values() for value in own],
            "attribute age": [ages[row % len(ages)] for _ in answers for row in range(n)],
        },
        schema_overrides={"value": pl.Float64},
    )
    return frame if weights is None else frame.with_columns(pl.Series(PANEL_WEIGHT, weights * len(answers)))


def found_in(rows, concepts=tuple(ANSWERS), attributes=()):
    return list(
        level_differences(QUESTION, "dlr", rows, concepts=concepts, attributes=attributes, interval=0.95)
    )


def test_concepts_are_compared_within_personas():
    oat_nut, oat_fig, nut_fig = found_in(rows_of(ANSWERS))
    assert (oat_nut.by, oat_nut.first, oat_nut.second) == ("concept", "oat", "nut")
    # Differences of the personas are -1, 0, -2 and 0: mean -.75, squares about it 2.75, variance 2.75 / 3, so
    # that the standard error is sqrt(2.75 / 12). Two concepts take two degrees of freedom of four personas.
    error = np.sqrt(2.75 / 12)
    assert oat_nut.difference.value == pytest.approx(-0.75)
    assert oat_nut.difference.high == pytest.approx(-0.75 + t.ppf(0.975, 2) * error)
    assert oat_nut.p_value == pytest.approx(2 * t.sf(0.75 / error, 2))
    # Holm: three tests; the smallest p times 3, the next one times 2, and never less than the one before.
    p = sorted([oat_nut.p_value, oat_fig.p_value, nut_fig.p_value])
    expected = [3 * p[0], max(3 * p[0], 2 * p[1]), max(3 * p[0], 2 * p[1], p[2])]
    assert sorted(each.p_adjusted for each in (oat_nut, oat_fig, nut_fig)) == pytest.approx(expected)


def test_a_mean_keeps_its_own_base():
    (one,) = found_in(rows_of({"oat": [1, 2, 3, None], "nut": [2, 2, 5, 4]}))
    assert one.difference.value == pytest.approx(2 - 3.25)


def test_weights_count_and_a_persona_with_none_is_in_no_base():
    (one,) = found_in(rows_of({"oat": [1, 2, 3, 4], "nut": [2, 2, 5, 4]}, weights=[2.0, 1.0, 1.0, 0.0]))
    # (2 * -1 + 0 - 2) / 4
    assert one.difference.value == pytest.approx(-1.0)


def test_groups_of_personas_are_compared_over_all_concepts():
    *_, one = found_in(rows_of({"oat": [1, 2, 3, 4], "nut": [2, 2, 5, 4]}), attributes=["age"])
    assert (one.by, one.first, one.second) == ("age", "a", "b")
    assert one.difference.value == pytest.approx((1 + 3 + 2 + 5) / 4 - (2 + 4 + 2 + 4) / 4)


def test_there_is_no_test_where_all_personas_differ_alike():
    (one,) = found_in(rows_of({"oat": [1, 2, 3, 4], "nut": [2, 3, 4, 5]}))
    assert one.difference.value == -1
    assert np.isnan([one.difference.low, one.difference.high, one.p_value, one.p_adjusted]).all()


@pytest.mark.parametrize(
    "answers",
    [
        {"oat": [3], "nut": [4]},
        {"oat": [1, 2, 3], "nut": [None, None, None]},
        {str(number): [1, 2, 3] for number in range(MOST_LEVELS + 1)},
    ],
)
def test_too_few_or_too_many_are_not_compared(answers):
    assert found_in(rows_of(answers), concepts=tuple(answers)) == []
