"""Differences of two questions within people."""

import numpy as np
import polars as pl
import pytest

import semscale
from semscale.errors import InputError, UnknownNameError

FRAME = pl.DataFrame({
    "a": [3, 4, 5, 2, 1, None],
    "b": [1, 4, 2, 1, None, 3],
    "city": ["x", "y", "x", "y", "x", "y"],
})  # fmt: skip


def test_the_same_people_are_compared():
    made = semscale.crosstabs(FRAME.head(4), questions=["a", "b"], pairs=[("a", "b")], min_base=2)
    table = made.tables[-1]
    assert (table.question.name, table.question.kind) == ("a minus b", "paired difference")
    # Differences 2, 0, 3, 1: mean 1.5, sum of squares 5, se = sqrt(5 / 3 / 4) = .6455, t of 3 df 3.1824.
    assert table.cells.values.tolist() == [[1.5]]
    assert table.cells.low[0, 0] == pytest.approx(1.5 - 3.1824 * 0.6455, abs=1e-3)
    assert table.cells.high[0, 0] == pytest.approx(1.5 + 3.1824 * 0.6455, abs=1e-3)


def test_people_with_one_answer_are_in_no_base():
    (table,) = semscale.crosstabs(FRAME, questions=[], pairs=[("a", "b")], banners=["city"]).tables
    # x has 2 and 3, y has 0 and 1; one of each has no second answer.
    assert table.cells.values.tolist() == [[1.5, 2.5, 0.5]]
    assert np.array_equal(table.cells.n_missing, [[2, 1, 1]])


def test_pairs_that_cannot_be_compared_are_refused():
    with pytest.raises(InputError, match="pair: 'city' is a single choice, which has no mean"):
        semscale.crosstabs(FRAME, questions=[], pairs=[("a", "city")])
    with pytest.raises(UnknownNameError, match="bb"):
        semscale.crosstabs(FRAME, questions=["a"], pairs=[("a", "bb")])
    with pytest.raises(InputError, match="pair: 'a' is named twice in one pair"):
        semscale.crosstabs(FRAME, questions=["a"], pairs=[("a", "a")])
