"""The pacer spreads calls by requests and tokens per minute, and holds them back on request."""

import asyncio

import pytest

from semscale.chat.pacing import Limits, Pacer
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


@pytest.mark.parametrize("name", ["concurrency", "requests_per_minute", "tokens_per_minute", "timeout"])
def test_a_limit_must_be_above_zero(name):
    with pytest.raises(InputError, match=f"{name} must be > 0, got 0"):
        Limits(**{name: 0})
