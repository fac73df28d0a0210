"""Reading of CSV and TSV, with exact line numbers; every cell remains the string in the file."""

import csv
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TextIO

import polars as pl

from semscale.errors import InputError
from semscale.store.readers.decoding import open_text
from semscale.store.readers.survey_header import HeaderKind, header_setting, survey_header
from semscale.store.table import Table

_LONGEST_CELL = 64 * 1024 * 1024
_SEPARATORS = (",", ";", "\t", "|")
_SEPARATOR_LINE = re.compile(r'"?sep=(?P<separator>[^"\w\s]|\t)"?[;,\t]*\s*', re.IGNORECASE)
_SAMPLE_LINES = 20
_SAMPLE_BYTES = 100
_MOST_AGREE = 0.5
_SKIP_ROWS = 10_000
_TOP_ROWS = 2


def open_delimited(
    path: Path,
    name: str,
    *,
    separator: str | None = None,
    encoding: str | None = None,
    header_kind: HeaderKind = "auto",
) -> Table:
    r"""Open a file of separated values whose first line is the header.

    An empty cell is null. A blank line is skipped, but in a file with only one column it is a missing cell.
    A first line such as ``sep=;``, which Excel understands, names the separator and is no header. Headers of
    survey tools are read as ``survey_header`` says.

    Args:
        path: the file.
        name: the file's name in messages.
        separator: the character between cells; ``None`` chooses comma, semicolon, tab or ``|``: the one that
            splits the first lines into equally many cells, and into the most.
        encoding: a Python codec; ``None`` is UTF-8, or UTF-16 with a byte order mark.
        header_kind: whose header it is.

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
        named = _named_separator(lines)
        separator = named or separator or _sniffed(lines)
        top = _Rows(_table_lines(lines, named), separator, name, before=int(named is not None))
        header = survey_header(top.header(), top.peek(_TOP_ROWS), name, header_kind)
    columns = header.columns

    def blocks(size: int, skip: int) -> Iterator[list[list[str]]]:
        with open_text(path, name, encoding) as text:
            rows = _Rows(_table_lines(text, named), separator, name, before=int(named is not None))
            rows.header()
            skip += header.more
            while skip > 0:
                skip -= len(rows.block(min(skip, _SKIP_ROWS), len(columns))) or skip
            while block := rows.block(size, len(columns)):
                yield block

    def read(size: int, skip: int) -> Iterator[pl.DataFrame]:
        return (_frame(block, columns) for block in blocks(size, skip))

    def read_columns(size: int, titles: Collection[str]) -> Iterator[pl.DataFrame]:
        places = {title: place for place, title in enumerate(columns) if title in titles}
        return (_frame_of(block, places) for block in blocks(size, 0))

    settings = ("delimited", repr(separator), encoding or "detected", *header_setting(header_kind))
    return Table(
        name,
        path,
        columns,
        read,
        settings=settings,
        read_columns=read_columns,
        labels=header.labels,
        notes=header.notes,
    )


@dataclass
class _Rows:
    """Reads rows of a CSV file and checks their number of cells.

    Attributes:
        lines: the file, beginning at the header.
        separator: the character between cells.
        name: the file's name in messages.
        before: number of lines before the header.
    """

    lines: TextIO
    separator: str
    name: str
    before: int = 0

    def __post_init__(self) -> None:
        self._reader = csv.reader(self.lines, delimiter=self.separator, strict=True)
        self._start = self.before + 1
        self._header_line = self._start

    def header(self) -> list[str]:
        with self._located():
            for row in self._reader:
                if any(cell.strip() for cell in row):
                    self._header_line = self._start
                    return row
                self._start = self._next_line()
        raise InputError(f"{self.name} is empty: a header line with the names of the columns is needed")

    def peek(self, n: int) -> list[list[str]]:
        """Read the next rows as they are; ``block``, which reads them again, says what is wrong with one."""
        try:
            return list(islice(self._reader, n))
        except csv.Error:
            return []

    def block(self, size: int, width: int) -> list[list[str]]:
        reader, rows = self._reader, []
        self._start = self._next_line()
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
                self._start = self._next_line()
        return rows

    def _next_line(self) -> int:
        return self.before + self._reader.line_num + 1

    @contextmanager
    def _located(self) -> Iterator[None]:
        # The limit applies to the whole process, so it is reset after each block.
        before = csv.field_size_limit(_LONGEST_CELL)
        try:
            yield
        except csv.Error as error:
            raise InputError(f"{self.name}, line {self._start}: {_reason(error)}") from error
        finally:
            csv.field_size_limit(before)

    def _ragged(self, cells: int, width: int) -> InputError:
        counted = f"{cells} cell{'s' * (cells != 1)} where the header has {width}"
        if width == 1:
            return InputError(
                f"{self.name}, line {self._start}: {counted}; if line {self._header_line} is a title, remove "
                "what stands above the names of the columns; if not, put the cell in quotation marks"
            )
        remedy = "add the missing separator, or put a cell that contains one in quotation marks"
        return InputError(f"{self.name}, line {self._start}: {counted}; {remedy}")


def _reason(error: csv.Error) -> str:
    message = str(error)
    if "unexpected end" in message or "field larger" in message:
        return "a quotation mark opens a cell here and is never closed; close it, or double it"
    if "expected after" in message:
        return "a quotation mark stands inside a quoted cell; double it"
    return message


def _named_separator(lines: TextIO) -> str | None:
    """Read the separator from a first line such as ``sep=;``, and go back to the start of the file."""
    found = _SEPARATOR_LINE.fullmatch(lines.readline(_SAMPLE_BYTES))
    lines.seek(0)
    return found["separator"] if found else None


def _table_lines(lines: TextIO, named: str | None) -> TextIO:
    if named is not None:
        lines.readline()
    return lines


def _sniffed(lines: TextIO) -> str:
    """Find the separator that splits the first lines evenly, and go back to the start of the file."""
    sample = list(islice((line for line in lines if line.strip()), _SAMPLE_LINES))
    lines.seek(0)
    return max(_SEPARATORS, key=lambda separator: _fitness(sample, separator))


def _fitness(sample: list[str], separator: str) -> tuple[bool, int]:
    """Return whether the header has several cells and all rows have as many, and the number of cells."""
    widths = _widths(sample, separator)
    agreeing = sum(width == widths[0] for width in widths[1:]) if widths else 0
    # A bar may be part of the name of an only column.
    if not widths or (separator == "|" and agreeing < _MOST_AGREE * (len(widths) - 1)):
        return False, 1
    return widths[0] > 1 and agreeing == len(widths) - 1, widths[0]


def _widths(sample: list[str], separator: str) -> list[int]:
    widths = []
    try:
        for row in csv.reader(sample, delimiter=separator):
            widths.append(len(row))
    except csv.Error:
        return widths  # a cell is too long for this sample; the table's own reader accepts it
    # The last row may continue after the sample.
    return widths[:-1] if len(sample) == _SAMPLE_LINES else widths


def _frame(rows: list[list[str]], columns: tuple[str, ...]) -> pl.DataFrame:
    cells = zip(*rows, strict=True)
    return pl.DataFrame(
        [
            pl.Series(title, [cell or None for cell in column], dtype=pl.String)
            for title, column in zip(columns, cells, strict=True)
        ]
    )


def _frame_of(rows: list[list[str]], places: dict[str, int]) -> pl.DataFrame:
    return pl.DataFrame(
        [
            pl.Series(title, [row[place] or None for row in rows], dtype=pl.String)
            for title, place in places.items()
        ]
    )
