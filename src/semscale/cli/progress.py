"""Progress on standard error: bars on a terminal, silence anywhere else."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import TaskID

    from semscale.types import Progress


@contextmanager
def progress_bars() -> "Iterator[Progress | None]":
    """Return a callback that draws a bar for each stage; ``None`` unless on a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[amount]}"),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    stages: dict[str, TaskID] = {}
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:

        def draw(stage: str, done: int, total: int | None) -> None:
            if stage not in stages:
                stages[stage] = bars.add_task(stage, total=total, amount="", rate="")
            task, shown = stages[stage], amount(stage, done, total)
            bars.update(
                task, completed=done, total=total, amount=shown, rate=rate(stage, bars.tasks[task].speed)
            )

        yield draw


def amount(stage: str, done: int, total: int | None) -> str:
    """Format how much of a stage is done: megabytes of pulled files, else items.

    Example:
        >>> amount("embedding", 1500, 3000)
        '1,500 of 3,000'
        >>> amount("pulling all-MiniLM-L6-v2", 41_200_000, 91_600_000)
        '41 of 92 MB'
    """
    unit, size = (" MB", 1e6) if stage.startswith("pulling") else ("", 1)
    shown = f"{done / size:,.0f}"
    return f"{shown}{unit}" if total is None else f"{shown} of {total / size:,.0f}{unit}"


def rate(stage: str, speed: float | None) -> str:
    """Say how fast a stage goes, in the units of :func:`amount`; nothing before that is known.

    Example:
        >>> rate("asking m", 12.4), rate("pulling all-MiniLM-L6-v2", 2_500_000.0), rate("asking m", None)
        ('12.4/s', '2.5 MB/s', '')
    """
    if not speed:
        return ""
    return f"{speed / 1e6:.1f} MB/s" if stage.startswith("pulling") else f"{speed:,.3g}/s"
