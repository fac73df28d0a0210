"""The variable that weights an SPSS file, which its header names by its place in the dictionary."""

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

_HEADER = 176
_LAYOUT = slice(64, 68)
_WEIGHT = slice(76, 80)
_VARIABLE = 2
_CONTINUATION = -1
_FIXED = 28  # bytes of a variable after its record type


def weight_variable(path: Path, columns: Sequence[str]) -> str | None:
    """Name the variable that weights the rows; ``None`` where the file has none, or it cannot be told.

    Args:
        path: a file that SPSS's reader has read.
        columns: its variables, in order.

    References:
        The system file format as PSPP documents it: "file header record" and "variable records".
    """
    with path.open("rb") as content:
        header = content.read(_HEADER)
        order = next((sign for sign in "<>" if _number(header[_LAYOUT], sign) in {2, 3}), None)
        if len(header) < _HEADER or order is None:
            return None
        place = _number(header[_WEIGHT], order)
        names = _segments(content, order)
    if not 0 < place <= len(names):
        return None
    real = [number for number, name in enumerate(names) if name is not None]
    if len(real) == len(columns):
        return dict(zip(real, columns, strict=True)).get(place - 1)
    # Very long texts are several variables; a short name is then the beginning of the long one.
    short = (names[place - 1] or "").casefold()
    return next((column for column in columns if column.casefold() == short), None)


def _number(four: bytes, order: str) -> int:
    return int(struct.unpack(f"{order}i", four)[0]) if len(four) == struct.calcsize("i") else 0


def _segments(content: BinaryIO, order: str) -> list[str | None]:
    """Give the short names of all variables; ``None`` for a segment that continues a text."""
    names: list[str | None] = []
    while _number(content.read(4), order) == _VARIABLE:
        fixed = content.read(_FIXED)
        if len(fixed) < _FIXED:
            return names
        kind, has_label, n_missing = struct.unpack(f"{order}3i", fixed[:12])
        if has_label:
            length = _number(content.read(4), order)
            content.seek(-(-length // 4) * 4, 1)
        content.seek(abs(n_missing) * 8, 1)
        name = fixed[20:28].decode("latin-1").strip()
        names.append(None if kind == _CONTINUATION else name)
    return names
