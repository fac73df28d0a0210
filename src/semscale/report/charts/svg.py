"""Draws Vega-Lite charts as small inline SVG without a script, a font or a foreign namespace."""

import re
import threading
from functools import cache
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from markupsafe import Markup

from semscale.report.formatting import printable

if TYPE_CHECKING:
    from types import ModuleType

_SVG = "{http://www.w3.org/2000/svg}"
_LONG_FRACTION = re.compile(r"\d+\.\d\d+")
_TRANSLATED = re.compile(r"translate\(([-\d.]+,[-\d.]+)\)")
_NUMERIC = ("d", "transform", "x", "y", "x2", "y2", "width", "height")
_NOISE = ("aria-hidden", "aria-roledescription", "class", "font-family", "pointer-events", "role")
_SHARED = ("fill", "fill-opacity", "font-size", "font-weight", "stroke", "stroke-linecap")
_STROKED = ("stroke-opacity", "stroke-width", "text-anchor")
_RENDERER = threading.Lock()  # vl-convert keeps one JavaScript engine; its charts are drawn one by one


def draw(chart: dict[str, Any] | str, label: str) -> Markup:
    """Draw a chart as one ``<svg role="img">`` element for an HTML document.

    Args:
        chart: a Vega-Lite specification with its data inside, or an SVG document.
        label: what the picture says, figures included, for readers who cannot see it.

    Returns:
        The element, escaped and ready to embed; it scales with its container up to its natural width.
    """
    return compacted(svg_source(chart), printable(label))


def svg_source(chart: dict[str, Any] | str) -> str:
    """Draw a chart as an SVG document, as Vega writes it; one that is drawn already stays as it is.

    Args:
        chart: a Vega-Lite specification with its data inside, or an SVG document.
    """
    if isinstance(chart, str):
        return chart
    return drawn_by_vega(_harmless(chart))


def drawn_by_vega(chart: Any) -> str:  # noqa: ANN401 - JSON
    """Draw a Vega-Lite specification, whose strings are all printable, as an SVG document."""
    with _RENDERER:
        source: str = _converter().vegalite_to_svg(chart, allowed_base_urls=[])
    return source


def rasterized(source: str, *, scale: float = 2) -> bytes:
    """Turn an SVG document into a PNG file.

    Args:
        source: the document.
        scale: pixels of the PNG for each of the drawing's.
    """
    with _RENDERER:
        content: bytes = _converter().svg_to_png(source, scale=scale)
    return content


def compacted(source: str, label: str) -> Markup:
    """Strip an SVG document to what an HTML page needs, about a third of its size.

    Lossless but for rounding to a tenth of a pixel: attributes that all children of a group share
    move to the group, and neighbouring paths that differ in shape alone become one.
    """
    root = ElementTree.fromstring(source)
    for element in root.iter():
        element.tag = str(element.tag).removeprefix(_SVG)
        for name in _NOISE:
            element.attrib.pop(name, None)
        if element.get("opacity") == "1":
            del element.attrib["opacity"]
        for name in _NUMERIC:
            if name in element.attrib:
                element.attrib[name] = _LONG_FRACTION.sub(_tenths, element.attrib[name])
    _prune(root)
    _centre_lines(root)
    for path in root.iter("path"):
        _place_dot(path)
    for group in root.iter("g"):
        _share(group)
        _merge(group)
    width = float(root.attrib.pop("width"))
    box = root.attrib["viewBox"]
    root.attrib.clear()
    root.attrib.update(
        {"viewBox": box, "role": "img", "aria-label": label, "style": f"max-width:{width:.0f}px"}
    )
    return Markup(ElementTree.tostring(root, encoding="unicode"))  # the serialiser has escaped it


def _tenths(fraction: re.Match[str]) -> str:
    return f"{float(fraction[0]):.1f}"


def _prune(element: ElementTree.Element) -> None:
    for child in list(element):
        _prune(child)
        invisible = child.get("display") == "none" or child.get("opacity") == "0"
        shapeless = child.tag == "path" and not child.get("fill") and not child.get("stroke")
        silent = child.tag == "text" and not "".join(child.itertext())
        if invisible or shapeless or silent or (child.tag == "g" and len(child) == 0):
            element.remove(child)


def _centre_lines(root: ElementTree.Element) -> None:
    """Centre labels of several lines on their place; Vega hangs all but the first line below it."""
    for text in root.iter("text"):
        lines = text.findall("tspan")
        if len(lines) > 1:
            lines[0].set("dy", f"{-float(lines[1].get('dy', '0')) * (len(lines) - 1) / 2:g}")


def _place_dot(path: ElementTree.Element) -> None:
    """Write a dot's place into its path: half the length, and a scatter has thousands of them."""
    place = _TRANSLATED.fullmatch(path.get("transform", ""))
    if place and path.get("d") == "M0,0L0,0":
        path.set("d", f"M{place[1]}h0")
        del path.attrib["transform"]


def _share(group: ElementTree.Element) -> None:
    first = group[0]
    for name in (*_SHARED, *_STROKED):
        value = first.get(name)
        if len(group) > 1 and value and all(child.get(name) == value for child in group):
            group.set(name, value)
            for child in group:
                del child.attrib[name]


def _merge(group: ElementTree.Element) -> None:
    """Join opaque paths of one look, which cover the same pixels whether drawn apart or together."""
    if "stroke-opacity" in group.attrib:
        return
    shapes: dict[tuple[tuple[str, str], ...], ElementTree.Element] = {}
    if any(set(child.attrib) - {"d", "fill"} or child.tag != "path" or len(child) for child in group):
        return
    for path in list(group):
        look = tuple(sorted((name, value) for name, value in path.attrib.items() if name != "d"))
        if look in shapes:
            shapes[look].set("d", shapes[look].get("d", "") + path.get("d", ""))
            group.remove(path)
        else:
            shapes[look] = path


def _harmless(part: object) -> object:
    """Make every string printable: the renderer aborts the whole process on what XML cannot hold."""
    if isinstance(part, str):
        return printable(part)
    if isinstance(part, dict):
        return {name: _harmless(value) for name, value in part.items()}
    return [_harmless(value) for value in part] if isinstance(part, list) else part


@cache
def _converter() -> "ModuleType":
    import vl_convert  # noqa: PLC0415 - half a second that only pages with charts need

    return vl_convert
