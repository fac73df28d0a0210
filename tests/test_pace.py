"""The pace of a stage counts what this run does, whatever was done before."""

import pytest

from semscale.progress import Pace


@pytest.fixture
def paced():
    """Give a pace to which steps are added, each with its time, what is done and the total."""

    def after(*steps):
        times = iter([moment for moment, *_ in steps])
        pace = Pace(now=lambda: next(times))
        for _, done, total in steps:
            pace.add(done, total)
        return pace.speed, pace.seconds_left

    return after


def test_rows_stored_by_an_earlier_run_do_not_count_in_the_rate(paced):
    assert paced((0, 50_000, 100_000)) == (None, None)
    # 500 in 5 s, and 49,500 are left.
    assert paced((0, 50_000, 100_000), (5, 50_500, 100_000)) == (100, 495)


def test_replies_that_were_there_leave_the_total_and_not_the_rate(paced):
    # After 8 s 16 calls are made and 900 of 1,000 replies were found: 84 at 2 a second are 42 s.
    assert paced((0, 0, 1000), (1, 0, 500), (8, 16, 100)) == (2, 42)


def test_the_time_left_is_not_known_in_the_first_seconds(paced):
    assert paced((0, 0, 100), (4.9, 49, 100)) == (10, None)
    assert paced((0, 0, 100), (4, 10, 100), (5, 50, 100)) == (10, 5)


@pytest.mark.parametrize("step", [(9, 10, 50), (9, 40, 80)], ids=["fewer are done", "there are more of them"])
def test_a_restarted_stage_has_a_new_pace(paced, step):
    assert paced((0, 0, 50), (5, 40, 50), step) == (None, None)


def test_a_rate_follows_the_last_half_minute(paced):
    # The step at 100 s is the last one before the half minute that ends at 140 s: 40 in 40 s.
    assert paced((0, 0, None), (100, 1000, None), (120, 1020, None), (140, 1040, None)) == (1, None)


def test_without_a_total_there_is_a_rate_and_no_end(paced):
    assert paced((0, 0, None), (4, 8, None)) == (2, None)
