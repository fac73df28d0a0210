"""Charts with two axes: squares, matrices, trends and matches of tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import Enum
from itertools import chain, pairwise, product
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np
from markupsafe import Markup

from semscale.drift.gate.decision import Outcome
from semscale.report import chart_kit as elements
from semscale.report.chart_kit import (
    ACCENT,
    CARD,
    CONTRAST,
    GRID,
    INK,
    MUTED,
    NARROW_LIMIT,
    Point,
    Specification,
    add_path,
    add_text,
    ink_on,
    label_room,
    lines_of,
    marks_of,
    named_rows,
    picture,
    row_height,
    sequential,
    text_width,
    themed,
    words_of,
)
from semscale.report.formatting import number
from semscale.report.row_charts import NOISE, TOLERATED
from semscale.types import Floats

if TYPE_CHECKING:
    import altair as alt

    from semscale.matching.bertscore.explanation import Explanation

Range = tuple[float, float]
_SIDE = 330  # pixels
_SMALLEST, _LARGEST = 60, 220  # area of a bin's dot in square pixels


@dataclass(frozen=True)
class ReliabilityDot:
    """One bin: mean probability, share that was right with the ends of its interval, and its size."""

    predicted: float
    observed: float
    low: float
    high: float
    n: int


def scatter(points: Floats, domains: tuple[Range, Range], titles: tuple[str, str]) -> Specification:
    """Draw points, with a dashed line of equality where both axes have the same range.

    Args:
        points: shape (n, 2), x and y.
        domains: what the x axis and the y axis cover.
        titles: what stands at the x axis and the y axis.
    """
    import altair as alt

    across, up = (alt.Scale(domain=list(domain), nice=False) for domain in domains)
    x = alt.X("x:Q", axis=_axis(titles[0]), scale=across)
    y = alt.Y("y:Q", axis=_axis(titles[1]), scale=up)
    dots = [{"x": round(float(x), 4), "y": round(float(y), 4)} for x, y in points]
    opacity = float(np.clip(12 / np.sqrt(max(len(points), 1)), 0.22, 0.85))  # density shows
    drawn = marks_of("dots").mark_point(
        shape="M0,0h0", strokeCap="round", strokeWidth=5, stroke=ACCENT, strokeOpacity=opacity, opacity=1
    )
    layers = [drawn.encode(x=x, y=y), *([_equality(x, y)] if domains[0] == domains[1] else [])]
    ends = [{"x": left, "y": low} for left, low in zip(*domains, strict=True)]
    return themed(alt.layer(*layers), [], 0, {"dots": dots, "ends": ends}, width=_SIDE, height=_SIDE)


def reliability(dots: Sequence[ReliabilityDot]) -> Specification:
    """Draw bins as dots with their intervals, beside the dashed line on which probabilities hold.

    Args:
        dots: one a bin.
    """
    import altair as alt

    unit = alt.Scale(domain=[0, 1], nice=False)
    x = alt.X("predicted:Q", axis=_axis("probability of being right, given"), scale=unit)
    y = alt.Y("observed:Q", axis=_axis("share that was right"), scale=unit)
    most, least = (choose((dot.n for dot in dots), default=1) for choose in (max, min))
    area = alt.Scale(domain=[min(least, most - 1), most], range=[_SMALLEST, _LARGEST], clamp=True)
    size = alt.Size("n:Q", legend=None, scale=area)
    base = marks_of("dots")
    layers = alt.layer(
        _equality(x, y),
        base.mark_rule(stroke=ACCENT, strokeWidth=1.5, opacity=0.55).encode(
            x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q")
        ),
        base.mark_line(stroke=ACCENT, strokeWidth=1.2, opacity=0.5).encode(x=x, y=y),
        base.mark_circle(color=ACCENT, opacity=1).encode(x=x, y=y, size=size),
    )
    records = [{name: round(float(value), 4) for name, value in asdict(dot).items()} for dot in dots]
    ends = [{"predicted": end, "observed": end} for end in (0, 1)]
    return themed(layers, [], 0, {"dots": records, "ends": ends}, width=_SIDE, height=_SIDE)


def _axis(title: str) -> "alt.Axis":
    import altair as alt

    return alt.Axis(title=title, grid=True, tickCount=5)


def _equality(x: "alt.X", y: "alt.Y") -> "alt.Chart":
    """Draw the line on which both measures are equal."""
    import altair as alt

    line: alt.Chart = marks_of("ends").mark_line(stroke=MUTED, strokeDash=[4, 4], strokeWidth=1.2)
    return line.encode(x=x, y=y)


_MATRIX_CELL = 72  # pixels
_MATRIX_ROW = 34
_WIDEST_CELL = 112
_ROOMY_CELL = 34
_LONGEST_COLUMN_NAME = 24
_MOST_LINES = 2  # of a label above a column
_SIDES = 12  # pixels that a label beside a row keeps free, and one above a column need not


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
    title: str | None = None,
) -> Specification:
    """Draw a table of coloured cells with a figure in each.

    Args:
        cells: row by row.
        rows: labels of the rows.
        columns: labels of the columns; where they would not fit they are broken into two lines, or else
            turned upright.
        width: the most it may take, labels included.
        title: what the columns are.
    """
    import altair as alt

    room, narrow = label_room(width, rows), width < NARROW_LIMIT
    texts = [[cell.shown(narrow=narrow) for cell in row] for row in cells]
    longest = max(map(text_width, [*map(_short, columns), *chain(*texts)]), default=0)
    side = min(
        max(float(_MATRIX_CELL), longest + 12), (width - room) / max(len(columns), 1), float(_WIDEST_CELL)
    )
    axis, heads = _columns_axis(columns, int(side), title)
    records = [
        {"row": i, "column": j, "colour": cell.colour, "text": texts[i][j], "ink": ink_on(cell.colour)}
        for i, row in enumerate(cells)
        for j, cell in enumerate(row)
    ]
    base = marks_of("rows").encode(
        x=alt.X("column:O", axis=axis, scale=alt.Scale(padding=0.04)), y=named_rows(room, padding=0.06)
    )
    drawn = base.mark_rect().encode(color=alt.Color("colour:N", scale=None))
    size = 12 if side >= _ROOMY_CELL else 9
    figures = base.mark_text(fontSize=size).encode(
        text=alt.Text("text:N"), color=alt.Color("ink:N", scale=None)
    )
    layers = alt.layer(drawn, figures).add_params(alt.param(name="columns", value=heads))
    return themed(
        layers,
        rows,
        room,
        {"rows": records},
        width=side * len(columns),
        height=row_height(rows, room, _MATRIX_ROW) * len(rows),
    )


def _columns_axis(
    columns: Sequence[str], cell: int, title: str | None
) -> "tuple[alt.Axis, list[str] | list[list[str]]]":
    """Build the axis above columns of ``cell`` pixels, and the labels that it writes."""
    import altair as alt

    heads = [_short(name) for name in columns]
    longest = max(map(text_width, heads), default=0)
    lines = [lines_of(name, cell + _SIDES) for name in heads]
    is_whole = all(
        len(some) <= _MOST_LINES and " ".join(some) == " ".join(words_of(name))
        for some, name in zip(lines, heads, strict=True)
    ) and all(text_width(line) <= cell for line in chain(*lines))
    fits = longest <= cell
    upright, in_lines = not fits and not is_whole, not fits and is_whole
    axis = alt.Axis(
        orient="top",
        labelExpr="columns[datum.value]",
        labelAngle=-90 if upright else 0,
        labelLimit=0,
        labelLineHeight=15,
        labelPadding=14 if in_lines else 6,  # a second line hangs half a line lower
        minExtent=longest + 8 if upright else 36 if in_lines else 0,
        title=title,
        titlePadding=8,
    )
    return axis, lines if in_lines else heads


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_COLUMN_NAME else name[: _LONGEST_COLUMN_NAME - 1] + "…"


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
_NONE, _SMALL = {"fill": "none"}, {"font-size": "12"}


class Mark(Enum):
    """How a run's mean loss is marked, by its limit and by what the gate said of the run."""

    BELOW = "below the limit"
    FAILED = "at the limit or beyond in a run that failed"
    UNDECIDED = "at the limit or beyond in an undecided run"
    UNTESTED = "not tested by a gate"


