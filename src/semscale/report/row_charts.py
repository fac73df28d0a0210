"""Charts with one row for each name: bars, dots, groups, histograms, strips and forest plots."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from semscale.report.chart_kit import (
    ACCENT,
    BAR,
    CARD,
    CONTRAST,
    GRID,
    INK,
    MUTED,
    NARROW_LIMIT,
    NEUTRAL,
    PADDING,
    WIDE,
    Axis,
    Drawing,
    Rows,
    diamonds,
    draw_across,
    ink_on,
    line,
    lines_of,
    percent_label,
    rectangle,
    sequential,
)
from semscale.report.document import Figure, Histogram, Swatch
from semscale.report.formatting import ends, number, plain
from semscale.types import Floats, Integers

if TYPE_CHECKING:
    from semscale.drift.gate.decision import Outcome

HISTOGRAM, GROUP, UNRELATED = ACCENT, BAR, NEUTRAL
"""Colours of all rows, of a group, and of unrelated pairs."""

NOISE, TOLERATED = "#cfc8b8", "#e6decd"
"""Colours of the loss of reruns, and of the margin beyond it."""

_ROOM_FOR_A_FIGURE = 34  # pixels
_HEAD, _FOOT = 36, 36  # pixels of an axis above and below a plot, with its title


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
        """Share at which the figures can start."""
        return max(self.share, self.high or 0.0)


def bars(values: Sequence[Bar], names: Sequence[str], width: int) -> Drawing:
    """Draw horizontal bars with interval whiskers and their figures; bars of one row stand below each other.

    Args:
        values: bars in the order in which they are drawn.
        names: one label a row, from top to bottom.
        width: whole width in pixels, labels included.
    """
    narrow = width < NARROW_LIMIT
    slots = _slots([bar.row for bar in values])
    per_row = max(slots, default=0) + 1
    rows = Rows.fitted(names, width, 38 if per_row == 1 else 52)
    drawing = Drawing(width + 2 * PADDING, rows.bottom + PADDING)
    rows.draw_names(drawing)
    plot, thickness, distance = width - rows.room, 22 if per_row == 1 else 16, 0.82 * rows.height / per_row
    longest = max((bar.reach for bar in values), default=0.0) or 1.0
    stop = rows.left + plot - (64 if narrow else 170)  # the figures of the longest bar need room
    axis = Axis(0, longest, rows.left, stop)
    middles = [
        (bar, rows.middle(bar.row) + distance * (slot - (per_row - 1) / 2))
        for bar, slot in zip(values, slots, strict=True)
    ]
    drawing.tiles(
        (bar.colour, rectangle((rows.left, y - thickness / 2), axis(bar.share) - rows.left, thickness))
        for bar, y in middles
    )
    whiskers = "".join(_whisker(axis, y, bar.low, bar.high) for bar, y in middles)
    drawing.path(whiskers, stroke=INK, stroke_width=1.5)
    for bar, y in middles:
        drawing.text((axis(bar.reach) + 9, y + 4.5), bar.short_text if narrow else bar.text)
    return drawing


def _slots(rows: Sequence[int]) -> list[int]:
    """Count for each bar how many of its row come before it."""
    seen: dict[int, int] = {}
    slots = []
    for row in rows:
        slots.append(seen.get(row, 0))
        seen[row] = slots[-1] + 1
    return slots


@dataclass(frozen=True)
class DotRow:
    """One line: its name, and a mean for each set of items, each set with its colour."""

    name: str
    means: tuple[float, ...]


def dots(rows: Sequence[DotRow], colours: Sequence[str], *, title: str = "mean", width: int) -> Drawing:
    """Draw one line a row with a dot for each set of items.

    Args:
        rows: from top to bottom; a mean that is NaN is left out.
        colours: one a set, in the order of ``means``.
        title: what the axis shows.
        width: whole width in pixels, labels included.
    """
    lines = Rows.fitted([row.name for row in rows], width, 40, top=_HEAD)
    drawing = Drawing(width + 2 * PADDING, lines.bottom + PADDING)
    known = [[mean for mean in row.means if math.isfinite(mean)] for row in rows]
    ends = [0.0, 1.0, *(mean for means in known for mean in means)]
    axis = Axis(min(ends), max(ends), lines.left, PADDING + width)
    draw_across(drawing, axis, axis.ticks(6), top=lines.top, bottom=lines.bottom, title=title)
    lines.draw_names(drawing)
    spans = (
        _whisker(axis, lines.middle(index), min(means), max(means))
        for index, means in enumerate(known)
        if means
    )
    drawing.path("".join(spans), stroke=MUTED, stroke_width=1.5)
    for index, row in enumerate(rows):
        for mean, colour in zip(row.means, colours, strict=True):
            if math.isfinite(mean):
                drawing.dot((axis(mean), lines.middle(index)), 5.7, colour)
    return drawing


@dataclass(frozen=True)
class GroupRow:
    """One row: the group's mean, the ends of its interval (None without one) and the mass of each point."""

    name: str
    mean: float
    low: float | None
    high: float | None
    pmf: tuple[float, ...]


