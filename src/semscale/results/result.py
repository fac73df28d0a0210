"""Attributes of all instruments' results: counts of rows, rows by a mask, a short description."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import Any, ClassVar, Self, Unpack

import numpy as np

from semscale.errors import InputError
from semscale.results.estimates import Estimates
from semscale.results.estimating import EstimateSettings
from semscale.signature import Signature
from semscale.stats.intervals.means import MeanEstimate
from semscale.store.columns import as_list
from semscale.types import Mask, Status, Statuses, are_scored, count_statuses

_MEAN_UP_TO = 100_000  # rows; with more, a mean with its interval would make a prompt wait


class Result(ABC):
    """One row for each of n items, in their order.

    Attributes:
        status: shape (n,), each a ``Status``: why a row has a score, or has none.
        signature: the settings that were applied.
        row_fields: names of the fields that have one entry for each row: arrays, tuples, or arrays by name.
    """

    status: Statuses
    signature: Signature
    row_fields: ClassVar[tuple[str, ...]] = ("status",)

    def __len__(self) -> int:
        return len(self.status)

    def __getitem__(self, mask: Sequence[bool] | Mask, /) -> Self:
        return self.filter(mask)

    def __repr__(self) -> str:
        parts = [f"n={self.n:,}", f"n_scored={self.n_scored:,}"]
        if self.n_scored and self.n <= _MEAN_UP_TO:
            parts.append(f"mean={_in_words(self.estimate(method='linearized').overall_mean())}")
        return f"{type(self).__name__}({', '.join([*parts, f'model={self._model_name}'])})"

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self)

    @property
    def scored(self) -> Mask:
        """Which rows have a score, shape (n,)."""
        return are_scored(self.status)

    @property
    def counts(self) -> dict[Status, int]:
        """How many rows have each status, as far as it occurs, in the order of ``Status``."""
        return count_statuses(self.status)

    @property
    def n_scored(self) -> int:
        """How many rows have a score."""
        return int(self.scored.sum())

    @property
    def n_left_out(self) -> int:
        """How many rows have no score."""
        return self.n - self.n_scored

    @property
    def n_windowed(self) -> int:
        """How many rows have a text that is longer than the model reads at once; 0 for judges."""
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

    def _with_rows(self, rows: Mask) -> Self:
        kept: dict[str, Any] = {name: _taken(getattr(self, name), rows) for name in self.row_fields}
        return replace(self, **kept)  # type: ignore[type-var]  # every result is a frozen dataclass

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


def _taken(values: Any, rows: Mask) -> Any:  # noqa: ANN401 - an array, a tuple, or arrays by name
    if isinstance(values, Mapping):
        return {name: array[rows] for name, array in values.items()}
    if isinstance(values, tuple):
        return tuple(compress(values, rows)) if values else values
    return values[rows]


def _in_words(mean: MeanEstimate) -> str:
    interval = "" if np.isnan(mean.low) else f" [{mean.low:.2f}, {mean.high:.2f}]"
    return f"{mean.value:.2f}{interval}"
