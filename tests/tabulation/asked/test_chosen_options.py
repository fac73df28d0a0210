"""Options of a multiple choice as survey tools write them."""

import numpy as np
import polars as pl
import pytest

from semscale.errors import InputError
from semscale.tabulation.asked.chosen_options import chosen_options, mentioned_codes


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


def options(**columns):
    return {name: pl.Series(name, cells, dtype=pl.String) for name, cells in columns.items()}


def test_two_says_no_in_a_column_without_one_beside_a_column_with_both():
    found = chosen_options(options(a=["1", "2", "2"], b=["2", "2", "2"], c=["1", "1", None]))
    np.testing.assert_array_equal(found.marks, [[1, 0, 1], [0, 0, 1], [0, 0, np.nan]])


def test_codes_for_no_answer_do_not_hide_that_two_says_no():
    found = chosen_options(options(a=["1", "2"], b=["2", "9"]))
    assert found.marks[:, 0].tolist() == [1, 0]
    assert found.marks[0, 1] == 0


def test_the_whole_table_says_how_the_rows_that_are_left_are_read():
    left, whole = options(a=["2", "2"], b=["1", None]), options(a=["1", "2"], b=["1", "2"])
    found = chosen_options(left, whole=whole)
    np.testing.assert_array_equal(found.marks, [[0, 1], [0, np.nan]])
    assert found.said == "2 says that an option was not chosen; an empty cell is missing"


@pytest.mark.parametrize("cells", [{"a": ["2", "2"]}, {"a": ["1", "1"], "b": ["2", None]}])
def test_two_alone_is_refused_where_nothing_tells_what_it_says(cells):
    with pytest.raises(InputError, match=r"'Brands' has the value 2 alone in '[ab]'"):
        chosen_options(options(**cells), question="Brands")


RANKS = {"a": ["1", "2", None], "b": ["2", None, "1"], "c": [None, "1", "2"]}


def test_ranks_are_not_taken_for_yes_and_no():
    with pytest.raises(InputError, match=r'as ranks have.*"a=yes:1;no:2".*"Name=a\+b\+c"'):
        chosen_options(options(**RANKS), question="Brands")


@pytest.mark.parametrize("more", [["1", None, "1"], [None, "2", "2"], ["1", "2", "2"]])
def test_one_row_that_is_no_ranking_says_that_two_says_no(more):
    cells = {name: [*column, more[place]] for place, (name, column) in enumerate(RANKS.items())}
    marks = chosen_options(options(**cells)).marks
    assert marks[0, :2].tolist() == [1, 0]


def test_each_option_with_its_own_number_is_chosen_where_it_stands():
    found = chosen_options(options(a=["1", None], b=[None, "2"], c=["3", "3"]))
    assert found.marks.tolist() == [[1, 0, 1], [0, 1, 1]]


def test_mentions_count_once_and_nobody_without_one_is_asked():
    first, second = (
        pl.Series(cells, dtype=pl.String) for cells in (["7", "8", None, None], ["7", None, "8", None])
    )
    marks = mentioned_codes([first, second], ["7", "8"])
    np.testing.assert_array_equal(marks, [[1, 0], [0, 1], [0, 1], [np.nan, np.nan]])
