"""Cells read as answers: points, codes for no answer, options, mentions and grids."""

import numpy as np
import polars as pl
import pytest

from semscale.errors import InputError
from semscale.store.table import ColumnLabels
from semscale.tabulation.answer_cells import (
    is_grid,
    likely_codes,
    mark_codes,
    on_scale,
    point_name,
    points_in,
    read_choices,
    without_codes,
)


def test_points_that_nobody_chose_are_there_unless_labels_name_the_points():
    assert points_in(np.array([1.0, 4.0]), {}) == [1, 2, 3, 4]
    assert points_in(np.array([1.0, 4.0]), {"5": "good"}) == [1, 4, 5]
    assert points_in(np.array([1.0, 40.0]), {}) == [1, 40]
    assert points_in(np.array([1.5, 3.0]), {}) == [1.5, 3]


def test_points_are_named_by_value_and_label():
    assert (point_name(1.0, {"1": "bad"}), point_name(2.0, {"1": "bad"})) == ("1 bad", "2")


def test_answers_are_values_or_labels_of_the_points():
    points = {"-1": "No", "1": "Yes"}
    assert on_scale(pl.Series(["yes ", "-1", "", None]), points, "q").to_list() == [1, -1, None, None]
    assert on_scale(pl.Series([1.0, -1.0, None]), points, "q").to_list() == [1, -1, None]


def test_neutral_matches_the_middle_label():
    points = {"1": "Disagree", "2": "Neither agree nor disagree", "3": "Agree"}
    assert on_scale(pl.Series(["Neutral", "agree"]), points, "q").to_list() == [2, 3]
    with pytest.raises(InputError, match="'Neutral'"):
        on_scale(pl.Series(["Neutral"]), {"1": "a", "2": "b"}, "q")


def test_four_unknown_values_are_listed_in_part():
    with pytest.raises(InputError, match=r"'3', '4', '5' and 1 more.*missing"):
        on_scale(pl.Series([1, 3, 4, 5, 6]), {"1": "a", "2": "b"}, "q")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, 2, 3, 4, 5, 8, 9], [8, 9]),
        ([1, 2, 3, 4, 5, 98, 99], [98, 99]),
        ([-99, -9, 1, 2, 3], [-99, -9]),
        ([1, 2, 3, 4, 5, 6, 7], []),
        ([0, 2, 4, 6, 8, 10], []),  # 10 is no customary code
        ([-2, -1, 1, 2], []),  # both sides are alike
        ([1, 9], []),
        ([], []),
    ],
)
def test_customary_codes_that_lie_apart(values, expected):
    assert likely_codes(values) == expected


@pytest.mark.parametrize(
    "label", ["Don't know", "Refused", "Don't know / not sure", "99 no answer", "weiß nicht"]
)
def test_labels_that_say_so(label):
    assert likely_codes([1, 2, 3], {"1": "bad", "3": label}) == [3]


@pytest.mark.parametrize("label", ["none", "Very good", "5", ""])
def test_other_labels_are_answers(label):
    assert likely_codes([1, 2, 3], {"3": label}) == []


def test_codes_are_values_or_their_labels():
    labels = ColumnLabels(values={"1": "yes", "8": "Refused"})
    cells, about = without_codes(pl.Series("q", [1.0, 8.0, 9.0, None]), labels, ["refused", "9"])
    assert cells.to_list() == [1.0, None, None, None]
    assert (cells.name, about.answers) == ("q", {"1": "yes"})


def test_missing_codes_match_in_any_case():
    cells, _ = without_codes(pl.Series(["Yes", " n/a", None]), ColumnLabels(), ["N/A"])
    assert cells.to_list() == ["Yes", None, None]


def test_blank_codes_are_refused():
    with pytest.raises(InputError, match="missing must be codes"):
        without_codes(pl.Series([1]), ColumnLabels(), [" "])


def test_empty_cells_are_missing_where_a_cell_can_say_no():
    marks, note = read_choices({"a": pl.Series(["1", "0", None]), "b": pl.Series(["1", None, "0"])})
    np.testing.assert_array_equal(marks, [[1, 1], [0, np.nan], [np.nan, 0]])
    assert note == "an empty cell is missing"


def test_empty_cells_say_no_beside_a_chosen_option_where_no_cell_can():
    marks, note = read_choices({"a": pl.Series(["Price", None, None]), "b": pl.Series([None, "Taste", " "])})
    np.testing.assert_array_equal(marks, [[1, 0], [0, 1], [np.nan, np.nan]])
    assert "without any answer are missing" in note


def test_value_2_means_no_only_beside_value_1():
    assert read_choices({"a": pl.Series(["1", "2", None])})[0].tolist()[:2] == [[1], [0]]
    assert read_choices({"a": pl.Series(["1", "2", "3"])})[0].tolist() == [[1], [1], [1]]


