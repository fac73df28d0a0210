"""Groups compared: the mean of each with its interval, beside its whole distribution."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from semscale.report.charts.labels import NARROW_LIMIT, label_room, named_rows, row_height
from semscale.report.charts.palette import ACCENT, CARD, MUTED, ink_on
from semscale.report.charts.theme import Specification, marks_of, themed

if TYPE_CHECKING:
    import altair as alt

_ROW = 30
_ROOM_FOR_A_FIGURE = 34  # pixels that "12 %" takes inside a piece of a bar


@dataclass(frozen=True)
class GroupRow:
    """One row: the group's mean, the ends of its interval (None without one) and the mass of each point."""

    name: str
    mean: float
    low: float | None
    high: float | None
    pmf: tuple[float, ...]


def group_rows(
    rows: Sequence[GroupRow], colours: Sequence[str], *, reference: float, width: int
) -> Specification:
    """Draw groups from top to bottom; on a narrow screen the distributions follow beneath the means.

    Args:
        rows: at least one group.
        colours: one a scale point, from low to high.
        reference: mean of everything, drawn as a line.
        width: whole width in pixels, labels included.
    """
    import altair as alt

    names = [row.name for row in rows]
    room = label_room(width, names)
    narrow = width < NARROW_LIMIT
    left = width - room if narrow else round((width - room) * 0.42)
    right = width - room if narrow else width - room - left - 22
    height = row_height(names, room, _ROW) * len(rows)
    means = _means(rows, reference, room).properties(width=left, height=height)
    masses = _masses(room if narrow else 0).properties(width=right, height=height)
    both = alt.vconcat(means, masses) if narrow else alt.hconcat(means, masses)
    datasets: dict[str, list[dict[str, Any]]] = {
        "means": [
            {"row": i, "mean": row.mean, "low": row.low, "high": row.high} for i, row in enumerate(rows)
        ],
        "reference": [{"mean": reference}],
        "pieces": _pieces(rows, colours, right),
    }
    return themed(both, names, room, datasets)


def _means(rows: Sequence[GroupRow], reference: float, room: int) -> "alt.LayerChart | alt.FacetChart":
    import altair as alt

    ends = [end for row in rows for end in (row.low, row.high, row.mean) if end is not None] + [reference]
    spare = 0.06 * (max(ends) - min(ends)) or 0.5
    scale = alt.Scale(domain=[min(ends) - spare, max(ends) + spare], nice=False, zero=False)
    axis = alt.Axis(title="mean score", tickCount=5, orient="top")
    base = marks_of("means").encode(y=named_rows(room, paddingInner=0.2))
    line = marks_of("reference").mark_rule(stroke=MUTED, strokeDash=[4, 4])
    return alt.layer(
        line.encode(x=alt.X("mean:Q", axis=axis, scale=scale)),
        base.mark_rule(stroke=ACCENT, strokeWidth=2).encode(x=alt.X("low:Q"), x2=alt.X2("high:Q")),
        base.mark_circle(size=76, color=ACCENT, opacity=1).encode(x=alt.X("mean:Q", axis=axis, scale=scale)),
    )


def _masses(room: int) -> "alt.LayerChart | alt.FacetChart":
    import altair as alt

    base = marks_of("pieces").encode(y=named_rows(room, paddingInner=0.2))
    share = alt.Axis(title="share of each point", format="%", tickCount=3, orient="top")
    pieces = base.mark_bar(size=21, stroke=CARD, strokeWidth=1).encode(
        x=alt.X("start:Q", axis=share, scale=alt.Scale(domain=[0, 1])),
        x2=alt.X2("stop:Q"),
        color=alt.Color("colour:N", scale=None),
    )
    figures = base.mark_text(fontSize=11).encode(
        x=alt.X("middle:Q"), text=alt.Text("text:N"), color=alt.Color("ink:N", scale=None)
    )
    return alt.layer(pieces, figures)


def _pieces(rows: Sequence[GroupRow], colours: Sequence[str], width: int) -> list[dict[str, Any]]:
    pieces = []
    for index, row in enumerate(rows):
        start = 0.0
        for mass, colour in zip(row.pmf, colours, strict=True):
            fits = mass * width >= _ROOM_FOR_A_FIGURE
            pieces.append(
                {
                    "row": index,
                    "start": start,
                    "stop": min(start + mass, 1.0),
                    "middle": start + mass / 2,
                    "colour": colour,
                    "ink": ink_on(colour),
                    "text": f"{100 * mass:.0f}" if fits else "",
                }
            )
            start += mass
    return pieces
