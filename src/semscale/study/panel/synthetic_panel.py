"""A panel of synthetic respondents: personas with their attributes, read from a table or drawn."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.messages import shortened
from semscale.stats.survey.design_effects import kish_design_effect
from semscale.store.columns import as_names, column_in
from semscale.store.reading import open_table
from semscale.study.panel.drawing import drawn_alone, drawn_together
from semscale.study.panel.margins import JointShares, checked_shares, raked

ID = "persona"
"""The column with a persona's name."""

WEIGHT = "weight"
"""The column with the weights of personas, where they have any."""

MOST_PERSONAS = 100_000
_BATCH = 50_000


@dataclass(frozen=True)
class SyntheticPanel:
    """Personas, and where they come from.

    Attributes:
        ids: a name for each of n personas, all different.
        fields: for each attribute the n cells, as text; ``None`` where a persona lacks it.
        source: a file, or how they were drawn.
        weights: of the personas, at least 0, with mean 1; ``None`` where all count alike.

    Raises:
        InputError: no persona, one name twice, or an attribute with the name of another column.
    """

    ids: tuple[str, ...]
    fields: Mapping[str, tuple[str | None, ...]]
    source: str
    weights: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if not self.ids:
            raise InputError(f"the panel of {self.source} has no persona")
        taken = (ID,) if self.weights is None else (ID, WEIGHT)
        if clash := next((name for name in taken if name in self.fields), None):
            raise InputError(
                f"{self.source}: an attribute must not be called {clash!r}, as the column of each persona's "
                f"{'name' if clash == ID else 'weight'}: rename it"
            )
        seen: dict[str, int] = {}
        for row, name in enumerate(self.ids, start=1):
            if name in seen:
                raise InputError(
                    f"{self.source}: rows {seen[name]} and {row} have the same persona {shortened(name)}"
                )
            seen[name] = row

    def __len__(self) -> int:
        return len(self.ids)

    def cells(self, row: int, names: Sequence[str]) -> dict[str, str]:
        """Give some attributes of a persona, which has all of them, or its name as ``persona``."""
        return {name: str(self._column(name)[row]) for name in names}

    def _column(self, name: str) -> tuple[str | None, ...]:
        return self.ids if name == ID else self.fields[name]

    def check(self, names: Sequence[str]) -> None:
        """Check that every persona has some attributes.

        Raises:
            InputError: one lacks one of them; the message names the row.
        """
        for name in names:
            lacking = next((row for row, cell in enumerate(self._column(name)) if cell is None), None)
            if lacking is not None:
                raise InputError(
                    f"{self.source}, row {lacking + 1}: persona {self.ids[lacking]!r} has no {name!r}, which "
                    "the study needs: fill it in, or leave the row out"
                )

    @property
    def effective_n(self) -> float:
        """Personas of equal weight that would be worth as much, by Kish; all where there are no weights."""
        return len(self) / (1.0 if self.weights is None else kish_design_effect(self.weights))

    @property
    def content_hash(self) -> str:
        """Eight hex digits of the SHA-256 of all names, attributes and weights."""
        weights = [] if self.weights is None else [self.weights]
        content = json.dumps([self.ids, sorted(self.fields.items()), *weights])
        return hashlib.sha256(content.encode()).hexdigest()[:8]

    @classmethod
    def of_frame(cls, rows: pl.DataFrame, source: str) -> Self:
        """Read personas from a table that ``to_frame`` laid out.

        Args:
            rows: of the table.
            source: where the personas come from.
        """
        has_weights = rows.schema.get(WEIGHT) == pl.Float64  # attributes are texts
        own = (ID, WEIGHT) if has_weights else (ID,)
        fields = {name: tuple(rows[name].to_list()) for name in rows.columns if name not in own}
        weights = tuple(rows[WEIGHT].to_list()) if has_weights else None
        return cls(tuple(rows[ID].to_list()), fields, source, weights)

    def to_frame(self) -> pl.DataFrame:
        """Lay the personas out: ``persona``, a column of texts for each attribute, and any ``weight``."""
        columns = {ID: self.ids, **self.fields}
        frame = pl.DataFrame({name: pl.Series(cells, dtype=pl.String) for name, cells in columns.items()})
        if self.weights is None:
            return frame
        return frame.with_columns(pl.Series(WEIGHT, self.weights, dtype=pl.Float64))


def read_panel(path: Path, *, name_column: str | None = None) -> SyntheticPanel:
    """Read personas from a table, one a row.

    Args:
        path: CSV, TSV, JSON lines, Parquet or Excel.
        name_column: the column with their names, which is an attribute as well; ``persona`` where there is
            one, else their row numbers.

    Raises:
        InputError: the file cannot be read, there is no such column, or a persona has no name.
    """
    table = open_table(path)
    if name_column is not None:
        table.require(name_column, "id")
    rows = pl.concat([*table.batches(_BATCH)], how="diagonal_relaxed")
    if rows.height > MOST_PERSONAS:
        raise InputError(f"{table.name} has {rows.height:,} personas, and {MOST_PERSONAS:,} are the most")
    column = name_column or (ID if ID in rows.columns else None)
    fields = {name: _attribute(rows[name]) for name in rows.columns if name != column}
    if column is None:
        return SyntheticPanel(tuple(map(str, range(1, rows.height + 1))), fields, table.name)
    named = _attribute(column_in(rows, column))
    nameless = next((row for row, name in enumerate(named, start=1) if not name), None)
    if nameless is not None:
        raise InputError(f"{table.name}, row {nameless}: the persona has no name in column {column!r}")
    if column != ID:
        fields[column] = named
    return SyntheticPanel(tuple(map(str, named)), fields, table.name)


def _attribute(cells: pl.Series) -> tuple[str | None, ...]:
    """Read a column as texts; cells of nothing but white space are missing."""
    return tuple(cell if cell and cell.strip() else None for cell in as_names(cells, cells.name))


def drawn_panel(
    size: int,
    *,
    margins: Mapping[str, Mapping[str, float]],
    joint: JointShares | None,
    seed: int,
) -> SyntheticPanel:
    """Draw personas whose counts meet stated shares within one person.

    Attributes of the joint distribution are drawn together, after it was raked to the margins that are given
    for them; every other margin is drawn by itself.

    Args:
        size: how many personas.
        margins: shares of levels by attribute.
        joint: shares of combinations; ``None`` where there are none.
        seed: of the draw.

    Raises:
        InputError: shares that do not sum to 1, or margins that cannot be met.
    """
    checked = {name: checked_shares(name, levels) for name, levels in margins.items()}
    rng = np.random.default_rng(seed)
    fields: dict[str, list[str]] = {}
    if joint is not None:
        within = {name: levels for name, levels in checked.items() if name in joint.levels}
        fields = drawn_together(raked(joint, within), size, rng)
    for name, levels in checked.items():
        if name not in fields:
            fields[name] = drawn_alone(levels, size, rng)
    width = len(str(size))
    ids = tuple(f"p{number:0{width}}" for number in range(1, size + 1))
    return SyntheticPanel(ids, {name: tuple(cells) for name, cells in fields.items()}, f"a draw, seed {seed}")
