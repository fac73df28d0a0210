"""Documents on the screen: tables with colour on a terminal, plain aligned text in a pipe."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, assert_never

import numpy as np
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from semscale.report import document as blocks
from semscale.report.document import (
    Cell,
    Count,
    Decision,
    Document,
    Flag,
    Label,
    Line,
    Marked,
    Quoted,
    detail_of,
    flat,
)
from semscale.report.formatting import cell_text, counted, is_wordy, line_text, number, one_line, printable
from semscale.report.row_charts import bin_counts, bin_edges

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

NAME_CELLS = 30
"""Terminal cells that a name may take."""

_TEXT_CELLS = 44
_BAR, _BINS = 24, 10
_QUIET = "dim"
_COLOURS = {"pass": "green", "warn": "yellow", "fail": "red"}


def print_document(document: Document, *, written: Mapping[str, object] | None = None) -> None:
    """Print the brief form of a document to standard output.

    Args:
        document: what to show.
        written: files that were written, by what they are.
    """
    print_plainly(lambda console: _print(console, document, written or {}))


def _print(console: Console, document: Document, written: Mapping[str, object]) -> None:
    if document.next_step:
        colour = _COLOURS[document.lead.level] if isinstance(document.lead, Decision) else ""
        console.print(Text(printable(document.next_step), style=f"bold {colour}".strip()))
    source = line_text(document.source[0]) if document.source else ""
    console.print(Text.assemble((one_line(document.name), "bold"), (f"  {source}", _QUIET)))
    for warning in document.warnings:
        console.print(Text(printable(warning), style="bold yellow"))
    for line in document.counting:
        console.print(Text(line_text(line)))
    for section in document.sections:
        for block in section.blocks:
            for shown in _brief(block):
                console.print(shown)
    for text in _ending(document, written):
        console.print(text)


def _ending(document: Document, written: Mapping[str, object]) -> Iterator[Text]:
    """Give the lines below the tables: cautions, notes, the signature, what was written, the last word."""
    for line in ["", *document.cautions] if document.cautions else []:
        yield Text(printable(line), style="yellow")
    for line in ["", *document.notes] if document.notes or document.signature or written else []:
        yield Text(printable(line), style=_QUIET)
    if document.signature is not None:
        yield Text(f"signature: {printable(document.signature)}", style=_QUIET)
    for name, path in written.items():
        yield Text(f"{name}: {printable(path)}")
    if document.ending is not None:
        text, level = document.ending
        yield Text(f"\n{printable(text)}", style=_COLOURS[level])


def _brief(  # noqa: C901, PLR0912 - one case for each kind of block
    block: blocks.Block,
) -> Iterator[Grid | Text]:
    """Give what a brief rendering shows of a block; nothing of a block that is for pages only."""
    match block:
        case blocks.DataTable():
            yield from _table(block)
        case blocks.Figure(table=table):
            yield from _table(table)
        case blocks.Paragraph(text):
            if detail_of(block) != "full":
                yield Text(f"\n{line_text(text)}")
        case blocks.Histogram():
            if detail_of(block) != "full":
                yield from _titled(block.title, _spread(block))
        case blocks.Items(brief_title=title):
            if title:
                yield from _items(block)
        case blocks.ComparedItems(brief_title=title):
            if title:
                rows = [item.brief for item in block.items[: block.most]]
                yield from _titled(title, _listing(block.heads, rows))
        case blocks.SideBySide():
            for inner in flat([block]):
                yield from _brief(inner)
        case (
            blocks.Subheading()
            | blocks.Verbatims()
            | blocks.Findings()
            | blocks.Badge()
            | blocks.Shares()
            | blocks.Definitions()
            | blocks.Reasons()
        ):
            return  # a page has room for these
        case _:
            assert_never(block)


def _table(table: blocks.DataTable) -> Iterator[Grid | Text]:
    if detail_of(table) != "full":
        yield from _titled(table.brief_title or table.title, _grid(table))


def _items(block: blocks.Items) -> Iterator[Grid | Text]:
    heads = (block.noun, "score", *block.heads)
    rows = [(Count(item.row), item.score, *item.brief) for item in block.items[: block.most]]
    yield from _titled(block.brief_title, _listing(heads, rows))
    if block.is_explained:
        yield Text("\nWhy", style="bold")
        yield Text("\n".join(_reasons(block)))


def _grid(table: blocks.DataTable) -> Grid:
    width = table.brief or len(table.columns) - table.explained
    heads = [fitted(line_text(head), NAME_CELLS) for head in table.columns[:width]]
    grid = figure_grid(*heads, *([""] if table.bars else []))
    for index in range(1, width):
        if is_wordy(table.rows, index):
            grid.columns[index].justify = "left"
    if table.bars:
        grid.columns[-1].justify = "left"
    longest = max(table.bars, default=0.0) or 1.0
    for index, row in enumerate(table.rows[: table.most]):
        cells = [_cell(cell, is_first=column == 0) for column, cell in enumerate(row[:width])]
        drawn = [Text(bar(table.bars[index] / longest, _BAR), style="cyan")] if table.bars else []
        grid.add_row(*cells, *drawn)
    if len(table.rows) > table.most:
        more = counted(len(table.rows) - table.most, f"more {table.noun}")
        grid.add_row(f"... and {more}; --json has all")
    return grid


def _listing(heads: tuple[str, ...], rows: Sequence[Sequence[Cell]]) -> Grid:
    grid = figure_grid(*heads)
    for index in range(len(heads)):
        if index and is_wordy(rows, index):
            grid.columns[index].justify = "left"
    for row in rows:
        grid.add_row(*(_cell(cell, is_first=False) for cell in row))
    return grid


def _reasons(block: blocks.Items) -> Iterator[str]:
    """Say line by line how each item of a list came to its score."""
    for item in block.items[: block.most]:
        parts = ", ".join(f"{line_text(name)} {cell_text(value)}" for name, value in item.parts)
        score = f"{block.noun} {item.row:,}, {cell_text(item.score)}"
        yield f"{score}: {parts}" if parts else score
        yield from (f"  {guard}: {one_line(reason)}" for guard, reason in item.findings)
        yield from (f"  {one_line(line)}" for line in item.details[1])


def _spread(histogram: blocks.Histogram) -> Grid:
    """Count the first group's scores in ten bins, the highest first."""
    scores = histogram.groups[0].scores
    edges = bin_edges(scores, histogram.bounds, bins=_BINS)
    counts = bin_counts(scores, edges)
    rows = [
        (Label(f"{number(low, 1)} to {number(high, 1)}"), Count(int(n)))
        for low, high, n in zip(edges[:-1], edges[1:], counts, strict=True)
    ]
    shares = counts / max(int(counts.max()), 1)
    bars = tuple(np.flip(shares).tolist())
    return _grid(blocks.DataTable(histogram.heads, tuple(reversed(rows)), bars=bars))


