"""The picture of a BERTScore: the cosine of each token of the prediction with each of the reference."""

from itertools import product
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from markupsafe import Markup

from semscale.report.charts.palette import CONTRAST, ink_on, sequential
from semscale.report.charts.svg_elements import Point, add_path, add_text, picture

if TYPE_CHECKING:
    from semscale.matching.bertscore.explanation import Explanation

MOST_TOKENS = 60
"""Tokens of each text that are drawn; what is beyond is said below the picture."""

_CELL, _GAP, _LETTER = 30, 6, 7.2  # pixels
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
    left = _GAP + _LETTER * max(map(len, rows))
    top = _GAP + _LETTER * max(map(len, columns))
    width, height = left + _CELL * len(columns) + _GAP, top + _CELL * len(rows) + 2 * _GAP
    note = _left_out(explanation)
    height += _FONT + _GAP if note else 0
    look = {"role": "img", "aria-label": _label(explanation), "style": f"max-width:{width:.0f}px",
            "font-family": "system-ui, sans-serif", "font-size": f"{_FONT}"}  # fmt: skip
    svg = picture(width, height, look)
    for at, name in enumerate(rows):
        add_text(svg, (left - _GAP, top + _CELL * (at + 0.5) + 4), name, {"text-anchor": "end"})
    for at, name in enumerate(columns):
        x, y = left + _CELL * (at + 0.5) + 4, top - _GAP
        add_text(svg, (x, y), name, {"transform": f"rotate(-90 {x:.1f} {y:.1f})"})
    for row, column in product(range(len(rows)), range(len(columns))):
        _cell(svg, explanation, (row, column), (left + _CELL * column, top + _CELL * row))
    if note:
        add_text(svg, (_GAP, height - _GAP), note, {})
    return Markup(ElementTree.tostring(svg, encoding="unicode"))  # the serialiser has escaped it


def _cell(svg: ElementTree.Element, found: "Explanation", place: tuple[int, int], corner: Point) -> None:
    (row, column), (x, y) = place, corner
    cosine = float(found.cosines[row, column])
    add_path(svg, f"M{x:.1f},{y:.1f}h{_CELL}v{_CELL}h-{_CELL}Z", {"fill": sequential(cosine)})
    look = {"fill": ink_on(sequential(cosine)), "text-anchor": "middle", "font-size": "10"}
    add_text(svg, (x + _CELL / 2, y + _CELL / 2 + 4), f"{cosine:.2f}".replace("0.", "."), look)
    for_prediction = int(found.prediction.match[row]) == column
    for_reference = int(found.reference.match[column]) == row
    if for_prediction or for_reference:
        inner = _CELL - 2
        frame = f"M{x + 1:.1f},{y + 1:.1f}h{inner}v{inner}h-{inner}Z"
        add_path(svg, frame, {"fill": "none", "stroke": CONTRAST, "stroke-width": "2"})
    if for_prediction:
        add_path(svg, f"M{x:.1f},{y + _CELL:.1f}v-8l8,8z", {"fill": CONTRAST})
    if for_reference:
        add_path(svg, f"M{x + _CELL:.1f},{y:.1f}v8l-8,-8z", {"fill": CONTRAST})


def _left_out(explanation: "Explanation") -> str:
    sides = {"prediction": explanation.prediction, "reference": explanation.reference}
    beyond = [
        f"{len(side.pieces) - MOST_TOKENS} of {len(side.pieces)} tokens of the {name}"
        for name, side in sides.items()
        if len(side.pieces) > MOST_TOKENS
    ]
    return f"Not drawn: {' and '.join(beyond)}" if beyond else ""


def _label(explanation: "Explanation") -> str:
    score = explanation.score
    return (
        f"Cosines of {len(explanation.prediction.pieces)} tokens of the prediction with "
        f"{len(explanation.reference.pieces)} of the reference; precision {score.precision:.3f}, "
        f"recall {score.recall:.3f}, F1 {score.f1:.3f}"
    )
