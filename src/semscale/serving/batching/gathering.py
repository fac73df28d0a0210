"""How long a batch waits for clients that were just answered, as most of them ask again at once."""

LONGEST = 0.03
"""Share of the last batch's time that the next one waits at most."""

PAUSE = 0.02
"""Share of the last batch's time without a request, after which nobody is waited for any more."""


class Gathering:
    """Lets the next batch wait a moment for the clients that the last one answered.

    A batch of all requests is faster than two of half of them. Without the wait, the next batch would begin
    with what came during the last one, and those who were just answered would always miss it. Nothing waits
    unless requests were answered: not the first request of an idle service, nor the rest of a long one.
    Times are seconds of one clock, which the caller reads.

    Example:
        >>> gathering = Gathering()
        >>> gathering.answered(2, seconds=10.0, now=100.0)
        >>> gathering.asked(now=100.0625)
        >>> round(gathering.left(now=100.0625), 4)  # PAUSE of 10 s
        0.2
        >>> gathering.asked(now=100.125)  # both have asked again
        >>> gathering.left(now=100.125)
        0.0
    """

    def __init__(self) -> None:
        self._expected = 0
        self._until = self._pause = self._last = 0.0

    def answered(self, n: int, seconds: float, now: float) -> None:
        """A batch that took some seconds has answered ``n`` requests."""
        self._expected = n
        self._until, self._pause, self._last = now + LONGEST * seconds, PAUSE * seconds, now

    def asked(self, now: float) -> None:
        """A request came."""
        self._expected -= 1
        self._last = now

    def left(self, now: float) -> float:
        """Give the seconds that the next batch still waits; 0 if all have asked again, or had time to."""
        if self._expected <= 0:
            return 0.0
        return max(0.0, min(self._until, self._last + self._pause) - now)
