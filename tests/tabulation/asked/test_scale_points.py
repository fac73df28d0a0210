"""Points of a question's scale."""

import numpy as np
import polars as pl
import pytest

from semscale.errors import InputError
from semscale.tabulation.asked.scale_points import on_scale, point_name, points_among


def test_points_that_nobody_chose_are_there_unless_labels_name_the_points():
    assert points_among(np.array([1.0, 4.0]), {}) == [1, 2, 3, 4]
    assert points_among(np.array([1.0, 4.0]), {"5": "good"}) == [1, 4, 5]
    assert points_among(np.array([1.0, 40.0]), {}) == [1, 40]
    assert points_among(np.array([1.5, 3.0]), {}) == [1.5, 3]


def test_points_are_named_by_value_and_label():
    assert (point_name(1.0, {"1": "bad"}), point_name(2.0, {"1": "bad"})) == ("1 bad", "2")


def test_answers_are_values_or_words_of_the_points():
    points = {"-1": "No", "1": "Yes"}
    assert on_scale(pl.Series(["yes ", "-1", "", None]), points, "q").to_list() == [1, -1, None, None]
    assert on_scale(pl.Series([1.0, -1.0, None]), points, "q").to_list() == [1, -1, None]


def test_neutral_is_neither_the_one_nor_the_other():
    points = {"1": "Disagree", "2": "Neither agree nor disagree", "3": "Agree"}
    assert on_scale(pl.Series(["Neutral", "agree"]), points, "q").to_list() == [2, 3]
    with pytest.raises(InputError, match="'Neutral'"):
        on_scale(pl.Series(["Neutral"]), {"1": "a", "2": "b"}, "q")


def test_four_others_are_named_in_part():
    with pytest.raises(InputError, match=r"'3', '4', '5' and 1 more.*--missing"):
        on_scale(pl.Series([1, 3, 4, 5, 6]), {"1": "a", "2": "b"}, "q")
