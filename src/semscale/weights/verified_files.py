"""Stored hashes of verified model files, with size and time, so that files are not hashed at every start."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from semscale.json_reading import parse_json
from semscale.weights.download_staging import sha256_of

STAMP = ".semscale.json"


@dataclass(frozen=True)
class Stamp:
    """Hash, size and time of a file when its hash was computed.

    Attributes:
        sha256: 64 hex digits.
        size: bytes.
        modified: time of the last change, in nanoseconds.
    """

    sha256: str
    size: int
    modified: int

    def fits(self, path: Path) -> bool:
        """Tell whether the file still has this size and time."""
        seen = path.stat()
        return (seen.st_size, seen.st_mtime_ns) == (self.size, self.modified)


def read_stamps(folder: Path) -> dict[str, Stamp]:
    """Read the stamps of a model's folder; the result is empty if they are missing or invalid."""
    try:
        stored = parse_json((folder / STAMP).read_text(encoding="utf-8"))
        return {name: Stamp(**stamp) for name, stamp in stored.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}  # without stamps the files are hashed again, which only costs time


def write_stamps(folder: Path, sums: Mapping[str, str]) -> None:
    """Store hash, size and time of files that were just hashed; stamps of other files are kept.

    Args:
        folder: the model's folder.
        sums: SHA-256 by path inside the folder.

    Raises:
        OSError: the folder cannot be written.
    """
    stamps = {name: asdict(stamp) for name, stamp in read_stamps(folder).items()}
    for name, sha256 in sums.items():
        seen = (folder / name).stat()
        stamps[name] = asdict(Stamp(sha256, seen.st_size, seen.st_mtime_ns))
    fresh = folder / f"{STAMP}.part"
    fresh.write_text(json.dumps(stamps, indent=1), encoding="utf-8")
    fresh.replace(folder / STAMP)


def current_sum(folder: Path, name: str, stamps: Mapping[str, Stamp]) -> str | None:
    """Return a file's SHA-256, from its stamp if that still fits; ``None`` if the file does not exist."""
    path = folder / name
    if not path.is_file():
        return None
    stamp = stamps.get(name)
    return stamp.sha256 if stamp is not None and stamp.fits(path) else sha256_of(path)
