"""Delimited text (CSV and TSV): choice of the encoding, and rows with exact line numbers."""

import codecs
import csv
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TextIO

import polars as pl

from semscale.errors import InputError
from semscale.spelling import hint
from semscale.store.columns import (
    NUMBER,
    have_decimal_commas,
    have_thousands,
    unescape_formulas,
    without_thousands,
)
from semscale.store.exports import header_setting, survey_header, two_rows
from semscale.store.exports.headers import SurveyHeader
from semscale.store.format_names import HeaderKind
from semscale.store.table import Table, check_columns

_LONGEST_CELL = 64 * 1024 * 1024
_SEPARATORS = (",", ";", "\t", "|")
_SEPARATOR_LINE = re.compile(r'"?sep=(?P<separator>[^"\w\s]|\t)"?[;,\t]*\s*', re.IGNORECASE)
_SAMPLE_LINES = 20
_SAMPLE_BYTES = 100
_MOST_TITLE_LINES = 5
_FEWEST_NAMES = 2
_MOST_AGREE = 0.5
_SKIP_ROWS = 10_000
_HEADER_ROWS = 2  # below the first one that may belong to the header
_TOP_ROWS = 100  # in which decimal commas are looked for
_LISTS_WITH_COMMAS = frozenset({"Qualtrics"})  # 1,2 in its comma-separated files lists two answers


def open_delimited(
    path: Path,
    name: str,
    *,
    separator: str | None = None,
    encoding: str | None = None,
    header_kind: HeaderKind = "auto",
    header_row: int | None = None,
) -> Table:
    r"""Open a file of separated values whose first line is the header.

    An empty cell is null. An apostrophe before a text that would run as a formula is removed
    (``unescape_formulas``). A blank line is skipped, but in a file with only one column it is a missing cell.
    A first line such as ``sep=;``, which Excel understands, names the separator and is not the header. Lines
    of a title above the header, with one filled cell each, are skipped with a note. For headers of survey
    tools see ``survey_header``.

    Args:
        path: the file.
        name: the file's name in messages.
        separator: the character between cells; ``None`` chooses comma, semicolon, tab or ``|``: the one that
            splits the first lines into equal numbers of cells, and into the most.
        encoding: a Python codec; for ``None`` see ``encoding_of``.
        header_kind: survey tool that wrote the header.
        header_row: line of the header, from 1; lines above it are skipped.

    Raises:
        InputError: no header, a duplicate column, a byte that cannot be decoded.

    Examples:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp(), "answers.csv")
        >>> _ = path.write_text('id;text\n1;"good; mostly"\n2;\n')
        >>> next(open_delimited(path, "answers.csv").batches(10)).rows()
        [('1', 'good; mostly'), ('2', None)]
    """
    codec, notes = encoding_of(path, name, encoding)
    skipped = (header_row or 1) - 1
    with open_text(path, name, codec) as lines:
        _skip(lines, skipped)
        if header_row is not None and not any(line.strip() for line in lines):
            raise InputError(
                "header_row",
                f"must be the line of {name} with the names of the columns, got {header_row}: the "
                "file has no text from that line on",
            )
        _restart(lines, skipped)
        separator_named = _read_separator(lines)
        skipped += separator_named is not None
        known = separator_named or separator
        title = _title_lines(lines, skipped, [known] if known else _SEPARATORS) if header_row is None else 0
        skipped += title
        separator = known or _sniff(lines, skipped)
        _restart(lines, skipped)
        top = _Rows(lines, separator, name, before=skipped)
        names = unescape_formulas(pl.Series(top.header(), dtype=pl.String)).to_list()
        rows = top.peek(_TOP_ROWS)
        header = survey_header(names, rows[:_HEADER_ROWS], name, header_kind)
    columns = header.columns
    if title:
        notes += (
            f"{name}: line {skipped + 1} was read as the header, and the lines above it as a title"
            + hint("; `header_row` names another line"),
        )
    with_thousands = _columns_with_thousands(header, rows[header.more :]) if separator == "," else {}
    notes += (*header.notes, *_decimal_comma_notes(name, header, separator, rows[header.more :]))
    notes += _thousands_notes(name, with_thousands)

    def blocks(size: int, skip: int) -> Iterator[list[list[str]]]:
        with open_text(path, name, codec) as text:
            _skip(text, skipped)
            rows = _Rows(text, separator, name, before=skipped)
            rows.header()
            skip += header.more
            while skip > 0:
                skip -= len(rows.block(min(skip, _SKIP_ROWS), len(columns))) or skip
            while block := rows.block(size, len(columns)):
                yield block

    def read(size: int, skip: int) -> Iterator[pl.DataFrame]:
        positions = dict(zip(columns, range(len(columns)), strict=True))
        return (_frame(block, positions, with_thousands) for block in blocks(size, skip))

    def read_columns(size: int, titles: Collection[str]) -> Iterator[pl.DataFrame]:
        positions = {title: position for position, title in enumerate(columns) if title in titles}
        return (_frame(block, positions, with_thousands) for block in blocks(size, 0))

    settings = (
        "delimited",
        repr(separator),
        encoding or "detected",
        *header_setting(header_kind, header_row),
    )
    return Table(
        name,
        path,
        columns,
        read,
        settings=settings,
        read_columns=read_columns,
        labels=header.labels,
        export=header.export,
        notes=notes,
    )


