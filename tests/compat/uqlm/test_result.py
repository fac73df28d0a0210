"""Results as plain values that JSON can hold."""

import json
from types import SimpleNamespace

import numpy as np

from semscale.compat.uqlm.result import UQResult, plain


def test_numbers_of_numpy_become_pythons_and_missing_ones_none():
    value = {"a": np.array([1.5, np.nan]), 2: (np.float64(0.5), float("inf"), None)}
    assert plain(value) == {"a": [1.5, None], "2": [0.5, None, None]}
    assert json.dumps(plain(value))


def test_messages_become_their_type_and_content():
    message = SimpleNamespace(type="human", content="Why?")
    assert plain([message]) == [{"type": "human", "content": "Why?"}]


def test_other_objects_become_texts():
    assert plain(ValueError("no")) == "no"


def test_data_and_metadata():
    result = UQResult({"data": {"judge_1": np.array([0.5])}, "metadata": {"n": np.int64(1)}})
    assert result.to_dict() == {"data": {"judge_1": [0.5]}, "metadata": {"n": 1}}
    assert list(result.to_df().columns) == ["judge_1"]
