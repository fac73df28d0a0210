"""A chart as a file of its own: on white paper, with its legend drawn below."""

from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

from semscale.report.charts.labels import text_width
from semscale.report.charts.palette import INK, MUTED
from semscale.report.charts.svg import svg_source
from semscale.report.document.blocks import Swatch
from semscale.report.formatting import printable

_NAMESPACE = "http://www.w3.org/2000/svg"
_LINE = 24  # pixels of a line of the legend
_MARK, _GAP, _MARGIN = 12, 26, 12


def standalone_svg(
    chart: dict[str, Any] | str, description: str, legend: Sequence[Swatch] = (), *, is_crisp: bool = False
) -> str:
    """Draw a chart as an SVG document that can be opened and printed by itself.

    Args:
        chart: a Vega-Lite specification with its data inside, or an SVG document.
        description: the figures in words, for readers who cannot see it.
        legend: what the marks stand for, drawn below the chart.
        is_crisp: whether edges are drawn on whole pixels, so that no paper shines through between cells.
    """
    ElementTree.register_namespace("", _NAMESPACE)
    root = ElementTree.fromstring(svg_source(chart))
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    places = _places(legend, width)
    whole = height + (_MARGIN + _LINE * (places[-1][1] + 1) if places else 0)
    root.attrib.update(height=f"{whole:g}", viewBox=f"0 0 {width:g} {whole:g}")
    if is_crisp:
        root.set("shape-rendering", "crispEdges")
    title = ElementTree.Element(f"{{{_NAMESPACE}}}title")
    title.text = printable(description)
    paper = ElementTree.Element(f"{{{_NAMESPACE}}}rect", width="100%", height="100%", fill="#ffffff")
    root.insert(0, title)
    root.insert(1, paper)
    for entry, (left, line) in zip(legend, places, strict=True):
        root.extend(_entry(entry, left, height + _MARGIN + _LINE * (line + 0.5)))
    return ElementTree.tostring(root, encoding="unicode")


def _places(legend: Sequence[Swatch], width: float) -> list[tuple[float, int]]:
    """Place the entries from left to right: where each begins, and on which line."""
    places: list[tuple[float, int]] = []
    left, line = float(_MARGIN), 0
    for entry in legend:
        needed = _MARK + 8 + text_width(entry.label)
        if left > _MARGIN and left + needed > width:
            left, line = float(_MARGIN), line + 1
        places.append((left, line))
        left += needed + _GAP
    return places


def _entry(entry: Swatch, left: float, middle: float) -> list[ElementTree.Element]:
    text = ElementTree.Element(
        f"{{{_NAMESPACE}}}text",
        {"x": f"{left + _MARK + 8:g}", "y": f"{middle + 4.5:g}", "font-size": "13", "fill": INK,
         "font-family": "sans-serif"},
    )  # fmt: skip
    text.text = printable(entry.label)
    return [_mark(entry, left, middle), text]


def _mark(entry: Swatch, left: float, middle: float) -> ElementTree.Element:
    half = _MARK / 2
    if entry.shape in {"line", "dashed"}:
        line = {"x1": left, "x2": left + _MARK, "y1": middle, "y2": middle, "stroke-width": 2.5}
        shown = {name: f"{value:g}" for name, value in line.items()} | {"stroke": entry.colour}
        dashes = {"stroke-dasharray": "4 3"} if entry.shape == "dashed" else {}
        return ElementTree.Element(f"{{{_NAMESPACE}}}line", shown | dashes)
    if entry.shape in {"dot", "ring"}:
        paint = (
            {"fill": entry.colour}
            if entry.shape == "dot"
            else {"fill": "none", "stroke": entry.colour, "stroke-width": "2"}
        )
        circle = {"cx": f"{left + half:g}", "cy": f"{middle:g}", "r": f"{half - 1:g}"}
        return ElementTree.Element(f"{{{_NAMESPACE}}}circle", circle | paint)
    square = {
        "x": f"{left:g}",
        "y": f"{middle - half:g}",
        "width": f"{_MARK}",
        "height": f"{_MARK}",
        "rx": "2",
    }
    turned = {"transform": f"rotate(45 {left + half:g} {middle:g})"} if entry.shape == "diamond" else {}
    return ElementTree.Element(
        f"{{{_NAMESPACE}}}rect",
        square | turned | {"fill": entry.colour, "stroke": MUTED, "stroke-opacity": "0.2"},
    )
