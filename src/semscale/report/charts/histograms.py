"""Histograms one below the other on one axis, each with its mean and interval."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from semscale.report.charts.labels import NARROW_LIMIT, label_room, names_axis, row_height
from semscale.report.charts.palette import ACCENT, BAR, CARD, GRID, INK, NEUTRAL
from semscale.report.charts.theme import Specification, marks_of, themed
from semscale.types import Floats

HISTOGRAM, GROUP, UNRELATED = ACCENT, BAR, NEUTRAL
"""Colours of all rows, of a group, and of unrelated pairs."""

_TALL, _LOW = 104, 66  # pixels of a row: with few rows, with many
_FEW = 5
_REACH = 0.8  # of a row, that its longest bar takes
_BELOW = 0.13  # of a row, between its baseline and its mean


@dataclass(frozen=True)
class HistogramRow:
    """One histogram: its name, the share of scores in each bin, the mean and the ends of its interval."""

    name: str
    shares: Floats
    mean: float
    low: float | None
    high: float | None
    colour: str


def histograms(
    rows: Sequence[HistogramRow], edges: Floats, *, title: str = "score", width: int
) -> Specification:
    """Draw histograms with one axis, each as tall as its greatest share, with its mean below.

    Args:
        rows: from top to bottom.
        edges: of the bins, shape (bins + 1,).
        title: what the axis shows.
        width: whole width in pixels, labels included.
    """
    import altair as alt

    names = [row.name for row in rows]
    room = label_room(width, names)
    ticks = 6 if width < NARROW_LIMIT else 11
    x = alt.X(
        "start:Q",
        axis=alt.Axis(title=title, tickCount=ticks, grid=True),
        scale=alt.Scale(domain=[float(edges[0]), float(edges[-1])], nice=False, zero=False),
    )
    y = alt.Y(
        "top:Q",
        axis=names_axis(room, values=list(range(len(rows))), grid=False, labelBaseline="bottom"),
        scale=alt.Scale(domain=[len(rows) - 1 + 2 * _BELOW, -_REACH - 0.12], nice=False, zero=False),
    )
    colour = alt.Color("colour:N", scale=None)
    bars = marks_of("bars").mark_rect(stroke=CARD, strokeWidth=1)
    lines = marks_of("means")
    layers = alt.layer(
        marks_of("means").mark_rule(stroke=GRID).encode(y=alt.Y("row:Q")),
        bars.encode(x=x, x2=alt.X2("stop:Q"), y=y, y2=alt.Y2("bottom:Q"), color=colour),
        lines.mark_rule(stroke=INK, strokeWidth=2).encode(
            x=alt.X("low:Q"), x2=alt.X2("high:Q"), y=alt.Y("below:Q")
        ),
        lines.mark_circle(size=64, color=INK, opacity=1).encode(x=alt.X("mean:Q"), y=alt.Y("below:Q")),
    )
    height = row_height(names, room, _TALL if len(rows) <= _FEW else _LOW) * len(rows)
    return themed(layers, names, room, _histogram_data(rows, edges), width=width - room, height=height)


def _histogram_data(rows: Sequence[HistogramRow], edges: Floats) -> dict[str, list[dict[str, Any]]]:
    bars = [
        {
            "start": float(start),
            "stop": float(stop),
            "top": place - _REACH * float(share / row.shares.max()),
            "bottom": place,
            "colour": row.colour,
        }
        for place, row in enumerate(rows)
        for start, stop, share in zip(edges[:-1], edges[1:], row.shares, strict=True)
        if share > 0
    ]
    means = [
        {"row": place, "below": place + _BELOW, "mean": row.mean, "low": row.low, "high": row.high}
        for place, row in enumerate(rows)
    ]
    return {"bars": bars, "means": means}
