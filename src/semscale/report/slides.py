"""Slides: a deck in the fonts and colours of a theme, with titles, texts, notes and room for charts.

Without a template, the deck has Semscale's own theme. With one, sizes, layouts, fonts and colours are the
template's: everything is coloured by the theme, never by a fixed colour.
"""

import colorsys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple
from zipfile import BadZipFile

from rich.cells import cell_len

from semscale.errors import InputError
from semscale.extras import require
from semscale.report.chart_kit import ACCENT, BAR, CONTRAST, INK, MUTED, NEUTRAL, contrast, split_label
from semscale.report.document import Marked, Piece
from semscale.report.formatting import clip_text, printable

METHOD_TITLE: Final = "How this was measured"
"""Title of the last slide of a deck."""

INCH: Final = 914_400
POINT: Final = 12_700

_WIDTH, _HEIGHT = 13.333, 7.5  # inches of Semscale's own slides
_MARGIN = 0.6
_TITLE_TOP, _TITLE_HEIGHT, _TITLE_SIZE = 0.35, 1.0, 22.0
_TITLE_LINES = 2
_SUBTITLE_SIZE, _DETAIL_SIZE = 14.0, 12.0
_SUBTITLE_LINES, _DETAIL_LINES = 2, 4
_NOTE_SIZE, _LEAST_TITLE_SIZE, _MOST_TITLE_SIZE = 11.0, 14.0, 26.0
_COVER_TOP, _COVER_HEIGHT, _COVER_SIZE, _COVER_TEXT = 1.9, 1.7, 34.0, 16.0
_MOST_COVER_TEXT = 20.0
_NUMBER_TOP, _NUMBER_HEIGHT, _NUMBER_WIDTH = 7.05, 0.3, 0.8
_FACT_SIZE = 12.0
_LINE = 1.2  # height of a line, in font sizes
_CELL = 0.53  # width of a Latin character in font sizes; an East Asian one has two cells
_FONT = "Arial"
_OWN_THEME: Final = {
    "dk1": INK, "lt1": "#ffffff", "dk2": MUTED, "lt2": "#f1efe9", "accent1": ACCENT, "accent2": CONTRAST,
    "accent3": BAR, "accent4": NEUTRAL, "accent5": "#3c7a57", "accent6": "#6b4e71",
}  # fmt: skip
_ACCENTS = ("accent1", "accent2", "accent3", "accent4", "accent5", "accent6")
_LEGIBLE, _VISIBLE = 4.5, 1.6  # contrast of a text and of a bar with the background
_SHORT_WORD = 8
_LOWEST_TITLE = 0.4  # greatest lower edge of a title, in slide heights
_OBSTACLE = 0.25  # greatest height of a logo or footer, in slide heights; taller shapes are backgrounds
_MAIN = "http://schemas.openxmlformats.org/drawingml/2006/main"
_NAMES = {
    "a": _MAIN,
    "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
    "p": "http://schemas.openxmlformats.org/presentationml/2006/main",
}


