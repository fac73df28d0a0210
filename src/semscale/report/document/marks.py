"""Marks in a user's text where guards found something."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from semscale.report.document.values import Marked, Piece

if TYPE_CHECKING:
    from semscale.guards.findings import Span

LONGEST = 900
"""Characters of a marked text that are shown."""


def marked(text: str, found: Iterable[tuple[str, "Span | None"]] = (), *, limit: int = LONGEST) -> Marked:
    """Cut a text where something was found; where findings overlap, the one that starts first is marked.

    Args:
        text: the whole text.
        found: guards, each with the place of its finding; ``None`` marks nothing.
        limit: characters that are shown; an ellipsis marks the cut.

    Returns:
        Pieces that together are the text.

    Example:
        >>> from semscale.guards.findings import Span
        >>> found = marked("not well", [("negation", Span(0, 3, "not"))])
        >>> [(piece.text, piece.guard) for piece in found.pieces]
        [('not', 'negation'), (' well', None)]
    """
    cut: list[Piece] = []
    end = 0
    placed = [(guard, place) for guard, place in found if place is not None]
    for guard, place in sorted(placed, key=lambda item: (item[1].start, -item[1].end)):
        start, stop = max(place.start, end), min(place.end, limit)
        if start >= stop:
            continue
        if start > end:
            cut.append(Piece(text[end:start], None))
        cut.append(Piece(text[start:stop], guard))
        end = stop
    if end < min(len(text), limit):
        cut.append(Piece(text[end:limit], None))
    return Marked((*cut, Piece("…", None)) if len(text) > limit else tuple(cut))
