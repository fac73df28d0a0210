"""Options of a multiple choice as survey tools write them."""

import numpy as np
import polars as pl

from semscale.tabulation.asked.chosen_options import chosen_options


def test_empty_cells_are_missing_where_a_cell_can_say_no():
    found = chosen_options({"a": pl.Series(["1", "0", None]), "b": pl.Series(["1", None, "0"])})
    np.testing.assert_array_equal(found.marks, [[1, 1], [0, np.nan], [np.nan, 0]])
    assert found.said == "an empty cell is missing"


def test_empty_cells_say_no_beside_a_chosen_option_where_no_cell_can():
    found = chosen_options({"a": pl.Series(["Price", None, None]), "b": pl.Series([None, "Taste", " "])})
    np.testing.assert_array_equal(found.marks, [[1, 0], [0, 1], [np.nan, np.nan]])
    assert "without any answer are missing" in found.said


def test_two_says_no_beside_one_alone():
    assert chosen_options({"a": pl.Series(["1", "2", None])}).marks.tolist()[:2] == [[1], [0]]
    assert chosen_options({"a": pl.Series(["1", "2", "3"])}).marks.tolist() == [[1], [1], [1]]


def test_words_that_say_no_are_not_chosen():
    words = ["Yes", "No", "Not selected", "nicht genannt"]
    assert chosen_options({"a": pl.Series(words)}).marks.ravel().tolist() == [1, 0, 0, 0]
