"""Check of the sizes and counts in a Parquet file, as its reader takes the memory that they ask for."""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from semscale.errors import InputError
from semscale.store.readers.thrift_compact import CompactReader, Struct

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


class _DamageError(ValueError):
    """A size or a count cannot be true."""


def check_pages(path: Path, name: str) -> None:
    """Refuse a Parquet file with a size or a count that is negative, or larger than what it is a part of.

    Args:
        path: the file; one that does not end like Parquet is left to its reader.
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
            reason = error if isinstance(error, _DamageError) else "its description of itself is damaged"
            raise InputError(f"{name} cannot be read as Parquet ({reason}); write it again") from error


def _chunks(file: BinaryIO, size: int, length: int) -> Iterator[Struct]:
    """Yield what the footer says about each column of each group of rows."""
    _within("the length of its footer", length, size - _TAIL)
    file.seek(size - _TAIL - length)
    footer = CompactReader(file.read(length)).struct()
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
        reader = CompactReader(file.read(_HEADER))
        page = reader.struct()
        at += reader.at
        # Old writers leave a page's header out of the column's size: the file's is the bound.
        _within("a page's size", page[_PAGE_PACKED], size - at)
        at += page[_PAGE_PACKED]
        values += _checked_values(page, chunk[_VALUES] - values)


def _checked_values(page: Struct, left: int) -> int:
    """Return how many values a page of data has; a dictionary has none of its own."""
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
