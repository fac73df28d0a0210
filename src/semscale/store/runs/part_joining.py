"""Joining of Parquet parts into one output file, in constant memory."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl

from semscale.store.atomic import replacing
from semscale.store.number_texts import with_numbers
from semscale.store.writing import output_format, rows_of_group, write_frames

_EXACT = 2**53


def join_parts(
    paths: Sequence[Path],
    target: Path,
    *,
    without: Collection[str] = (),
    beside: Sequence[pl.DataFrame | None] = (),
) -> None:
    """Write the rows of all parts in order to one file, which appears complete or not at all.

    Columns are in the order of their first appearance. A column that a part lacks is null there. If a
    column's types differ, integers and floats become floats, and all others become text. In a workbook,
    texts that are numbers become numbers (``number_texts``).

    Args:
        paths: Parquet files, at least one, in order.
        target: the file, in the format of its extension; an existing one is replaced.
        without: columns that are left out.
        beside: for each part further columns of its rows, or ``None``; the same ones for all parts.

    Raises:
        InputError: the extension is unknown, or there are more rows or longer texts than Excel can hold.
    """
    name = output_format(target)
    schema = {title: dtype for title, dtype in common_schema(paths).items() if title not in without}
    aligned = [
        aligned_part(path, schema, further)
        for path, further in zip(paths, beside or [None] * len(paths), strict=True)
    ]
    if name == "xlsx":
        aligned = with_numbers(aligned)
    with replacing(target, within=paths[0].parent) as temporary:
        if name == "parquet":
            rows = rows_of_group(schema)
            pl.concat(aligned).sink_parquet(temporary, row_group_size=rows, maintain_order=True)
        else:
            write_frames(_collected(aligned), temporary, name)


def common_schema(paths: Sequence[Path]) -> dict[str, pl.DataType]:
    """Find the columns of several Parquet files, each with a type that fits it in all files."""
    return joint_schema(
        [pl.read_parquet_schema(path) for path in paths],
        lambda place, title: pl.read_parquet(paths[place], columns=[title])[title],
    )


def joint_schema(
    schemas: Sequence[Mapping[str, pl.DataType]], cells: Callable[[int, str], pl.Series]
) -> dict[str, pl.DataType]:
    """Find the columns of several frames, each with a type that fits it in all of them.

    Args:
        schemas: columns and types of each frame.
        cells: returns a column of the frame in a place; called where integers and floats meet.
    """
    schema: dict[str, pl.DataType] = {}
    widened = set()
    for own in schemas:
        for title, dtype in own.items():
            known = schema.setdefault(title, dtype)
            if known != dtype:
                schema[title] = _common(known, dtype)
                widened.add(title)
    for title in widened:
        whole = [place for place, own in enumerate(schemas) if own.get(title) == pl.Int64]
        if schema[title] == pl.Float64 and not all(_exact_as_floats(cells(place, title)) for place in whole):
            schema[title] = pl.String()
    return {title: pl.String() if dtype == pl.Null else dtype for title, dtype in schema.items()}


def aligned_part(
    path: Path, schema: Mapping[str, pl.DataType], further: pl.DataFrame | None = None
) -> pl.LazyFrame:
    """Read a Parquet file with the columns of a schema, and further ones beside them.

    Args:
        path: the file.
        schema: the columns and types of the result; a column that the file lacks is null.
        further: columns of the same rows.
    """
    own = pl.read_parquet_schema(path)
    part = pl.scan_parquet(path, glob=False).select(
        pl.col(title).cast(dtype) if title in own else pl.lit(None, dtype=dtype).alias(title)
        for title, dtype in schema.items()
    )
    return part if further is None else pl.concat([part, further.lazy()], how="horizontal")


def _common(one: pl.DataType, other: pl.DataType) -> pl.DataType:
    if pl.Null in (one, other):
        return other if one == pl.Null else one
    if {one, other} == {pl.Int64(), pl.Float64()}:
        return pl.Float64()
    return pl.String()


def _exact_as_floats(cells: pl.Series) -> bool:
    return bool(cells.is_between(-_EXACT, _EXACT).all())


def _collected(frames: Sequence[pl.LazyFrame]) -> Iterator[pl.DataFrame]:
    for frame in frames:
        yield frame.collect()