_BEYOND = {Outcome.FAIL: Mark.FAILED, Outcome.UNDECIDED: Mark.UNDECIDED, Outcome.PASS: Mark.UNTESTED}


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
            Mark.UNTESTED if outcome is None else _BEYOND[Outcome(outcome)] if is_beyond else Mark.BELOW
            for outcome, is_beyond in zip(outcomes, beyond, strict=True)
        ]


@dataclass(frozen=True)
class Timeline:
    """What all metrics share: when runs were compared, what the gate said, and where the model changed."""

    times: tuple[datetime, ...]
    outcomes: tuple[str | None, ...]
    model_changes: tuple[int, ...]

    @property
    def is_even(self) -> bool:
        """Whether runs stand at equal distances, as by the clock many would lie on top of each other."""
        gaps = np.diff(self._stamps)
        near = gaps < _NEAR * np.ptp(self._stamps) / max(len(gaps), 1)
        return bool(len(gaps)) and float(near.mean()) > _SHARE_NEAR

    @property
    def places(self) -> list[float]:
        """Where each run stands on the axis: hours since the first run, or its number."""
        if self.is_even:
            return [float(place) for place in range(len(self.times))]
        return [round((stamp - self._stamps[0]) / _HOUR, 3) for stamp in self._stamps]

    def by_model(self, points: Sequence[elements.Point]) -> list[Sequence[elements.Point]]:
        """Part points of all runs where the model changes: a line joins runs of one model only."""
        ends = [0, *self.model_changes, len(points)]
        return [points[start:end] for start, end in pairwise(ends)]

    def ticks(self, most: int) -> dict[float, str]:
        """Choose runs evenly, the first and the last among them, and write when they were compared."""
        chosen = np.unique(np.linspace(0, len(self.times) - 1, most).round().astype(int))
        few_days = self._stamps[-1] - self._stamps[0] < _FEW_DAYS
        places = self.places
        return {
            places[run]: self.times[run].strftime("%m-%d %H:%M" if few_days else "%Y-%m-%d") for run in chosen
        }

    @property
    def _stamps(self) -> list[float]:
        return [time.timestamp() for time in self.times]


