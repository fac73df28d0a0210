"""Tables with further columns that are made of their own."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import polars as pl

from semscale.errors import InputError
from semscale.messages import shortened
from semscale.store.cells import storable
from semscale.store.column_labels import ColumnLabels
from semscale.store.columns import column_in, groups_in
from semscale.store.deriving.bands import Bands
from semscale.store.deriving.value_groups import ValueGroups
from semscale.store.deriving.value_labels import ValueLabels
from semscale.store.table import Table

_BATCH = 50_000
_SHOWN = 3


class Derivation(Protocol):
    """A column that is made of another one, cell by cell."""

    @property
    def column(self) -> str:
        """The column that it is made of."""

    @property
    def title(self) -> str:
        """Its name."""

    @property
    def parameter(self) -> str:
        """What asked for it, for messages."""

    @property
    def outside(self) -> str:
        """What is said of a cell that is filled and gives nothing, such as ``is in no group``."""

    def of(self, cells: pl.Series) -> pl.Series:
        """Make the cells of the new column; null where there is nothing."""


@dataclass
class _Coverage:
    """How many filled cells of a column give something, and examples of those that do not."""

    n: int = 0
    given: int = 0
    others: Counter[str] = field(default_factory=Counter)

    def add(self, cells: pl.Series, found: pl.Series) -> None:
        names = groups_in(cells)
        names = names.set(names.str.strip_chars() == "", None)
        self.n += len(names) - names.null_count()
        self.given += len(found) - found.null_count()
        self.others.update(names.filter(found.is_null() & names.is_not_null()).to_list())
        if len(self.others) > _BATCH:
            self.others = Counter(dict(self.others.most_common(_SHOWN)))


def with_derived(table: Table, derivations: Sequence[Derivation]) -> Table:
    """Add columns that are made of others; each may be made of one before it.

    The columns that they are made of are read once, those of bands twice. How many filled cells give nothing
    is added to the table's notes.

    Raises:
        InputError: a new column has a name that is taken, or gives nothing in any row.
        UnknownNameError: a column does not exist.
    """
    for derivation in derivations:
        table = _with_one(table, _fitted(derivation, table))
    return table


def _fitted(derivation: Derivation, table: Table) -> Derivation:
    """Fit a derivation to its column: groups to its labels, names of bands to its numbers."""
    table.require(derivation.column, derivation.parameter)
    if isinstance(derivation, ValueGroups):
        return derivation.by_value(table.labels.get(derivation.column, ColumnLabels()).values)
    if isinstance(derivation, Bands):
        batches = table.batches_with([derivation.column], _BATCH)
        return derivation.named_for(_cells(batch, derivation.column) for batch in batches)
    return derivation


def by_label(table: Table, columns: Sequence[str]) -> tuple[Table, list[str]]:
    """Let groups be called by the labels of their values, where a table has labels.

    Args:
        table: the input.
        columns: names of columns of groups.

    Returns:
        The table, with a column of labels for each of these columns that has them, and the names of the
        columns to compare by.

    Raises:
        UnknownNameError: a column does not exist.
    """
    names = []
    for column in columns:
        labels = table.labels.get(column, ColumnLabels()).values
        made = ValueLabels(column, labels)
        if labels and made.title not in table.columns:
            table = _with_one(table, made)
        names.append(made.title if labels else column)
    return table, names


def with_label(table: Table, by: str | None) -> tuple[Table, str | None]:
    """Let groups be called by labels, as ``by_label`` does; without a column of groups nothing changes."""
    if by is None:
        return table, None
    table, (name,) = by_label(table, [by])
    return table, name


def _with_one(table: Table, made: Derivation) -> Table:
    if made.title in table.columns:
        raise InputError(
            f"{made.parameter}: {table.name} has a column '{made.title}' already; rename it in the file"
        )
    coverage = _covered(table, made)

    def added(batches: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
        for batch in batches:
            yield batch.with_columns(made.of(_cells(batch, made.column)))

    def read(size: int, skip: int) -> Iterator[pl.DataFrame]:
        return added(table.batches(size, skip))

    def read_columns(size: int, titles: Collection[str]) -> Iterator[pl.DataFrame]:
        return added(table.batches_with({*titles, made.column} - {made.title}, size))

    return replace(
        table,
        columns=(*table.columns, made.title),
        read=read,
        read_columns=None if table.read_columns is None else read_columns,
        settings=(*table.settings, repr(made)),
        notes=(*table.notes, *_notes(coverage, made)),
    )


def _cells(batch: pl.DataFrame, column: str) -> pl.Series:
    return storable(column_in(batch, column).to_frame()).to_series()


def _covered(table: Table, made: Derivation) -> _Coverage:
    coverage = _Coverage()
    for batch in table.batches_with([made.column], _BATCH):
        cells = _cells(batch, made.column)
        coverage.add(cells, made.of(cells))
    if not coverage.given:
        found = f": it has {_examples(coverage)}" if coverage.n else ""
        raise InputError(
            f"{made.parameter}: every cell of column '{made.column}' "
            f"{made.outside if coverage.n else 'is empty'}{found}; check the column and what was asked"
        )
    return coverage


def _notes(coverage: _Coverage, made: Derivation) -> list[str]:
    outside = coverage.n - coverage.given
    if not outside:
        return []
    rows = "1 row has" if outside == 1 else f"{outside:,} rows have"
    return [
        f"{rows} no '{made.title}', as the value in '{made.column}' {made.outside} ({_examples(coverage)})"
    ]


def _examples(coverage: _Coverage) -> str:
    most = [shortened(name) for name, _ in coverage.others.most_common(_SHOWN)]
    return ", ".join(most) + (", ..." if len(coverage.others) > _SHOWN else "")
