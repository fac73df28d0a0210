"""Example rows for a report: a seeded sample, the most and least certain, and some without a rating."""

import numpy as np
import polars as pl

from semscale.encodable_texts import encodable
from semscale.rating.rated_rows import RatedRows
from semscale.results.shown_rows import EXAMPLES_PER_STATUS
from semscale.stats.sampling import priorities
from semscale.store.cells import storable
from semscale.store.columns import is_missing
from semscale.types import Floats, Integers, Status

SAMPLE_SIZE = 400
MOST_EXAMPLES = 8

EXAMPLE_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "row": pl.Int64,
    "text": pl.String,
    "status": pl.String,
    "mean": pl.Float64,
    "mode": pl.Float64,
    "entropy": pl.Float64,
    "similarity": pl.Float64,
    "pmf": pl.List(pl.Float64),
}
"""Columns of every table of example rows in a summary."""


class Examples:
    """Takes rated rows in order and keeps a few; which ones does not depend on the size of the parts.

    Args:
        seed: seed of the sample.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        empty = pl.DataFrame(schema=EXAMPLE_SCHEMA)
        self._sample = empty.with_columns(priority=pl.Series([], dtype=pl.UInt64))
        self.most_certain = empty
        self.least_certain = empty
        self.left_out = empty

    @property
    def sample(self) -> pl.DataFrame:
        """At most 400 scored rows, in their order."""
        return self._sample.drop("priority").sort("row")

    def add(self, ratings: RatedRows, cells: list[object], first_row: int) -> None:
        """Add the next part, whose first row has the place ``first_row`` in the whole."""
        scored = np.flatnonzero(ratings.scored)
        self._add_sample(ratings, cells, scored, first_row)
        entropy = ratings.entropy[scored]
        rising, falling = (distinct_rows(_ordered(scored, key), cells) for key in (entropy, -entropy))
        self.most_certain = _first_distinct(
            pl.concat([self.most_certain, example_rows(ratings, cells, rising, first_row)]), pl.col("entropy")
        )
        self.least_certain = _first_distinct(
            pl.concat([self.least_certain, example_rows(ratings, cells, falling, first_row)]),
            -pl.col("entropy"),
        )
        left_out = example_rows(ratings, cells, left_out_rows(ratings.status), first_row)
        self.left_out = _first_per_status(pl.concat([self.left_out, left_out]))

    def _add_sample(self, ratings: RatedRows, cells: list[object], scored: Integers, first_row: int) -> None:
        drawn = priorities(first_row + scored, self._seed)
        first = np.argsort(drawn, kind="stable")[:SAMPLE_SIZE]
        rows = example_rows(ratings, cells, scored[first], first_row)
        rows = rows.with_columns(priority=pl.Series(drawn[first], dtype=pl.UInt64))
        self._sample = pl.concat([self._sample, rows]).sort("priority", "row").head(SAMPLE_SIZE)


def example_rows(ratings: RatedRows, cells: list[object], rows: Integers, first_row: int = 0) -> pl.DataFrame:
    """Lay some rows out as ``EXAMPLE_SCHEMA`` says; what is missing is null, cells that are no texts JSON."""
    few = ratings.take(rows)
    masses = zip(few.pmf.tolist(), few.scored, strict=True)
    table = pl.DataFrame(
        {
            "row": first_row + rows,
            "text": _texts([cells[row] for row in rows]),
            "status": [str(status) for status in few.status],
            "mean": few.mean,
            "mode": few.mode,
            "entropy": few.entropy,
            "similarity": few.similarity,
            "pmf": [row if is_scored else None for row, is_scored in masses],
        },
        schema=EXAMPLE_SCHEMA,
    )
    return table.with_columns(pl.col(pl.Float64).fill_nan(None))


def distinct_rows(rows: Integers, cells: list[object]) -> Integers:
    """Keep the first 8 rows whose texts differ.

    Example:
        >>> distinct_rows(np.array([2, 0, 1]), ["good", "bad", "good"]).tolist()
        [2, 1]
    """
    first: dict[object, int] = {}
    for row in rows:
        first.setdefault(cells[row], int(row))
        if len(first) == MOST_EXAMPLES:
            break
    return np.array(list(first.values()), dtype=np.int64)


def left_out_rows(status: np.ndarray) -> Integers:
    """The first 3 rows of each status that has no rating, by status."""
    unscored = [kind for kind in Status if kind != Status.SCORED]
    return np.concatenate([np.flatnonzero(status == kind)[:EXAMPLES_PER_STATUS] for kind in unscored])


def _ordered(rows: Integers, key: Floats) -> Integers:
    return rows[np.argsort(key, kind="stable")]


def _texts(cells: list[object]) -> pl.Series:
    texts = [encodable(cell) if isinstance(cell, str) else cell for cell in cells]
    known = [None if is_missing(text) else text for text in texts]
    return storable(pl.DataFrame([pl.Series("text", known, dtype=pl.Object)]))["text"]


def _first_distinct(rows: pl.DataFrame, certainty: pl.Expr) -> pl.DataFrame:
    ordered = rows.sort(certainty, "row")
    return ordered.unique("text", keep="first", maintain_order=True).head(MOST_EXAMPLES)


def _first_per_status(rows: pl.DataFrame) -> pl.DataFrame:
    order = pl.col("status").replace_strict(
        {str(status): place for place, status in enumerate(Status)}, return_dtype=pl.Int64
    )
    place = pl.int_range(pl.len()).over("status")
    return rows.filter(place < EXAMPLES_PER_STATUS).sort(order, "row")
