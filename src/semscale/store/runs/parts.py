"""Finished parts of a long run on disk: written atomically, verified on reopening, and kept to one run."""

import hashlib
import json
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import polars as pl
from filelock import FileLock
from polars.exceptions import PolarsError

from semscale.errors import InputError
from semscale.json_reading import parse_json
from semscale.store.atomic import replacing, sync
from semscale.store.folder_lock import LOCK_FILE, lock_folder
from semscale.store.places.output_places import Target
from semscale.store.runs.part_joining import join_parts

_MANIFEST = "manifest.json"
_OURS = re.compile(r"manifest\.json|lock|part-\d{6}\.(parquet|json)|\..+\.tmp")


@dataclass(frozen=True)
class Part:
    """A finished part.

    Attributes:
        path: its Parquet file.
        rows: its number of rows.
        notes: JSON values that the run stored with it.
    """

    path: Path
    rows: int
    notes: dict[str, Any]


@dataclass
class Parts:
    """The parts of one run in their own folder, which is locked while the run lasts; a context manager.

    Leaving the context keeps finished parts; if there is none, the folder is removed.

    Each part is written under a temporary name, flushed to the disk and renamed. A second file with its row
    count and checksum marks it as finished. When a run is opened again, its parts count up to the first one
    that is missing or does not match its checksum; the rest is removed.

    Attributes:
        folder: the folder of the parts.
        finished: the finished parts, in order.
        unfinished: parts after these that will be made again, in order.
        is_new: whether the run starts from nothing; if so, removing its parts loses no earlier work.

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
        """Start a run, or continue the one with the same key.

        Args:
            folder: created if it does not exist; it must contain no other files.
            key: everything that decides the content of the parts.
            restart: remove finished parts, whatever their key.

        Raises:
            InputError: another process uses the folder, it contains other files, or its parts belong to a run
                with another key.
        """
        parts = cls(folder, _lock=lock_folder(folder, _check_ours))
        try:
            known = None if restart else _manifest(folder)
            parts.is_new = known is None
            if known is None:
                parts._clear(0)
                sync(folder)  # after a crash, no old part may reappear beside the new manifest
                _write_json(folder / _MANIFEST, {"key": dict(key)})
            else:
                _check_key(folder, known, key)
                parts._find_finished()
        except BaseException:
            parts.discard() if parts.is_new else parts.close()
            raise
        return parts

    @property
    def name(self) -> str:
        """Name of the folder, for messages."""
        return self.folder.name

    @property
    def rows(self) -> int:
        """Number of finished rows."""
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

    def taken(self) -> Iterator[tuple[pl.DataFrame, dict[str, Any]]]:
        """Read the finished parts with their notes, in order."""
        for part in self.finished:
            yield pl.read_parquet(part.path), part.notes

    def write(
        self, out: Target, without: Collection[str], late: Callable[[int, int], pl.DataFrame | None]
    ) -> None:
        """Join all parts into the output.

        Args:
            out: the file of this machine.
            without: columns that are left out.
            late: returns further columns of some rows, from one up to another.

        Raises:
            InputError: as ``join_parts``.
        """
        every, start, beside = [*self.finished, *self.unfinished], 0, []
        for part in every:
            beside.append(late(start, start + part.rows))
            start += part.rows
        join_parts([part.path for part in every], Path(str(out)), without=without, beside=beside)

    def drop_unfinished(self) -> None:
        """Remove the parts that will be made again; finished ones stay."""
        self._clear(len(self.finished))
        self.unfinished.clear()

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Raise a clear error if the folder or a part was removed during the run.

        Raises:
            InputError: files that this run needs are missing.
        """
        try:
            yield
        except (OSError, PolarsError) as error:
            if self.are_there:
                raise
            raise InputError(
                f"out: {self.folder}, which holds finished parts until the output is written, was removed or "
                "changed during the run; leave it alone and start the same command again"
            ) from error

    @property
    def are_there(self) -> bool:
        """Whether the folder and all parts are still on the disk."""
        parts = [*self.finished, *self.unfinished]
        return self.folder.is_dir() and all(part.path.is_file() for part in parts)

    def remove(self) -> None:
        """Remove all parts, and the folder if nothing else is in it."""
        with suppress(FileNotFoundError):  # another process has removed it
            self._clear(0)
        (self.folder / _MANIFEST).unlink(missing_ok=True)
        if os.name == "nt":
            self.close()  # Windows does not remove a locked file; a process that locks it now keeps it
        with suppress(PermissionError):
            (self.folder / LOCK_FILE).unlink(missing_ok=True)
        with suppress(OSError):
            self.folder.rmdir()
        self.close()

    def discard(self) -> None:
        """Remove all parts, and ignore errors of the disk, as another error is being raised."""
        with suppress(OSError):
            self.remove()
        self.close()

    def close(self) -> None:
        """Release the lock; finished parts remain."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Release the lock, and leave no folder behind in which no part is finished."""
        if self._lock is None or self.finished:
            self.close()
        else:
            self.discard()

    def _path(self, number: int) -> Path:
        return self.folder / f"part-{number:06d}.parquet"

    def _find_finished(self) -> None:
        while (part := _verified(self._path(len(self.finished)))) is not None:
            self.finished.append(part)
        self._clear(len(self.finished))

    def _clear(self, first: int) -> None:
        kept = {self._path(number).stem for number in range(first)}
        for path in self.folder.iterdir():
            if (
                path.name not in (_MANIFEST, LOCK_FILE)
                and _OURS.fullmatch(path.name)
                and path.stem not in kept
            ):
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


def _manifest(folder: Path) -> dict[str, str] | None:
    content = _read_json(folder / _MANIFEST)
    key = content.get("key") if content else None
    return key if isinstance(key, dict) else None


def _check_key(folder: Path, known: Mapping[str, str], key: Mapping[str, str]) -> None:
    differences = differing(known, key)
    if differences:
        raise InputError(
            f"out: {folder.name} holds an unfinished run that differs ({differences}); "
            "repeat that command to go on with it, or pass --restart to drop it"
        )


def differing(known: Mapping[str, str], key: Mapping[str, str]) -> str:
    """Say which settings of a run were others; "" if none."""
    names = [name for name in {**known, **key} if known.get(name) != key.get(name)]
    return "; ".join(
        f"{name} was {known.get(name, 'not set')}, now {key.get(name, 'not set')}" for name in names
    )


def _verified(path: Path) -> Part | None:
    sidecar = _read_json(path.with_suffix(".json"))
    try:
        if sidecar and sidecar["checksum"] == _checksum(path):
            return Part(path, int(sidecar["rows"]), dict(sidecar["notes"]))
    except (KeyError, TypeError, ValueError, OverflowError, FileNotFoundError):
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
        content = parse_json(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, UnicodeDecodeError, json.JSONDecodeError):
        return None
    return content if isinstance(content, dict) else None