def group_rows(rows: Sequence[GroupRow], colours: Sequence[str], *, reference: float, width: int) -> Drawing:
    """Draw groups from top to bottom; on a narrow screen the distributions follow beneath the means.

    Args:
        rows: at least one group.
        colours: one a scale point, from low to high.
        reference: mean of everything, drawn as a line.
        width: whole width in pixels, labels included.
    """
    lines = Rows.fitted([row.name for row in rows], width, 30, top=_HEAD)
    right: float = PADDING + width
    if width < NARROW_LIMIT:
        below = Rows(lines.names, lines.room, lines.height, lines.bottom + 22 + _HEAD)
        drawing = Drawing(width + 2 * PADDING, below.bottom + PADDING)
        below.draw_names(drawing)
        middle, start = right, lines.left
    else:
        below, drawing = lines, Drawing(width + 2 * PADDING, lines.bottom + PADDING)
        middle = lines.left + round((width - lines.room) * 0.42)
        start = middle + 22
    lines.draw_names(drawing)
    _draw_means(drawing, lines, rows, reference, (lines.left, middle))
    _draw_masses(drawing, below, rows, colours, (start, right))
    return drawing


def _draw_means(
    drawing: Drawing, lines: Rows, rows: Sequence[GroupRow], reference: float, sides: tuple[float, float]
) -> None:
    ends = [end for row in rows for end in (row.low, row.high, row.mean) if end is not None] + [reference]
    spare = 0.06 * (max(ends) - min(ends)) or 0.5
    axis = Axis(min(ends) - spare, max(ends) + spare, *sides)
    draw_across(drawing, axis, axis.ticks(5), top=lines.top, bottom=lines.bottom, title="mean score")
    overall = axis(reference)
    drawing.rule((overall, lines.top), (overall, lines.bottom), MUTED, 1, stroke_dasharray="4,4")
    whiskers = (_whisker(axis, lines.middle(index), row.low, row.high) for index, row in enumerate(rows))
    drawing.path("".join(whiskers), stroke=ACCENT, stroke_width=2)
    for index, row in enumerate(rows):
        drawing.dot((axis(row.mean), lines.middle(index)), 4.4, ACCENT)


def _draw_masses(
    drawing: Drawing,
    lines: Rows,
    rows: Sequence[GroupRow],
    colours: Sequence[str],
    sides: tuple[float, float],
) -> None:
    axis = Axis(0, 1, *sides)
    ticks = {share: percent_label(share) for share in (0.0, 0.5, 1.0)}
    draw_across(drawing, axis, ticks, top=lines.top, bottom=lines.bottom, title="share of each point")
    pieces = [
        (lines.middle(index), axis(min(stop - mass, 1.0)), axis(min(stop, 1.0)), mass, colour)
        for index, row in enumerate(rows)
        for stop, mass, colour in zip(accumulate(row.pmf), row.pmf, colours, strict=True)
    ]
    tiles = ((colour, rectangle((left, y - 10.5), right - left, 21)) for y, left, right, _, colour in pieces)
    drawing.tiles(tiles, stroke=CARD)
    for y, left, right, mass, colour in pieces:
        if right - left >= _ROOM_FOR_A_FIGURE:
            middle, figure = ((left + right) / 2, y + 4), f"{100 * mass:.0f}"
            drawing.text(middle, figure, anchor="middle", fill=ink_on(colour), font_size=11)


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
    positions = np.clip(np.searchsorted(edges, score, side="right") - 1, 0, len(edges) - 2)
    return np.bincount(positions, minlength=len(edges) - 1).astype(np.int64)


@dataclass(frozen=True)
class HistogramRow:
    """One histogram: its name, the share of scores in each bin, the mean and the ends of its interval."""

    name: str
    shares: Floats
    mean: float
    low: float | None
    high: float | None
    colour: str


