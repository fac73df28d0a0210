"""Charts with one row for each name: bars, panels, dots, groups, histograms, strips and forest plots.

NaN stands for a missing number and is not drawn.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from semscale.report.chart_kit import (
    ACCENT,
    BAR,
    CARD,
    CONTRAST,
    GRID,
    INK,
    LINE_HEIGHT,
    MUTED,
    NARROW_LIMIT,
    NEUTRAL,
    PADDING,
    Axis,
    Drawing,
    Rows,
    dark_style,
    deepened,
    diamonds,
    draw_across,
    ink_on,
    label_room,
    line,
    lines_of,
    percent_label,
    rectangle,
    sequential,
    text_width,
    turned,
)
from semscale.report.document import Interval, Swatch
from semscale.report.formatting import number, plain
from semscale.types import Floats, Integers

HISTOGRAM, GROUP, UNRELATED = ACCENT, BAR, NEUTRAL
"""Colours for all rows, for a group, and for unrelated pairs."""

TOLERATED = "#e6decd"
"""Colour of the band from 0 to a margin."""

PALE = "#6594c4"
"""Colour of the part of an interval that depends on what is not known."""

_ROOM_FOR_A_FIGURE = 20  # pixels
_HEAD, _FOOT = 36, 36  # pixels of an axis above and below a plot, with its title
_GROUP_ROW, _LABELLED_ROW = 30, 38  # pixels of a group, and of one with a label above its mean
_PANEL, _NARROW_PANEL, _PANEL_ROW = 104, 92, 27  # least width of a panel in pixels, and height of its rows
_BETWEEN = 12  # pixels between panels
_MOST_HEAD_LINES = 3
_BESIDE = 28  # pixels between a plot and the figures beside it
_FIGURE_CHARACTER = 6.6  # pixels of a character of a figure


@dataclass(frozen=True)
class Bar:
    """A bar: its row, length, interval ends and figures."""

    row: int
    share: float
    low: float
    high: float
    text: str
    short_text: str
    colour: str = BAR

    @property
    def reach(self) -> float:
        """Share after which the figures can start."""
        return max(0.0, self.share, self.high)  # a NaN at the end is never the greatest


def bars(values: Sequence[Bar], names: Sequence[str], width: int) -> Drawing:
    """Draw horizontal bars with intervals and figures; bars of one row are stacked vertically.

    Args:
        values: bars in drawing order.
        names: label of each row, from top to bottom.
        width: total width in pixels, including labels.
    """
    narrow = width < NARROW_LIMIT
    per_row = max(Counter(bar.row for bar in values).values(), default=1)
    rows = Rows.fit(names, width, 38 if per_row == 1 else 52)
    thickness, distance = 22 if per_row == 1 else 16, 0.82 * rows.height / per_row
    longest = max((bar.reach for bar in values), default=0.0) or 1.0
    # The figures of the longest bar need room.
    axis = Axis(0, longest, rows.left, PADDING + width - (64 if narrow else 170))
    drawing = rows.drawing(width)
    drawn: Counter[int] = Counter()
    for bar in values:
        y = rows.middle(bar.row) + distance * (drawn[bar.row] - (per_row - 1) / 2)
        drawn[bar.row] += 1
        drawing.box((rows.left, y - thickness / 2), axis(bar.share) - rows.left, thickness, bar.colour)
        drawing.interval(axis, y, (bar.low, bar.high), INK, 1.5)
        drawing.text((axis(bar.reach) + 9, y + 4.5), bar.short_text if narrow else bar.text)
    return drawing


Panel = tuple[str, Sequence[Bar]]
"""A panel of bars: its name, and one bar for each row; what follows a line break in the name is a line."""


def panels(columns: Sequence[Panel], names: Sequence[str], *, has_total: bool = False, width: int) -> Drawing:
    """Draw panels of horizontal bars next to each other on one scale; many panels continue below.

    Args:
        columns: panels from left to right.
        names: label of each row, from top to bottom.
        has_total: true to set the first panel apart.
        width: total width in pixels, including labels.
    """
    narrow = width < NARROW_LIMIT
    room = width - label_room(width, names)
    n_lines = math.ceil(len(columns) / max(room // (_NARROW_PANEL if narrow else _PANEL), 1))
    per_line = math.ceil(len(columns) / n_lines)
    side = room / per_line
    heads = [_panel_head(name, side) for name, _ in columns]
    head = LINE_HEIGHT * max(map(len, heads)) + 8
    rows = Rows.fit(names, width, _PANEL_ROW, top=PADDING + head)
    step = rows.bottom - PADDING + 16
    drawing = Drawing(width + 2 * PADDING, rows.bottom + PADDING + step * (n_lines - 1))
    longest = max((bar.reach for _, bars_ in columns for bar in bars_), default=0.0) or 1.0
    figure = _FIGURE_CHARACTER * max(
        (len(bar.short_text) for _, bars_ in columns for bar in bars_), default=0
    )
    for index, (_, values) in enumerate(columns):
        row_of_panels, column = divmod(index, per_line)
        plot = replace(rows, top=rows.top + step * row_of_panels)
        left = rows.left + side * column
        if column == 0:
            plot.draw_names(drawing)
        is_total = has_total and index == 0
        if is_total:
            corner = (left - 6, plot.top - head)
            drawing.box(corner, side - _BETWEEN + 6, plot.bottom - plot.top + head, GRID, fill_opacity=0.45)
        for order, text in enumerate(heads[index]):
            y = plot.top - 10 - LINE_HEIGHT * (len(heads[index]) - 1 - order)
            drawing.text((left, y), text, font_size=12, font_weight=600 if is_total else 400)
        axis = Axis(0, longest, left, left + side - _BETWEEN - figure - 8)
        for bar in values:
            _draw_panel_bar(drawing, axis, plot.middle(bar.row), bar)
    return drawing


def _panel_head(name: str, side: float) -> list[str]:
    """Break the name of a panel into lines; what follows a line break in it has the last one."""
    label, _, base = name.partition("\n")
    lines = lines_of(label, int(side) + 4)
    if len(lines) > _MOST_HEAD_LINES:
        lines = [*lines[: _MOST_HEAD_LINES - 1], f"{lines[_MOST_HEAD_LINES - 1]}…"]
    return [*lines, base.strip(" ,")] if base else lines


def _draw_panel_bar(drawing: Drawing, axis: Axis, y: float, bar: Bar) -> None:
    if math.isfinite(bar.share):
        drawing.box((axis.start, y - 8), max(axis(bar.share) - axis.start, 0.5), 16, bar.colour)
    drawing.interval(axis, y, (bar.low, bar.high), INK, 1.2)
    drawing.text((axis(bar.reach) + 6, y + 4.5), bar.short_text, font_size=12)


def dots(
    rows: Mapping[str, Sequence[float]], colours: Sequence[str], *, title: str = "mean", width: int
) -> Drawing:
    """Draw a dot for each set of items in each row.

    Args:
        rows: the mean of each set by the name of the row, from top to bottom.
        colours: colours of the sets.
        title: title of the axis.
        width: total width in pixels, including labels.
    """
    lines = Rows.fit(list(rows), width, 40, top=_HEAD)
    known = [mean for means in rows.values() for mean in means if math.isfinite(mean)]
    axis = Axis(min([0.0, *known]), max([1.0, *known]), lines.left, PADDING + width)
    drawing = lines.drawing(width)
    draw_across(drawing, axis, axis.ticks(6), top=lines.top, bottom=lines.bottom, title=title)
    for index, means in enumerate(rows.values()):
        y = lines.middle(index)
        drawn = [(mean, colour) for mean, colour in zip(means, colours, strict=True) if math.isfinite(mean)]
        if drawn:
            drawing.interval(axis, y, (min(drawn)[0], max(drawn)[0]), MUTED, 1.5)
        for mean, colour in drawn:
            drawing.dot((axis(mean), y), 5.7, colour)
    return drawing


GroupRow = tuple[str, Interval, Sequence[float]]
"""A group: its name, its mean, and the mass of each point."""


def group_rows(
    rows: Sequence[GroupRow],
    colours: Sequence[str],
    *,
    reference: float = math.nan,
    titles: tuple[str, str] = ("mean score", "share of each point"),
    labels: Sequence[str] = (),
    width: int,
) -> Drawing:
    """Draw the mean and the distribution of each group; on a narrow screen, distributions are below.

    Args:
        rows: at least one group, from top to bottom; if no group has a mean, only distributions are drawn.
        colours: colours of the scale's points, from low to high; empty to draw means alone.
        reference: overall mean, drawn as a line; NaN for none.
        titles: titles of the axes of means and of shares.
        labels: text above the mean of each group; empty for none.
        width: total width in pixels, including labels.
    """
    height = _LABELLED_ROW if labels else _GROUP_ROW
    lines = below = Rows.fit([name for name, _, _ in rows], width, height, top=_HEAD)
    right: float = PADDING + width
    middle, start = right, lines.left
    has_means = any(math.isfinite(mean.value) for _, mean, _ in rows)
    if has_means and colours and width < NARROW_LIMIT:
        below = replace(lines, top=lines.bottom + 22 + _HEAD)
    elif has_means and colours:
        middle = lines.left + round((width - lines.room) * 0.42)
        start = middle + 22
    drawing = below.drawing(width)
    if below != lines:
        lines.draw_names(drawing)
    if has_means:
        plot = replace(lines, names=labels or ("",) * len(rows))
        _draw_means(drawing, plot, [mean for _, mean, _ in rows], reference, titles[0], middle)
    if colours:
        shares = Axis(0, 1, start, right)
        ticks = {share: percent_label(share) for share in (0.0, 0.5, 1.0)}
        draw_across(drawing, shares, ticks, top=below.top, bottom=below.bottom, title=titles[1])
        heights = [below.middle(index) for index in range(len(rows))]
        _draw_masses(drawing, shares, heights, [masses for _, _, masses in rows], colours)
    return drawing


def _draw_means(
    drawing: Drawing, rows: Rows, means: Sequence[Interval], reference: float, title: str, right: float
) -> None:
    """Draw means with their intervals, labels above them, and a line at the overall mean.

    Args:
        drawing: receives the means.
        rows: positions of the means, with their labels as names.
        means: the means, from top to bottom.
        reference: the overall mean.
        title: title of the axis.
        right: right edge of the plot.
    """
    ends = [value for mean in means for value in (mean.value, mean.low, mean.high)]
    drawn = list(filter(math.isfinite, [reference, *ends]))
    axis, ticks = _axis_between_ticks((min(drawn), max(drawn)), rows.left, right)
    draw_across(drawing, axis, ticks, top=rows.top, bottom=rows.bottom, title=title)
    if math.isfinite(reference):
        x = axis(reference)
        drawing.rule((x, rows.top), (x, rows.bottom), MUTED, 1, stroke_dasharray="4,4")
    # Elements of one kind follow each other, so that a page has their attributes once.
    heights = [rows.middle(index) + (5 if label else 0) for index, label in enumerate(rows.names)]
    for mean, y in zip(means, heights, strict=True):
        drawing.interval(axis, y, (mean.low, mean.high), ACCENT, 2)
    known = [index for index, mean in enumerate(means) if math.isfinite(mean.value)]
    for index in known:
        drawing.dot((axis(means[index].value), heights[index]), 4.4, ACCENT)
    halo = {"stroke": CARD, "stroke_width": "5", "paint_order": "stroke"}
    for index in known:
        if label := rows.names[index]:
            x = _beside(axis(reference), axis(means[index].value), text_width(label) / 2)
            drawing.text((x, heights[index] - 9), label, anchor="middle", font_size="12", **halo)


def _beside(line: float, x: float, half: float) -> float:
    """Return the middle of a label at ``x`` of ``half`` its width, moved to a side of a vertical line.

    Examples:
        >>> _beside(50.0, 100.0, 10.0), _beside(98.0, 100.0, 10.0), _beside(102.0, 100.0, 10.0)
        (100.0, 110.0, 90.0)
    """
    if not abs(x - line) < half + 2:  # as if there is no line
        return x
    return line + half + 2 if x >= line else line - half - 2


def _axis_between_ticks(
    values: tuple[float, float], start: float, stop: float
) -> tuple[Axis, dict[float, str]]:
    """Return an axis that begins and ends at ticks beyond the least and the greatest value, and its ticks."""
    low, high = values
    spare = 0.06 * (high - low) or 0.5
    ticks = Axis(low - spare, high + spare, start, stop).ticks(5)
    first, second, *_ = ticks
    step, digits = second - first, len(ticks[first].partition(".")[2])
    last = max(ticks)
    ends = [round(first - step, digits)] * (first > low) + [round(last + step, digits)] * (last < high)
    ticks |= {end: number(end, digits) for end in ends}
    return Axis(min(ticks), max(ticks), start, stop), dict(sorted(ticks.items()))


def _draw_masses(
    drawing: Drawing,
    axis: Axis,
    heights: Sequence[float],
    masses: Sequence[Sequence[float]],
    colours: Sequence[str],
) -> None:
    """Draw a stack for each row; elements of one colour follow each other, as those of the means do."""
    shares = np.nan_to_num(np.array(masses, dtype=np.float64))  # a missing share has no length
    stops = np.minimum(np.cumsum(shares, axis=1), 1.0)
    for colour, column, ends in zip(colours, shares.T.tolist(), stops.T.tolist(), strict=True):
        cells = [
            (axis(stop - mass), axis(stop), y, mass)
            for mass, stop, y in zip(column, ends, heights, strict=True)
        ]
        for left, right, y, _ in cells:
            drawing.box((left + 0.5, y - 10), max(right - left - 1, 0), 20, colour)
        ink, dark = ink_on(colour), turned(ink_on(turned(deepened(colour))))
        look = {"fill": ink} if dark == ink else {"fill": ink, "style": dark_style(dark)}
        for left, right, y, mass in cells:
            if right - left >= _ROOM_FOR_A_FIGURE:
                middle = ((left + right) / 2, y + 4)
                drawing.text(middle, f"{100 * mass:.0f}", anchor="middle", font_size=12, **look)


def bin_edges(score: Floats, bounds: tuple[float, float], *, bins: int) -> Floats:
    """Return bin edges for scores; negative values are covered only as far as needed.

    Args:
        score: shape (n,), within ``bounds``.
        bounds: least and greatest possible score.
        bins: number of bins from 0, or from the least possible score above it, to the greatest.

    Returns:
        Edges, shape (at least bins + 1,), ascending.

    Examples:
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
    return np.asarray(start + np.arange(-below, bins + 1) * width, dtype=np.float64)


