"""Columns that look like names of people with several rows."""

import numpy as np
import polars as pl
import pytest

from semscale.study.comparing.shared_names import shared_name

CONCEPT = np.array([0, 1, 0, 1])


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        (["a", "a", "b", "b"], "x"),
        (["a", "b", "a", "b"], None),  # a stands twice with the same concept
        (["a", "b", "c", "d"], None),  # everybody has one row
        (["a", "a", None, "b"], None),  # a gap
        (["a", "a", "b", "c"], None),  # 4 rows for 3 names: 1.33 each
    ],
)
def test_names_stand_once_with_each_concept(cells, found):
    assert shared_name(pl.DataFrame({"x": cells}), (), CONCEPT) == found


def test_columns_in_use_and_rows_that_do_not_count_are_passed_over():
    rows = pl.DataFrame({"x": ["a", "a", "b", "b"], "y": ["c", "c", "d", "c"]})
    assert shared_name(rows, {"x"}, CONCEPT) is None
    assert shared_name(rows, {"x"}, np.array([0, 1, -1, -1])) == "y"
