"""What charts share: colours, room for labels, Vega-Lite and SVG, and drawings that stand alone."""

import math
import re
import threading
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree

from markupsafe import Markup

from semscale.report.document import Swatch
from semscale.report.formatting import digits_for, one_line, plain, printable
from semscale.scales import Scale

if TYPE_CHECKING:
    from types import ModuleType

    import altair as alt

INK: Final = "#1b2430"
MUTED: Final = "#56616f"
GRID: Final = "#e3e0d8"
CARD: Final = "#fdfcf9"
ACCENT: Final = "#1f5a92"
BAR: Final = "#5c8fc0"  # the accent, light enough for a dark whisker to be seen on it
CONTRAST: Final = "#b4581a"
NEUTRAL: Final = "#b9b3a4"  # neither good nor bad: what lies between, and what there is to compare with
# Light paper to deep blue; lightness falls steadily, so the order survives in grey and in print.
_SEQUENTIAL: Final = ("#f6f3ec", "#d5e1ea", "#a3c1da", "#6798c2", "#326ea6", "#154a7d", "#0a2d52")
# Orange and blue differ for every common colour-vision deficiency; the middle is a neutral sand.
_LOW_ARM: Final = ("#eadfd0", "#e8bd8e", "#d98f4e", "#b4581a", "#7f3a0c")
_HIGH_ARM: Final = ("#dfe3e2", "#a9c4db", "#6798c2", "#326ea6", "#154a7d")
_MIDDLE: Final = "#dcd8cc"
_LINEAR_LIMIT: Final = 0.04045  # of sRGB, below which a channel is proportional to its light


def sequential(share: float) -> str:
    """Return the colour of a share in [0, 1]: paper at 0, deep blue at 1.

    Example:
        >>> sequential(0.0), sequential(1.0)
        ('#f6f3ec', '#0a2d52')
    """
    return _between(_SEQUENTIAL, share)


def diverging(share: float) -> str:
    """Return the colour of a value in [-1, 1]: orange below 0, blue above.

    Example:
        >>> diverging(-1.0), diverging(0.0), diverging(1.0)
        ('#7f3a0c', '#dcd8cc', '#154a7d')
    """
    arm = _HIGH_ARM if share > 0 else _LOW_ARM
    return _between((_MIDDLE, *arm[1:]), abs(share))


def ordinal(n_points: int, *, flipped: bool = False) -> tuple[str, ...]:
    """Return one colour a scale point, from the low end to the high one; ``flipped`` where low is good.

    Example:
        >>> ordinal(3)
        ('#b4581a', '#dcd8cc', '#326ea6')
    """
    steps = [(2 * point / (n_points - 1) - 1) * 0.75 for point in range(n_points)]
    return tuple(diverging(-step if flipped else step) for step in steps)


def ramp(n_points: int) -> tuple[str, ...]:
    """Return one colour a scale point for a scale without a good and a bad end, light to dark.

    Example:
        >>> len(ramp(5))
        5
    """
    return tuple(sequential(0.15 + 0.75 * point / (n_points - 1)) for point in range(n_points))


def correlation_colour(r: float) -> str:
    """Return the colour of a correlation or cosine in [-1, 1]; white where it is undefined.

    Example:
        >>> correlation_colour(float("nan"))
        '#ffffff'
    """
    return diverging(0.85 * r) if math.isfinite(r) else "#ffffff"


def ink_on(colour: str) -> str:
    """Return black or white, whichever has the higher contrast on a colour; it is at least 4.58.

    Example:
        >>> ink_on("#ffffff"), ink_on("#0a2d52")
        ('#000000', '#ffffff')
    """
    return max(("#000000", "#ffffff"), key=lambda ink: contrast(ink, colour))


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21.

    References:
        WCAG 2.2, definition of contrast ratio and relative luminance.

    Example:
        >>> round(contrast("#000000", "#ffffff"), 6)
        21.0
    """
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    linear = [_linear(channel / 255) for channel in _rgb(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= _LINEAR_LIMIT else ((channel + 0.055) / 1.055) ** 2.4


def _between(stops: tuple[str, ...], share: float) -> str:
    position = min(max(share, 0.0), 1.0) * (len(stops) - 1)
    left = min(int(position), len(stops) - 2)
    weight = position - left
    channels = zip(_rgb(stops[left]), _rgb(stops[left + 1]), strict=True)
    return "#" + "".join(f"{round((1 - weight) * a + weight * b):02x}" for a, b in channels)


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def point_names(scale: Scale) -> list[str]:
    """Name each point by value and label, from the lowest to the highest."""
    names = []
    for point in scale.points:
        value, label = plain(point.value), one_line(point.label)
        names.append(value if label == value else f"{value} · {label}")
    return names


def mass_heads(scale: Scale) -> tuple[str, ...]:
    """Name the columns of a table that hold the mass of each point."""
    return tuple(f"on {plain(value)}" for value in scale.values)


def point_colours(scale: Scale) -> tuple[str, ...]:
    """Choose a colour a point: orange for the unwelcome end, one ramp where neither end is welcome."""
    if scale.polarity == "neutral":
        return ramp(scale.n_points)
    return ordinal(scale.n_points, flipped=scale.polarity == "ascending-bad")


def scale_digits(scale: Scale) -> int:
    """Choose the decimals of means on a scale."""
    return digits_for(scale.points[0].value, scale.points[-1].value)


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


Specification = dict[str, Any]
"""A Vega-Lite chart with its data inside."""
FONT_SIZE = 13
_LOOK = {
    "background": "transparent",
    "aria": False,
    "padding": 4,
    "axis": {
        "labelColor": INK,
        "labelFontSize": FONT_SIZE,
        "titleColor": MUTED,
        "titleFontSize": FONT_SIZE,
        "titleFontWeight": "normal",
        "gridColor": GRID,
        "domainColor": GRID,
        "tickColor": GRID,
        "domain": False,
        "ticks": False,
    },
    "concat": {"spacing": 14},
}


def marks_of(dataset: str) -> "alt.Chart":
    """Begin marks, one for each row of a dataset that ``themed`` adds."""
    import altair as alt

    return alt.Chart(alt.NamedData(name=dataset))


def themed(
    chart: Any,  # noqa: ANN401 - Altair's charts share no useful base
    names: Sequence[str],
    room: int,
    datasets: dict[str, list[dict[str, Any]]],
    **size: float,
) -> Specification:
    """Give a chart its row labels, its size, the page's look and its data.

    All of it is added to the finished specification: Altair copies a whole chart for each thing added to it.
    """
    specification: Specification = chart.to_dict(validate=False)
    labels = {"name": "names", "value": [lines_of(name, room) for name in names]}
    view = specification["config"]["view"] | {"stroke": None}
    return (
        specification
        | size
        | {
            "params": [*specification.get("params", ()), labels],
            "config": specification["config"] | _LOOK | {"view": view},
            "datasets": datasets,
        }
    )


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
