"""A text cut into pieces, so that a page can mark what guards found in it."""

from collections.abc import Iterable
from dataclasses import dataclass

from semscale.guards.findings import Span


@dataclass(frozen=True)
class Piece:
    """A piece of a text, and the guard that found something in it, if one did."""

    text: str
    guard: str | None


def pieces(text: str, found: Iterable[tuple[str, Span]], *, limit: int = 900) -> tuple[Piece, ...]:
    """Cut a text where something was found; where findings overlap, the one that starts first is marked.

    Args:
        text: the whole text.
        found: guards, each with where it found something.
        limit: characters that are shown; an ellipsis marks the cut.

    Returns:
        Pieces that together are the text.

    Example:
        >>> [(piece.text, piece.guard) for piece in pieces("not well", [("negation", Span(0, 3, "not"))])]
        [('not', 'negation'), (' well', None)]
    """
    cut: list[Piece] = []
    end = 0
    for guard, span in sorted(found, key=lambda item: (item[1].start, -item[1].end)):
        start, stop = max(span.start, end), min(span.end, limit)
        if start >= stop:
            continue
        if start > end:
            cut.append(Piece(text[end:start], None))
        cut.append(Piece(text[start:stop], guard))
        end = stop
    if end < min(len(text), limit):
        cut.append(Piece(text[end:limit], None))
    return (*cut, Piece("…", None)) if len(text) > limit else tuple(cut)
