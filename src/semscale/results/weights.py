"""Numbers, weights and respondents of rows, with messages that name the wrong cells."""

import re
from hashlib import blake2b

import numpy as np
import numpy.typing as npt
import polars as pl

from semscale.errors import InputError, RowError
from semscale.store.columns import as_list, as_names, have_decimal_commas, numbers_among
from semscale.store.missing_codes import is_missing
from semscale.types import Floats, Integers, Mask

_WEIGHTS = (1e-100, 1e100)
"""Least and greatest weight above 0: the squares of others would under- or overflow."""

_WRONG_WEIGHT = "weights must be 0, or from 1e-100 to 1e100: invalid in"
_NAMED_ROWS = 5

COUNTING = "(rows are counted from 1, below the header)"

CORRECT = f"correct the cell, or leave it empty {COUNTING}"

_TEXTS = (pl.String, pl.Categorical, pl.Enum)

_DECIMAL_COMMA = re.compile(r"[+-]?[0-9.]*,[0-9]+")

_SHOWN = 40


def as_weights(column: object, *, first_row: int = 0) -> Floats:
    """Convert a column to weights, shape (n,); missing weights are NaN.

    Args:
        column: numbers; see ``as_list``.
        first_row: row number of the first cell, for the message.

    Raises:
        InputError: a weight that is not a number, or not 0 and outside 1e-100 to 1e100; the message names the
            rows.

    Examples:
        >>> as_weights([1, None, 0.5]).tolist()
        [1.0, nan, 0.5]
    """
    if isinstance(column, np.ndarray) and column.dtype.kind in "fiu" and column.ndim == 1:
        numbers = column.astype(np.float64)
        reject_after(first_row, ~(np.isnan(numbers) | are_weights(numbers)), _WRONG_WEIGHT)
        return numbers
    cells = as_list(column, "weights")
    wrong = np.array([not (is_missing(cell) or _is_weight(cell)) for cell in cells], dtype=bool)
    reject_after(first_row, wrong, _WRONG_WEIGHT)
    return np.array([np.nan if is_missing(cell) else float(cell) for cell in cells], dtype=np.float64)


def in_unit(weights: Floats) -> Floats:
    """Divide weights by the power of two above the largest, so that no sum or square overflows.

    Args:
        weights: shape (n,), finite and not negative; NaN if missing.

    Examples:
        >>> bool(in_unit(np.array([1e308, 5e307])).sum() < 2), in_unit(np.array([4.0, 2.0])).tolist()
        (True, [0.5, 0.25])
    """
    largest = np.nanmax(weights, initial=0.0)
    return np.ldexp(weights, -int(np.frexp(largest)[1]))


def reject_after(first_row: int, rows: npt.NDArray[np.bool_] | np.bool_, problem: str) -> None:
    """Raise an error that names the marked rows, if there are any; ``first_row`` rows precede the mask.

    Raises:
        InputError: at least one row is marked.

    Examples:
        >>> reject_after(3, np.array([False, True]), "weights must be finite: invalid in")
        Traceback (most recent call last):
        semscale.errors.InputError: weights must be finite: invalid in 1 row (counted from 1): 5
    """
    wrong = np.flatnonzero(rows) + first_row + 1
    if wrong.size:
        listed = ", ".join(map(str, wrong[:_NAMED_ROWS])) + (", ..." if wrong.size > _NAMED_ROWS else "")
        noun = "row" if wrong.size == 1 else "rows"
        raise InputError(f"{problem} {wrong.size} {noun} (counted from 1): {listed}")


def _is_weight(cell: object) -> bool:
    if isinstance(cell, str | bytes):
        return False
    try:
        number = float(cell)  # type: ignore[arg-type]  # anything that converts, such as a Decimal
    except (TypeError, ValueError):
        return False
    return bool(are_weights(np.array(number)))


def are_weights(numbers: Floats) -> Mask:
    """Return which numbers are weights: 0, or from 1e-100 to 1e100, so that no square over- or underflows."""
    least, greatest = _WEIGHTS
    usable: Mask = (numbers == 0) | ((numbers >= least) & (numbers <= greatest))
    return usable


NOBODY = -1


