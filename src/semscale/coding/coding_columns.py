"""Columns of a table that coding reads: answers, hand codes, groups and a rating."""

from dataclasses import dataclass

import polars as pl

from semscale.errors import InputError
from semscale.store.cells import storable
from semscale.store.columns import column_in, floats_in
from semscale.store.table import Table
from semscale.types import Floats


@dataclass(frozen=True)
class CodingColumns:
    """What columns are used for.

    Attributes:
        text: the answers.
        labels: what people coded, a column for each of them.
        inclusion: probability with which each row was drawn for them.
        by: columns of names of groups, each compared by itself.
        rating: numbers to find drivers of.
        weight: how much each row counts, finite and not negative.
        respondent: who or what rows belong to that were drawn together.
        strata: names of parts that were sampled apart.

    Raises:
        InputError: one column for two things, one of ``by`` twice, or ``inclusion`` without ``labels``.
    """

    text: str
    labels: tuple[str, ...] = ()
    inclusion: str | None = None
    by: tuple[str, ...] = ()
    rating: str | None = None
    weight: str | None = None
    respondent: str | None = None
    strata: str | None = None

    def __post_init__(self) -> None:
        if self.inclusion is not None and not self.labels:
            raise InputError("inclusion belongs to labels: name the column of hand codes as well")
        if self.text in self.by:
            raise InputError(f"by: column '{self.text}' has the answers; name one with groups")
        for column in self.by:
            if self.by.count(column) > 1:
                raise InputError(f"by: column '{column}' is named twice; name it once")
        grouping = (*self.by, self.strata, self.respondent)
        used = [name for name, _ in self.named if name not in grouping]
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
        pairs += [(self.inclusion, "inclusion"), *((name, "by") for name in self.by)]
        pairs.append((self.rating, "rating"))
        pairs += [(self.weight, "weight"), (self.respondent, "respondent"), (self.strata, "strata")]
        return tuple((name, option) for name, option in pairs if name is not None)

    def check(self, table: Table) -> None:
        """Check that a table has the columns, before anything is read.

        Raises:
            InputError: a column does not exist, or there is no text.
        """
        for column, option in self.named:
            table.require(column, option)
        table.require_text(self.text, "text")


def numbers_in(rows: pl.DataFrame, column: str) -> Floats:
    """Read a column of numbers, shape (n,), NaN where a cell has none."""
    cells = storable(column_in(rows, column).to_frame()).to_series()
    return floats_in(cells.cast(pl.Float64, strict=False).fill_nan(None))
