"""Reading of callers' columns: lists, NumPy arrays, and polars, pandas or Arrow series."""

from collections.abc import Iterable, Mapping, Set
from typing import Any

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.store.cells import plain
from semscale.store.missing_codes import is_missing
from semscale.types import Floats, Status, Statuses

_EXACT = 2.0**53


def as_list(column: object, name: str) -> list[Any]:
    """List a column's cells; nulls of a series become ``None``.

    Args:
        column: a list or other ordered iterable, a one-dimensional NumPy array, or a series that narwhals
            knows.
        name: the column's name in messages.

    Raises:
        InputError: the column is a single string, has no order, or has more than one dimension.

    Example:
        >>> as_list(np.array(["good", None], dtype=object), "texts")
        ['good', None]
    """
    if isinstance(column, np.ndarray):
        if column.ndim != 1:
            raise InputError(f"{name} must have one dimension, got shape {column.shape}")
        return (
            list(column) if column.dtype.kind in "mM" else list(column.tolist())
        )  # dates lose their unit there
    if isinstance(column, list | tuple):
        return list(column)
    import narwhals as nw  # slow to import, and most callers have lists

    series = nw.from_native(column, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        cells = series.to_list()
        nulls = series.is_null().to_list()
        return [None if null else cell for cell, null in zip(cells, nulls, strict=True)]
    unordered = isinstance(column, str | bytes | Mapping | Set)
    if unordered or not isinstance(column, Iterable) or hasattr(column, "columns"):
        raise InputError(f"{name} must be a list or a series, got {type(column).__name__}: pass [...]")
    return list(column)


def as_names(column: object, name: str) -> list[str | None]:
    """Read a column of names of groups or respondents; missing and empty ones become ``None``, others text.

    3 and 3.0 are the same name, as pandas makes floats of whole numbers beside a gap.

    Example:
        >>> as_names([2024, 3.0, "north", "", None], "by")
        ['2024', '3', 'north', None, None]
    """
    return [None if is_missing(cell) or cell == "" else _name(cell) for cell in as_list(column, name)]


def _name(cell: object) -> str:
    is_whole = isinstance(cell, float) and cell.is_integer() and abs(cell) <= _EXACT
    return str(int(cell)) if is_whole else str(cell)  # type: ignore[call-overload]


def groups_in(cells: pl.Series) -> pl.Series:
    """Read a column as names, an empty one as none; 3 and 3.0 are the same, bytes are named as in outputs.

    Example:
        >>> groups_in(pl.Series([3.0, None])).to_list()
        ['3', None]
    """
    if cells.dtype.is_nested():
        return pl.Series(cells.name, [None if cell is None else str(cell) for cell in cells.to_list()])
    names = plain(cells.to_frame()).to_series().cast(pl.String).replace("", None)
    if not cells.dtype.is_float():
        return names
    numbers = cells.fill_nan(None)
    whole = numbers.is_finite() & (numbers == numbers.floor()) & (numbers.abs() <= _EXACT)
    integers = numbers.cast(pl.Int64, strict=False).cast(pl.String)
    return integers.zip_with(whole.fill_null(value=True), names)


def column_in(frame: pl.DataFrame, title: str) -> pl.Series:
    """Give a column, or nulls where a part of a JSON lines file does not have it."""
    if title in frame.columns:
        return frame[title]
    return pl.Series(title, [None] * frame.height, dtype=pl.Null)


def floats_in(cells: pl.Series) -> Floats:
    """Read a column of numbers, NaN where there is none.

    Example:
        >>> floats_in(pl.Series([0.5, None])).tolist()
        [0.5, nan]
    """
    return cells.cast(pl.Float64).to_numpy().astype(np.float64)


def statuses_in(cells: pl.Series) -> Statuses:
    """Read a column of statuses."""
    known = {str(status): status for status in Status}
    return np.array([known[cell] for cell in cells.to_list()], dtype=object)
