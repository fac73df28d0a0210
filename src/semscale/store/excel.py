"""Reading of Excel sheets as tables; numbers and dates in columns of texts keep their types."""

import logging
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl

from semscale.errors import InputError
from semscale.store.cells import column_of
from semscale.store.table import Table, check_names

_EXACT = 2.0**53

# Do not show warnings about empty columns; users who configure logging still get them.
logging.getLogger("fastexcel").addHandler(logging.NullHandler())


def open_excel(path: Path, name: str, *, sheet: str | None = None) -> Table:
    """Open a sheet; its first row that is not blank is the header, and all of it is read into memory.

    Whole numbers become integers. In a column that mixes texts with numbers, truth values, dates or times,
    every cell keeps its type; a time of day or a duration becomes a date, counted from Excel's day 0.

    Args:
        path: the workbook.
        name: the file's name in messages.
        sheet: the sheet's name; ``None`` for the first one.

    Raises:
        InputError: the file is no workbook, the sheet is unknown or empty, or a column occurs twice.
    """
    import fastexcel

    try:
        workbook = fastexcel.read_excel(path)
        if sheet is not None and sheet not in workbook.sheet_names:
            raise InputError(
                f"sheet: {name} has no sheet '{sheet}'; it has: {', '.join(workbook.sheet_names)}"
            )
        chosen = 0 if sheet is None else sheet
        columns = _header(workbook, chosen, name)
        frame = _cells(workbook, chosen, columns)
    except fastexcel.FastExcelError as error:
        reason = str(error).splitlines()[0]
        raise InputError(
            f"{name} cannot be read as an Excel workbook ({reason}); save it again as .xlsx"
        ) from error

    def read(size: int, skip: int) -> Iterator[pl.DataFrame]:
        for start in range(skip, frame.height, size):
            yield frame.slice(start, size)

    return Table(name, path, columns, read, n_rows=frame.height, settings=("xlsx", str(chosen)))


def _header(workbook: Any, sheet: int | str, name: str) -> tuple[str, ...]:  # noqa: ANN401 - fastexcel has no stubs
    first = workbook.load_sheet(sheet, header_row=None, n_rows=1, dtypes="string").to_polars()
    if first.is_empty():
        raise InputError(f"{name}: the sheet is empty; name another one with --sheet, or add a header row")
    return check_names([cell or "" for cell in first.row(0)], name)


def _cells(workbook: Any, sheet: int | str, columns: tuple[str, ...]) -> pl.DataFrame:  # noqa: ANN401
    frame = _typed(workbook, sheet, columns)
    strings = [place for place, dtype in enumerate(frame.dtypes) if dtype == pl.String]
    truths, numbers, dates = (
        _load(workbook, sheet, columns, dict.fromkeys(strings, kind))
        for kind in ("boolean", "float", "datetime")
    )
    typed = [
        _mixed(frame[title], truths[title], numbers[title], dates[title])
        if place in strings
        else _whole(frame[title])
        for place, title in enumerate(columns)
    ]
    return pl.DataFrame(typed)


def _typed(workbook: Any, sheet: int | str, columns: tuple[str, ...]) -> pl.DataFrame:  # noqa: ANN401
    import fastexcel

    try:
        return _load(workbook, sheet, columns, None)
    except fastexcel.UnsupportedColumnTypeCombinationError:  # durations mixed with other types
        return _load(workbook, sheet, columns, dict.fromkeys(range(len(columns)), "string"))


def _load(
    workbook: Any,  # noqa: ANN401
    sheet: int | str,
    columns: tuple[str, ...],
    dtypes: dict[int, str] | None,
) -> pl.DataFrame:
    loaded: pl.DataFrame = workbook.load_sheet(
        sheet,
        header_row=None,
        column_names=list(columns),
        skip_rows=1,
        schema_sample_rows=None,
        dtypes=dtypes,
    ).to_polars()
    return loaded


def _whole(cells: pl.Series) -> pl.Series:
    """Convert columns of whole numbers to integers, as Excel stores every number as a double."""
    if cells.dtype == pl.Float64 and ((cells == cells.floor()) & (cells.abs() <= _EXACT)).all():
        return cells.cast(pl.Int64)
    return cells


def _mixed(texts: pl.Series, truths: pl.Series, numbers: pl.Series, dates: pl.Series) -> pl.Series:
    """Restore the types of cells that were read as text only because others in their column are texts.

    The sheet is read once for each type. A cell that can be read as a truth value or a date is no text: the
    number 5 reads as true, but the text "5" reads as null.
    """
    # Numbers can be read as dates, too; dates far in the future are beyond Python's range.
    dates = dates.set(truths.is_not_null(), None)
    if truths.null_count() == dates.null_count() == len(texts):
        return texts.replace("", None)
    cells = zip(texts.to_list(), truths.to_list(), numbers.to_list(), dates.to_list(), strict=True)
    return column_of(texts.name, [_value(*cell) for cell in cells])


def _value(text: str | None, truth: bool | None, number: float | None, date: datetime | None) -> object:
    if truth is None or number is None:
        return date or text or None
    if text in ("true", "false"):
        return truth
    return int(number) if number.is_integer() else number
