"""Columns of a table that coding reads: answers, hand codes, groups and a rating."""

from dataclasses import dataclass

import polars as pl

from semscale.errors import InputError
from semscale.store.columns import column_in, floats_in, groups_in
from semscale.store.table import Table
from semscale.types import Floats

_BATCH = 50_000


@dataclass(frozen=True)
class CodingColumns:
    """What columns are used for.

    Attributes:
        text: the answers.
        labels: what people coded, a column for each of them.
        inclusion: probability with which each row was drawn for them.
        by: names of groups.
        rating: numbers to find drivers of.

    Raises:
        InputError: one column for two things, or ``inclusion`` without ``labels``.
    """

    text: str
    labels: tuple[str, ...] = ()
    inclusion: str | None = None
    by: str | None = None
    rating: str | None = None

    def __post_init__(self) -> None:
        if self.inclusion is not None and not self.labels:
            raise InputError("inclusion belongs to labels: name the column of hand codes as well")
        used = [name for name, _ in self.named if name != self.by]
        twice = next((name for place, name in enumerate(used) if name in used[:place]), None)
        if twice is not None:
            raise InputError(f"column {twice!r} cannot be two things: name another column")

    @property
    def named(self) -> tuple[tuple[str, str], ...]:
        """The columns that are used, each with its option."""
        pairs: list[tuple[str | None, str]] = [
            (self.text, "text"),
            *((name, "labels") for name in self.labels),
        ]
        pairs += [(self.inclusion, "inclusion"), (self.by, "by"), (self.rating, "rating")]
        return tuple((name, option) for name, option in pairs if name is not None)

    def read(self, table: Table) -> pl.DataFrame:
        """Read all rows of a table.

        Raises:
            InputError: a column does not exist, or there is no text, or no row.
        """
        for column, option in self.named:
            table.require(column, option)
        table.require_text(self.text, "text")
        return pl.concat([*table.batches(_BATCH)], how="diagonal_relaxed")


def numbers_in(rows: pl.DataFrame, column: str, option: str) -> Floats:
    """Read a column of numbers, NaN where a cell has none.

    Raises:
        InputError: no cell has a number.
    """
    cells = column_in(rows, column).cast(pl.Float64, strict=False).fill_nan(None)
    if cells.is_null().all():
        raise InputError(f"{option}: column '{column}' has no number")
    return floats_in(cells)


def group_names(rows: pl.DataFrame, column: str) -> tuple[str | None, ...]:
    """Read a column of names of groups; ``None`` where there is none."""
    return tuple(groups_in(column_in(rows, column)).to_list())
