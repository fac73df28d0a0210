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
    text_width,
    words_of,
)
from semscale.report.row_charts import NOISE, TOLERATED
from semscale.types import Floats

if TYPE_CHECKING:
    from semscale.matching.token_scores import Explanation

Range = tuple[float, float]
_SIDE = 330  # pixels of a square
_SMALLEST, _LARGEST = 60, 220  # area of a bin's dot in square pixels


@dataclass(frozen=True)
class ReliabilityDot:
    """One bin: mean probability, share that was right with the ends of its interval, and its size."""

    predicted: float
    observed: float
    low: float
    high: float
    n: int


def scatter(points: Floats, domains: tuple[Range, Range], titles: tuple[str, str]) -> Drawing:
    """Draw points, with a dashed line of equality where both axes have the same range.

    Args:
        points: shape (n, 2), x and y.
        domains: what the x axis and the y axis cover.
        titles: what stands at the x axis and the y axis.
    """
    drawing, x, y = _square(domains, titles)
    opacity = float(np.clip(12 / np.sqrt(max(len(points), 1)), 0.22, 0.85))  # density shows
    dots = (f"M{x(across):.1f},{y(up):.1f}h0" for across, up in points.tolist())
    drawing.paths(dots, stroke=ACCENT, stroke_width=5, stroke_linecap="round", stroke_opacity=opacity)
    if domains[0] == domains[1]:
        _draw_equality(drawing, x, y)
    return drawing


def reliability(dots: Sequence[ReliabilityDot]) -> Drawing:
    """Draw bins as dots with their intervals, beside the dashed line on which probabilities hold.

    Args:
        dots: one a bin.
    """
    titles = "probability of being right, given", "share that was right"
    drawing, x, y = _square(((0.0, 1.0), (0.0, 1.0)), titles)
    _draw_equality(drawing, x, y)
    positions = [(x(dot.predicted), y(dot.observed)) for dot in dots]
    for dot, (across, _) in zip(dots, positions, strict=True):
        drawing.rule((across, y(dot.low)), (across, y(dot.high)), ACCENT, 1.5, opacity=0.55)
    drawing.path(chart_kit.line(positions), stroke=ACCENT, stroke_width=1.2, opacity=0.5)
    most = max((dot.n for dot in dots), default=1)
    least = min([most - 1, *(dot.n for dot in dots)])
    for dot, position in zip(dots, positions, strict=True):
        area = _SMALLEST + (_LARGEST - _SMALLEST) * (dot.n - least) / (most - least)
        drawing.dot(position, area**0.5 / 2, ACCENT)
    return drawing


