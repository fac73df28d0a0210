"""Recognition of the header rows that Qualtrics puts below the names of the columns."""

import re
import warnings
from collections.abc import Sequence

_IMPORT_ID = re.compile(r'\s*\{\s*"ImportId"\s*:')
_LOOKED_AT = 2
_TEXTS = {"ResponseId": "Response ID", "StartDate": "Start Date", "RecordedDate": "Recorded Date"}


class HeaderRowsWarning(UserWarning):
    """Rows below the header were skipped, as they are header rows too."""


def header_rows(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> int:
    """Count the rows below the names of the columns that still belong to the header.

    A CSV export of Qualtrics has the questions' texts in the next row, and an ``ImportId`` for each column in
    the row after it. One for Excel has the texts alone, recognised by those of Qualtrics' own columns.

    Args:
        columns: their names.
        rows: the first rows below the names of the columns.

    Returns:
        2 or 1 in an export of Qualtrics, otherwise 0.

    Example:
        >>> header_rows(["Q1"], [["How was it?"], ['{"ImportId":"QID1_TEXT"}'], ["Good."]])
        2
        >>> header_rows(["ResponseId", "Q1"], [["Response ID", "How was it?"], ["R_2x", "Good."]])
        1
    """
    for place, row in enumerate(rows[:_LOOKED_AT]):
        filled = [cell for cell in row if cell not in (None, "")]
        if filled and all(isinstance(cell, str) and _IMPORT_ID.match(cell) for cell in filled):
            return place + 1
    texts = dict(zip(columns, rows[0], strict=False)) if rows else {}
    return int(any(texts.get(column) == text for column, text in _TEXTS.items()))


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
