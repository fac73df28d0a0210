"""Reading of structs in Thrift's compact protocol, which Parquet files describe themselves in."""

from typing import Any

_TRUE, _FALSE, _DOUBLE = 1, 2, 7
_DOUBLE_BYTES = 8
_LONGEST_NUMBER = 10  # bytes of a 64-bit number, 7 bits in each
_MOST_LEVELS = 40
_LONG_LIST = 15

Struct = dict[int, Any]
"""Values by the number of their field."""


class CompactReader:
    """Reads structs one after the other.

    Args:
        content: the bytes; the first struct begins with them.

    Example:
        >>> CompactReader(bytes([0x15, 0x06, 0x00])).struct()
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
