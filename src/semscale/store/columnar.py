"""Parquet: local and remote files and folders, read in slices."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import polars as pl
from polars.exceptions import PolarsError

from semscale.errors import InputError, MissingExtraError
from semscale.store.places import identity, reached, shown
from semscale.store.table import Table, check_names, panics_refused

ENDING = ".parquet"
"""Extension of the files of a folder that are read."""


def open_parquet(path: Path, name: str) -> Table:
    """Open a Parquet file; its column types are kept.

    Raises:
        InputError: the file is not Parquet, is damaged, or has no columns.
    """
    _check_pages(path, name)
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
    with panics_refused(name, "Parquet"):
        try:
            yield
        except (PolarsError, OSError) as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            raise InputError(
                f"{name} cannot be read as Parquet ({reason}); write it again, or name its --format"
            ) from error


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


def open_folder(folder: Path) -> Table:
    """Open all Parquet files in a local folder and its subfolders.

    Raises:
        InputError: as ``open_partitions``, or a file is damaged.
    """
    name = str(folder)
    names = partition_names(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )
    return open_partitions(
        [
            Partition(file_name, pl.Schema(pl.read_parquet_schema(path)), table)
            for file_name in names
            for path in [folder / file_name]
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
        InputError: there is no file, or a file's columns or types differ from the first file's.
    """
    if not partitions:
        raise InputError(f"{name} has no {ENDING} files; name a folder of partitions, or a file")
    first = partitions[0]
    for partition in partitions[1:]:
        _check_alike(first, partition, name)

    def read(size: int, skip: int) -> Iterator[pl.DataFrame]:
        return rebatched(_rows(partitions, size, skip), size)

    def read_columns(size: int, titles: Collection[str]) -> Iterator[pl.DataFrame]:
        frames = (frame for file in partitions for frame in file.table.batches_with(titles, size))
        return rebatched(frames, size)

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


def rebatched(frames: Iterable[pl.DataFrame], size: int) -> Iterator[pl.DataFrame]:
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
        return rebatched(self._frames(size, skip, titles), size)

    def _frames(self, size: int, skip: int, titles: Collection[str] | None) -> Iterator[pl.DataFrame]:
        from pyarrow.parquet import ParquetFile

        groups, lost = self._groups_after(skip)
        stored = self.footer.schema.to_arrow_schema().names
        new = dict(zip(stored, self.titles, strict=True))
        names = [name for name in stored if titles is None or new[name] in titles]
        with self._opened() as content:
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

    def _next(self, batches: Iterator[Any]) -> Any:  # noqa: ANN401 - pyarrow has no types
        with reached(self.url, "read"):
            return next(batches, None)

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        with reached(self.url, "read"):
            content = self.system.open(self.path, "rb")
        try:
            yield content
        finally:
            content.close()


def open_remote_parquet(url: str, system: Any, path: str) -> Partition:  # noqa: ANN401 - fsspec has no types
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

    name = shown(url)
    with reached(url, "read"):
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


def open_remote_folder(url: str, system: Any, path: str) -> Table:  # noqa: ANN401 - fsspec has no types
    """Open all Parquet files in a remote folder and its subfolders.

    Raises:
        InputError: it cannot be read, has no Parquet files, or they have different columns.
        MissingExtraError: ``semscale[cloud]`` is not installed.
    """
    with reached(url, "read"):
        root = path.rstrip("/") + "/"
        names = [
            file_name.removeprefix(root) for file_name in system.find(path) if file_name.startswith(root)
        ]
    base = url.rstrip("/") + "/"
    files = [
        open_remote_parquet(base + file_name, system, root + file_name)._replace(name=file_name)
        for file_name in partition_names(names)
    ]
    return open_partitions(files, shown(url))


# Sizes and counts in a Parquet file, which are checked because its reader takes the memory that they ask for.

_MAGIC = b"PAR1"
_TAIL = 8  # length of the footer, and the magic
_HEADER = 64 * 1024  # a page's header has some 30 bytes, and up to a few KB of statistics
# Numbers of fields in parquet.thrift.
_ROWS, _GROUPS = 3, 4  # FileMetaData
_CHUNKS, _GROUP_ROWS = 1, 3  # RowGroup
_META = 3  # ColumnChunk
_VALUES, _PACKED, _DATA_AT, _DICTIONARY_AT = 5, 7, 9, 11  # ColumnMetaData
_PAGE_UNPACKED, _PAGE_PACKED, _DATA, _DICTIONARY, _DATA_2 = 2, 3, 5, 7, 8  # PageHeader
_PAGE_VALUES, _NULLS, _PAGE_ROWS, _DEFINITIONS, _REPETITIONS = 1, 2, 3, 5, 6  # headers of its kinds
# Thrift's compact protocol.
_TRUE, _FALSE, _DOUBLE = 1, 2, 7
_DOUBLE_BYTES = 8
_LONGEST_NUMBER = 10  # bytes of a 64-bit number, 7 bits in each
_MOST_LEVELS = 40
_LONG_LIST = 15

Struct = dict[int, Any]
"""Values of a struct by field number."""


class _DamageError(ValueError):
    """A size or a count in a file is impossible."""