def bin_counts(score: Floats, edges: Floats) -> Integers:
    """Count the scores in each bin; a score on an edge belongs to the upper bin, the greatest to the last.

    Examples:
        >>> bin_counts(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5, 1.0])).tolist()
        [1, 2]
    """
    # Scores beyond the last edge because of rounding also count.
    return np.histogram(np.clip(score, edges[0], edges[-1]), edges)[0].astype(np.int64)


@dataclass(frozen=True)
class ScoreGroup:
    """Scores of a histogram.

    Attributes:
        name: name of the items.
        scores: shape (n,), without NaN.
        colour: colour of its bars.
        low: lower end of the interval of their mean.
        high: upper end, likewise.
    """

    name: str
    scores: Floats
    colour: str
    low: float = float("nan")
    high: float = float("nan")

    @property
    def mean(self) -> float:
        """Mean of the scores; NaN without any."""
        return float(self.scores.mean()) if len(self.scores) else float("nan")


def histograms(groups: Sequence[ScoreGroup], edges: Floats, *, title: str = "score", width: int) -> Drawing:
    """Draw histograms on one axis, each scaled to its greatest share, with its mean below.

    Args:
        groups: from top to bottom, each with at least one score.
        edges: edges of the bins, shape (bins + 1,).
        title: title of the axis.
        width: total width in pixels, including labels.
    """
    few = 5  # histograms, which are drawn tall
    lines = Rows.fit([group.name for group in groups], width, 104 if len(groups) <= few else 66)
    drawing = Drawing(width + 2 * PADDING, lines.bottom + _FOOT)
    axis = Axis(float(edges[0]), float(edges[-1]), lines.left, PADDING + width)
    ticks = axis.ticks(6 if width < NARROW_LIMIT else 11)
    draw_across(drawing, axis, ticks, top=lines.top, bottom=lines.bottom, title=title, is_above=False)
    lefts = [axis(edge) for edge in edges.tolist()]
    for index, group in enumerate(groups):
        floor = lines.top + lines.height * (index + 0.8)
        drawing.rule((axis.start, floor), (axis.stop, floor), GRID, 1)
        names = lines_of(group.name, lines.room)
        drawing.lines((lines.left - 10, floor - 7.5 * len(names)), names, anchor="end")
        counts = bin_counts(group.scores, edges)
        heights = (0.7 * lines.height * counts / counts.max()).tolist()
        shapes = [
            rectangle((left, floor - height), right - left, height)
            for left, right, height in zip(lefts[:-1], lefts[1:], heights, strict=True)
            if height
        ]
        drawing.path("".join(shapes), fill=group.colour, stroke=CARD)
        y = floor + 0.12 * lines.height
        drawing.interval(axis, y, (group.low, group.high), INK, 2)
        drawing.dot((axis(group.mean), y), 4, INK)
    return drawing


