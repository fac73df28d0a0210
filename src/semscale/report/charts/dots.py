"""Means as dots on one line a row: one dot for each of several sets of items."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from semscale.report.charts.labels import label_room, names_axis
from semscale.report.charts.palette import MUTED
from semscale.report.charts.theme import Specification, themed

_ROW = 40


@dataclass(frozen=True)
class DotRow:
    """One part of the scores: its mean in several sets of rows, each set with its colour."""

    name: str
    means: tuple[float, ...]


def dots(rows: Sequence[DotRow], colours: Sequence[str], *, width: int) -> Specification:
    """Draw one line a part with a dot for each set of rows.

    Args:
        rows: from top to bottom.
        colours: one a set, in the order of ``means``.
        width: whole width in pixels, labels included.
    """
    import altair as alt

    names = [row.name for row in rows]
    room = label_room(width, names)
    records: list[dict[str, Any]] = [
        {"row": place, "value": mean, "colour": colour}
        for place, row in enumerate(rows)
        for mean, colour in zip(row.means, colours, strict=True)
    ]
    spans = [{"row": place, "low": min(row.means), "high": max(row.means)} for place, row in enumerate(rows)]
    values = [mean for row in rows for mean in row.means]
    low, high = min([0.0, *values]), max([1.0, *values])
    x = alt.X(
        "value:Q",
        axis=alt.Axis(title="mean", tickCount=6, orient="top", domain=False, ticks=False),
        scale=alt.Scale(domain=[low, high], nice=False),
    )
    y = alt.Y("row:O", axis=names_axis(room), scale=alt.Scale(paddingInner=0.2))
    layers = alt.layer(
        alt.Chart(alt.NamedData(name="spans"))
        .mark_rule(stroke=MUTED, strokeWidth=1.5)
        .encode(x="low:Q", x2="high:Q", y=y),
        alt.Chart(alt.NamedData(name="rows"))
        .mark_circle(size=130, opacity=1)
        .encode(x=x, y=y, color=alt.Color("colour:N", scale=None)),
    )
    datasets: dict[str, list[dict[str, Any]]] = {"rows": records, "spans": spans}
    return themed(layers, names, room, datasets, width=width - room, height=_ROW * len(rows))
