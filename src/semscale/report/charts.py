"""The charts that both pages share, as Vega-Lite made with Altair, for a given width in pixels."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from semscale.report.labels import NARROW_LIMIT, label_room, lines_of, names_axis, text_width, words_of
from semscale.report.palette import BAR, GRID, INK, MUTED, ink_on, sequential
from semscale.types import Floats

if TYPE_CHECKING:
    import altair as alt

Specification = dict[str, Any]
"""A Vega-Lite chart with its data inside."""

_FONT_SIZE = 13
_ROW = 38
_ROW_OF_TWO = 52
_CELL = 72  # pixels
_WIDEST_CELL = 112
_ROOMY_CELL = 34
_LONGEST_COLUMN_NAME = 24
_SIDES = 12  # pixels that a label beside a row keeps free, and one above a column need not
_TEXT_ROOM = {True: 64, False: 170}  # pixels to the right of the longest bar, for its figures


@dataclass(frozen=True)
class Bar:
    """One bar: its row, length, the ends of its whisker (None without one) and the figures beside it."""

    row: int
    share: float
    low: float | None
    high: float | None
    text: str
    short_text: str
    colour: str = BAR

    @property
    def reach(self) -> float:
        """Where the figures can start."""
        return max(self.share, self.high or 0.0)

    def record(self, slot: int, *, narrow: bool) -> dict[str, Any]:
        """Return the row of the chart's table; ``slot`` counts the bars of one row from the top."""
        return {
            "row": self.row,
            "slot": slot,
            "share": self.share,
            "low": self.low,
            "high": self.high,
            "reach": self.reach,
            "text": self.short_text if narrow else self.text,
            "colour": self.colour,
        }


def bars(values: Sequence[Bar], names: Sequence[str], width: int) -> Specification:
    """Draw horizontal bars with interval whiskers and their figures; bars of one row stand below each other.

    Args:
        values: bars in the order in which they are drawn.
        names: one label a row, from top to bottom.
        width: whole width in pixels, labels included.
    """
    import altair as alt

    room, narrow = label_room(width, names), width < NARROW_LIMIT
    plot = width - room
    longest = max((bar.reach for bar in values), default=0.0) or 1.0
    domain = [0, longest * plot / (plot - _TEXT_ROOM[narrow])]
    slots = _slots([bar.row for bar in values])
    single = max(slots, default=0) == 0
    records = [bar.record(slot, narrow=narrow) for bar, slot in zip(values, slots, strict=True)]
    base = alt.Chart(alt.NamedData(name="rows")).encode(
        y=alt.Y("row:O", axis=names_axis(room), scale=alt.Scale(paddingInner=0.2, paddingOuter=0.05)),
        yOffset=alt.YOffset("slot:O", scale=alt.Scale(paddingInner=0.1)),
    )
    length = alt.X("share:Q", axis=None, scale=alt.Scale(domain=domain, nice=False))
    drawn = base.mark_bar(size=22 if single else 16).encode(x=length, color=alt.Color("colour:N", scale=None))
    whisker = base.mark_rule(stroke=INK, strokeWidth=1.5).encode(x="low:Q", x2="high:Q")
    figures = base.mark_text(align="left", dx=9, fill=INK, fontSize=_FONT_SIZE)
    layers = alt.layer(drawn, whisker, figures.encode(x="reach:Q", text="text:N"))
    return themed(
        layers,
        names,
        room,
        {"rows": records},
        width=plot,
        height=(_ROW if single else _ROW_OF_TWO) * len(names),
    )


def matrix(
    colours: Sequence[Sequence[str]],
    texts: Sequence[Sequence[str]],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    width: int,
    title: str | None = None,
) -> Specification:
    """Draw a table of coloured cells with a figure in each.

    Args:
        colours: one colour a cell, row by row.
        texts: one figure a cell, row by row.
        rows: labels of the rows.
        columns: labels of the columns; where they would not fit they are broken into two lines, or else
            turned upright.
        width: the most it may take, labels included.
        title: what the columns are.
    """
    import altair as alt

    room = label_room(width, rows)
    longest = max(map(text_width, [*map(_short, columns), *chain(*texts)]), default=0)
    cell = min(max(float(_CELL), longest + 12), (width - room) / max(len(columns), 1), float(_WIDEST_CELL))
    axis, heads = _columns_axis(columns, int(cell), title)
    records = [
        {"row": i, "column": j, "colour": colours[i][j], "text": texts[i][j], "ink": ink_on(colours[i][j])}
        for i in range(len(rows))
        for j in range(len(columns))
    ]
    base = alt.Chart(alt.NamedData(name="rows")).encode(
        x=alt.X("column:O", axis=axis, scale=alt.Scale(padding=0.04)),
        y=alt.Y("row:O", axis=names_axis(room), scale=alt.Scale(padding=0.06)),
    )
    cells = base.mark_rect().encode(color=alt.Color("colour:N", scale=None))
    size = 12 if cell >= _ROOMY_CELL else 9
    figures = base.mark_text(fontSize=size).encode(text="text:N", color=alt.Color("ink:N", scale=None))
    layers = alt.layer(cells, figures).add_params(alt.param(name="columns", value=heads))
    return themed(layers, rows, room, {"rows": records}, width=cell * len(columns), height=34 * len(rows))


