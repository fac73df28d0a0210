"""Excel workbooks: a sheet as a table in which every cell keeps its type."""

import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polars as pl

from semscale.errors import InputError
from semscale.messages import did_you_mean
from semscale.spelling import hint
from semscale.store.columns import column_of
from semscale.store.exports import header_setting, survey_header
from semscale.store.format_names import HeaderKind
from semscale.store.table import MOST_BYTES, MOST_CELLS, Table, check_size, frame_reader

_TOO_LARGE = "remove cells far from the table, or save the sheet as .csv"
_MOST_TITLE_ROWS = 20
_EXACT = 2**53
_DAY_0 = datetime(1899, 12, 31)
_LONGEST = datetime.max - _DAY_0
_MOST_NAMED = 3
_SHEETS, _LINKS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_WITHOUT_VALUE = re.compile(
    rb"<(?:\w{1,9}:)?c r=\"(?P<column>[A-Z]{1,3})\d{1,7}\"(?![^>]{0,99}t=\"str\")[^>]{0,99}>\s{0,9}"
    rb"<(?:\w{1,9}:)?f\b[^>]{0,999}(?:/>|>[^<]{0,9999}</(?:\w{1,9}:)?f>)\s{0,9}"
    rb"(?:<(?:\w{1,9}:)?v ?/>|<(?:\w{1,9}:)?v></(?:\w{1,9}:)?v>)?\s{0,9}</(?:\w{1,9}:)?c>"
)
"""A cell with a formula that no program computed. The value of a formula can be an empty text."""
_ERROR = re.compile(rb"<(?:\w{1,9}:)?c r=\"(?P<column>[A-Z]{1,3})\d{1,7}\"[^>]{0,99}\bt=\"e\"")
"""A cell with an error, such as #N/A, which is read as empty."""
_NO_TEXT = re.compile(rb't="s"[^>]{0,99}>\s{0,9}<(?:\w{1,9}:)?v>-')
"""A cell with a negative number of a text, which the reader takes for the first text."""


def open_excel(
    path: Path,
    name: str,
    *,
    sheet: str | None = None,
    header_kind: HeaderKind = "auto",
    header_row: int | None = None,
) -> Table:
    """Open a sheet; all of it is read into memory.

    The header is the first row that is not blank. Rows above it with a single cell each are a title, which is
    skipped with a note. For headers of survey tools see ``survey_header``. If no sheet is named, a note lists
    the other sheets. Notes name columns with merged cells, of which only the first has a value, and with
    formulas that no program computed, or with errors such as #N/A.

    Whole numbers become integers. In a column that mixes texts with numbers, booleans, dates or times, every
    cell keeps its type; a time of day, or a duration in a mixed column, is a time after the last day of 1899.

    Args:
        path: the workbook.
        name: the file's name in messages.
        sheet: the sheet's name; ``None`` for the first one.
        header_kind: survey tool that wrote the header.
        header_row: number of the header's row in Excel, from 1.

    Raises:
        InputError: the file is not a workbook or exceeds a limit, the sheet is unknown or empty or lacks the
            row, or a column occurs twice.
    """
    _check_size(path, name)
    rows, (first, left), merged, title, sheets = _read(path, name, sheet)
    other_sheets = [other for other in sheets if other != title]
    if not rows:
        remedy = f"name another one with `sheet`: {', '.join(other_sheets)}" if other_sheets else "fill it"
        raise InputError(f"{name}: sheet '{title}' is empty; {remedy}")
    position = _title_rows(rows) if header_row is None else header_row - first
    if not 0 <= position < len(rows) or all(cell == "" for cell in rows[position]):
        raise InputError(
            "header_row",
            f"must be a filled row of sheet '{title}' ({first} to {first + len(rows) - 1}), got {header_row}",
        )
    title_notes = _title_notes(name, first, position) if header_row is None else []
    rows = rows[position:]
    if len(rows) == 1 and other_sheets and sheet is None:
        raise InputError(
            f"{name}: sheet '{title}' has one row; name another with `sheet`: {', '.join(other_sheets)}"
        )

    def hint(column: str) -> str:
        owner = next((other for other in other_sheets if column in _first_titles(path, name, other)), None)
        return f"sheet '{owner}' has it, which `sheet={owner!r}` reads; " if owner else ""

    header = survey_header([_title(cell) for cell in rows[0]], rows[1:3], name, header_kind)
    answers = rows[1 + header.more :]
    below = first + position + header.more  # rows above the answers
    joined = [column for row, column in merged if row >= below]
    named = dict(enumerate(header.columns, start=left))
    frame = pl.DataFrame(
        [
            _column(title, [_value(row[position]) for row in answers])
            for position, title in enumerate(header.columns)
        ]
    )
    return Table(
        name,
        path,
        header.columns,
        frame_reader(frame),
        n_rows=frame.height,
        settings=("xlsx", str(sheet or 0), *header_setting(header_kind, header_row)),
        labels=header.labels,
        export=header.export,
        sheets=tuple(sheets),
        notes=(
            *_sheet_notes(name, title, [] if sheet else other_sheets),
            *title_notes,
            *header.notes,
            *_note_merged(name, joined, named),
            *_note_empty(path, name, title, named),
        ),
        hint=hint,
    )


