import datetime

import numpy as np
import pandas as pd
import pytest

from semscale.rating.cells import text_status
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
