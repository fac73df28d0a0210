"""Progress on standard error: bars on a terminal; anywhere else a line for each download and each wait."""

import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from math import ceil
from typing import TYPE_CHECKING

from semscale.cli.process import say
from semscale.weights.folders import models_root
from semscale.weights.known import find_known

if TYPE_CHECKING:
    from rich.progress import TaskID

    from semscale.types import Progress

_PULLING = "pulling "
_FETCHING = "fetching "
_IN_BYTES = (_PULLING, _FETCHING)
_WINDOW = 30.0  # seconds over which a rate is measured
_CONNECTING = "waiting for a connection"
_WAITING = "waiting"  # for something that may never come: seconds go by, and nothing is done


@contextmanager
def progress_bars() -> "Iterator[Progress]":
    """Return a callback that draws a bar for each stage; off a terminal it prints a line for few of them."""
    if not sys.stderr.isatty():
        yield lines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[amount]}"),
        TextColumn("{task.fields[rate]}"),
        TextColumn("{task.fields[left]}"),
    )
    stages: dict[str, tuple[TaskID, Pace]] = {}
    bars = Bars(*columns, console=Console(stderr=True), transient=True)

    def draw(stage: str, done: int, total: int | None) -> None:
        bars.start()  # only now, so that a question before it is not drawn over
        if stage not in stages:
            stages[stage] = bars.add_task(stage, total=total, amount="", rate="", left=""), Pace()
        task, pace = stages[stage]
        pace.add(done, total)
        bars.update(
            task,
            completed=done,
            total=total,
            amount=amount(stage, done, total),
            rate=rate(stage, pace.speed),
            left=time_left(stage, pace.seconds_left),
        )

    try:
        yield draw
    finally:
        bars.stop()


def lines() -> "Progress":
    """Return a callback that prints a line for each download, and each time that a run waits.

    The wait for a first connection has no line: it is short, and an error with its reason ends it.
    """
    waited: dict[str, int] = {}
    pulled: set[str] = set()

    def tell(stage: str, done: int, total: int | None) -> None:
        if stage.startswith(_PULLING) and stage not in pulled:
            pulled.add(stage)
            say(_pulling(stage.removeprefix(_PULLING), total))
        if stage.startswith(_FETCHING) and stage not in pulled:
            pulled.add(stage)
            say(f"{stage}{_megabytes(total)} once, into a temporary file")
        if not stage.startswith(_WAITING) or stage.startswith(_CONNECTING):
            return
        if done and not waited.get(stage):
            say(f"{stage}: {amount(stage, done, total)}")
        # Fewer seconds than before: what was waited for has come.
        waited[stage] = done if done >= waited.get(stage, 0) else 0

    return tell


def _pulling(model: str, total: int | None) -> str:
    """Say which model is pulled, how large it is, and where it is kept."""
    known = find_known(model)
    size = known.size if known else total
    return f"pulling {model}{_megabytes(size)} once, into {models_root()}"


def _megabytes(size: int | None) -> str:
    return "" if size is None else f" ({size / 1e6:,.0f} MB)"


def amount(stage: str, done: int, total: int | None) -> str:
    """Format how much of a stage is done: megabytes of downloads, else items.

    Examples:
        >>> amount("embedding", 1500, 3000)
        '1,500 of 3,000'
        >>> amount("pulling all-MiniLM-L6-v2", 41_200_000, 91_600_000)
        '41 of 92 MB'
    """
    unit, size = (" MB", 1e6) if stage.startswith(_IN_BYTES) else ("", 1)
    shown = f"{done / size:,.0f}"
    return f"{shown}{unit}" if total is None else f"{shown} of {total / size:,.0f}{unit}"


def rate(stage: str, speed: float | None) -> str:
    """Say how fast a stage goes, in the units of :func:`amount`; nothing before that is known.

    Examples:
        >>> rate("asking m", 12.4), rate("pulling all-MiniLM-L6-v2", 2_500_000.0), rate("asking m", None)
        ('12.4/s', '2.5 MB/s', '')
    """
    if not speed or stage.startswith(_WAITING):
        return ""
    return f"{speed / 1e6:.1f} MB/s" if stage.startswith(_IN_BYTES) else f"{speed:,.3g}/s"


def time_left(stage: str, seconds: float | None) -> str:
    """Say how long a stage still takes; nothing before that is known, or at its end.

    Examples:
        >>> time_left("rating", 3_725.4), time_left("rating", 0.0), time_left("rating", None)
        ('1:02:06 left', '', '')
    """
    if not seconds or stage.startswith(_WAITING):
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
        while len(self._seen) > 2 and self._seen[1][0] < moment - _WINDOW:
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