class Box(NamedTuple):
    """A rectangle on a slide, in inches."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Right edge."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """Lower edge."""
        return self.top + self.height

    @property
    def emu(self) -> tuple[int, int, int, int]:
        """Left, top, width and height in the unit of the file."""
        left, top, width, height = (int(inches * INCH) for inches in self)
        return left, top, width, height


@dataclass(frozen=True)
class Colour:
    """A colour of the theme, lighter or darker.

    Attributes:
        name: its name in the theme, such as ``accent1``.
        rgb: the colour as it looks.
        brightness: from -1 (black) to 1 (white); 0 leaves the theme's colour as it is.
    """

    name: str
    rgb: str
    brightness: float = 0.0

    def shade(self, brightness: float) -> "Colour":
        """Return the colour lighter (up to 1) or darker (down to -1).

        Examples:
            >>> Colour("accent1", "#808080").shade(0.5).rgb
            '#c0c0c0'
        """
        red, green, blue = (int(self.rgb[first : first + 2], 16) / 255 for first in (1, 3, 5))
        hue, lightness, saturation = colorsys.rgb_to_hls(red, green, blue)
        lightness = lightness * (1 + min(brightness, 0)) + max(brightness, 0) * (1 - lightness)
        channels = colorsys.hls_to_rgb(hue, lightness, saturation)
        return Colour(self.name, "#" + "".join(f"{round(255 * part):02x}" for part in channels), brightness)

    def paint(self, target: Any) -> None:
        """Colour a fill, a line or a font."""
        from pptx.enum.dml import MSO_THEME_COLOR

        colour = target.color if hasattr(target, "color") else None
        if colour is None:
            target.solid()
            colour = target.fore_color
        colour.theme_color = MSO_THEME_COLOR.from_xml(self.name)
        if self.brightness:
            colour.brightness = self.brightness


@dataclass(frozen=True)
class Palette:
    """Colours of a theme for texts and charts, chosen by their contrast with the background.

    Attributes:
        paper: colour of the background.
        ink: colour of texts.
        muted: colour of notes and axes.
        grid: colour of grid lines and of the middle of a scale.
        band: colour of an area that sets something apart, near the background.
        high: first accent; bars, and the good end of a scale.
        low: accent that is most unlike the first; the bad end of a scale.
    """

    paper: Colour
    ink: Colour
    muted: Colour
    grid: Colour
    band: Colour
    high: Colour
    low: Colour

    @classmethod
    def of_theme(cls, colours: dict[str, str], background: str) -> "Palette":
        """Choose colours of a theme.

        Args:
            colours: the theme's colours: ``tx1``, ``bg1``, and the accents.
            background: background of the slides.
        """
        # A template can have a dark background although its theme is light.
        names = sorted(("tx1", "bg1"), key=lambda name: -contrast(colours[name], background))
        first = "tx1" if contrast(colours["tx1"], background) >= _LEGIBLE else names[0]
        other = "bg1" if first == "tx1" else "tx1"
        ink = Colour(first, colours[first])
        paper = replace(Colour(other, colours[other]), rgb=background)
        is_dark = contrast(background, "#ffffff") > contrast(background, "#000000")
        towards = -1 if is_dark else 1
        accents = [Colour(name, colours[name]) for name in _ACCENTS if name in colours]
        visible = [accent for accent in accents if contrast(accent.rgb, background) >= _VISIBLE] or accents
        high = visible[0]
        low = max(visible[1:] or visible, key=lambda accent: _hue_distance(accent.rgb, high.rgb))
        return cls(
            paper,
            ink,
            ink.shade(0.35 * towards),
            Colour(other, colours[other]).shade(0.3 if is_dark else -0.15),
            Colour(other, colours[other]).shade(0.12 if is_dark else -0.05),
            high,
            low,
        )

    def ink_on(self, colour: Colour) -> Colour:
        """Return the colour of a text on a coloured area."""
        return max((self.ink, self.paper), key=lambda ink: contrast(ink.rgb, colour.rgb))

    def scale(self, n_points: int, *, is_reversed: bool = False) -> list[Colour]:
        """Return a colour for each point, from the bad end to the good end."""
        colours = []
        for point in range(n_points):
            position = 2 * point / max(n_points - 1, 1) - 1  # from -1 to 1
            end = self.low if position < 0 else self.high
            is_middle = abs(position) < 1 / max(n_points, 2)
            colours.append(self.grid if is_middle else end.shade(self._towards_paper(1 - abs(position))))
        return colours[::-1] if is_reversed else colours

    def groups_of_recommendation(self) -> dict[str, Colour]:
        """Return the colours of detractors, passives and promoters, by name."""
        low, middle, high = self.scale(3)
        return {"Detractors (0 to 6)": low, "Passives (7 and 8)": middle, "Promoters (9 and 10)": high}

    def series(self, n: int) -> list[Colour]:
        """Return colours of n series without an order, repeated after the last."""
        colours = [self.high, self.low, self.muted, self.high.shade(self._towards_paper(0.6))]
        return [colours[position % len(colours)] for position in range(n)]

    def ramp(self, n: int) -> list[Colour]:
        """Return shades of the first accent, from pale to full."""
        return [self.high.shade(self._towards_paper(1 - (n_ + 1) / n)) for n_ in range(n)]

    def _towards_paper(self, share: float) -> float:
        """Return the brightness that moves a colour towards the background."""
        is_dark = contrast(self.paper.rgb, "#ffffff") > contrast(self.paper.rgb, "#000000")
        return round((-0.55 if is_dark else 0.7) * share, 3)


def _hue_distance(first: str, second: str) -> float:
    """Return the distance of two hues, weighted by their saturation; 0 to 1."""
    parts = [[int(rgb[start : start + 2], 16) / 255 for start in (1, 3, 5)] for rgb in (first, second)]
    (hue, _, saturation), (other, _, _) = (colorsys.rgb_to_hls(*part) for part in parts)
    difference = abs(hue - other)
    return min(difference, 1 - difference) * saturation


def text_lines(text: str, width: float, size: float) -> int:
    """Return the number of lines of a text of a font size in points in a box of a width in inches.

    Examples:
        >>> text_lines("one two", 10, 12), text_lines("one two", 0.5, 12)
        (1, 2)
    """
    columns = max(int(width * 72 / (size * _CELL)), 1)
    lines, used = 1, 0
    for word in split_label(text):
        needed = cell_len(word)
        if used and used + 1 + needed > columns:
            lines, used = lines + 1, 0
        used += needed + bool(used)
        lines += (used - 1) // columns if used > columns else 0
        used = used % columns or columns if used > columns else used
    return lines


def unbroken_line(text: str) -> str:
    """Return a text on one line that keeps its no-break spaces."""
    return " ".join(split_label(printable(text)))


def clip_to(text: str, width: float, size: float, lines: int = 1) -> str:
    r"""Cut a text between words so that it fits in some lines of a width in inches.

    What follows a line break, such as a base, is never cut.

    Examples:
        >>> clip_to("one two three", 1.0, 12), clip_to("one two three", 1.0, 12, lines=2)
        ('one two…', 'one two three')
        >>> clip_to("one two three\n, n = 5", 1.2, 12)
        'one…, n = 5'
    """
    name, _, ending = text.partition("\n")
    whole, ending = unbroken_line(name), printable(ending)
    limit = len(whole)
    shown = whole
    while limit > 1 and text_lines(f"{shown}{ending}", width, size) > lines:
        limit -= max(limit // 20, 1)
        shown = clip_text(whole, limit).shown
    return f"{shown}{ending}"


def _keep_last_words_together(title: str) -> str:
    """Keep a short last word on the line of the word before it."""
    start, _, last = title.rpartition(" ")
    return f"{start}\N{NO-BREAK SPACE}{last}" if start and len(last) <= _SHORT_WORD else title


class Deck:
    """A presentation that is written slide by slide.

    Attributes:
        palette: colours of its theme.
        unit: inches of a slide that correspond to one inch of a slide of 7.5 inches; sizes of fonts follow.

    Args:
        template: presentation with the size, layouts, fonts and colours to use; its slides are left out.

    Raises:
        MissingExtraError: the extra ``slides`` is not installed.
        InputError: the template is no presentation, or none of its layouts has a title.
    """

    def __init__(self, template: Path | None = None) -> None:
        require("slides")
        self._file = _own_presentation() if template is None else _open_template(template)
        self._is_own = template is None
        self._layout = _title_layout(self._file, template)
        self.unit = self._file.slide_height / INCH / _HEIGHT
        self.unit = min(self.unit, self._file.slide_width / INCH / 10)
        self._title = self._title_box()
        self._own_title_size = _text_size(next(_titles(self._layout)), self._layout)
        self._title_size = min(self._own_title_size, _MOST_TITLE_SIZE * self.unit)
        self.body = self._body()
        self.palette = Palette.of_theme(*_theme_colours(self._layout))

    def _title_box(self) -> Box:
        """Return where titles are: as in the layout, or at the top if that leaves no room below."""
        box = _placeholder_box(next(_titles(self._layout)))
        width, height = self._file.slide_width / INCH, self._file.slide_height / INCH
        if box.bottom <= _LOWEST_TITLE * height:
            return box
        margin = _MARGIN * self.unit
        return Box(margin, _TITLE_TOP * self.unit, width - 2 * margin, _TITLE_HEIGHT * self.unit)

    def _body(self) -> Box:
        """Return the room below the title, above and beside the template's footer."""
        width, height = self._file.slide_width / INCH, self._file.slide_height / INCH
        title = self._title
        left, right = title.left, title.right
        if title.width < width / 2:
            left, right = _MARGIN * self.unit, width - _MARGIN * self.unit
        bottom = height - 0.25 * self.unit
        for shape in _obstacles(self._layout):
            box = _placeholder_box(shape)
            if box.height < _OBSTACLE * height and box.top > height / 2:
                bottom = min(bottom, box.top - 0.05 * self.unit)
        for number in _slide_numbers(self._layout, self._file):
            box = _placeholder_box(number)
            if box.top > height / 2:
                bottom = min(bottom, box.top - 0.05 * self.unit)
        return Box(left, title.bottom, right - left, bottom - title.bottom)

    def add_cover(self, title: str, lines: Sequence[str], *, notes: Iterable[str] = ()) -> None:
        """Add the first slide, on the template's own layout for it if there is one.

        Args:
            title: name of the results.
            lines: what was measured, of how many, and when; each at most two lines on the slide.
            notes: paragraphs for the speaker.
        """
        layout = _cover_layout(self._file)
        stated = [unbroken_line(line) for line in lines if line]
        if layout is None:
            slide = self.add(title, notes=notes)
            slide.take_top(0.3 * self.unit)
            slide.text(slide.room, stated, size=_COVER_TEXT, colour=self.palette.muted, gap=0.5)
            return
        page = self._file.slides.add_slide(layout)
        texts = {_is_title(shape): shape for shape in page.placeholders if _is_title(shape) is not None}
        for shape in list(page.placeholders):
            if shape.shape_id not in {text.shape_id for text in texts.values()}:
                shape.element.getparent().remove(shape.element)
        for is_title, shown in ((True, [title]), (False, stated)):
            shape = texts[is_title]
            box = _placeholder_box(shape)
            own = _text_size(shape, layout, is_title=is_title)
            size = own if is_title else min(own, _MOST_COVER_TEXT * self.unit)
            _write_fitting(shape, shown, box, size, own, least=_LEAST_TITLE_SIZE * self.unit)
        if self._is_own:
            top = _placeholder_box(texts[True]).bottom
            rule = Box(_MARGIN + 0.1, top + 0.08, 1.1, 0.06)
            Slide(page, self).area(rule, self.palette.high)
        _write_notes(page, [title, *notes])

    def add(
        self, title: str, subtitle: str = "", detail: str = "", *, part: str = "", notes: Iterable[str] = ()
    ) -> "Slide":
        """Add a slide.

        Args:
            title: sentence; a long one gets a smaller font. One that needs more than two lines even so is cut
                between words, and stands in full in the speaker's notes.
            subtitle: text below the title, of up to two lines.
            detail: small text below the subtitle, of up to four lines, such as the wording of a question.
            part: which of several slides with the same title it is, such as "2 of 3"; never cut.
            notes: paragraphs for the speaker.
        """
        page = self._file.slides.add_slide(self._layout)
        used = page.shapes.title
        number = next(_slide_numbers(self._layout, self._file), None)
        for shape in list(page.placeholders):
            if shape.shape_id != used.shape_id:
                shape.element.getparent().remove(shape.element)
        slide = Slide(page, self)
        if number is not None:
            _copy_number(page, number)
        whole = unbroken_line(title)
        shown, height = self._write_title(used, whole, f" ({part})" if part else "")
        if self._is_own:  # a short title leaves its room to what is below
            used.left, used.top, used.width, used.height = self._title._replace(height=height).emu
            bottom = slide.room.bottom
            slide.room = slide.room._replace(
                top=self._title.top + height, height=bottom - self._title.top - height
            )
        slide.heading(subtitle, _SUBTITLE_SIZE, _SUBTITLE_LINES)
        slide.heading(detail, _DETAIL_SIZE, _DETAIL_LINES)
        slide.take_top(0.1 * self.unit)
        full = [f"Title: {whole}"] if "…" in shown and "…" not in whole else []
        _write_notes(page, [*full, *notes])
        return slide

    def add_facts(
        self, title: str, facts: Sequence[tuple[str, object]], *, notes: Iterable[str] = ()
    ) -> None:
        """Add a slide that lists names with their texts, such as how the figures were made.

        Facts without room on the slide continue on further slides. Only a text that is longer than a slide
        is cut.

        Args:
            title: title of the slide.
            facts: at least one name and text; what belongs to the fact before it has no name.
            notes: further paragraphs for the speaker, after all facts.
        """
        spoken = [*(f"{name}: {text}" if name else str(text) for name, text in facts), *notes]
        slide = self.add(title, notes=spoken)
        unit = self.unit
        size = _FACT_SIZE
        width = 0.18 * slide.room.width
        room = slide.room.width - width - 0.2
        line = size * _LINE / 72 * unit
        gap = 0.1 * unit
        most = int((slide.room.height - gap) / line)
        for name, text in facts:
            shown = clip_to(str(text), room, size * unit, most)
            height = text_lines(shown, room, size * unit) * line + gap
            if height > slide.room.height:
                slide = self.add(f"{title} (continued)", notes=spoken)
            box = slide.take_top(height)
            slide.text(box._replace(width=width), [name], size=size, colour=self.palette.muted)
            slide.text(box._replace(left=box.left + width, width=box.width - width), [shown], size=size)

    def _write_title(self, shape: Any, title: str, ending: str) -> tuple[str, float]:
        """Write a title with an ending that is never cut; return what is shown, and its height in inches."""
        if _placeholder_box(shape) != self._title:
            shape.left, shape.top, shape.width, shape.height = self._title.emu
        kept = _keep_last_words_together(title)
        ending = ending.replace(" ", "\N{NO-BREAK SPACE}").replace("\N{NO-BREAK SPACE}", " ", 1)
        (shown,), size = _write_fitting(
            shape,
            [f"{kept}\n{ending}" if ending else kept],
            self._title,
            self._title_size,
            self._own_title_size,
            least=_LEAST_TITLE_SIZE * self.unit,
        )
        lines = text_lines(shown, self._title.width - 0.2, size * 1.05)
        return shown, lines * size * _LINE / 72 + 0.12

    def save(self, path: Path, title: str, created: datetime) -> None:
        """Write the deck.

        Args:
            path: the file.
            title: title in the file's properties.
            created: time of creation in the file's properties.

        Raises:
            OSError: the file cannot be written.
        """
        properties = self._file.core_properties
        properties.title, properties.author, properties.last_modified_by = printable(title)[:255], "", ""
        properties.comments = properties.keywords = properties.subject = ""
        properties.created = properties.modified = created
        with path.open("wb") as file:
            self._file.save(file)


