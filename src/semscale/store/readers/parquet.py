"""Reading of Parquet in slices, so that a file with one giant row group needs little memory."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
from polars.exceptions import PolarsError

from semscale.errors import InputError
from semscale.store.readers.parquet_pages import check_pages
from semscale.store.readers.rust_panics import panics_refused
from semscale.store.table import Table, check_names


def open_parquet(path: Path, name: str) -> Table:
    """Open a Parquet file; its column types are kept.

    Raises:
        InputError: the file is no Parquet file, is damaged, or has no columns.
    """
    check_pages(path, name)
    with _damage_refused(name):
        frame = pl.scan_parquet(path, glob=False)
        columns = check_names(frame.collect_schema().names(), name)
        n_rows = int(frame.select(pl.len()).collect().item())
    if not columns:
        raise InputError(f"{name} has no columns")

    frame_names = frame.collect_schema().names()
    named = frame.rename(dict(zip(frame_names, columns, strict=True)))

    def slices(rows: pl.LazyFrame, size: int, skip: int) -> Iterator[pl.DataFrame]:
        for start in range(skip, n_rows, size):
            with _damage_refused(name):
                batch = rows.slice(start, size).collect()
            yield batch

    def read(size: int, skip: int) -> Iterator[pl.DataFrame]:
        return slices(named, size, skip)

    def read_columns(size: int, titles: Collection[str]) -> Iterator[pl.DataFrame]:
        return slices(named.select(title for title in columns if title in titles), size, 0)

    return Table(name, path, columns, read, n_rows=n_rows, settings=("parquet",), read_columns=read_columns)


@contextmanager
def _damage_refused(name: str) -> Iterator[None]:
    with panics_refused(lambda: _damaged(name, "its reader breaks off")):
        try:
            yield
        except (PolarsError, OSError) as error:
            raise _damaged(name, (str(error).splitlines() or [type(error).__name__])[0]) from error


def _damaged(name: str, reason: str) -> InputError:
    return InputError(f"{name} cannot be read as Parquet ({reason}); write it again, or name its --format")
