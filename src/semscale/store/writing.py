"""Writing of tables as Parquet, CSV, JSON lines or Excel: atomic, and safe to open in a spreadsheet."""

import math
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import BinaryIO

import polars as pl

from semscale.errors import InputError
from semscale.store.atomic import replacing
from semscale.store.cells import flat, plain, storable
from semscale.store.number_texts import with_numbers
from semscale.store.places.fetching import temporary_folder
from semscale.store.places.output_places import OutputPlace, Target, refuse_folder
from semscale.store.table import NUMBER
from semscale.store.workbook import LONGEST_CELL, write_workbook

OUTPUTS = {".parquet": "parquet", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".xlsx": "xlsx"}
"""Output formats by extension."""

PREFIX = "semscale_"
"""Prefix of every column that a run adds."""

_ROW_GROUP = 50_000
_VECTOR_BYTES = 2**24  # of one row group
_LONGEST_NUMBER = 8
_FORMULA = r"^[=+\-@\t\r\n]"


def output_format(path: Target, parameter: str = "out") -> str:
    """Return the output format of a file's extension; a folder has partitions of Parquet.

    Raises:
        InputError: the extension belongs to no output format.

    Example:
        >>> output_format(Path("rated.ndjson"))
        'jsonl'
    """
    if path.suffix.lower() not in OUTPUTS:
        raise InputError(
            f"{parameter} must end in one of {', '.join(OUTPUTS)}, got {path.name!r} (a folder of Parquet "
            "files ends in /)"
        )
    return OUTPUTS[path.suffix.lower()]


def rows_of_group(schema: Mapping[str, pl.DataType]) -> int:
    """Rows of a row group of Parquet: 50,000, fewer where vectors are in it, which stay below 16 MiB.

    A row group is written and read as a whole, so that its size is what writers and readers hold in memory.

    Example:
        >>> rows_of_group({"text": pl.String()}), rows_of_group({"vector": pl.Array(pl.Float64, 2**10)})
        (50000, 2048)
    """
    numbers = sum(math.prod(dtype.shape) for dtype in schema.values() if isinstance(dtype, pl.Array))
    return min(_ROW_GROUP, max(1, _VECTOR_BYTES // (numbers * _LONGEST_NUMBER))) if numbers else _ROW_GROUP


def write_table(frame: pl.DataFrame, path: Target) -> None:
    """Write a table in the format of its extension; for safety of CSV see ``write_frames``.

    Raises:
        InputError: the extension is unknown, there are more rows or longer texts than Excel can hold, or the
            place is a folder or cannot be reached.
    """
    refuse_folder(path)
    if isinstance(path, OutputPlace):
        with temporary_folder() as folder:
            file = Path(folder, f"table{path.suffix}")
            write_table(frame, file)
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
            write_frames([frame], temporary, name)


def write_frames(frames: Iterable[pl.DataFrame], target: Path, name: str) -> None:
    """Write frames with the same columns, one after the other, as CSV, JSON lines or an Excel sheet.

    A spreadsheet runs a CSV cell that begins like a formula. Texts and column names that begin with ``=``,
    ``+``, ``-``, ``@``, tab or a line end therefore get a leading apostrophe in CSV, unless they are plain
    numbers such as -3.5. Excel files need none, as they store a text as a text.

    Args:
        frames: at least one frame.
        target: the file, written in place; use a path from ``atomic.replacing``.
        name: ``csv``, ``jsonl`` or ``xlsx``.

    Raises:
        InputError: there are more rows than Excel can hold, or longer texts in the input's columns. Those in
            columns that a run adds are cut, with a warning: they may be replies that were paid for.
    """
    if name == "xlsx":
        _write_sheet(map(flat, frames), target)
        return
    with target.open("wb") as output:
        for place, frame in enumerate(frames):
            if name == "csv":
                _write_csv(frame, output, header=place == 0)
            else:
                plain(frame).write_ndjson(output)


def formula_safe(frame: pl.DataFrame) -> pl.DataFrame:
    """Put an apostrophe before texts and column names that a spreadsheet would run as a formula.

    Example:
        >>> formula_safe(pl.DataFrame({"text": ["=1+1", "-3.5", "fine", None]}))["text"].to_list()
        ["'=1+1", '-3.5', 'fine', None]
    """
    text = pl.col(pl.String)
    risky = text.str.contains(_FORMULA) & ~text.str.contains(NUMBER)
    safe = frame.with_columns(pl.when(risky).then("'" + text).otherwise(text).name.keep())
    names = pl.Series(frame.columns, dtype=pl.String)
    return safe.rename(
        {
            name: f"'{name}"
            for name, found in zip(frame.columns, names.str.contains(_FORMULA), strict=True)
            if found
        }
    )


def _write_sheet(frames: Iterable[pl.DataFrame], target: Path) -> None:
    n_cut = 0

    def cut(frame: pl.DataFrame) -> pl.DataFrame:
        nonlocal n_cut
        texts = [name for name, kind in frame.schema.items() if name.startswith(PREFIX) and kind == pl.String]
        for name in texts:
            n_cut += int((frame[name].str.len_chars() > LONGEST_CELL).sum())
        return frame.with_columns(pl.col(name).str.slice(0, LONGEST_CELL) for name in texts)

    write_workbook(map(cut, frames), target)
    if n_cut:
        warnings.warn(
            f"cells of {PREFIX}* columns that were cut to {LONGEST_CELL:,} characters, as Excel holds no "
            f"more: {n_cut}; write .parquet or .csv to have all of them",
            stacklevel=2,
        )


def _write_csv(frame: pl.DataFrame, output: BinaryIO, *, header: bool) -> None:
    formula_safe(flat(frame)).write_csv(output, include_header=header)
