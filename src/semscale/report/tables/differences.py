"""The differences of a table's columns in pairs, folded below the table."""

import math
from typing import TYPE_CHECKING

import numpy as np

from semscale.report.document import Cell, DataTable, Number, Quoted, WithInterval, Words
from semscale.report.formatting import counted
from semscale.report.tables.words import difference_note

if TYPE_CHECKING:
    from semscale.tabulation.asked.question import Line
    from semscale.tabulation.tables.crosstab import Crosstab
    from semscale.tabulation.tables.tabulating import TestSettings

_MOST = 500  # rows of one table, so that a page of many questions by many groups stays small enough to open
_NAME = 60
_HEADS = ("line", "first", "second", "first minus second", "p-value", "adjusted p-value")


def difference_table(table: "Crosstab", tests: "TestSettings") -> DataTable | None:
    """Lay out the difference of each two columns, line by line; ``None`` without two columns.

    Args:
        table: the crosstab.
        tests: how its columns were tested.
    """
    places = list(np.ndindex(table.differences.values.shape))
    if not places:
        return None
    left = len(places) - _MOST
    more = f" {counted(left, 'further row')} in the workbook, .csv and .json." if left > 0 else ""
    return DataTable(
        _HEADS,
        tuple(_row(table, line, pair) for line, pair in places[:_MOST]),
        note=f"{difference_note(tests)}{more}",
        noun="difference",
        detail="full",
        folded=f"Differences of columns ({len(places):,})",
    )


def line_name(line: "Line") -> Words | Quoted:
    """Name a line: an answer as it is, a net or a mean in words."""
    return Words(line.name) if line.is_net or line.kind == "mean" else Quoted(line.name, _NAME)


def _row(table: "Crosstab", line: int, pair: int) -> tuple[Cell, ...]:
    found, asked = table.differences, table.question.lines[line]
    is_share = asked.kind == "share"
    points = 100 if is_share else 1
    value, low, high = (points * float(part[line, pair]) for part in (found.values, found.low, found.high))
    return (
        line_name(asked),
        Quoted(table.columns[found.first[pair]], _NAME),
        Quoted(table.columns[found.second[pair]], _NAME),
        WithInterval(value, low, high, digits=1 if is_share else 2, signed=True),
        _p_value(float(found.p_values[line, pair])),
        _p_value(float(found.adjusted[line, pair])),
    )


def _p_value(p: float) -> Number:
    return Number(None if math.isnan(p) else p, 3, least=0.001)
