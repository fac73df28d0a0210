"""Sheets of a workbook: cells, columns as wide as their content, wrapped text, and printed pages."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len

from semscale.report.formatting import printable
from semscale.store.writing import LONGEST_CELL


@dataclass(frozen=True)
class MarkedText:
    """A text with marked parts.

    Attributes:
        pieces: the parts, each with whether it is marked.
    """

    pieces: tuple[tuple[str, bool], ...]


Value = str | MarkedText | tuple[float | None, str]
"""A text, or a number with its format; the cell is empty for ``None``, NaN and infinity."""

INDEX = "Index"
"""Name of the first sheet."""

LONGEST_NAME = 31
"""Number of characters of a sheet's name that Excel allows."""

_QUOTED = re.compile('"[^"]*"')
_FORBIDDEN = str.maketrans(dict.fromkeys("[]:*?/\\'", " "))
_FONT_POINTS = 10
FONT: Mapping[str, object] = {"font_name": "Arial", "font_size": _FONT_POINTS}
"""Font of the workbooks: its characters are equally wide in Excel and in LibreOffice."""

_MUTED, _RULE, _BAR_COLOUR = "#56616f", "#c9cdd2", "#cfdfee"
LOOKS: Mapping[str, Mapping[str, object]] = {
    "text": {"text_wrap": True},
    "title": {"bold": True, "font_size": 15, "text_wrap": True, "valign": "vcenter"},
    "lead": {"font_size": 11, "text_wrap": True},
    "heading": {"bold": True, "font_size": 11, "text_wrap": True, "font_color": "#1f5a92"},
    "head": {"bold": True, "bottom": 1, "bottom_color": _RULE, "text_wrap": True, "valign": "bottom"},
    "number head": {
        "bold": True, "bottom": 1, "bottom_color": _RULE, "text_wrap": True, "valign": "bottom",
        "align": "right",
    },
    "inner": {"text_wrap": True, "align": "left", "indent": 1},
    "inner head": {
        "bold": True, "bottom": 1, "bottom_color": _RULE, "text_wrap": True, "valign": "bottom",
        "align": "left", "indent": 1,
    },
    "strong": {"bold": True, "text_wrap": True},
    "inner strong": {"bold": True, "text_wrap": True, "align": "left", "indent": 1},
    "mark": {"bold": True, "font_color": "#1f5a92"},
    "list": {},
    "span head": {
        "bold": True, "bottom": 1, "bottom_color": _RULE, "text_wrap": True, "valign": "bottom",
        "align": "center",
    },
    "low end": {"font_color": _MUTED, "font_size": 8, "align": "right"},
    "high end": {"font_color": _MUTED, "font_size": 8, "align": "left"},
    "note": {"font_color": _MUTED, "font_size": 9, "text_wrap": True},
    "warning": {"font_color": "#8a5300", "text_wrap": True},
    "link": {"font_color": "#1f5a92", "underline": 1},
    "entry": {"text_wrap": True, "top": 1, "top_color": "#e3e0d8", "align": "left", "indent": 1},
    "entry link": {"font_color": "#1f5a92", "underline": 1, "top": 1, "top_color": "#e3e0d8"},
}  # fmt: skip
"""Looks that all workbooks share: properties of XlsxWriter formats by name."""

INTERVAL_ENDS = ("low end", "high end")
"""Looks of the ends of an interval, in narrow columns beside its figure."""

# Widths of Arial's characters, in thousandths of the size of the font; others are as wide as digits.
_WIDTHS = {
    character: width
    for characters, width in (
        ("ijl'|", 222), (" \u00a0!,./:;\\[]ftI·", 278), ("-()r`{}“”", 333), ("ckvxyszJ", 500),
        ("+<=>~−", 584), ("FTZ", 611), ("ABEKPSVXY&", 667), ("CDHNRUw", 722), ("GOQ", 778), ("Mm", 833),
        ("%", 889), ("W", 944), ("@…", 1000),
    )
    for character in characters
}  # fmt: skip
_DIGIT = 556
_COLUMN = 525  # width of a character of a column, in the same unit
_SAFETY = 1.03  # programs break lines at slightly different widths
_BOLD = 1.1
_INDENT = 1.6  # characters
_LINE, _SPARE = 13.0, 3.0  # points of a line of text, and of a row beyond its lines
_ROW_POINTS = 14.25
_MOST_LINES = 12  # that a row shows of a long text
_LEAST_WIDTH, _MOST_WIDTH = 9, 46  # characters of a column
_LEAST_NUMBER = 7  # characters of a column of numbers
_MARGIN, _END_MARGIN = 1.5, 0.7  # characters beside the content of a column, and beside an interval's end
_TEXT_WIDTH = 110  # least characters of a line of text across the sheet
_DEFAULT_WIDTH = 8.43  # characters of a column that nobody set
_PAGE_WIDTH, _PAGE_HEIGHT = 1010, 665  # pixels of A4 in landscape without margins, header and footer
_LEAST_SCALE = 0.58  # of a sheet that is printed on one page
_PIXELS, _PADDING = 7, 5  # of a character, and of a column beyond its characters