@dataclass
class _Rows:
    """Reader of the rows of a CSV file, which checks their number of cells.

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
        with self._locate_errors():
            for row in self._reader:
                if any(cell.strip() for cell in row):
                    check_columns(len(row), self.name)
                    self._header_line = self._start
                    return row
                self._start = self._next_line()
        raise InputError(f"{self.name} is empty: a header line with the names of the columns is needed")

    def peek(self, n: int) -> list[list[str]]:
        """Read the next rows unchecked; ``block`` reads them again and reports errors."""
        rows: list[list[str]] = []
        with suppress(csv.Error):
            rows.extend(islice(self._reader, n))
        return rows

    def block(self, size: int, width: int) -> list[list[str]]:
        reader, rows = self._reader, []
        self._start = self._next_line()
        with self._locate_errors():
            for row in reader:
                if len(row) == width:
                    rows.append(row)
                elif row:
                    raise self._width_error(len(row), width)
                elif width == 1:
                    rows.append([""])
                if len(rows) == size:
                    break
                self._start = self._next_line()
        return rows

    def _next_line(self) -> int:
        return self.before + self._reader.line_num + 1

    @contextmanager
    def _locate_errors(self) -> Iterator[None]:
        # The limit applies to the whole process, so it is reset after each block.
        before = csv.field_size_limit(_LONGEST_CELL)
        try:
            yield
        except csv.Error as error:
            raise InputError(f"{self.name}, line {self._start}: {_reason(error)}") from error
        finally:
            csv.field_size_limit(before)

    def _width_error(self, cells: int, width: int) -> InputError:
        counted = f"{cells} cell{'s' * (cells != 1)} where the header has {width}"
        if width == 1:
            return InputError(
                f"{self.name}, line {self._start}: {counted}; if line {self._header_line} is a title, name "
                "the line with the names of the columns by `header_row`; if not, put the cell in quotation "
                "marks"
            )
        remedy = "add the missing separator, or put a cell that contains one in quotation marks"
        return InputError(f"{self.name}, line {self._start}: {counted}; {remedy}")


def _reason(error: csv.Error) -> str:
    message = str(error)
    if "unexpected end" in message or "field larger" in message:
        return "a quotation mark opens a cell here and is never closed; close it, or double it"
    if "expected after" in message:
        return "a quoted cell contains a quotation mark; double it"
    return message


def _skip(lines: TextIO, n: int) -> None:
    """Skip n lines, or all if the file has fewer."""
    for _ in range(n):
        if not lines.readline():
            return


def _restart(lines: TextIO, n: int) -> None:
    """Go to the start of a file, and skip n lines."""
    lines.seek(0)
    _skip(lines, n)


def _read_separator(lines: TextIO) -> str | None:
    """Read the separator from a line such as ``sep=;``."""
    match = _SEPARATOR_LINE.fullmatch(lines.readline(_SAMPLE_BYTES))
    return match["separator"] if match else None


def _sniff(lines: TextIO, skipped: int) -> str:
    """Return the separator that splits the first lines after the skipped ones evenly."""
    _restart(lines, skipped)
    sample = list(islice((line for line in lines if line.strip()), _SAMPLE_LINES))
    return max(_SEPARATORS, key=lambda separator: _fitness(sample, separator))


def _title_lines(lines: TextIO, skipped: int, separators: Iterable[str]) -> int:
    """Count the lines of a title: those with one filled cell, or none, above a header of several names.

    All rows below the header must have as many cells. A header of two names directly below a line with one
    cell may be texts with a comma, so it needs a blank line, or empty cells beside the title.
    """
    _restart(lines, skipped)
    sample = list(islice(lines, _SAMPLE_LINES))
    for separator in separators:
        rows, ends = [], []
        reader = csv.reader(sample, delimiter=separator)
        with suppress(csv.Error):
            for row in reader:
                rows.append(row)
                ends.append(reader.line_num)
        if len(sample) == _SAMPLE_LINES:
            rows = rows[:-1]  # it may continue after the sample
        filled = [sum(1 for cell in row if cell.strip()) for row in rows]
        n = next((position for position, cells in enumerate(filled) if cells > 1), 0)
        if not 0 < n <= _MOST_TITLE_LINES or not any(filled[:n]):
            continue
        names, below = rows[n], [row for row in rows[n + 1 :] if row]
        first = next(position for position, cells in enumerate(filled) if cells)
        has_gap = 0 in filled[first:n] or len(rows[first]) > 1
        is_even = bool(below) and all(len(row) == len(names) for row in below)
        is_header = _are_names(names) or two_rows.read_header(names, below[:_HEADER_ROWS]) is not None
        if is_even and is_header and (has_gap or len(names) > _FEWEST_NAMES):
            return ends[n - 1]
    return 0


def _are_names(cells: Sequence[str]) -> bool:
    """Return whether cells can be the names of columns: different texts that do not begin with a blank."""
    are_texts = all(cell.strip() and cell[0] != " " and not re.match(NUMBER, cell) for cell in cells)
    return are_texts and len(set(cells)) == len(cells)


def _decimal_comma_notes(
    name: str, header: SurveyHeader, separator: str, rows: Sequence[Sequence[str]]
) -> list[str]:
    """Report columns in whose first rows numbers have a decimal comma."""
    if separator == "," and header.export in _LISTS_WITH_COMMAS:
        return []
    cells = {
        column: [row[position] for row in rows if position < len(row)]
        for position, column in enumerate(header.columns)
    }
    named = [column for column, column_cells in cells.items() if have_decimal_commas(column_cells)]
    if not named:
        return []
    example = next(cell.strip() for cell in cells[named[0]] if "," in cell)
    return [
        f"{name} has numbers with a decimal comma ({', '.join(named)}): {example} is read as "
        f"{example.replace(',', '.')}"
    ]


def _columns_with_thousands(header: SurveyHeader, rows: Sequence[Sequence[str]]) -> dict[str, str]:
    """Return the columns in whose first rows a comma separates thousands, each with such a number.

    Files with decimal commas seldom separate their cells by commas.
    """
    columns: dict[str, str] = {}
    for position, column in enumerate(header.columns):
        cells = [row[position] for row in rows if position < len(row)]
        entry = header.labels.get(column)
        may_list = header.export in _LISTS_WITH_COMMAS and not (entry is not None and entry.is_entry)
        if not may_list and have_thousands(cells):
            columns[column] = next(cell.strip() for cell in cells if "," in cell)
    return columns


def _thousands_notes(name: str, columns: Mapping[str, str]) -> tuple[str, ...]:
    """Report columns in which a comma separates thousands."""
    if not columns:
        return ()
    example = next(iter(columns.values()))
    return (
        f"{name} has numbers with a comma between thousands ({', '.join(columns)}): {example} is read as "
        f"{example.replace(',', '')}",
    )


def _fitness(sample: list[str], separator: str) -> tuple[bool, int]:
    """Return whether the header has several cells and all rows have the same number, and this number."""
    widths = _widths(sample, separator)
    agreeing = sum(width == widths[0] for width in widths[1:]) if widths else 0
    # A single column's name may contain a bar.
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


def _frame(
    rows: list[list[str]], positions: Mapping[str, int], with_thousands: Collection[str]
) -> pl.DataFrame:
    # Turning all columns at once is much faster, but not if few of many are read.
    is_whole = len(positions) == len(rows[0])
    cells = zip(*rows, strict=True) if is_whole else ([row[n] for row in rows] for n in positions.values())
    frame = pl.DataFrame(
        [pl.Series(title, column, dtype=pl.String) for title, column in zip(positions, cells, strict=True)]
    )
    columns = map(unescape_formulas, frame.with_columns(pl.all().replace("", None)))
    return pl.DataFrame(
        [without_thousands(cells) if cells.name in with_thousands else cells for cells in columns]
    )


_BLOCK = 1 << 20
_HEAD = 4096
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_OTHER_FORMATS = (
    (b"PK\x03\x04", "xlsx", "an Excel file"),
    (b"PAR1", "parquet", "a Parquet file"),
    (b"$FL2", "sav", "an SPSS file"),
    (b"$FL3", "sav", "an SPSS file"),
)
_NO_TABLE = "name the file that has the table"
_NO_TABLES = (
    (b"\x89PNG\r\n", "a PNG image", _NO_TABLE),
    (b"\xff\xd8\xff", "a JPEG image", _NO_TABLE),
    (b"%PDF-", "a PDF document", _NO_TABLE),
    (b"\x1f\x8b", "compressed by gzip", "unpack it"),
    (b"\xd0\xcf\x11\xe0", "a file of an old Office version, such as .xls", "save it as .xlsx"),
)
_NO_ENCODINGS_OF_FILES = frozenset(
    {"charmap", "idna", "punycode", "raw_unicode_escape", "undefined", "unicode_escape"}
)
_MANY = 0.1  # share of zero bytes: half in UTF-16 ASCII; spaces and digits make this many in most alphabets


def encoding_of(path: Path, name: str, encoding: str | None) -> tuple[str, tuple[str, ...]]:
    """Choose the codec of a text file.

    It is the encoding of the byte order mark, else the named encoding, else UTF-16 or UTF-32 by the positions
    of zero bytes, else UTF-8, else cp1252, which Excel writes in Western Europe.

    Args:
        path: the file.
        name: its name in messages.
        encoding: the encoding that the user named.

    Returns:
        The codec, and notes: one if the codec was guessed.

    Raises:
        InputError: Python has no such text encoding, or the file is not text.
    """
    named = None if encoding is None else encoding_name(encoding)
    with path.open("rb") as content:
        head = content.read(_HEAD)
    _check_is_text(head, name)
    for mark, codec in _MARKS:
        if head.startswith(mark):
            return codec, ()
    wide = _wide_codec(head)
    if wide is not None and named in (None, "utf-16", "utf-32"):
        return wide, (_guess_note(name, wide, "many of its bytes are zero"),)
    if encoding is not None:
        return ("utf-8-sig" if named == "utf-8" else encoding), ()
    if _is_utf8(path):
        return "utf-8-sig", ()
    line, byte = _first_failure(path, "utf-8")
    return "cp1252", (_guess_note(name, "cp1252", f"byte {byte} in line {line} is not valid UTF-8"),)


def _check_is_text(head: bytes, name: str) -> None:
    """Refuse a file that begins like a file of another kind."""
    for magic, other, kind in _OTHER_FORMATS:
        if head.startswith(magic):
            raise InputError(f"{name} is {kind} despite its name: read it with `format={other!r}`")
    for magic, kind, remedy in _NO_TABLES:
        if head.startswith(magic):
            raise InputError(f"{name} is {kind} despite its name; {remedy}")


def _guess_note(name: str, codec: str, reason: str) -> str:
    return f"{name} is read as {codec}, because {reason}" + hint("; `encoding` overrides this")


def _is_utf8(path: Path) -> bool:
    """Return whether a file is UTF-8, even if damaged, and not cp1252.

    Text in cp1252 has almost no bytes beyond ASCII that are valid UTF-8 by chance.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    wrong = valid = 0
    with path.open("rb") as content:
        while block := content.read(_BLOCK):
            text = decoder.decode(block)
            if text.isascii():
                continue
            # Codecs count 25 times as fast as a regular expression does.
            undecoded = len(text) - len(text.encode("utf-8", "ignore").decode("utf-8"))
            wrong += undecoded
            valid += len(text) - len(text.encode("ascii", "ignore")) - undecoded
            if wrong and not _can_be_cp1252(block):
                return True
    return wrong <= valid


