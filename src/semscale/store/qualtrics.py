"""Recognition of the header rows that Qualtrics puts below the names of the columns."""

import re
import warnings
from collections.abc import Sequence

_IMPORT_ID = re.compile(r'\s*\{\s*"ImportId"\s*:')
_LOOKED_AT = 2


class HeaderRowsWarning(UserWarning):
    """Rows below the header were skipped, as they are header rows too."""


def header_rows(rows: Sequence[Sequence[object]]) -> int:
    """Count the rows below the names of the columns that still belong to the header.

    An export of Qualtrics has the questions' texts in the next row, and in the row after it an ``ImportId``
    for each column; an export of IDs alone has only the latter.

    Args:
        rows: the first rows below the names of the columns.

    Returns:
        2 or 1 in an export of Qualtrics, otherwise 0.

    Example:
        >>> header_rows([["How was it?"], ['{"ImportId":"QID1_TEXT"}'], ["Good."]])
        2
    """
    for place, row in enumerate(rows[:_LOOKED_AT]):
        filled = [cell for cell in row if cell not in (None, "")]
        if filled and all(isinstance(cell, str) and _IMPORT_ID.match(cell) for cell in filled):
            return place + 1
    return 0


def warn_of_header_rows(name: str, n: int) -> None:
    """Say that header rows were skipped.

    Args:
        name: the file's name in messages.
        n: how many; 0 says nothing.
    """
    if n:
        counted = "the row" if n == 1 else f"the {n} rows"
        warnings.warn(
            f"{name} is an export of Qualtrics: {counted} of header below the names of the columns "
            f"{'was' if n == 1 else 'were'} skipped",
            HeaderRowsWarning,
            stacklevel=2,
        )
