"""Truth of a condition in each row: true, false, or missing where it is not known."""

import operator
from collections.abc import Callable
from datetime import datetime
from typing import Any

import polars as pl

from semscale.errors import InputError
from semscale.store.cells import storable
from semscale.store.columns import column_in, groups_in
from semscale.store.conditions.parsing import (
    ColumnComparison,
    Condition,
    Conjunction,
    Disjunction,
    IsMissing,
    Negation,
    Value,
)
from semscale.store.numbers import numbers_among

_COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_ORDERED = frozenset({"<", "<=", ">", ">="})


def truth(condition: Condition, rows: pl.DataFrame) -> pl.Series:
    """Evaluate a condition.

    Numbers that are written as texts are compared as numbers where the condition has a number, and a text
    that is no number is then missing, like a blank cell. A comparison with a missing cell is missing; "false
    and missing" is false, and "true or missing" is true.

    Args:
        condition: on columns; one that the rows lack, as JSON lines may, is missing.
        rows: n rows.

    Returns:
        n booleans, null where it is not known.

    Raises:
        InputError: an order of texts and numbers, or a date that cannot be read.

    Example:
        >>> from semscale.store.conditions.parsing import parse_condition
        >>> rows = pl.DataFrame({"age": ["17", "18", None], "land": ["DE", "AT", "DE"]})
        >>> truth(parse_condition("age >= 18 and land in ('DE', 'AT')"), rows).to_list()
        [False, True, None]
    """
    match condition:
        case ColumnComparison():
            return _comparison(condition, _cells(rows, condition.column))
        case IsMissing(column=column):
            return _cells(rows, column).is_null()
        case Negation(part=part):
            return ~truth(part, rows)
    left, right = truth(condition.left, rows), truth(condition.right, rows)
    both = pl.DataFrame({"left": left, "right": right})
    joined = {Conjunction: pl.col("left") & pl.col("right"), Disjunction: pl.col("left") | pl.col("right")}
    return both.select(joined[type(condition)]).to_series()


def _cells(rows: pl.DataFrame, column: str) -> pl.Series:
    """Give a column without mixed types; blank texts and NaN become null."""
    cells = storable(column_in(rows, column).to_frame()).to_series()
    if cells.dtype.is_float():
        return cells.fill_nan(None)
    if cells.dtype in (pl.Categorical, pl.Enum):
        cells = cells.cast(pl.String)
    if cells.dtype == pl.String:
        return cells.set(cells.str.strip_chars() == "", None)
    return cells


def _comparison(condition: ColumnComparison, cells: pl.Series) -> pl.Series:
    if condition.operator != "in":
        return _compared(condition, cells, condition.values[0])
    found = [
        _compared(ColumnComparison(condition.column, "=", (one,)), cells, one) for one in condition.values
    ]
    return (
        pl.DataFrame([one.rename(str(place)) for place, one in enumerate(found)])
        .select(pl.any_horizontal(pl.all()))
        .to_series()
    )


def _compared(condition: ColumnComparison, cells: pl.Series, value: Value) -> pl.Series:
    compare = _COMPARED[condition.operator]
    if cells.dtype == pl.Null:
        return pl.Series([None] * len(cells), dtype=pl.Boolean)
    if isinstance(value, bool):
        return pl.Series(compare(groups_in(cells).str.to_lowercase(), str(value).lower()))
    if isinstance(value, float):
        return pl.Series(compare(numbers_among(cells), value))
    if cells.dtype == pl.String:
        return pl.Series(compare(cells, value))
    if cells.dtype.is_temporal():
        return pl.Series(compare(*_moments(condition.column, cells, value)))
    if condition.operator in _ORDERED:
        raise InputError(
            f"where: column '{condition.column}' holds numbers: write {value!r} without quotation marks"
        )
    return pl.Series(compare(groups_in(cells), value))


def _moments(column: str, cells: pl.Series, value: str) -> tuple[pl.Series, datetime]:
    """Give dates, or points in time, and the value as a point in time."""
    if cells.dtype not in (pl.Date, pl.Datetime):
        raise InputError(f"where: column '{column}' holds times, which cannot be compared; use a date")
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise InputError(
            f"where: column '{column}' holds dates, and {value!r} is none: write it like '2026-01-31'"
        ) from None
    points = cells.cast(pl.Datetime("us")) if cells.dtype == pl.Date else cells.dt.replace_time_zone(None)
    return points, moment.replace(tzinfo=None)
