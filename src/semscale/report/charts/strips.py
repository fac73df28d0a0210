"""A heat map of many probability mass functions: one narrow column of colours for each item."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from semscale.report.charts.labels import label_room, named_rows, row_height
from semscale.report.charts.palette import MUTED, sequential
from semscale.report.charts.theme import Specification, marks_of, themed
from semscale.types import Floats

if TYPE_CHECKING:
    import altair as alt


_STEPS = 24  # of colour: finer than the eye tells apart
_DIGITS = 1  # of a pixel, to which edges are rounded, so that a compacted picture has no gap between cells


def strips(
    levels: Floats, names: Sequence[str], ticks: Sequence[tuple[int, str]], *, width: int
) -> Specification:
    """Draw one narrow column an item and one row a name, coloured by level: a heat map of many PMFs at once.

    Args:
        levels: shape (rows, items), colours' positions in [0, 1]; equal neighbours are drawn as one piece.
        names: one label a row, from top to bottom.
        ticks: columns, counted from 0, each with the label below its middle.
        width: whole width in pixels.
    """
    import altair as alt

    room = label_room(width, names)
    items = levels.shape[1]
    plot = width - room
    middles = [plot * (column + 0.5) / items for column, _ in ticks]
    edges = [round(plot * column / items, _DIGITS) for column in range(items + 1)]
    drawn = (
        marks_of("rows")
        .mark_rect()
        .encode(
            x=alt.X("start:Q", axis=_ticks_axis(middles), scale=alt.Scale(domain=[0, plot], nice=False)),
            x2=alt.X2("stop:Q"),
            y=named_rows(room, paddingInner=0.06, paddingOuter=0),
            color=alt.Color("colour:N", scale=None),
        )
        .add_params(
            alt.param(name="ticks", value=[label for _, label in ticks]),
            alt.param(name="places", value=middles),
        )
    )
    return themed(
        drawn,
        names,
        room,
        {"rows": _runs(levels, edges)},
        width=plot,
        height=row_height(names, room, max(34, 170 // len(names))) * len(names),
    )


def _ticks_axis(places: Sequence[float]) -> "alt.Axis":
    import altair as alt

    return alt.Axis(
        values=places,
        labelExpr="ticks[indexof(places, datum.value)]",
        title=None,
        grid=False,
        domain=False,
        ticks=True,
        tickColor=MUTED,
        labelFlush=True,
        labelOverlap=False,
    )


def _runs(levels: Floats, edges: Sequence[float]) -> list[dict[str, Any]]:
    """Join equal neighbours of a row; each piece begins where the one before it ends."""
    records = []
    for row, shares in enumerate(np.rint(levels * _STEPS).astype(int)):
        starts = np.flatnonzero(np.diff(shares, prepend=-1))
        stops = [*starts[1:].tolist(), len(shares)]
        for start, stop in zip(starts.tolist(), stops, strict=True):
            records.append(
                {
                    "row": row,
                    "start": edges[start],
                    "stop": edges[stop],
                    "colour": sequential(shares[start] / _STEPS),
                }
            )
    return records
