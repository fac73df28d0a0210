"""Files of parts and partitions as any machine that sees the output's folder writes them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from semscale.errors import InputError
from semscale.store.places.fetching import temporary_folder
from semscale.store.places.output_places import OutputPlace
from semscale.store.places.part_files import PartFiles, files_of
from semscale.store.runs.part_joining import aligned_part
from semscale.store.runs.stored_part import StoredPart, checksum, part_name

WORK = "_semscale/"
"""Folder of the parts, within that of the partitions."""


class PartitionOrder(NamedTuple):
    """A partition that is to be made of a part.

    Attributes:
        part: the part.
        own: its columns and types.
        schema: columns and types of all partitions.
        late: further columns of its rows, or ``None``.
    """

    part: StoredPart
    own: Mapping[str, pl.DataType]
    schema: Mapping[str, pl.DataType]
    late: pl.DataFrame | None


class PartInPlace(NamedTuple):
    """A part whose file another machine has written where the run keeps its parts.

    Attributes:
        part: the part; nothing marks it as finished yet.
        schema: its columns and types.
    """

    part: StoredPart
    schema: Mapping[str, pl.DataType]


def store_part(
    files: PartFiles, folder: str, number: int, frame: pl.DataFrame, notes: Mapping[str, Any]
) -> StoredPart:
    """Write the file of a part.

    Args:
        files: the folder of the run.
        folder: name of the parts' folder within it, with a slash; may be empty.
        number: of the part, from 0.
        frame: its rows.
        notes: JSON values that the run stores with it.
    """
    name = part_name(number)
    with temporary_folder() as local:
        file = Path(local, name)
        frame.write_parquet(file)
        part = StoredPart.of(file, frame.height, dict(notes))
        files.store(folder + name, file)
    return part


def store_partition(place: OutputPlace, order: PartitionOrder) -> dict[str, Any]:
    """Write a partition, and describe it as the list of partitions has it.

    Args:
        place: the folder of the run.
        order: what it is made of.

    Raises:
        InputError: the part is not as it was when it was marked as finished.
    """
    part, files = order.part, files_of(place)
    with files.local(WORK + part.name) as path, temporary_folder() as folder:
        _check_unchanged(part, path)
        file, written = path, part
        if order.late is not None or list(order.own.items()) != list(order.schema.items()):
            file = Path(folder, part.name)
            aligned_part(path, order.schema, order.late).collect().write_parquet(file)
            written = StoredPart.of(file, part.rows, {})
        files.store(part.name, file)
        return {"name": part.name, "rows": part.rows, "size": written.size, "sha256": written.checksum}


def _check_unchanged(part: StoredPart, path: Path) -> None:
    """Check a part: a node of a run that was killed may still have written its own in its place."""
    if checksum(path) != part.checksum:
        said = (
            f"out: {part.name} was overwritten once it was finished, as by a node of another run; start over"
        )
        raise InputError(f"{said} (restart=True)", in_shell=f"{said} (--restart)")
