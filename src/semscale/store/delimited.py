"""CSV and TSV, read with exact line numbers and every cell kept as the string that stands in the file."""

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import polars as pl

from semscale.errors import InputError
from semscale.store.decoding import open_text
from semscale.store.table import Table, check_names

_LONGEST_CELL = 64 * 1024 * 1024
_SEPARATORS = (",", ";", "\t")
_SKIP_ROWS = 10_000


def open_delimited(
    path: Path, name: str, *, separator: str | None = None, encoding: str | None = None
) -> Table:
    r"""Open a file of separated values whose first line is the header.

    An empty cell is null. A blank line is skipped, unless there is one column only: there it is a missing
    cell.

    Args:
        path: the file.
        name: what messages call it.
        separator: the character between cells; ``None`` takes comma, semicolon or tab, whichever the header
            has most.
        encoding: a Python codec; ``None`` is UTF-8, or UTF-16 where a byte order mark says so.

    Raises:
        InputError: no header, a duplicate column, a byte that cannot be decoded.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp(), "answers.csv")
        >>> _ = path.write_text('id;text\n1;"good; mostly"\n2;\n')
        >>> next(open_delimited(path, "answers.csv").batches(10)).rows()
        [('1', 'good; mostly'), ('2', None)]
    """
    with open_text(path, name, encoding) as lines:
        if separator is None:
            separator = _sniff(next((line for line in lines if line.strip()), ""))
            lines.seek(0)
        header = _Rows(lines, separator, name).header()
    columns = check_names(header, name)

    def read(size: int, skip: int) -> Iterator[pl.DataFrame]:
        with open_text(path, name, encoding) as text:
            rows = _Rows(text, separator, name)
            rows.header()
            while skip > 0:
                skip -= len(rows.block(min(skip, _SKIP_ROWS), len(columns))) or skip
            while block := rows.block(size, len(columns)):
                yield _frame(block, columns)

    return Table(name, path, columns, read, settings=("delimited", repr(separator), encoding or "detected"))


@dataclass
class _Rows:
    """Rows of a csv reader, checked for their number of cells."""

    lines: TextIO
    separator: str
    name: str

    def __post_init__(self) -> None:
        self._reader = csv.reader(self.lines, delimiter=self.separator, strict=True)
        self._start = 1

    def header(self) -> list[str]:
        with self._located():
            for row in self._reader:
                if any(cell.strip() for cell in row):
                    return row
                self._start = self._reader.line_num + 1
        raise InputError(f"{self.name} is empty: a header line with the names of the columns is needed")

    def block(self, size: int, width: int) -> list[list[str]]:
        reader, rows = self._reader, []
        self._start = reader.line_num + 1
        with self._located():
            for row in reader:
                if len(row) == width:
                    rows.append(row)
                elif row:
                    raise self._ragged(len(row), width)
                elif width == 1:
                    rows.append([""])
                if len(rows) == size:
                    break
                self._start = reader.line_num + 1
        return rows

    @contextmanager
    def _located(self) -> Iterator[None]:
        # The limit belongs to the whole process, so it is put back as soon as a block is read.
        before = csv.field_size_limit(_LONGEST_CELL)
        try:
            yield
        except csv.Error as error:
            raise InputError(f"{self.name}, line {self._start}: {_reason(error)}") from error
        finally:
            csv.field_size_limit(before)

    def _ragged(self, cells: int, width: int) -> InputError:
        counted = f"{cells} cell{'s' * (cells != 1)} where the header has {width}"
        remedy = "add the missing separator, or put a cell that contains one in quotation marks"
        return InputError(f"{self.name}, line {self._start}: {counted}; {remedy}")


def _reason(error: csv.Error) -> str:
    message = str(error)
    if "unexpected end" in message or "field larger" in message:
        return "a quotation mark opens a cell here and is never closed; close it, or double it"
    if "expected after" in message:
        return "a quotation mark stands inside a quoted cell; double it"
    return message


def _sniff(header: str) -> str:
    unquoted = "".join(header.split('"')[::2])
    return max(_SEPARATORS, key=unquoted.count)


def _frame(rows: list[list[str]], columns: tuple[str, ...]) -> pl.DataFrame:
    cells = zip(*rows, strict=True)
    return pl.DataFrame(
        [
            pl.Series(title, [cell or None for cell in column], dtype=pl.String)
            for title, column in zip(columns, cells, strict=True)
        ]
    )
