"""Documents on the screen: tables with colour on a terminal, plain aligned text in a pipe."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import assert_never

from rich import box
from rich.cells import cell_len, chop_cells
from rich.console import Console
from rich.table import Table
from rich.text import Text

from semscale.report import document as blocks
from semscale.report.document import (
    Cell,
    Count,
    DataTable,
    Decision,
    Document,
    Flag,
    Label,
    Line,
    Marked,
    Quoted,
    brief_text,
    detail_of,
    flat,
)
from semscale.report.formatting import cell_text, count_of, is_wordy, line_text, one_line, printable

_NAME_CELLS = 30  # of the terminal
_TEXT_CELLS = 44
_WIDEST_COLUMN = 72  # a longer cell takes several lines
_BAR = 24
_QUIET = "dim"
_PIPE_WIDTH, _WIDEST = 200, 10_000
_COLOURS = {"pass": "green", "warn": "yellow", "fail": "red"}


def print_document(
    document: Document, *, written: Iterable[tuple[str, object]] = (), whole_signature: bool = True
) -> None:
    """Print the brief form of a document to standard output.

    Args:
        document: what to show.
        written: written files, each after its kind.
        whole_signature: true to print the signature instead of its hash.
    """
    open_console = partial(Console, highlight=False, markup=False, emoji=False)  # texts stay as they are
    if sys.stdout.isatty():
        _print(open_console(), document, _ending(document, [*written], whole=whole_signature))
        return
    # A pipe has no width, and wrapped lines would be useless for the next program.
    console = open_console(width=_WIDEST, color_system=None, legacy_windows=False)
    with console.capture() as captured:
        _print(console, document, _ending(document, [*written], whole=whole_signature))
    sys.stdout.write("\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n")


def _print(console: Console, document: Document, ending: Iterable[Text]) -> None:
    for text in _beginning(document):
        console.print(text)
    lead = [document.lead] if isinstance(document.lead, blocks.Figure) else []
    for block in flat([*lead, *(block for section in document.sections for block in section.blocks)]):
        for shown in _brief(block):
            console.print(shown)
    for text in ending:
        console.print(text)


def _beginning(document: Document) -> Iterator[Text]:
    """Return the lines above the tables: decision, next step and counts."""
    source = line_text(document.source[0]) if document.source else ""
    name, lead = one_line(document.name), document.lead
    head = Text(name, style="bold")
    if isinstance(lead, Decision):
        head = Text(f"{name} {lead.text}", style=f"bold {_COLOURS[lead.level]}")
    yield Text.assemble(head, (f"  {source}", _QUIET))
    for warning in document.brief_sentences("warning"):
        yield Text(printable(warning), style="bold yellow")
    for paragraph in document.introduction:
        if paragraph.style == "lead":
            yield Text(line_text(brief_text(paragraph)), style="bold")
    if document.next_step:
        yield Text(printable(document.brief_next_step or document.next_step), style="bold")
    for line in document.brief_introduction:
        yield Text(line_text(line))


def _ending(document: Document, written: Sequence[tuple[str, object]], *, whole: bool) -> Iterator[Text]:
    """Return the lines below the tables: cautions, notes, signature, written files and ending."""
    cautions, notes = document.brief_sentences("caution"), document.brief_sentences("note")
    for line in ["", *cautions] if cautions else []:
        yield Text(printable(line), style="yellow")
    for line in ["", *notes] if notes or document.signature or written else []:
        yield Text(printable(line), style=_QUIET)
    if document.signature is not None:
        signature = printable(document.signature) if whole else f"{document.signature.digest} (--signature)"
        yield Text(f"signature: {signature}", style=_QUIET)
    for name, path in written:
        yield Text(f"{name}: {printable(path)}")
    if document.ending is not None:
        text, level = document.ending
        yield Text(f"\n{printable(text)}", style=_COLOURS[level])


def _brief(block: blocks.Block) -> Iterator[Table | Text]:  # noqa: C901 - one case for each kind of block
    """Return the brief rendering of a block; empty for a block of full renderings."""
    match block:
        case blocks.DataTable():
            yield from _table(block)
        case blocks.Figure(table=table):
            yield from _table(table)
        case blocks.Paragraph(detail=detail):
            if detail != "full":
                yield Text(f"\n{line_text(brief_text(block))}")
        case blocks.Items() | blocks.ComparedItems():
            yield from _items(block)
        case blocks.Findings(items):
            if detail_of(block) != "full":
                yield Text("")
                yield from (
                    Text(f"{level}  {line_text(line)}", style=_COLOURS[level]) for level, line in items
                )
        case blocks.SideBySide() | blocks.Verbatims() | blocks.Reasons():
            return  # blocks only for pages; columns are flattened
        case _:
            assert_never(block)


def _table(table: DataTable) -> Iterator[Table | Text]:
    if detail_of(table) != "full":
        yield from _with_title(table.brief_title or table.title, _grid(table))


def _items(block: blocks.Items | blocks.ComparedItems) -> Iterator[Table | Text]:
    if not block.brief_title:
        return
    shown = block.items[: block.most]
    if isinstance(block, blocks.ComparedItems):
        listed = DataTable(block.heads, tuple(item.brief for item in shown))
        yield from _with_title(block.brief_title, _grid(listed, name_cells=_TEXT_CELLS))
        return
    rows = tuple((Count(item.row), item.score, *item.brief) for item in block.items[: block.most])
    yield from _with_title(block.brief_title, _grid(DataTable((block.noun, "score", *block.heads), rows)))
    if block.is_explained:
        yield Text("\nWhy", style="bold")
        yield Text("\n".join(_reasons(block)))


def _grid(table: DataTable, *, name_cells: int = _NAME_CELLS) -> Table:
    """Return a table with names at the left, figures at the right, and bars if it has any."""
    width = table.brief or len(table.columns) - table.explained
    heads = [_fit(line_text(head), _NAME_CELLS) for head in table.columns[:width]]
    grid = Table(
        box=box.SIMPLE_HEAD if sys.stdout.isatty() else None,
        show_header=any(heads),
        header_style="bold",
        pad_edge=False,
        padding=(0, 2, 0, 0),
        show_edge=False,
    )
    for index, head in enumerate(heads):
        is_left = index == 0 or is_wordy(table.rows, index)
        grid.add_column(
            head, justify="left" if is_left else "right", overflow="fold", max_width=_WIDEST_COLUMN
        )
    if table.bars:
        grid.add_column("", overflow="fold")
    longest = max(table.bars, default=0.0) or 1.0
    for index, row in enumerate(table.rows[: table.most]):
        cells = [
            _cell(cell, name_cells if column == 0 else _TEXT_CELLS) for column, cell in enumerate(row[:width])
        ]
        drawn = [Text(_bar(table.bars[index] / longest), style="cyan")] if table.bars else []
        grid.add_row(*cells, *drawn)
    if len(table.rows) > table.most:
        more = count_of(len(table.rows) - table.most, f"more {table.noun}")
        grid.add_row(f"... and {more}; --json has all")
    return grid


def _reasons(block: blocks.Items) -> Iterator[str]:
    """Return lines that explain the score of each item."""
    for item in block.items[: block.most]:
        parts = ", ".join(f"{line_text(name)} {cell_text(value)}" for name, value in item.parts)
        score = f"{block.noun} {item.row:,}, {cell_text(item.score)}"
        yield f"{score}: {parts}" if parts else score
        yield from (f"  {guard}: {one_line(reason)}" for guard, reason in item.findings)
        yield from (f"  {one_line(line)}" for line in item.details[1])


def _cell(cell: Cell, cells: int) -> Text:
    match cell:
        case Quoted(wraps=True):
            return Text(_single_line(cell_text(cell)))
        case Quoted(text):
            return Text(_fit("" if text is None else text, cells))
        case Marked():
            return Text(_fit(cell_text(cell), _TEXT_CELLS))
        case Label(brief=brief) if brief:
            return Text(printable(brief))
        case _:
            style = _COLOURS[cell.level] if isinstance(cell, Flag) else ""
            return Text(printable(cell_text(cell)), style=style)


def _with_title(title: Line, grid: Table) -> Iterator[Table | Text]:
    """Put a title above a grid; as part of the grid, it would be wrapped to the grid's width."""
    yield Text(f"\n{line_text(title)}" if title else "", style="bold")
    yield grid


