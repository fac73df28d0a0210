"""Numbers in columns of texts and of numbers."""

from datetime import date

import polars as pl

from semscale.store.columns import numbers_among


def test_texts_with_a_point_or_a_comma_are_numbers_and_others_are_missing():
    cells = pl.Series(["1.5", "2,5", "1e3", "-3", "NA", "", "12 years", None])
    assert numbers_among(cells).to_list() == [1.5, 2.5, 1000.0, -3.0, None, None, None, None]


def test_nan_is_missing_and_truth_is_one_or_zero():
    assert numbers_among(pl.Series([1, 2])).to_list() == [1.0, 2.0]
    assert numbers_among(pl.Series([1.0, float("nan")])).to_list() == [1.0, None]
    assert numbers_among(pl.Series([True, None])).to_list() == [1.0, None]


def test_dates_hold_no_number():
    assert numbers_among(pl.Series([date(2024, 1, 1)])).to_list() == [None]
