"""Pace of calls: limits, pauses, and repetitions after failures."""

import asyncio

import pytest
from tests.support.made_up_requests import SERIAL, requests, statuses

from semscale.chat.messages import FATAL, TRANSIENT, CallError, FailureKind
from semscale.chat.pacing import Pacer, Retries
from semscale.chat.settings import Limits
from semscale.errors import InputError


def waits(fake, limits, *steps):
    """Take the steps, numbers of tokens or calls of the pacer, and return the time of each turn."""
    pacer, times = Pacer(limits, fake.clock), []

    async def take():
        for step in steps:
            if callable(step):
                step(pacer)
            else:
                await pacer.turn(step)
                times.append(fake.time)

    asyncio.run(take())
    return times


def test_without_limits_nothing_waits(fake):
    assert waits(fake, Limits(), 10, 10_000) == [0.0, 0.0]


def test_requests_are_spread_evenly(fake):
    # 30 a minute: one every two seconds.
    assert waits(fake, Limits(requests_per_minute=30), 1, 1, 1) == [0.0, 2.0, 4.0]


def test_a_call_delays_the_next_by_its_tokens(fake):
    # 60 tokens a minute: a second a token.
    assert waits(fake, Limits(tokens_per_minute=60), 5, 1, 1) == [0.0, 5.0, 6.0]


def test_tokens_are_corrected_after_the_call(fake):
    limits = Limits(tokens_per_minute=60)
    assert waits(fake, limits, 10, lambda pacer: pacer.correct(10, 4), 1) == [0.0, 4.0]
    fake.time = 0.0
    assert waits(fake, limits, 10, lambda pacer: pacer.correct(10, 12), 1) == [0.0, 12.0]


def test_a_pause_holds_back_every_call(fake):
    shorter = lambda pacer: pacer.hold(3)  # noqa: E731 - a step
    assert waits(fake, Limits(), lambda pacer: pacer.hold(7), shorter, 1, 1) == [7.0, 7.0]


@pytest.mark.parametrize("name", ["requests_per_minute", "tokens_per_minute", "timeout"])
def test_a_limit_must_be_above_zero(name):
    with pytest.raises(InputError, match=f"{name} must be > 0, got 0"):
        Limits(**{name: 0})


def test_concurrency_must_be_at_least_one():
    with pytest.raises(InputError, match="concurrency must be >= 1, got 0"):
        Limits(concurrency=0)


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
def test_permanent_failures_are_not_retried(kind):
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


@pytest.mark.needs("api")
def test_calls_that_may_succeed_later_are_repeated_with_growing_waits(runner, endpoint, fake):
    endpoint.plan((500, {}), "drop", "cut", (200, b"{"), (200, {"choices": []}))
    (outcome,) = runner(limits=SERIAL).run(requests(1))
    assert outcome.reply.text == "echo: question 0"
    assert outcome.attempts == 6
    assert fake.slept == [0.5, 1.0, 2.0, 4.0, 8.0]  # doubled each time; the clock's chance takes nothing off


@pytest.mark.needs("api")
def test_repetition_ends(runner, endpoint):
    endpoint.plan((500, {}), (500, {}), (500, {}))
    (outcome,) = runner(limits=SERIAL, retries=Retries(most=2)).run(requests(1))
    assert (outcome.status.value, outcome.attempts, outcome.failure.kind) == ("failed", 3, FailureKind.SERVER)


@pytest.mark.needs("api")
def test_retry_after_is_honoured_and_holds_back_every_call(runner, endpoint, fake):
    endpoint.plan((429, {}, {"Retry-After": "7"}))
    outcomes = runner(limits=SERIAL).run(requests(2))
    assert statuses(outcomes) == ["replied", "replied"]
    assert fake.slept == [7.0]


@pytest.mark.needs("api")
def test_other_calls_wait_as_long_as_the_endpoint_asked(endpoint, fake):
    async def two_turns() -> None:
        pacer = Pacer(Limits(), fake.clock)
        pacer.hold(7.0)
        await pacer.turn(10)

    asyncio.run(two_turns())
    assert fake.slept == [7.0]


@pytest.mark.needs("api")
def test_a_pause_returns_by_how_much_it_extends_the_current_pause(fake):
    pacer = Pacer(Limits(), fake.clock)
    assert [pacer.hold(seconds) for seconds in (7.0, 9.0, 1.0)] == [7.0, 2.0, 0.0]


@pytest.mark.needs("api")
def test_an_endpoint_that_asks_for_too_much_patience(runner, endpoint, fake):
    endpoint.plan((429, {}, {"Retry-After": "9999"}))
    (outcome,) = runner(limits=SERIAL).run(requests(1))
    assert (outcome.status.value, fake.slept) == ("failed", [])


@pytest.mark.needs("api")
def test_a_call_that_exceeds_its_timeout_fails(runner, endpoint):
    endpoint.plan("wait")
    limits = Limits(concurrency=1, timeout=0.2)
    outcomes = runner(limits=limits, retries=Retries(most=0)).run(requests(1))
    endpoint.go.set()
    assert outcomes[0].failure.kind is FailureKind.TIMEOUT
    assert "did not answer within 0.2 s" in str(outcomes[0].failure)


@pytest.mark.needs("api")
@pytest.mark.parametrize(
    ("limits", "waits"),
    [
        (Limits(concurrency=1, requests_per_minute=30), [2.0, 2.0]),  # 60 s / 30
        # "question 0" has 10 bytes: 4 tokens and 8 for the message, and 8 for the reply: 20 expected. The
        # server says 12 + 3, which takes 5 off: 15 tokens at 60 a minute are 15 s.
        (Limits(concurrency=1, tokens_per_minute=60), [15.0, 15.0]),
    ],
)
def test_calls_are_spread_over_the_minute(runner, fake, limits, waits):
    runner(limits=limits).run(requests(3, max_tokens=8))
    assert fake.slept == waits


@pytest.mark.needs("api")
def test_concurrency_is_bounded(runner, endpoint):
    seen = []
    endpoint.plan(*["wait"] * 4)

    async def run() -> None:
        work = asyncio.create_task(runner(limits=Limits(concurrency=2)).collect(requests(4)))
        while len(endpoint.requests) < 2:
            await asyncio.sleep(0)
        for _ in range(200):  # as many turns of the loop as any further call would need
            await asyncio.sleep(0)
        seen.append(len(endpoint.requests))
        endpoint.go.set()
        await work

    asyncio.run(run())
    assert seen == [2]


@pytest.mark.needs("api")
@pytest.mark.parametrize("bad", [{"timeout": -1.0}, {"requests_per_minute": 0}])
def test_limits_out_of_range(bad):
    with pytest.raises(InputError, match="must be > 0"):
        Limits(**bad)