def print_table(table: Table) -> None:
    """Print a table of rich to standard output."""
    console = Console()
    (console if console.is_terminal else Console(width=_PIPE_WIDTH)).print(table)


def _bar(share: float) -> str:
    """Draw a share of 1 as a bar, with letters if the output does not support block characters."""
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    return ("█" if encoding.startswith("utf") else "#") * round(_BAR * share)


_TURNS = dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C), "\ufffd")


def _fit(text: object, cells: int) -> str:
    r"""Return a text as a safe line of at most ``cells`` cells; the middle of a longer text is omitted.

    If it contains one mark of a quotation, this mark remains beside the ellipsis, so that quotations end.

    Wide characters, such as Chinese ones, take two cells. Characters that change the text direction are
    replaced, because they would affect the rest of a table's line.

    Args:
        text: the text.
        cells: greatest width in cells, at least 3.

    Examples:
        >>> _fit("north-western region", 11), _fit("north", 11), _fit("東京都千代田区", 7)
        ('north…egion', 'north', '東…区')
        >>> _fit('The sentence says "not cover", the claim "covers".', 45)
        'The sentence says "not…", the claim "covers".'
        >>> _fit("a\x1b[31m\nb", 20)
        'a␛[31m b'
    """
    line = _single_line(text)
    if cell_len(line) <= cells:
        return line
    tail = (cells - 1) // 2
    end = chop_cells(line[::-1], tail)[0][::-1].lstrip()
    shown = [
        f"{chop_cells(line, cells - 1 - tail - shorter)[0].rstrip()}…{mark}{end}"
        for shorter, mark in ((0, ""), (1, '"'), (1, ""))
    ]
    is_whole = line.count('"') % 2 == 0
    return next((text for text in shown if is_whole and text.count('"') % 2 == 0), shown[0])


def _single_line(text: object) -> str:
    r"""Return a text as a safe single line.

    Examples:
        >>> _single_line("a\nb\u202e")
        'a b\ufffd'
    """
    return one_line(text).translate(_TURNS)
