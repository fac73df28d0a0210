"""Columns as callers have them: lists, NumPy arrays, and polars, pandas or Arrow series."""

from collections.abc import Iterable, Mapping, Set
from typing import Any

import narwhals as nw
import numpy as np

from semscale.errors import InputError
from semscale.rating.checking import reject_after
from semscale.rating.missing_codes import code_key
from semscale.rating.wordless import is_wordless
from semscale.types import Floats, Status

_MISSING_TYPES = ("NAType", "NaTType")  # pandas' own, which it need not be imported for
_WRONG_WEIGHT = "weights must be finite numbers >= 0: not so in"


def as_list(column: object, name: str) -> list[Any]:
    """List a column's cells; whatever a series calls null becomes ``None``.

    Args:
        column: a list or other ordered iterable, a one-dimensional NumPy array, or a series that narwhals
            knows.
        name: what the column is called in a message.

    Raises:
        InputError: a single string, something without an order, or not one-dimensional.

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
    series = nw.from_native(column, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        cells = series.to_list()
        nulls = series.is_null().to_list()
        return [None if null else cell for cell, null in zip(cells, nulls, strict=True)]
    unordered = isinstance(column, str | bytes | Mapping | Set)
    if unordered or not isinstance(column, Iterable) or hasattr(column, "columns"):
        raise InputError(f"{name} must be a list or a series, got {type(column).__name__}: pass [...]")
    return list(column)


def is_missing(cell: object) -> bool:
    """Say whether a cell is null: ``None``, NaN, or one of pandas' own.

    Example:
        >>> [is_missing(cell) for cell in (None, float("nan"), "", 0)]
        [True, True, False, False]
    """
    if isinstance(cell, str):
        return False
    if cell is None or type(cell).__name__ in _MISSING_TYPES:
        return True
    return isinstance(cell, float | np.floating) and bool(np.isnan(cell))


def text_status(cell: object, missing: Set[str] = frozenset()) -> Status:
    """Say what can be done with a cell of texts; ``SCORED`` stands for a text that can be rated.

    Args:
        cell: anything.
        missing: codes for a missing answer, as ``missing_keys`` gives them.

    Example:
        >>> [str(text_status(cell)) for cell in ("good", " ", "?!", None, 3)]
        ['scored', 'empty', 'uninformative', 'missing', 'not-text']
    """
    if not isinstance(cell, str):
        return Status.MISSING if is_missing(cell) else Status.NOT_TEXT
    if missing and code_key(cell) in missing:
        return Status.MISSING
    if not cell or cell.isspace():
        return Status.EMPTY
    return Status.UNINFORMATIVE if is_wordless(cell) else Status.SCORED


def as_weights(column: object, *, first_row: int = 0) -> Floats:
    """Weights of rows, shape (n,); missing ones are NaN.

    Args:
        column: numbers, as ``as_list`` takes them.
        first_row: row number of the first cell, for the message.

    Raises:
        InputError: a weight that is not a number, negative or infinite; the rows are named.

    Example:
        >>> as_weights([1, None, 0.5]).tolist()
        [1.0, nan, 0.5]
    """
    if isinstance(column, np.ndarray) and column.dtype.kind in "fiu" and column.ndim == 1:
        numbers = column.astype(np.float64)
        reject_after(first_row, (numbers < 0) | np.isinf(numbers), _WRONG_WEIGHT)
        return numbers
    cells = as_list(column, "weights")
    wrong = np.array([not (is_missing(cell) or _is_weight(cell)) for cell in cells], dtype=bool)
    reject_after(first_row, wrong, _WRONG_WEIGHT)
    return np.array([np.nan if is_missing(cell) else float(cell) for cell in cells], dtype=np.float64)


def _is_weight(cell: object) -> bool:
    if isinstance(cell, str | bytes):
        return False
    try:
        number = float(cell)  # type: ignore[arg-type]  # anything that converts, such as a Decimal
    except (TypeError, ValueError):
        return False
    return 0 <= number < np.inf


def as_names(column: object, name: str) -> list[str | None]:
    """Names of groups or respondents; missing ones are ``None``, everything else as it prints.

    Example:
        >>> as_names([2024, "north", None], "by")
        ['2024', 'north', None]
    """
    return [None if is_missing(cell) else str(cell) for cell in as_list(column, name)]
