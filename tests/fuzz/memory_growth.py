"""Inputs that are made long: a reader whose time grows faster than its input shows here."""

import io
import json
from collections.abc import Callable

import polars as pl
import xlsxwriter

SIZE = 250_000
"""Bytes that a long input has at least."""

Growth = Callable[[bytes], bytes]


def times(content: bytes) -> int:
    return SIZE // max(len(content), 1) + 1


def tiled(content: bytes) -> bytes:
    """Repeat an input as it is."""
    return content * times(content)


def tiled_below_200_kb(content: bytes) -> bytes:
    """Repeat an input up to the longest YAML that is read."""
    return content * (200_000 // max(len(content), 1))


def with_more_rows(content: bytes) -> bytes:
    """Repeat what follows the first line."""
    first, end, rows = content.partition(b"\n")
    return first + end + rows * times(rows)


def with_longer_texts(content: bytes) -> bytes:
    """Repeat each of two texts, parted by the first line end."""
    part, end, other = content.partition(b"\n")
    return (part + b" ") * (times(part) // 2) + end + (other + b" ") * (times(other) // 2)


def with_longer_lists(content: bytes) -> bytes:
    """Repeat the entries of the outermost lists of a JSON document."""
    try:
        document = json.loads(content)
        return json.dumps(_longer(document, times(content))).encode()
    except (ValueError, RecursionError):
        return tiled(content)


def _longer(value, n: int):
    if isinstance(value, list):
        return value * n
    if isinstance(value, dict):
        return {key: _longer(part, n) for key, part in value.items()}
    return value


def workbook(_: bytes) -> bytes:
    """Write a workbook of many rows; a longer one cannot be made out of an input."""
    packed = io.BytesIO()
    with xlsxwriter.Workbook(packed) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["id", "output"])
        for row in range(1, 15_000):
            sheet.write_row(row, 0, [row, f"answer number {row * 7919}"])
    return packed.getvalue()


def parquet(_: bytes) -> bytes:
    """Write a Parquet file of many rows; a longer one cannot be made out of an input."""
    packed = io.BytesIO()
    rows = range(15_000)
    pl.DataFrame({"id": rows, "output": [f"answer number {row * 7919}" for row in rows]}).write_parquet(
        packed
    )
    return packed.getvalue()
