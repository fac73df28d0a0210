"""What can be done with cells of texts and of weights."""

from collections.abc import Set

import numpy as np

from semscale.rating.array_checks import reject_after
from semscale.rating.missing_codes import code_key
from semscale.rating.wordless import is_wordless
from semscale.store.columns import as_list, is_missing
from semscale.types import Floats, Status

_WRONG_WEIGHT = "weights must be finite numbers >= 0: not so in"


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
