"""Conversion of columns to lists, and of cells to names, numbers, texts and lists."""

import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from datetime import datetime
from typing import Any

import numpy as np
import polars as pl

from semscale.errors import InputError, RowError
from semscale.json_reading import parse_json
from semscale.store.missing_codes import code_key, is_missing
from semscale.types import Floats, Integers, Status, Statuses

NUMBER = r"^\s*[+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?\s*$"
"""Pattern of a cell with a plain number only, with a point or a comma; for ``re`` and polars."""

DATE = r"^\s*(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{2,4})(?:[ T]\d{1,2}:\d{2}.*)?\s*$"
"""Pattern of a cell with a date only, with or without a time; for ``re`` and polars."""

_EXACT = 2.0**53
_MOST_NAMED = 12


def as_list(column: object, name: str) -> list[Any]:
    """Return a column's cells as a list; nulls of a series become ``None``.

    Args:
        column: a list or other ordered iterable, a one-dimensional NumPy array, or a series that narwhals
            supports.
        name: the column's name in messages.

    Raises:
        InputError: the column is a single string, has no order, or has more than one dimension.

    Examples:
        >>> as_list(np.array(["good", None], dtype=object), "texts")
        ['good', None]
    """
    if isinstance(column, np.ndarray):
        if column.ndim != 1:
            raise InputError(f"{name} must have one dimension, got shape {column.shape}")
        return (
            list(column) if column.dtype.kind in "mM" else list(column.tolist())
        )  # dates lose their unit there
    if isinstance(column, list | tuple):
        return list(column)
    import narwhals as nw  # slow to import, and most callers have lists

    series = nw.from_native(column, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        cells = series.to_list()
        nulls = series.is_null().to_list()
        return [None if null else cell for cell, null in zip(cells, nulls, strict=True)]
    unordered = isinstance(column, str | bytes | Mapping | Set)
    if unordered or not isinstance(column, Iterable) or hasattr(column, "columns"):
        raise InputError(f"{name} must be a list or a series, got {type(column).__name__}: pass [...]")
    return list(column)


def as_names(column: object, name: str) -> list[str | None]:
    """Read names of groups or respondents as texts; missing and empty ones become ``None``.

    3 and 3.0 are the same name, because pandas turns whole numbers into floats if a cell is missing.

    Examples:
        >>> as_names([2024, 3.0, "north", "", None], "by")
        ['2024', '3', 'north', None, None]
    """
    return [None if is_missing(cell) or cell == "" else _name(cell) for cell in as_list(column, name)]


def _name(cell: object) -> str:
    is_whole = isinstance(cell, float) and cell.is_integer() and abs(cell) <= _EXACT
    return str(int(cell)) if is_whole else str(cell)  # type: ignore[call-overload]


def groups_in(cells: pl.Series) -> pl.Series:
    """Read a column as names of groups; an empty name is null, 3 and 3.0 are equal, bytes are base64.

    Examples:
        >>> groups_in(pl.Series([3.0, None])).to_list()
        ['3', None]
    """
    if cells.dtype.is_nested():
        return pl.Series(cells.name, [None if cell is None else str(cell) for cell in cells.to_list()])
    names = plain(cells.to_frame()).to_series().cast(pl.String).replace("", None)
    if not cells.dtype.is_float():
        return names
    numbers = cells.fill_nan(None)
    whole = numbers.is_finite() & (numbers == numbers.floor()) & (numbers.abs() <= _EXACT)
    integers = numbers.cast(pl.Int64, strict=False).cast(pl.String)
    return integers.zip_with(whole.fill_null(value=True), names)


def ids_in(cells: pl.Series) -> pl.Series:
    """Read a column as names of groups by ``groups_in``; the text 3.0, which pandas writes, is equal to 3.

    Examples:
        >>> ids_in(pl.Series(["3.0", "3", "03", "3.10"])).to_list()
        ['3', '3', '03', '3.10']
    """
    return groups_in(cells).str.replace(r"^(\d+)\.0$", "$1")


def without_blanks(names: pl.Series) -> pl.Series:
    """Replace names of blanks alone by null; a column without any is not copied.

    Examples:
        >>> without_blanks(pl.Series(["a", " ", None])).to_list()
        ['a', None, None]
    """
    is_blank = ~names.str.contains(r"\S")
    return names.set(is_blank.fill_null(value=False), None) if is_blank.any() else names


def positions_among(names: pl.Series, values: Sequence[str]) -> Integers:
    """Return the position of each name among different values, shape (n,); -1 for another name and null.

    Examples:
        >>> positions_among(pl.Series(["b", None, "a", "c"]), ["a", "b"]).tolist()
        [1, -1, 0, -1]
    """
    # The numbers of an Enum take a byte or two a row; replacing the names takes 50.
    numbers = names.cast(pl.Enum(values), strict=False).to_physical()
    positions: Integers = numbers.cast(pl.Int64).fill_null(-1).to_numpy()
    return positions


def text_counts(texts: pl.Series) -> Counter[str]:
    """Count the cells with each text, in the order of the column; missing cells do not count.

    Examples:
        >>> text_counts(pl.Series(["no", "yes", None, "yes"]))
        Counter({'yes': 2, 'no': 1})
    """
    cells = texts.alias("text").to_frame().drop_nulls()
    return Counter(dict(cells.group_by("text", maintain_order=True).len("n").iter_rows()))


def join_spellings(counts: Mapping[str, int], preferred: Collection[str] = ()) -> dict[str, str]:
    """Join names that differ only in case or blanks.

    Args:
        counts: number of cells with each name, in the order of the table.
        preferred: names that are used if they occur.

    Returns:
        The name to use instead of others with the same spelling: a preferred one, else the most frequent.

    Examples:
        >>> join_spellings({"agree": 1, "Agree": 2, "Agree ": 1, "no": 4})
        {'agree': 'Agree', 'Agree ': 'Agree'}
    """
    spellings: dict[str, list[str]] = {}
    for name in counts:
        spellings.setdefault(code_key(name), []).append(name)
    joined: dict[str, str] = {}
    for key, names in spellings.items():
        if not key or len(names) == 1:
            continue
        used = max(names, key=lambda name: (name in preferred, counts[name]))
        used = used if used in preferred else " ".join(used.split())
        joined |= {name: used for name in names if name != used}
    return joined


def spelling_note(
    columns: Sequence[str], counts: Mapping[str, int], joined: Mapping[str, str]
) -> tuple[str, ...]:
    """Return a sentence on the names of columns that were joined; none without any.

    Args:
        columns: names of the columns.
        counts: number of cells with each name.
        joined: result of ``join_spellings``.

    Examples:
        >>> spelling_note(["q"], {"Agree": 2, "agree ": 1}, {"agree ": "Agree"})
        ('‘q’: spellings that differ only in case or blanks were joined: ‘Agree’ (2), ‘agree ’ (1)',)
    """
    if not joined:
        return ()
    names = [name for name in counts if name in joined or name in joined.values()]
    names.sort(key=lambda name: (code_key(name), -counts[name]))
    listed = ", ".join(f"‘{name}’ ({counts[name]:,})" for name in names[:_MOST_NAMED])
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    named = ", ".join(f"‘{column}’" for column in columns)
    return (f"{named}: spellings that differ only in case or blanks were joined: {listed}{more}",)


def column_in(frame: pl.DataFrame, title: str) -> pl.Series:
    """Return a column, or nulls if a batch of JSON lines lacks it."""
    cells = frame.get_column(title, default=None)  # a list of all names for each column takes too long
    return pl.Series(title, [None] * frame.height, dtype=pl.Null) if cells is None else cells


def without_codes(cells: pl.Series, codes: Collection[str]) -> pl.Series:
    """Return a column in which cells with codes for no answer are null.

    Args:
        cells: the column.
        codes: the codes, normalised by ``code_key``.

    Examples:
        >>> without_codes(pl.Series(["fine", " N/A", "NA"]), {"n/a"}).to_list()
        ['fine', None, 'NA']
        >>> without_codes(pl.Series([1.0, 99.0]), {"99"}).to_list()
        [1.0, None]
    """
    if not codes:
        return cells
    names = groups_in(storable(cells.to_frame()).to_series())
    coded = [name for name in names.drop_nulls().unique().to_list() if code_key(name) in codes]
    if not coded:
        return cells
    is_code = names.is_in(coded).fill_null(value=False)
    if cells.dtype != pl.Object:
        empty = pl.Series(cells.name, [None], dtype=cells.dtype)
        return empty.new_from_index(0, len(cells)).zip_with(is_code, cells)
    left = [None if is_coded else cell for cell, is_coded in zip(cells.to_list(), is_code, strict=True)]
    return pl.Series(cells.name, left, pl.Object)


def floats_in(cells: pl.Series) -> Floats:
    """Read a column of numbers; missing ones are NaN.

    Examples:
        >>> floats_in(pl.Series([0.5, None])).tolist()
        [0.5, nan]
    """
    return cells.cast(pl.Float64).to_numpy().astype(np.float64)


def floats_in_columns(columns: Iterable[pl.Series]) -> Floats:
    """Read k columns of n numbers, shape (n, k); missing ones are NaN.

    Examples:
        >>> floats_in_columns(pl.DataFrame({"a": [1, None], "b": [0.5, 2.0]})).tolist()
        [[1.0, 0.5], [nan, 2.0]]
    """
    return np.column_stack([floats_in(column) for column in columns])


def statuses_in(cells: pl.Series) -> Statuses:
    """Read a column of statuses."""
    known = {str(status): status for status in Status}
    return np.array([known[cell] for cell in cells.to_list()], dtype=object)


_EXACT = 2**53
_INT64 = 2**63
_ALIKE = {str: pl.String(), bool: pl.Boolean(), datetime: pl.Datetime("ms")}
_NESTED = (pl.List, pl.Array, pl.Struct)


def column_of(name: str, values: Sequence[object]) -> pl.Series:
    """Build a column of the type that all values share, or of type ``Object`` if they share none.

    Integers and floats together become floats, unless an integer is too large for an exact float. A column
    of ``None`` only has type ``Null``. Lists and dictionaries remain Python values.

    Examples:
        >>> column_of("a", [1, None, 2.5]).dtype, column_of("a", ["good", 5]).dtype
        (Float64, Object)
    """
    kinds = set(map(type, values)) - {type(None)}
    if not kinds:
        return pl.Series(name, values, dtype=pl.Null)
    if len(kinds) == 1 and (kind := next(iter(kinds))) in _ALIKE:
        return pl.Series(name, values, dtype=_ALIKE[kind])
    if kinds <= {int, float}:
        integers = [value for value in values if isinstance(value, int)]
        if kinds == {int} and all(-_INT64 <= value < _INT64 for value in integers):
            return pl.Series(name, values, dtype=pl.Int64)
        if float in kinds and all(abs(value) <= _EXACT for value in integers):
            return pl.Series(name, values, dtype=pl.Float64)
    return pl.Series(name, values, dtype=pl.Object)


def storable(frame: pl.DataFrame) -> pl.DataFrame:
    """Turn ``Object`` columns into text: strings and dates unchanged, NaN as null, other values as JSON.

    Examples:
        >>> frame = pl.DataFrame([column_of("a", ["good", 5, ["x"], None])])
        >>> storable(frame)["a"].to_list()
        ['good', '5', '["x"]', None]
    """
    mixed = [title for title, dtype in frame.schema.items() if dtype == pl.Object]
    return _as_texts(frame, mixed)


def flat(frame: pl.DataFrame) -> pl.DataFrame:
    """Turn values that CSV and Excel cells cannot hold into text: like ``plain``, and nested values as JSON.

    Examples:
        >>> flat(pl.DataFrame({"tags": [["a", "b"], None]}))["tags"].to_list()
        ['["a","b"]', None]
    """
    nested = [title for title, dtype in frame.schema.items() if dtype.base_type() in _NESTED]
    return _as_texts(plain(frame), nested)


def plain(frame: pl.DataFrame) -> pl.DataFrame:
    """Turn values that JSON cannot represent into text: mixed cells, bytes (base64), durations (ISO 8601).

    Examples:
        >>> plain(pl.DataFrame({"key": [b"ok"]}))["key"].to_list()
        ['b2s=']
    """
    columns = (_castable(title, dtype.base_type()) for title, dtype in frame.schema.items())
    return storable(frame).with_columns(column for column in columns if column is not None)


_FORMULA = r"^'*[=+\-@\t\r\n]"


def escape_formulas(frame: pl.DataFrame) -> pl.DataFrame:
    """Put an apostrophe before texts and column names that a spreadsheet would run as a formula.

    Texts with such an apostrophe get another one, so that ``unescape_formulas`` restores every text.

    Examples:
        >>> escape_formulas(pl.DataFrame({"text": ["=1+1", "-3.5", "fine", None]}))["text"].to_list()
        ["'=1+1", '-3.5', 'fine', None]
    """
    texts = frame.with_columns(_escape_cells(cells) for cells in frame.select(pl.col(pl.String)))
    names = _escape_cells(pl.Series(frame.columns, dtype=pl.String))
    return texts.rename(dict(zip(frame.columns, names, strict=True)))


def _escape_cells(texts: pl.Series) -> pl.Series:
    is_risky = (texts.str.contains(_FORMULA) & ~texts.str.contains(NUMBER)).fill_null(value=False)
    return ("'" + texts).zip_with(is_risky, texts).alias(texts.name)


def unescape_formulas(texts: pl.Series) -> pl.Series:
    """Remove the apostrophe that ``escape_formulas`` puts before texts.

    Examples:
        >>> unescape_formulas(pl.Series(["'=1+1", "'so'", "'-", None])).to_list()
        ['=1+1', "'so'", '-', None]
    """
    if not texts.str.starts_with("'").any():
        return texts
    return texts.str.replace(r"^'('*[=+\-@\t\r\n])", "${1}")


def _as_texts(frame: pl.DataFrame, titles: list[str]) -> pl.DataFrame:
    return frame.with_columns(
        pl.Series(title, [_as_text(cell) for cell in frame[title].to_list()], dtype=pl.String)
        for title in titles
    )


def _castable(title: str, dtype: object) -> pl.Expr | None:
    if dtype == pl.Binary:
        return pl.col(title).bin.encode("base64")
    if dtype == pl.Duration:
        return pl.col(title).dt.to_string("iso")
    if dtype in (pl.Categorical, pl.Enum):
        return pl.col(title).cast(pl.String)
    return None


def _as_text(cell: Any) -> str | None:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return None
    if isinstance(cell, str):
        return cell
    if isinstance(cell, datetime):
        return cell.isoformat(" ")
    return json.dumps(cell, ensure_ascii=False, separators=(",", ":"), default=str)


_COMMA = re.compile(r"[+-]?\d*,\d+")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+")


def have_decimal_commas(cells: Iterable[str]) -> bool:
    """Return whether filled cells are numbers, some with a comma that cannot be a thousands separator.

    Examples:
        >>> have_decimal_commas(["1,5", "2"]), have_decimal_commas(["1,500", "2"])
        (True, False)
    """
    stripped = [text for cell in cells if (text := cell.strip())]
    commas = [text for text in stripped if _COMMA.fullmatch(text)]
    are_numbers = all(re.match(NUMBER, text) and "." not in text for text in stripped)
    return are_numbers and any(not _THOUSANDS.fullmatch(text) for text in commas)


_WITH_THOUSANDS = r"^\s*[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?\s*$"


def have_thousands(cells: Iterable[str]) -> bool:
    """Return whether filled cells are numbers, and every comma in them can separate thousands.

    Examples:
        >>> have_thousands(["1,500", "900"]), have_thousands(["1,5", "2"]), have_thousands(["1", "2"])
        (True, False, False)
    """
    stripped = [text for cell in cells if (text := cell.strip())]
    commas = [text for text in stripped if "," in text]
    are_numbers = all(re.match(NUMBER, text) for text in stripped if "," not in text)
    return bool(commas) and are_numbers and all(re.match(_WITH_THOUSANDS, text) for text in commas)


def without_thousands(cells: pl.Series) -> pl.Series:
    """Remove the commas between thousands from a column of texts.

    Examples:
        >>> without_thousands(pl.Series(["1,500", "1,234,567.5", "1,5", None])).to_list()
        ['1500', '1234567.5', '1,5', None]
    """
    is_number = cells.str.contains(_WITH_THOUSANDS).fill_null(value=False)
    return cells.str.replace_all(",", "", literal=True).zip_with(is_number, cells)


def numbers_among(cells: pl.Series) -> pl.Series:
    """Read numbers, with a point or a comma; a text that is not a number, and NaN, become null.

    Args:
        cells: n texts, numbers or booleans; dates and lists become null.

    Returns:
        n values of type ``Float64``.

    Examples:
        >>> numbers_among(pl.Series(["1,5", " 2 ", "old", None])).to_list()
        [1.5, 2.0, None, None]
    """
    if cells.dtype == pl.String:
        plain = cells.str.strip_chars().str.replace(",", ".", literal=True)
        is_number = cells.str.contains(NUMBER).fill_null(value=False)
        return plain.set(~is_number, None).cast(pl.Float64, strict=False)
    if cells.dtype.is_numeric() or cells.dtype in (pl.Boolean, pl.Null):
        return cells.cast(pl.Float64).fill_nan(None)
    return pl.Series(cells.name, [None] * len(cells), dtype=pl.Float64)


_SHOWN = 40


def cell_values(
    cell: Any,
    *,
    parameter: str,
    column: str,
    row: int,
    only_nulls: bool,
) -> list[Any]:
    """Return a cell's values: the entries of a list or a JSON list of strings and nulls, or its single value.

    Args:
        cell: any value.
        parameter: the parameter that names the column, for messages.
        column: the column's name.
        row: the cell's row, from 0.
        only_nulls: whether a JSON list of only nulls counts as a list; otherwise it is a text.

    Raises:
        RowError: a text begins like a list of strings but is not one; the message names its row.

    Examples:
        >>> place = {"parameter": "sample", "column": "again", "row": 0, "only_nulls": True}
        >>> cell_values('["Paris", "Rome"]', **place), cell_values("[sic]", **place)
        (['Paris', 'Rome'], ['[sic]'])
    """
    if isinstance(cell, list):
        return cell
    if not isinstance(cell, str) or not cell.lstrip().startswith("["):
        return [cell]
    try:
        content = parse_json(cell)
    except json.JSONDecodeError:
        content = None
    if isinstance(content, list) and _are_texts(content, only_nulls=only_nulls):
        return content
    if cell.lstrip()[1:].lstrip().startswith('"'):
        shown = cell if len(cell) <= _SHOWN else cell[: _SHOWN - 3] + "..."
        raise RowError(
            f"`{parameter}`: column '{column}' has a list that is no valid JSON in data {{row}}: "
            f'{shown}; write ["one", "other"], or the text alone (rows are counted from 1, below the header)',
            row,
        )
    return [cell]


def _are_texts(content: list[Any], *, only_nulls: bool) -> bool:
    texts = [item for item in content if item is not None]
    return all(isinstance(text, str) for text in texts) and bool(texts or not content or only_nulls)