def _square(domains: tuple[Range, Range], titles: tuple[str, str]) -> tuple[Drawing, Axis, Axis]:
    """Begin a square picture: draw both axes with their grid, and give them."""
    up = Axis(*domains[1], 10 + _SIDE, 10)
    labels = up.ticks(5)
    left = PADDING + 20 + max(map(text_width, labels.values()), default=0)
    drawing = Drawing(left + _SIDE + 12, up.start + 36)
    across = Axis(*domains[0], left, left + _SIDE)
    ticks = across.ticks(5)
    draw_across(drawing, across, ticks, top=10, bottom=up.start, title=titles[0], is_above=False)
    grid = "".join(f"M{left:g},{round(up(value)) + 0.5:g}h{_SIDE}" for value in labels)
    drawing.path(grid, stroke=GRID)
    for value, label in labels.items():
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
    """One cell: its colour, its figure, and the figure on narrow screens where that is another."""

    colour: str
    text: str
    short_text: str | None = None

    def shown(self, *, narrow: bool) -> str:
        """Choose the figure for a width."""
        return self.short_text if narrow and self.short_text is not None else self.text


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
        title: what the columns are.
    """
    room, narrow = label_room(width, rows), width < NARROW_LIMIT
    texts = [[cell.shown(narrow=narrow) for cell in row] for row in cells]
    heads = [name if len(name) <= _LONGEST_HEAD else name[: _LONGEST_HEAD - 1] + "…" for name in columns]
    longest = max(map(text_width, [*heads, *chain(*texts)]), default=0)
    side = min(max(72.0, longest + 12), (width - room) / max(len(columns), 1), float(_WIDEST_CELL))
    lines, is_upright = _head_lines(heads, int(side))
    head = (
        max(map(text_width, heads), default=0) + 8 if is_upright else 6 + LINE_HEIGHT * max(map(len, lines))
    )
    table = Rows.fitted(rows, width, 34, top=PADDING + head + (24 if title else 0))
    drawing = Drawing(table.left + side * len(columns) + PADDING, table.bottom + PADDING)
    if title:
        middle = table.left + side * len(columns) / 2
        drawing.text((middle, PADDING + 12), title, anchor="middle", fill=MUTED)
    for column, some in enumerate(lines):
        x = table.left + side * (column + 0.5)
        if is_upright:
            x, y = x + 4.5, table.top - 8
            drawing.text((x, y), some[0], transform=f"rotate(-90 {x:.1f} {y:.1f})")
        else:
            drawing.lines((x, table.top - 4 - LINE_HEIGHT * len(some) / 2), some, anchor="middle")
    table.draw_names(drawing)
    size = 12 if side >= _ROOMY_CELL else 9
    _draw_cells(drawing, table, cells, side)
    for row, column in product(range(len(rows)), range(len(columns))):
        position, ink = (
            (table.left + side * (column + 0.5), table.middle(row) + 4.3),
            ink_on(cells[row][column].colour),
        )
        drawing.text(position, texts[row][column], anchor="middle", fill=ink, font_size=size)
    return drawing


def _draw_cells(drawing: Drawing, table: Rows, cells: Sequence[Sequence[MatrixCell]], side: float) -> None:
    gap, height = 0.04 * side, table.height - 2.4
    for row, line in enumerate(cells):
        for column, cell in enumerate(line):
            corner = table.left + side * column + gap / 2, table.middle(row) - height / 2
            drawing.box(corner, side - gap, height, cell.colour)


def _head_lines(heads: Sequence[str], side: int) -> tuple[list[list[str]], bool]:
    """Break heads of columns into lines of ``side`` pixels; where two do not suffice, all stand upright."""
    if max(map(text_width, heads), default=0) <= side:
        return [[head] for head in heads], False
    lines = [lines_of(head, side + 12) for head in heads]  # a head needs no room at its sides
    is_whole = all(
        len(some) <= 2 and " ".join(some) == " ".join(words_of(head)) and max(map(text_width, some)) <= side  # noqa: PLR2004
        for some, head in zip(lines, heads, strict=True)
    )
    return (lines, False) if is_whole else ([[head] for head in heads], True)


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


_BEYOND = {"fail": Mark.FAILED, "undecided": Mark.UNDECIDED, "pass": Mark.UNTESTED}


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
        change: place of a change of level and the means before and after; ``None`` without one.
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
            outcomes: what the gate said of each run; ``None`` where a run was only compared.
        """
        beyond = (self.loss >= self.limit).tolist()
        return [
            Mark.UNTESTED if outcome is None else _BEYOND[outcome] if is_beyond else Mark.BELOW
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
        """True if runs stand at equal distances, as by the clock many would lie on top of each other."""
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
        """Part points of all runs where the model changes: a line joins runs of one model only."""
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
    """Draw the gate's outcomes, then one plot a metric, with model changes through all of them.

    Args:
        timeline: t runs, at most ``MOST_RUNS``.
        metrics: from top to bottom.
        width: whole width in pixels.
    """
    narrow, positions = width < NARROW_LIMIT, timeline.positions
    spare = (positions[-1] - positions[0]) * 0.02 or 1.0
    x = Axis(positions[0] - spare, positions[-1] + spare, _LEFT, width - _RIGHT)
    step = _TITLE + _HEIGHT[narrow] + _GAP
    bottom = _STRIP + step * len(metrics)
    drawing = Drawing(width, bottom + _FOOT)
    plots = [(16.0, _STRIP - 8.0)]
    for order, metric in enumerate(metrics):
        top = float(_STRIP + step * order + _TITLE)
        plots.append((top, top + _HEIGHT[narrow]))
        _draw_metric(drawing, x, Axis(_least(metric), _greatest(metric), *plots[-1][::-1]), timeline, metric)
    _draw_models(drawing, x, plots, timeline, most=_MOST_LABELS[narrow])
    _draw_gate(drawing, x, timeline)
    _draw_dates(drawing, x, timeline.ticks(_TICKS[narrow]), top=bottom)
    return drawing


def _draw_metric(drawing: Drawing, x: Axis, y: Axis, timeline: Timeline, metric: Course) -> None:
    """Draw a heading and an axis, bands, levels, intervals, the line of means, and its marks."""
    positions = timeline.positions
    drawing.text((x.start, y.stop - 7), metric.name, font_weight="600")
    _draw_losses(drawing, x, y)
    _draw_bands(drawing, x, y, positions, metric)
    _draw_levels(drawing, x, y, positions, metric.change)
    few = len(positions) <= _FEW_RUNS
    means, highs, lows = (
        [(x(position), y(value)) for position, value in zip(positions, values.tolist(), strict=True)]
        for values in (metric.loss, metric.high, np.maximum(metric.low, y.low))
    )
    if few:
        drawing.path(chart_kit.whiskers(highs, lows), stroke=ACCENT, stroke_width=1.5)
    else:
        bands = map(chart_kit.band, timeline.by_model(highs), timeline.by_model(lows))
        drawing.path("".join(bands), fill=ACCENT, fill_opacity=0.22)
    means_line = "".join(map(chart_kit.line, timeline.by_model(means)))
    drawing.path(means_line, stroke=ACCENT, stroke_width=1.5)
    marked: dict[Mark, list[Point]] = {mark: [] for mark in Mark}
    for point, mark in zip(means, metric.marks(timeline.outcomes), strict=True):
        marked[mark].append(point)
    _draw_marks(drawing, marked, few=few)


def _draw_marks(drawing: Drawing, points: Mapping[Mark, list[Point]], *, few: bool) -> None:
    """Mark each run's mean; of many runs only those at the limit or beyond that the gate did not pass."""
    if few:
        _draw_dots(drawing, points[Mark.UNTESTED], MUTED, 6)
        _draw_dots(drawing, points[Mark.BELOW], ACCENT, 7)
    _draw_dots(drawing, points[Mark.UNDECIDED], INK, 8 if few else 6)
    _draw_dots(drawing, points[Mark.UNDECIDED], CARD, 5 if few else 3)
    drawing.path(chart_kit.diamonds(points[Mark.FAILED], 4.5 if few else 3), fill=CONTRAST)


def _draw_dots(drawing: Drawing, points: Sequence[Point], colour: str, diameter: float) -> None:
    drawing.path(chart_kit.dots(points), stroke=colour, stroke_width=diameter, stroke_linecap="round")


def _draw_levels(
    drawing: Drawing, x: Axis, y: Axis, positions: Sequence[float], change: tuple[int, float, float] | None
) -> None:
    """Draw the means before and after a change of level, beneath the runs' own marks."""
    if change is None:
        return
    run, before, after = change
    middle = x((positions[run - 1] + positions[run]) / 2)
    levels = [(x(positions[0]), y(before)), (middle, y(before))]
    levels += [(middle, np.nan), (middle, y(after)), (x(positions[-1]), y(after))]
    drawing.path(chart_kit.line(levels), stroke=INK, stroke_width=2)


def _draw_losses(drawing: Drawing, x: Axis, y: Axis) -> None:
    """Draw the axis of losses with its grid."""
    ticks = y.ticks(4)
    drawing.path("".join(f"M{x.start:g},{y(tick):.5g}H{x.stop:g}" for tick in ticks), stroke=GRID)
    for tick, label in ticks.items():
        drawing.text((x.start - 6, y(tick) + 4), label, anchor="end", font_size=_SMALL)


def _draw_bands(drawing: Drawing, x: Axis, y: Axis, positions: Sequence[float], metric: Course) -> None:
    """Draw what reruns lose, and the margin, from end to end; only where they change is there a corner."""
    limits = list(zip(metric.noise.tolist(), metric.limit.tolist(), strict=True))
    changes = [
        run for run in range(1, len(limits)) if not np.allclose(limits[run], limits[run - 1], equal_nan=True)
    ]
    turns = [(x.low, limits[0]), *((positions[run], limits[run]) for run in changes), (x.high, limits[-1])]
    noise = chart_kit.steps([(x(position), y(value)) for position, (value, _) in turns])
    limit = chart_kit.steps([(x(position), y(value)) for position, (_, value) in turns])
    zero = y(0.0)
    drawing.path(chart_kit.band(limit, [(across, zero) for across, _ in limit]), fill=TOLERATED)
    drawing.path(chart_kit.band(noise, [(across, zero) for across, _ in noise]), fill=NOISE)
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


def _draw_gate(drawing: Drawing, x: Axis, timeline: Timeline) -> None:
    """Mark what the gate said of each run: passed, failed, undecided, or a grey dot where none was asked."""
    points: dict[str | None, list[Point]] = {}
    for position, outcome in zip(timeline.positions, timeline.outcomes, strict=True):
        points.setdefault(outcome, []).append((x(position), 25.0))
    _draw_dots(drawing, points.get(None, []), MUTED, 6)
    _draw_dots(drawing, points.get("pass", []), ACCENT, 8)
    _draw_dots(drawing, points.get("undecided", []), INK, 9)
    _draw_dots(drawing, points.get("undecided", []), CARD, 6)
    drawing.path(chart_kit.diamonds(points.get("fail", []), 5), fill=CONTRAST)


def _draw_dates(drawing: Drawing, x: Axis, ticks: Mapping[float, str], *, top: float) -> None:
    """Write dates as far as they have room; the first and the last come before those between."""
    positions = sorted(ticks)
    last, written = x(positions[-1]), -np.inf
    for order, position in enumerate(positions):
        across = x(position)
        is_last = order == len(positions) - 1
        if not is_last and (
            across - written < _TICK_ROOM or (written > -np.inf and last - across < _TICK_ROOM)
        ):
            continue
        if is_last and across - written < _TICK_ROOM:
            break
        anchor = "middle" if len(positions) == 1 else "end" if is_last else "middle" if order else "start"
        drawing.text((across, top + 8), ticks[position], anchor=anchor, font_size=_SMALL)
        written = across


def _greatest(metric: Course) -> float:
    ends = np.concatenate([metric.loss, metric.high, metric.limit])
    known = ends[np.isfinite(ends)]
    return float(known.max()) * 1.06 if len(known) and known.max() > 0 else 1.0


def _least(metric: Course) -> float:
    """Give the lower end of the axis: 0, unless a run did better than the baseline."""
    if not (metric.loss < 0).any():
        return 0.0
    ends = np.concatenate([metric.loss, metric.low])
    return float(ends[np.isfinite(ends)].min()) * 1.06


MOST_TOKENS = 60
"""Tokens of each text that are drawn; what is beyond is said below the picture."""

_TOKEN_CELL, _TOKEN_GAP, _LETTER = 30, 6, 7.2  # pixels


def match_picture(explanation: "Explanation") -> Markup:
    """Draw the cosines of all tokens as an SVG document, the matched ones with a frame.

    A filled frame corner tells who was matched: lower left for the prediction's best match of a row, upper
    right for the reference's best match of a column. Special tokens are drawn, because they can be matched.

    Args:
        explanation: as ``BertScorer.explain`` gives it.
    """
    rows = explanation.prediction.pieces[:MOST_TOKENS]
    columns = explanation.reference.pieces[:MOST_TOKENS]
    left = _TOKEN_GAP + _LETTER * max(map(len, rows))
    top = _TOKEN_GAP + _LETTER * max(map(len, columns))
    note = _left_out_tokens(explanation)
    height = top + _TOKEN_CELL * len(rows) + 2 * _TOKEN_GAP
    drawing = Drawing(left + _TOKEN_CELL * len(columns) + _TOKEN_GAP, height + (18 if note else 0))
    for row, name in enumerate(rows):
        position = left - _TOKEN_GAP, top + _TOKEN_CELL * (row + 0.5) + 4
        drawing.text(position, name, anchor="end", font_size=_SMALL)
    for column, name in enumerate(columns):
        x, y = left + _TOKEN_CELL * (column + 0.5) + 4, top - _TOKEN_GAP
        drawing.text((x, y), name, transform=f"rotate(-90 {x:.1f} {y:.1f})", font_size=_SMALL)
    for row, column in product(range(len(rows)), range(len(columns))):
        corner = left + _TOKEN_CELL * column, top + _TOKEN_CELL * row
        _draw_token_cell(drawing, explanation, (row, column), corner)
    drawing.text((_TOKEN_GAP, height + 12), note, font_size=_SMALL)
    return Markup(drawing.document(_tokens_label(explanation)))  # the drawing has escaped it


def _draw_token_cell(
    drawing: Drawing, explanation: "Explanation", position: tuple[int, int], corner: Point
) -> None:
    (row, column), (x, y), side = position, corner, _TOKEN_CELL
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


def _left_out_tokens(explanation: "Explanation") -> str:
    sides = {"prediction": explanation.prediction, "reference": explanation.reference}
    beyond = [
        f"{len(side.pieces) - MOST_TOKENS} of {len(side.pieces)} tokens of the {name}"
        for name, side in sides.items()
        if len(side.pieces) > MOST_TOKENS
    ]
    return f"Not drawn: {' and '.join(beyond)}" if beyond else ""


def _tokens_label(explanation: "Explanation") -> str:
    score = explanation.score
    return (
        f"Cosines of {len(explanation.prediction.pieces)} tokens of the prediction with "
        f"{len(explanation.reference.pieces)} of the reference; precision {score.precision:.3f}, "
        f"recall {score.recall:.3f}, F1 {score.f1:.3f}"
    )
