"""Times of day in words, as hours since midnight."""

import pytest

from semscale.guards.quantities import spoken_times


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("half past ten", (10.5, 22.5)),
        ("a quarter to nine", (8.75, 20.75)),
        ("twelve minutes past ten", (10.2, 22.2)),
        ("five minutes to one", (55 / 60, 12 + 55 / 60)),
        ("seven o'clock", (7.0, 19.0)),
        ("noon", (12.0,)),
        ("midnight", (0.0,)),
    ],
)
def test_hours(text, hours):
    (found,) = spoken_times(f"It is {text} now.")
    assert found.hours == hours
    assert f"It is {text} now."[found.start : found.end] == text


@pytest.mark.parametrize("text", ["five to ten people", "half of it", "the quarter past", "a minute ago"])
def test_what_is_no_time(text):
    assert list(spoken_times(text)) == []


def test_only_times_without_a_number_are_weak():
    assert [time.weak for time in spoken_times("from half past ten until noon")] == [False, True]
