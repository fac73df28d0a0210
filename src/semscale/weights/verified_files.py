"""What was verified about a model's files: hashing 90 MB at every start would cost more than loading them."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from semscale.weights.download_staging import sha256_of

STAMP = ".semscale.json"


@dataclass(frozen=True)
class Stamp:
    """A file as it was when its hash was computed.

    Attributes:
        sha256: 64 hex digits.
        size: bytes.
        modified: time of the last change, in nanoseconds.
    """

    sha256: str
    size: int
    modified: int

    def fits(self, path: Path) -> bool:
        """Tell whether the file still has the size and the time it had."""
        seen = path.stat()
        return (seen.st_size, seen.st_mtime_ns) == (self.size, self.modified)


def read_stamps(folder: Path) -> dict[str, Stamp]:
    """Read the stamps of a model's folder; none where they are absent or cannot be understood."""
    try:
        stored = json.loads((folder / STAMP).read_text(encoding="utf-8"))
        return {name: Stamp(**stamp) for name, stamp in stored.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}  # without stamps the files are hashed again, which costs time but no correctness


def write_stamps(folder: Path, sums: Mapping[str, str]) -> None:
    """Note size and time of files whose hashes were just computed; what is known of other files stays.

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
    """Return a file's SHA-256, from its stamp where that still fits; ``None`` where there is no such file."""
    path = folder / name
    if not path.is_file():
        return None
    stamp = stamps.get(name)
    return stamp.sha256 if stamp is not None and stamp.fits(path) else sha256_of(path)
