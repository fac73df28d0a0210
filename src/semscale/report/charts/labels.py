"""Labels beside a chart's rows: the room they take, and the lines that long ones are broken into."""

import re
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt

NARROW_LIMIT = 500
"""Charts below this width in pixels are laid out for a telephone or for half a page."""

_CHARACTER = 7.6  # pixels of an average character in the widest of the usual system fonts
_MOST_LINES = 2


def label_room(width: int, names: Sequence[str]) -> int:
    """Choose the pixels left of a chart for its row labels: what the longest takes, up to a limit."""
    widest = max(map(text_width, names), default=0)
    return min(20 + widest, 124 if width < NARROW_LIMIT else 240)


def lines_of(name: str, room: int) -> list[str]:
    """Break a label into at most two lines; an ellipsis marks what does not fit into ``room`` pixels.

    Example:
        >>> lines_of("neither good nor bad", 110)
        ['neither good', 'nor bad']
        >>> lines_of("a label that says far more than two lines can hold", 110)
        ['a label that', 'says far…']
    """
    columns = int((room - 16) / _CHARACTER)
    lines = [""]
    for word in words_of(name):
        joined = f"{lines[-1]} {word}".strip()
        if columns_of(joined) <= columns or not lines[-1]:
            lines[-1] = joined
        else:
            lines.append(word)
    kept = lines[:_MOST_LINES]
    if len(lines) > _MOST_LINES:
        kept[-1] += "…"
    return [_cut(line, columns) for line in kept]


def words_of(name: str) -> list[str]:
    r"""Split a label at white space, but not at no-break spaces.

    Example:
        >>> words_of("swap, 10\N{NO-BREAK SPACE}% of items")
        ['swap,', '10\xa0%', 'of', 'items']
    """
    return re.findall(r"(?:[^\s]|\N{NO-BREAK SPACE})+", name)


def columns_of(text: str) -> int:
    """Count the columns that a text takes, East Asian wide characters and emoji as two.

    Example:
        >>> columns_of("ab"), columns_of("満足")
        (2, 4)
    """
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


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
        labelLineHeight=15,
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


def _cut(line: str, columns: int) -> str:
    if columns_of(line) <= columns:
        return line
    head = line.rstrip("…")
    while columns_of(head) > max(columns - 1, 1):
        head = head[:-1]
    return head.rstrip() + "…"
