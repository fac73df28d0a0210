"""Where the spread of a panel's answers comes from."""

import numpy as np
import polars as pl
import pytest

from semscale.stats.intervals.estimates import IntervalPlan
from semscale.study.summary.spreads import answer_spreads

PLAN = IntervalPlan(replicates=200)


def answers(values, set_values=None, models="m", asked_models="m"):
    """Answers (personas, samples) about one concept."""
    n, samples = values.shape
    return pl.DataFrame(
        {
            "persona": [f"p{row}" for row in range(n) for _ in range(samples)],
            "concept": "oat",
            "sample": list(range(1, samples + 1)) * n,
            "asked_model": asked_models,
            "model": models,
            "value": values.ravel().astype(float),
            "set_values": pl.Series(
                [None] * values.size if set_values is None else set_values, dtype=pl.List(pl.Float64)
            ),
        }
    )


def test_personas_and_samples_by_hand():
    # Persona means 1.5, 3, 4.5: 2 times their variance 2.25 is 4.5. Within: (.5 + 2 + .5) / 3 = 1.
    (found,) = answer_spreads("intent", "dlr", answers(np.array([[1, 2], [2, 4], [4, 5]])), PLAN)
    components = {each.name: each.variance.value for each in found.variances.components}
    assert components == pytest.approx({"persona": (4.5 - 1) / 2, "residual": 1.0})
    # Means of 3 personas and 6 answers: 1.75 / 3 + 1 / 6.
    assert found.variances.decision.error == pytest.approx(np.sqrt(1.75 / 3 + 1 / 6))
    assert found.variances.decision.best == "persona"


def test_anchor_sets_are_split_where_they_were_kept():
    values = np.array([[2.0], [3.0], [4.0]])
    by_set = [[value - 1, value + 1] for value in values.ravel().tolist()]
    (found,) = answer_spreads("intent", "ssr", answers(values, by_set), PLAN)
    components = {each.name: each.variance.value for each in found.variances.components}
    # Sets are 2 apart: variance 2. Personas 1 apart: variance 1. Nothing else.
    assert components == pytest.approx({"persona": 1.0, "anchor set": 2.0, "residual": 0.0}, abs=1e-9)
    assert found.variances.decision.best == "anchor set"


def test_one_answer_each_cannot_be_split():
    assert list(answer_spreads("intent", "dlr", answers(np.array([[1], [2], [4]])), PLAN)) == []


def test_answers_without_a_rating_are_left_out():
    rows = answers(np.array([[1, 2], [2, 4], [4, 5], [5, 5]])).with_columns(
        pl.when(pl.col("persona") == "p3").then(None).otherwise("value").alias("value")
    )
    (found,) = answer_spreads("intent", "dlr", rows, PLAN)
    assert found.variances.n == 6
