"""Many probability mass functions at once: one narrow column of colours an item."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from semscale.report.charts.labels import label_room, names_axis
from semscale.report.charts.palette import MUTED, sequential
from semscale.report.charts.theme import Specification, themed
from semscale.types import Floats

if TYPE_CHECKING:
    import altair as alt


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
