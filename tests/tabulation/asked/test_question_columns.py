"""Columns of a question, by its name."""

import pytest

from semscale.errors import UnknownNameError
from semscale.store.column_labels import ColumnLabels
from semscale.tabulation.asked.question_columns import find_columns, needed_columns


def test_unknown_names_have_the_nearest_one():
    with pytest.raises(UnknownNameError, match="did you mean 'price'"):
        find_columns("prise", ["price", "age"], {})
    with pytest.raises(UnknownNameError, match="unknown column 'c'"):
        find_columns("Both=a,c", ["a", "b"], {})


def test_a_column_goes_before_a_question_of_several_columns():
    labels = {"Q1_a": ColumnLabels(question="Q1")}
    assert find_columns("Q1", ["Q1", "Q1_a"], labels).columns == ("Q1",)
    assert find_columns("Q1", ["Q1_a"], labels).is_multiple


def test_only_the_columns_of_a_question_are_needed():
    columns = ["brand_a", "brand_b", "age", "semscale_p_1", "semscale_p_2"]
    assert needed_columns(find_columns("brand_*", columns, {}), columns) == ["brand_a", "brand_b"]
    assert needed_columns(find_columns("age", columns, {}), columns) == [
        "age",
        "semscale_p_1",
        "semscale_p_2",
    ]
