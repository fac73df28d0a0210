"""Writing of Excel workbooks row by row in constant memory; texts never become formulas or links."""

import io
import math
import tempfile
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import polars as pl

from semscale.errors import InputError

MAX_ROWS = 1_048_575
"""The most rows that a sheet can hold below its header."""

_CREATED = datetime(1980, 1, 1, tzinfo=UTC)  # as its archive's files: the same content is the same bytes
LONGEST_CELL = 32_767
_FIRST_YEAR = 1900
_SETTINGS = {
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}


def write_workbook(frames: Iterable[pl.DataFrame], target: Path) -> None:
    """Write frames with the same columns, one after the other, to one sheet.

    Missing values and NaN become empty cells. Dates that Excel cannot represent (before 1900, or with a time
    zone) become texts.

    Args:
        frames: at least one frame, without nested columns.
        target: the file.

    Raises:
        InputError: more than 1,048,575 rows, or a text of more than 32,767 characters.
        OSError: the disk is full; the file is then no valid workbook.
    """
    with opened_workbook(target, constant_memory=True) as workbook:
        sheet = workbook.add_worksheet()
        days = workbook.add_format({"num_format": "yyyy-mm-dd"})
        times = workbook.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        for number, row in enumerate(_rows(frames)):
            for column, cell in enumerate(row):
                if isinstance(cell, date):
                    _write_date(sheet, (number, column), cell, times if isinstance(cell, datetime) else days)
                else:
                    _write(sheet, (number, column), cell)


@contextmanager
def opened_workbook(target: Path, *, constant_memory: bool = False) -> Iterator[Any]:
    """Open a workbook that leaves no open or temporary file behind if the disk is full.

    It does not say when it was made, so that the same content gives the same bytes.

    Args:
        target: the file.
        constant_memory: whether rows are written at once; they must then come from top to bottom.
    """
    import xlsxwriter

    with (
        tempfile.TemporaryDirectory(prefix="semscale-") as parts,
        io.BufferedWriter(_UntilRefused(target, "wb")) as output,
    ):
        try:
            with xlsxwriter.Workbook(
                output, _SETTINGS | {"tmpdir": parts, "constant_memory": constant_memory}
            ) as workbook:
                workbook.set_properties({"created": _CREATED})
                yield workbook
        except xlsxwriter.exceptions.FileCreateError as error:
            refused = error.__context__
            if refused is not None:
                # The failed stack frames refer to the archive; clearing them closes it.
                traceback.clear_frames(refused.__traceback__)
            raise


class _UntilRefused(io.FileIO):
    """A file that raises only the first error of writing, and ignores later writes.

    When a failed archive is garbage-collected, it is closed, and closing writes its end. This must not fail
    again, as nobody could catch the error there.
    """

    refused = False

    def write(self, content: Any, /) -> int:  # noqa: ANN401 - bytes, or anything that holds them
        """Write bytes; after a failed write, do nothing."""
        if self.refused:
            return memoryview(content).nbytes
        try:
            return super().write(content)
        except OSError:
            self.refused = True
            raise


def check_rows(rows: int) -> None:
    """Check that a sheet can hold a number of rows.

    Raises:
        InputError: there are more than 1,048,575 rows.
    """
    if rows > MAX_ROWS:
        raise InputError(
            f"out: an Excel sheet holds {MAX_ROWS:,} rows, but there are {rows:,}; write .parquet or .csv"
        )


def _rows(frames: Iterable[pl.DataFrame]) -> Iterator[tuple[Any, ...]]:
    done = 0
    for frame in frames:
        if done == 0:
            yield tuple(frame.columns)
        done += frame.height
        check_rows(done)
        yield from frame.iter_rows()


def _write(sheet: Any, place: tuple[int, int], cell: object) -> None:  # noqa: ANN401 - xlsxwriter has no types
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return
    if isinstance(cell, bool):
        sheet.write_boolean(*place, cell)
    elif isinstance(cell, int | float) and math.isfinite(cell):
        sheet.write_number(*place, cell)
    else:
        _write_text(sheet, place, str(cell))


def _write_date(sheet: Any, place: tuple[int, int], cell: date, shown: object) -> None:  # noqa: ANN401
    if cell.year < _FIRST_YEAR or (isinstance(cell, datetime) and cell.tzinfo is not None):
        _write_text(sheet, place, cell.isoformat())
    else:
        sheet.write_datetime(*place, cell, shown)


def _write_text(sheet: Any, place: tuple[int, int], text: str) -> None:  # noqa: ANN401
    if len(text) > LONGEST_CELL:
        raise InputError(
            f"out: row {place[0]} has a text of {len(text):,} characters, "
            f"but an Excel cell holds {LONGEST_CELL:,}; write .parquet or .csv"
        )
    sheet.write_string(*place, text)
