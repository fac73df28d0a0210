"""Cells as plain text, the same words in every output."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import assert_never

from semscale.report.document.values import (
    Cell,
    Change,
    Compared,
    Count,
    Flag,
    Line,
    Marked,
    Number,
    Quoted,
    Share,
    WithInterval,
    Words,
)
from semscale.report.formatting import (
    capitalised,
    clipped,
    count,
    number,
    one_line,
    percent,
    percent_with_interval,
    percents_unbroken,
    plain,
    printable,
    signed,
    with_interval,
)


def cell_text(cell: Cell) -> str:  # noqa: C901, PLR0911 - one case for each kind of cell
    """Write a cell as plain text.

    Example:
        >>> from semscale.report.document.values import Share, WithInterval
        >>> cell_text(WithInterval(3.412, 3.349, 3.471)), cell_text(Number(None)), cell_text(Count(3708))
        ('3.41 [3.35, 3.47]', '–', '3,708')
        >>> cell_text(Count(7, is_small=True))
        '7*'
        >>> cell_text(Change(48, 40)), cell_text(Change(1, None)), cell_text(Change(0.106, 0.503, 2))
        ('48 → 40 (−8)', '1 → –', '0.11 → 0.50')
        >>> cell_text(Compared(WithInterval(3.41, 3.35, 3.47), "A C"))
        '3.41 A C'
    """
    match cell:
        case Number(value, digits, is_signed, least, most):
            shown = plain(value) if digits is None else number(value, digits, least=least, most=most)
            return signed(shown) if is_signed else shown
        case Change():
            return _change_text(cell)
        case Count(value, is_small):
            return f"{count(value)}*" if is_small else count(value)
        case Share(value, digits):
            return percent(value, digits)
        case WithInterval():
            return _interval_text(cell)
        case Compared(figure, mark, is_small):
            alone = replace(figure, low=math.nan, high=math.nan)
            return f"{_interval_text(alone)}{'*' if is_small else ''} {mark}".rstrip()
        case Words(text) | Flag(text):
            return text
        case Quoted(text, limit):
            return clipped("" if text is None else text, limit).shown
        case Marked(pieces):
            return one_line("".join(piece.text for piece in pieces))
        case _:
            assert_never(cell)


def is_wordy(rows: Iterable[Sequence[Cell]], place: int) -> bool:
    """Say whether a column holds words alone, which stand at the left."""
    return all(isinstance(row[place], Words | Quoted | Flag | Marked) for row in rows)


def line_text(line: Line) -> str:
    """Write a line as plain text, a user's words on one line."""
    match line:
        case str():
            return printable(line)
        case Quoted(text, limit):
            return clipped(text, limit).shown
        case _:
            return "".join(line_text(part) for part in line)


def unbroken(line: Line) -> Line:
    """Hold each number and its percent sign together in Semscale's own words; a user's stay as they are.

    Example:
        >>> unbroken(("95 % of ", Quoted("5 %"))) == ("95\u00a0% of ", Quoted("5 %"))
        True
    """
    match line:
        case str():
            return percents_unbroken(line)
        case Quoted():
            return line
        case _:
            return tuple(percents_unbroken(part) if isinstance(part, str) else part for part in line)


def heading_text(head: Line) -> str:
    """Write a heading on a page: Semscale's words at its start begin with a capital, a user's stay.

    Example:
        >>> heading_text("mean score"), heading_text(Quoted("gpt")), heading_text((Quoted("gpt"), ": score"))
        ('Mean score', 'gpt', 'gpt: score')
    """
    match head:
        case str():
            return capitalised(line_text(head))
        case (str(first), *others):
            return line_text((capitalised(first), *others))
        case _:
            return line_text(head)


def _change_text(cell: Change) -> str:
    before, after = cell.before, cell.after
    if cell.digits is not None:
        return f"{number(before, cell.digits)} → {number(after, cell.digits)}"
    difference = None if before is None or after is None else after - before
    known = "" if difference is None else f" ({signed(plain(difference))})"
    return f"{plain(before)} → {plain(after)}{known}"


def _interval_text(cell: WithInterval) -> str:
    shown = percent_with_interval(cell) if cell.is_share else with_interval(cell, cell.digits)
    if cell.signed:
        shown = signed(shown)
    no_interval = cell.low != cell.low  # noqa: PLR0124 - NaN
    return f"{shown} ({cell.note})" if cell.note and no_interval else shown
