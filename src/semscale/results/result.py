"""Results with one row per item and its status, and the conversion of their fields to columns and back.

Examples:
    >>> from dataclasses import dataclass
    >>> from typing import Annotated
    >>> from semscale.types import Floats, Status, Statuses
    >>> @dataclass(frozen=True)
    ... class Lengths:
    ...     status: Annotated[Statuses, STATUSES]
    ...     length: Annotated[Floats, FLOATS]
    >>> lengths = Lengths(np.array([Status.SCORED, Status.MISSING]), np.array([5.0, np.nan]))
    >>> table, names = write_columns(lengths)
    >>> table.rows()
    [('scored', 5.0), ('missing', None)]
    >>> values_in(Lengths, table, names)["length"].tolist()
    [5.0, nan]
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from functools import cached_property
from itertools import compress
from numbers import Integral
from typing import Any, ClassVar, Self, Unpack, get_args, get_type_hints

import numpy as np
import polars as pl
from pydantic import TypeAdapter

from semscale.errors import InputError
from semscale.presentable import Presentable
from semscale.results.estimates import Estimates, EstimateSettings
from semscale.signature import Signature
from semscale.store.columns import as_list, floats_in, statuses_in
from semscale.store.writing import PREFIX
from semscale.types import Mask, Status, Statuses, are_scored, count_statuses

_INTERVAL_UP_TO = 5_000  # rows; with more, a bootstrapped interval would make a notebook wait


class Result(ABC):
    """One row for each of n items, in their order.

    Attributes:
        status: shape (n,), each a ``Status``: ``scored``, or why a row has no score.
        signature: the settings that were applied.
        row_fields: names of fields with one entry per row that declare no column.
        header_fields: names of fields about all rows that are stored as JSON values.
    """

    status: Statuses
    signature: Signature
    row_fields: ClassVar[tuple[str, ...]] = ("status",)
    header_fields: ClassVar[tuple[str, ...]] = ()

    def __len__(self) -> int:
        return len(self.status)

    def __getitem__(self, rows: Sequence[bool] | Mask | slice, /) -> Self:
        """Return the result for the rows of a mask or a slice, in their order."""
        if isinstance(rows, slice):
            return self._with_rows(_slice_mask(rows, self.n))
        if isinstance(rows, Integral) and not isinstance(rows, bool | np.bool_):
            raise InputError(
                f"{type(self).__name__} takes a mask or a slice, got {rows}: "
                f"result[{rows}:{int(rows) + 1 or ''}] keeps one row, and iterate over to_frame()"
            )
        return self.filter(rows)

    def __iter__(self) -> Iterator[Any]:
        raise TypeError(f"{type(self).__name__} is not iterable: iterate over to_frame()")

    def __repr__(self) -> str:
        # Debuggers, logs and asyncio ask for it at any time, so it estimates nothing.
        name = type(self).__name__
        return f"{name}(n={self.n:,}, n_scored={self.n_scored:,}, model={self._model_name})"

    def _repr_html_(self) -> str | None:
        """Return the summary's HTML for a notebook, or ``None`` to show only the ``repr``.

        Results without a score, or with too many rows for quick intervals, show only the ``repr``.
        """
        summary = self._short_summary() if self.n_scored and self.n <= _INTERVAL_UP_TO else None
        return None if summary is None else summary._repr_html_()

    def _short_summary(self) -> Presentable | None:
        """Return the summary without texts; ``None`` for a kind of result without a summary."""
        return None

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self)

    @property
    def scored(self) -> Mask:
        """Mask of the rows that have a score, shape (n,)."""
        return are_scored(self.status)

    @property
    def counts(self) -> dict[Status, int]:
        """Number of rows with each status that occurs, in the order of ``Status``."""
        return count_statuses(self.status)

    @cached_property
    def n_scored(self) -> int:
        """Number of rows that have a score."""
        return int(self.scored.sum())

    @property
    def n_left_out(self) -> int:
        """Number of rows that have no score."""
        return self.n - self.n_scored

    @property
    def n_windowed(self) -> int:
        """Number of rows whose text was split into windows for the model; 0 for judges."""
        windows = getattr(self, "windows", None)
        return 0 if windows is None else int((windows > 1).sum())

    @abstractmethod
    def estimate(self, **settings: Unpack[EstimateSettings]) -> Estimates:
        """Estimate the figures of all rows and of each group, with intervals.

        Args:
            settings: ``by``, ``weights``, ``respondents``, and how intervals are made; see
                ``EstimateSettings``.

        Raises:
            InputError: a column of the wrong length, a wrong weight, or a setting out of range.
        """

    def filter(self, mask: object) -> Self:
        """Return the result for the rows of a mask, in their order; ``result[mask]`` does the same.

        Args:
            mask: shape (n,), booleans, such as ``result.scored`` or ``table["country"] == "PT"``.

        Returns:
            Another result with the same signature.

        Raises:
            InputError: the mask has another length, or a value that is not a boolean.
        """
        return self._with_rows(as_mask(mask, self.n))

    def to_frame(self) -> pl.DataFrame:
        """Return the result as a table, one row per item; missing values are null."""
        table, _ = write_columns(self)
        return table.with_columns(self.extra_columns())

    def to_part(self) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Return the result in the form that a run stores; ``from_part`` reads it back.

        Returns:
            The table with the run's prefix and private columns, and the rest as JSON values.
        """
        table, names = write_columns(self, private=True, prefix=PREFIX)
        derived = [column.alias(PREFIX + column.name) for column in self.extra_columns()]
        header = {
            "columns": names,
            "signature": [self.signature.instrument, [list(named) for named in self.signature.fields]],
            **{name: getattr(self, name) for name in self.header_fields},
        }
        return table.with_columns(derived), header

    def extra_columns(self) -> list[pl.Series]:
        """Return further columns of the table, which are computed from the fields and not read back."""
        return []

    @classmethod
    def from_part(cls, frame: pl.DataFrame, header: Mapping[str, Any], **rest: object) -> Self:
        """Read a result back from the result of ``to_part``.

        Args:
            frame: a table with the stored columns.
            header: the stored JSON values.
            rest: fields in neither of the two, such as the scale of ratings.
        """
        instrument, fields = header["signature"]
        signature = Signature(instrument, tuple((name, value) for name, value in fields))
        about_all = {name: header[name] for name in cls.header_fields}
        about_all = {
            name: tuple(value) if isinstance(value, list) else value for name, value in about_all.items()
        }
        values = values_in(cls, frame, header["columns"], prefix=PREFIX)
        return cls(**({"signature": signature} | values | about_all | rest))

    @classmethod
    def private_columns(cls) -> tuple[str, ...]:
        """Return the names of columns that are only in the run's parts, not in the output."""
        return tuple(PREFIX + PRIVATE + name for name, kind in result_columns(cls).items() if kind.is_private)

    def _with_rows(self, rows: Mask) -> Self:
        fields = result_columns(type(self)) or self.row_fields
        values: dict[str, Any] = {name: _select(getattr(self, name), rows) for name in fields}
        return replace(self, **values)  # type: ignore[type-var]  # every result is a frozen dataclass

    @property
    def _model_name(self) -> str:
        return dict(self.signature.fields).get("model", "unknown")