@dataclass(frozen=True)
class _Plane:
    """One plot: where its corner lies, how large it is, and what its axes cover."""

    ends: tuple[float, float]
    width: float
    top: float
    height: float
    greatest: float = 1.0
    least: float = 0.0

    def x(self, place: float) -> float:
        low, high = self.ends
        return _LEFT + self.width * (place - low) / (high - low)

    def y(self, value: float) -> float:
        return self.top + self.height * (self.greatest - value) / (self.greatest - self.least)

    def points(self, places: Sequence[float], values: Floats) -> list[elements.Point]:
        return [(self.x(place), self.y(value)) for place, value in zip(places, values.tolist(), strict=True)]


def courses(timeline: Timeline, metrics: Sequence[Course], *, width: int) -> str:
    """Draw the gate's outcomes, then one plot a metric, with model changes through all of them.

    Args:
        timeline: t runs, at most ``MOST_RUNS``.
        metrics: from top to bottom.
        width: whole width in pixels.

    Returns:
        An SVG document.
    """
    narrow, places = width < NARROW_LIMIT, timeline.places
    spare = (places[-1] - places[0]) * 0.02 or 1.0
    ends = places[0] - spare, places[-1] + spare
    step = _TITLE + _HEIGHT[narrow] + _GAP
    bottom = _STRIP + step * len(metrics)
    root = elements.picture(width, bottom + _FOOT)
    svg = ElementTree.SubElement(root, "g", {"font-size": "13", "font-family": "sans-serif"})
    plot = width - _LEFT - _RIGHT
    planes = [_Plane(ends, plot, 16, _STRIP - 24)]
    for order, metric in enumerate(metrics):
        top = _STRIP + step * order + _TITLE
        planes.append(_Plane(ends, plot, top, _HEIGHT[narrow], _greatest(metric), _least(metric)))
        _draw_metric(svg, planes[-1], timeline, metric)
    _draw_models(svg, planes, timeline, most=_MOST_LABELS[narrow])
    _draw_gate(svg, planes[0], timeline)
    _draw_dates(svg, planes[0], timeline.ticks(_TICKS[narrow]), top=bottom)
    return ElementTree.tostring(root, encoding="unicode")


