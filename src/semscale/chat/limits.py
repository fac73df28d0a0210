"""How fast calls may go: at once, and a minute."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from semscale.errors import InputError

_MINUTE = 60.0


@dataclass(frozen=True)
class Clock:
    """Where a run gets the time, its pauses and its chances from; tests bring their own.

    Attributes:
        now: seconds, on a clock that never goes back.
        sleep: waits for so many seconds.
        chance: a number from 0 to 1, for the spread of waits.
    """

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    chance: Callable[[], float] = field(default=random.random)


@dataclass(frozen=True)
class Limits:
    """How fast calls may go.

    Attributes:
        concurrency: calls under way at once.
        requests_per_minute: calls sent, spread evenly.
        tokens_per_minute: of prompts and replies together, spread evenly; estimated before, corrected after.
        timeout: seconds until a call is given up.

    Raises:
        InputError: a limit is not above 0.
    """

    concurrency: int = 16
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    timeout: float = 120.0

    def __post_init__(self) -> None:
        for name in ("concurrency", "requests_per_minute", "tokens_per_minute", "timeout"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise InputError(f"{name} must be > 0, got {value}")


class Pacer:
    """Spreads calls evenly over the time, and holds all of them back where an endpoint asks for it.

    Args:
        limits: a minute's requests and tokens.
        clock: time and pauses.
    """

    def __init__(self, limits: Limits, clock: Clock) -> None:
        self._clock = clock
        self._per_request = _MINUTE / limits.requests_per_minute if limits.requests_per_minute else 0.0
        self._per_token = _MINUTE / limits.tokens_per_minute if limits.tokens_per_minute else 0.0
        self._next_request = self._next_token = self._held_until = 0.0

    async def turn(self, tokens: int) -> None:
        """Wait until a call of so many tokens may be sent."""
        now = self._clock.now()
        start = max(now, self._next_request, self._next_token)
        self._next_request = start + self._per_request
        self._next_token = start + self._per_token * tokens
        while (wait := max(start, self._held_until) - self._clock.now()) > 0:
            await self._clock.sleep(wait)

    def correct(self, expected: int, taken: int) -> None:
        """Move later calls by the tokens that a call took more, or less, than was expected."""
        self._next_token += self._per_token * (taken - expected)

    def hold(self, seconds: float) -> None:
        """Send nothing for so long."""
        self._held_until = max(self._held_until, self._clock.now() + seconds)
