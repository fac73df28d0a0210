"""What tests hand over as outputs."""

import pytest

from semscale.errors import InputError
from semscale.history.items import Output
from semscale.snapshots.files import read_outputs


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        ("Good.", [Output("Good.")]),
        ({"text": "Good.", "credits": 1}, [Output("Good.", {"credits": 1.0})]),
        (["Good.", {"text": ""}], [Output("Good."), Output("")]),
        ([], []),
    ],
)
def test_texts_and_lists_are_read(actual, expected):
    assert read_outputs(actual) == tuple(expected)


@pytest.mark.parametrize(
    ("actual", "message"),
    [
        (None, "got NoneType: None"),
        (3, "got int: 3"),
        (len, "got <built-in function len>: pass what it returns"),
        ([None], "got None in the list"),
        ([["Good."]], "in the list"),
        ({"credits": 1}, "in the list"),
        ([{"text": "Good.", "credits": "1"}], "credits must be a number"),
        ([{"text": "Good.", "credits": float("nan")}], "credits must be a number"),
        ([{"text": "Good.", "passed": True}], "passed must be a number"),
        ("half \ud83d", "an unpaired surrogate"),
    ],
)
def test_what_cannot_be_used_is_named(actual, message):
    with pytest.raises(InputError, match=message):
        read_outputs(actual)