def _check_size(path: Path, name: str) -> None:
    """Refuse a workbook that unpacks to more bytes than the limit."""
    try:
        with zipfile.ZipFile(path) as package:
            n_bytes = sum(member.file_size for member in package.infolist())
    except (zipfile.BadZipFile, OSError, NotImplementedError) as error:
        raise _unreadable(name, str(error)) from error
    check_size(n_bytes, MOST_BYTES, "bytes, unpacked", name, _TOO_LARGE)


def _sheet_notes(name: str, title: str, other_sheets: list[str]) -> list[str]:
    if not other_sheets:
        return []
    others = hint(f"; `sheet` reads another one: {', '.join(other_sheets)}")
    return [f"{name}: sheet '{title}' was read{others}"]


def _title_rows(rows: list[list[Any]]) -> int:
    """Count the rows of a title: those with one filled cell, or none, above a header of several texts."""
    filled = [[cell for cell in row if cell != ""] for row in rows[:_MOST_TITLE_ROWS]]
    if len(filled[0]) != 1:
        return 0
    wide = next((position for position, cells in enumerate(filled) if len(cells) > 1), 0)
    return wide if all(isinstance(cell, str) for cell in filled[wide]) else 0


def _title_notes(name: str, first: int, n: int) -> list[str]:
    if not n:
        return []
    return [
        f"{name}: row {first + n} was read as the header, and the rows above it as a title"
        + hint("; `header_row` names another row")
    ]


def _first_titles(path: Path, name: str, sheet: str) -> list[str]:
    """Return the names of a sheet's columns; empty for an empty sheet."""
    rows, _, _, _, _ = _read(path, name, sheet)
    return [_title(cell) for cell in rows[_title_rows(rows)]] if rows else []


_Cell = tuple[int, int]


def _read(
    path: Path, name: str, sheet: str | None
) -> tuple[list[list[Any]], _Cell, list[_Cell], str, list[str]]:
    """Read a sheet.

    Returns:
        Its rows from the first that is not blank, the number of that row and the position of the first
        column, the positions of cells that are merged with others, its title, and the titles of all sheets.
    """
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        with CalamineWorkbook.from_path(path) as workbook:
            titles = workbook.sheet_names
            if sheet is not None and sheet not in titles:
                raise InputError(
                    "sheet",
                    f": {name} has no sheet '{sheet}'{did_you_mean(sheet, titles) or ';'} "
                    f"sheets: {', '.join(titles)}",
                )
            if not titles:
                raise _unreadable(name, "it has no sheets")
            title = sheet or titles[0]
            content = workbook.get_sheet_by_name(title)
            n_cells = content.height * content.width
            check_size(n_cells, MOST_CELLS, "cells (rows times columns)", name, _TOO_LARGE)
            first = 1 + (content.start[0] if content.start else 0)
            rows = content.to_python()
            # A row of errors or of empty texts is read as a blank one.
            blank = next((at for at, row in enumerate(rows) if any(cell != "" for cell in row)), len(rows))
            left = content.start[1] if content.start else 0
            merged = [start for start, _ in content.merged_cell_ranges or ()]
            return rows[blank:], (first + blank, left), merged, title, list(titles)
    except CalamineError as error:
        raise _unreadable(name, (str(error).splitlines() or ["damaged"])[0]) from error


def _note_merged(name: str, columns: Sequence[int], named: Mapping[int, str]) -> list[str]:
    """Note cells of answers that are merged with others."""
    if not columns:
        return []
    ranges = "a range" if len(columns) == 1 else f"{len(columns):,} ranges"
    return [
        f"{name}: {ranges} of merged cells in {_columns(columns, named)}: only the first cell of each has a "
        "value, and the others are empty; unmerge and fill them in Excel"
    ]


