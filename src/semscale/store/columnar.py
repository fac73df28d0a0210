"""Parquet: local and remote files and folders, read in slices."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
from polars.datatypes import DataTypeClass
from polars.exceptions import PolarsError

from semscale.errors import InputError, MissingExtraError
from semscale.store.places import explain_errors, identity, redact
from semscale.store.table import Table, check_names

ENDING = ".parquet"
"""Extension of the files of a folder that are read."""


FRAME_BYTES = 1 << 26
"""Bytes of content in a frame above which fewer rows are read at a time."""

_FIRST_ROWS = 1_000

DataType = pl.DataType | DataTypeClass


def open_parquet(path: Path, name: str) -> Table:
    """Open a Parquet file; its column types are kept.

    Frames have fewer rows than requested if the rows are long, so that memory stays bounded.

    Raises:
        InputError: the file is not Parquet, is damaged, or has no columns.
    """
    with _damage_refused(name):
        frame = pl.scan_parquet(path, glob=False)
        columns = check_names(frame.collect_schema().names(), name)
        n_rows = int(frame.select(pl.len()).collect().item())
    if not columns:
        raise InputError(f"{name} has no columns")

    frame_names = frame.collect_schema().names()
    named = frame.rename(dict(zip(frame_names, columns, strict=True)))

    def slices(rows: pl.LazyFrame, size: int, skip: int) -> Iterator[pl.DataFrame]:
        at_once = min(size, _FIRST_ROWS)
        while skip < n_rows:
            with _damage_refused(name):
                frame = rows.slice(skip, at_once).collect()
            if not frame.height:
                raise InputError(
                    f"{name} cannot be read as Parquet (it has {skip:,} rows and states {n_rows:,}); write "
                    "it again"
                )
            n_bytes = content_bytes(frame)
            at_once = min(size, max(1, frame.height * FRAME_BYTES // max(1, n_bytes)))
            if n_bytes <= FRAME_BYTES or frame.height == 1:
                yield frame
                skip += frame.height

    def read(size: int, skip: int) -> Iterator[pl.DataFrame]:
        return slices(named, size, skip)

    def read_columns(size: int, titles: Collection[str]) -> Iterator[pl.DataFrame]:
        return slices(named.select(title for title in columns if title in titles), size, 0)

    return Table(name, path, columns, read, n_rows=n_rows, settings=("parquet",), read_columns=read_columns)


@contextmanager
def _damage_refused(name: str) -> Iterator[None]:
    try:
        yield
    except (PolarsError, OSError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(
            f"{name} cannot be read as Parquet ({reason}); write it again, or name its `format`"
        ) from error


def content_bytes(frame: pl.DataFrame) -> int:
    """Return the size of a frame's cells in bytes; equal texts that share memory each count.

    Examples:
        >>> content_bytes(pl.DataFrame({"text": ["x" * 100] * 50}, {"text": pl.Categorical}))
        5000
    """
    texts = {title: _with_texts(dtype) for title, dtype in frame.schema.items()}
    return int(frame.cast(texts).estimated_size())  # type: ignore[arg-type]


def _with_texts(dtype: DataType) -> DataType:
    """Return a type with texts in place of categories, whose size is that of their numbers."""
    match dtype:
        case pl.Categorical() | pl.Enum():
            return pl.String()
        case pl.List(inner=inner):
            return pl.List(_with_texts(inner))
        case pl.Array(inner=inner, size=size):
            return pl.Array(_with_texts(inner), size)
        case pl.Struct(fields=fields):
            return pl.Struct([pl.Field(field.name, _with_texts(field.dtype)) for field in fields])
    return dtype


class Partition(NamedTuple):
    """A file of a folder of partitions.

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

    Examples:
        >>> partition_names(["b.parquet", "a/1.parquet", "_old/1.parquet", "_SUCCESS", ".b.parquet"])
        ['a/1.parquet', 'b.parquet']
    """
    seen = (path for path in paths if not any(part.startswith((".", "_")) for part in path.split("/")))
    return sorted(path for path in seen if path.endswith(ENDING))


def open_folder(folder: Path, files: Mapping[str, Path] | None = None) -> Table:
    """Open all Parquet files in a local folder and its subfolders.

    Args:
        folder: the folder.
        files: paths by which its files are read, by their names in the folder; by default all files.

    Raises:
        InputError: as ``open_partitions``, or a file is damaged.
    """
    if files is None:
        inside = (path for path in folder.rglob("*") if path.is_file())
        files = {path.relative_to(folder).as_posix(): path for path in inside}
    return open_partitions(
        [
            Partition(file_name, pl.Schema(pl.read_parquet_schema(path)), table)
            for file_name in partition_names(files)
            for path in [files[file_name]]
            for table in [open_parquet(path, str(folder / file_name))]
        ],
        str(folder),
    )


def open_partitions(partitions: Sequence[Partition], name: str) -> Table:
    """Read files with the same columns as one table.

    Args:
        partitions: the files in order.
        name: the folder's name in messages.

    Raises:
        InputError: there is no file, or a file's columns or types differ from the first file's.
    """
    if not partitions:
        raise InputError(f"{name} has no {ENDING} files; name a folder of partitions, or a file")
    first = partitions[0]
    for partition in partitions[1:]:
        _check_alike(first, partition, name)

    def read(size: int, skip: int) -> Iterator[pl.DataFrame]:
        return _rows(partitions, size, skip)

    def read_columns(size: int, titles: Collection[str]) -> Iterator[pl.DataFrame]:
        return (frame for file in partitions for frame in file.table.batches_with(titles, size))

    return Table(
        name,
        None,
        first.table.columns,
        read,
        n_rows=sum(file.table.n_rows or 0 for file in partitions),
        settings=("parquet", "folder"),
        read_columns=read_columns,
        identity=_identity(partitions),
    )


def rebatch(frames: Iterable[pl.DataFrame], size: int) -> Iterator[pl.DataFrame]:
    """Yield the rows of frames in frames of ``size`` rows; the last may be smaller.

    Args:
        frames: frames with the same columns.
        size: number of rows of a frame, at least 1.
    """
    pending: list[pl.DataFrame] = []
    n = 0
    for whole in frames:
        frame = whole
        while n + frame.height >= size:
            yield pl.concat([*pending, frame.head(size - n)])
            frame, pending, n = frame.slice(size - n), [], 0
        if frame.height:
            pending.append(frame)
            n += frame.height
    if pending:
        yield pl.concat(pending)


def _rows(partitions: Sequence[Partition], size: int, skip: int) -> Iterator[pl.DataFrame]:
    for partition in partitions:
        n = partition.table.n_rows or 0
        if skip < n:
            yield from partition.table.batches(size, skip)
        skip = max(skip - n, 0)


def _identity(partitions: Sequence[Partition]) -> Callable[[], str]:
    def identity() -> str:
        digest = hashlib.blake2b(digest_size=16)
        for partition in partitions:
            digest.update(f"{partition.name}\0{partition.table.fingerprint()}\0".encode())
        return digest.hexdigest()

    return identity


def _check_alike(first: Partition, other: Partition, name: str) -> None:
    beside = f"{name}: {other.name} has other columns than {first.name}"
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


class _RemoteFile(NamedTuple):
    """A Parquet file behind a URL: its reader, footer and columns."""

    url: str
    system: Any
    path: str
    footer: Any
    titles: tuple[str, ...]

    def frames(self, size: int, skip: int, titles: Collection[str] | None = None) -> Iterator[pl.DataFrame]:
        return rebatch(self._frames(size, skip, titles), size)

    def _frames(self, size: int, skip: int, titles: Collection[str] | None) -> Iterator[pl.DataFrame]:
        from pyarrow.parquet import ParquetFile

        groups, lost = self._groups_after(skip)
        stored = self.footer.schema.to_arrow_schema().names
        new = dict(zip(stored, self.titles, strict=True))
        names = [name for name in stored if titles is None or new[name] in titles]
        with self._open() as content:
            batches = ParquetFile(content, metadata=self.footer).iter_batches(size, groups, columns=names)
            while (batch := self._next(batches)) is not None:
                frame = pl.DataFrame(pl.from_arrow(batch)).select(names)
                yield frame.rename({name: new[name] for name in names}).slice(lost)
                lost = max(lost - frame.height, 0)

    def _groups_after(self, skip: int) -> tuple[list[int], int]:
        """Return the row groups with rows after the first ``skip``, and the number of their rows to skip."""
        start = 0
        for group in range(self.footer.num_row_groups):
            rows = self.footer.row_group(group).num_rows
            if start + rows > skip:
                return list(range(group, self.footer.num_row_groups)), skip - start
            start += rows
        return [], 0

    def _next(self, batches: Iterator[Any]) -> Any:
        with explain_errors(self.url, "read"):
            return next(batches, None)

    @contextmanager
    def _open(self) -> Iterator[Any]:
        with explain_errors(self.url, "read"):
            content = self.system.open(self.path, "rb")
        try:
            yield content
        finally:
            content.close()


def open_remote_parquet(url: str, system: Any, path: str) -> Partition:
    """Open a Parquet file behind a URL; its footer is read now, its row groups on demand.

    Args:
        url: its URL, for messages.
        system: fsspec's file system.
        path: the path in it.

    Raises:
        InputError: it cannot be read, is not Parquet, or has no columns.
        MissingExtraError: ``semscale[cloud]`` is not installed.
    """
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise MissingExtraError("pyarrow", "cloud") from error

    name = redact(url)
    with explain_errors(url, "read"):
        info = system.info(path)
        with system.open(path, "rb") as content:
            footer = ParquetFile(content).metadata
    arrow = footer.schema.to_arrow_schema()
    titles = check_names(list(arrow.names), name)
    if not titles:
        raise InputError(f"{name} has no columns")
    file = _RemoteFile(url, system, path, footer, titles)
    table = Table(
        name,
        None,
        titles,
        file.frames,
        n_rows=int(footer.num_rows),
        settings=("parquet",),
        read_columns=lambda size, chosen: file.frames(size, 0, chosen),
        identity=partial(identity, info),
    )
    schema = pl.DataFrame(pl.from_arrow(arrow.empty_table())).schema
    return Partition(path, schema, table)


def open_remote_folder(url: str, system: Any, path: str) -> Table:
    """Open all Parquet files in a remote folder and its subfolders.

    Raises:
        InputError: it cannot be read, has no Parquet files, or they have different columns.
        MissingExtraError: ``semscale[cloud]`` is not installed.
    """
    with explain_errors(url, "read"):
        root = path.rstrip("/") + "/"
        names = [
            file_name.removeprefix(root) for file_name in system.find(path) if file_name.startswith(root)
        ]
    base = url.rstrip("/") + "/"
    files = [
        open_remote_parquet(base + file_name, system, root + file_name)._replace(name=file_name)
        for file_name in partition_names(names)
    ]
    table = open_partitions(files, redact(url))
    return replace(
        table,
        read=lambda size, skip: rebatch(table.read(size, skip), size),
        read_columns=lambda size, titles: rebatch(table.batches_with(titles, size), size),
    )
