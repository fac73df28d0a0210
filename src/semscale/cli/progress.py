"""Progress on standard error: bars on a terminal; anywhere else a line for each download and each wait."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from semscale.cli.process import say
from semscale.progress import FETCHING, PULLING, WAITING, Pace, amount, rate, time_left
from semscale.weights.folders import models_root
from semscale.weights.known import find_known

if TYPE_CHECKING:
    from rich.progress import TaskID

    from semscale.types import Progress

_CONNECTING = "waiting for a connection"


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
        if stage.startswith(PULLING) and stage not in pulled:
            pulled.add(stage)
            say(_pulling(stage.removeprefix(PULLING), total))
        if stage.startswith(FETCHING) and stage not in pulled:
            pulled.add(stage)
            say(f"{stage}{_megabytes(total)} once, into a temporary file")
        if not stage.startswith(WAITING) or stage.startswith(_CONNECTING):
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