def _check_pages(path: Path, name: str) -> None:
    """Refuse a Parquet file with a size or a count that is negative, or larger than the enclosing one.

    Args:
        path: the file; one without Parquet's last bytes is not checked, as its reader refuses it.
        name: the file's name in messages.

    Raises:
        InputError: the file is damaged.

    References:
        Apache Parquet, parquet.thrift, structs FileMetaData to PageHeader.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - _TAIL))
        tail = file.read(_TAIL)
        if tail[-4:] != _MAGIC:
            return
        try:
            for chunk in _chunks(file, size, int.from_bytes(tail[:4], "little")):
                _check_chunk(file, chunk, size)
        except (IndexError, KeyError, TypeError, AttributeError, ValueError) as error:
            reason = error if isinstance(error, _DamageError) else "its metadata is damaged"
            raise InputError(f"{name} cannot be read as Parquet ({reason}); write it again") from error


def _chunks(file: BinaryIO, size: int, length: int) -> Iterator[Struct]:
    """Yield the footer's entry for each column of each row group."""
    _within("the length of its footer", length, size - _TAIL)
    file.seek(size - _TAIL - length)
    footer = _CompactReader(file.read(length)).struct()
    for group in footer[_GROUPS]:
        _within("a number of rows", group[_GROUP_ROWS], footer[_ROWS])
        yield from (chunk[_META] for chunk in group[_CHUNKS])


def _check_chunk(file: BinaryIO, chunk: Struct, size: int) -> None:
    at = min(chunk[_DATA_AT], chunk.get(_DICTIONARY_AT) or size)
    _within("a place", at, size)
    _within("a size", chunk[_PACKED], size - at)
    _within("a number of values", chunk[_VALUES], None)
    end, values = at + chunk[_PACKED], 0
    while at < end and values < chunk[_VALUES]:
        file.seek(at)
        reader = _CompactReader(file.read(_HEADER))
        page = reader.struct()
        at += reader.at
        # Old writers leave a page's header out of the column's size: the file's is the bound.
        _within("a page's size", page[_PAGE_PACKED], size - at)
        at += page[_PAGE_PACKED]
        values += _checked_values(page, chunk[_VALUES] - values)


def _checked_values(page: Struct, left: int) -> int:
    """Return the number of values in a data page; 0 for a dictionary page."""
    unpacked = page[_PAGE_UNPACKED]
    _within("a page's size", unpacked, None)
    if _DICTIONARY in page:
        _within("a number of values", page[_DICTIONARY][_PAGE_VALUES], unpacked)
    head = page.get(_DATA) or page.get(_DATA_2)
    if head is None:
        return 0
    _within("a number of values", head[_PAGE_VALUES], left)
    if _DATA_2 in page:
        _within("a number of nulls", head[_NULLS], head[_PAGE_VALUES])
        _within("a number of rows", head[_PAGE_ROWS], head[_PAGE_VALUES])
        _within("a size", head[_DEFINITIONS], unpacked)
        _within("a size", head[_REPETITIONS], unpacked - head[_DEFINITIONS])
    return int(head[_PAGE_VALUES])


def _within(what: str, number: int, most: int | None) -> None:
    if number < 0 or (most is not None and number > most):
        bounds = "at least 0" if most is None else f"0 to {most:,}"
        raise _DamageError(f"{what} is {number:,}, not {bounds}")


class _CompactReader:
    """Reader of consecutive structs.

    Args:
        content: bytes that begin with the first struct.

    Examples:
        >>> _CompactReader(bytes([0x15, 0x06, 0x00])).struct()
        {1: 3}

    References:
        Apache Thrift, "Thrift compact protocol", doc/specs/thrift-compact-protocol.md.
    """

    def __init__(self, content: bytes) -> None:
        self._content = content
        self.at = 0
        """Bytes that were read."""

    def struct(self, level: int = 0) -> Struct:
        """Read a struct.

        Raises:
            IndexError: the bytes end before the struct.
            ValueError: the bytes are not a struct.
        """
        fields: Struct = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._signed()
            kind = head & 0x0F
            fields[number] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind, level)
        return fields

    def _value(self, kind: int, level: int) -> Any:  # noqa: ANN401 - a number, bytes, a list or a struct
        if level > _MOST_LEVELS:
            raise ValueError("too many levels")
        match kind:
            case 1 | 2 | 3:  # in a list, a truth value is a byte
                return self._byte()
            case 4 | 5 | 6:
                return self._signed()
            case 7 | 8:
                return self._bytes(_DOUBLE_BYTES if kind == _DOUBLE else self._unsigned())
            case 9 | 10:
                return self._list(level)
            case 11:
                return self._map(level)
            case 12:
                return self.struct(level + 1)
        raise ValueError(f"no type {kind}")

    def _list(self, level: int) -> list[Any]:
        head = self._byte()
        size = self._unsigned() if head >> 4 == _LONG_LIST else head >> 4
        return [self._value(head & 0x0F, level + 1) for _ in range(size)]

    def _map(self, level: int) -> list[Any]:
        size = self._unsigned()
        kinds = self._byte() if size else 0
        return [self._value(kind, level + 1) for _ in range(size) for kind in (kinds >> 4, kinds & 0x0F)]

    def _byte(self) -> int:
        self.at += 1
        return self._content[self.at - 1]

    def _bytes(self, size: int) -> bytes:
        if size > len(self._content) - self.at:
            raise IndexError("the bytes end")
        self.at += size
        return self._content[self.at - size : self.at]

    def _unsigned(self) -> int:
        number = 0
        for digit in range(_LONGEST_NUMBER):
            byte = self._byte()
            number |= (byte & 0x7F) << (7 * digit)
            if byte < 0x80:  # noqa: PLR2004 - the highest bit says that more follow
                return number
        raise ValueError("a number is too long")

    def _signed(self) -> int:
        number = self._unsigned()
        return (number >> 1) ^ -(number & 1)
