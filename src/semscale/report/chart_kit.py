"""Shared parts of charts: colours, labels, axes, rows, and drawings for pages and files."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import Final
from xml.etree import ElementTree

import numpy as np
from markupsafe import Markup
from rich.cells import cell_len, chop_cells

from semscale.report.chart_data import Order
from semscale.report.document import Figure, Swatch
from semscale.report.formatting import digits_for, number, one_line, plain, printable
from semscale.scales import Scale
from semscale.types import Floats

INK: Final = "#1b2430"
MUTED: Final = "#56616f"
GRID: Final = "#e3e0d8"
CARD: Final = "#fdfcf9"
ACCENT: Final = "#1f5a92"
BAR: Final = "#5c8fc0"  # the accent, light enough for a dark whisker to be seen on it
TOTAL: Final = "#98a2ad"  # of all groups together, likewise
CONTRAST: Final = "#b4581a"
NEUTRAL: Final = "#8c8574"  # neither good nor bad: middle values and values for comparison
PALETTE: Final = (
    "#3d4854", "#326ea6", "#8fb4d4", "#d98f4e", "#7f3a0c", "#6b4e71", "#3c7a57", "#b0a48f"
)  # fmt: skip
"""Colours of series without an order; the first is that of the total."""

# Light paper to deep blue; lightness falls steadily, so the order survives in grey and in print.
_SEQUENTIAL: Final = ("#f6f3ec", "#d5e1ea", "#a3c1da", "#6798c2", "#326ea6", "#154a7d", "#0a2d52")
# Orange and blue differ for every common colour-vision deficiency; the middle is a neutral sand.
_LOW_ARM: Final = ("#eadfd0", "#e8bd8e", "#d98f4e", "#b4581a", "#7f3a0c")
_HIGH_ARM: Final = ("#dfe3e2", "#a9c4db", "#6798c2", "#326ea6", "#154a7d")
_MIDDLE: Final = "#dcd8cc"
_NOT_DEEPENED: Final = {GRID, CARD, "#ffffff", "none"}  # backgrounds, and figures in cells
_LINEAR_LIMIT: Final = 0.04045  # of sRGB, below which a channel is proportional to its light


def sequential(share: float) -> str:
    """Return the colour of a share in [0, 1]: paper at 0, deep blue at 1.

    Examples:
        >>> sequential(0.0), sequential(1.0)
        ('#f6f3ec', '#0a2d52')
    """
    return _between(_SEQUENTIAL, share)


def diverging(share: float) -> str:
    """Return the colour of a value in [-1, 1]: orange below 0, blue above.

    Examples:
        >>> diverging(-1.0), diverging(0.0), diverging(1.0)
        ('#7f3a0c', '#dcd8cc', '#154a7d')
    """
    arm = _HIGH_ARM if share > 0 else _LOW_ARM
    return _between((_MIDDLE, *arm[1:]), abs(share))


def ordinal(n_points: int, *, flipped: bool = False) -> tuple[str, ...]:
    """Return a colour for each scale point, from low to high; ``flipped`` if low is good.

    Examples:
        >>> ordinal(3)
        ('#b4581a', '#dcd8cc', '#326ea6')
    """
    steps = [(2 * point / (n_points - 1) - 1) * 0.75 for point in range(n_points)]
    return tuple(diverging(-step if flipped else step) for step in steps)


def ramp(n_points: int) -> tuple[str, ...]:
    """Return a colour for each scale point, light to dark, for a scale without a good or bad end.

    Examples:
        >>> len(ramp(5))
        5
    """
    return tuple(sequential(0.15 + 0.75 * point / (n_points - 1)) for point in range(n_points))


def series_colours(order: Order, n: int) -> tuple[str, ...]:
    """Return a colour for each of ``n`` series of a stack, by their order; series without one differ in hue.

    Examples:
        >>> series_colours("good to bad", 3)
        ('#326ea6', '#dcd8cc', '#b4581a')
    """
    if n == 1:
        return (ACCENT,)
    match order:
        case "bad to good":
            return ordinal(n)
        case "good to bad":
            return ordinal(n, flipped=True)
        case "low to high":
            return ramp(n)
        case _:
            return tuple(PALETTE[(1 + number) % len(PALETTE)] for number in range(n))


def correlation_colour(r: float) -> str:
    """Return the colour of a correlation or cosine in [-1, 1]; white if undefined.

    Examples:
        >>> correlation_colour(float("nan"))
        '#ffffff'
    """
    return diverging(0.85 * r) if math.isfinite(r) else "#ffffff"


DARK_CARD: Final = "#1a212a"
"""Background of charts on a dark page."""

_SEEN = 3.0  # contrast at which a part of a picture is seen (WCAG 2.2, 1.4.11)
_CLEAR = 3.8  # contrast from which a colour stays as a dark page turns it


@cache
def turned(colour: str) -> str:
    """Return what a dark page makes of a colour: ``invert(1) hue-rotate(180deg)``.

    References:
        W3C Filter Effects 1, matrix of ``hue-rotate``.

    Examples:
        >>> turned("#ffffff"), turned("#1f5a92")
        ('#000000', '#7bb6ee')
    """
    matrix = np.array([[-0.574, 1.430, 0.144], [0.426, 0.430, 0.144], [0.426, 1.430, -0.856]])
    return _hex(np.clip(matrix @ (255 - _rgb(colour)), 0, 255))


@cache
def deepened(colour: str) -> str:
    """Return the colour to draw instead on a page that turns its pictures, so that it stands out there.

    Contrasts of 1 to 3.8 with the dark card become 3 to 3.8, so that pale colours keep their order.

    Examples:
        >>> deepened("#326ea6"), round(contrast(turned(deepened("#dcd8cc")), DARK_CARD), 1)
        ('#326ea6', 3.0)
    """
    before = contrast(turned(colour), DARK_CARD)
    if before >= _CLEAR:
        return colour
    wanted = _SEEN + (before - 1) * (_CLEAR - _SEEN) / (_CLEAR - 1)
    # The darker a colour, the lighter it turns; halving 12 times finds the step of a channel.
    low, high = 0.0, 1.0
    for _ in range(12):
        middle = (low + high) / 2
        if contrast(turned(_hex(middle * _rgb(colour))), DARK_CARD) < wanted:
            high = middle
        else:
            low = middle
    return _hex(low * _rgb(colour))


def dark_style(colour: str) -> str:
    """Return the style of a mark with another colour on a page that turns its pictures."""
    return f"--d:{colour}"


@cache
def ink_on(colour: str) -> str:
    """Return black or white, whichever has the higher contrast on a colour; it is at least 4.58.

    Examples:
        >>> ink_on("#ffffff"), ink_on("#0a2d52")
        ('#000000', '#ffffff')
    """
    return max(("#000000", "#ffffff"), key=lambda ink: contrast(ink, colour))


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21.

    References:
        WCAG 2.2, definition of contrast ratio and relative luminance.

    Examples:
        >>> round(contrast("#000000", "#ffffff"), 6)
        21.0
    """
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    channels = _rgb(colour) / 255
    is_linear = channels <= _LINEAR_LIMIT
    linear = np.where(is_linear, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def _between(stops: tuple[str, ...], share: float) -> str:
    position = min(max(share, 0.0), 1.0) * (len(stops) - 1)
    left = min(int(position), len(stops) - 2)
    weight = position - left
    return _hex((1 - weight) * _rgb(stops[left]) + weight * _rgb(stops[left + 1]))


def _hex(channels: Floats) -> str:
    return "#" + "".join(f"{round(channel):02x}" for channel in channels.tolist())


def _rgb(colour: str) -> Floats:
    return np.array([int(colour[first : first + 2], 16) for first in (1, 3, 5)], dtype=np.float64)


def point_names(scale: Scale) -> list[str]:
    """Name each point by value and label, from the lowest to the highest."""
    names = []
    for point in scale.points:
        value, label = plain(point.value), one_line(point.label)
        names.append(value if label == value else f"{value} · {label}")
    return names


def mass_heads(scale: Scale) -> tuple[str, ...]:
    """Return headings for the columns with the mass of each point."""
    return tuple(f"on {plain(value)}" for value in scale.values)


def point_colours(scale: Scale) -> tuple[str, ...]:
    """Return a colour for each point: orange for the bad end, or a single ramp if no end is good."""
    if scale.polarity == "neutral":
        return ramp(scale.n_points)
    return ordinal(scale.n_points, flipped=scale.polarity == "ascending-bad")


def scale_digits(scale: Scale) -> int:
    """Return the number of decimals for means on a scale."""
    return digits_for(scale.points[0].value, scale.points[-1].value)


Point = tuple[float, float]
"""Position in pixels from the left and from the top; the latter is NaN without a value."""

WIDE, NARROW = 860, 348
"""Width of a drawing in pixels, for desktops and paper, and for phones."""

PADDING = 4
"""Padding around a drawing in pixels."""

FONT_SIZE = 13
_FONT = "system-ui, sans-serif"
_GEOMETRY = ("d", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "transform")
_BEFORE_ANCHOR: Final = {"start": 0.0, "middle": 0.5, "end": 1.0}
"""Part of a text's width that lies to the left of its anchor."""

_TICK_GAP = 4  # pixels between the labels of two ticks
_LEGEND_LINE, _LEGEND_MARK, _LEGEND_GAP, _LEGEND_MARGIN = 24, 12, 26, 12  # pixels


class Drawing:
    """SVG drawing; positions are pixels from the left and from the top.

    Keyword arguments such as ``stroke_width`` are SVG attributes. Every text is made printable and escaped.

    Args:
        width: width in pixels.
        height: height in pixels.
    """

    def __init__(self, width: float, height: float) -> None:
        self.width = width
        self.height = height
        self._groups: list[ElementTree.Element] = []

    def add(self, tag: str, look: Mapping[str, str | float], text: str = "") -> None:
        """Add an SVG element; adjacent elements with equal attributes share a group, which saves space."""
        attributes = {name.replace("_", "-"): _format_pixels(value) for name, value in look.items()}
        geometry = {name: attributes.pop(name) for name in _GEOMETRY if name in attributes}
        if not self._groups or self._groups[-1].attrib != attributes:
            self._groups.append(ElementTree.Element("g", attributes))
        ElementTree.SubElement(self._groups[-1], tag, geometry).text = printable(text) or None

    def path(self, shape: str, *, fill: str = "none", **look: str | float) -> None:
        """Draw a path, unless it is empty."""
        if shape:
            self.add("path", {"d": shape, "fill": fill, **look})

    def rule(self, start: Point, stop: Point, colour: str, width: float, **look: str | float) -> None:
        """Draw a straight line."""
        (x1, y1), (x2, y2) = start, stop
        ends = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
        self.add("line", {**ends, "stroke": colour, "stroke_width": width, **look})

    def box(self, corner: Point, width: float, height: float, fill: str, **look: str | float) -> None:
        """Draw a rectangle."""
        self.path(rectangle(corner, width, height), fill=fill, **look)

    def interval(self, axis: "Axis", y: float, ends: tuple[float, float], colour: str, width: float) -> None:
        """Draw a horizontal line between two values of an axis, unless one is NaN."""
        low, high = ends
        if math.isfinite(low) and math.isfinite(high):
            self.path(line([(axis(low), y), (axis(high), y)]), stroke=colour, stroke_width=width)

    def dot(self, middle: Point, radius: float, fill: str, **look: str | float) -> None:
        """Draw a disc."""
        x, y = middle
        self.add("circle", {"cx": x, "cy": y, "r": radius, "fill": fill, **look})

    def text(
        self, point: Point, text: str, *, anchor: str = "start", fill: str = INK, **look: str | float
    ) -> None:
        """Draw a text; ``anchor`` is the part of the text at the point: start, middle or end."""
        x, y = point
        anchored = {} if anchor == "start" else {"text_anchor": anchor}
        filled = {} if fill == INK else {"fill": fill}  # ink is the colour of the whole drawing
        self.add("text", {"x": x, "y": y, **filled, **anchored, **look}, text)

    def lines(self, point: Point, lines: Sequence[str], *, anchor: str) -> None:
        """Draw lines of text, vertically centred at a point."""
        x, y = point
        first = y + 4.5 - LINE_HEIGHT * (len(lines) - 1) / 2
        for order, line in enumerate(lines):
            self.text((x, first + LINE_HEIGHT * order), line, anchor=anchor)

    def inline(self, label: str) -> Markup:
        """Return the drawing as an SVG element for an HTML page that scales with its container.

        Args:
            label: text alternative with the content and figures of the drawing.
        """
        look = {"role": "img", "aria-label": printable(label), "style": f"max-width:{self.width:.0f}px"}
        root = self._svg(look)
        for group in root.iter("g"):
            fill = group.get("fill", INK)
            if fill not in _NOT_DEEPENED and deepened(fill) != fill and "style" not in group.attrib:
                group.set("style", dark_style(deepened(fill)))
        return Markup(ElementTree.tostring(root, encoding="unicode"))  # it has escaped the texts

    def document(self, description: str, legend: Sequence[Swatch] = (), *, is_crisp: bool = False) -> str:
        """Return the drawing as an SVG document on white paper, with its legend below.

        Args:
            description: text alternative with the figures.
            legend: colours and shapes of the marks, with their labels.
            is_crisp: true to draw edges on whole pixels, so that no gaps appear between cells.
        """
        positions = _legend_positions(legend, self.width)
        below = _LEGEND_MARGIN + _LEGEND_LINE * (positions[-1][1] + 1) if positions else 0
        whole = Drawing(self.width, self.height + below)
        whole._groups += self._groups
        for swatch, (left, line) in zip(legend, positions, strict=True):
            _draw_swatch(whole, swatch, left, self.height + _LEGEND_MARGIN + _LEGEND_LINE * (line + 0.5))
        size = {"width": f"{whole.width:g}", "height": f"{whole.height:g}"}
        crisp = {"shape-rendering": "crispEdges"} if is_crisp else {}
        root = whole._svg({"xmlns": "http://www.w3.org/2000/svg", **size, **crisp})
        root.insert(0, ElementTree.Element("rect", {"width": "100%", "height": "100%", "fill": "#ffffff"}))
        root.insert(0, ElementTree.Element("title"))
        root[0].text = printable(description)
        return ElementTree.tostring(root, encoding="unicode")

    def _svg(self, look: Mapping[str, str]) -> ElementTree.Element:
        shared = {"font-family": _FONT, "font-size": f"{FONT_SIZE}", "fill": INK}
        box = {"viewBox": f"0 0 {self.width:g} {self.height:g}"}
        root = ElementTree.Element("svg", {**box, **shared, **look})
        root.extend(self._groups)
        return root


def figure_svg(figure: Figure) -> str:
    """Draw a figure as an SVG document, with its legend."""
    return figure.chart(WIDE).document(figure.description, figure.legend, is_crisp=figure.style == "heat")


def rasterize(source: str, *, scale: float = 2) -> bytes:
    """Convert an SVG document to PNG bytes; Semscale's bundled font makes it equal on every machine.

    Args:
        source: the document.
        scale: pixels of the PNG per pixel of the drawing.
    """
    import resvg_py

    # Characters missing in the font, such as Chinese ones, are drawn with the system's fonts.
    return resvg_py.svg_to_bytes(
        svg_string=source, zoom=scale, font_files=[_font_file()], sans_serif_family="DejaVu Sans"
    )


@cache
def _font_file() -> str:
    return str(resources.files("semscale.report").joinpath("fonts", "DejaVuSans.ttf"))


def _format_pixels(value: str | float) -> str:
    """Format a number of pixels with one decimal, and a small one with three digits."""
    if isinstance(value, str):
        return value
    return f"{value:.3g}" if abs(value) < 100 else f"{value:.1f}".removesuffix(".0")


def _legend_positions(legend: Sequence[Swatch], width: float) -> list[tuple[float, int]]:
    """Return the left edge and line of each entry, laid out from left to right."""
    positions: list[tuple[float, int]] = []
    left, line = float(_LEGEND_MARGIN), 0
    for swatch in legend:
        needed = _LEGEND_MARK + 8 + text_width(swatch.label)
        if left > _LEGEND_MARGIN and left + needed > width:
            left, line = float(_LEGEND_MARGIN), line + 1
        positions.append((left, line))
        left += needed + _LEGEND_GAP
    return positions


def _draw_swatch(drawing: Drawing, swatch: Swatch, left: float, y: float) -> None:
    half, colour = _LEGEND_MARK / 2, swatch.colour
    middle, corner = (left + half, y), (left, y - half)
    match swatch.shape:
        case "line" | "dashed":
            dashes = {"stroke_dasharray": "4 3"} if swatch.shape == "dashed" else {}
            drawing.rule((left, y), (left + _LEGEND_MARK, y), colour, 2.5, **dashes)
        case "dot":
            drawing.dot(middle, half - 1, colour)
        case "ring":
            drawing.dot(middle, half - 1, "none", stroke=colour, stroke_width=2)
        case "diamond":
            drawing.path(diamonds([middle], half), fill=colour, stroke=MUTED, stroke_opacity=0.2)
        case _:
            drawing.box(corner, _LEGEND_MARK, _LEGEND_MARK, colour, stroke=MUTED, stroke_opacity=0.2)
    drawing.text((left + _LEGEND_MARK + 8, y + 4.5), swatch.label)


@dataclass(frozen=True)
class Axis:
    """Linear axis that maps values from ``low`` to ``high`` to pixels from ``start`` to ``stop``."""

    low: float
    high: float
    start: float
    stop: float

    def __call__(self, value: float) -> float:
        """Return the pixel of a value."""
        return self.start + (self.stop - self.start) * (value - self.low) / (self.high - self.low)

    def ticks(self, about: int, write: Callable[[float], str] | None = None) -> dict[float, str]:
        """Return about ``about`` round values with their labels, all with the same number of decimals.

        Args:
            about: approximate number of ticks; their distance is 1, 2 or 5 times a power of ten.
            write: formats a value in another way.

        Examples:
            >>> Axis(0, 1, 0, 100).ticks(5)
            {0.0: '0.0', 0.2: '0.2', 0.4: '0.4', 0.6: '0.6', 0.8: '0.8', 1.0: '1.0'}
        """
        least = (self.high - self.low) / about
        power = math.floor(math.log10(least))
        error = least / 10.0**power
        # The limits are geometric means of neighbouring steps.
        step = 10.0**power * (
            10 if error >= 50**0.5 else 5 if error >= 10**0.5 else 2 if error >= 2**0.5 else 1
        )
        digits = max(0, -math.floor(math.log10(step)))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        values = [round(step * index, digits) for index in range(first, last + 1)]
        return {value: number(value, digits) if write is None else write(value) for value in values}


def percent_label(value: float) -> str:
    """Format a share as the label of a tick.

    Examples:
        >>> percent_label(0.2).split()
        ['20', '%']
    """
    return f"{plain(round(100 * value, 6))}\u00a0%"


def draw_across(
    drawing: Drawing,
    axis: Axis,
    ticks: Mapping[float, str],
    *,
    top: float,
    bottom: float,
    title: str = "",
    is_above: bool = True,
) -> None:
    """Draw the horizontal axis of a plot, its grid, and its labels and title above or below.

    Args:
        drawing: receives the axis.
        axis: axis of the plot.
        ticks: values with their labels; if these do not fit, every second label is omitted.
        top: upper edge of the plot.
        bottom: lower edge.
        title: title of the axis.
        is_above: true to draw the labels above the plot.
    """
    drawing.path("".join(f"M{round(axis(value)) + 0.5:g},{top:g}V{bottom:g}" for value in ticks), stroke=GRID)
    for value, label in _with_room(axis, ticks).items():
        point = (axis(value), top - 5 if is_above else bottom + 13)
        drawing.text(point, label, anchor=_tick_anchor(axis, value))
    half = text_width(title) / 2
    middle = min(max((axis.start + axis.stop) / 2, axis.start + half), drawing.width - half)
    if title:
        drawing.text((middle, top - 21 if is_above else bottom + 30), title, anchor="middle", fill=MUTED)


def _tick_anchor(axis: Axis, value: float) -> str:
    """Return the anchor of a tick's label; the first and the last one stay within the axis."""
    if axis(value) - axis.start < 1:
        return "start"
    return "end" if axis.stop - axis(value) < 1 else "middle"


def _with_room(axis: Axis, ticks: Mapping[float, str]) -> dict[float, str]:
    """Return the ticks whose labels have a gap between them; every second one if all would be too close."""

    def left(value: float, label: str) -> float:
        return axis(value) - text_width(label) * _BEFORE_ANCHOR[_tick_anchor(axis, value)]

    shown = dict(ticks)
    while any(
        left(*second) - left(*first) < text_width(first[1]) + _TICK_GAP
        for first, second in pairwise(shown.items())
    ):
        shown = dict(list(shown.items())[::2])
    return shown


@dataclass(frozen=True)
class Rows:
    """Rows of equal height with their names at the left of a plot.

    Attributes:
        names: names from top to bottom.
        room: width of the names in pixels.
        height: height of a row in pixels.
        top: upper edge of the first row.
    """

    names: Sequence[str]
    room: int
    height: float
    top: float

    @classmethod
    def fit(cls, names: Sequence[str], width: int, least: int, *, top: float = PADDING) -> "Rows":
        """Create rows with the width and height that the longest name needs.

        Args:
            names: names from top to bottom.
            width: width of the whole chart.
            least: height in pixels of a row with a name of one or two lines.
            top: upper edge of the first row.

        Examples:
            >>> Rows.fit(["good", "bad"], 348, 30).height
            30
            >>> Rows.fit(["neither good nor bad, as far as anybody can say"], 348, 30).height
            66
        """
        room = label_room(width, names)
        lines = max((len(lines_of(name, room)) for name in names), default=1)
        return cls(names, room, max(least, LINE_HEIGHT * lines + _ABOVE_AND_BELOW), top)

    @property
    def left(self) -> float:
        """Left edge of the plot."""
        return PADDING + self.room

    @property
    def bottom(self) -> float:
        """Lower edge of the last row."""
        return self.top + self.height * len(self.names)

    def middle(self, row: int) -> float:
        """Return the middle of a row."""
        return self.top + self.height * (row + 0.5)

    def drawing(self, width: float, *, foot: float = PADDING) -> Drawing:
        """Return a drawing with the rows' names that ends ``foot`` pixels below the last row."""
        drawing = Drawing(width + 2 * PADDING, self.bottom + foot)
        self.draw_names(drawing)
        return drawing

    def draw_names(self, drawing: Drawing) -> None:
        """Draw the names at the left, with long names on several lines."""
        for row, name in enumerate(self.names):
            point = self.left - 10, self.middle(row)
            drawing.lines(point, lines_of(name, self.room), anchor="end")


NARROW_LIMIT = 500
"""Charts narrower than this, in pixels, are laid out for a phone or for half a page."""

LINE_HEIGHT = 15
"""Distance between lines of a label in pixels."""

_CHARACTER = 7.6  # pixels of an average character in the widest of the usual system fonts
_FEWEST_COLUMNS = 3
_MOST_LINES = 8
_PARTS = re.compile(r"[^-/_.,:;|]*[-/_.,:;|]+|[^-/_.,:;|]+")
_ABOVE_AND_BELOW = 6  # pixels that keep the labels of neighbouring rows apart


def label_room(width: int, names: Sequence[str]) -> int:
    """Return the width in pixels for row labels: that of the longest label, up to a limit."""
    widest = max(map(text_width, names), default=0)
    return min(20 + widest, 124 if width < NARROW_LIMIT else 240)


def lines_of(name: str, room: int) -> list[str]:
    """Break a label into lines of at most ``room`` pixels; break only words that are longer than a line.

    Labels of more than eight lines are cut and end with an ellipsis.

    Examples:
        >>> lines_of("neither good nor bad", 110)
        ['neither good', 'nor bad']
        >>> lines_of("North Rhine-Westphalia", 110)
        ['North Rhine-', 'Westphalia']
    """
    columns = max(int((room - 16) / _CHARACTER), _FEWEST_COLUMNS)
    lines = [""]
    for word in split_label(name):
        gap = " "
        for piece in _pieces(word, columns):
            joined = f"{lines[-1]}{gap}{piece}" if lines[-1] else piece
            if cell_len(joined) <= columns:
                lines[-1] = joined
            else:
                lines.append(piece)
            gap = ""
    if len(lines) > _MOST_LINES:
        last = chop_cells(lines[_MOST_LINES - 1], columns - 1)[0].rstrip()
        return [*lines[: _MOST_LINES - 1], f"{last}…"]
    return lines


def split_label(name: str) -> list[str]:
    r"""Split a label at white space, but not at no-break spaces.

    Examples:
        >>> split_label("swap, 10\N{NO-BREAK SPACE}% of items")
        ['swap,', '10\xa0%', 'of', 'items']
    """
    return re.findall(r"(?:[^\s]|\N{NO-BREAK SPACE})+", name)


def text_width(text: str) -> int:
    """Estimate the width of a label in pixels in the widest of the usual system fonts.

    Examples:
        >>> text_width("nobody-helped")
        99
    """
    return round(_CHARACTER * cell_len(text))


def _pieces(word: str, columns: int) -> list[str]:
    """Break a word that is longer than a line, preferably after hyphens and similar characters."""
    if cell_len(word) <= columns:
        return [word]
    return [piece for part in _PARTS.findall(word) for piece in chop_cells(part, columns)]


def rectangle(corner: Point, width: float, height: float) -> str:
    """Return the SVG path of a rectangle from its upper left corner.

    Examples:
        >>> rectangle((1, 2), 10, 5)
        'M1,2h10v5h-10Z'
    """
    across = _format_pixels(width)
    left, top, down = map(_format_pixels, (*corner, height))
    return f"M{left},{top}h{across}v{down}h-{across}Z"


def line(points: Sequence[Point]) -> str:
    """Return the SVG path that joins points, with a gap at points without a value.

    Examples:
        >>> line([(0, 1), (2, 3), (4, float("nan")), (6, 7)])
        'M0,1L2,3M6,7'
    """
    drawn, is_open = "", False
    for x, y in points:
        if not math.isnan(y):
            drawn += f"{'L' if is_open else 'M'}{x:.5g},{y:.5g}"
        is_open = not math.isnan(y)
    return drawn


def diamonds(points: Iterable[Point], half: float) -> str:
    """Return the SVG path of diamonds, ``half`` pixels from the middle to each corner.

    Examples:
        >>> diamonds([(10, 10)], 4)
        'M10,6l4,4l-4,4l-4,-4Z'
    """
    sides = f"l{half:g},{half:g}l-{half:g},{half:g}l-{half:g},-{half:g}Z"
    return "".join(f"M{x:.5g},{y - half:.5g}{sides}" for x, y in points if not math.isnan(y))