class Slide:
    """A slide with room for charts and texts below its title.

    Attributes:
        shapes: shapes of python-pptx.
        deck: the deck.
        room: the part that is still empty.
    """

    def __init__(self, page: Any, deck: Deck) -> None:
        self.shapes = page.shapes
        self.deck = deck
        self.room = deck.body

    def take_top(self, height: float) -> Box:
        """Return the upper part of the room, which is no longer empty."""
        left, top, width, whole = self.room
        self.room = Box(left, top + height, width, whole - height)
        return Box(left, top, width, height)

    def take_bottom(self, height: float) -> Box:
        """Return the lower part of the room, which is no longer empty."""
        left, top, width, whole = self.room
        self.room = Box(left, top, width, whole - height)
        return Box(left, top + whole - height, width, height)

    def heading(self, text: str, size: float, most: int) -> None:
        """Write a text below the title, cut to a number of lines; nothing for an empty one."""
        if not text:
            return
        unit = self.deck.unit
        width = self.room.width - 0.2
        lines = min(text_lines(text, width, size * unit), most)
        box = self.take_top((lines * size * _LINE / 72 + 0.08) * unit)
        shown = clip_to(text, width, size * unit, lines)
        self.text(box, [shown], size=size, colour=self.deck.palette.muted)

    def chart(self, kind: Any, box: Box, data: Any) -> Any:
        """Add a native chart, and return it; the slide's title is its text alternative.

        Args:
            kind: python-pptx type of the chart.
            box: where to draw it.
            data: python-pptx data of the chart.
        """
        frame = self.shapes.add_chart(kind, *box.emu, data)
        for properties in find(frame._element, "./p:nvGraphicFramePr/p:cNvPr"):
            properties.set("descr", self.shapes.title.text_frame.text)
        return frame.chart

    def area(self, box: Box, colour: Colour) -> None:
        """Draw a coloured rectangle."""
        from pptx.enum.shapes import MSO_SHAPE

        shape = self.shapes.add_shape(MSO_SHAPE.RECTANGLE, *box.emu)
        for style in find(shape.element, "./p:style"):  # the theme's shadow and outline
            shape.element.remove(style)
        colour.paint(shape.fill)
        shape.line.fill.background()

    def footnote(self, sentences: Sequence[str]) -> None:
        """Write sentences at the bottom of the room."""
        text = " ".join(sentences)
        if not text:
            return
        size = _NOTE_SIZE * self.deck.unit
        lines = min(text_lines(text, self.room.width - 0.2, size), 4)
        box = self.take_bottom(lines * size * _LINE / 72 + 0.1 * self.deck.unit)
        self.take_bottom(0.1 * self.deck.unit)
        shown = clip_to(text, box.width - 0.2, size, lines)
        self.text(box, [shown], size=_NOTE_SIZE, colour=self.deck.palette.muted)

    def text(
        self,
        box: Box,
        paragraphs: Sequence[str | Marked],
        *,
        size: float,
        colour: Colour | None = None,
        is_bold: bool = False,
        align: str = "left",
        anchor: str = "top",
        gap: float = 0.0,
    ) -> None:
        """Write paragraphs into a box.

        Args:
            box: where to write.
            paragraphs: the paragraphs; marked parts are bold.
            size: size of the font in points, on a slide of 7.5 inches.
            colour: colour of the theme; by default that of texts.
            is_bold: true for a bold font.
            align: ``left``, ``center`` or ``right``.
            anchor: ``top``, ``middle`` or ``bottom``.
            gap: distance of paragraphs, in font sizes.
        """
        from pptx.enum.text import MSO_ANCHOR, PP_ALIGN

        frame = self.shapes.add_textbox(*box.emu).text_frame
        frame.word_wrap = True
        frame.vertical_anchor = getattr(MSO_ANCHOR, anchor.upper())
        frame.margin_top = frame.margin_bottom = 0
        for number, text in enumerate(paragraphs):
            paragraph = frame.paragraphs[0] if number == 0 else frame.add_paragraph()
            paragraph.alignment = getattr(PP_ALIGN, align.upper())
            if number:
                paragraph.space_before = int(gap * size * self.deck.unit * POINT)
            for piece in text.pieces if isinstance(text, Marked) else (Piece(text, None),):
                run = paragraph.add_run()
                run.text = printable(piece.text)
                run.font.size = int(size * self.deck.unit * POINT)
                run.font.bold = is_bold or piece.guard is not None
                (colour or self.deck.palette.ink).paint(run.font)


