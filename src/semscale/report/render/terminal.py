"""Documents on the screen: tables with colour on a terminal, plain aligned text in a pipe."""

from collections.abc import Iterator, Mapping, Sequence
from typing import assert_never

import numpy as np
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from semscale.report.cells import cell_text, is_wordy, line_text
from semscale.report.charts.score_bins import bin_counts, bin_edges
from semscale.report.document import blocks
from semscale.report.document.document import Decision, Document, detail_of, flat
from semscale.report.document.values import Cell, Count, Flag, Line, Marked, Quoted, Words
from semscale.report.formatting import counted, number, one_line, printable
from semscale.report.render.fitting import fitted, on_one_line
from semscale.report.render.grids import bar, figure_grid, print_plainly

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
            for one in flat([block]):
                yield from _brief(one)
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
    for place in range(1, width):
        if is_wordy(table.rows, place):
            grid.columns[place].justify = "left"
    if table.bars:
        grid.columns[-1].justify = "left"
    longest = max(table.bars, default=0.0) or 1.0
    for place, row in enumerate(table.rows[: table.most]):
        cells = [_cell(cell, is_first=column == 0) for column, cell in enumerate(row[:width])]
        drawn = [Text(bar(table.bars[place] / longest, _BAR), style="cyan")] if table.bars else []
        grid.add_row(*cells, *drawn)
    if len(table.rows) > table.most:
        more = counted(len(table.rows) - table.most, f"more {table.noun}")
        grid.add_row(f"... and {more}; --json has all")
    return grid


def _listing(heads: tuple[str, ...], rows: Sequence[Sequence[Cell]]) -> Grid:
    grid = figure_grid(*heads)
    for place in range(len(heads)):
        if place and is_wordy(rows, place):
            grid.columns[place].justify = "left"
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
        (Words(f"{number(low, 1)} to {number(high, 1)}"), Count(int(n)))
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
    if isinstance(cell, Words) and cell.brief:
        return Text(printable(cell.brief))
    return Text(printable(cell_text(cell)), style=_COLOURS[cell.level] if isinstance(cell, Flag) else "")


def _titled(title: Line, grid: Grid) -> Iterator[Grid | Text]:
    """Put a title above a grid, which would fold it to its own width."""
    yield Text(f"\n{line_text(title)}" if title else "", style="bold")
    yield grid