def histograms(rows: Sequence[HistogramRow], edges: Floats, *, title: str = "score", width: int) -> Drawing:
    """Draw histograms with one axis, each as tall as its greatest share, with its mean below.

    Args:
        rows: from top to bottom.
        edges: of the bins, shape (bins + 1,).
        title: what the axis shows.
        width: whole width in pixels, labels included.
    """
    few = 5  # histograms, which are drawn tall
    lines = Rows.fitted([row.name for row in rows], width, 104 if len(rows) <= few else 66)
    drawing = Drawing(width + 2 * PADDING, lines.bottom + _FOOT)
    axis = Axis(float(edges[0]), float(edges[-1]), lines.left, PADDING + width)
    ticks = axis.ticks(6 if width < NARROW_LIMIT else 11)
    draw_across(drawing, axis, ticks, top=lines.top, bottom=lines.bottom, title=title, is_above=False)
    for index, row in enumerate(rows):
        floor = lines.top + lines.height * (index + 0.8)
        drawing.rule((axis.start, floor), (axis.stop, floor), GRID, 1)
        names = lines_of(row.name, lines.room)
        drawing.lines((lines.left - 10, floor - 7.5 * len(names)), names, anchor="end")
        shapes = []
        for start, stop, share in zip(edges[:-1], edges[1:], row.shares, strict=True):
            height, left = 0.7 * lines.height * float(share / row.shares.max()), axis(float(start))
            if share > 0:
                shapes.append(rectangle((left, floor - height), axis(float(stop)) - left, height))
        drawing.path("".join(shapes), fill=row.colour, stroke=CARD)
        mean = floor + 0.12 * lines.height
        drawing.path(_whisker(axis, mean, row.low, row.high), stroke=INK, stroke_width=2)
        drawing.dot((axis(row.mean), mean), 4, INK)
    return drawing


def as_figure(histogram: Figure | Histogram) -> Figure:
    """Lay a histogram out as a figure, without groups that have no score; a figure stays as it is."""
    if isinstance(histogram, Figure):
        return histogram
    groups = [group for group in histogram.groups if len(group.scores)]
    edges = bin_edges(np.concatenate([group.scores for group in groups]), histogram.bounds, bins=20)
    rows = []
    for group in groups:
        shares = bin_counts(group.scores, edges) / len(group.scores)
        low, high = ends(group.low, group.high)
        rows.append(HistogramRow(group.name, shares, group.mean, low, high, group.colour))
    described = "; ".join(f"{row.name}: mean {number(row.mean)}" for row in rows)
    return Figure(
        name=histogram.name,
        chart=lambda width: histograms(rows, edges, title=histogram.axis, width=width),
        description=f"Histograms of {histogram.axis}. {described}.",
        table=histogram.table,
        caption=histogram.caption,
    )


def figure_svg(figure: Figure | Histogram) -> str:
    """Draw a figure as an SVG document, with its legend."""
    drawn = as_figure(figure)
    return drawn.chart(WIDE).document(drawn.description, drawn.legend, is_crisp=drawn.style == "heat")


_SHADES = 24  # of colour: finer than the eye tells apart