def _write_fitting(
    shape: Any, texts: Sequence[str], box: Box, size: float, own_size: float, *, least: float
) -> tuple[list[str], float]:
    """Write paragraphs into a placeholder, in a font that lets each have at most two lines.

    Args:
        shape: the placeholder.
        texts: the paragraphs; what follows a line break is never cut.
        box: where the placeholder is.
        size: greatest size of the font in points.
        own_size: size that the placeholder has.
        least: least size; texts that do not fit even so are cut between words.

    Returns:
        What is shown, and the size.
    """
    width, height = box.width - 0.2, box.height - 0.1

    def lines(text: str) -> int:
        return text_lines(text, width, size * 1.05)

    def fits() -> bool:
        counted = [lines(text) for text in texts]
        return max(counted) <= _TITLE_LINES and sum(counted) * size * _LINE / 72 <= height

    while size > least and not fits():
        size -= 1
    even = int(height / (size * _LINE / 72) / len(texts))  # lines for each, if all are long
    most = _TITLE_LINES if fits() else max(min(_TITLE_LINES, even), 1)
    shown = [clip_to(text, width, size * 1.05, most) for text in texts]
    frame = shape.text_frame
    frame.word_wrap = True
    frame.text = "\n".join(shown)
    if size < own_size:
        for paragraph in frame.paragraphs:
            for run in paragraph.runs:
                run.font.size = int(size * POINT)
    return shown, size


