"""Two methods on the same answers."""

import polars as pl
import pytest

from semscale.scales import load_scale
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.study.questionnaire import SurveyQuestion
from semscale.study.summary.method_pairs import method_pairs

QUESTION = SurveyQuestion("q", "q", load_scale("purchase-intent"), ("flr", "dlr"))


def rows(method, values):
    n = len(values)
    return pl.DataFrame(
        {
            "method": method,
            "persona": [f"p{row}" for row in range(n)],
            "sample": 1,
            "concept": "a",
            "value": values,
        }
    )


def test_differences_are_of_answers_that_have_both():
    both = pl.concat([rows("dlr", [1.0, 2.0, 5.0, 4.0]), rows("flr", [2.0, 3.0, None, 5.0])])
    (pair,) = method_pairs(QUESTION, both, IntervalPlan())
    # 2 - 1, 3 - 2 and 5 - 4; the third answer has no rating by FLR.
    assert (pair.first, pair.second) == ("flr", "dlr")
    assert (pair.difference.value, pair.difference.n, pair.difference.n_left_out) == (1.0, 3, 1)
    assert pair.correlation.value == pytest.approx(1.0)


def test_two_answers_have_no_correlation():
    both = pl.concat([rows("dlr", [1.0, 2.0]), rows("flr", [2.0, 3.0])])
    (pair,) = method_pairs(QUESTION, both, IntervalPlan())
    assert pair.correlation is None
