from datetime import timedelta

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from semscale.errors import InputError
from semscale.store.columns import as_list, as_names, groups_in
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