def _draw_metric(svg: ElementTree.Element, plane: _Plane, timeline: Timeline, metric: Course) -> None:
    """Draw a heading and an axis, bands, levels, intervals, the line of means, and its marks."""
    places = timeline.places
    elements.add_text(svg, (plane.x(plane.ends[0]), plane.top - 7), metric.name, {"font-weight": "600"})
    _draw_axis(svg, plane)
    _draw_bands(svg, plane, places, metric)
    _draw_levels(svg, plane, places, metric.change)
    few, mean_line = len(places) <= _FEW_RUNS, _NONE | {"stroke": ACCENT, "stroke-width": "1.5"}
    means = plane.points(places, metric.loss)
    highs, lows = plane.points(places, metric.high), plane.points(places, np.maximum(metric.low, plane.least))
    if few:
        elements.add_path(
            svg, elements.whiskers(highs, lows), _NONE | {"stroke": ACCENT, "stroke-width": "1.5"}
        )
    else:
        bands = map(elements.band, timeline.by_model(highs), timeline.by_model(lows))
        elements.add_path(svg, "".join(bands), {"fill": ACCENT, "fill-opacity": "0.22"})
    elements.add_path(svg, "".join(map(elements.line, timeline.by_model(means))), mean_line)
    marked: dict[Mark, list[elements.Point]] = {mark: [] for mark in Mark}
    for point, mark in zip(means, metric.marks(timeline.outcomes), strict=True):
        marked[mark].append(point)
    _draw_marks(svg, marked, few=few)


def _draw_marks(svg: ElementTree.Element, points: Mapping[Mark, list[elements.Point]], *, few: bool) -> None:
    """Mark each run's mean; of many runs only those at the limit or beyond that the gate did not pass."""
    if few:
        elements.add_path(svg, elements.dots(points[Mark.UNTESTED]), _round(MUTED, 6))
        elements.add_path(svg, elements.dots(points[Mark.BELOW]), _round(ACCENT, 7))
    elements.add_path(svg, elements.dots(points[Mark.UNDECIDED]), _round(INK, 8 if few else 6))
    elements.add_path(svg, elements.dots(points[Mark.UNDECIDED]), _round(CARD, 5 if few else 3))
    elements.add_path(svg, elements.diamonds(points[Mark.FAILED], 4.5 if few else 3), {"fill": CONTRAST})


def _draw_levels(
    svg: ElementTree.Element, plane: _Plane, places: Sequence[float], change: tuple[int, float, float] | None
) -> None:
    """Draw the means before and after a change of level, beneath the runs' own marks."""
    if change is None:
        return
    run, before, after = change
    middle = plane.x((places[run - 1] + places[run]) / 2)
    levels = [(plane.x(places[0]), plane.y(before)), (middle, plane.y(before))]
    levels += [(middle, np.nan), (middle, plane.y(after)), (plane.x(places[-1]), plane.y(after))]
    elements.add_path(svg, elements.line(levels), _NONE | {"stroke": INK, "stroke-width": "2"})


def _draw_axis(svg: ElementTree.Element, plane: _Plane) -> None:
    step = elements.nice_step(plane.greatest - plane.least)
    digits = max(0, -int(np.floor(np.log10(step))))
    ticks = [step * tick for tick in range(int(plane.least / step), int(plane.greatest / step) + 1)]
    grid = "".join(f"M{_LEFT},{plane.y(tick):.5g}h{plane.width:.5g}" for tick in ticks)
    elements.add_path(svg, grid, _NONE | {"stroke": GRID})
    for tick in ticks:
        place = _LEFT - 6, plane.y(tick) + 4
        elements.add_text(svg, place, number(tick, digits), _SMALL | {"text-anchor": "end"})


