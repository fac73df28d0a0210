"""Which failures are retried, and after how long a wait."""

import pytest

from semscale.chat.messages import FATAL, TRANSIENT, CallError, FailureKind
from semscale.chat.pacing import Retries
from semscale.errors import InputError


def failure(kind=FailureKind.SERVER, retry_after=None):
    return CallError("down", kind=kind, retry_after=retry_after)


def test_waits_double_up_to_the_longest():
    retries = Retries(most=10, first_wait=1.0, longest_wait=6.0)
    assert [retries.wait_after(failure(), repeated, 1.0) for repeated in range(5)] == [1, 2, 4, 6, 6]


def test_chance_takes_up_to_half_off_a_wait():
    retries = Retries(first_wait=8.0)
    assert [retries.wait_after(failure(), 0, chance) for chance in (0.0, 0.5, 1.0)] == [4.0, 6.0, 8.0]


def test_repetition_ends_after_the_most():
    assert Retries(most=2).wait_after(failure(), 1, 1.0) is not None
    assert Retries(most=2).wait_after(failure(), 2, 1.0) is None


@pytest.mark.parametrize("kind", [kind for kind in FailureKind if kind not in TRANSIENT])
def test_what_cannot_pass_is_not_repeated(kind):
    assert Retries().wait_after(failure(kind), 0, 1.0) is None


def test_the_endpoints_wait_counts_up_to_our_patience():
    retries = Retries(patience=30.0)
    assert retries.wait_after(failure(retry_after=30.0), 0, 0.0) == 30.0
    assert retries.wait_after(failure(retry_after=31.0), 0, 0.0) is None


def test_no_failure_is_both_transient_and_fatal():
    assert not TRANSIENT & FATAL


def test_a_value_below_zero():
    with pytest.raises(InputError, match="most must be >= 0, got -1"):
        Retries(most=-1)
