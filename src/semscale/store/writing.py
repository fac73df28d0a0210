"""Writing of tables as Parquet, CSV, JSON lines, Excel or SPSS: atomic, and safe to open in a spreadsheet."""

import io
import math
import tempfile
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import polars as pl
from polars.io.plugins import register_io_source

from semscale.errors import InputError
from semscale.extras import require
from semscale.store.atomic import replacing
from semscale.store.columns import escape_formulas, flat, plain, storable
from semscale.store.places import OutputPlace, Target, check_target, refuse_folder, temporary_folder
from semscale.store.statistical_files import LONGEST_SPSS_TEXT, write_spss
from semscale.store.table import ColumnLabels, Table


def is_reserved(column: str) -> bool:
    """Return whether a column's name begins as those of results do."""
    return column.startswith(PREFIX)


def check_free(columns: Iterable[str], name: str, is_written: Callable[[str], bool] = is_reserved) -> None:
    """Check that a table has no column with a name of the result.

    Args:
        columns: names of the table's columns.
        name: the table's name in the message.
        is_written: whether the result has a column of that name; by default all names of results are refused.

    Raises:
        InputError: there is such a column; the message names it.

    Examples:
        >>> check_free(["id", "text"], "answers.csv")
    """
    clash = next((column for column in columns if is_written(column)), None)
    if clash is not None:
        raise InputError(f"{name} has a column '{clash}' already, which the result needs; rename it")


def check_output(table: Table, out: Target) -> None:
    """Check before a run that a result with as many rows as a table can be written.

    Raises:
        InputError: the extension is unknown, the file cannot be written or is the input, or there are more
            rows than Excel can hold.
    """
    name = output_format(out)
    check_target(out, "out")
    if is_same(table, out):
        raise InputError("out", f"must not be the input, got {out}; choose another name")
    if name == "xlsx" and table.n_rows is not None:
        check_rows(table.n_rows)


def is_same(table: Table, out: Target) -> bool:
    """Return whether an output is the table's own file."""
    if isinstance(out, OutputPlace):
        return table.name.rstrip("/") == str(out).rstrip("/")
    return table.path is not None and out.exists() and out.samefile(table.path)


OUTPUTS = {
    ".parquet": "parquet",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".xlsx": "xlsx",
    ".sav": "sav",
}
"""Output formats by extension."""

PREFIX = "semscale_"
"""Prefix of every column that a run adds."""

FACTS = "semscale"
"""Key of the facts about results in the metadata of Parquet files."""

_ROW_GROUP = 50_000
_VECTOR_BYTES = 2**24  # of one row group
_LONGEST_NUMBER = 8


def output_format(path: Target, parameter: str = "out") -> str:
    """Return the output format of a file's extension; a folder has Parquet partitions.

    Raises:
        InputError: the extension belongs to no output format.
        MissingExtraError: the format needs an extra that is not installed.

    Examples:
        >>> output_format(Path("rated.ndjson"))
        'jsonl'
    """
    if path.suffix.lower() not in OUTPUTS:
        raise InputError(
            parameter,
            f"must end in one of {', '.join(OUTPUTS)}, got {path.name!r} (a folder of Parquet "
            "files ends in /)",
        )
    name = OUTPUTS[path.suffix.lower()]
    if name == "sav":
        require("spss")
    return name


