import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

from semscale.rating.cells import as_weights, text_status
from semscale.types import Status


@pytest.mark.parametrize("cell", [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT])
def test_null_is_missing_as_a_text(cell):
    assert text_status(cell) is Status.MISSING


@pytest.mark.parametrize("cell", [0, 1.5, True, b"text", ["text"], datetime.date(2026, 1, 1), np.ones(2)])
def test_what_is_no_string_is_not_text(cell):
    assert text_status(cell) is Status.NOT_TEXT


@pytest.mark.parametrize("cell", ["", " ", "\t\n", "\u00a0\u2003"])
def test_white_space_is_empty(cell):
    assert text_status(cell) is Status.EMPTY


@pytest.mark.parametrize(
    "column",
    [[1, 2.5, None], np.array([1, 2.5, np.nan]), pl.Series([1.0, 2.5, None]), [Decimal(1), 2.5, None]],
)
def test_weights_keep_missing_missing(column):
    np.testing.assert_array_equal(as_weights(column), [1.0, 2.5, np.nan])
