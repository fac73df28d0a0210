"""Columns of mixed cells, and what becomes of them in a file."""

import datetime as dt

import polars as pl
import pytest

from semscale.store.columns import column_of, flat, plain, storable


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
