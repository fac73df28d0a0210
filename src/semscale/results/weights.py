"""Weights of rows, and respondents as numbers that are the same in every part and in every run."""

from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.store.columns import as_list, as_names, is_missing
from semscale.types import Floats, Integers

_WRONG_WEIGHT = "weights must be finite numbers >= 0: not so in"
_NAMED_ROWS = 5


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


def in_unit(weights: Floats) -> Floats:
    """Divide weights by the power of two above the largest, so that no sum or square leaves the floats.

    Args:
        weights: shape (n,), finite and not negative; NaN where a row has none.

    Example:
        >>> bool(in_unit(np.array([1e308, 5e307])).sum() < 2), in_unit(np.array([4.0, 2.0])).tolist()
        (True, [0.5, 0.25])
    """
    largest = np.nanmax(weights, initial=0.0)
    return np.ldexp(weights, -int(np.frexp(largest)[1]))


def reject_after(first_row: int, rows: npt.NDArray[np.bool_] | np.bool_, problem: str) -> None:
    """Raise an error that names the marked rows, if any is; ``first_row`` others come before them.

    Raises:
        InputError: at least one row is marked.

    Example:
        >>> reject_after(3, np.array([False, True]), "weights must be finite: not so in")
        Traceback (most recent call last):
        semscale.errors.InputError: weights must be finite: not so in 1 row(s), from 0: 4
    """
    wrong = np.flatnonzero(rows) + first_row
    if wrong.size:
        listed = ", ".join(map(str, wrong[:_NAMED_ROWS])) + (", ..." if wrong.size > _NAMED_ROWS else "")
        raise InputError(f"{problem} {wrong.size} row(s), from 0: {listed}")


def _is_weight(cell: object) -> bool:
    if isinstance(cell, str | bytes):
        return False
    try:
        number = float(cell)  # type: ignore[arg-type]  # anything that converts, such as a Decimal
    except (TypeError, ValueError):
        return False
    return 0 <= number < np.inf


NOBODY = -1


def numbered(respondents: object, n: int) -> Integers:
    """Give each respondent a 63-bit number, a hash of the name.

    Args:
        respondents: shape (n,), names; a missing one and an empty one both mean that nobody is known.
        n: how many there must be.

    Returns:
        Shape (n,), -1 where nobody is known.

    Raises:
        InputError: not n names.

    Example:
        >>> numbers = numbered(["ann", "", None, "ann"], 4)
        >>> bool(numbers[0] == numbers[3]), numbers[1:3].tolist()
        (True, [-1, -1])
    """
    names = as_names(respondents, "respondents")
    if len(names) != n:
        raise InputError(f"respondents must have {n} rows, one for each row of the result, got {len(names)}")
    numbers = {
        name: int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()) >> 1
        for name in set(names)
        if name
    }
    return np.array([numbers[name] if name else NOBODY for name in names], dtype=np.int64)
