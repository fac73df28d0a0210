"""How long the next batch waits for clients that were just answered."""

from semscale.serving.batching.gathering import Gathering


def test_nobody_is_waited_for_before_the_first_answer():
    gathering = Gathering()
    gathering.asked(now=5.0)
    assert gathering.left(now=5.0) == 0.0


def test_the_wait_ends_at_a_share_of_the_last_batch_even_while_requests_come():
    gathering = Gathering()
    gathering.answered(100, seconds=100.0, now=0.0)  # at most 3 s in all, and 2 s without a request
    for now in (0.75, 1.5, 2.25):
        gathering.asked(now)
        assert gathering.left(now) > 0
    assert gathering.left(2.5) == 0.5
    assert gathering.left(3.0) == 0.0


def test_the_wait_ends_when_no_request_comes():
    gathering = Gathering()
    gathering.answered(100, seconds=100.0, now=0.0)
    assert gathering.left(0.5) == 1.5
    gathering.asked(0.5)
    assert gathering.left(2.0) == 0.5
    assert gathering.left(2.5) == 0.0


def test_the_wait_ends_once_as_many_have_asked_as_were_answered():
    gathering = Gathering()
    gathering.answered(2, seconds=100.0, now=0.0)
    gathering.asked(0.25)
    assert gathering.left(0.25) == 2.0
    gathering.asked(0.25)
    assert gathering.left(0.25) == 0.0
