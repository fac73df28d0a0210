"""Prints tables: fitted to a terminal, unfolded into a pipe."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_PIPE_WIDTH = 200
_WIDEST = 10_000


def print_table(table: object) -> None:
    """Print a table of rich to standard output."""
    from rich.console import Console

    # In a pipe there is no width to fit into, and a folded line would be of no use to the next program.
    console = Console()
    (console if console.is_terminal else Console(width=_PIPE_WIDTH)).print(table)


def print_plainly(write: "Callable[[Console], None]") -> None:
    """Let something write to standard output: with colour on a terminal, as plain aligned text in a pipe.

    Args:
        write: prints to the console it is given, which takes users' words as they are.
    """
    from rich.console import Console

    if sys.stdout.isatty():
        write(Console(highlight=False, markup=False, emoji=False))
        return
    console = Console(
        width=_WIDEST, color_system=None, highlight=False, markup=False, emoji=False, legacy_windows=False
    )
    with console.capture() as captured:
        write(console)
    sys.stdout.write("\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n")


def figure_grid(*columns: str, title: str | None = None) -> "Table":
    """Make an empty table of figures: names at the left, everything else at the right."""
    from rich import box
    from rich.table import Table

    table = Table(
        box=box.SIMPLE_HEAD if sys.stdout.isatty() else None,
        show_header=any(columns),
        title=title,
        title_justify="left",
        title_style="bold",
        header_style="bold",
        pad_edge=False,
        padding=(0, 2, 0, 0),
        show_edge=False,
    )
    for place, column in enumerate(columns):
        table.add_column(column, justify="left" if place == 0 else "right", overflow="fold")
    return table


def bar(share: float, cells: int) -> str:
    """Draw a share of 1 as a bar of so many cells, with letters where the output lacks blocks."""
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    return ("█" if encoding.startswith("utf") else "#") * round(cells * share)