def _write_notes(page: Any, notes: Iterable[str]) -> None:
    """Write paragraphs for the speaker."""
    paragraphs = [printable(note) for note in notes if note]
    if paragraphs:
        page.notes_slide.notes_text_frame.text = "\n".join(paragraphs)


def _copy_number(page: Any, number: Any) -> None:
    """Put the layout's slide number on a slide."""
    from copy import deepcopy

    element = deepcopy(number.element)
    for old in find(element, "./p:nvSpPr/p:cNvPr"):
        old.set("id", str(max(shape.shape_id for shape in page.shapes) + 1))
    page.shapes._spTree.append(element)


def find(element: Any, path: str) -> list[Any]:
    """Return the parts of an XML element at an XPath, with the prefixes ``a``, ``c`` and ``p``."""
    from lxml import etree

    parts: list[Any] = etree.XPath(path, namespaces=_NAMES)(element)
    return parts


def check_template(template: Path | None) -> None:
    """Check that a template can be used.

    Raises:
        MissingExtraError: the extra ``slides`` is not installed.
        InputError: the template is no presentation, or none of its layouts has a title.
    """
    if template is not None:
        require("slides")
        _title_layout(_open_template(template), template)


def _open_template(template: Path) -> Any:
    """Open a template and remove its slides."""
    from pptx import Presentation
    from pptx.exc import PackageNotFoundError

    try:
        file = Presentation(str(template))
    except (PackageNotFoundError, BadZipFile, KeyError, ValueError, OSError) as error:
        raise InputError(
            "template", f"must be a PowerPoint file (.pptx), and {template.name!r} cannot be read as one"
        ) from error
    listed = file.slides._sldIdLst  # python-pptx cannot remove slides
    for entry in list(listed):
        file.part.drop_rel(entry.rId)
        listed.remove(entry)
    return file