class SheetFormats:
    """Cache of a workbook's formats.

    Args:
        workbook: XlsxWriter workbook.
        looks: further properties of XlsxWriter formats, by name.
    """

    def __init__(self, workbook: Any, looks: Mapping[str, Mapping[str, object]] | None = None) -> None:
        self._workbook, self._looks = workbook, {**LOOKS, **(looks or {})}
        self._formats: dict[tuple[str, str], Any] = {}
        self._sizes: dict[str, float] = {}

    def format(self, look: str, number: str = "") -> Any:
        """Return the format with a look and an Excel number format."""
        if (look, number) not in self._formats:
            shown = {"num_format": number} if number else {}
            properties = {"valign": "top", **self._looks[look], **shown}
            self._formats[look, number] = self._workbook.add_format(properties)
        return self._formats[look, number]

    def size(self, look: str) -> float:
        """Return the width of a text of a look, relative to a plain one."""
        if look not in self._sizes:
            bold = _BOLD if self._looks[look].get("bold") else 1.0
            self._sizes[look] = self.scale(look) * bold
        return self._sizes[look]

    def is_indented(self, look: str) -> bool:
        """Return true if texts of a look are indented."""
        return "indent" in self._looks[look]

    def scale(self, look: str) -> float:
        """Return the height of a line of a look, relative to a plain one."""
        points = self._looks[look].get("font_size", _FONT_POINTS)
        return float(str(points)) / _FONT_POINTS