def _can_be_cp1252(block: bytes) -> bool:
    return not any(byte in block for byte in b"\x81\x8d\x8f\x90\x9d")


@contextmanager
def open_text(path: Path, name: str, codec: str) -> Iterator[TextIO]:
    """Open a text file with unchanged line ends.

    Raises:
        InputError: raised on reading if a byte does not fit the codec; the message names the line.
    """
    with path.open(encoding=codec, newline="") as lines:
        try:
            yield lines
        except UnicodeError as error:
            line, byte = _first_failure(path, codec)
            shown = codec.removesuffix("-sig")
            raise InputError(
                f"{name}, line {line}: byte {byte} is not valid {shown}; pass another `encoding`, such as "
                "cp1252 or latin-1"
            ) from error


def encoding_name(encoding: str) -> str:
    """Return the standard name of an encoding, such as ``utf-8`` for ``U8``.

    Raises:
        InputError: Python has no such encoding of text files.
    """
    try:
        name = codecs.lookup(encoding).name
        "a".encode(encoding)
    except (LookupError, ValueError):  # unknown, not an encoding of text, or an invalid name
        name = None
    if name is None or name.replace("-", "_") in _NO_ENCODINGS_OF_FILES:
        raise InputError(
            "encoding",
            f"must be one that Python knows for text files, got {encoding!r}; "
            "common ones are utf-8, utf-16, latin-1 and cp1252",
        )
    return "utf-8" if name == "utf-8-sig" else name


