"""Conversion of columns to lists, and of cells to names, numbers, texts and lists."""

import datetime as dt
from datetime import date, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from semscale.errors import InputError
from semscale.store.columns import (
    as_list,
    as_names,
    cell_values,
    column_of,
    flat,
    groups_in,
    numbers_among,
    plain,
    storable,
)
from semscale.store.missing_codes import is_missing


@pytest.mark.parametrize(
    "column",
    [
        ["a", None, "b"],
        ("a", None, "b"),
        np.array(["a", None, "b"], dtype=object),
        pl.Series(["a", None, "b"]),
        pd.Series(["a", None, "b"]),
        pd.Series(["a", pd.NA, "b"], dtype="string"),
        pd.Series(["a", None, "b"], dtype="category"),
        pa.chunked_array([["a"], [None, "b"]]),
        (cell for cell in ["a", None, "b"]),
    ],
)
def test_every_kind_of_column_gives_the_same_cells(column):
    assert as_list(column, "texts") == ["a", None, "b"]


@pytest.mark.parametrize(
    "column", ["text", b"text", {"a", "b"}, {"a": 1}, 3, None, pl.DataFrame({"a": ["x"]})]
)
def test_what_is_no_column_is_refused(column):
    with pytest.raises(InputError, match="texts must be a list or a series"):
        as_list(column, "texts")


def test_a_table_of_texts_is_refused():
    with pytest.raises(InputError, match="one dimension"):
        as_list(np.array([["a", "b"]]), "texts")


@pytest.mark.parametrize("cell", [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT])
def test_null_is_missing(cell):
    assert is_missing(cell)


def test_names_print_as_they_are():
    assert as_names(pd.Series([1, 2, None], dtype="Int64"), "by") == ["1", "2", None]
    assert as_names([True, 2.5, "x"], "by") == ["True", "2.5", "x"]


def test_groups_of_bytes_and_durations_have_the_names_of_the_output():
    durations = pl.Series([timedelta(hours=1, minutes=30), None])
    assert groups_in(durations).to_list() == ["PT1H30M", None]
    # 0xff is no UTF-8. In base64 its first six ones are "/", and 11 with four zeros, 48, is "w".
    assert groups_in(pl.Series([b"\xff"])).to_list() == ["/w=="]


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([None, None], pl.Null),
        (["a", None], pl.String),
        ([True, None], pl.Boolean),
        ([1, None], pl.Int64),
        ([1, 2.5], pl.Float64),
        ([1, True], pl.Object),
        (["a", 1], pl.Object),
        ([[1], None], pl.Object),
        ([2**63], pl.Object),
        ([2**53, 0.5], pl.Float64),
        ([2**53 + 1, 0.5], pl.Object),
    ],
)
def test_the_type_that_all_values_have(values, dtype):
    column = column_of("x", values)
    assert column.dtype == dtype
    assert column.to_list() == values


def test_mixed_cells_become_text_in_a_file():
    frame = pl.DataFrame([column_of("x", ["5", 5, 5.0, True, None, float("nan"), {"ü": [None, 1]}])])
    assert storable(frame)["x"].to_list() == ["5", "5", "5.0", "true", None, None, '{"ü":[null,1]}']


def test_other_columns_are_left_alone():
    frame = pl.DataFrame({"list": [[1]], "day": [dt.date(2024, 1, 1)]})
    assert storable(frame).equals(frame)


def test_nested_cells_become_json_where_a_cell_must_be_flat():
    frame = pl.DataFrame(
        {"list": [[1, None]], "struct": [{"a": dt.date(2024, 1, 1)}], "nested": [[{"b": 1}]]}
    )
    assert flat(frame).rows() == [("[1,null]", '{"a":"2024-01-01"}', '[{"b":1}]')]


def test_bytes_durations_and_categories_become_text():
    frame = pl.DataFrame(
        {
            "bytes": [b"ok", None],
            "time": [dt.timedelta(days=1, seconds=2), None],
            "kind": pl.Series(["a", None], dtype=pl.Categorical),
        }
    )
    # b"ok" is 0x6f6b, in base64 "b2s="; one day and two seconds are P1DT2S in ISO 8601.
    assert plain(frame).rows() == [("b2s=", "P1DT2S", "a"), (None, None, None)]
    assert plain(frame).dtypes == [pl.String] * 3


def listed(cell, *, only_nulls=True):
    return cell_values(cell, parameter="sample", column="s", row=2, only_nulls=only_nulls)


@pytest.mark.parametrize(
    ("cell", "items"),
    [
        (["a", None], ["a", None]),
        (' ["a", null]', ["a", None]),
        ("[]", []),
        ("[1, 2]", ["[1, 2]"]),
        ("[see note]", ["[see note]"]),
        ("[" * 100_000, ["[" * 100_000]),
        ("a", ["a"]),
        (3, [3]),
        (None, [None]),
    ],
)
def test_cell_is_parsed_as_a_list_or_a_single_value(cell, items):
    assert listed(cell) == items


def test_nulls_alone_are_a_list_only_where_they_may_be():
    assert listed("[null]") == [None]
    assert listed("[null]", only_nulls=False) == ["[null]"]


def test_a_broken_list_is_named_with_its_row():
    with pytest.raises(InputError, match="sample: column 's' has a list that is no valid JSON in data row 3"):
        listed('["Paris", ')


def test_decimal_texts_are_numbers_and_other_texts_missing():
    cells = pl.Series(["1.5", "2,5", "1e3", "-3", "NA", "", "12 years", None])
    assert numbers_among(cells).to_list() == [1.5, 2.5, 1000.0, -3.0, None, None, None, None]


def test_nan_is_missing_and_booleans_are_1_or_0():
    assert numbers_among(pl.Series([1, 2])).to_list() == [1.0, 2.0]
    assert numbers_among(pl.Series([1.0, float("nan")])).to_list() == [1.0, None]
    assert numbers_among(pl.Series([True, None])).to_list() == [1.0, None]


def test_dates_hold_no_number():
    assert numbers_among(pl.Series([date(2024, 1, 1)])).to_list() == [None]
