"""Tables whose rows are read once and stay in memory, compressed, so that a few columns are read at once."""

import io
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import polars as pl
from polars.exceptions import PolarsError

from semscale.store.columns import storable
from semscale.store.table import Table
from semscale.types import Progress

MOST_BYTES = 2**29
"""Maximum size of the compressed rows; a larger table is read from its file each time."""

_BATCH = 50_000


@dataclass(frozen=True)
class _Part:
    """Some rows: as Parquet, or as they are if Parquet would change the types of their columns."""

    height: int
    columns: tuple[str, ...]
    content: bytes | pl.DataFrame

    @classmethod
    def from_rows(cls, rows: pl.DataFrame) -> "_Part":
        rows = storable(rows)
        content = _parquet(rows)
        return cls(rows.height, tuple(rows.columns), rows if content is None else content)

    @property
    def n_bytes(self) -> int:
        content = self.content
        return len(content) if isinstance(content, bytes) else int(content.estimated_size())

    def rows(self, titles: Collection[str] | None = None) -> pl.DataFrame:
        """Return the rows with some columns; with all if none of these are in this part."""
        present = [column for column in self.columns if titles is None or column in titles]
        present = present or [*self.columns]
        if isinstance(self.content, pl.DataFrame):
            return self.content.select(present)
        return pl.read_parquet(io.BytesIO(self.content), columns=present)


def _parquet(rows: pl.DataFrame) -> bytes | None:
    """Return rows as Parquet; ``None`` if that would change them."""
    target = io.BytesIO()
    try:
        rows.write_parquet(target, compression="zstd")
        is_same = pl.read_parquet_schema(io.BytesIO(target.getvalue())) == rows.schema
    except PolarsError:
        return None
    return target.getvalue() if is_same else None


def table_in_memory(table: Table, progress: Progress) -> Table:
    """Read all rows of a table, and return it with the rows in memory; if these are too large, as it is.

    Cells of mixed columns become texts, as counts and expressions read them.

    Args:
        table: the table.
        progress: called with the number of rows that were read.

    Raises:
        InputError: a row cannot be read.
    """
    parts: list[_Part] = []
    n = n_bytes = 0
    for batch in table.batches(_BATCH):
        parts.append(_Part.from_rows(batch))
        n, n_bytes = n + batch.height, n_bytes + parts[-1].n_bytes
        if n_bytes > MOST_BYTES:
            return table
        progress("reading the rows", n, table.n_rows)

    def read(size: int, skip: int) -> Iterator[pl.DataFrame]:
        return _slices(parts, size, skip=skip)

    def read_columns(size: int, titles: Collection[str]) -> Iterator[pl.DataFrame]:
        return _slices(parts, size, titles)

    return replace(table, read=read, read_columns=read_columns, n_rows=n)


def _slices(
    parts: Sequence[_Part], size: int, titles: Collection[str] | None = None, skip: int = 0
) -> Iterator[pl.DataFrame]:
    for part in parts:
        if skip < part.height:
            rows = part.rows(titles)
            for start in range(skip, part.height, size):
                yield rows.slice(start, size)
        skip = max(0, skip - part.height)