def _wide_codec(head: bytes) -> str | None:
    """Recognise UTF-16 and UTF-32 by the positions of zero bytes; ``None`` if few bytes are zero."""
    if head.count(0) <= _MANY * len(head):
        return None
    zeros = [head[position::4].count(0) for position in range(4)]
    if min(zeros[1], zeros[2]) > 2 * min(zeros[0], zeros[3]):
        return "utf-32-le" if zeros[3] > zeros[0] else "utf-32-be"
    return "utf-16-le" if zeros[1] + zeros[3] > zeros[0] + zeros[2] else "utf-16-be"


def _first_failure(path: Path, codec: str) -> tuple[int, str]:
    decoder = codecs.getincrementaldecoder(codec)()
    line = 1
    with path.open("rb") as content:
        while True:
            block = content.read(_BLOCK)
            try:
                text = decoder.decode(block, final=not block)
            except UnicodeDecodeError as error:
                before = error.object[: error.start].decode(codec, errors="replace")
                return line + _line_ends(before), f"0x{error.object[error.start]:02x}"
            except UnicodeError as error:  # for UTF-16 without a byte order mark the error has no position
                return line, str(error)
            line += _line_ends(text)
            if not block:
                return line, "at the end"


def _line_ends(text: str) -> int:
    return text.count("\n") or text.count("\r")