class Sheet:
    """A sheet of a workbook that is written row by row, and laid out at its end by ``finish``.

    Attributes:
        name: name of the sheet; cut and numbered if Excel would refuse it.
        sheet: XlsxWriter worksheet.
        formats: formats of the workbook.
        row: index of the next row, from 0.

    Args:
        workbook: XlsxWriter workbook.
        name: name of the sheet.
        formats: formats of the workbook.
        widths: widths of columns in characters; others follow from their content.
    """

    def __init__(
        self, workbook: Any, name: str, formats: SheetFormats, widths: Mapping[int, float] | None = None
    ) -> None:
        self.name = free_sheet_name(name, {s.lower() for s in workbook.sheetnames})
        self.sheet = workbook.add_worksheet(self.name)
        self.workbook = workbook
        self.formats = formats
        self.sheet.set_default_row(_ROW_POINTS)
        self.row = 0
        self._fixed = dict(widths or {})
        self._needed: dict[int, float] = {}
        self._wrapped: list[tuple[int, int, int, str, float, float]] = []
        self._lines: list[tuple[int, int, str, str]] = []
        self._heights: dict[int, float] = {}
        self._kept: dict[int, int] = {}
        self._print_end: int | None = None
        self._settled = self._reach = 0

    def put(self, column: int, value: Value, look: str = "text") -> None:
        """Write one cell of the row if there is a value."""
        if isinstance(value, str):
            if value:
                shown = printable(value)[:LONGEST_CELL]
                self.sheet.write_string(self.row, column, shown, self.formats.format(look))
                self._measure(column, column, shown, look)
        elif isinstance(value, MarkedText):
            self._put_marked(column, value, look)
        elif value[0] is not None and math.isfinite(value[0]):
            number, form = float(value[0]), value[1]
            self.sheet.write_number(self.row, column, number, self.formats.format(look, form))
            if column not in self._fixed:
                margin, least = (_END_MARGIN, 0.0) if look in INTERVAL_ENDS else (_MARGIN, _LEAST_NUMBER)
                width = text_width(_number_text(number, form)) * self.formats.size(look)
                self.widen(column, width, margin=margin, least=least)

    def _put_marked(self, column: int, text: MarkedText, look: str) -> None:
        """Write a text with its marked parts in bold; without marks if it has one part or is too long."""
        pieces = [(shown, is_marked) for piece, is_marked in text.pieces if (shown := printable(piece))]
        whole = "".join(piece for piece, _ in pieces)
        if len(pieces) < 2 or len(whole) > LONGEST_CELL:  # Excel needs two parts
            self.put(column, whole, look)
            return
        # Each part has a format, as XlsxWriter gives others its own font.
        looks = [self.formats.format("mark" if is_marked else look) for _, is_marked in pieces]
        parts = [part for form, (piece, _) in zip(looks, pieces, strict=True) for part in (form, piece)]
        self.sheet.write_rich_string(self.row, column, *parts, self.formats.format(look))
        self._measure(column, column, whole, look)

    def cells(self, values: Iterable[Value], look: str = "text", *, start: int = 0) -> None:
        """Write a row from a column and go to the next; texts after the first are set apart from numbers."""
        for column, value in enumerate(values, start):
            is_inner = column > 0 and look == "text" and not isinstance(value, tuple)
            self.put(column, value, "inner" if is_inner else look)
        self.row += 1

    def heads(self, values: Sequence[str], are_numbers: Sequence[bool]) -> None:
        """Write the headings of a table; those of numbers are aligned right."""
        for column, (value, is_number) in enumerate(zip(values, are_numbers, strict=True)):
            self.put(column, value, "number head" if is_number else "inner head" if column else "head")
        self.row += 1

    def line(self, text: str, look: str = "text") -> None:
        """Write a text across the sheet, unless it is empty, and go to the next row."""
        if text:
            self.beside(0, text, look)
            self.row += 1

    def beside(self, column: int, text: str, look: str = "text") -> None:
        """Write a text from a column of the row to the right end of the sheet."""
        if text:
            self._lines.append((self.row, column, printable(text)[:LONGEST_CELL], look))

    def across(self, first: int, last: int, text: str, look: str) -> None:
        """Write a text into merged cells of the row."""
        shown = printable(text)[:LONGEST_CELL]
        if first == last:
            self.put(first, text, look)
            return
        self.sheet.merge_range(self.row, first, self.row, last, shown, self.formats.format(look))
        self._measure(first, last, shown, look)

    def draw_bars(self, rows: tuple[int, int], columns: Sequence[int]) -> None:
        """Draw bars from 0 to 100 % behind the shares in cells.

        Args:
            rows: the first and the last row.
            columns: the columns.
        """
        from xlsxwriter.utility import xl_range

        if rows[1] < rows[0] or not columns:
            return
        ranges = [xl_range(rows[0], column, rows[1], column) for column in columns]
        look = {"bar_solid": True, "bar_color": _BAR_COLOUR, "bar_border_color": _BAR_COLOUR}
        ends = {"min_type": "num", "min_value": 0, "max_type": "num", "max_value": 1}
        rule = {"type": "data_bar", "data_bar_2010": True, "multi_range": " ".join(ranges)}
        self.sheet.conditional_format(ranges[0], rule | look | ends)

    def link(self, column: int, sheet: str, text: str, look: str = "link") -> None:
        """Write a link to the beginning of a sheet."""
        form = self.formats.format(look)
        self.sheet.write_url(self.row, column, f"internal:'{sheet}'!A1", form, printable(text))
        self.widen(column, text_width(text))

    def widen(
        self, column: int, characters: float, *, margin: float = _MARGIN, least: float = _LEAST_WIDTH
    ) -> None:
        """Make a column at least as wide as a number of characters with their margin.

        Args:
            column: the column.
            characters: number of characters.
            margin: characters beside them.
            least: least width of the column.
        """
        if not self._is_settled(column):
            self._needed[column] = max(characters + margin, least, self._needed.get(column, 0.0))

    def _is_settled(self, column: int) -> bool:
        """Return true if a column has printed cells, and the printed part has ended."""
        return self._print_end is not None and column <= self._settled

    def fix(self, column: int, characters: float) -> None:
        """Set the width of a column, whatever its content."""
        self._fixed[column] = characters

    def width(self, first: int, last: int) -> int:
        """Return the width of neighbouring columns in pixels."""
        return sum(round(self._width(column) * _PIXELS) + _PADDING for column in range(first, last + 1))

    def whole_width(self) -> int:
        """Return the width of all columns with content in pixels."""
        return self.width(0, self._last_content())

    def reach(self, pixels: int) -> None:
        """Print at least as many pixels from the left edge of the sheet."""
        self._reach = max(self._reach, pixels)

    def keep_together(self, rows: int) -> None:
        """Keep a number of rows from the next one on one printed page, and go below them."""
        self._kept[self.row] = rows
        self.row += rows

    def end_of_print(self) -> None:
        """End the printed part above the next row; what follows is shown on the screen alone.

        It does not change the widths of columns with printed cells.
        """
        if self._print_end is None:
            self._print_end, self._settled = self.row, self._last_content()

    def finish(self, *, head_rows: int = 0, name_columns: int = 0) -> None:
        """Lay the sheet out: widths, heights, frozen panes, and printing in landscape, one page wide.

        Args:
            head_rows: number of rows that stay visible, and are repeated on each page.
            name_columns: number of columns that stay visible, and are repeated.
        """
        self._widen_long_texts()
        last = self._last_column()
        for column in range(max(last, self._last_content()) + 1):
            self.sheet.set_column(column, column, self._width(column))
        self._write_lines(last)
        self._set_heights()
        sheet = self.sheet
        sheet.hide_gridlines(2)
        if head_rows or name_columns:
            sheet.freeze_panes(head_rows, name_columns)
        if head_rows:
            sheet.repeat_rows(0, head_rows - 1)
        if name_columns:
            sheet.repeat_columns(0, name_columns - 1)
        end = max(self.row if self._print_end is None else self._print_end, 1)
        sheet.print_area(0, 0, end - 1, last)
        sheet.center_horizontally()
        sheet.set_landscape()
        sheet.set_paper(9)  # A4
        sheet.set_margins(left=0.5, right=0.5, top=0.6, bottom=0.7)
        heights = [self._heights.get(row, _ROW_POINTS) * 4 / 3 for row in range(end)]
        scale = min(1.0, _PAGE_WIDTH / self.width(0, last))
        is_one_page = sum(heights) <= _PAGE_HEIGHT / min(scale, _LEAST_SCALE)
        sheet.fit_to_pages(1, int(is_one_page))
        if not is_one_page and self._kept:
            sheet.set_h_pagebreaks(list(self._breaks(heights, _PAGE_HEIGHT / scale)))
        sheet.set_footer("&L&8&A&R&8Page &P of &N")

    def _widen_long_texts(self) -> None:
        """Share the unused width of a page between columns of long texts, unless the sheet has charts."""
        wide = [c for c, needed in self._needed.items() if c not in self._fixed and needed > _MOST_WIDTH]
        spare = (_PAGE_WIDTH - self.whole_width()) / _PIXELS
        if self._reach or not wide or spare <= 0:
            return
        for column in wide:
            self._fixed[column] = min(_MOST_WIDTH + spare / len(wide), self._needed[column])

    def _last_column(self) -> int:
        """Return the last column of the sheet, so that lines across it have room."""
        last = self._last_content() if self._print_end is None else self._settled
        while self.width(0, last) < self._reach or (self._lines and self._room(0, last) < _TEXT_WIDTH):
            last += 1
        return last

    def _last_content(self) -> int:
        return max([*self._needed, *self._fixed, 0])

    def _room(self, first: int, last: int) -> float:
        """Return the width of neighbouring columns in characters."""
        return max(self.width(first, last) - _PADDING, 0) / _PIXELS

    def _width(self, column: int) -> float:
        if column in self._fixed:
            return self._fixed[column]
        return min(self._needed.get(column, _DEFAULT_WIDTH), _MOST_WIDTH)

    def _measure(self, first: int, last: int, text: str, look: str) -> None:
        """Note the room that a text needs: its longest word in a heading, and otherwise all of it."""
        size = self.formats.size(look)
        is_head = look.endswith("head") or last > first
        if is_head:
            longest = max(map(text_width, text.split()), default=0.0)
            self.widen(first, longest * size - self._room(first + 1, last), least=0.0)
        elif first not in self._fixed:
            self.widen(first, text_width(text) * size + (_INDENT if self.formats.is_indented(look) else 0))
        if is_head or (len(text) > _LEAST_WIDTH and look != "list"):
            spare = _INDENT if self.formats.is_indented(look) else 0
            self._wrapped.append((self.row, first, last, text, size, spare))

    def _write_lines(self, last: int) -> None:
        for row, first, text, look in self._lines:
            room = self._room(first, last)
            form = self.formats.format(look)
            if last > first:
                self.sheet.merge_range(row, first, row, last, "", form)
            self.sheet.write_string(row, first, text, form)
            size = self.formats.size(look)
            height = _LINE * self.formats.scale(look) * n_lines(text, room / size) + _SPARE
            self._heights[row] = max(self._heights.get(row, 0.0), height)

    def _set_heights(self) -> None:
        for row, first, last, text, size, spare in self._wrapped:
            room = self._room(first, last)
            lines = min(n_lines(text, (room - spare) / size), _MOST_LINES)
            if lines > 1:
                self._heights[row] = max(self._heights.get(row, 0.0), _LINE * lines + _SPARE)
        for row, height in self._heights.items():
            self.sheet.set_row(row, height)

    def _breaks(self, heights: Sequence[float], page: float) -> Iterator[int]:
        """Yield the rows that begin a printed page, so that no chart is cut.

        Args:
            heights: height of each row in pixels.
            page: height of a page, likewise.
        """
        used = 0.0
        for row, height in enumerate(heights):
            needed = sum(heights[row : row + self._kept.get(row, 1)])
            if used and used + needed > page:
                yield row
                used = 0.0
            used += height


