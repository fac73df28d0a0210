"""Grids told from multiple choices."""

import polars as pl
import pytest

from semscale.tabulation.asked.grids import is_grid


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
def test_options_have_one_value_where_they_were_chosen(cells):
    assert not grid(**cells)
