"""Texts become numbers only where every one of them can be had back."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.store.writing import with_numbers


def dtype_of(*lots):
    frames = [pl.LazyFrame({"a": lot}, schema={"a": pl.String}) for lot in lots]
    return {frame.collect_schema()["a"] for frame in with_numbers(frames)}


@pytest.mark.parametrize(
    "text", ["0", "5", "-12", "123456789012345", "1.5", "-0.25", "0.0001", "1234567890.12345"]
)
def test_numbers_become_numbers(text):
    assert dtype_of(["1", text, None, ""]) == {pl.Float64}


@pytest.mark.parametrize(
    "text",
    ["01067", "007", "-0", "+5", "1.50", "5.", ".5", "1e5", " 5", "5 ", "1,5", "1234567890123456", "NaN",
     "2026-11-22", "12:30", "0.00001", "1234567890.123456", "good", "٥"],
)  # fmt: skip
def test_one_other_text_leaves_the_column_as_it_is(text):
    assert dtype_of(["1", text]) == {pl.String}
    assert dtype_of(["1"], [text], ["2"]) == {pl.String}


def test_a_column_without_any_text_stays():
    assert dtype_of([None, ""], [None]) == {pl.String}


@given(st.floats(allow_nan=False, allow_infinity=False).map(lambda value: f"{value:.15g}"))
def test_each_number_gives_its_text_again(text):
    (frame,) = with_numbers([pl.LazyFrame({"a": [text]})])
    (cell,) = frame.collect()["a"]
    assert (cell if isinstance(cell, str) else f"{cell:.15g}") == text
    assert isinstance(cell, str) or float(text) == cell
