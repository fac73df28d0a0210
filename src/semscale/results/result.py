"""Results: one row for each item, with its status, and the reasons why a row has no score."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from numbers import Integral
from typing import Any, ClassVar, Self, Unpack

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.presentable import Presentable
from semscale.results.estimates import Estimates, mean_in_words
from semscale.results.result_columns import PRIVATE, declared, values_in, written
from semscale.results.tallies import EstimateSettings
from semscale.signature import Signature
from semscale.store.columns import as_list
from semscale.store.writing import PREFIX
from semscale.types import Mask, Status, Statuses, are_scored, count_statuses

# Rows; with more, a bootstrapped interval, or even the mean, would make a prompt wait.
_INTERVAL_UP_TO, _MEAN_UP_TO = 5_000, 100_000


class Result(ABC):
    """One row for each of n items, in their order.

    Attributes:
        status: shape (n,), each a ``Status``: why a row has a score, or has none.
        signature: the settings that were applied.
        row_fields: names of the fields that have one entry for each row and declare no column.
        header_fields: names of the fields about all rows that are stored with them, in types of JSON.
    """

    status: Statuses
    signature: Signature
    row_fields: ClassVar[tuple[str, ...]] = ("status",)
    header_fields: ClassVar[tuple[str, ...]] = ()

    def __len__(self) -> int:
        return len(self.status)

    def __getitem__(self, rows: Sequence[bool] | Mask | slice, /) -> Self:
        """Keep rows: those that a mask marks, or those of a slice, all in their order."""
        if isinstance(rows, slice):
            return self._with_rows(_sliced(rows, self.n))
        if isinstance(rows, Integral) and not isinstance(rows, bool | np.bool_):
            raise InputError(
                f"{type(self).__name__} takes a mask or a slice, got {rows}: "
                f"result[{rows}:{int(rows) + 1 or ''}] keeps one row, and to_frame() gives rows to go through"
            )
        return self.filter(rows)

    def __iter__(self) -> Iterator[Any]:
        raise TypeError(f"{type(self).__name__} is not iterable: to_frame() gives rows to go through")

    def __repr__(self) -> str:
        parts = [f"n={self.n:,}", f"n_scored={self.n_scored:,}"]
        if self.n_scored and self.n <= _MEAN_UP_TO:
            parts.append(self._mean_in_words())
        return f"{type(self).__name__}({', '.join([*parts, f'model={self._model_name}'])})"

    def _repr_html_(self) -> str | None:
        """Show a notebook what it shows of the summary; ``None``, where the one line says all.

        Results without a score, and those with too many rows to be drawn at once, are shown by the one line.
        """
        summary = self._short_summary() if self.n_scored and self.n <= _INTERVAL_UP_TO else None
        return None if summary is None else summary._repr_html_()

    def _short_summary(self) -> Presentable | None:
        """Sum the result up without its texts; ``None`` for a result that has no summary of its own."""
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

    @property
    def n_scored(self) -> int:
        """Number of rows that have a score."""
        return int(self.scored.sum())

    @property
    def n_left_out(self) -> int:
        """Number of rows that have no score."""
        return self.n - self.n_scored

    @property
    def n_windowed(self) -> int:
        """Number of rows whose text is longer than the model reads at once; 0 for judges."""
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
        """Keep the rows that a mask marks, in their order; ``result[mask]`` does the same.

        Args:
            mask: shape (n,), booleans, such as ``result.scored`` or ``table["country"] == "PT"``.

        Returns:
            Another result with the same signature.

        Raises:
            InputError: another length, or something that is no boolean.
        """
        return self._with_rows(as_mask(mask, self.n))

    def to_frame(self) -> pl.DataFrame:
        """Lay the result out as a table, one row per item; what is missing is null."""
        table, _ = written(self)
        return table.with_columns(self.derived_columns())

    def stored(self) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Lay the result out as a run stores it; ``from_part`` reads it back.

        Returns:
            The table with the run's prefix and private columns, and the rest in types of JSON.
        """
        table, names = written(self, private=True, prefix=PREFIX)
        derived = [column.alias(PREFIX + column.name) for column in self.derived_columns()]
        header = {
            "columns": names,
            "signature": [self.signature.instrument, [list(named) for named in self.signature.fields]],
            **{name: getattr(self, name) for name in self.header_fields},
        }
        return table.with_columns(derived), header

    def derived_columns(self) -> list[pl.Series]:
        """Return further columns of the table, which follow from the fields and are not read back."""
        return []

    @classmethod
    def from_part(cls, frame: pl.DataFrame, header: Mapping[str, Any], **rest: object) -> Self:
        """Read a result back from what ``stored`` gave.

        Args:
            frame: a table with the columns of the stored one.
            header: of the same result.
            rest: fields that neither has, such as the scale of ratings.
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
        """Return the names of columns that only the run's parts have."""
        return tuple(PREFIX + PRIVATE + name for name, kind in declared(cls).items() if kind.is_private)

    def _with_rows(self, rows: Mask) -> Self:
        fields = declared(type(self)) or self.row_fields
        values: dict[str, Any] = {name: _taken(getattr(self, name), rows) for name in fields}
        return replace(self, **values)  # type: ignore[type-var]  # every result is a frozen dataclass

    def _mean_in_words(self) -> str:
        if self.n <= _INTERVAL_UP_TO:
            return mean_in_words(self.estimate().overall_mean())
        return f"mean={self.estimate(method='linearized').overall_mean().value:.2f}"

    @property
    def _model_name(self) -> str:
        return dict(self.signature.fields).get("model", "unknown")


