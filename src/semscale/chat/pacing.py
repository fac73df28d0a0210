"""Limits and retries of calls, and requests that many tasks take one by one."""

import asyncio
import random
import time
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field

from semscale.chat.messages import Request
from semscale.chat.replies import TRANSIENT, CallError
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


@dataclass(frozen=True)
class Retries:
    """How calls are repeated after a failure that may pass.

    Attributes:
        most: how often a call is repeated at most.
        first_wait: seconds before the first repetition; each further one waits twice as long, with a random
            spread of half the wait downwards.
        longest_wait: the longest wait that Semscale chooses, in seconds.
        patience: the longest wait that an endpoint may ask for, in seconds; a call fails if it asks for more.

    Raises:
        InputError: a value is below 0.
    """

    most: int = 6
    first_wait: float = 0.5
    longest_wait: float = 60.0
    patience: float = 600.0

    def __post_init__(self) -> None:
        for name in ("most", "first_wait", "longest_wait", "patience"):
            value = getattr(self, name)
            if not value >= 0:
                raise InputError(f"{name} must be >= 0, got {value}")

    def wait_after(self, failure: CallError, repeated: int, chance: float) -> float | None:
        """Return the seconds to wait before a call is repeated; ``None`` if it is not repeated.

        Args:
            failure: of the last attempt.
            repeated: how often the call was repeated already.
            chance: a random number from 0 to 1.

        Example:
            >>> from semscale.chat.replies import FailureKind
            >>> failure = CallError("down", kind=FailureKind.SERVER)
            >>> [Retries().wait_after(failure, repeated, chance=1.0) for repeated in (0, 1, 2, 6)]
            [0.5, 1.0, 2.0, None]
        """
        if failure.kind not in TRANSIENT or repeated >= self.most:
            return None
        if failure.retry_after is not None:
            return failure.retry_after if failure.retry_after <= self.patience else None
        return float(min(self.longest_wait, self.first_wait * 2**repeated) * (0.5 + 0.5 * chance))


Requests = Iterable[Request] | AsyncIterable[Request]


class NumberedRequests:
    """Numbers the requests of a synchronous or asynchronous iterable; many tasks take them one by one."""

    def __init__(self, requests: Requests) -> None:
        self._later: AsyncIterator[Request] | None = None
        self._now: Iterator[Request] = iter(())
        if isinstance(requests, AsyncIterable):
            self._later = aiter(requests)
        else:
            self._now = iter(requests)
        self._lock = asyncio.Lock()
        self._index = 0

    async def next(self) -> tuple[int, Request] | None:
        """Give the next request and its number, from 0; ``None`` at the end."""
        async with self._lock:
            request = await anext(self._later, None) if self._later is not None else next(self._now, None)
            if request is None:
                return None
            index, self._index = self._index, self._index + 1
            return index, request
