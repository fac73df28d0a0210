"""Parameters in the content of a safetensors file, as float32 arrays that share its memory where they can.

The library ``safetensors`` copies every parameter; a large model would be in memory twice.
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from semscale.errors import ModelError
from semscale.json_reading import parse_json

_LENGTH = 8  # bytes that say how long the header is
_FLOATS = {"F16": np.float16, "F32": np.float32, "F64": np.float64}
_SIZES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1, "BOOL": 1}


def read_tensors(content: bytearray, path: Path) -> dict[str, npt.NDArray[np.float32]]:
    """Read all floating-point parameters; others, such as position ids, are left out.

    Args:
        content: of the file; must not change as long as the arrays are used.
        path: of the file, for messages.

    Raises:
        ModelError: the file is damaged, or has a parameter of a type that cannot be read.

    References:
        https://github.com/huggingface/safetensors, "Format".
    """
    length = int.from_bytes(content[:_LENGTH], "little")
    start = _LENGTH + length
    try:
        if len(content) < start:
            raise ValueError(f"its header ends at byte {start} of {len(content)}")  # noqa: TRY301
        header = parse_json(content[_LENGTH:start].decode())
        entries = {name: entry for name, entry in header.items() if name != "__metadata__"}
        places = {name: _place(entry, len(content) - start) for name, entry in entries.items()}
        return {
            name: _array(content, kind, shape, start + first)
            for name, (kind, shape, first) in places.items()
            if kind.startswith(("F", "BF"))
        }
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ModelError(f"{path} cannot be read: {error}") from error


def _place(entry: Mapping[str, Any], size: int) -> tuple[str, tuple[int, ...], int]:
    """Check one entry of the header: type, shape and first byte of a parameter.

    Raises:
        ValueError: it does not fit the file, or its type is not known.
    """
    kind, shape, (first, last) = entry["dtype"], tuple(entry["shape"]), entry["data_offsets"]
    if kind not in _SIZES:
        raise ValueError(f"weights of type {kind} cannot be read")
    if not all(type(number) is int for number in (*shape, first, last)):
        raise ValueError(f"a parameter of shape {shape} is at bytes {first} to {last}")
    whole = last - first == math.prod(shape) * _SIZES[kind] and min(shape, default=0) >= 0
    if not (whole and 0 <= first <= last <= size):
        raise ValueError(f"a parameter of shape {shape} is at bytes {first} to {last} of {size}")
    return kind, shape, first


def _array(content: bytearray, kind: str, shape: tuple[int, ...], first: int) -> npt.NDArray[np.float32]:
    """Return a parameter from its first byte on.

    Raises:
        ValueError: more dimensions, or longer ones, than an array can have.
    """
    raw = np.frombuffer(content, np.uint8, math.prod(shape) * _SIZES[kind], first)
    return _float32(kind, raw).reshape(shape)


def _float32(kind: str, raw: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    if kind == "BF16":
        # A bfloat16 is the upper half of a float32.
        return (raw.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    return raw.view(_FLOATS[kind]).astype(np.float32, copy=False)
