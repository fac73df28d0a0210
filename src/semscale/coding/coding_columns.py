"""Columns of a table that coding reads: answers, hand codes, groups and a rating."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from semscale.errors import InputError, RowError
from semscale.rating.files.cells import weights_in
from semscale.stats.calibration.sample_design import SampleDesign
from semscale.store.columns import column_in, floats_in, groups_in
from semscale.store.first_look import look_through
from semscale.store.table import Table
from semscale.types import Floats, Integers

_PLACE = "*place"  # keeps the rows of a batch of JSON lines that has none of the columns


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

    def read_beside(self, table: Table, size: int, *, counting: bool = False) -> tuple[Table, pl.DataFrame]:
        """Read the columns beside the answers; a table with answers alone is not read.

        Args:
            table: the input, with the columns.
            size: rows that are read at once.
            counting: whether the rows must fit into an Excel sheet.

        Returns:
            The table, with the number of its rows if they were read, and its rows; none where no column is
            named.

        Raises:
            InputError: a row cannot be read, or there are more rows than Excel holds.
            StoppedByUserError: stopped by the user.
        """
        titles = {name for name, _ in self.named} - {self.text}
        found: list[pl.DataFrame] = []

        def look(batch: pl.DataFrame, first_row: int) -> None:
            own = [title for title in batch.columns if title in titles]
            found.append(batch.select(pl.int_range(pl.len()).alias(_PLACE), *own))

        if not titles and not counting:
            return table, pl.DataFrame()
        counted = look_through(table, titles or {self.text}, size, look, counting=counting)
        return counted, pl.concat(found, how="diagonal_relaxed")

    def design_in(self, rows: pl.DataFrame) -> SampleDesign:
        """How the rows were drawn: weights, strata, and whose answers they are.

        Raises:
            InputError: a weight that is none, a row without a stratum, or rows of one respondent in several
                strata.
        """
        design = SampleDesign(
            weights=None if self.weight is None else floats_in(weights_in(column_in(rows, self.weight))),
            clusters=None if self.respondent is None else _respondents(column_in(rows, self.respondent)),
            strata=None if self.strata is None else _strata(column_in(rows, self.strata)),
        )
        if design.clusters is not None and design.strata is not None:
            _, first, place = np.unique(design.clusters, return_index=True, return_inverse=True)
            split = np.flatnonzero(design.strata != design.strata[first][place])
            if len(split):
                raise InputError(
                    f"respondent: '{column_in(rows, str(self.respondent))[int(split[0])]}' lies in more than "
                    "one of the strata: give such rows one stratum, and other names in another"
                )
        return design


def _respondents(cells: pl.Series) -> Integers:
    """Number what belongs together; a row without a name is one by itself."""
    names = groups_in(cells).to_list()
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    alone = range(len(numbers), len(numbers) + len(names))
    return np.array(
        [place if name is None else numbers[name] for name, place in zip(names, alone, strict=True)],
        dtype=np.int64,
    )


def _strata(cells: pl.Series) -> Integers:
    """Number the strata.

    Raises:
        InputError: a row without one.
    """
    names = groups_in(cells).to_list()
    if None in names:
        raise RowError(
            f"strata: column '{cells.name}' is empty in data {{row}} (rows are counted "
            "from 1, below the header): every row needs a stratum",
            names.index(None),
        )
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names], dtype=np.int64)


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
