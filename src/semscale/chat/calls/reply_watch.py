"""Watches for how long a model has given no reply while it was asked."""

from collections.abc import Callable

from semscale.chat.replies import TRANSIENT, CallError, FailureKind, Reply


class ReplyWatch:
    """Counts the seconds without a reply, so that a run does not wait for a dead endpoint for ever.

    A refusal, or any other answer that repeating would not change, counts as a reply. Seconds in which
    nothing is asked do not count, nor does a pause that the endpoint asks for.

    Args:
        now: gives the time in seconds.
        patience: the most seconds of such pauses, all together, that do not count.
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
        """Whether all calls that ended, from the first one on, failed to connect."""
        return self.failure is not None and not self._was_reached

    def note_answer(self) -> None:
        """Note that the model answered, now or in an earlier run."""
        self._was_reached = True

    def request_begins(self) -> None:
        """Note that a request is taken up; it may take several calls."""
        self._requests += 1
        if self._since is not None and self._idle_since is not None:
            self._since += self._now() - self._idle_since
        self._idle_since = None

    def request_ends(self) -> None:
        """Note that nothing more is done for a request."""
        self._requests -= 1
        if not self._requests:
            self._idle_since = self._now()

    def call_begins(self) -> None:
        """Note that a call is sent."""
        self._calls += 1
        if self._since is None:
            self._since = self._now()

    def call_ends(self, result: Reply | CallError | None) -> None:
        """Note what a call brought; ``None`` if it was given up."""
        self._calls -= 1
        if result is not None and not _found_nobody(result):
            self._was_reached = True
        if isinstance(result, CallError) and result.kind in TRANSIENT:
            self.failure = result
        elif result is not None:
            self._since = self._now() if self._calls else None
            self._paused = 0.0
            self.failure = None

    def endpoint_pauses(self, seconds: float) -> None:
        """Leave out seconds that the endpoint asks to wait, as far as patience goes."""
        taken = max(0.0, min(seconds, self._patience - self._paused))
        self._paused += taken
        self.leave_out(taken)

    def leave_out(self, seconds: float) -> None:
        """Leave out seconds in which no reply could be seen."""
        if self._since is not None:
            self._since += seconds


def _found_nobody(result: Reply | CallError) -> bool:
    return isinstance(result, CallError) and result.kind is FailureKind.CONNECTION
