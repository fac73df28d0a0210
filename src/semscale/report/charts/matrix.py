"""A table of coloured cells with a figure in each."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from semscale.report.charts.labels import (
    NARROW_LIMIT,
    label_room,
    lines_of,
    named_rows,
    row_height,
    text_width,
    words_of,
)
from semscale.report.charts.palette import ink_on
from semscale.report.charts.theme import Specification, marks_of, themed

if TYPE_CHECKING:
    import altair as alt

_CELL = 72  # pixels
_ROW = 34
_WIDEST_CELL = 112
_ROOMY_CELL = 34
_LONGEST_COLUMN_NAME = 24
_MOST_LINES = 2  # of a label above a column
_SIDES = 12  # pixels that a label beside a row keeps free, and one above a column need not


@dataclass(frozen=True)
class MatrixCell:
    """One cell: its colour, its figure, and the figure on narrow screens where that is another."""

    colour: str
    text: str
    short_text: str | None = None

    def shown(self, *, narrow: bool) -> str:
        """Choose the figure for a width."""
        return self.short_text if narrow and self.short_text is not None else self.text


def matrix(
    cells: Sequence[Sequence[MatrixCell]],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    width: int,
    title: str | None = None,
) -> Specification:
    """Draw a table of coloured cells with a figure in each.

    Args:
        cells: row by row.
        rows: labels of the rows.
        columns: labels of the columns; where they would not fit they are broken into two lines, or else
            turned upright.
        width: the most it may take, labels included.
        title: what the columns are.
    """
    import altair as alt

    room, narrow = label_room(width, rows), width < NARROW_LIMIT
    texts = [[cell.shown(narrow=narrow) for cell in row] for row in cells]
    longest = max(map(text_width, [*map(_short, columns), *chain(*texts)]), default=0)
    side = min(max(float(_CELL), longest + 12), (width - room) / max(len(columns), 1), float(_WIDEST_CELL))
    axis, heads = _columns_axis(columns, int(side), title)
    records = [
        {"row": i, "column": j, "colour": cell.colour, "text": texts[i][j], "ink": ink_on(cell.colour)}
        for i, row in enumerate(cells)
        for j, cell in enumerate(row)
    ]
    base = marks_of("rows").encode(
        x=alt.X("column:O", axis=axis, scale=alt.Scale(padding=0.04)), y=named_rows(room, padding=0.06)
    )
    drawn = base.mark_rect().encode(color=alt.Color("colour:N", scale=None))
    size = 12 if side >= _ROOMY_CELL else 9
    figures = base.mark_text(fontSize=size).encode(
        text=alt.Text("text:N"), color=alt.Color("ink:N", scale=None)
    )
    layers = alt.layer(drawn, figures).add_params(alt.param(name="columns", value=heads))
    return themed(
        layers,
        rows,
        room,
        {"rows": records},
        width=side * len(columns),
        height=row_height(rows, room, _ROW) * len(rows),
    )


def _columns_axis(
    columns: Sequence[str], cell: int, title: str | None
) -> "tuple[alt.Axis, list[str] | list[list[str]]]":
    """Build the axis above columns of ``cell`` pixels, and the labels that it writes."""
    import altair as alt

    heads = [_short(name) for name in columns]
    longest = max(map(text_width, heads), default=0)
    lines = [lines_of(name, cell + _SIDES) for name in heads]
    is_whole = all(
        len(some) <= _MOST_LINES and " ".join(some) == " ".join(words_of(name))
        for some, name in zip(lines, heads, strict=True)
    ) and all(text_width(line) <= cell for line in chain(*lines))
    fits = longest <= cell
    upright, in_lines = not fits and not is_whole, not fits and is_whole
    axis = alt.Axis(
        orient="top",
        labelExpr="columns[datum.value]",
        labelAngle=-90 if upright else 0,
        labelLimit=0,
        labelLineHeight=15,
        labelPadding=14 if in_lines else 6,  # a second line hangs half a line lower
        minExtent=longest + 8 if upright else 36 if in_lines else 0,
        title=title,
        titlePadding=8,
    )
    return axis, lines if in_lines else heads


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_COLUMN_NAME else name[: _LONGEST_COLUMN_NAME - 1] + "…"
