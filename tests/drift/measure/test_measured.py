"""Losses of a run as a table."""

from made_up import measured


def test_missing_losses_are_null():
    nan = float("nan")
    frame = measured({"match": [0.5, nan], "silence": [0.0, nan]}).to_frame()
    assert frame.to_dict(as_series=False) == {
        "status": ["scored", "empty"],
        "match": [0.5, None],
        "silence": [0.0, None],
    }
