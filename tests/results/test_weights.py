"""Weights as callers have them."""

from decimal import Decimal

import numpy as np
import polars as pl
import pytest

from semscale.results.weights import as_weights


@pytest.mark.parametrize(
    "column",
    [[1, 2.5, None], np.array([1, 2.5, np.nan]), pl.Series([1.0, 2.5, None]), [Decimal(1), 2.5, None]],
)
def test_weights_keep_missing_missing(column):
    np.testing.assert_array_equal(as_weights(column), [1.0, 2.5, np.nan])
