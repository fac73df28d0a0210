"""Settings of snapshots: layers, ranges, unknown names."""

import pytest

from semscale.errors import InputError
from semscale.snapshots.settings import DEFAULT_MIN_MATCH, SnapshotSettings, settle


def test_empty_settings_are_the_defaults():
    assert settle() == SnapshotSettings(min_match=DEFAULT_MIN_MATCH, guards="weigh", max_unpaired=0)


def test_last_set_layer_of_settings_wins():
    ini = {"min_match": "0.7", "max_unpaired": "2"}  # ini files have texts
    settled = settle(ini, {"min_match": 0.6, "max_credits_difference": 1}, {"min_match": None})
    assert settled == SnapshotSettings(min_match=0.6, max_unpaired=2, max_differences={"credits": 1.0})


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("min_match", 1.01, "between 0 and 1, got 1.01"),
        ("min_match", float("nan"), "between 0 and 1, got nan"),
        ("min_match", True, "between 0 and 1, got True"),
        ("min_match", "high", "between 0 and 1, got 'high'"),
        ("min_cosine", -1.5, "between -1 and 1"),
        ("max_unpaired", 0.5, "a whole number"),
        ("max_unpaired", -1, "at least 0"),
        ("max_credits_difference", float("inf"), "at least 0, got inf"),
        ("guards", "on", "one of weigh, fail, warn, off"),
        ("guards", ["off"], "one of weigh, fail, warn, off"),
        ("min_matches", 0.5, "did you mean 'min_match'"),
        ("threshold", 0.5, "got 'threshold'"),
    ],
)
def test_what_cannot_be_used_is_named(name, value, message):
    with pytest.raises(InputError, match=message):
        settle({name: value})
