"""Bands of numbers, such as ages under 18, from 18 to 34, and of 35 and over."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.messages import shortened
from semscale.store.numbers import numbers_among

_FORM = "write COLUMN=NUMBER,NUMBER, such as age=18,35,55"


@dataclass(frozen=True)
class Bands:
    """Bands of a column's numbers.

    Attributes:
        column: the numbers.
        bounds: ascending; each is the least number of its band.
        has_decimals: whether the column has other than whole numbers, so that "18 to 34" would leave 34.5
            out.

    Raises:
        InputError: no bounds, or bounds that do not ascend.
    """

    column: str
    bounds: tuple[float, ...]
    has_decimals: bool = False
    parameter = "band"
    outside = "is no number"

    def __post_init__(self) -> None:
        if not self.bounds or not np.all(np.diff(self.bounds) > 0) or not np.all(np.isfinite(self.bounds)):
            listed = ", ".join(f"{bound:g}" for bound in self.bounds)
            raise InputError(f"band: the bounds of '{self.column}' must ascend, got {listed}; sort them")

    @classmethod
    def read(cls, text: str) -> Self:
        """Read bands as an option has them.

        Raises:
            InputError: it has another form, or the bounds do not ascend.

        Example:
            >>> Bands.read("age=18,35")
            Bands(column='age', bounds=(18.0, 35.0), has_decimals=False)
        """
        column, _, listed = text.rpartition("=")
        try:
            bounds = tuple(float(bound) for bound in listed.split(","))
        except ValueError:
            raise InputError(f"band: {shortened(text)} cannot be read; {_FORM}") from None
        if not column.strip():
            raise InputError(f"band: {shortened(text)} names no column; {_FORM}")
        return cls(column.strip(), bounds)

    @property
    def title(self) -> str:
        """Name of the new column."""
        return f"{self.column}_band"

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the bands, from the lowest on.

        Example:
            >>> Bands("age", (18.0, 35.0)).labels
            ('under 18', '18 to 34', '35 and over')
            >>> Bands("share", (0.5, 1.0)).labels
            ('under 0.5', '0.5 to under 1', '1 and over')
            >>> Bands("age", (18.0, 35.0), has_decimals=True).labels
            ('under 18', '18 to under 35', '35 and over')
        """
        whole = not self.has_decimals and all(float(bound).is_integer() for bound in self.bounds)
        between = [
            f"{low:g} to {high - 1:g}" if whole and high - low > 1
            else f"{low:g}" if whole
            else f"{low:g} to under {high:g}"
            for low, high in zip(self.bounds, self.bounds[1:], strict=False)
        ]  # fmt: skip
        return (f"under {self.bounds[0]:g}", *between, f"{self.bounds[-1]:g} and over")

    def named_for(self, columns: Iterable[pl.Series]) -> Self:
        """Give the same bands with names that hold for the numbers of a column, given in parts.

        Example:
            >>> Bands("age", (18.0, 35.0)).named_for([pl.Series(["17", "34.5"])]).labels[1]
            '18 to under 35'
        """
        numbers = (numbers_among(cells).drop_nulls().drop_nans() for cells in columns)
        return replace(self, has_decimals=any(bool((part != part.floor()).any()) for part in numbers))

    def of(self, cells: pl.Series) -> pl.Series:
        """Name the band of each cell; null where there is no number.

        Example:
            >>> Bands("age", (18.0, 35.0)).of(pl.Series(["17", "18", "34", "?", None])).to_list()
            ['under 18', '18 to 34', '18 to 34', None, None]
        """
        numbers = numbers_among(cells)
        places = np.searchsorted(self.bounds, numbers.fill_null(0.0).to_numpy(), side="right")
        names = pl.Series(self.title, self.labels).gather(pl.Series(places.astype(np.int64)))
        return names.set(numbers.is_null(), None)