def _note_empty(path: Path, name: str, title: str, named: Mapping[int, str]) -> Iterator[str]:
    """Note columns with formulas whose values are not in the file, and with errors.

    Raises:
        InputError: the file is damaged, or a cell has a negative number of a text.
    """
    try:
        with zipfile.ZipFile(path) as package:
            member = _member(package, title)
            content = package.read(member) if member in package.namelist() else b""
    except (zipfile.BadZipFile, zlib.error, EOFError, ElementTree.ParseError, NotImplementedError) as error:
        raise _unreadable(name, str(error)) from error
    if b"v>-" in content and _NO_TEXT.search(content):
        raise _unreadable(name, "Cell string index not found in shared strings table")
    has_formulas = any(sign in content for sign in (b"<f>", b"<f ", b":f>", b":f "))
    kinds = (
        (_WITHOUT_VALUE, has_formulas, "a formula without a value", "formulas without values",
         "open and save the file in Excel, which computes them"),
        (_ERROR, b't="e"' in content, "an error, such as #N/A", "errors, such as #N/A",
         "correct the formulas in Excel if these are answers"),
    )  # fmt: skip
    for pattern, is_likely, one, several, remedy in kinds:
        cells = pattern.finditer(content) if is_likely else ()
        columns = [_position(match["column"].decode()) for match in cells]
        columns = [column for column in columns if column in named]
        where = _columns(columns, named)
        if len(columns) == 1:
            yield f"{name}: 1 cell in {where} has {one}, and is empty; {remedy}"
        elif columns:
            yield f"{name}: {len(columns):,} cells in {where} have {several}, and are empty; {remedy}"


def _member(package: zipfile.ZipFile, title: str) -> str:
    """Return the name of the member with a sheet; empty if the workbook is not of Excel's own format."""
    if not {_SHEETS, _LINKS} <= set(package.namelist()):
        return ""
    sheets = ElementTree.fromstring(package.read(_SHEETS)).iter()
    relation = next((node.get(_RELATION) for node in sheets if node.get("name") == title), None)
    links = ElementTree.fromstring(package.read(_LINKS)).iter()
    target = next((node.get("Target", "") for node in links if node.get("Id") == relation), "")
    return target.lstrip("/") if target.startswith("/") else f"xl/{target}"


def _position(letters: str) -> int:
    """Return the position of a column by its letters, from 0.

    Examples:
        >>> [_position(letters) for letters in ("A", "Z", "AA")]
        [0, 25, 26]
    """
    position = 0
    for letter in letters:
        position = 26 * position + ord(letter) - ord("A") + 1
    return position - 1


def _columns(positions: Iterable[int], named: Mapping[int, str]) -> str:
    """Return the names of the first columns."""
    names = [f"‘{named[position]}’" for position in dict.fromkeys(positions) if position in named]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def _unreadable(name: str, reason: str) -> InputError:
    return InputError(f"{name} cannot be read as an Excel workbook ({reason}); save it again as .xlsx")


def _title(cell: object) -> str:
    value = _value(cell)
    return "" if value is None else str(value)


def _value(cell: object) -> object:
    """Return a cell's value: whole numbers as integers, and an empty cell as ``None``."""
    if cell == "":
        return None
    if isinstance(cell, float) and cell.is_integer() and abs(cell) <= _EXACT:
        return int(cell)
    return cell


def _column(title: str, values: list[object]) -> pl.Series:
    """Build a column; a column of durations keeps them, and booleans among numbers become 0 and 1."""
    kinds = set(map(type, values)) - {type(None)}
    if kinds == {timedelta}:
        return pl.Series(title, values, dtype=pl.Duration("ms"))
    if bool in kinds and len(kinds) > 1 and kinds <= {bool, int, float}:
        values = [int(value) if isinstance(value, bool) else value for value in values]
    return column_of(title, [_to_datetime(value) for value in values])


def _to_datetime(value: object) -> object:
    """Turn a date, a time of day or a duration into a point in time, like Excel."""
    if isinstance(value, time):
        return datetime.combine(_DAY_0, value)
    if isinstance(value, timedelta):
        return _DAY_0 + value if value <= _LONGEST else value / timedelta(days=1)
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime.combine(value, time())
    return value
