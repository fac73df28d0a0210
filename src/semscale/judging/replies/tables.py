"""Finds the heading of the column in which a level of a Markdown table stands."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

_ROWS = re.compile(r"(?:^[ \t]*\|[^\n]*(?:\n|\Z))+", re.MULTILINE)
_RULE = re.compile(r"[\s|:-]*")


@dataclass(frozen=True)
class Row:
    """A row of a table that has one row of values.

    Attributes:
        start: where it begins.
        end: where it ends.
        bars: places of its bars.
        headings: words of the columns.
    """

    start: int
    end: int
    bars: tuple[int, ...]
    headings: tuple[str, ...]

    def heading(self, place: int) -> str:
        """The heading of the column at a place of the row; empty if there is none."""
        column = bisect_right(self.bars, place) - 1
        return self.headings[column] if 0 <= column < len(self.headings) else ""


def value_rows(text: str) -> Sequence[Row]:
    r"""Find the tables with a row of headings and one row of values.

    Args:
        text: as ``readable`` gives it.

    Example:
        >>> [row.headings for row in value_rows("| Score | Why |\n|---|---|\n| 4 | fine |")]
        [('Score', 'Why')]
    """
    found = []
    for table in _ROWS.finditer(text):
        lines = [line for line in re.finditer(r"[^\n]+", table[0]) if not _RULE.fullmatch(line[0])]
        if len(lines) != 2 or lines[0][0].count("|") != lines[1][0].count("|"):  # noqa: PLR2004 - headings and values
            continue
        headings = tuple(cell.strip() for cell in lines[0][0].strip().strip("|").split("|"))
        start = table.start() + lines[1].start()
        bars = tuple(start + bar.start() for bar in re.finditer(r"\|", lines[1][0]))
        found.append(Row(start, start + len(lines[1][0]), bars, headings))
    return found
