import json
from datetime import datetime

import numpy as np
import pytest
from stored_anchors import an_anchor_set, some_readings

from semscale.errors import InputError
from semscale.history.anchors.anchor_rows import read_readings, read_set, readings_row, set_row

pytestmark = pytest.mark.needs("history")


def test_rows_and_back():
    anchors, readings = an_anchor_set(), some_readings()
    assert read_set(set_row(anchors)) == anchors
    row = readings_row(readings)
    assert json.loads(row["body"])["match"][:3] == [1 / 3, None, 0.5]
    back = read_readings(row)
    np.testing.assert_array_equal(back.readings["match"], readings.readings["match"])


@pytest.mark.parametrize("wrong", [{"name": "a\0"}, {"frozen": datetime(2026, 1, 1)}])
def test_what_no_database_can_store_is_refused(wrong):
    with pytest.raises(InputError, match="name must be text|frozen must have a time zone"):
        set_row(an_anchor_set(**wrong))
