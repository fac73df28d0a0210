"""Horizontal bars with their intervals and figures."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from semscale.report.charts.labels import NARROW_LIMIT, label_room, named_rows, row_height
from semscale.report.charts.palette import BAR, INK
from semscale.report.charts.theme import FONT_SIZE, Specification, marks_of, themed

_ROW = 38
_ROW_OF_TWO = 52
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
    base = marks_of("rows").encode(
        y=named_rows(room, paddingInner=0.2, paddingOuter=0.05),
        yOffset=alt.YOffset("slot:O", scale=alt.Scale(paddingInner=0.1)),
    )
    length = alt.X("share:Q", axis=None, scale=alt.Scale(domain=domain, nice=False))
    drawn = base.mark_bar(size=22 if single else 16).encode(x=length, color=alt.Color("colour:N", scale=None))
    whisker = base.mark_rule(stroke=INK, strokeWidth=1.5).encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"))
    figures = base.mark_text(align="left", dx=9, fill=INK, fontSize=FONT_SIZE)
    layers = alt.layer(drawn, whisker, figures.encode(x=alt.X("reach:Q"), text=alt.Text("text:N")))
    return themed(
        layers,
        names,
        room,
        {"rows": records},
        width=plot,
        height=row_height(names, room, _ROW if single else _ROW_OF_TWO) * len(names),
    )


def _slots(rows: Sequence[int]) -> list[int]:
    seen: dict[int, int] = {}
    slots = []
    for row in rows:
        slots.append(seen.get(row, 0))
        seen[row] = slots[-1] + 1
    return slots