def _draw_bands(svg: ElementTree.Element, plane: _Plane, places: Sequence[float], metric: Course) -> None:
    """Draw what reruns lose, and the margin, from end to end; only where they change is there a corner."""
    limits = list(zip(metric.noise.tolist(), metric.limit.tolist(), strict=True))
    changes = [
        run for run in range(1, len(limits)) if not np.allclose(limits[run], limits[run - 1], equal_nan=True)
    ]
    turns = [(plane.ends[0], limits[0]), *((places[run], limits[run]) for run in changes)]
    turns.append((plane.ends[1], limits[-1]))
    noise = elements.steps([(plane.x(place), plane.y(value)) for place, (value, _) in turns])
    limit = elements.steps([(plane.x(place), plane.y(value)) for place, (_, value) in turns])
    zero = plane.y(0.0)
    elements.add_path(svg, elements.band(limit, [(x, zero) for x, _ in limit]), {"fill": TOLERATED})
    elements.add_path(svg, elements.band(noise, [(x, zero) for x, _ in noise]), {"fill": NOISE})
    elements.add_path(svg, elements.line(limit), _NONE | {"stroke": MUTED, "stroke-width": "1.5"})


def _draw_models(
    svg: ElementTree.Element, planes: Sequence[_Plane], timeline: Timeline, *, most: int
) -> None:
    """Rule off changes of the model in each plot, and number the models where they can be told apart."""
    places, strip = timeline.places, planes[0]
    changes = [strip.x((places[run - 1] + places[run]) / 2) for run in timeline.model_changes]
    rules = "".join(f"M{x:.5g},{plane.top:.5g}v{plane.height:.5g}" for plane in planes for x in changes)
    elements.add_path(svg, rules, _NONE | {"stroke": MUTED, "stroke-dasharray": "3,3"})
    if 0 < len(changes) <= most:
        for order, x in enumerate([strip.x(places[0]), *changes], 1):
            look = _SMALL | {"text-anchor": "middle", "font-weight": "600"}
            elements.add_text(svg, (x, 11), str(order), look)


def _draw_gate(svg: ElementTree.Element, plane: _Plane, timeline: Timeline) -> None:
    """Mark what the gate said of each run: passed, failed, undecided, or a grey dot where none was asked."""
    said: dict[str | None, list[elements.Point]] = {}
    for place, outcome in zip(timeline.places, timeline.outcomes, strict=True):
        said.setdefault(outcome, []).append((plane.x(place), 25.0))
    elements.add_path(svg, elements.dots(said.get(None, [])), _round(MUTED, 6))
    elements.add_path(svg, elements.dots(said.get(Outcome.PASS, [])), _round(ACCENT, 8))
    elements.add_path(svg, elements.dots(said.get(Outcome.UNDECIDED, [])), _round(INK, 9))
    elements.add_path(svg, elements.dots(said.get(Outcome.UNDECIDED, [])), _round(CARD, 6))
    elements.add_path(svg, elements.diamonds(said.get(Outcome.FAIL, []), 5), {"fill": CONTRAST})


def _draw_dates(svg: ElementTree.Element, plane: _Plane, ticks: Mapping[float, str], *, top: float) -> None:
    """Write dates as far as they have room; the first and the last come before those between."""
    places = sorted(ticks)
    last, kept = plane.x(places[-1]), -np.inf
    for order, place in enumerate(places):
        x = plane.x(place)
        is_last = order == len(places) - 1
        if not is_last and (x - kept < _TICK_ROOM or (kept > -np.inf and last - x < _TICK_ROOM)):
            continue
        if is_last and x - kept < _TICK_ROOM:
            break
        anchor = "middle" if len(places) == 1 else "end" if is_last else "middle" if order else "start"
        elements.add_text(svg, (x, top + 8), ticks[place], _SMALL | {"text-anchor": anchor})
        kept = x


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


