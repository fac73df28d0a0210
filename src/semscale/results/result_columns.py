"""Columns of a result's table, declared by the fields of the result, and read back from a table.

Example:
    >>> from dataclasses import dataclass
    >>> from typing import Annotated
    >>> from semscale.types import Floats, Status, Statuses
    >>> @dataclass(frozen=True)
    ... class Lengths:
    ...     status: Annotated[Statuses, STATUSES]
    ...     length: Annotated[Floats, FLOATS]
    >>> lengths = Lengths(np.array([Status.SCORED, Status.MISSING]), np.array([5.0, np.nan]))
    >>> table, names = written(lengths)
    >>> table.rows()
    [('scored', 5.0), ('missing', None)]
    >>> values_in(Lengths, table, names)["length"].tolist()
    [5.0, nan]
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from typing import Any, Self, get_args, get_type_hints

import numpy as np
import polars as pl
from pydantic import TypeAdapter

from semscale.store.columns import floats_in, statuses_in

PRIVATE = "*"
"""Begins the names of columns that a run stores for its summary and leaves out of the output."""


@dataclass(frozen=True)
class ResultColumn:
    """Conversion of a field of a result to columns of a table, and back.

    Attributes:
        write: returns the columns of a field's value; the name is the field's.
        read: returns the field's value from its columns, in the order in which they were written.
        is_private: whether only the run's own parts have the column, of which there must be one.
    """

    write: Callable[[Any, str], Sequence[pl.Series]]
    read: Callable[[Sequence[pl.Series]], Any]
    is_private: bool = False

    @property
    def private(self) -> Self:
        """The same kind, in a column that the table for users lacks."""
        return replace(self, is_private=True)


def declared(kind: type) -> dict[str, ResultColumn]:
    """Return the columns that the fields of a result declare, by the field's name."""
    hints = get_type_hints(kind, include_extras=True)
    notes = {field.name: getattr(hints[field.name], "__metadata__", ()) for field in fields(kind)}
    columns = {name: note for name, row in notes.items() for note in row if isinstance(note, ResultColumn)}
    # The status comes first in every table.
    return {name: columns[name] for name in sorted(columns, key=lambda name: name != "status")}


def written(
    result: Any,  # noqa: ANN401 - a dataclass
    *,
    private: bool = False,
    prefix: str = "",
) -> tuple[pl.DataFrame, dict[str, list[str]]]:
    """Write the columns of a result.

    Args:
        result: a dataclass whose fields declare columns; a field that is ``None`` has none.
        private: whether private columns are written, too.
        prefix: put before every name.

    Returns:
        The table, and the names of the columns of each field.
    """
    series: list[pl.Series] = []
    names: dict[str, list[str]] = {}
    for name, kind in declared(type(result)).items():
        value = getattr(result, name)
        if value is None or (kind.is_private and not private):
            continue
        start = prefix + PRIVATE if kind.is_private else prefix
        columns = [column.rename(start + column.name) for column in kind.write(value, name)]
        if columns:
            names[name] = [column.name for column in columns]
            series += columns
    return pl.DataFrame(series), names


def values_in(
    kind: type, frame: pl.DataFrame, names: Mapping[str, Sequence[str]], *, prefix: str = ""
) -> dict[str, Any]:
    """Read the fields of a result back from a table.

    Args:
        kind: class of the result.
        frame: a table with the columns that ``written`` gave.
        names: the names of the columns of each field; a field without any keeps its default.
        prefix: before every name.
    """
    known = declared(kind)
    return {
        name: known[name].read(
            [frame[title].alias(title.removeprefix(prefix).removeprefix(PRIVATE)) for title in titles]
        )
        for name, titles in names.items()
    }


def _single_column(write: Callable[[Any], pl.Series], read: Callable[[pl.Series], Any]) -> ResultColumn:
    """Make the kind of a field that has a single column."""
    return ResultColumn(lambda value, name: [write(value).alias(name)], lambda columns: read(columns[0]))


FLOATS = _single_column(lambda values: pl.Series(values, dtype=pl.Float64, nan_to_null=True), floats_in)
"""Numbers, shape (n,); NaN becomes null."""

COUNTS = _single_column(lambda values: pl.Series(values, dtype=pl.Int64), lambda cells: cells.to_numpy())
"""Whole numbers, shape (n,)."""

POSITIONS = _single_column(
    lambda values: pl.Series([None if at < 0 else at for at in values.tolist()], dtype=pl.Int64),
    lambda cells: cells.fill_null(-1).to_numpy(),
)
"""Positions from 0, shape (n,); -1 becomes null."""

FLAGS = _single_column(lambda values: pl.Series(values, dtype=pl.Boolean), lambda cells: cells.to_numpy())
"""Yes or no, shape (n,)."""

STATUSES = _single_column(
    lambda values: pl.Series([str(status) for status in values], dtype=pl.String), statuses_in
)
"""Statuses, shape (n,)."""

TEXTS = _single_column(
    lambda values: pl.Series(list(values), dtype=pl.String),
    lambda cells: np.array(cells.to_list(), dtype=object),
)
"""Texts, shape (n,); ``None`` becomes null."""

VECTORS = _single_column(
    lambda values: pl.Series(values.reshape(len(values), math.prod(values.shape[1:]))),
    lambda cells: cells.to_numpy().astype(np.float64),
)
"""Numbers, shape (n, k), in one column of arrays."""


def numbers_by_name(titles: Mapping[str, str] | None = None) -> ResultColumn:
    """Return the kind of a field of numbers by name, each of shape (n,): a column for each name.

    Args:
        titles: columns of names that would be those of other fields.
    """
    renamed = titles or {}
    names = {title: name for name, title in renamed.items()}
    return ResultColumn(
        lambda values, _: [
            pl.Series(renamed.get(name, name), numbers, pl.Float64, nan_to_null=True)
            for name, numbers in values.items()
        ],
        lambda columns: {names.get(column.name, column.name): floats_in(column) for column in columns},
    )


def records(kind: type) -> ResultColumn:
    """Return the kind of a field that has any number of records for each row: a column of lists of structs.

    Args:
        kind: a dataclass whose fields are texts, numbers, or such records, or ``None`` instead of one.

    Example:
        >>> from semscale.guards.findings import Span
        >>> (column,) = records(Span).write([[Span(0, 3, "Who")], []], "spans")
        >>> column.to_list()
        [[{'start': 0, 'end': 3, 'text': 'Who'}], []]
        >>> records(Span).read([column])
        ((Span(start=0, end=3, text='Who'),), ())
    """
    dtype = pl.List(_struct_type(kind))
    return _single_column(
        lambda rows: pl.Series([[asdict(record) for record in row] for row in rows], dtype=dtype),
        lambda cells: TypeAdapter(tuple[tuple[kind, ...], ...]).validate_python(cells.to_list()),  # type: ignore[valid-type]
    )


def _struct_type(kind: type) -> pl.Struct:
    hints = get_type_hints(kind)
    types: dict[str, Any] = {}
    for field in fields(kind):
        stated = hints[field.name]
        value_type = (get_args(stated) or (stated,))[0]  # the first of "X | None"
        if isinstance(value_type, type) and is_dataclass(value_type):
            types[field.name] = _struct_type(value_type)
        else:
            plain = next(base for base in (str, int, float) if issubclass(value_type, base))
            types[field.name] = pl.DataType.from_python(plain)
    return pl.Struct(types)