def strips(levels: Floats, names: Sequence[str], ticks: Sequence[tuple[int, str]], *, width: int) -> Drawing:
    """Draw one narrow column an item and one row a name, coloured by level: a heat map of many PMFs at once.

    Args:
        levels: shape (rows, items), colours' positions in [0, 1]; equal neighbours are drawn as one piece.
        names: one label a row, from top to bottom.
        ticks: columns, counted from 0, each with the label below its middle.
        width: whole width in pixels.
    """
    rows = Rows.fitted(names, width, max(34, 170 // len(names)))
    drawing = Drawing(width + 2 * PADDING, rows.bottom + 24)
    rows.draw_names(drawing)
    items = levels.shape[1]
    axis = Axis(0, items, rows.left, PADDING + width)
    # Cells begin where the ones before them end, so a rounded drawing has no gaps.
    edges = [round(axis(column), 1) for column in range(items + 1)]
    drawing.tiles(_pieces(np.rint(levels * _SHADES).astype(np.int64), rows, edges))
    last = -math.inf
    for column, label in ticks:
        x = axis(column + 0.5)
        drawing.rule((x, rows.bottom), (x, rows.bottom + 5), MUTED, 1)
        half = 3.8 * len(label)
        middle = min(max(x, rows.left + half), axis.stop - half)
        if middle - half >= last:
            drawing.text((middle, rows.bottom + 18), label, anchor="middle")
            last = middle + half
    return drawing


def _pieces(shades: Integers, rows: Rows, edges: Sequence[float]) -> Iterator[tuple[str, str]]:
    """Join equal neighbours of a row; give each piece with its colour."""
    height = rows.height - 2  # rows stand a little apart
    for row, levels in enumerate(shades):
        top = rows.top + rows.height * row + 1
        starts = np.flatnonzero(np.diff(levels, prepend=-1)).tolist()
        for start, stop in zip(starts, [*starts[1:], len(levels)], strict=True):
            across = round(edges[stop] - edges[start], 1)
            piece = f"M{edges[start]:g},{top:g}h{across:g}v{height:g}h-{across:g}Z"
            yield sequential(float(levels[start]) / _SHADES), piece


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
    outcome: "Outcome | None"
    text: str
    short_text: str

    def loss(self, drift: float | None) -> float | None:
        """Return the place of a drift on an axis of losses, where 0 is as the baseline."""
        return None if drift is None else self.noise + drift


def forest(rows: Sequence[ForestRow], title: str, *, width: int, percent: bool = False) -> Drawing:
    """Draw one line a row: what reruns lose and the margin as bands, the mean with its interval on top.

    Args:
        rows: from top to bottom.
        title: what the axis shows.
        width: whole width in pixels, labels included.
        percent: whether the axis counts in percent.
    """
    narrow = width < NARROW_LIMIT
    lines = Rows.fitted([row.name for row in rows], width, 38, top=_HEAD)
    drawing = Drawing(width + 2 * PADDING, lines.bottom + PADDING)
    right = PADDING + width
    axis = Axis(*_losses(rows), lines.left, right - (62 if narrow else 250))
    ticks = axis.ticks(3 if narrow else 5, percent_label if percent else plain)
    draw_across(drawing, axis, ticks, top=lines.top, bottom=lines.bottom, title=title)
    lines.draw_names(drawing)
    _draw_bands(drawing, axis, lines, rows)
    for index, row in enumerate(rows):
        _draw_mark(drawing, axis, row, lines.middle(index))
    for index, row in enumerate(rows):
        text = row.short_text if narrow else row.text
        drawing.text((right, lines.middle(index) + 4.5), text, anchor="end")
    return drawing


def _draw_bands(drawing: Drawing, axis: Axis, lines: Rows, rows: Sequence[ForestRow]) -> None:
    """Draw what reruns lose, the margin beyond it with its limit, and the intervals."""
    tolerated, noise, limits, whiskers = "", "", "", ""
    for index, row in enumerate(rows):
        y, limit = lines.middle(index), row.loss(row.margin)
        if row.noise:
            noise += rectangle((axis(0), y - 10), axis(row.noise) - axis(0), 20)
        if limit is not None:
            tolerated += rectangle((axis(row.noise), y - 10), axis(limit) - axis(row.noise), 20)
            limits += line([(axis(limit), y - 13), (axis(limit), y + 13)])
        whiskers += _whisker(axis, y, row.loss(row.low), row.loss(row.high))
    drawing.path(tolerated, fill=TOLERATED)
    drawing.path(noise, fill=NOISE)
    drawing.path(limits, stroke=MUTED, stroke_width=2, opacity=0.7)
    drawing.path(whiskers, stroke=INK, stroke_width=2)


def _draw_mark(drawing: Drawing, axis: Axis, row: ForestRow, y: float) -> None:
    """Draw the mean of a row; the shape of its mark tells the outcome without a colour."""
    loss = row.loss(row.drift)
    if loss is None:
        return
    middle = axis(loss), y
    if row.outcome == "fail":
        drawing.path(diamonds([middle], 5.5), fill=CONTRAST, stroke=CONTRAST, stroke_width=2)
    elif row.outcome == "undecided":
        drawing.dot(middle, 4.7, CARD, stroke=INK, stroke_width=2)
    else:
        passed = row.outcome == "pass"
        drawing.dot(middle, 5.7 if passed else 4.5, ACCENT if passed else MUTED)


def _losses(rows: Sequence[ForestRow]) -> tuple[float, float]:
    """Choose what the axis covers: everything that is drawn, and 0."""
    positions = [0.0]
    for row in rows:
        marks = (row.loss(row.drift), row.loss(row.low), row.loss(row.high), row.noise, row.loss(row.margin))
        positions += [mark for mark in marks if mark is not None]
    low, high = min(positions), max(positions)
    spare = 0.04 * (high - low) or 0.05
    return (low - spare if low < 0 else 0.0), high + spare


def legend(rows: Sequence[ForestRow], *, gated: bool) -> tuple[Swatch, ...]:
    """Name the marks that occur in rows; ``gated``: whether a gate was asked."""
    outcomes = {row.outcome for row in rows}
    marks = [
        ("fail" in outcomes, Swatch(CONTRAST, "failed", "diamond")),
        ("undecided" in outcomes, Swatch(INK, "undecided", "ring")),
        ("pass" in outcomes, Swatch(ACCENT, "passed", "dot")),
        (None in outcomes, Swatch(MUTED, "not tested" if gated else "mean loss", "dot")),
        (any(row.noise for row in rows), Swatch(NOISE, "what reruns of the baseline lose")),
        (any(row.margin is not None for row in rows), Swatch(TOLERATED, "margin")),
    ]
    return tuple(swatch for occurs, swatch in marks if occurs)


def _whisker(axis: Axis, y: float, low: float | None, high: float | None) -> str:
    """Draw an interval, if there is one."""
    return "" if low is None or high is None else line([(axis(low), y), (axis(high), y)])
