"""Elements of a picture that is drawn without Vega: texts, lines with gaps, bands, whiskers and marks."""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from xml.etree import ElementTree

from semscale.report.charts.palette import INK
from semscale.report.formatting import printable

Look = dict[str, str]
"""Attributes of an element."""

Point = tuple[float, float]
"""Pixels from the left and from the top; NaN from the top where there is no value."""


def picture(width: float, height: float, look: Look | None = None) -> ElementTree.Element:
    """Begin an SVG document, with further attributes if there are any."""
    box = {"viewBox": f"0 0 {width:.0f} {height:.0f}", "width": f"{width:.0f}", "height": f"{height:.0f}"}
    return ElementTree.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", **box, **(look or {})})


def add_path(svg: ElementTree.Element, drawn: str, look: Look) -> None:
    """Draw a path, if there is anything of it."""
    if drawn:
        ElementTree.SubElement(svg, "path", {"d": drawn, **look})


def add_text(svg: ElementTree.Element, place: Point, said: str, look: Look) -> None:
    """Write a text; control characters become visible ones."""
    placed = {"x": f"{place[0]:.5g}", "y": f"{place[1]:.5g}", "fill": INK}
    ElementTree.SubElement(svg, "text", placed | look).text = printable(said)


def line(points: Sequence[Point]) -> str:
    """Join points, with a gap where one has no value.

    Example:
        >>> line([(0, 1), (2, 3), (4, float("nan")), (6, 7)])
        'M0,1L2,3M6,7'
    """
    drawn, is_open = "", False
    for x, y in points:
        if not math.isnan(y):
            drawn += f"{'L' if is_open else 'M'}{x:.5g},{y:.5g}"
        is_open = not math.isnan(y)
    return drawn


def band(upper: Sequence[Point], lower: Sequence[Point]) -> str:
    """Fill between two lines over the same places, with a gap where either has no value.

    Example:
        >>> band([(0, 1), (2, 1)], [(0, 3), (2, 4)])
        'M0,1L2,1L2,4L0,3Z'
    """
    pieces: list[list[tuple[Point, Point]]] = [[]]
    for pair in zip(upper, lower, strict=True):
        if math.isnan(pair[0][1] + pair[1][1]):
            pieces.append([])
        else:
            pieces[-1].append(pair)
    whole = [piece for piece in pieces if len(piece) > 1]
    return "".join(
        f"{line([*(up for up, _ in piece), *(low for _, low in piece[::-1])])}Z" for piece in whole
    )


def steps(turns: Sequence[Point]) -> list[Point]:
    """Turn values that hold from each place on into the corners of a staircase.

    Example:
        >>> steps([(0, 5), (2, 7), (4, 7)])
        [(0, 5), (2, 5), (2, 7), (4, 7)]
    """
    corners = list(turns[:1])
    for (_, before), (x, after) in pairwise(turns):
        corners.append((x, before))
        if after != before:
            corners.append((x, after))
    return corners


def whiskers(highs: Sequence[Point], lows: Sequence[Point]) -> str:
    """Draw upright lines between two values at each place.

    Example:
        >>> whiskers([(0, 1), (2, float("nan"))], [(0, 5), (2, 6)])
        'M0,1V5'
    """
    known = (
        (x, top, low) for (x, top), (_, low) in zip(highs, lows, strict=True) if not math.isnan(top + low)
    )
    return "".join(f"M{x:.5g},{top:.5g}V{low:.5g}" for x, top, low in known)


def dots(points: Iterable[Point]) -> str:
    """Draw points without extent; with round line caps the stroke's width is their diameter.

    Example:
        >>> dots([(1, 2), (3, float("nan"))])
        'M1,2h0'
    """
    return "".join(f"M{x:.5g},{y:.5g}h0" for x, y in points if not math.isnan(y))


def diamonds(points: Iterable[Point], half: float) -> str:
    """Draw diamonds, ``half`` pixels from the middle to each corner.

    Example:
        >>> diamonds([(10, 10)], 4)
        'M10,6l4,4l-4,4l-4,-4Z'
    """
    sides = f"l{half:g},{half:g}l-{half:g},{half:g}l-{half:g},-{half:g}Z"
    return "".join(f"M{x:.5g},{y - half:.5g}{sides}" for x, y in points if not math.isnan(y))


def nice_step(top: float, most: int = 4) -> float:
    """Choose the distance of ticks from 0 to ``top``: 1, 2 or 5 times a power of ten, at most so many.

    Example:
        >>> nice_step(0.17), nice_step(2.6)
        (0.05, 1.0)
    """
    least = top / most
    power = 10 ** math.floor(math.log10(least))
    return float(next(power * times for times in (1, 2, 5, 10) if power * times >= least * (1 - 1e-9)))
