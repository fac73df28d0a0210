"""A part of a run in a folder or behind a URL, and the small file beside it that marks it as finished."""

import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

from semscale.json_reading import parse_json


class StoredPart(NamedTuple):
    """A part.

    Attributes:
        name: name of its Parquet file.
        rows: its number of rows.
        size: bytes of its file.
        checksum: SHA-256 of its file, in hex digits.
        notes: JSON values that the run stored with it.
    """

    name: str
    rows: int
    size: int
    checksum: str
    notes: dict[str, Any]

    @classmethod
    def of(cls, file: Path, rows: int, notes: dict[str, Any]) -> "StoredPart":
        """Describe a file, which has the name of the part."""
        return cls(file.name, rows, file.stat().st_size, checksum(file), notes)

    def record(self) -> bytes:
        """Return the content of the file that marks the part as finished."""
        return to_json({"rows": self.rows, "size": self.size, "checksum": self.checksum, "notes": self.notes})


def part_name(number: int) -> str:
    """Name the file of a part, from 0.

    Example:
        >>> part_name(12)
        'part-000012.parquet'
    """
    return f"part-{number:06d}.parquet"


def record_name(name: str) -> str:
    """Name the file that marks a part as finished.

    Example:
        >>> record_name("part-000012.parquet")
        'part-000012.json'
    """
    return name.removesuffix(".parquet") + ".json"


def read_part(name: str, content: bytes | None) -> StoredPart | None:
    """Read the file that marks a part as finished; ``None`` if it is not there or is something else."""
    record = from_json(content)
    try:
        return StoredPart(
            name, int(record["rows"]), int(record["size"]), str(record["checksum"]), dict(record["notes"])
        )
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


def read_key(content: bytes | None) -> dict[str, str] | None:
    """Read the settings of a run; ``None`` if they are not there."""
    key = from_json(content).get("key")
    return key if isinstance(key, dict) else None


def from_json(content: bytes | None) -> dict[str, Any]:
    """Read an object of JSON; empty if there is none."""
    try:
        found = parse_json((content or b"").decode("utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError):
        return {}
    return found if isinstance(found, dict) else {}


def to_json(content: dict[str, Any]) -> bytes:
    """Write an object of JSON."""
    return json.dumps(content).encode()


def checksum(file: Path) -> str:
    """Hash a file: SHA-256 in hex digits."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
