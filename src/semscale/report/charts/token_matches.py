"""A small picture of a BERTScore: every token of the prediction with every token of the reference."""

from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from semscale.report.charts.palette import CONTRAST, INK, ink_on, sequential
from semscale.report.wording import printable

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
    rows = [printable(piece) for piece in explanation.prediction.pieces[:MOST_TOKENS]]
    columns = [printable(piece) for piece in explanation.reference.pieces[:MOST_TOKENS]]
    left = _GAP + _LETTER * max(map(len, rows))
    top = _GAP + _LETTER * max(map(len, columns))
    parts = [_row_name(name, left, top + _CELL * at) for at, name in enumerate(rows)]
    parts += [_column_name(name, left + _CELL * at, top) for at, name in enumerate(columns)]
    for row in range(len(rows)):
        for column in range(len(columns)):
            parts.append(_cell(explanation, (row, column), left + _CELL * column, top + _CELL * row))
    width, height = left + _CELL * len(columns) + _GAP, top + _CELL * len(rows) + 2 * _GAP
    if note := _left_out(explanation):
        height += _FONT + _GAP
        parts.append(_text(note, _GAP, height - _GAP, ""))
    return Markup(  # noqa: S704 - every text in it is escaped
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f'aria-label="{escape(_label(explanation))}" style="max-width:{width:.0f}px" '
        f'font-family="system-ui, sans-serif" font-size="{_FONT}">{"".join(parts)}</svg>'
    )


def _cell(explanation: "Explanation", place: tuple[int, int], x: float, y: float) -> str:
    row, column = place
    cosine = float(explanation.cosines[row, column])
    colour = sequential(cosine)
    drawn = f'<rect x="{x:.1f}" y="{y:.1f}" width="{_CELL}" height="{_CELL}" fill="{colour}"/>'
    middle, base = x + _CELL / 2, y + _CELL / 2 + 4
    drawn += _text(f"{cosine:.2f}".replace("0.", "."), middle, base, ink_on(colour), anchor="middle", size=10)
    for_prediction = int(explanation.prediction.match[row]) == column
    for_reference = int(explanation.reference.match[column]) == row
    if for_prediction or for_reference:
        drawn += (
            f'<rect x="{x + 1:.1f}" y="{y + 1:.1f}" width="{_CELL - 2}" height="{_CELL - 2}" fill="none" '
            f'stroke="{CONTRAST}" stroke-width="2"/>'
        )
    if for_prediction:
        drawn += f'<path d="M{x:.1f},{y + _CELL:.1f}v-8l8,8z" fill="{CONTRAST}"/>'
    if for_reference:
        drawn += f'<path d="M{x + _CELL:.1f},{y:.1f}v8l-8,-8z" fill="{CONTRAST}"/>'
    return drawn


def _row_name(name: str, left: float, y: float) -> str:
    return _text(name, left - _GAP, y + _CELL / 2 + 4, INK, anchor="end")


def _column_name(name: str, x: float, top: float) -> str:
    middle = x + _CELL / 2 + 4
    turned = f' transform="rotate(-90 {middle:.1f} {top - _GAP:.1f})"'
    return _text(name, middle, top - _GAP, INK, more=turned)


def _text(  # noqa: PLR0913, PLR0917 - what a text element has
    words: str, x: float, y: float, colour: str, anchor: str = "start", size: int = _FONT, more: str = ""
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour or INK}" text-anchor="{anchor}" '
        f'font-size="{size}"{more}>{escape(words)}</text>'
    )


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