def _cell(cell: Cell, *, is_first: bool) -> Text:
    if isinstance(cell, Quoted) and cell.wraps:
        return Text(on_one_line(cell_text(cell)))
    if isinstance(cell, Quoted):
        return Text(fitted("" if cell.text is None else cell.text, NAME_CELLS if is_first else _TEXT_CELLS))
    if isinstance(cell, Marked):
        return Text(fitted(cell_text(cell), _TEXT_CELLS))
    if isinstance(cell, Label) and cell.brief:
        return Text(printable(cell.brief))
    return Text(printable(cell_text(cell)), style=_COLOURS[cell.level] if isinstance(cell, Flag) else "")


def _titled(title: Line, grid: Grid) -> Iterator[Grid | Text]:
    """Put a title above a grid, which would fold it to its own width."""
    yield Text(f"\n{line_text(title)}" if title else "", style="bold")
    yield grid


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
    for index, column in enumerate(columns):
        table.add_column(column, justify="left" if index == 0 else "right", overflow="fold")
    return table


def bar(share: float, cells: int) -> str:
    """Draw a share of 1 as a bar of so many cells, with letters where the output lacks blocks."""
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    return ("█" if encoding.startswith("utf") else "#") * round(cells * share)


_ELLIPSIS = "…"
_TURNS = dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C), "\ufffd")


def fitted(text: object, cells: int) -> str:
    r"""Make a text one harmless line of at most so many cells; what is too long loses its middle.

    Wide characters, such as Chinese ones, take two cells. Characters that turn the direction of what follows
    them are replaced, because they would turn the rest of a table's line too.

    Args:
        text: the text.
        cells: width to fit into, at least 3.

    Example:
        >>> fitted("north-western region", 11), fitted("north", 11), fitted("東京都千代田区", 7)
        ('north…egion', 'north', '東…区')
        >>> fitted("a\x1b[31m\nb", 20)
        'a␛[31m b'
    """
    line = on_one_line(text)
    if cell_len(line) <= cells:
        return line
    tail = (cells - 1) // 2
    head = cells - 1 - tail
    return f"{_start(line, head).rstrip()}{_ELLIPSIS}{_start(line[::-1], tail)[::-1].lstrip()}"


def on_one_line(text: object) -> str:
    r"""Make a text one harmless line.

    Example:
        >>> on_one_line("a\nb\u202e")
        'a b\ufffd'
    """
    return one_line(text).translate(_TURNS)


def _start(line: str, cells: int) -> str:
    """Take as many characters from the start as fit."""
    width = 0
    for index, character in enumerate(line[: cells + 1]):
        width += cell_len(character)
        if width > cells:
            return line[:index]
    return line[:cells]
