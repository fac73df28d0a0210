"""Rows with a dot for the mean of each of several sets of items."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from semscale.report.charts.labels import label_room, named_rows, row_height
from semscale.report.charts.palette import MUTED
from semscale.report.charts.theme import Specification, marks_of, themed

_ROW = 40


@dataclass(frozen=True)
class DotRow:
    """One line: its name, and a mean for each set of items, each set with its colour."""

    name: str
    means: tuple[float, ...]


def dots(rows: Sequence[DotRow], colours: Sequence[str], *, title: str = "mean", width: int) -> Specification:
    """Draw one line a row with a dot for each set of items.

    Args:
        rows: from top to bottom; a mean that is NaN is left out.
        colours: one a set, in the order of ``means``.
        title: what the axis shows.
        width: whole width in pixels, labels included.
    """
    import altair as alt

    names = [row.name for row in rows]
    room = label_room(width, names)
    records: list[dict[str, Any]] = [
        {"row": place, "value": mean, "colour": colour}
        for place, row in enumerate(rows)
        for mean, colour in zip(row.means, colours, strict=True)
        if math.isfinite(mean)
    ]
    known = {place: [one["value"] for one in records if one["row"] == place] for place in range(len(rows))}
    spans = [{"row": place, "low": min(means), "high": max(means)} for place, means in known.items() if means]
    values = [one["value"] for one in records]
    low, high = min([0.0, *values]), max([1.0, *values])
    x = alt.X(
        "value:Q",
        axis=alt.Axis(title=title, tickCount=6, orient="top"),
        scale=alt.Scale(domain=[low, high], nice=False),
    )
    y = named_rows(room, paddingInner=0.2)
    layers = alt.layer(
        marks_of("spans")
        .mark_rule(stroke=MUTED, strokeWidth=1.5)
        .encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"), y=y),
        marks_of("rows")
        .mark_circle(size=130, opacity=1)
        .encode(x=x, y=y, color=alt.Color("colour:N", scale=None)),
    )
    datasets: dict[str, list[dict[str, Any]]] = {"rows": records, "spans": spans}
    return themed(
        layers, names, room, datasets, width=width - room, height=row_height(names, room, _ROW) * len(rows)
    )