def test_negative_labels_are_not_chosen():
    cells = ["Yes", "No", "Not selected", "nicht genannt"]
    assert read_choices({"a": pl.Series(cells)})[0].ravel().tolist() == [1, 0, 0, 0]


def options(**columns):
    return {name: pl.Series(name, cells, dtype=pl.String) for name, cells in columns.items()}


def test_value_2_means_no_if_any_column_has_1_and_2():
    marks, note = read_choices(options(a=["1", "2", "2"], b=["2", "2", "2"], c=["1", "1", None]))
    np.testing.assert_array_equal(marks, [[1, 0, 1], [0, 0, 1], [0, 0, np.nan]])


def test_codes_for_no_answer_do_not_hide_that_two_says_no():
    marks, note = read_choices(options(a=["1", "2"], b=["2", "9"]))
    assert marks[:, 0].tolist() == [1, 0]
    assert marks[0, 1] == 0


def test_the_whole_table_says_how_the_rows_that_are_left_are_read():
    left, whole = options(a=["2", "2"], b=["1", None]), options(a=["1", "2"], b=["1", "2"])
    marks, note = read_choices(left, whole=whole)
    np.testing.assert_array_equal(marks, [[0, 1], [0, np.nan]])
    assert note == "2 says that an option was not chosen; an empty cell is missing"


@pytest.mark.parametrize("cells", [{"a": ["2", "2"]}, {"a": ["1", "1"], "b": ["2", None]}])
def test_two_alone_is_refused_where_nothing_tells_what_it_says(cells):
    with pytest.raises(InputError, match=r"'Brands' has the value 2 alone in '[ab]'"):
        read_choices(options(**cells), question="Brands")


RANKS = {"a": ["1", "2", None], "b": ["2", None, "1"], "c": [None, "1", "2"]}


def test_ranks_are_not_read_as_yes_and_no():
    with pytest.raises(InputError, match=r'as ranks have.*"a_chosen=CASE a WHEN .*"Name=a\+b\+c"'):
        read_choices(options(**RANKS), question="Brands")


@pytest.mark.parametrize("more", [["1", None, "1"], [None, "2", "2"], ["1", "2", "2"]])
def test_row_that_is_no_ranking_makes_value_2_mean_no(more):
    cells = {name: [*column, more[index]] for index, (name, column) in enumerate(RANKS.items())}
    marks, _ = read_choices(options(**cells))
    assert marks[0, :2].tolist() == [1, 0]


def test_option_coded_by_its_number_is_chosen_where_present():
    marks, note = read_choices(options(a=["1", None], b=[None, "2"], c=["3", "3"]))
    assert marks.tolist() == [[1, 0, 1], [0, 1, 1]]


def test_mentions_count_once_and_respondents_without_mentions_are_missing():
    first, second = (
        pl.Series(cells, dtype=pl.String) for cells in (["7", "8", None, None], ["7", None, "8", None])
    )
    marks = mark_codes([first, second], ["7", "8"])
    np.testing.assert_array_equal(marks, [[1, 0], [0, 1], [0, 1], [np.nan, np.nan]])


def grid(**cells):
    return is_grid({name: pl.Series(name, listed, dtype=pl.String) for name, listed in cells.items()})


@pytest.mark.parametrize(
    "cells",
    [
        {"a": ["1", "2", "5"], "b": ["2", "3", None]},
        {"a": ["0", "1", "2"], "b": ["1", "2", "0"]},
        {"a": ["agree", "disagree"], "b": ["disagree", "agree"]},
        {"a": ["good", "bad"], "b": ["bad", "fair"], "c": ["good", None]},
    ],
)
def test_items_share_several_answers(cells):
    assert grid(**cells)


@pytest.mark.parametrize(
    "cells",
    [
        {"a": ["1", "0"], "b": ["0", "1"]},
        {"a": ["1", "2"], "b": ["2", "1"]},
        {"a": ["0", "1", "9"], "b": ["1", "0", "9"]},  # 9 is a code for no answer
        {"a": ["yes", "no"], "b": ["no", "yes"]},
        {"a": ["yes", "no", "Don't know"], "b": ["no", "yes", "Don't know"]},
        {"a": ["Price", "no"], "b": ["no", "Taste"]},
        {"a": ["Tea", None], "b": ["Coffee", None], "other": ["milk", "juice"]},
        {"a": ["Tea", None], "b": [None, None], "other": ["milk", "juice"]},
        {"a": [None], "b": [None]},
    ],
)
def test_option_columns_with_a_single_value_are_no_grid(cells):
    assert not grid(**cells)
