"""The sheet of a workbook that lists the differences of columns, one row a line and pair."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from semscale.report.formatting import counted, one_line, printable
from semscale.report.tables.words import difference_note
from semscale.store.workbook import MAX_ROWS

if TYPE_CHECKING:
    from semscale.tabulation.summary import Crosstabs
    from semscale.tabulation.tables.crosstab import Crosstab

NAME = "Differences"
"""Name of the sheet."""

_HEADS = ("Question", "Banner", "Line", "First", "Second", "First minus second", "Lower", "Upper", "p",
          "Adjusted p")  # fmt: skip
_WIDTHS = (30, 20, 24, 20, 20, 14, 11, 11, 11, 11)
_HEAD_ROW = 3
_SHARE, _MEAN, _P = "+0.0%;-0.0%;0.0%", "+0.00;-0.00;0.00", "0.000"
_FIRST_FIGURE = 5
Look = Callable[..., Any]
"""Gives the format of XlsxWriter that a name and a format of numbers stand for."""


def write_differences(
    sheet: Any,  # noqa: ANN401 - XlsxWriter has no types
    summary: "Crosstabs",
    look: Look,
    most: int = MAX_ROWS - _HEAD_ROW,
) -> None:
    """Write all differences of columns, table by table.

    Args:
        sheet: an empty sheet.
        summary: the tables.
        look: gives formats.
        most: rows that the sheet holds; a note says how many more there are.
    """
    total = sum(table.differences.values.size for table in summary.tables)
    sheet.write_string(0, 0, "Differences of columns", look("title"))
    sheet.write_string(1, 0, difference_note(summary.plan.tests), look("note"))
    if total > most:
        left = counted(total - most, "further row")
        sheet.write_string(2, 0, f"{left} stand in .csv, .parquet and .json alone.", look("note"))
    for column, (head, width) in enumerate(zip(_HEADS, _WIDTHS, strict=True)):
        sheet.set_column(column, column, width)
        sheet.write_string(_HEAD_ROW, column, head, look("head"))
    row = _HEAD_ROW
    for table in summary.tables:
        for line, pair in np.ndindex(table.differences.values.shape):
            if row - _HEAD_ROW >= most:
                break
            row += 1
            _write_row(sheet, row, table, (line, pair), look)
    sheet.autofilter(_HEAD_ROW, 0, row, len(_HEADS) - 1)
    sheet.freeze_panes(_HEAD_ROW + 1, 0)


def _write_row(
    sheet: Any,  # noqa: ANN401 - XlsxWriter has no types
    row: int,
    table: "Crosstab",
    cell: tuple[int, int],
    look: Look,
) -> None:
    found, (place, pair) = table.differences, cell
    line = table.question.lines[place]
    names: Sequence[str] = (
        table.question.text,
        table.banner.title,
        line.name,
        table.columns[found.first[pair]],
        table.columns[found.second[pair]],
    )
    for column, name in enumerate(names):
        sheet.write_string(row, column, printable(one_line(name)), look("name"))
    form = _SHARE if line.kind == "share" else _MEAN
    figures = (found.values, found.low, found.high, found.p_values, found.adjusted)
    for column, (part, shown) in enumerate(zip(figures, (form, form, form, _P, _P), strict=True)):
        if np.isfinite(part[cell]):
            sheet.write_number(row, _FIRST_FIGURE + column, float(part[cell]), look("name", shown))
