"""Rate limits: concurrent calls, requests per minute and tokens per minute."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from semscale.errors import InputError

_MINUTE = 60.0
_SILENCE = 300.0
_UNREACHED = 30.0


@dataclass(frozen=True)
class Clock:
    """The time, pauses and random numbers that a run uses; tests bring their own.

    Attributes:
        now: seconds, on a clock that never goes back.
        sleep: waits for a number of seconds.
        chance: gives a random number from 0 to 1, which spreads the waits.
    """

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    chance: Callable[[], float] = field(default=random.random)


@dataclass(frozen=True)
class Limits:
    """How many calls, requests and tokens may be under way or sent.

    Attributes:
        concurrency: the most calls under way at once.
        requests_per_minute: the most calls sent in a minute, spread evenly.
        tokens_per_minute: the most tokens of prompts and replies in a minute, spread evenly; estimated before
            a call and corrected after it.
        timeout: seconds after which a call without a reply fails.
        give_up_after: seconds without any reply after which a run stops. ``None`` is 300, in which most
            servers have restarted, or twice the timeout if that is longer, so that no call is tried only
            once; and 30 where no connection to the endpoint was ever made, as nothing listens there.

    Raises:
        InputError: a limit is not above 0.

    Example:
        >>> Limits().longest_silence, Limits(timeout=400.0).longest_silence
        (300.0, 800.0)
    """

    concurrency: int = 16
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    timeout: float = 120.0
    give_up_after: float | None = None

    def __post_init__(self) -> None:
        for name in (
            "concurrency",
            "requests_per_minute",
            "tokens_per_minute",
            "timeout",
            "give_up_after",
        ):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise InputError(f"{name} must be > 0, got {value}")

    @property
    def longest_silence(self) -> float:
        """Seconds without any reply after which a run stops."""
        return self.give_up_after or max(_SILENCE, 2 * self.timeout)

    @property
    def longest_unreached(self) -> float:
        """The same where no call has ever reached the endpoint."""
        return self.give_up_after or _UNREACHED


class Pacer:
    """Spreads calls evenly over time, and holds all of them back when an endpoint asks for a pause.

    Args:
        limits: requests and tokens per minute.
        clock: gives the time and the pauses.
    """

    def __init__(self, limits: Limits, clock: Clock) -> None:
        self._clock = clock
        self._per_request = _MINUTE / limits.requests_per_minute if limits.requests_per_minute else 0.0
        self._per_token = _MINUTE / limits.tokens_per_minute if limits.tokens_per_minute else 0.0
        self._next_request = self._next_token = self._held_until = 0.0

    async def turn(self, tokens: int) -> None:
        """Wait until a call with this many tokens may be sent."""
        now = self._clock.now()
        start = max(now, self._next_request, self._next_token)
        self._next_request = start + self._per_request
        self._next_token = start + self._per_token * tokens
        while (wait := max(start, self._held_until) - self._clock.now()) > 0:
            await self._clock.sleep(wait)

    def correct(self, expected: int, taken: int) -> None:
        """Delay or advance later calls by the difference between expected and used tokens."""
        self._next_token += self._per_token * (taken - expected)

    def hold(self, seconds: float) -> float:
        """Send nothing for this many seconds.

        Returns:
            By how many seconds this makes the pause longer that is under way, if there is one.
        """
        now, before = self._clock.now(), self._held_until
        self._held_until = max(before, now + seconds)
        return self._held_until - max(before, now)
