"""Decisions at the two thresholds."""

import numpy as np
import pytest

from semscale.coding.coding_decisions import Thresholds, decide
from semscale.errors import InputError
from semscale.types import Status


def test_each_code_has_its_own_thresholds_and_ends_belong_to_the_higher_side():
    status = np.array([Status.SCORED] * 3, dtype=object)
    values = np.array([[0.5, 0.5], [0.3, 0.7], [0.29, 0.49]])
    found = decide(values, status, [Thresholds(0.5, 0.3), Thresholds(0.7, 0.5)])
    assert np.nan_to_num(found.given, nan=-1).tolist() == [[1, -1], [-1, 1], [0, 0]]
    assert [str(each) for each in found.outcome] == ["coded", "coded", "other"]


def test_every_reason_is_said_and_only_unread_answers_are_no_base():
    status = np.array(
        [Status.SCORED, Status.EMPTY, Status.MISSING, Status.NOT_TEXT, Status.WEIGHTLESS], dtype=object
    )
    values = np.array([[0.4], *[[np.nan]] * 4])
    found = decide(values, status, [Thresholds()])
    assert [str(each) for each in found.outcome] == [
        "cannot-tell", "cannot-tell", "no-answer", "no-answer", "cannot-tell"
    ]  # fmt: skip
    assert list(found.reason) == ["unsure", "empty", "missing", "not-text", "weightless"]
    assert found.readable.tolist() == [True, False, False, False, False]


@pytest.mark.parametrize("pair", [(0.0, 0.0), (1.1, 0.3), (0.5, 0.6), (0.5, -0.1)])
def test_thresholds_out_of_range_are_refused(pair):
    with pytest.raises(InputError, match="_from must be"):
        Thresholds(*pair)
