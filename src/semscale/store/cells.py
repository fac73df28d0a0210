"""Python values of mixed types to columns, and columns of any type to cells that a file format can hold."""

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
    """Build a column of the one type that all values have, or of ``Object`` where they have none in common.

    Integers and floats together are floats, unless an integer is too large to be one exactly. A column of
    nothing but ``None`` has type ``Null``. Lists and dictionaries stay Python values.

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
    """Turn ``Object`` columns into text: strings stay as they are, NaN becomes null, all but dates JSON.

    Example:
        >>> frame = pl.DataFrame([column_of("a", ["good", 5, ["x"], None])])
        >>> storable(frame)["a"].to_list()
        ['good', '5', '["x"]', None]
    """
    mixed = [title for title, dtype in frame.schema.items() if dtype == pl.Object]
    return _as_texts(frame, mixed)


def flat(frame: pl.DataFrame) -> pl.DataFrame:
    """Turn what a CSV or Excel cell cannot hold into text: as ``plain``, and nested values become JSON.

    Example:
        >>> flat(pl.DataFrame({"tags": [["a", "b"], None]}))["tags"].to_list()
        ['["a","b"]', None]
    """
    nested = [title for title, dtype in frame.schema.items() if dtype.base_type() in _NESTED]
    return _as_texts(plain(frame), nested)


def plain(frame: pl.DataFrame) -> pl.DataFrame:
    """Turn what JSON has no form for into text: mixed cells, bytes (base64) and durations (ISO 8601).

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


def _as_text(cell: Any) -> str | None:  # noqa: ANN401 - whatever a JSON document or a nested column holds
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return None
    if isinstance(cell, str):
        return cell
    if isinstance(cell, datetime):
        return cell.isoformat(" ")
    return json.dumps(cell, ensure_ascii=False, separators=(",", ":"), default=str)
