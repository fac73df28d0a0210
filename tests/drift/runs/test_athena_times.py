"""Times that exercise files state, in any zone."""

import pytest

from semscale.drift.runs.athena_times import StatedTime, stated_times
from semscale.errors import InputError


@pytest.mark.parametrize(
    "text", ["2026-01-31T12:00:00", "2026-01-31T12:00:00Z", "2026-01-31T14:00:00+02:00", "2026-01-31 12:00"]
)
def test_times_are_read_as_utc(text):
    assert StatedTime(text, "a.json").read().isoformat() == "2026-01-31T12:00:00+00:00"


def test_what_is_no_time_is_named():
    with pytest.raises(InputError, match=r"a\.json, 'timestamp' must be a time .* got 'yesterday'"):
        StatedTime("yesterday", "a.json, 'timestamp'").read()


def test_one_time_for_each_entry_that_states_one():
    infos = [
        ("a.json", {"generated_at": "2026-01-31", "timestamp": "2026-01-01"}),
        ("b.json", {"generated_at": "", "timestamp": "2026-02-01"}),
        ("c.json", {"model": "m"}),
    ]
    assert [(time.text, time.where) for time in stated_times(infos)] == [
        ("2026-01-31", "a.json, 'generated_at'"),
        ("2026-02-01", "b.json, 'timestamp'"),
    ]
