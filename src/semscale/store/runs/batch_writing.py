"""Writing of a table batch by batch, in constant memory, into one file of any format."""

from collections.abc import Iterable
from pathlib import Path

import polars as pl

from semscale.store.cells import storable
from semscale.store.places.fetching import temporary_folder
from semscale.store.places.output_places import OutputPlace, Target, refuse_folder
from semscale.store.runs.part_joining import join_parts


def write_batches(frames: Iterable[pl.DataFrame], target: Target) -> None:
    """Write frames one after the other to one file, which appears complete or not at all.

    They are kept in a temporary folder until their columns and types are known, as ``join_parts`` joins them.

    Args:
        frames: at least one.
        target: a file, here or behind a URL, in the format of its extension.

    Raises:
        InputError: the extension is unknown, the target is a folder, or there are more rows or longer texts
            than Excel can hold.
    """
    refuse_folder(target)
    with temporary_folder() as folder:
        paths = []
        for number, frame in enumerate(frames):
            paths.append(Path(folder, f"batch-{number:06d}.parquet"))
            storable(frame).write_parquet(paths[-1])
        if isinstance(target, OutputPlace):
            file = Path(folder, f"table{target.suffix}")
            join_parts(paths, file)
            target.upload(file)
        else:
            join_parts(paths, target)