def text_width(text: str) -> float:
    """Estimate the width of a text in characters of a column.

    Examples:
        >>> round(text_width("a run"), 1), round(text_width("RUN 1"), 1)
        (4.5, 5.9)
    """
    units = sum(_WIDTHS.get(character, _DIGIT * cell_len(character)) for character in text)
    return _SAFETY * units / _COLUMN


def n_lines(text: str, room: float) -> int:
    """Return the number of lines of a text that is wrapped between words.

    Args:
        text: the text.
        room: characters of a column of the same width.

    Examples:
        >>> n_lines("one two three", 8), n_lines("one", 8), n_lines("overlong", 3)
        (2, 1, 3)
    """
    lines, space = 0, text_width(" ")
    for paragraph in text.splitlines() or [""]:
        lines, used = lines + 1, 0.0
        for word in paragraph.split():
            length = text_width(word)
            if used and used + space + length > room:
                lines, used = lines + 1, 0.0
            used += length + (space if used else 0)
            if used > room:  # a word that is longer than a line is broken
                lines, used = lines + math.ceil(used / room) - 1, used % room
    return lines


def _number_text(value: float, form: str) -> str:
    """Return a number in an Excel format, roughly."""
    sections = form.split(";")
    usual = sections[-1 if sections[0].startswith("[") else 0]  # others have a condition
    bare = _QUOTED.sub("", usual)
    digits = len(bare.partition(".")[2].rstrip(" %*")) if "." in bare else 0
    is_percent = "%" in bare
    shown = f"{100 * value if is_percent else value:,.{min(digits, 6)}f}"[:16]
    added = "".join(text.strip('"') for text in _QUOTED.findall(usual))
    return f"{'+' * ('+' in bare)}{shown}{' %' * is_percent}{added}"


def free_sheet_name(name: str, names: set[str]) -> str:
    """Shorten and number a name until it is valid in Excel and unique.

    Args:
        name: name of the sheet's subject.
        names: names of other sheets, in lower case.
    """
    clean = " ".join(printable(name).translate(_FORBIDDEN).split()) or "Sheet"
    free, number = _shorten_name(clean, LONGEST_NAME), 2
    while free.lower() in names | {"history"}:  # a name that Excel keeps for itself
        ending = f" {number}"
        free, number = _shorten_name(clean, LONGEST_NAME - len(ending)) + ending, number + 1
    return free


def _shorten_name(name: str, limit: int) -> str:
    """Cut a name before a comma, or otherwise between two words."""
    if len(name) <= limit:
        return name
    cut = name[: limit + 1]
    for separator in (", ", " "):
        if separator in cut:
            return cut.rpartition(separator)[0]
    return name[:limit]