def _title_layout(file: Any, template: Path | None) -> Any:
    """Return the layout with a title at the top and the least besides."""

    def rank(layout: Any) -> tuple[bool, bool, int]:
        title = _placeholder_box(next(_titles(layout)))
        others = len(list(layout.placeholders)) - len(list(_footers(layout))) - 1
        is_low = title.top + title.height / 2 > file.slide_height / INCH * 0.4
        return is_low, layout.element.get("type") != "titleOnly", others

    layouts = [layout for layout in file.slide_layouts if any(True for _ in _titles(layout))]
    if not layouts:
        name = "the template" if template is None else template.name
        raise InputError("template", f"must have a slide layout with a title, and {name!r} has none")
    return min(layouts, key=rank)


def _cover_layout(file: Any) -> Any:
    """Return the layout with a title and a subtitle on the slide; ``None`` without one."""
    layouts = [
        layout
        for layout in file.slide_layouts
        if {True, False} <= {_is_title(s) for s in layout.placeholders if _is_on_slide(s, file)}
    ]
    return min(layouts, key=lambda layout: layout.element.get("type") != "title", default=None)


def _is_title(shape: Any) -> bool | None:
    """Return true for a title, false for a subtitle, and ``None`` for other placeholders."""
    from pptx.enum.shapes import PP_PLACEHOLDER

    kinds = {PP_PLACEHOLDER.TITLE: True, PP_PLACEHOLDER.CENTER_TITLE: True, PP_PLACEHOLDER.SUBTITLE: False}
    return kinds.get(shape.placeholder_format.type)


