"""Folders of Parquet partitions, read as one table in the order of their names."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl

from semscale.errors import InputError
from semscale.store.readers.parquet import open_parquet
from semscale.store.table import Table

ENDING = ".parquet"
"""Ending of the files of a folder that are read."""


class Partition(NamedTuple):
    """A file of a folder.

    Attributes:
        name: its path in the folder.
        schema: its columns and their types.
        table: its rows.
    """

    name: str
    schema: pl.Schema
    table: Table


def partition_names(paths: Iterable[str]) -> list[str]:
    """Sort the Parquet files among paths in a folder; names that begin with ``.`` or ``_`` are left out.

    Example:
        >>> partition_names(["b.parquet", "a/1.parquet", "_old/1.parquet", "_SUCCESS", ".b.parquet"])
        ['a/1.parquet', 'b.parquet']
    """
    seen = (path for path in paths if not any(part.startswith((".", "_")) for part in path.split("/")))
    return sorted(path for path in seen if path.endswith(ENDING))


def open_folder(folder: Path) -> Table:
    """Open all Parquet files below a folder of this machine.

    Raises:
        InputError: as ``open_partitions``, or a file is damaged.
    """
    name = str(folder)
    found = partition_names(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )
    return open_partitions(
        [
            Partition(each, pl.Schema(pl.read_parquet_schema(path)), table)
            for each in found
            for path in [folder / each]
            for table in [open_parquet(path, str(path))]
        ],
        name,
    )


def open_partitions(partitions: Sequence[Partition], name: str) -> Table:
    """Read files with the same columns as one table.

    Args:
        partitions: the files in order.
        name: the folder's name in messages.

    Raises:
        InputError: there is no file, or one has other columns or types than the first.
    """
    if not partitions:
        raise InputError(f"{name} has no {ENDING} files; name a folder of partitions, or a file")
    first = partitions[0]
    for partition in partitions[1:]:
        _check_alike(first, partition, name)

    def read(size: int, skip: int) -> Iterator[pl.DataFrame]:
        return rebatched(_rows(partitions, size, skip), size)

    def read_columns(size: int, titles: Collection[str]) -> Iterator[pl.DataFrame]:
        frames = (frame for each in partitions for frame in each.table.batches_with(titles, size))
        return rebatched(frames, size)

    return Table(
        name,
        None,
        first.table.columns,
        read,
        n_rows=sum(each.table.n_rows or 0 for each in partitions),
        settings=("parquet", "folder"),
        read_columns=read_columns,
        identity=_identity(partitions),
    )


def rebatched(frames: Iterable[pl.DataFrame], size: int) -> Iterator[pl.DataFrame]:
    """Cut frames anew, so that each but the last has ``size`` rows.

    Args:
        frames: with the same columns.
        size: rows of a frame, at least 1.
    """
    kept: list[pl.DataFrame] = []
    n = 0
    for whole in frames:
        frame = whole
        while n + frame.height >= size:
            yield pl.concat([*kept, frame.head(size - n)])
            frame, kept, n = frame.slice(size - n), [], 0
        if frame.height:
            kept.append(frame)
            n += frame.height
    if kept:
        yield pl.concat(kept)


def _rows(partitions: Sequence[Partition], size: int, skip: int) -> Iterator[pl.DataFrame]:
    for each in partitions:
        n = each.table.n_rows or 0
        if skip < n:
            yield from each.table.batches(size, skip)
        skip = max(skip - n, 0)


def _identity(partitions: Sequence[Partition]) -> Callable[[], str]:
    def identity() -> str:
        digest = hashlib.blake2b(digest_size=16)
        for each in partitions:
            digest.update(f"{each.name}\0{each.table.fingerprint()}\0".encode())
        return digest.hexdigest()

    return identity


def _check_alike(first: Partition, other: Partition, name: str) -> None:
    beside = f"{name}: {other.name} does not fit to {first.name}"
    remedy = "write all partitions with the same columns, or move it away"
    lost = [column for column in first.schema if column not in other.schema]
    if lost:
        raise InputError(f"{beside}: it has no column '{lost[0]}'; {remedy}")
    further = [column for column in other.schema if column not in first.schema]
    if further:
        raise InputError(f"{beside}: it has another column '{further[0]}'; {remedy}")
    for column, dtype in first.schema.items():
        if other.schema[column] != dtype:
            raise InputError(
                f"{beside}: column '{column}' has the type {other.schema[column]}, not {dtype}; {remedy}"
            )
    if list(other.schema) != list(first.schema):
        raise InputError(f"{beside}: its columns are in another order; {remedy}")
