"""Semscale's folders on this machine, and the state of the model files in them."""

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from platformdirs import user_cache_dir

from semscale.errors import InputError, ModelError
from semscale.input_files import check_regular, read_input_text
from semscale.json_reading import parse_json
from semscale.weights.known import EXPORTED_GRAPHS, WEIGHTS, graph_files, weights_file

DEFAULT_MAX_BYTES = 2 << 30
CAP_VARIABLE = "SEMSCALE_CACHE_MAX"

CONFIG = "config.json"
MODULES = "modules.json"
"""The file in which sentence-transformers lists a model's steps, including its pooling."""

_SIZE = re.compile(r"(?P<number>\d+(\.\d+)?)\s*(?P<prefix>[KMGT]?)(?P<binary>(?<=[KMGT])I)?B", re.IGNORECASE)


def cache_root() -> Path:
    """Return Semscale's cache folder: ``SEMSCALE_CACHE``, or a folder in the system's cache folder."""
    chosen = os.environ.get("SEMSCALE_CACHE")
    return Path(chosen).expanduser() if chosen else Path(user_cache_dir("semscale", appauthor=False))


def models_root() -> Path:
    """Return the folder that has one sub-folder for each model."""
    return cache_root() / "models"


def model_home(name: str) -> Path:
    """Return the folder of the model of that name."""
    return models_root() / name.replace("/", "--")


def model_name(home: Path) -> str:
    """Return the name of the model that a folder is for.

    Examples:
        >>> model_name(model_home("organisation/model"))
        'organisation/model'
    """
    return home.name.replace("--", "/", 1)


def cache_cap() -> int:
    """Return the size limit of each cache (embeddings, states) in bytes: ``SEMSCALE_CACHE_MAX``, or 2 GiB.

    Raises:
        InputError: the variable is not a size of at least one byte.

    Examples:
        >>> os.environ["SEMSCALE_CACHE_MAX"] = "1.5 GB"
        >>> cache_cap()
        1500000000
        >>> del os.environ["SEMSCALE_CACHE_MAX"]
    """
    text = os.environ.get(CAP_VARIABLE, "").strip()
    if not text:
        return DEFAULT_MAX_BYTES
    size = _SIZE.fullmatch(text)
    unit = 1024 if size and size["binary"] else 1000
    cap = int(float(size["number"]) * unit ** " KMGT".index(size["prefix"].upper() or " ")) if size else 0
    if cap < 1:
        raise InputError(f"{CAP_VARIABLE} must be a size above 0 such as 500MB, 2GB or 2GiB, got {text!r}")
    return cap


def is_offline() -> bool:
    """Tell whether ``SEMSCALE_OFFLINE`` is set: only endpoints that the user named may be contacted."""
    return os.environ.get("SEMSCALE_OFFLINE", "").strip().lower() in {"1", "true", "yes", "on"}


STAMP = ".semscale.json"


@dataclass(frozen=True)
class Stamp:
    """A file's hash, and the file's size and modification time when it was hashed.

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
        stored = parse_json(read_input_text(folder / STAMP))
        return {name: Stamp(**stamp) for name, stamp in stored.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}  # without stamps the files are hashed again, which only costs time


def write_stamps(folder: Path, sums: Mapping[str, str]) -> None:
    """Store hash, size and time of files that were just hashed; stamps of other files stay unchanged.

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


WHOLE = ".semscale-whole"
"""An empty file in a model's folder. It records that the hub lacks the same modules or pooling settings as
the folder, so that the folder is complete."""


def is_classifier(config: Path) -> bool:
    """Tell whether a ``config.json`` describes a text classifier, which runs from its exported graph."""
    return config.is_file() and "ForSequenceClassification" in config.read_text(encoding="utf-8")


def lacking_pooling(snapshot: Path) -> str | None:
    """Return the pooling settings file that ``modules.json`` names, if it is missing."""
    if not (snapshot / MODULES).is_file():
        return None
    match = re.search(r'"path"\s*:\s*"([^"]*Pooling)"', (snapshot / MODULES).read_text(encoding="utf-8"))
    settings = f"{match[1]}/config.json" if match else None
    return settings if settings and not (snapshot / settings).is_file() else None


def lacking_or_damaged(home: Path, thorough: bool) -> list[str]:
    """List the files that a folder from the hub lacks, or that have changed.

    A model without ``modules.json`` is mean-pooled. That is wrong if only this folder lacks the file, as a
    cache with a part of the model does. So a folder without modules counts as complete only if the file
    ``WHOLE`` records that the hub has none either.
    """
    sums = read_sums(home)
    weights = weights_file(sums)
    if weights is None:
        return [WEIGHTS]
    steps = lacking_steps(home)
    if steps and not (home / WHOLE).is_file():
        return [steps]
    return find_damaged(home, sums, () if thorough else (WEIGHTS, *graph_files(sums)))


def lacking_steps(home: Path) -> str | None:
    """Return the missing file that states how tokens are pooled; ``None`` if the folder has all of them."""
    return lacking_pooling(home) if (home / MODULES).is_file() else MODULES


@contextlib.contextmanager
def explain_faults(home: Path, sums: Mapping[str, str], lacking: list[str]) -> Iterator[None]:
    """Put the faults of the existing files at the beginning of the message of a failed pull."""
    try:
        yield
    except ModelError as error:
        if not any((home / name).is_file() for name in (*sums, WEIGHTS, *EXPORTED_GRAPHS)):
            raise
        faults = "; ".join(fault_of(home, name, sums.get(name)) for name in lacking)
        remedy = f"semscale models pull {model_name(home)} restores it where there is a connection"
        raise ModelError(f"{faults}; {remedy}; here {error}") from error


def fault_of(home: Path, file: str, expected: str | None) -> str:
    """Describe the fault of a file in a model's folder; ``expected`` is ``None`` if no hash is recorded."""
    actual = current_sum(home, file, {})
    if actual is None:
        return f"{home / file} is missing"
    if expected is None:
        return f"{home / file} exists, but its recorded hash does not"
    return f"{home / file} has SHA-256 {actual[:12]}..., not {expected[:12]}..., so it is damaged"


def read_sums(home: Path) -> dict[str, str]:
    """Return the hashes that are stored in a model's folder, by path of the file."""
    return {file: stamp.sha256 for file, stamp in read_stamps(home).items()}


def find_damaged(home: Path, sums: Mapping[str, str], trusted: Collection[str]) -> list[str]:
    """List the files that are missing or have another hash; store the hashes that had to be computed.

    Args:
        home: the model's folder.
        sums: SHA-256 by path inside the folder.
        trusted: files whose stamped hash is trusted: weights, which are hashed again when they are loaded.
            All other files are small and hashed each time.
    """
    stored = read_stamps(home)
    stamps = {name: stamp for name, stamp in stored.items() if name in trusted}
    actual = {name: current_sum(home, name, stamps) for name in sums}
    bad = [name for name, expected in sums.items() if actual[name] != expected]
    if not bad and any(name not in stored or not stored[name].fits(home / name) for name in sums):
        # In a folder that cannot be written, files are hashed at every start.
        with contextlib.suppress(OSError):
            write_stamps(home, sums)
    return bad


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file as 64 hex digits.

    Raises:
        OSError: the file cannot be read.
    """
    check_regular(path)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
