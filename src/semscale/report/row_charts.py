"""Charts with one row for each name: bars, dots, groups, histograms, strips and forest plots."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from semscale.drift.gate.decision import Outcome
from semscale.report.chart_kit import (
    ACCENT,
    BAR,
    CARD,
    CONTRAST,
    FONT_SIZE,
    GRID,
    INK,
    MUTED,
    NARROW_LIMIT,
    NEUTRAL,
    Specification,
    ink_on,
    label_room,
    marks_of,
    named_rows,
    names_axis,
    row_height,
    sequential,
    themed,
)
from semscale.report.document import Swatch
from semscale.types import Floats, Integers

if TYPE_CHECKING:
    import altair as alt

_BAR_ROW = 38
_BAR_ROW_OF_TWO = 52
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
        height=row_height(names, room, _BAR_ROW if single else _BAR_ROW_OF_TWO) * len(names),
    )


def _slots(rows: Sequence[int]) -> list[int]:
    seen: dict[int, int] = {}
    slots = []
    for row in rows:
        slots.append(seen.get(row, 0))
        seen[row] = slots[-1] + 1
    return slots


_DOT_ROW = 40


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
        layers,
        names,
        room,
        datasets,
        width=width - room,
        height=row_height(names, room, _DOT_ROW) * len(rows),
    )


_GROUP_ROW = 30
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
    height = row_height(names, room, _GROUP_ROW) * len(rows)
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


def bin_edges(score: Floats, bounds: tuple[float, float], *, bins: int) -> Floats:
    """Cut the range that scores can have into bins; what no score reaches below 0 is left off.

    Args:
        score: shape (n,), within ``bounds``.
        bounds: least and greatest score that there can be.
        bins: how many bins from 0, or from the least score above it, to the greatest.

    Returns:
        Edges, shape (bins + 1 or more,), ascending.

    Example:
        >>> bin_edges(np.array([0.2, 0.9]), (-1.0, 1.0), bins=2).tolist()
        [0.0, 0.5, 1.0]
        >>> bin_edges(np.array([-0.2, 0.9]), (-1.0, 1.0), bins=2).tolist()
        [-0.5, 0.0, 0.5, 1.0]
    """
    low, high = bounds
    start = max(low, 0.0)
    width = (high - start) / bins
    least = float(score.min()) if len(score) else start
    below = int(np.ceil(round((start - least) / width, 9))) if least < start else 0
    steps = np.arange(-below, bins + 1)
    return np.asarray(start + steps * width, dtype=np.float64)


def bin_counts(score: Floats, edges: Floats) -> Integers:
    """Count the scores in each bin; a score on an edge belongs to the bin above, the greatest to the last.

    Example:
        >>> bin_counts(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5, 1.0])).tolist()
        [1, 2]
    """
    places = np.clip(np.searchsorted(edges, score, side="right") - 1, 0, len(edges) - 2)
    return np.bincount(places, minlength=len(edges) - 1).astype(np.int64)


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


NOISE, TOLERATED = "#cfc8b8", "#e6decd"
"""Colours of the loss of reruns, and of the margin beyond it."""
_MARKS = {
    Outcome.FAIL: ("diamond", CONTRAST, CONTRAST, 120),
    Outcome.UNDECIDED: ("circle", CARD, INK, 90),
    Outcome.PASS: ("circle", ACCENT, ACCENT, 90),
    None: ("circle", MUTED, MUTED, 50),
}
_FOREST_ROW = 38
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
    height = row_height(names, room, _FOREST_ROW) * len(rows)
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
