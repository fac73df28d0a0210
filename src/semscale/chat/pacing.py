"""Pace of calls: limits, retries, waits without a reply, and numbered calls."""

import asyncio
import random
import time
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass, field

from semscale.chat.messages import TRANSIENT, Call, CallError, FailureKind, Reply
from semscale.chat.settings import Limits
from semscale.errors import InputError
from semscale.messages import shorten

_MINUTE = 60.0


@dataclass(frozen=True)
class Clock:
    """Source of time, pauses and random numbers for a run; tests replace it.

    Attributes:
        now: function that returns seconds on a monotonic clock.
        sleep: function that waits for a number of seconds.
        chance: function that returns a random number from 0 to 1, which spreads the waits.
    """

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    chance: Callable[[], float] = field(default=random.random)


class Pacer:
    """Scheduler that spreads calls evenly over time, and delays all calls when an endpoint asks for a pause.

    Args:
        limits: requests and tokens per minute.
        clock: source of time and pauses.
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

    def correct(self, expected: int, used: int) -> None:
        """Delay or advance later calls by the difference between expected and used tokens."""
        self._next_token += self._per_token * (used - expected)

    def hold(self, seconds: float) -> float:
        """Send nothing for this many seconds.

        Returns:
            The number of seconds by which this extends the current pause.
        """
        now, before = self._clock.now(), self._held_until
        self._held_until = max(before, now + seconds)
        return self._held_until - max(before, now)


@dataclass(frozen=True)
class Retries:
    """Settings for repeating calls after a temporary failure.

    Attributes:
        most: maximum number of repetitions of a call.
        first_wait: seconds before the first repetition; each further wait is twice as long. Waits are reduced
            at random by up to half.
        longest_wait: the longest wait that Semscale chooses, in seconds.
        patience: the longest wait that an endpoint may request, in seconds; a call fails if it requests more.

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
                raise InputError(name, f"must be >= 0, got {value}")

    def wait_after(self, failure: CallError, repeated: int, chance: float) -> float | None:
        """Return the seconds to wait before a call is repeated; ``None`` if it is not repeated.

        Args:
            failure: failure of the last attempt.
            repeated: number of earlier repetitions of the call.
            chance: a random number from 0 to 1.

        Examples:
            >>> from semscale.chat.messages import FailureKind
            >>> failure = CallError("down", kind=FailureKind.SERVER)
            >>> [Retries().wait_after(failure, repeated, chance=1.0) for repeated in (0, 1, 2, 6)]
            [0.5, 1.0, 2.0, None]
        """
        if failure.kind not in TRANSIENT or repeated >= self.most:
            return None
        if failure.retry_after is not None:
            return failure.retry_after if failure.retry_after <= self.patience else None
        return float(min(self.longest_wait, self.first_wait * 2**repeated) * (0.5 + 0.5 * chance))


Calls = Iterable[Call] | AsyncIterable[Call]


async def enumerate_calls(calls: Calls) -> AsyncIterator[tuple[int, Call]]:
    """Yield the calls of a synchronous or asynchronous iterable with their indices, from 0."""
    index = 0
    if isinstance(calls, AsyncIterable):
        async for call in calls:
            yield index, call
            index += 1
    else:
        for index, call in enumerate(calls):
            yield index, call


