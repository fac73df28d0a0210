"""The forest plot of a gate: the drift of each row, beside the loss of reruns and the margin."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from semscale.drift.gate.decision import Outcome
from semscale.report.charts.labels import NARROW_LIMIT, label_room, named_rows, row_height
from semscale.report.charts.palette import ACCENT, CARD, CONTRAST, INK, MUTED
from semscale.report.charts.theme import Specification, marks_of, themed
from semscale.report.document.blocks import Swatch

if TYPE_CHECKING:
    import altair as alt

NOISE, TOLERATED = "#cfc8b8", "#e6decd"
"""Colours of the loss of reruns, and of the margin beyond it."""

_MARKS = {
    Outcome.FAIL: ("diamond", CONTRAST, CONTRAST, 120),
    Outcome.UNDECIDED: ("circle", CARD, INK, 90),
    Outcome.PASS: ("circle", ACCENT, ACCENT, 90),
    None: ("circle", MUTED, MUTED, 50),
}
_ROW = 38
_FIGURES = {True: 62, False: 250}  # pixels right of the plot
_SPARE = 0.04  # of the axis, beyond its outermost mark


@dataclass(frozen=True)
class ForestRow:
    """One row, all figures in one unit.

    Attributes:
        name: at its left.
        drift: mean drift; ``None`` where there is none.
        low: lower end of its interval; ``None`` where there is none.
        high: upper end, likewise.
        noise: what reruns of the baseline lose; 0 without any.
        margin: drift from which on it is material; ``None`` where no gate was asked.
        outcome: what its test came to; ``None`` where no gate was asked.
        text: its figures, for wide screens.
        short_text: its figures, for narrow ones.
    """

    name: str
    drift: float | None
    low: float | None
    high: float | None
    noise: float
    margin: float | None
    outcome: Outcome | None
    text: str
    short_text: str

    def record(self, row: int, *, narrow: bool) -> dict[str, Any]:
        """Return the row of the chart's table: places on an axis of losses, where 0 is as the baseline."""
        shape, fill, stroke, size = _MARKS[self.outcome]
        return {
            "row": row,
            "loss": self._placed(self.drift),
            "low": self._placed(self.low),
            "high": self._placed(self.high),
            "zero": 0.0,
            "noise": self.noise,
            "limit": None if self.margin is None else self.noise + self.margin,
            "text": self.short_text if narrow else self.text,
            "shape": shape,
            "fill": fill,
            "stroke": stroke,
            "size": size,
        }

    def _placed(self, drift: float | None) -> float | None:
        return None if drift is None else self.noise + drift


def legend(rows: Sequence[ForestRow], *, gated: bool) -> tuple[Swatch, ...]:
    """Name the marks that occur in rows; ``gated``: whether a gate was asked."""
    outcomes = {row.outcome for row in rows}
    marks = [
        (Outcome.FAIL in outcomes, Swatch(CONTRAST, "failed", "diamond")),
        (Outcome.UNDECIDED in outcomes, Swatch(INK, "undecided", "ring")),
        (Outcome.PASS in outcomes, Swatch(ACCENT, "passed", "dot")),
        (None in outcomes, Swatch(MUTED, "not tested" if gated else "mean loss", "dot")),
        (any(row.noise for row in rows), Swatch(NOISE, "what reruns of the baseline lose")),
        (any(row.margin is not None for row in rows), Swatch(TOLERATED, "margin")),
    ]
    return tuple(swatch for occurs, swatch in marks if occurs)


def forest(rows: Sequence[ForestRow], title: str, *, width: int, percent: bool = False) -> Specification:
    """Draw one line a row: what reruns lose and the margin as bands, the mean with its interval on top.

    Args:
        rows: from top to bottom.
        title: what the axis shows.
        width: whole width in pixels, labels included.
        percent: whether the axis counts in percent.
    """
    import altair as alt

    narrow = width < NARROW_LIMIT
    names = [row.name for row in rows]
    room = label_room(width, names)
    plot = width - room - _FIGURES[narrow]
    records = [row.record(place, narrow=narrow) for place, row in enumerate(rows)]
    x = alt.X(
        "loss:Q",
        axis=_axis(title, narrow=narrow, percent=percent),
        scale=alt.Scale(domain=_domain(records), nice=False, zero=False),
    )
    base = marks_of("rows").encode(y=named_rows(room, paddingInner=0.2))
    layers = [*_bands(base), *_marks(base, x)]
    figures = base.mark_text(align="right", fill=INK, fontSize=13).encode(
        x=alt.value(plot + _FIGURES[narrow]), text=alt.Text("text:N")
    )
    height = row_height(names, room, _ROW) * len(rows)
    return themed(alt.layer(*layers, figures), names, room, {"rows": records}, width=plot, height=height)


def _axis(title: str, *, narrow: bool, percent: bool) -> "alt.Axis":
    import altair as alt

    return alt.Axis(
        title=title,
        tickCount=3 if narrow else 5,
        format="~%" if percent else "~g",
        labelExpr="replace(datum.label, '%', '\u00a0%')" if percent else "datum.label",
        orient="top",
    )


def _bands(base: "alt.Chart") -> "list[alt.Chart]":
    import altair as alt

    return [
        base.mark_bar(size=20, color=TOLERATED).encode(x=alt.X("noise:Q"), x2=alt.X2("limit:Q")),
        base.mark_bar(size=20, color=NOISE).encode(x=alt.X("zero:Q"), x2=alt.X2("noise:Q")),
        base.mark_tick(size=26, thickness=2, color=MUTED).encode(x=alt.X("limit:Q")),
    ]


def _marks(base: "alt.Chart", x: "alt.X") -> "list[alt.Chart]":
    import altair as alt

    return [
        base.mark_rule(stroke=INK, strokeWidth=2).encode(x=alt.X("low:Q"), x2=alt.X2("high:Q")),
        base.mark_point(opacity=1, strokeWidth=2).encode(
            x=x,
            shape=alt.Shape("shape:N", scale=None),
            fill=alt.Fill("fill:N", scale=None),
            stroke=alt.Stroke("stroke:N", scale=None),
            size=alt.Size("size:Q", scale=None),
        ),
    ]


def _domain(records: Sequence[dict[str, Any]]) -> list[float]:
    named = ("loss", "low", "high", "noise", "limit")
    ends = [0.0, *(record[name] for record in records for name in named if record[name] is not None)]
    low, high = min(ends), max(ends)
    spare = _SPARE * (high - low) or 0.05
    return [low - spare if low < 0 else 0.0, high + spare]
