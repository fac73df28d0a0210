"""Charts with two axes: squares, matrices and matches of tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, product
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup

from semscale.report import chart_kit
from semscale.report.chart_kit import (
    ACCENT,
    CONTRAST,
    FONT_SIZE,
    GRID,
    LINE_HEIGHT,
    MUTED,
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
from semscale.types import Floats

if TYPE_CHECKING:
    from semscale.matching.token_scores import Explanation
    from semscale.stats.calibration import ReliabilityBin

Range = tuple[float, float]
_SIDE = 330  # pixels of a square
_SMALLEST, _LARGEST = 60, 220  # area of a bin's dot in square pixels


def scatter(points: Floats, domains: tuple[Range, Range], titles: tuple[str, str]) -> Drawing:
    """Draw points, with a dashed line of equality if both axes have the same range.

    Args:
        points: shape (n, 2), x and y.
        domains: ranges of the x axis and the y axis.
        titles: titles of the x axis and the y axis.
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
    """Draw bins as dots with intervals, and a dashed line of perfect calibration."""
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
    """Start a square chart: draw and return both axes with their grid."""
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
    """Colour and figure of a cell."""

    colour: str
    text: str


def matrix(
    cells: Sequence[Sequence[MatrixCell]],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    width: int,
    title: str = "",
) -> Drawing:
    """Draw a matrix of coloured cells with figures; cells that are too small for them have none.

    Args:
        cells: cells row by row.
        rows: labels of the rows.
        columns: labels of the columns; if they do not fit, they are broken into two lines or rotated.
        width: greatest width in pixels, including labels.
        title: title of the columns.
    """
    heads = [name if len(name) <= _LONGEST_HEAD else name[: _LONGEST_HEAD - 1] + "…" for name in columns]
    widest = max(map(text_width, heads), default=0)
    longest = max([widest, *(text_width(cell.text) for cell in chain(*cells))])
    room = label_room(width, rows)
    side = min(max(72.0, longest + 12), (width - room) / max(len(columns), 1), float(_WIDEST_CELL))
    lines = _head_lines(heads, int(side))
    head = widest + 8 if lines is None else 6 + LINE_HEIGHT * max(map(len, lines), default=0)
    table = Rows.fit(rows, width, 34, top=PADDING + head + (24 if title else 0))
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
    if max((text_width(cell.text) for cell in chain(*cells)), default=0) > side * FONT_SIZE / size:
        return drawing  # the table below the chart has the figures
    for row, column in by_colour:
        point, ink = (middles[column], table.middle(row) + 4.3), ink_on(cells[row][column].colour)
        drawing.text(point, cells[row][column].text, anchor="middle", fill=ink, font_size=size)
    return drawing


def _head_lines(heads: Sequence[str], side: int) -> list[list[str]] | None:
    """Break column headings into lines of ``side`` pixels; ``None`` if two lines are not enough."""
    if max(map(text_width, heads), default=0) <= side:
        return [[head] for head in heads]
    lines = [lines_of(head, side + 12) for head in heads]  # a head needs no room at its sides
    fits = all(
        len(parts) <= 2
        and " ".join(parts) == " ".join(split_label(head))
        and max(map(text_width, parts)) <= side
        for parts, head in zip(lines, heads, strict=True)
    )
    return lines if fits else None


def _draw_upright(drawing: Drawing, point: Point, text: str, size: float = FONT_SIZE) -> None:
    x, y = point
    drawing.text(point, text, transform=f"rotate(-90 {x:.1f} {y:.1f})", font_size=size)


MOST_TOKENS = 60
"""Greatest number of tokens drawn of each text; a line below the chart states the number of others."""

_TOKEN_CELL, _TOKEN_GAP, _LETTER = 30, 6, 7.2  # pixels
_SMALL = 12  # pixels of small letters


def match_picture(explanation: "Explanation") -> Markup:
    """Draw the cosines of all tokens as an SVG document, with frames around matches.

    A filled corner marks the direction of a match: lower left for the best match of a row's token, upper
    right for the best match of a column's token. Special tokens are included because they can be matched.

    Args:
        explanation: result of ``BertScorer.explain``.
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
