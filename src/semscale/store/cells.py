"""Conversion of Python values into columns, and of columns into cells that a file format can store."""

import json
import math
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import polars as pl

_EXACT = 2**53
_INT64 = 2**63
_ALIKE = {str: pl.String(), bool: pl.Boolean(), datetime: pl.Datetime("ms")}
_NESTED = (pl.List, pl.Array, pl.Struct)


def column_of(name: str, values: Sequence[object]) -> pl.Series:
    """Build a column of the type that all values share, or of type ``Object`` if they share none.

    Integers and floats together become floats, unless an integer is too large for an exact float. A column
    of ``None`` only has type ``Null``. Lists and dictionaries remain Python values.

    Example:
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
    """Turn ``Object`` columns into text: strings and dates as they are, NaN as null, other values as JSON.

    Example:
        >>> frame = pl.DataFrame([column_of("a", ["good", 5, ["x"], None])])
        >>> storable(frame)["a"].to_list()
        ['good', '5', '["x"]', None]
    """
    mixed = [title for title, dtype in frame.schema.items() if dtype == pl.Object]
    return _as_texts(frame, mixed)


def flat(frame: pl.DataFrame) -> pl.DataFrame:
    """Turn values that CSV and Excel cells cannot hold into text: like ``plain``, and nested values as JSON.

    Example:
        >>> flat(pl.DataFrame({"tags": [["a", "b"], None]}))["tags"].to_list()
        ['["a","b"]', None]
    """
    nested = [title for title, dtype in frame.schema.items() if dtype.base_type() in _NESTED]
    return _as_texts(plain(frame), nested)


def plain(frame: pl.DataFrame) -> pl.DataFrame:
    """Turn values that JSON cannot represent into text: mixed cells, bytes (base64), durations (ISO 8601).

    Example:
        >>> plain(pl.DataFrame({"key": [b"ok"]}))["key"].to_list()
        ['b2s=']
    """
    columns = (_castable(title, dtype.base_type()) for title, dtype in frame.schema.items())
    return storable(frame).with_columns(column for column in columns if column is not None)


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


def _as_text(cell: Any) -> str | None:  # noqa: ANN401 - any value of a JSON document or a nested column
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return None
    if isinstance(cell, str):
        return cell
    if isinstance(cell, datetime):
        return cell.isoformat(" ")
    return json.dumps(cell, ensure_ascii=False, separators=(",", ":"), default=str)