def as_mask(mask: object, n: int) -> Mask:
    """Check a mask of n rows.

    Args:
        mask: shape (n,), booleans in a list, an array or a series.
        n: number of rows.

    Raises:
        InputError: the mask has another length, or a value that is not a boolean.

    Examples:
        >>> as_mask([True, False], 2).tolist()
        [True, False]
    """
    remedy = "such as result.scored, or a column compared with a value"
    if not isinstance(mask, Iterable):
        raise InputError("mask", f"must be {n} booleans, {remedy}, got {mask!r}")
    cells = as_list(mask, "mask")
    for cell in cells:
        if not isinstance(cell, bool | np.bool_):
            raise InputError("mask", f"must be {n} booleans, {remedy}, got {cell!r:.40} among them")
    if len(cells) != n:
        raise InputError("mask", f"must have {n} rows, as many as the result, got {len(cells)}")
    return np.array(cells, dtype=np.bool_)


def _slice_mask(rows: slice, n: int) -> Mask:
    start, stop, step = rows.indices(n)
    if step < 0:
        raise InputError(
            f"a slice must not have a negative step, got a step of {step}: rows stay in their order"
        )
    marked = np.zeros(n, dtype=np.bool_)
    marked[start:stop:step] = True
    return marked


def _select(values: Any, rows: Mask) -> Any:
    if isinstance(values, Mapping):
        return {name: array[rows] for name, array in values.items()}
    if isinstance(values, tuple):
        return tuple(compress(values, rows)) if values else values
    return None if values is None else values[rows]


UNREAD = "the model cannot read the text: more than half of its tokens are unknown to it"
"""Reason for the status ``weightless``, in every output."""

_REASONS = {
    Status.MISSING: "{} is missing",
    Status.NOT_TEXT: "{} is not a text",
    Status.EMPTY: "{} is empty",
    Status.TOO_LONG: "{} has more than 100,000 characters",
    Status.UNINFORMATIVE: "{} has neither a letter nor a digit",
    Status.NO_REFERENCE: "no reference holds a text",
    Status.TOO_FEW_SAMPLES: "too few samples are usable",
    Status.WEIGHTLESS: UNREAD,
    Status.OFF_TOPIC: "{} is off the topic of the scale",
    Status.NOT_ABOUT: "{} is not about the aspect of the scale",
    Status.OTHER_LANGUAGE: "{} is in a language that the model does not read",
    Status.UNPARSABLE: "no reply contains exactly one score",
    Status.REFUSED: "the model declined to answer",
    Status.FAILED: "no reply came",
    Status.UNFINISHED: "the run stopped first",
}


def reason_words(status: Status, what: str) -> str | None:
    """Describe why a row has no score; ``None`` if it has one.

    Args:
        status: status of the row.
        what: subject of the sentence, such as "the answer".

    Examples:
        >>> reason_words(Status.EMPTY, "the answer"), reason_words(Status.SCORED, "the answer")
        ('the answer is empty', None)
    """
    return None if status == Status.SCORED else _REASONS[status].format(what)