def respondent_numbers(respondents: object, n: int) -> Integers:
    """Return a 63-bit number for each respondent, a hash of the name.

    Args:
        respondents: shape (n,), names; a missing or empty name means that the respondent is unknown.
        n: required number of names.

    Returns:
        Shape (n,), -1 for unknown respondents.

    Raises:
        InputError: the number of names is not n.

    Examples:
        >>> numbers = respondent_numbers(["ann", "", None, "ann"], 4)
        >>> bool(numbers[0] == numbers[3]), numbers[1:3].tolist()
        (True, [-1, -1])
    """
    names = as_names(respondents, "respondents")
    if len(names) != n:
        raise InputError(
            "respondents", f"must have {n} rows, one for each row of the result, got {len(names)}"
        )
    numbers = {
        name: int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()) >> 1
        for name in set(names)
        if name
    }
    return np.array([numbers[name] if name else NOBODY for name in names], dtype=np.int64)


def numbers_in(cells: pl.Series, parameter: str, first_row: int = 0, remedy: str = CORRECT) -> pl.Series:
    """Read a column as numbers, also from strings such as ``"2.5"``; an empty cell is null.

    Commas are read as decimal commas if no cell has a point, and a comma in some cell cannot be a thousands
    separator.

    Args:
        cells: a column of numbers or of strings.
        parameter: name of the parameter, for the message.
        first_row: position of the first cell's row in the file, from 0.
        remedy: remedy for a cell that is not a number, for the message.

    Raises:
        InputError: a cell that is not a number; the message names its row and text.

    Examples:
        >>> numbers_in(pl.Series(["2.5", None, "1"]), "weight").to_list()
        [2.5, None, 1.0]
    """
    if cells.dtype.is_numeric() or cells.dtype in (pl.Boolean, pl.Null):
        return cells
    if cells.dtype not in _TEXTS:
        first = cells.drop_nulls()[0]
        raise InputError(
            parameter,
            f": column '{cells.name}' must hold numbers, got {cells.dtype} such as "
            f"{shorten_cell(first)}; {remedy}",
        )
    stripped = cells.cast(pl.String).str.strip_chars().replace("", None)
    numbers = stripped.cast(pl.Float64, strict=False)
    if have_decimal_commas(stripped.drop_nulls()):
        numbers = numbers_among(stripped)
    wrong = (stripped.is_not_null() & numbers.is_null()).arg_true()
    if len(wrong):
        row = int(wrong[0])
        raise RowError(
            f"`{parameter}`: column '{cells.name}' must hold numbers, but data {{row}} has "
            f"{shorten_cell(stripped[row])}; {decimal_remedy(stripped[row], remedy)}",
            first_row + row,
        )
    return numbers


def weights_in(cells: pl.Series, first_row: int = 0) -> pl.Series:
    """Read a column of weights like ``numbers_in``, and refuse invalid weights.

    Args:
        cells: a column of numbers or of strings.
        first_row: position of the first cell's row in the file, from 0.

    Raises:
        InputError: a cell that is not a number, or not 0 and outside 1e-100 to 1e100; the message names its
            row and value.

    Examples:
        >>> weights_in(pl.Series("w", ["2.5", "-1"]))
        Traceback (most recent call last):
        semscale.errors.RowError: weight: column 'w' must hold 0 or numbers from 1e-100 to 1e100, but...
    """
    numbers = numbers_in(cells, "weight", first_row)
    if numbers.dtype.is_numeric():
        known = numbers.cast(pl.Float64).fill_null(np.nan).to_numpy()
        wrong = np.flatnonzero(~(np.isnan(known) | are_weights(known)))
        if len(wrong):
            row = int(wrong[0])
            raise RowError(
                f"`weight`: column '{cells.name}' must hold 0 or numbers from 1e-100 to 1e100, but "
                f"data {{row}} has {shorten_cell(cells[row])}; {CORRECT}",
                first_row + row,
            )
    return numbers


def decimal_remedy(cell: object, otherwise: str = CORRECT) -> str:
    """Return the remedy for a cell that is not a number and may have a decimal comma."""
    if isinstance(cell, str) and _DECIMAL_COMMA.fullmatch(cell.strip()):
        return f"write decimals with a point (1.5, not 1,5), and thousands without a separator {COUNTING}"
    return otherwise


def shorten_cell(cell: object) -> str:
    """Return the ``repr`` of a cell, shortened to at most 40 characters."""
    text = repr(cell)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 4] + "..." + text[-1]
