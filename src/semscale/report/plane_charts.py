"""Charts with two axes: squares, matrices, trends and matches of tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from itertools import chain, pairwise, product
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup

from semscale.report import chart_kit
from semscale.report.chart_kit import (
    ACCENT,
    CARD,
    CONTRAST,
    FONT_SIZE,
    GRID,
    INK,
    LINE_HEIGHT,
    MUTED,
    NARROW_LIMIT,
    PADDING,
    Axis,
    Drawing,
    Point,
    Rows,
    draw_across,
    ink_on,
    label_room,
    lines_of,
    sequential,
    split_label,
    text_width,
)
from semscale.report.row_charts import NOISE, TOLERATED
from semscale.types import Floats

if TYPE_CHECKING:
    from semscale.matching.token_scores import Explanation
    from semscale.stats.calibration import ReliabilityBin

Range = tuple[float, float]
_SIDE = 330  # pixels of a square
_SMALLEST, _LARGEST = 60, 220  # area of a bin's dot in square pixels


def scatter(points: Floats, domains: tuple[Range, Range], titles: tuple[str, str]) -> Drawing:
    """Draw points, with a dashed line of equality where both axes have the same range.

    Args:
        points: shape (n, 2), x and y.
        domains: ranges of the x axis and the y axis.
        titles: of the x axis and the y axis.
    """
    drawing, x, y = _square(domains, titles)
    opacity = float(np.clip(12 / np.sqrt(max(len(points), 1)), 0.22, 0.85))  # density shows
    for across, up in points.tolist():
        dot = f"M{x(across):.1f},{y(up):.1f}h0"
        drawing.path(dot, stroke=ACCENT, stroke_width=5, stroke_linecap="round", stroke_opacity=opacity)
    if domains[0] == domains[1]:
        _draw_equality(drawing, x, y)
    return drawing


def reliability(bins: "Sequence[ReliabilityBin]") -> Drawing:
    """Draw bins as dots with their intervals, and a dashed line on which probabilities hold."""
    titles = "probability of being right, given", "share that was right"
    drawing, x, y = _square(((0.0, 1.0), (0.0, 1.0)), titles)
    _draw_equality(drawing, x, y)
    positions = [(x(entry.predicted), y(entry.observed.value)) for entry in bins]
    for entry, (across, _) in zip(bins, positions, strict=True):
        ends = (across, y(entry.observed.low)), (across, y(entry.observed.high))
        drawing.rule(*ends, ACCENT, 1.5, opacity=0.55)
    drawing.path(chart_kit.line(positions), stroke=ACCENT, stroke_width=1.2, opacity=0.5)
    most = max((entry.n for entry in bins), default=1)
    least = min([most - 1, *(entry.n for entry in bins)])
    for entry, position in zip(bins, positions, strict=True):
        area = _SMALLEST + (_LARGEST - _SMALLEST) * (entry.n - least) / (most - least)
        drawing.dot(position, area**0.5 / 2, ACCENT)
    return drawing


def _square(domains: tuple[Range, Range], titles: tuple[str, str]) -> tuple[Drawing, Axis, Axis]:
    """Begin a square picture: draw and return both axes with their grid."""
    up = Axis(*domains[1], 10 + _SIDE, 10)
    labels = up.ticks(5)
    left = PADDING + 20 + max(map(text_width, labels.values()), default=0)
    drawing = Drawing(left + _SIDE + 12, up.start + 36)
    across = Axis(*domains[0], left, left + _SIDE)
    ticks = across.ticks(5)
    draw_across(drawing, across, ticks, top=10, bottom=up.start, title=titles[0], is_above=False)
    for value, label in labels.items():
        y = round(up(value)) + 0.5
        drawing.rule((left, y), (left + _SIDE, y), GRID, 1)
        drawing.text((left - 4, up(value) + 4.5), label, anchor="end")
    middle = 10 + _SIDE / 2
    turned = f"rotate(-90 14 {middle:g})"
    drawing.text((14, middle), titles[1], anchor="middle", fill=MUTED, transform=turned)
    return drawing, across, up


def _draw_equality(drawing: Drawing, x: Axis, y: Axis) -> None:
    """Draw the line on which both measures are equal."""
    drawing.rule((x(x.low), y(y.low)), (x(x.high), y(y.high)), MUTED, 1.2, stroke_dasharray="4,4")


_WIDEST_CELL, _ROOMY_CELL = 112, 34  # pixels
_LONGEST_HEAD = 24


@dataclass(frozen=True)
class MatrixCell:
    """A cell: its colour, its figure, and the figure on narrow screens where that is another."""

    colour: str
    text: str
    short_text: str | None = None


def matrix(
    cells: Sequence[Sequence[MatrixCell]],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    width: int,
    title: str = "",
) -> Drawing:
    """Draw a table of coloured cells with a figure in each.

    Args:
        cells: row by row.
        rows: labels of the rows.
        columns: labels of the columns; where they would not fit they are broken into two lines, or else
            turned upright.
        width: the most it may take, labels included.
        title: of the columns.
    """
    narrow = width < NARROW_LIMIT
    texts = [
        [cell.text if cell.short_text is None or not narrow else cell.short_text for cell in row]
        for row in cells
    ]
    heads = [name if len(name) <= _LONGEST_HEAD else name[: _LONGEST_HEAD - 1] + "…" for name in columns]
    widest = max(map(text_width, heads), default=0)
    longest = max([widest, *map(text_width, chain(*texts))])
    room = label_room(width, rows)
    side = min(max(72.0, longest + 12), (width - room) / max(len(columns), 1), float(_WIDEST_CELL))
    lines = _head_lines(heads, int(side))
    head = widest + 8 if lines is None else 6 + LINE_HEIGHT * max(map(len, lines), default=0)
    table = Rows.fitted(rows, width, 34, top=PADDING + head + (24 if title else 0))
    middles = [table.left + side * (column + 0.5) for column in range(len(columns))]
    drawing = table.drawing(room + side * len(columns))
    if title:
        middle = table.left + side * len(columns) / 2
        drawing.text((middle, PADDING + 12), title, anchor="middle", fill=MUTED)
    for column, x in enumerate(middles):
        if lines is None:
            _draw_upright(drawing, (x + 4.5, table.top - 8), heads[column])
        else:
            y = table.top - 4 - LINE_HEIGHT * len(lines[column]) / 2
            drawing.lines((x, y), lines[column], anchor="middle")
    across, height = 0.96 * side, table.height - 2.4
    size = 12 if side >= _ROOMY_CELL else 9
    positions = product(range(len(rows)), range(len(columns)))
    by_colour = sorted(positions, key=lambda position: cells[position[0]][position[1]].colour)
    for row, column in by_colour:
        corner = middles[column] - across / 2, table.middle(row) - height / 2
        drawing.box(corner, across, height, cells[row][column].colour)
    for row, column in by_colour:
        point, ink = (middles[column], table.middle(row) + 4.3), ink_on(cells[row][column].colour)
        drawing.text(point, texts[row][column], anchor="middle", fill=ink, font_size=size)
    return drawing


def _head_lines(heads: Sequence[str], side: int) -> list[list[str]] | None:
    """Break heads of columns into lines of ``side`` pixels; ``None`` where two lines do not suffice."""
    if max(map(text_width, heads), default=0) <= side:
        return [[head] for head in heads]
    lines = [lines_of(head, side + 12) for head in heads]  # a head needs no room at its sides
    fits = all(
        len(parts) <= 2  # noqa: PLR2004
        and " ".join(parts) == " ".join(split_label(head))
        and max(map(text_width, parts)) <= side
        for parts, head in zip(lines, heads, strict=True)
    )
    return lines if fits else None


def _draw_upright(drawing: Drawing, point: Point, text: str, size: float = FONT_SIZE) -> None:
    x, y = point
    drawing.text(point, text, transform=f"rotate(-90 {x:.1f} {y:.1f})", font_size=size)


MOST_RUNS = 400
"""Runs that are drawn; of more the latest."""

_LEFT, _RIGHT = 46, 10  # pixels beside the plots
_STRIP, _TITLE, _GAP, _FOOT = 42, 20, 14, 24
_HEIGHT = {True: 96, False: 118}
_FEW_RUNS = 60  # up to which each run has its own interval and mark
_MOST_LABELS = {True: 5, False: 12}
_HOUR = 3600
_FEW_DAYS = 4 * 24 * _HOUR
_NEAR, _SHARE_NEAR = 0.25, 0.2  # of the mean distance of runs; share of runs so near that no clock shows them
_TICKS = {True: 3, False: 5}
_TICK_ROOM = 92  # pixels that a date takes
_SMALL = 12  # pixels of small letters


class Mark(Enum):
    """Mark of a run's mean loss, by its limit and by the gate's decision about the run."""

    BELOW = "below the limit"
    FAILED = "at the limit or beyond in a run that failed"
    UNDECIDED = "at the limit or beyond in an undecided run"
    UNTESTED = "not tested by a gate"


_DECISIONS = {
    "fail": Mark.FAILED,
    "undecided": Mark.UNDECIDED,
    "pass": Mark.BELOW,
    None: Mark.UNTESTED,
}
_COLOURS = {Mark.UNTESTED: MUTED, Mark.BELOW: ACCENT, Mark.UNDECIDED: INK}
_SIZES = {Mark.UNTESTED: 6, Mark.BELOW: 7, Mark.UNDECIDED: 8, Mark.FAILED: 4.5}
_SMALL_SIZES = {Mark.UNDECIDED: 6, Mark.FAILED: 3}


@dataclass(frozen=True)
class Course:
    """One metric over time, all figures in its own unit, each of shape (t,); NaN where a run has none.

    Attributes:
        name: its heading.
        loss: mean loss of each run.
        low: lower end of its interval.
        high: upper end.
        noise: what reruns of the baseline lose.
        limit: noise and margin.
        change: position of a change of level, and the means before and after; ``None`` without one.
    """

    name: str
    loss: Floats
    low: Floats
    high: Floats
    noise: Floats
    limit: Floats
    change: tuple[int, float, float] | None

    def marks(self, outcomes: Sequence[str | None]) -> list[Mark]:
        """Choose each run's mark.

        A metric at its limit or beyond in a run that passed was not tested, as a tested one would not pass.

        Args:
            outcomes: decision of the gate about each run; ``None`` where a run was only compared.
        """
        beyond = (self.loss >= self.limit).tolist()
        return [
            Mark.UNTESTED
            if outcome is None or (is_beyond and outcome == "pass")
            else _DECISIONS[outcome if is_beyond else "pass"]
            for outcome, is_beyond in zip(outcomes, beyond, strict=True)
        ]


@dataclass(frozen=True)
class Timeline:
    """The axis of all metrics: times of runs, decisions of the gate, and changes of the model."""

    times: tuple[datetime, ...]
    outcomes: tuple[str | None, ...]
    model_changes: tuple[int, ...]

    @property
    def is_even(self) -> bool:
        """True if runs lie at equal distances, as by the clock many would lie on top of each other."""
        gaps = np.diff(self._stamps)
        near = gaps < _NEAR * np.ptp(self._stamps) / max(len(gaps), 1)
        return bool(len(gaps)) and float(near.mean()) > _SHARE_NEAR

    @property
    def positions(self) -> list[float]:
        """Position of each run on the axis: hours since the first run, or its number."""
        if self.is_even:
            return [float(position) for position in range(len(self.times))]
        return [round((stamp - self._stamps[0]) / _HOUR, 3) for stamp in self._stamps]

    def by_model(self, points: Sequence[Point]) -> list[Sequence[Point]]:
        """Part points of all runs where the model changes: a line joins runs of the same model only."""
        ends = [0, *self.model_changes, len(points)]
        return [points[start:end] for start, end in pairwise(ends)]

    def ticks(self, most: int) -> dict[float, str]:
        """Choose runs evenly, the first and the last among them, and write when they were compared."""
        chosen = np.unique(np.linspace(0, len(self.times) - 1, most).round().astype(int))
        few_days = self._stamps[-1] - self._stamps[0] < _FEW_DAYS
        positions = self.positions
        return {
            positions[run]: self.times[run].strftime("%m-%d %H:%M" if few_days else "%Y-%m-%d")
            for run in chosen
        }

    @property
    def _stamps(self) -> list[float]:
        return [time.timestamp() for time in self.times]


def courses(timeline: Timeline, metrics: Sequence[Course], *, width: int) -> Drawing:
    """Draw the gate's outcomes, then a plot of each metric, with model changes through all of them.

    Args:
        timeline: t runs, at most ``MOST_RUNS``.
        metrics: from top to bottom.
        width: whole width in pixels.
    """
    narrow, positions = width < NARROW_LIMIT, timeline.positions
    spare = (positions[-1] - positions[0]) * 0.02 or 1.0
    x = Axis(positions[0] - spare, positions[-1] + spare, _LEFT, width - _RIGHT)
    height, step = _HEIGHT[narrow], _TITLE + _HEIGHT[narrow] + _GAP
    tops = [float(_STRIP + step * order + _TITLE) for order in range(len(metrics))]
    bottom = _STRIP + step * len(metrics)
    drawing = Drawing(width, bottom + _FOOT)
    for top, metric in zip(tops, metrics, strict=True):
        _draw_metric(drawing, x, Axis(*_losses(metric), top + height, top), timeline, metric)
    plots = [(16.0, _STRIP - 8.0), *((top, top + height) for top in tops)]
    _draw_models(drawing, x, plots, timeline, most=_MOST_LABELS[narrow])
    strip = [(x(position), 25.0) for position in positions]
    decisions = [_DECISIONS[outcome] for outcome in timeline.outcomes]
    _draw_marks(
        drawing, strip, decisions, {Mark.UNTESTED: 6, Mark.BELOW: 8, Mark.UNDECIDED: 9, Mark.FAILED: 5}
    )
    _draw_dates(drawing, x, timeline.ticks(_TICKS[narrow]), top=bottom)
    return drawing


def _draw_metric(drawing: Drawing, x: Axis, y: Axis, timeline: Timeline, metric: Course) -> None:
    """Draw a heading and an axis, bands, levels, intervals, the line of means, and its marks."""
    positions = timeline.positions
    drawing.text((x.start, y.stop - 7), metric.name, font_weight="600")
    ticks = y.ticks(4)
    drawing.path("".join(f"M{x.start:g},{y(tick):.5g}H{x.stop:g}" for tick in ticks), stroke=GRID)
    for tick, label in ticks.items():
        drawing.text((x.start - 6, y(tick) + 4), label, anchor="end", font_size=_SMALL)
    _draw_bands(drawing, x, y, positions, metric)
    if metric.change is not None:
        run, before, after = metric.change
        middle = x((positions[run - 1] + positions[run]) / 2)
        levels = [(x(positions[0]), y(before)), (middle, y(before))]
        levels += [(middle, np.nan), (middle, y(after)), (x(positions[-1]), y(after))]
        drawing.path(chart_kit.line(levels), stroke=INK, stroke_width=2)
    means, highs, lows = (
        [(x(position), y(value)) for position, value in zip(positions, values.tolist(), strict=True)]
        for values in (metric.loss, metric.high, np.maximum(metric.low, y.low))
    )
    if few := len(positions) <= _FEW_RUNS:
        drawing.path(chart_kit.whiskers(highs, lows), stroke=ACCENT, stroke_width=1.5)
    else:
        bands = map(chart_kit.band, timeline.by_model(highs), timeline.by_model(lows))
        drawing.path("".join(bands), fill=ACCENT, fill_opacity=0.22)
    means_line = "".join(map(chart_kit.line, timeline.by_model(means)))
    drawing.path(means_line, stroke=ACCENT, stroke_width=1.5)
    # Of many runs only those at the limit or beyond that the gate did not pass are marked.
    _draw_marks(drawing, means, metric.marks(timeline.outcomes), _SIZES if few else _SMALL_SIZES)


def _draw_marks(
    drawing: Drawing, points: Sequence[Point], marks: Sequence[Mark], sizes: Mapping[Mark, float]
) -> None:
    """Draw the marks that have a size: the diameter of dots and rings, half the diagonal of diamonds."""
    for mark, size in sizes.items():
        marked = [point for point, other in zip(points, marks, strict=True) if other is mark]
        if mark is Mark.FAILED:
            drawing.path(chart_kit.diamonds(marked, size), fill=CONTRAST)
            continue
        dots = chart_kit.dots(marked)
        drawing.path(dots, stroke=_COLOURS[mark], stroke_width=size, stroke_linecap="round")
        if mark is Mark.UNDECIDED:
            drawing.path(dots, stroke=CARD, stroke_width=size - 3, stroke_linecap="round")


def _draw_bands(drawing: Drawing, x: Axis, y: Axis, positions: Sequence[float], metric: Course) -> None:
    """Draw the loss of reruns and the margin from end to end; only where they change is there a corner."""
    limits = np.stack([metric.noise, metric.limit], axis=1)
    changes = [
        run for run in range(1, len(limits)) if not np.allclose(limits[run], limits[run - 1], equal_nan=True)
    ]
    turns = [x.low, *(positions[run] for run in changes), x.high]
    levels = limits[[0, *changes, -1]].T.tolist()
    noise, limit = (
        chart_kit.steps([(x(position), y(value)) for position, value in zip(turns, values, strict=True)])
        for values in levels
    )
    for edge, colour in ((limit, TOLERATED), (noise, NOISE)):
        drawing.path(chart_kit.band(edge, [(across, y(0.0)) for across, _ in edge]), fill=colour)
    drawing.path(chart_kit.line(limit), stroke=MUTED, stroke_width=1.5)


def _draw_models(
    drawing: Drawing, x: Axis, plots: Sequence[tuple[float, float]], timeline: Timeline, *, most: int
) -> None:
    """Rule off changes of the model in each plot, and number the models where they can be told apart."""
    positions = timeline.positions
    changes = [x((positions[run - 1] + positions[run]) / 2) for run in timeline.model_changes]
    rules = "".join(f"M{across:.5g},{top:g}V{bottom:g}" for top, bottom in plots for across in changes)
    drawing.path(rules, stroke=MUTED, stroke_dasharray="3,3")
    if 0 < len(changes) <= most:
        for order, across in enumerate([x(positions[0]), *changes], 1):
            drawing.text((across, 11), str(order), anchor="middle", font_weight="600", font_size=_SMALL)


def _draw_dates(drawing: Drawing, x: Axis, ticks: Mapping[float, str], *, top: float) -> None:
    """Write dates as far as they have room; the first and the last come before those between."""
    first, last, written = x(min(ticks)), x(max(ticks)), -np.inf
    for position in sorted(ticks):
        across = x(position)
        needs_both = first < across < last
        if across - written < _TICK_ROOM or (needs_both and last - across < _TICK_ROOM):
            continue
        anchor = "middle" if first == last or needs_both else "start" if across == first else "end"
        drawing.text((across, top + 8), ticks[position], anchor=anchor, font_size=_SMALL)
        written = across


def _losses(metric: Course) -> tuple[float, float]:
    """Return the ends of the axis: from 0, or below it where a run did better than the baseline."""
    highs = np.concatenate([metric.loss, metric.high, metric.limit])
    high = float(highs[np.isfinite(highs)].max(initial=0.0)) * 1.06 or 1.0
    lows = np.concatenate([metric.loss, metric.low])
    low = float(lows[np.isfinite(lows)].min(initial=0.0)) * 1.06
    return low if (metric.loss < 0).any() else 0.0, high


MOST_TOKENS = 60
"""Tokens of each text that are drawn; a line below the picture counts the others."""

_TOKEN_CELL, _TOKEN_GAP, _LETTER = 30, 6, 7.2  # pixels


def match_picture(explanation: "Explanation") -> Markup:
    """Draw the cosines of all tokens as an SVG document, the matched ones with a frame.

    A filled corner of a frame marks the match: lower left for the prediction's best match of a row, upper
    right for the reference's best match of a column. Special tokens are drawn, because they can be matched.

    Args:
        explanation: as ``BertScorer.explain`` returns it.
    """
    rows = explanation.prediction.pieces[:MOST_TOKENS]
    columns = explanation.reference.pieces[:MOST_TOKENS]
    left, top = (_TOKEN_GAP + _LETTER * max(map(len, pieces)) for pieces in (rows, columns))
    sides = {"prediction": explanation.prediction, "reference": explanation.reference}
    beyond = [
        f"{len(side.pieces) - MOST_TOKENS} of {len(side.pieces)} tokens of the {name}"
        for name, side in sides.items()
        if len(side.pieces) > MOST_TOKENS
    ]
    height = top + _TOKEN_CELL * len(rows) + 2 * _TOKEN_GAP
    drawing = Drawing(left + _TOKEN_CELL * len(columns) + _TOKEN_GAP, height + (18 if beyond else 0))
    for row, name in enumerate(rows):
        position = left - _TOKEN_GAP, top + _TOKEN_CELL * (row + 0.5) + 4
        drawing.text(position, name, anchor="end", font_size=_SMALL)
    for column, name in enumerate(columns):
        position = left + _TOKEN_CELL * (column + 0.5) + 4, top - _TOKEN_GAP
        _draw_upright(drawing, position, name, _SMALL)
    for row, column in product(range(len(rows)), range(len(columns))):
        corner = left + _TOKEN_CELL * column, top + _TOKEN_CELL * row
        _draw_token_cell(drawing, explanation, (row, column), corner)
    if beyond:
        drawing.text((_TOKEN_GAP, height + 12), f"Not drawn: {' and '.join(beyond)}", font_size=_SMALL)
    return Markup(drawing.document(_tokens_label(explanation)))  # the drawing has escaped it


def _draw_token_cell(
    drawing: Drawing, explanation: "Explanation", cell: tuple[int, int], corner: Point
) -> None:
    (row, column), (x, y), side = cell, corner, _TOKEN_CELL
    cosine = float(explanation.cosines[row, column])
    colour = sequential(cosine)
    drawing.box(corner, side, side, colour)
    middle, figure = (x + side / 2, y + side / 2 + 4), f"{cosine:.2f}".replace("0.", ".")
    drawing.text(middle, figure, anchor="middle", fill=ink_on(colour), font_size=10)
    for_prediction = int(explanation.prediction.match[row]) == column
    for_reference = int(explanation.reference.match[column]) == row
    if for_prediction or for_reference:
        drawing.box((x + 1, y + 1), side - 2, side - 2, "none", stroke=CONTRAST, stroke_width=2)
    if for_prediction:
        drawing.path(f"M{x:.1f},{y + side:.1f}v-8l8,8z", fill=CONTRAST)
    if for_reference:
        drawing.path(f"M{x + side:.1f},{y:.1f}v8l-8,-8z", fill=CONTRAST)


def _tokens_label(explanation: "Explanation") -> str:
    score = explanation.score
    return (
        f"Cosines of {len(explanation.prediction.pieces)} tokens of the prediction with "
        f"{len(explanation.reference.pieces)} of the reference; precision {score.precision:.3f}, "
        f"recall {score.recall:.3f}, F1 {score.f1:.3f}"
    )
