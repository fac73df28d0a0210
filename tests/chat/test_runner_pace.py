"""How fast a run asks, how long it waits, and how often it repeats a call."""

import asyncio

import pytest
from made_up_requests import ONE, requests, statuses

from semscale.chat import FailureKind
from semscale.chat.pacing import Limits, Pacer, Retries
from semscale.errors import InputError

pytestmark = pytest.mark.needs("api")


def test_calls_that_may_succeed_later_are_repeated_with_growing_waits(runner, endpoint, fake):
    endpoint.plan((500, {}), "drop", "cut", (200, b"{"), (200, {"choices": []}))
    (outcome,) = runner(limits=ONE).run(requests(1))
    assert outcome.reply.text == "echo: question 0"
    assert outcome.attempts == 6
    assert fake.slept == [0.5, 1.0, 2.0, 4.0, 8.0]  # doubled each time; the clock's chance takes nothing off


def test_repetition_ends(runner, endpoint):
    endpoint.plan((500, {}), (500, {}), (500, {}))
    (outcome,) = runner(limits=ONE, retries=Retries(most=2)).run(requests(1))
    assert (outcome.status.value, outcome.attempts, outcome.failure.kind) == ("failed", 3, FailureKind.SERVER)


def test_retry_after_is_honoured_and_holds_back_every_call(runner, endpoint, fake):
    endpoint.plan((429, {}, {"Retry-After": "7"}))
    outcomes = runner(limits=ONE).run(requests(2))
    assert statuses(outcomes) == ["replied", "replied"]
    assert fake.slept == [7.0]


def test_other_calls_wait_as_long_as_the_endpoint_asked(endpoint, fake):
    async def two_turns() -> None:
        pacer = Pacer(Limits(), fake.clock)
        pacer.hold(7.0)
        await pacer.turn(10)

    asyncio.run(two_turns())
    assert fake.slept == [7.0]


def test_a_pause_says_by_how_much_it_makes_another_longer(fake):
    pacer = Pacer(Limits(), fake.clock)
    assert [pacer.hold(seconds) for seconds in (7.0, 9.0, 1.0)] == [7.0, 2.0, 0.0]


def test_an_endpoint_that_asks_for_too_much_patience(runner, endpoint, fake):
    endpoint.plan((429, {}, {"Retry-After": "9999"}))
    (outcome,) = runner(limits=ONE).run(requests(1))
    assert (outcome.status.value, fake.slept) == ("failed", [])


def test_a_call_that_takes_too_long_is_given_up(runner, endpoint):
    endpoint.plan("wait")
    limits = Limits(concurrency=1, timeout=0.2)
    outcomes = runner(limits=limits, retries=Retries(most=0)).run(requests(1))
    endpoint.go.set()
    assert outcomes[0].failure.kind is FailureKind.TIMEOUT
    assert "did not answer within 0.2 s" in str(outcomes[0].failure)


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


@pytest.mark.parametrize("bad", [{"concurrency": 0}, {"timeout": -1.0}, {"requests_per_minute": 0}])
def test_limits_out_of_range(bad):
    with pytest.raises(InputError, match="must be > 0"):
        Limits(**bad)
