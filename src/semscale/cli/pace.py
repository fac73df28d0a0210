"""How fast a stage of a run goes, and how long it still takes."""

import time
from collections import deque
from collections.abc import Callable

_WINDOW = 30.0  # seconds that a rate is taken over


class Pace:
    """Measures the pace of a stage by what this run does: what was done when it began does not count.

    A stage begins again where fewer items are done than before, or where there are more of them altogether.

    Args:
        now: gives the time in seconds.

    Example:
        >>> times = iter([0.0, 10.0])
        >>> pace = Pace(now=lambda: next(times))
        >>> pace.add(50_000, 100_000)  # kept by an earlier run
        >>> pace.add(60_000, 100_000)
        >>> pace.speed, pace.seconds_left
        (1000.0, 40.0)
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._seen: deque[tuple[float, int]] = deque()
        self._total: int | None = None

    def add(self, done: int, total: int | None) -> None:
        """Note how much is done, and of how much, where that is known."""
        if self._begins_again(done, total):
            self._seen.clear()
        moment = self._now()
        self._seen.append((moment, done))
        self._total = total
        while len(self._seen) > 2 and self._seen[1][0] < moment - _WINDOW:  # noqa: PLR2004 - two make a pace
            self._seen.popleft()

    @property
    def speed(self) -> float | None:
        """Items a second; ``None`` where that is not known yet."""
        (began, before), (moment, done) = self._seen[0], self._seen[-1]
        return (done - before) / (moment - began) if moment > began and done > before else None

    @property
    def seconds_left(self) -> float | None:
        """Seconds until everything is done at this speed; ``None`` where that is not known."""
        speed = self.speed
        return None if speed is None or self._total is None else (self._total - self._seen[-1][1]) / speed

    def _begins_again(self, done: int, total: int | None) -> bool:
        if not self._seen or done < self._seen[-1][1]:
            return True
        return total is not None and self._total is not None and total > self._total