def _titles(layout: Any) -> Iterator[Any]:
    from pptx.enum.shapes import PP_PLACEHOLDER

    kinds = (PP_PLACEHOLDER.TITLE, PP_PLACEHOLDER.CENTER_TITLE)
    return (shape for shape in layout.placeholders if shape.placeholder_format.type in kinds)


def _footers(layout: Any) -> Iterator[Any]:
    from pptx.enum.shapes import PP_PLACEHOLDER

    kinds = (PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.SLIDE_NUMBER)
    return (shape for shape in layout.placeholders if shape.placeholder_format.type in kinds)


def _slide_numbers(layout: Any, file: Any) -> Iterator[Any]:
    from pptx.enum.shapes import PP_PLACEHOLDER

    kind = PP_PLACEHOLDER.SLIDE_NUMBER
    return (s for s in layout.placeholders if s.placeholder_format.type == kind and _is_on_slide(s, file))


def _is_on_slide(shape: Any, file: Any) -> bool:
    """Return whether a placeholder has a place on the slides of a file, whose size can be another."""
    box = _placeholder_box(shape)
    return box.height > 0 and box.bottom <= file.slide_height / INCH and box.right <= file.slide_width / INCH


def _obstacles(layout: Any) -> Iterator[Any]:
    """Yield shapes of the layout and its master that every slide shows."""
    for source in (layout, layout.slide_master):
        yield from (shape for shape in source.shapes if not shape.is_placeholder and shape.top is not None)


def _placeholder_box(shape: Any) -> Box:
    return Box(*(float(part or 0) / INCH for part in (shape.left, shape.top, shape.width, shape.height)))


def _text_size(shape: Any, layout: Any, *, is_title: bool = True) -> float:
    """Return the size of a title or subtitle in points: that of the layout, or of the master."""
    index = shape.placeholder_format.idx
    (element,) = (part.element for part in layout.placeholders if part.placeholder_format.idx == index)
    style = "titleStyle" if is_title else "bodyStyle"
    paths = (
        (element, ".//a:lstStyle/a:lvl1pPr/a:defRPr/@sz"),
        (layout.slide_master.element, f".//p:{style}/a:lvl1pPr/a:defRPr/@sz"),
    )
    for source, path in paths:
        if sizes := find(source, path):
            return float(sizes[0]) / 100
    return 44.0 if is_title else 32.0


def _theme_colours(layout: Any) -> tuple[dict[str, str], str]:
    """Return the colours of a layout's theme by their names in texts, and the background."""
    master = layout.slide_master
    colours = _scheme(master)
    (mapping,) = find(master.element, "./p:clrMap")
    overrides = find(layout.element, "./p:clrMapOvr/a:overrideClrMapping")
    named = dict((overrides[0] if overrides else mapping).attrib)
    known = {name: colours[of] for name, of in named.items() if of in colours} | colours
    for source in (layout, master):
        paths = "./p:cSld/p:bg/p:bgPr/a:solidFill/* | ./p:cSld/p:bg/p:bgRef/a:schemeClr"
        for fill in find(source.element, paths):
            value = fill.get("val")
            if fill.tag.endswith("srgbClr"):
                return known, f"#{value.lower()}"
            if value in known:
                return known, known[value]
    return known, known["bg1"]


