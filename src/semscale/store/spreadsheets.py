"""Excel workbooks: a sheet as a table in which every cell keeps its type."""

import zipfile
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

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
    the other sheets.

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
    rows, first, title, sheets = _read(path, name, sheet)
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
        notes=(*_sheet_notes(name, title, [] if sheet else other_sheets), *title_notes, *header.notes),
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
    rows, _, _, _ = _read(path, name, sheet)
    return [_title(cell) for cell in rows[_title_rows(rows)]] if rows else []


def _read(path: Path, name: str, sheet: str | None) -> tuple[list[list[Any]], int, str, list[str]]:
    """Read a sheet.

    Returns:
        Its rows from the first that is not blank, the number of that row, its title, and the titles of all
        sheets.
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
            return rows[blank:], first + blank, title, list(titles)
    except CalamineError as error:
        raise _unreadable(name, (str(error).splitlines() or ["damaged"])[0]) from error


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
