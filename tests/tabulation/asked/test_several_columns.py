"""Questions of several columns."""

import numpy as np
import polars as pl
import pytest

from semscale.errors import InputError
from semscale.store.column_labels import ColumnLabels
from semscale.tabulation.asked.question_columns import QuestionColumns
from semscale.tabulation.asked.several_columns import all_values, check_answers, mentions, multiple_choice


def test_options_are_read_by_the_value_that_counts():
    frame = pl.DataFrame({"b_a": [1, 2, None], "b_b": [2, 2, 1]})
    labels = {"b_a": ColumnLabels(counted="1"), "b_b": ColumnLabels(counted="1", option="B")}
    found = multiple_choice(QuestionColumns("b_*", ("b_a", "b_b")), frame, labels, {})
    assert [line.name for line in found.lines] == ["a", "B"]
    np.testing.assert_array_equal(found.answers, [[1, 0], [0, 0], [np.nan, 1]])
    assert all_values(("b_b",), frame, labels, {})["b_b"].to_list() == ["no", "no", "yes"]


def test_mentions_of_a_code_in_any_column_count_once():
    frame = pl.DataFrame({"first": [1, 2, None], "second": [1, 1, None]})
    labels = {"first": ColumnLabels(values={"1": "Tea", "2": "Milk"})}
    found = mentions(QuestionColumns("m", ("first", "second")), frame, labels)
    assert [line.name for line in found.lines] == ["Tea", "Milk"]
    np.testing.assert_array_equal(found.answers, [[1, 0], [1, 1], [np.nan, np.nan]])


def test_columns_without_an_answer_and_too_many_answers_are_refused():
    with pytest.raises(InputError, match="columns of 'm' are empty"):
        mentions(QuestionColumns("m", ("a", "b")), pl.DataFrame({"a": [None], "b": [" "]}), {})
    check_answers("q", 50)
    with pytest.raises(InputError, match="a choice of 51 answers, and a table has at most 50"):
        check_answers("q", 51)