class ReplyWatch:
    """Timer of seconds without a reply, so that a run does not wait forever for a dead endpoint.

    A refusal, or any other answer that a repetition would not change, counts as a reply. Seconds without a
    call do not count, nor does a pause that the endpoint requests.

    Args:
        now: function that returns the time in seconds.
        patience: maximum total of seconds of such pauses that do not count.
        was_reached: whether the model has answered before.
    """

    def __init__(self, now: Callable[[], float], patience: float, *, was_reached: bool = False) -> None:
        self._now = now
        self._patience = patience
        self._since: float | None = None
        self._idle_since: float | None = None
        self._paused = 0.0
        self._requests = self._calls = 0
        self._was_reached = was_reached
        self.failure: CallError | None = None

    @property
    def seconds(self) -> float:
        """Seconds since the last reply, or since the first call after it."""
        if self._since is None:
            return 0.0
        until = self._now() if self._idle_since is None else self._idle_since
        return max(0.0, until - self._since)

    @property
    def is_unreached(self) -> bool:
        """True if all calls that ended, from the first one on, failed to connect."""
        return self.failure is not None and not self._was_reached

    def note_answer(self) -> None:
        """Note that the model answered, now or in an earlier run."""
        self._was_reached = True

    def request_begins(self) -> None:
        """Note the start of a request, which may need several calls."""
        self._requests += 1
        if self._since is not None and self._idle_since is not None:
            self._since += self._now() - self._idle_since
        self._idle_since = None

    def request_ends(self) -> None:
        """Note the end of a request."""
        self._requests -= 1
        if not self._requests:
            self._idle_since = self._now()

    def call_begins(self) -> None:
        """Note that a call is sent."""
        self._calls += 1
        if self._since is None:
            self._since = self._now()

    def call_ends(self, result: Reply | CallError | None) -> None:
        """Note the result of a call; ``None`` if it was cancelled."""
        self._calls -= 1
        is_connected = not (isinstance(result, CallError) and result.kind is FailureKind.CONNECTION)
        if result is not None and is_connected:
            self._was_reached = True
        if isinstance(result, CallError) and result.kind in TRANSIENT:
            self.failure = result
        elif result is not None:
            self._since = self._now() if self._calls else None
            self._paused = 0.0
            self.failure = None

    def endpoint_pauses(self, seconds: float) -> None:
        """Leave out seconds of a pause that the endpoint requests, up to the patience."""
        pause = max(0.0, min(seconds, self._patience - self._paused))
        self._paused += pause
        self.leave_out(pause)

    def leave_out(self, seconds: float) -> None:
        """Leave out seconds in which no reply could be noticed."""
        if self._since is not None:
            self._since += seconds


_CALLS = 20
_REPETITIONS = 4


class FirstFailures:
    """Counter of the first calls, to end a run in which all of them fail in the same, lasting way.

    Failures of slow, unavailable or busy endpoints do not count: they may recover, and ``ReplyWatch`` limits
    the wait. An answer that is not a reply, such as a login page, may be temporary, too, so a call is
    repeated four times before it counts.

    Args:
        has_replies: whether a reply came earlier in the run.

    Attributes:
        n: number of counted calls.
    """

    def __init__(self, *, has_replies: bool) -> None:
        self.n = 0
        self._first: tuple[FailureKind, str] | None = None
        self._is_over = has_replies

    def are_all_alike(self, failure: CallError, repeated: int) -> bool:
        """Count a failed call, and return whether there are enough failures, all in the same way.

        Args:
            failure: failure of the call.
            repeated: number of earlier repetitions of the call.
        """
        is_page = failure.kind is FailureKind.MALFORMED
        may_pass = failure.kind in TRANSIENT - {FailureKind.MALFORMED, FailureKind.SILENT}
        # The same page may have another time or number in it.
        likeness = (failure.kind, "" if is_page else str(failure))
        if may_pass or failure.kind is FailureKind.REFUSED or self._first not in {None, likeness}:
            self._is_over = True
        if self._is_over:
            return False
        self._first = likeness
        self.n += 1
        return repeated >= _REPETITIONS if is_page else self.n >= _CALLS

    def note_reply(self) -> None:
        """Note that a reply came, from the model or from the ledger."""
        self._is_over = True


class UnreadableReplies:
    """Counter of replies in a row that nobody can use, to end a run that would pay for more of them.

    Attributes:
        n: number of the last replies, in the order of their arrival, that could not be read.
        has_read: whether any reply could be read.
        example: the last unreadable reply.
    """

    most = 20

    def __init__(self) -> None:
        self.n = 0
        self.has_read = False
        self.example = ""
        self._was_cut = self._has_given_up = self._is_over = False

    def note(self, reply: Reply, *, is_readable: bool, is_last: bool = True) -> None:
        """Count a reply, also one from the ledger.

        Args:
            reply: the reply.
            is_readable: whether it could be used.
            is_last: whether its item is not asked about again, or two corrections did not help.
        """
        if is_readable:
            self.has_read, self.n, self._has_given_up = True, 0, False
            return
        self.n += 1
        self.example, self._was_cut = reply.text, reply.finish_reason == "length"
        self._has_given_up = self._has_given_up or is_last
        self._is_over = self._is_over or (self.n >= self.most and self._has_given_up)

    @property
    def reason(self) -> str | None:
        """The reason to end the run; ``None`` if there were fewer, or if asking again may still help.

        It stays, whatever replies in flight bring, as no further call is sent.
        """
        if not self._is_over:
            return None
        text = " ".join(self.example.split())
        shown = f"such as {shorten(text)}" if text else "as they are empty"
        remedy = (
            "raise the maximum number of tokens"
            if self._was_cut
            else "choose another model, template or form of reply"
        )
        # Replies in flight still arrive, and differ in number from run to run.
        return f"{self.most} replies in a row could not be read, {shown}: {remedy}"