PRIVATE = "*"
"""Prefix of columns that a run stores for its summary and leaves out of the output."""


@dataclass(frozen=True)
class ResultColumn:
    """Conversion of a result's field to columns of a table, and back.

    Attributes:
        write: function from a field's value and name to its columns.
        read: function from these columns, in the same order, to the field's value.
        is_private: whether the column is only in the run's parts; such a field has exactly one column.
    """

    write: Callable[[Any, str], Sequence[pl.Series]]
    read: Callable[[Sequence[pl.Series]], Any]
    is_private: bool = False

    @property
    def private(self) -> Self:
        """The same conversion, with a column that is not in the user's table."""
        return replace(self, is_private=True)


def result_columns(kind: type) -> dict[str, ResultColumn]:
    """Return the columns that the fields of a result declare, by the field's name."""
    hints = get_type_hints(kind, include_extras=True)
    notes = {field.name: getattr(hints[field.name], "__metadata__", ()) for field in fields(kind)}
    columns = {name: note for name, row in notes.items() for note in row if isinstance(note, ResultColumn)}
    # The status comes first in every table.
    return {name: columns[name] for name in sorted(columns, key=lambda name: name != "status")}


def write_columns(
    result: Any,
    *,
    private: bool = False,
    prefix: str = "",
) -> tuple[pl.DataFrame, dict[str, list[str]]]:
    """Write the columns of a result.

    Args:
        result: a dataclass whose fields declare columns; a field that is ``None`` has no column.
        private: whether to include private columns.
        prefix: prefix of every name.

    Returns:
        The table, and the names of the columns of each field.
    """
    series: list[pl.Series] = []
    names: dict[str, list[str]] = {}
    for name, kind in result_columns(type(result)).items():
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
        frame: a table with the columns from ``write_columns``.
        names: the names of the columns of each field; a field without columns gets its default.
        prefix: prefix of every name.
    """
    known = result_columns(kind)
    return {
        name: known[name].read(
            [frame[title].alias(title.removeprefix(prefix).removeprefix(PRIVATE)) for title in titles]
        )
        for name, titles in names.items()
    }


def _single_column(write: Callable[[Any], pl.Series], read: Callable[[pl.Series], Any]) -> ResultColumn:
    """Build the conversion of a field with a single column."""
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
"""Booleans, shape (n,)."""

STATUSES = _single_column(
    lambda values: pl.Series([str(status) for status in values], dtype=pl.String), statuses_in
)
"""Statuses, shape (n,)."""

TEXTS = _single_column(
    lambda values: pl.Series(list(values), dtype=pl.String),
    lambda cells: np.array(cells.to_list(), dtype=object),
)
"""Texts, shape (n,); ``None`` becomes null."""

TEXT_LISTS = _single_column(
    lambda values: pl.Series(values.tolist(), dtype=pl.List(pl.String)),
    lambda cells: np.array(cells.to_list(), dtype=object).reshape(len(cells), -1),
)
"""Texts, shape (n, k), in one column of lists; ``None`` becomes null."""

VECTORS = _single_column(
    lambda values: pl.Series(values.reshape(len(values), math.prod(values.shape[1:]))),
    lambda cells: cells.to_numpy().astype(np.float64),
)
"""Numbers, shape (n, k), in one column of arrays."""


def numbers_by_name(titles: Mapping[str, str] | None = None) -> ResultColumn:
    """Build the conversion of a field of numbers by name, each of shape (n,): one column per name.

    Args:
        titles: column names for names that would clash with other fields.
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
    """Build the conversion of a field with any number of records per row: a column of lists of structs.

    Args:
        kind: a dataclass whose fields are texts, numbers, or such records, or ``None`` instead of one.

    Examples:
        >>> from semscale.guards.findings import Span
        >>> (column,) = records(Span).write([[Span(0, 3, "Who")], []], "spans")
        >>> column.to_list()
        [[{'start': 0, 'end': 3, 'text': 'Who'}], []]
        >>> records(Span).read([column])
        ((Span(start=0, end=3, text='Who'),), ())
    """
    struct = _struct_type(kind)
    return _single_column(
        lambda rows: lists_of_structs("", [[asdict(record) for record in row] for row in rows], struct),
        lambda cells: TypeAdapter(tuple[tuple[kind, ...], ...]).validate_python(cells.to_list()),  # type: ignore[valid-type]
    )


def lists_of_structs(
    name: str, rows: Sequence[Sequence[Mapping[str, Any]] | None], struct: pl.Struct
) -> pl.Series:
    """Build a column of lists of structs; ``None`` is null.

    Examples:
        >>> lists_of_structs("spans", [[{"start": 0}], [], None], pl.Struct({"start": pl.Int64})).to_list()
        [[{'start': 0}], [], None]
    """
    # A series of nested lists is built ten times as fast by way of a table.
    table = pl.DataFrame([{name: row} for row in rows], schema={name: pl.List(struct)})
    return table.to_series()


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