def _scheme(master: Any) -> dict[str, str]:
    """Return the colours of a master's theme."""
    from lxml import etree

    root = etree.fromstring(_theme(master).blob)
    colours = {}
    for entry in find(root, ".//a:clrScheme/*"):
        value = entry[0].get("lastClr") or entry[0].get("val")
        colours[etree.QName(entry).localname] = f"#{value.lower()}"
    return colours


def _theme(master: Any) -> Any:
    from pptx.opc.constants import RELATIONSHIP_TYPE

    return master.part.part_related_by(RELATIONSHIP_TYPE.THEME)


def _own_presentation() -> Any:
    """Return an empty presentation with Semscale's theme and two layouts: a cover, and a title alone."""
    from pptx import Presentation
    from pptx.enum.shapes import PP_PLACEHOLDER

    file = Presentation()
    file.slide_width, file.slide_height = int(_WIDTH * INCH), int(_HEIGHT * INCH)
    for layout in list(file.slide_layouts):
        if layout.name not in ("Title Slide", "Title Only"):
            file.slide_layouts.remove(layout)
    master = file.slide_master
    _set_theme(master)
    cover, page = file.slide_layouts
    width = _WIDTH - 2 * _MARGIN
    title = Box(_MARGIN, _TITLE_TOP, width, _TITLE_HEIGHT)
    number = Box(_WIDTH - _MARGIN - _NUMBER_WIDTH, _NUMBER_TOP, _NUMBER_WIDTH, _NUMBER_HEIGHT)
    boxes = {PP_PLACEHOLDER.TITLE: title, PP_PLACEHOLDER.BODY: title, PP_PLACEHOLDER.SLIDE_NUMBER: number}
    below = _COVER_TOP + _COVER_HEIGHT
    of_cover = {
        PP_PLACEHOLDER.CENTER_TITLE: Box(_MARGIN, _COVER_TOP, width, _COVER_HEIGHT),
        PP_PLACEHOLDER.SUBTITLE: Box(_MARGIN, below + 0.3, width, _HEIGHT - below - 0.9),
    }
    for source, placed in ((master, boxes), (page, boxes), (cover, of_cover)):
        for shape in list(source.placeholders):
            box = placed.get(shape.placeholder_format.type)
            if box is None:
                shape.element.getparent().remove(shape.element)
            else:
                shape.left, shape.top, shape.width, shape.height = box.emu
    _style_titles(master, cover)
    return file


def _style_titles(master: Any, cover: Any) -> None:
    """Align titles at the left: at the top of a slide, and at the bottom of their box on the cover."""
    (style,) = find(master.element, ".//p:titleStyle/a:lvl1pPr")
    style.set("algn", "l")
    (font,) = find(style, "./a:defRPr")
    font.set("sz", str(int(_TITLE_SIZE * 100)))
    font.set("b", "1")
    for source, anchor in ((master, "t"), (cover, "b")):
        for body in find(next(_titles(source)).element, ".//a:bodyPr"):
            body.set("anchor", anchor)
            body.set("lIns", "91440")
            for child in list(body):
                body.remove(child)
    for placeholder in cover.placeholders:
        is_title = _is_title(placeholder)
        for style in find(placeholder.element, ".//a:lstStyle"):
            for child in list(style):
                style.remove(child)
            style.append(_first_level(_COVER_SIZE if is_title else _COVER_TEXT, is_muted=not is_title))


def _first_level(size: float, *, is_muted: bool) -> Any:
    """Return the style of a paragraph on the cover: at the left, without a bullet."""
    from pptx.oxml import parse_xml
    from pptx.oxml.ns import nsdecls

    fill = '<a:solidFill><a:schemeClr val="tx2"/></a:solidFill>' if is_muted else ""
    return parse_xml(
        f'<a:lvl1pPr {nsdecls("a")} marL="0" indent="0" algn="l"><a:spcBef><a:spcPts val="600"/></a:spcBef>'
        f'<a:buNone/><a:defRPr sz="{int(size * 100)}">{fill}</a:defRPr></a:lvl1pPr>'
    )


def _set_theme(master: Any) -> None:
    """Replace the colours and fonts of the theme."""
    from lxml import etree

    part = _theme(master)
    root = etree.fromstring(part.blob)
    for name, colour in _OWN_THEME.items():
        (entry,) = find(root, f".//a:clrScheme/a:{name}")
        for child in list(entry):
            entry.remove(child)
        etree.SubElement(entry, f"{{{_MAIN}}}srgbClr", val=colour.removeprefix("#").upper())
    for font in find(root, ".//a:fontScheme/*/a:latin"):
        font.set("typeface", _FONT)
    part._blob = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