_SHADES = 24  # of colour: finer than the eye tells apart


def strips(levels: Floats, names: Sequence[str], ticks: Sequence[tuple[int, str]], *, width: int) -> Drawing:
    """Draw a heat map of many PMFs: a narrow column per item, a row per name, coloured by level.

    Args:
        levels: shape (rows, items), colour positions in [0, 1]; equal adjacent cells are merged.
        names: label of each row, from top to bottom.
        ticks: column indices from 0, each with the label below its middle.
        width: whole width in pixels.
    """
    rows = Rows.fit(names, width, max(34, 170 // len(names)))
    drawing = rows.drawing(width, foot=24)
    items = levels.shape[1]
    axis = Axis(0, items, rows.left, PADDING + width)
    # Each cell starts where the previous one ends, so rounding causes no gaps.
    edges = [round(axis(column), 1) for column in range(items + 1)]
    height = rows.height - 2  # rows lie a little apart
    shapes: dict[int, str] = {}
    for row, shades in enumerate(np.rint(levels * _SHADES).astype(np.int64)):
        top = rows.top + rows.height * row + 1
        starts = np.flatnonzero(np.diff(shades, prepend=-1)).tolist()
        for start, stop in zip(starts, [*starts[1:], items], strict=True):
            across = round(edges[stop] - edges[start], 1)
            piece = f"M{edges[start]:g},{top:g}h{across:g}v{height:g}h-{across:g}Z"
            shapes[int(shades[start])] = shapes.get(int(shades[start]), "") + piece
    for shade, shape in shapes.items():
        drawing.path(shape, fill=sequential(shade / _SHADES))
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


@dataclass(frozen=True)
class ForestRow:
    """A row of a forest plot, all figures in one unit.

    Attributes:
        name: label at its left.
        value: the figure.
        low: lower end of its interval.
        high: upper end, likewise.
        text: its figures, for wide screens.
        short_text: its figures, for narrow ones.
        margin: end of a band that starts at 0; ``None`` without one.
        outcome: pass, fail or undecided; ``None`` without a test.
        colour: colour of the mark and the interval of a row without a test; by default a grey mark on ink.
        pale_from: value from which on the interval is drawn pale.
    """

    name: str
    value: float
    low: float
    high: float
    text: str
    short_text: str
    margin: float | None = None
    outcome: str | None = None
    colour: str = ""
    pale_from: float = math.inf

    @property
    def positions(self) -> list[float]:
        """All values that are drawn."""
        margin = math.nan if self.margin is None else self.margin
        return [0.0, *(part for part in (self.value, self.low, self.high, margin) if math.isfinite(part))]


def forest(rows: Sequence[ForestRow], title: str, *, width: int, percent: bool = False) -> Drawing:
    """Draw the figure of each row with its interval, on a band from 0 to its margin.

    Args:
        rows: from top to bottom.
        title: title of the axis.
        width: total width in pixels, including labels.
        percent: true if the axis is in percent.
    """
    narrow, right = width < NARROW_LIMIT, PADDING + width
    texts = [row.short_text if narrow else row.text for row in rows]
    lines = Rows.fit([row.name for row in rows], width, 38, top=_HEAD)
    positions = [0.0, *(position for row in rows for position in row.positions)]
    low, high = min(positions), max(positions)
    spare = 0.04 * (high - low) or 0.05
    stop = right - _BESIDE - max(map(text_width, texts), default=0)
    axis = Axis(low - spare if low < 0 else 0.0, high + spare, lines.left, stop)
    ticks = axis.ticks(3 if narrow else 5, percent_label if percent else plain)
    if percent:
        axis, ticks = _end_at_tick(axis, ticks, high)
    drawing = lines.drawing(width)
    draw_across(drawing, axis, ticks, top=lines.top, bottom=lines.bottom, title=title)
    for index, (row, text) in enumerate(zip(rows, texts, strict=True)):
        _draw_forest_row(drawing, axis, row, lines.middle(index))
        drawing.text((right, lines.middle(index) + 4.5), text, anchor="end")
    return drawing


def _end_at_tick(axis: Axis, ticks: dict[float, str], high: float) -> tuple[Axis, dict[float, str]]:
    """Return an axis of shares that ends at a tick above all of them, unless that is above 100 %."""
    values = list(ticks)
    end = values[-1] + values[-1] - values[-2] if len(values) > 1 else 0.0
    if not values[-1] < high < end <= 1 + 1e-9:
        return axis, ticks
    return replace(axis, high=end), {**ticks, end: percent_label(end)}


def _draw_forest_row(drawing: Drawing, axis: Axis, row: ForestRow, y: float) -> None:
    """Draw the band, interval and figure of a row; the shape of the mark shows the outcome."""
    if row.margin is not None:
        limit = axis(row.margin)
        drawing.box((axis(0), y - 10), limit - axis(0), 20, TOLERATED)
        drawing.path(line([(limit, y - 13), (limit, y + 13)]), stroke=MUTED, stroke_width=2, opacity=0.7)
    end = min(row.high, row.pale_from)
    if end < row.high:
        drawing.interval(axis, y, (end, row.high), PALE, 4)
    drawing.interval(axis, y, (row.low, end), row.colour or INK, 2)
    if math.isnan(row.value):
        return
    middle = axis(row.value), y
    if row.outcome == "fail":
        drawing.path(diamonds([middle], 5.5), fill=CONTRAST, stroke=CONTRAST, stroke_width=2)
    elif row.outcome == "undecided":
        drawing.dot(middle, 4.7, CARD, stroke=INK, stroke_width=2)
    elif row.outcome == "pass":
        drawing.dot(middle, 5.7, ACCENT)
    else:
        drawing.dot(middle, 4.5, row.colour or MUTED)


def legend(rows: Sequence[ForestRow], *, gated: bool) -> tuple[Swatch, ...]:
    """Return the legend of the marks in rows; ``gated`` is true if there is a gate."""
    outcomes = {row.outcome for row in rows}
    marks = [
        ("fail" in outcomes, Swatch(CONTRAST, "failed", "diamond")),
        ("undecided" in outcomes, Swatch(INK, "undecided", "ring")),
        ("pass" in outcomes, Swatch(ACCENT, "passed", "dot")),
        (None in outcomes, Swatch(MUTED, "not tested" if gated else "mean loss", "dot")),
        (any(row.margin is not None for row in rows), Swatch(TOLERATED, "margin")),
    ]
    return tuple(swatch for occurs, swatch in marks if occurs)