def _round(colour: str, diameter: float) -> dict[str, str]:
    return _NONE | {"stroke": colour, "stroke-width": f"{diameter:g}", "stroke-linecap": "round"}


MOST_TOKENS = 60
"""Tokens of each text that are drawn; what is beyond is said below the picture."""
_TOKEN_CELL, _TOKEN_GAP, _LETTER = 30, 6, 7.2  # pixels
_FONT = 12


def match_picture(explanation: "Explanation") -> Markup:
    """Draw the cosines of all tokens as one ``<svg role="img">`` element, the matched ones with a frame.

    A filled frame corner tells who was matched: lower left for the prediction's best match of a row, upper
    right for the reference's best match of a column. Special tokens are drawn, because they can be matched.

    Args:
        explanation: as ``BertScorer.explain`` gives it.
    """
    rows = explanation.prediction.pieces[:MOST_TOKENS]
    columns = explanation.reference.pieces[:MOST_TOKENS]
    left = _TOKEN_GAP + _LETTER * max(map(len, rows))
    top = _TOKEN_GAP + _LETTER * max(map(len, columns))
    width, height = (
        left + _TOKEN_CELL * len(columns) + _TOKEN_GAP,
        top + _TOKEN_CELL * len(rows) + 2 * _TOKEN_GAP,
    )
    note = _left_out_tokens(explanation)
    height += _FONT + _TOKEN_GAP if note else 0
    look = {"role": "img", "aria-label": _tokens_label(explanation), "style": f"max-width:{width:.0f}px",
            "font-family": "system-ui, sans-serif", "font-size": f"{_FONT}"}  # fmt: skip
    svg = picture(width, height, look)
    for at, name in enumerate(rows):
        add_text(svg, (left - _TOKEN_GAP, top + _TOKEN_CELL * (at + 0.5) + 4), name, {"text-anchor": "end"})
    for at, name in enumerate(columns):
        x, y = left + _TOKEN_CELL * (at + 0.5) + 4, top - _TOKEN_GAP
        add_text(svg, (x, y), name, {"transform": f"rotate(-90 {x:.1f} {y:.1f})"})
    for row, column in product(range(len(rows)), range(len(columns))):
        _token_cell(svg, explanation, (row, column), (left + _TOKEN_CELL * column, top + _TOKEN_CELL * row))
    if note:
        add_text(svg, (_TOKEN_GAP, height - _TOKEN_GAP), note, {})
    return Markup(ElementTree.tostring(svg, encoding="unicode"))  # the serialiser has escaped it


def _token_cell(
    svg: ElementTree.Element, found: "Explanation", place: tuple[int, int], corner: Point
) -> None:
    (row, column), (x, y) = place, corner
    cosine = float(found.cosines[row, column])
    add_path(
        svg, f"M{x:.1f},{y:.1f}h{_TOKEN_CELL}v{_TOKEN_CELL}h-{_TOKEN_CELL}Z", {"fill": sequential(cosine)}
    )
    look = {"fill": ink_on(sequential(cosine)), "text-anchor": "middle", "font-size": "10"}
    add_text(svg, (x + _TOKEN_CELL / 2, y + _TOKEN_CELL / 2 + 4), f"{cosine:.2f}".replace("0.", "."), look)
    for_prediction = int(found.prediction.match[row]) == column
    for_reference = int(found.reference.match[column]) == row
    if for_prediction or for_reference:
        inner = _TOKEN_CELL - 2
        frame = f"M{x + 1:.1f},{y + 1:.1f}h{inner}v{inner}h-{inner}Z"
        add_path(svg, frame, {"fill": "none", "stroke": CONTRAST, "stroke-width": "2"})
    if for_prediction:
        add_path(svg, f"M{x:.1f},{y + _TOKEN_CELL:.1f}v-8l8,8z", {"fill": CONTRAST})
    if for_reference:
        add_path(svg, f"M{x + _TOKEN_CELL:.1f},{y:.1f}v8l-8,-8z", {"fill": CONTRAST})


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
