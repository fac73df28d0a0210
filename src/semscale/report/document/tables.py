"""Blocks of rows: tables of values, and the reasons why rows were left out."""

from dataclasses import dataclass

from semscale.report.document.values import Cell, Detail, Line, Quoted


@dataclass(frozen=True)
class DataTable:
    """Rows of values; the first column names the row.

    Attributes:
        columns: headings; empty for a column that needs none.
        rows: cells, as many a row as there are columns.
        title: above the table.
        note: what the table leaves out, if anything.
        explained: whether the last column explains the others, and is left out of brief renderings.
        bars: lengths from 0 to 1, one a row, that a brief rendering draws beside the rows.
        most: rows that a brief rendering shows.
        noun: what a row is called.
        detail: which renderings have it.
        brief_title: above the table in a brief rendering, where a section's title says the same on a page.
        brief: how many columns, from the first, a brief rendering shows; all unless given.
        folded: words that a page shows in the table's place until a reader opens it; it is open if empty.
        is_crosstab: whether a page holds the first column in view while the others are scrolled.
    """

    columns: tuple[str | Quoted, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: Line = ""
    note: str = ""
    explained: bool = False
    bars: tuple[float, ...] = ()
    most: int = 50
    noun: str = "row"
    detail: Detail = "both"
    brief_title: Line = ""
    brief: int | None = None
    folded: str = ""
    is_crosstab: bool = False


@dataclass(frozen=True)
class Reason:
    """Rows that were left out for one reason.

    Attributes:
        status: the reason in a word.
        meaning: what it means.
        n: rows.
        share: of all rows.
        examples: numbers of rows from 1, with their texts.
    """

    status: str
    meaning: str
    n: int
    share: float
    examples: tuple[tuple[int, Quoted], ...] = ()


@dataclass(frozen=True)
class Reasons:
    """Why rows were left out, the most frequent reason first.

    Attributes:
        reasons: in that order.
        noun: what a row is called.
    """

    reasons: tuple[Reason, ...]
    noun: str = "row"
