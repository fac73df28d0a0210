"""Reading of Parquet behind URLs by row groups, without a copy of the file."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import polars as pl

from semscale.errors import InputError, MissingExtraError
from semscale.store.places.fetching import identity
from semscale.store.places.filesystems import reached
from semscale.store.places.urls import shown
from semscale.store.readers.partitions import Partition, open_partitions, partition_names, rebatched
from semscale.store.table import Table, check_names


class _RemoteFile(NamedTuple):
    """A file behind a URL: what reads it, its footer, and its columns."""

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
        own = self.footer.schema.to_arrow_schema().names
        new = dict(zip(own, self.titles, strict=True))
        names = [name for name in own if titles is None or new[name] in titles]
        with self._opened() as content:
            batches = ParquetFile(content, metadata=self.footer).iter_batches(size, groups, columns=names)
            while (batch := self._next(batches)) is not None:
                frame = pl.DataFrame(pl.from_arrow(batch)).select(names)
                yield frame.rename({name: new[name] for name in names}).slice(lost)
                lost = max(lost - frame.height, 0)

    def _groups_after(self, skip: int) -> tuple[list[int], int]:
        """Find the row groups with rows after the first ``skip``, and how many rows of them come before."""
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
    """Open a Parquet file behind a URL; its footer is read now, its row groups when their turn comes.

    Args:
        url: its URL, for messages.
        system: fsspec's file system.
        path: the path in it.

    Raises:
        InputError: it cannot be read, is no Parquet file, or has no columns.
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
    """Open all Parquet files below a folder behind a URL.

    Raises:
        InputError: it cannot be read, has no Parquet files, or they have different columns.
        MissingExtraError: ``semscale[cloud]`` is not installed.
    """
    with reached(url, "read"):
        root = path.rstrip("/") + "/"
        found = [each.removeprefix(root) for each in system.find(path) if each.startswith(root)]
    base = url.rstrip("/") + "/"
    files = [
        open_remote_parquet(base + each, system, root + each)._replace(name=each)
        for each in partition_names(found)
    ]
    return open_partitions(files, shown(url))