def as_mask(mask: object, n: int) -> Mask:
    """Check a mask of n rows.

    Args:
        mask: shape (n,), booleans in a list, an array or a series.
        n: how many rows there are.

    Raises:
        InputError: another length, or something that is no boolean.

    Example:
        >>> as_mask([True, False], 2).tolist()
        [True, False]
    """
    remedy = "such as result.scored, or a column compared with a value"
    if not isinstance(mask, Iterable):
        raise InputError(f"mask must be {n} booleans, {remedy}, got {mask!r}")
    cells = as_list(mask, "mask")
    for cell in cells:
        if not isinstance(cell, bool | np.bool_):
            raise InputError(f"mask must be {n} booleans, {remedy}, got {cell!r:.40} among them")
    if len(cells) != n:
        raise InputError(f"mask must have {n} rows, as many as the result, got {len(cells)}")
    return np.array(cells, dtype=np.bool_)


def _sliced(rows: slice, n: int) -> Mask:
    start, stop, step = rows.indices(n)
    if step < 0:
        raise InputError(f"a slice must not go backwards, got a step of {step}: rows stay in their order")
    marked = np.zeros(n, dtype=np.bool_)
    marked[start:stop:step] = True
    return marked


def _taken(values: Any, rows: Mask) -> Any:  # noqa: ANN401 - an array, a tuple, arrays by name
    if isinstance(values, Mapping):
        return {name: array[rows] for name, array in values.items()}
    if isinstance(values, tuple):
        return tuple(compress(values, rows)) if values else values
    return None if values is None else values[rows]


UNREAD = "the model cannot read the text: more than half of its tokens are unknown to it"
"""Why a text is weightless, in every output."""

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
    Status.OTHER_LANGUAGE: "{} is in a language that the model does not read",
    Status.UNPARSABLE: "no reply contains exactly one score",
    Status.REFUSED: "the model declined to answer",
    Status.FAILED: "no reply came",
    Status.UNFINISHED: "the run stopped first",
}


def reason_words(status: Status, what: str) -> str | None:
    """Say why a row has no score; ``None`` where it has one.

    Args:
        status: of the row.
        what: what is measured, such as "the answer".

    Example:
        >>> reason_words(Status.EMPTY, "the answer"), reason_words(Status.SCORED, "the answer")
        ('the answer is empty', None)
    """
    return None if status == Status.SCORED else _REASONS[status].format(what)
