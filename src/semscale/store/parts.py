"""A long run's finished parts on disk: verified before the run goes on, never torn, never mixed."""

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import polars as pl
from filelock import FileLock, Timeout
from polars.exceptions import PolarsError

from semscale.errors import InputError
from semscale.store.atomic import replacing, sync

_MANIFEST = "manifest.json"
_LOCK = "lock"
_ATTEMPTS = 100
_OURS = re.compile(r"manifest\.json|lock|part-\d{6}\.(parquet|json)|\..+\.tmp")


@dataclass(frozen=True)
class Part:
    """A finished part.

    Attributes:
        path: its Parquet file.
        rows: how many rows it has.
        notes: what the run wanted to remember about it, as JSON has it.
    """

    path: Path
    rows: int
    notes: dict[str, Any]


@dataclass
class Parts:
    """Parts of one run, in a folder of their own that is locked while the run lasts; a context manager.

    Each part is written under a temporary name, flushed to the disk and renamed; then its row count and
    checksum follow in a file beside it, which says that it is finished. When the run is opened again, parts
    count up to the first that is missing or does not agree with its checksum; what comes after is removed.

    Attributes:
        folder: where the parts are.
        finished: the finished parts, in order.
        unfinished: parts after these that will be made again, in order.
        is_new: whether no earlier run is gone on with, so that nobody misses the parts if they go.

    Example:
        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp(), "rated.csv.parts")
        >>> with Parts.open(folder, {"seed": "1"}) as parts:
        ...     parts.add(pl.DataFrame({"mean": [3.0, 4.0]}))
        >>> with Parts.open(folder, {"seed": "1"}) as parts:
        ...     print(parts.rows)
        ...     parts.remove()
        2
    """

    folder: Path
    finished: list[Part] = field(default_factory=list)
    unfinished: list[Part] = field(default_factory=list)
    is_new: bool = True
    _lock: FileLock | None = None

    @classmethod
    def open(cls, folder: Path, key: Mapping[str, str], *, restart: bool = False) -> Self:
        """Start a run, or go on with the one whose key is the same.

        Args:
            folder: made if it does not exist; nothing in it may be anybody else's.
            key: everything that decides what is in the parts.
            restart: drop finished parts, whatever their key.

        Raises:
            InputError: another process is at work here, the folder holds other files, or the parts belong to
                a run with another key.
        """
        parts = cls(folder, _lock=_locked(folder))
        try:
            known = None if restart else _manifest(folder)
            parts.is_new = known is None
            if known is None:
                parts._clear(0)
                sync(folder)  # no old part may come back beside the new manifest
                _write_json(folder / _MANIFEST, {"key": dict(key)})
            else:
                _check_key(folder, known, key)
                parts._find_finished()
        except BaseException:
            parts.discard() if parts.is_new else parts.close()
            raise
        return parts

    @property
    def rows(self) -> int:
        """How many rows are finished."""
        return sum(part.rows for part in self.finished)

    def add(
        self, frame: pl.DataFrame, notes: Mapping[str, Any] | None = None, *, is_finished: bool = True
    ) -> None:
        """Write the next part; it is finished when this returns, unless it or one before it is not."""
        path = self._path(len(self.finished) + len(self.unfinished))
        with replacing(path) as temporary:
            frame.write_parquet(temporary)
        kept = dict(notes or {})
        if self.unfinished or not is_finished:
            self.unfinished.append(Part(path, frame.height, kept))
            return
        sidecar = {"rows": frame.height, "checksum": _checksum(path), "notes": kept}
        _write_json(path.with_suffix(".json"), sidecar)
        self.finished.append(Part(path, frame.height, kept))

    def drop_unfinished(self) -> None:
        """Remove the parts that will be made again; finished ones stay."""
        self._clear(len(self.finished))
        self.unfinished.clear()

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Turn what fails because somebody removed the folder or a part meanwhile into one clear line.

        Raises:
            InputError: files that this run needs are gone.
        """
        try:
            yield
        except (OSError, PolarsError) as error:
            if self.are_there:
                raise
            raise InputError(
                f"out: {self.folder}, where finished parts are kept until the output stands, was removed or "
                "changed during the run; leave it alone and start the same command again"
            ) from error

    @property
    def are_there(self) -> bool:
        """Whether the folder and all parts are still on the disk."""
        parts = [*self.finished, *self.unfinished]
        return self.folder.is_dir() and all(part.path.is_file() for part in parts)

    def remove(self) -> None:
        """Remove all parts, and the folder if nothing else is in it."""
        with suppress(FileNotFoundError):  # somebody was faster
            self._clear(0)
        (self.folder / _MANIFEST).unlink(missing_ok=True)
        if os.name == "nt":
            self.close()  # Windows does not let a locked file be removed; whoever locks it now keeps it
        with suppress(PermissionError):
            (self.folder / _LOCK).unlink(missing_ok=True)
        with suppress(OSError):
            self.folder.rmdir()
        self.close()

    def discard(self) -> None:
        """Remove everything as far as the disk lets us, while another error is on its way."""
        with suppress(OSError):
            self.remove()
        self.close()

    def close(self) -> None:
        """Give the lock back; finished parts stay."""
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _path(self, number: int) -> Path:
        return self.folder / f"part-{number:06d}.parquet"

    def _find_finished(self) -> None:
        while (part := _verified(self._path(len(self.finished)))) is not None:
            self.finished.append(part)
        self._clear(len(self.finished))

    def _clear(self, first: int) -> None:
        kept = {self._path(number).stem for number in range(first)}
        for path in self.folder.iterdir():
            if path.name not in (_MANIFEST, _LOCK) and _OURS.fullmatch(path.name) and path.stem not in kept:
                path.unlink()


def _check_ours(folder: Path) -> None:
    try:
        names = [path.name for path in folder.iterdir()]
    except NotADirectoryError:
        strange = [folder.name]
    else:
        strange = [name for name in names if not _OURS.fullmatch(name)]
    if strange:
        raise InputError(
            f"out: {folder} is needed for unfinished parts but holds something else ({strange[0]}); "
            "move it away or choose another name"
        )


def _locked(folder: Path) -> FileLock:
    """Make the folder and lock it; a run that ends at this moment may remove either, hence the attempts."""
    for _ in range(_ATTEMPTS):
        try:
            with suppress(FileExistsError):
                folder.mkdir()
            _check_ours(folder)
            lock = _lock_if_free(folder / _LOCK)
        except FileNotFoundError:
            if not folder.parent.is_dir():
                raise
            continue
        except Timeout:
            break
        if lock is not None:
            return lock
    raise InputError(f"out: another process is writing {folder.stem}; wait for it, or choose another name")


def _lock_if_free(path: Path) -> FileLock | None:
    """Lock a file; ``None`` if it was removed meanwhile, since a lock on it keeps nobody out then.

    Raises:
        Timeout: it is locked.
        FileNotFoundError: its folder is gone.
    """
    lock = FileLock(path)
    # While a file is open no other can have its inode: the same one before and after means it never moved.
    with path.open("ab") as before:
        try:
            lock.acquire(blocking=False)
        except Timeout:
            if _names(path, before.fileno()):
                raise
            return None
        if _names(path, before.fileno()):
            return lock
    lock.release()
    return None


def _names(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _manifest(folder: Path) -> dict[str, str] | None:
    content = _read_json(folder / _MANIFEST)
    key = content.get("key") if content else None
    return key if isinstance(key, dict) else None


def _check_key(folder: Path, known: Mapping[str, str], key: Mapping[str, str]) -> None:
    names = [name for name in {**known, **key} if known.get(name) != key.get(name)]
    if names:
        differences = "; ".join(
            f"{name} was {known.get(name, 'not set')}, now {key.get(name, 'not set')}" for name in names
        )
        raise InputError(
            f"out: {folder.name} holds an unfinished run that differs ({differences}); "
            "repeat that command to go on with it, or pass --restart to drop it"
        )


def _verified(path: Path) -> Part | None:
    sidecar = _read_json(path.with_suffix(".json"))
    try:
        if sidecar and sidecar["checksum"] == _checksum(path):
            return Part(path, int(sidecar["rows"]), dict(sidecar["notes"]))
    except (KeyError, TypeError, ValueError, FileNotFoundError):
        return None
    return None


def _checksum(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(content), encoding="utf-8")


def _read_json(path: Path) -> dict[str, Any] | None:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, UnicodeDecodeError, json.JSONDecodeError):
        return None
    return content if isinstance(content, dict) else None
