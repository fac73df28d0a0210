"""Check of the sizes and counts in a Parquet file, as its reader takes the memory that they ask for."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from semscale.errors import InputError

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
"""Values by the number of their field."""


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


class _CompactReader:
    """Reads structs one after the other.

    Args:
        content: the bytes; the first struct begins with them.

    Example:
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
            IndexError: the bytes end before it.
            ValueError: it cannot be one.
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
        for place in range(_LONGEST_NUMBER):
            byte = self._byte()
            number |= (byte & 0x7F) << (7 * place)
            if byte < 0x80:  # noqa: PLR2004 - the highest bit says that more follow
                return number
        raise ValueError("a number is too long")

    def _signed(self) -> int:
        number = self._unsigned()
        return (number >> 1) ^ -(number & 1)
