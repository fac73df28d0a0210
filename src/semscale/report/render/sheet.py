"""Writes a sheet of a workbook from top to bottom."""

import io
import math
import struct
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from semscale.report.formatting import printable
from semscale.report.render.number_formats import Formatted

Value = str | Formatted
"""A text, or a number with its format."""

_LONGEST_NAME = 31  # characters, as Excel allows
_FORBIDDEN = str.maketrans(dict.fromkeys("[]:*?/\\'", " "))
_SCALE = 0.5  # PNG pixels are twice as fine as the drawing's
_ROW_PIXELS = 20
_TEXT_WIDTH = 52
_WIDTHS = (36, 18, 14, 14, 14, 14)
_LOOKS: Mapping[str, Mapping[str, object]] = {
    "text": {},
    "title": {"bold": True, "font_size": 16},
    "heading": {"bold": True, "font_size": 12, "top": 1, "top_color": "#e3e0d8"},
    "head": {"bold": True, "bottom": 1, "font_color": "#56616f"},
    "note": {"font_color": "#56616f"},
    "warning": {"font_color": "#8a5300"},
}


class Sheet:
    """A sheet of a workbook.

    Args:
        workbook: of XlsxWriter.
        name: of the sheet; cut and numbered where Excel would refuse it.
        formats: of the workbook.
    """

    LONGEST: ClassVar = 32_767
    """Characters that a cell holds."""

    def __init__(
        self,
        workbook: Any,  # noqa: ANN401 - XlsxWriter has no types
        name: str,
        formats: "SheetFormats",
    ) -> None:
        self._sheet = workbook.add_worksheet(free_sheet_name(name, {s.lower() for s in workbook.sheetnames}))
        self._formats = formats
        self._row = 0
        for column, width in enumerate(_WIDTHS):
            self._sheet.set_column(column, column, width)
        self._sheet.hide_gridlines(2)

    def widen(self, columns: int) -> None:
        """Give the first columns room for texts."""
        if columns:
            self._sheet.set_column(0, columns - 1, _TEXT_WIDTH)

    def line(self, text: str, look: str = "text") -> None:
        """Write one line of text, if there is any."""
        if text:
            self.cells([text], look)

    def space(self) -> None:
        """Leave a row empty."""
        self._row += 1

    def cells(self, values: Iterable[Value], look: str = "text") -> None:
        """Write one row."""
        for column, value in enumerate(values):
            if isinstance(value, str):
                if value:
                    shown = printable(value)[: self.LONGEST]
                    self._sheet.write_string(self._row, column, shown, self._formats.of(look))
            elif value[0] is not None and math.isfinite(value[0]):
                self._sheet.write_number(self._row, column, value[0], self._formats.of(look, value[1]))
        self._row += 1

    def picture(self, png: bytes, description: str) -> None:
        """Put a picture below what is written, and go on below it."""
        (height,) = struct.unpack(">I", png[20:24])  # of the PNG's header
        settings = {
            "image_data": io.BytesIO(png),
            "x_scale": _SCALE,
            "y_scale": _SCALE,
            "description": description,
        }
        self._sheet.insert_image(self._row, 0, "figure.png", settings)
        self._row += int(height * _SCALE) // _ROW_PIXELS + 2


class SheetFormats:
    """The formats of a workbook, each made once.

    Args:
        workbook: of XlsxWriter.
    """

    def __init__(self, workbook: Any) -> None:  # noqa: ANN401 - XlsxWriter has no types
        self._workbook = workbook
        self._made: dict[tuple[str, str], Any] = {}

    def of(self, look: str, number: str = "") -> Any:  # noqa: ANN401 - XlsxWriter has no types
        """Give the format of a look, and of a number as Excel writes it."""
        if (look, number) not in self._made:
            shown = {"num_format": number} if number else {}
            self._made[look, number] = self._workbook.add_format({**_LOOKS[look], **shown})
        return self._made[look, number]


def free_sheet_name(name: str, taken: set[str]) -> str:
    """Make a name that Excel allows and that no other sheet has.

    Args:
        name: what the sheet is about.
        taken: names of other sheets, in lower case.
    """
    clean = " ".join(printable(name).translate(_FORBIDDEN).split()) or "Sheet"
    free, number = _shortened(clean, _LONGEST_NAME), 2
    while free.lower() in taken:
        ending = f" {number}"
        free, number = _shortened(clean, _LONGEST_NAME - len(ending)) + ending, number + 1
    return free


def _shortened(name: str, limit: int) -> str:
    """Cut a name before a comma, or else between two words."""
    if len(name) <= limit:
        return name
    cut = name[: limit + 1]
    for separator in (", ", " "):
        if separator in cut:
            return cut.rpartition(separator)[0]
    return name[:limit]
