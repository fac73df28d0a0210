"""Progress of long work in words: how much of a stage is done, how fast it goes, and the time left."""

import time
from collections import deque
from collections.abc import Callable
from datetime import timedelta
from math import ceil

PULLING = "pulling "
FETCHING = "fetching "
"""Beginnings of stages that are counted in bytes."""

WAITING = "waiting"
"""Beginning of stages in which seconds go by and nothing is done."""

_WINDOW = 30.0  # seconds over which a rate is measured
_STABLE = 5.0  # seconds after which a rate says how long a stage takes


def amount(stage: str, done: int, total: int | None) -> str:
    """Format how much of a stage is done: megabytes of downloads, else items.

    Examples:
        >>> amount("embedding", 1500, 3000)
        '1,500 of 3,000'
        >>> amount("pulling all-MiniLM-L6-v2", 41_200_000, 91_600_000)
        '41 of 92 MB'
    """
    unit, size = (" MB", 1e6) if stage.startswith((PULLING, FETCHING)) else ("", 1)
    shown = f"{done / size:,.0f}"
    return f"{shown}{unit}" if total is None else f"{shown} of {total / size:,.0f}{unit}"


def rate(stage: str, speed: float | None) -> str:
    """Say how fast a stage goes, in the units of :func:`amount`; nothing before that is known.

    Examples:
        >>> rate("asking m", 12.4), rate("pulling all-MiniLM-L6-v2", 2_500_000.0), rate("asking m", None)
        ('12.4/s', '2.5 MB/s', '')
    """
    if not speed or stage.startswith(WAITING):
        return ""
    return f"{speed / 1e6:.1f} MB/s" if stage.startswith((PULLING, FETCHING)) else f"{speed:,.3g}/s"


def time_left(stage: str, seconds: float | None) -> str:
    """Say how long a stage still takes; nothing before that is known, or at its end.

    Examples:
        >>> time_left("rating", 3_725.4), time_left("rating", 0.0), time_left("rating", None)
        ('1:02:06 left', '', '')
    """
    if not seconds or stage.startswith(WAITING):
        return ""
    return f"{timedelta(seconds=ceil(seconds))} left"


class Pace:
    """Measures the pace of a stage by what this run does: what was done when it began does not count.

    A stage begins again where fewer items are done than before, or where there are more of them altogether.

    Args:
        now: gives the time in seconds.

    Examples:
        >>> times = iter([0.0, 10.0])
        >>> pace = Pace(now=lambda: next(times))
        >>> pace.add(50_000, 100_000)  # of an earlier run
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
        while len(self._seen) > 2 and self._seen[1][0] < moment - _WINDOW:
            self._seen.popleft()

    @property
    def speed(self) -> float | None:
        """Items a second; ``None`` where that is not known yet."""
        (began, before), (moment, done) = self._seen[0], self._seen[-1]
        return (done - before) / (moment - began) if moment > began and done > before else None

    @property
    def seconds_left(self) -> float | None:
        """Seconds until everything is done at this speed; ``None`` where that is not known.

        Nothing is known in the first five seconds, as the first items take longer or shorter than others.
        """
        speed = self.speed
        if speed is None or self._total is None or self._seen[-1][0] - self._seen[0][0] < _STABLE:
            return None
        return (self._total - self._seen[-1][1]) / speed

    def _begins_again(self, done: int, total: int | None) -> bool:
        if not self._seen or done < self._seen[-1][1]:
            return True
        return total is not None and self._total is not None and total > self._total
