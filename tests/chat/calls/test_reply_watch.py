"""Seconds without a reply: what ends them, and what does not count."""

import pytest

from semscale.chat.messages import CallError, FailureKind, Reply
from semscale.chat.pacing import ReplyWatch

DOWN = CallError("down", kind=FailureKind.CONNECTION)


class Time:
    now = 0.0


@pytest.fixture
def time():
    return Time()


@pytest.fixture
def watch(time):
    found = ReplyWatch(lambda: time.now, patience=60.0)
    found.request_begins()
    found.call_begins()
    return found


def test_a_reply_ends_the_failure_before_it(watch):
    watch.call_ends(DOWN)
    watch.call_begins()
    watch.call_ends(Reply("4"))
    assert watch.failure is None


def test_seconds_are_counted_from_the_first_call_over_all_failures(watch, time):
    time.now = 3.0
    watch.call_ends(DOWN)
    time.now = 5.0
    watch.call_begins()
    time.now = 9.0
    assert (watch.seconds, watch.failure) == (9.0, DOWN)


@pytest.mark.parametrize(
    "result",
    [Reply("4"), *(CallError("no", kind=kind) for kind in (FailureKind.REFUSED, FailureKind.REJECTED))],
)
def test_an_answer_ends_them(watch, time, result):
    time.now = 3.0
    watch.call_ends(result)
    time.now = 9.0
    assert watch.seconds == 0.0


def test_after_a_reply_they_begin_anew_for_calls_under_way(watch, time):
    watch.call_begins()
    time.now = 3.0
    watch.call_ends(Reply("4"))
    time.now = 9.0
    assert watch.seconds == 6.0


def test_a_call_that_was_given_up_says_nothing(watch, time):
    watch.call_ends(None)
    time.now = 9.0
    assert watch.seconds == 9.0


def test_time_in_which_nothing_is_asked_does_not_count(watch, time):
    time.now = 3.0
    watch.call_ends(DOWN)
    watch.request_ends()
    time.now = 1000.0
    assert watch.seconds == 3.0
    watch.request_begins()
    time.now = 1004.0
    assert watch.seconds == 7.0


def test_a_pause_that_the_endpoint_asks_for_does_not_count_as_far_as_patience_goes(watch, time):
    watch.endpoint_pauses(50.0)
    watch.endpoint_pauses(50.0)
    time.now = 100.0
    assert watch.seconds == 40.0


def test_other_time_is_left_out(watch, time):
    watch.leave_out(200.0)
    time.now = 250.0
    assert watch.seconds == 50.0


def test_nobody_was_reached_where_all_calls_failed_to_connect(watch):
    assert not watch.is_unreached
    watch.call_ends(DOWN)
    assert watch.is_unreached
    watch.note_answer()
    assert not watch.is_unreached


@pytest.mark.parametrize(
    "result",
    [Reply("4"), *(CallError("x", kind=FailureKind[name]) for name in ("TIMEOUT", "SERVER", "REFUSED"))],
)
def test_an_endpoint_that_answered_in_any_way_was_reached(watch, result):
    watch.call_ends(result)
    watch.call_begins()
    watch.call_ends(DOWN)
    assert not watch.is_unreached


def test_a_model_that_answered_in_an_earlier_run_was_reached(time):
    found = ReplyWatch(lambda: time.now, patience=60.0, was_reached=True)
    found.call_begins()
    found.call_ends(DOWN)
    assert not found.is_unreached