def rows_of_group(schema: Mapping[str, pl.DataType]) -> int:
    """Return the number of rows of a Parquet row group: 50,000, or fewer if vectors would exceed 16 MiB.

    A row group is written and read as a whole, so its size is the memory of writers and readers.

    Examples:
        >>> rows_of_group({"text": pl.String()}), rows_of_group({"vector": pl.Array(pl.Float64, 2**10)})
        (50000, 2048)
    """
    numbers = sum(math.prod(dtype.shape) for dtype in schema.values() if isinstance(dtype, pl.Array))
    return min(_ROW_GROUP, max(1, _VECTOR_BYTES // (numbers * _LONGEST_NUMBER))) if numbers else _ROW_GROUP


def write_table(
    frame: pl.DataFrame,
    path: Target,
    *,
    escape: bool = True,
    labels: Mapping[str, ColumnLabels] | None = None,
) -> None:
    """Write a table in the format of its extension.

    Args:
        frame: the table.
        path: a local or remote file.
        escape: whether texts in CSV that a spreadsheet would run get an apostrophe; see ``write_frames``.
        labels: labels of columns and their values, for SPSS.

    Raises:
        InputError: the extension is unknown, there are more rows or longer texts than Excel can hold, or the
            path is a folder or cannot be reached.
    """
    refuse_folder(path)
    if isinstance(path, OutputPlace):
        with temporary_folder() as folder:
            file = Path(folder, f"table{path.suffix}")
            write_table(frame, file, escape=escape, labels=labels)
            path.upload(file)
        return
    name = output_format(path)
    if name == "xlsx":
        (shown,) = with_numbers([flat(frame).lazy()])
        frame = shown.collect()
    with replacing(path) as temporary:
        if name == "parquet":
            frame = storable(frame)
            frame.write_parquet(temporary, row_group_size=rows_of_group(frame.schema))
        else:
            write_frames([frame], temporary, name, escape=escape, labels=labels)


def write_frames(
    frames: Iterable[pl.DataFrame],
    target: Path,
    name: str,
    *,
    escape: bool = True,
    labels: Mapping[str, ColumnLabels] | None = None,
) -> None:
    """Write frames with the same columns, one after the other, as CSV, JSON lines, an Excel sheet or SPSS.

    A spreadsheet runs a CSV cell that begins like a formula. Texts and column names that begin with ``=``,
    ``+``, ``-``, ``@``, tab or a line end therefore get a leading apostrophe in CSV, unless they are plain
    numbers such as -3.5. ``open_table`` removes it. Excel files need no apostrophe, as they store the type of
    each cell.

    Args:
        frames: at least one frame.
        target: the file, written in place; use a path from ``atomic.replacing``.
        name: ``csv``, ``jsonl``, ``xlsx`` or ``sav``.
        escape: whether texts in CSV get this apostrophe.
        labels: labels of columns and their values, for SPSS.

    Raises:
        InputError: there are more rows than Excel can hold, or longer texts in the input's columns than Excel
            or SPSS can hold. Texts in columns that a run adds are cut, with a warning, as they may be paid
            replies.
    """
    if name == "xlsx":
        write_workbook(_cut(map(flat, frames), LONGEST_CELL, "Excel"), target)
        return
    if name == "sav":
        # A character has up to 4 bytes.
        cut = _cut(map(flat, frames), LONGEST_SPSS_TEXT // 4, "SPSS")
        write_spss(pl.concat(cut), target, labels or {})
        return
    with target.open("wb") as output:
        for number, frame in enumerate(frames):
            if name == "csv":
                cells = escape_formulas(flat(frame)) if escape else flat(frame)
                cells.write_csv(output, include_header=number == 0)
            else:
                plain(frame).write_ndjson(output)


def _cut(frames: Iterable[pl.DataFrame], most: int, format: str) -> Iterator[pl.DataFrame]:
    """Cut texts in the run's columns to the format's limit, with a warning at the end."""
    n_cut = 0
    for frame in frames:
        added = [name for name in frame.columns if name.startswith(PREFIX) and frame[name].dtype == pl.String]
        n_cut += sum(int((frame[name].str.len_chars() > most).sum()) for name in added)
        yield frame.with_columns(pl.col(name).str.slice(0, most) for name in added)
    if n_cut:
        warnings.warn(
            f"cells of {PREFIX}* columns that were cut to {most:,} characters, as {format} holds no "
            f"more: {n_cut}; write .parquet or .csv to keep them whole",
            stacklevel=2,
        )


_EXACT = 2**53


def join_parts(
    paths: Sequence[Path],
    target: Path,
    *,
    without: Collection[str] = (),
    beside: Sequence[pl.DataFrame | None] = (),
    escape: bool = True,
    labels: Mapping[str, ColumnLabels] | None = None,
    facts: str = "",
    follow: bool = True,
) -> None:
    """Write the rows of all parts in order to one file, atomically.

    Columns are in the order of their first appearance. A column that a part lacks is null there. If a
    column's types differ, integers and floats become floats, and all others become text. In a workbook,
    texts that are numbers become numbers (``number_texts``).

    Args:
        paths: Parquet files, at least one, in order.
        target: the file, in the format of its extension; an existing one is replaced.
        without: columns that are left out.
        beside: for each part further columns of its rows, or ``None``; the same columns for all parts.
        escape: whether texts in CSV that a spreadsheet would run get an apostrophe.
        labels: labels of columns and their values, for SPSS.
        facts: text that Parquet files store beside their columns (``FACTS``); empty for none.
        follow: whether a link is followed (``replacing``).

    Raises:
        InputError: the extension is unknown, or there are more rows or longer texts than Excel can hold.
    """
    name = output_format(target)
    schema = {title: dtype for title, dtype in common_schema(paths).items() if title not in without}
    aligned = [
        scan_part(path, schema, further)
        for path, further in zip(paths, beside or [None] * len(paths), strict=True)
    ]
    if name == "xlsx":
        aligned = with_numbers(aligned)
    with replacing(target, within=paths[0].parent, follow=follow) as temporary:
        if name == "parquet":
            rows = rows_of_group(schema)
            _read_in_turn(aligned, rows).sink_parquet(
                temporary,
                row_group_size=rows,
                maintain_order=True,
                metadata={FACTS: facts} if facts else None,
            )
        else:
            write_frames(_collect(aligned), temporary, name, escape=escape, labels=labels)


def common_schema(paths: Sequence[Path]) -> dict[str, pl.DataType]:
    """Return the columns of several Parquet files, each with a type that fits all files."""
    return joint_schema(
        [pl.read_parquet_schema(path) for path in paths],
        lambda place, title: pl.read_parquet(paths[place], columns=[title])[title],
    )


def joint_schema(
    schemas: Sequence[Mapping[str, pl.DataType]], cells: Callable[[int, str], pl.Series]
) -> dict[str, pl.DataType]:
    """Return the columns of several frames, each with a type that fits all frames.

    Args:
        schemas: columns and types of each frame.
        cells: function from the position of a frame and a name to the column; called if a column has both
            integers and floats.
    """
    schema: dict[str, pl.DataType] = {}
    widened = set()
    for columns in schemas:
        for title, dtype in columns.items():
            known = schema.setdefault(title, dtype)
            if known != dtype:
                schema[title] = _common(known, dtype)
                widened.add(title)
    for title in widened:
        whole = [position for position, columns in enumerate(schemas) if columns.get(title) == pl.Int64]
        if schema[title] == pl.Float64 and not all(
            _exact_as_floats(cells(position, title)) for position in whole
        ):
            schema[title] = pl.String()
    return {title: pl.String() if dtype == pl.Null else dtype for title, dtype in schema.items()}


def scan_part(
    path: Path, schema: Mapping[str, pl.DataType], further: pl.DataFrame | None = None
) -> pl.LazyFrame:
    """Read a Parquet file with the columns of a schema and further columns.

    Args:
        path: the file.
        schema: the columns and types of the result; a column that the file lacks is null.
        further: columns of the same rows.
    """
    columns = pl.read_parquet_schema(path)
    part = pl.scan_parquet(path, glob=False).select(
        pl.col(title).cast(dtype) if title in columns else pl.lit(None, dtype=dtype).alias(title)
        for title, dtype in schema.items()
    )
    return part if further is None else pl.concat([part, further.lazy()], how="horizontal")


def _common(one: pl.DataType, other: pl.DataType) -> pl.DataType:
    if pl.Null in (one, other):
        return other if one == pl.Null else one
    if {one, other} == {pl.Int64(), pl.Float64()}:
        return pl.Float64()
    return pl.String()


def _exact_as_floats(cells: pl.Series) -> bool:
    return bool(cells.is_between(-_EXACT, _EXACT).all())


def _collect(frames: Sequence[pl.LazyFrame]) -> Iterator[pl.DataFrame]:
    for frame in frames:
        yield frame.collect()


def _read_in_turn(frames: Sequence[pl.LazyFrame], rows: int) -> pl.LazyFrame:
    """Return a lazy frame that reads its parts one after the other, ``rows`` rows at a time.

    ``pl.concat`` reads several files ahead, so that memory grows with their number: by 90 MiB for 80,000
    vectors in 8 parts.
    """

    def read(*_: object) -> Iterator[pl.DataFrame]:
        for frame in frames:
            start = 0
            while (piece := frame.slice(start, rows).collect()).height:
                yield piece
                start += rows

    return register_io_source(read, schema=frames[0].collect_schema())


def write_batches(frames: Iterable[pl.DataFrame], target: Target, *, escape: bool = True) -> None:
    """Write frames one after the other to one file, atomically.

    They are stored in a temporary folder until all columns and types are known; then ``join_parts`` joins
    them.

    Args:
        frames: at least one.
        target: a local or remote file, in the format of its extension.
        escape: whether texts in CSV that a spreadsheet would run get an apostrophe.

    Raises:
        InputError: the extension is unknown, the target is a folder, or there are more rows or longer texts
            than Excel can hold.
    """
    refuse_folder(target)
    with temporary_folder() as folder:
        paths = []
        for number, frame in enumerate(frames):
            paths.append(Path(folder, f"batch-{number:06d}.parquet"))
            storable(frame).write_parquet(paths[-1])
        if isinstance(target, OutputPlace):
            file = Path(folder, f"table{target.suffix}")
            join_parts(paths, file, escape=escape)
            target.upload(file)
        else:
            join_parts(paths, target, escape=escape)


MAX_ROWS = 1_048_575
"""Maximum number of rows in a sheet below its header."""

_CREATED = datetime(1980, 1, 1, tzinfo=UTC)  # the same content gives the same bytes
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
        OSError: the disk is full, and the file is not a valid workbook.
    """
    with open_workbook(target, constant_memory=True) as workbook:
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
def open_workbook(
    target: Path, *, constant_memory: bool = False, font: Mapping[str, object] | None = None
) -> Iterator[Any]:
    """Open a workbook; its file is written when it is closed.

    It has no creation time, so that the same content gives the same bytes.

    Args:
        target: the file.
        constant_memory: whether rows are written at once; they must then come from top to bottom.
        font: XlsxWriter's properties of the font; by default Excel's.

    Raises:
        OSError: the file or its temporary parts cannot be written.
    """
    import xlsxwriter
    from xlsxwriter.exceptions import FileCreateError

    # xlsxwriter leaves an archive open if it cannot write its file, so it writes into memory.
    content = io.BytesIO()
    with tempfile.TemporaryDirectory(prefix="semscale-") as parts:
        settings: dict[str, object] = {"tmpdir": parts, "constant_memory": constant_memory}
        if font is not None:
            settings["default_format_properties"] = font
        failure: OSError | None = None
        try:
            with xlsxwriter.Workbook(content, _SETTINGS | settings) as workbook:
                workbook.set_properties({"created": _CREATED})
                yield workbook
        except FileCreateError as error:
            failure = error.args[0]  # of a part, such as of a full disk
        if failure is not None:
            raise failure.with_traceback(None)  # else frames would hold the open archive
    target.write_bytes(content.getbuffer())


def check_rows(rows: int) -> None:
    """Check that a sheet can hold a number of rows.

    Raises:
        InputError: there are more than 1,048,575 rows.
    """
    if rows > MAX_ROWS:
        raise InputError(
            "out", f": an Excel sheet holds {MAX_ROWS:,} rows, but there are {rows:,}; write .parquet or .csv"
        )


def _rows(frames: Iterable[pl.DataFrame]) -> Iterator[tuple[Any, ...]]:
    done = 0
    for frame in frames:
        if done == 0:
            yield tuple(frame.columns)
        done += frame.height
        check_rows(done)
        yield from frame.iter_rows()


def _write(sheet: Any, place: tuple[int, int], cell: object) -> None:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return
    if isinstance(cell, bool):
        sheet.write_boolean(*place, cell)
    elif isinstance(cell, int | float) and math.isfinite(cell):
        sheet.write_number(*place, cell)
    else:
        _write_text(sheet, place, str(cell))


def _write_date(sheet: Any, place: tuple[int, int], cell: date, shown: object) -> None:
    if cell.year < _FIRST_YEAR or (isinstance(cell, datetime) and cell.tzinfo is not None):
        _write_text(sheet, place, cell.isoformat())
    else:
        sheet.write_datetime(*place, cell, shown)


def _write_text(sheet: Any, place: tuple[int, int], text: str) -> None:
    if len(text) > LONGEST_CELL:
        raise InputError(
            "out",
            f": row {place[0]} has a text of {len(text):,} characters, but an Excel cell holds "
            f"{LONGEST_CELL:,}; write .parquet or .csv",
        )
    sheet.write_string(*place, text)


_WHOLE = r"^(?:0|-?[1-9][0-9]{0,14})$"
_DECIMAL = r"^-?(?:0|[1-9][0-9]*)\.[0-9]*[1-9]$"
_TINY = r"^-?0\.0000"  # is shown with an exponent
_DIGITS = 15  # that Excel keeps of a number


def with_numbers(frames: Sequence[pl.LazyFrame]) -> list[pl.LazyFrame]:
    """Turn text columns of numbers into number columns, if each text can be restored.

    A column stays text if a single text would change: with a leading or trailing zero, an unnecessary sign,
    white space, more than 15 digits, or anything that is not a number. Empty texts become null.

    Args:
        frames: with the same columns.

    Returns:
        The frames; columns of numbers have type Float64.

    Examples:
        >>> frame = pl.LazyFrame({"score": ["5", "-1.5"], "postcode": ["01067", "80331"]})
        >>> with_numbers([frame])[0].collect_schema().dtypes()
        [Float64, String]
    """
    schema = frames[0].collect_schema()
    candidates = {title for title, dtype in schema.items() if dtype == pl.String}
    filled: set[str] = set()
    for frame in frames:
        if not candidates:
            break
        row = frame.select(_facts(title) for title in sorted(candidates)).collect()
        facts = {title: row[title][0] for title in candidates}
        candidates = {title for title, fact in facts.items() if fact["is_exact"]}
        filled |= {title for title, fact in facts.items() if fact["is_filled"]}
    numbers = [pl.col(title).cast(pl.Float64, strict=False) for title in sorted(candidates & filled)]
    return [frame.with_columns(numbers) for frame in frames]


def _facts(title: str) -> pl.Expr:
    text = pl.col(title)
    digits = text.str.replace_all(r"[^0-9]", "").str.len_chars()
    decimal = text.str.contains(_DECIMAL) & ~text.str.contains(_TINY) & (digits <= _DIGITS)
    is_exact = (text.str.contains(_WHOLE) | decimal | (text == "")).all()
    return pl.struct(is_exact.alias("is_exact"), (text != "").any().alias("is_filled")).alias(title)
