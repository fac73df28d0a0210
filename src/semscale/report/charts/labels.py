"""Labels beside a chart's rows: the room they take, and the lines that long ones are broken into."""

import re
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt

NARROW_LIMIT = 500
"""Charts below this width in pixels are laid out for a telephone or for half a page."""

LINE_HEIGHT = 15
"""Pixels from one line of a label to the next."""

_CHARACTER = 7.6  # pixels of an average character in the widest of the usual system fonts
_FEWEST_COLUMNS = 3
_MOST_LINES = 8
_PARTS = re.compile(r"[^-/_.,:;|]*[-/_.,:;|]+|[^-/_.,:;|]+")
_ABOVE_AND_BELOW = 6  # pixels that keep the labels of neighbouring rows apart


def label_room(width: int, names: Sequence[str]) -> int:
    """Choose the pixels left of a chart for its row labels: what the longest takes, up to a limit."""
    widest = max(map(text_width, names), default=0)
    return min(20 + widest, 124 if width < NARROW_LIMIT else 240)


def lines_of(name: str, room: int) -> list[str]:
    """Break a label into lines that fit into ``room`` pixels, and a word only where it is longer than a line.

    Labels of more than eight lines, which name no group that a person would, end with an ellipsis.

    Example:
        >>> lines_of("neither good nor bad", 110)
        ['neither good', 'nor bad']
        >>> lines_of("North Rhine-Westphalia", 110)
        ['North Rhine-', 'Westphalia']
    """
    columns = max(int((room - 16) / _CHARACTER), _FEWEST_COLUMNS)
    lines = [""]
    for word in words_of(name):
        gap = " "
        for piece in _pieces(word, columns):
            joined = f"{lines[-1]}{gap}{piece}" if lines[-1] else piece
            if columns_of(joined) <= columns:
                lines[-1] = joined
            else:
                lines.append(piece)
            gap = ""
    if len(lines) > _MOST_LINES:
        return [*lines[: _MOST_LINES - 1], _cut(lines[_MOST_LINES - 1], columns)]
    return lines


def row_height(names: Sequence[str], room: int, least: int) -> int:
    """Choose the pixels of a chart's rows: enough for the label with the most lines.

    Args:
        names: labels of the rows.
        room: pixels left of the chart.
        least: pixels of a row with a label of one or two lines.

    Example:
        >>> row_height(["good", "bad"], 110, 30)
        30
        >>> row_height(["neither good nor bad, as far as anybody can say"], 110, 30)
        81
    """
    lines = max((len(lines_of(name, room)) for name in names), default=1)
    return max(least, LINE_HEIGHT * lines + _ABOVE_AND_BELOW)


def words_of(name: str) -> list[str]:
    r"""Split a label at white space, but not at no-break spaces.

    Example:
        >>> words_of("swap, 10\N{NO-BREAK SPACE}% of items")
        ['swap,', '10\xa0%', 'of', 'items']
    """
    return re.findall(r"(?:[^\s]|\N{NO-BREAK SPACE})+", name)


def columns_of(text: str) -> int:
    """Count the columns that a text takes: two for East Asian wide characters and emoji, none for accents.

    Example:
        >>> columns_of("ab"), columns_of("満足")
        (2, 4)
    """
    return sum(map(_columns, text))


def text_width(text: str) -> int:
    """Estimate the pixels that a label takes in the widest of the usual system fonts.

    Example:
        >>> text_width("nobody-helped")
        99
    """
    return round(_CHARACTER * columns_of(text))


def names_axis(room: int, **look: Any) -> "alt.Axis":  # noqa: ANN401 - fields of an axis
    """Build the axis that writes the parameter ``names``, one label a row, into ``room`` pixels."""
    import altair as alt

    return alt.Axis(
        labelExpr="names[datum.value]",
        labelLimit=0,
        labelLineHeight=LINE_HEIGHT,
        labelPadding=10,
        labelOverlap=False,
        minExtent=room,
        maxExtent=room,
        title=None,
        **look,
    )


def named_rows(room: int, **padding: Any) -> "alt.Y":  # noqa: ANN401 - fields of a scale
    """Place marks by their ``row`` and write its name into ``room`` pixels; 0 writes none."""
    import altair as alt

    return alt.Y("row:O", axis=names_axis(room) if room else None, scale=alt.Scale(**padding))


def _columns(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _pieces(word: str, columns: int) -> list[str]:
    """Break a word that is longer than a line: behind hyphens and the like, and elsewhere if it must be."""
    if columns_of(word) <= columns:
        return [word]
    pieces = []
    for part in _PARTS.findall(word):
        piece = ""
        for character in part:
            if columns_of(piece + character) > columns:
                pieces.append(piece)
                piece = ""
            piece += character
        pieces.append(piece)
    return pieces


def _cut(line: str, columns: int) -> str:
    while columns_of(line) > columns - 1:
        line = line[:-1]
    return line.rstrip() + "…"
