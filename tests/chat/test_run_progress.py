"""Waits for a reply, as progress tells of them."""

from semscale.chat.messages import CallError, FailureKind
from semscale.chat.runner import WaitProgress

DOWN = CallError("m cannot be reached", kind=FailureKind.CONNECTION)
BUSY = CallError("m is busy", kind=FailureKind.SERVER)


def told(*steps):
    seen = []
    waiting = WaitProgress("m", lambda *step: seen.append(step))
    for step in steps:
        waiting.tell(step[0], 300.0, *step[1:])
    return seen


def test_an_endpoint_that_cannot_be_reached_is_named_after_three_seconds():
    stage = "waiting for m (seconds without a reply: m cannot be reached)"
    assert told((2.9, DOWN), (3.0, DOWN), (4.2, DOWN)) == [(stage, 3, 300), (stage, 4, 300)]


def test_other_waits_are_told_of_from_the_tenth_second_on():
    stage = "waiting for m (seconds without a reply: m is busy)"
    assert told((9.9, BUSY), (10.0, BUSY)) == [(stage, 10, 300)]


def test_a_reason_that_comes_later_is_added_and_stays():
    plain, busy = (
        "waiting for m (seconds without a reply",
        "waiting for m (seconds without a reply: m is busy)",
    )
    assert told((10.0, None), (11.0, BUSY), (12.0, DOWN)) == [
        (f"{plain})", 10, 300),
        (busy, 11, 300),
        (busy, 12, 300),
    ]


def test_a_reply_ends_the_wait_and_the_next_one_has_a_reason_of_its_own():
    busy = "waiting for m (seconds without a reply: m is busy)"
    assert told((10.0, BUSY), (0.0, None), (1.0, None), (3.0, DOWN)) == [
        (busy, 10, 300),
        (busy, 0, 300),
        ("waiting for m (seconds without a reply: m cannot be reached)", 3, 300),
    ]


def test_without_a_callback_nothing_is_told():
    WaitProgress("m", None).tell(20.0, 300.0, DOWN)