def strips(
    levels: Floats, names: Sequence[str], ticks: Sequence[tuple[float, str]], *, width: int
) -> Specification:
    """Draw one narrow column an item and one row a name, coloured by level: a heat map of many PMFs at once.

    Args:
        levels: shape (rows, items), colours' positions in [0, 1]; equal neighbours are drawn as one piece.
        names: one label a row, from top to bottom.
        ticks: positions between 0 and the number of items, each with its label.
        width: whole width in pixels.
    """
    import altair as alt

    room = label_room(width, names)
    items = levels.shape[1]
    drawn = (
        alt.Chart(alt.NamedData(name="rows"))
        .mark_rect()
        .encode(
            x=alt.X("start:Q", axis=_ticks_axis(ticks), scale=alt.Scale(domain=[0, items], nice=False)),
            x2="stop:Q",
            y=alt.Y("row:O", axis=names_axis(room), scale=alt.Scale(paddingInner=0.06, paddingOuter=0)),
            color=alt.Color("colour:N", scale=None),
        )
        .add_params(
            alt.param(name="ticks", value=[label for _, label in ticks]),
            alt.param(name="places", value=[position for position, _ in ticks]),
        )
    )
    return themed(
        drawn,
        names,
        room,
        {"rows": _runs(levels)},
        width=width - room,
        height=max(34, 170 // len(names)) * len(names),
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
        " ".join(some) == " ".join(words_of(name)) for some, name in zip(lines, heads, strict=True)
    )
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
        domain=False,
        ticks=False,
    )
    return axis, lines if in_lines else heads


def _ticks_axis(ticks: Sequence[tuple[float, str]]) -> "alt.Axis":
    import altair as alt

    return alt.Axis(
        values=[position for position, _ in ticks],
        labelExpr="ticks[indexof(places, datum.value)]",
        title=None,
        grid=False,
        domain=False,
        tickColor=MUTED,
        labelFlush=True,
        labelOverlap=False,
    )


def _runs(levels: Floats, steps: int = 24) -> list[dict[str, Any]]:
    """Join equal neighbours of a row; 24 steps of colour are finer than the eye tells apart."""
    records = []
    overlap = 0.3  # of an item, so that the paper does not shine through between two pieces
    for row, shares in enumerate(np.rint(levels * steps).astype(int)):
        starts = np.flatnonzero(np.diff(shares, prepend=-1))
        stops = [*starts[1:].tolist(), len(shares)]
        for start, stop in zip(starts.tolist(), stops, strict=True):
            records.append(
                {
                    "row": row,
                    "start": start,
                    "stop": min(stop + overlap, len(shares)),
                    "colour": sequential(shares[start] / steps),
                }
            )
    return records


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_COLUMN_NAME else name[: _LONGEST_COLUMN_NAME - 1] + "…"


def _slots(rows: Sequence[int]) -> list[int]:
    seen: dict[int, int] = {}
    slots = []
    for row in rows:
        slots.append(seen.get(row, 0))
        seen[row] = slots[-1] + 1
    return slots


def themed(
    chart: Any,  # noqa: ANN401 - Altair's charts share no useful base
    names: Sequence[str],
    room: int,
    datasets: dict[str, list[dict[str, Any]]],
    **size: float,
) -> Specification:
    """Give a chart its row labels, its size, the page's look, and last its data, which Altair would copy."""
    import altair as alt

    sized = chart.properties(**size) if size else chart
    look = (
        sized.add_params(alt.param(name="names", value=[lines_of(name, room) for name in names]))
        .configure(background="transparent", aria=False, padding=4)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=INK,
            labelFontSize=_FONT_SIZE,
            titleColor=MUTED,
            titleFontSize=_FONT_SIZE,
            titleFontWeight="normal",
            gridColor=GRID,
            domainColor=GRID,
            tickColor=GRID,
        )
        .configure_concat(spacing=14)
    )
    specification: Specification = look.to_dict(validate=False)
    return specification | {"datasets": datasets}
