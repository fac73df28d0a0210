"""Finished parts of a run: stored beside the output or in its folder, verified, and joined."""

import hashlib
import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Self

import polars as pl
from filelock import FileLock
from polars.exceptions import PolarsError

from semscale.errors import InputError
from semscale.json_reading import parse_json
from semscale.store.atomic import LOCK_FILE, lock_folder, replacing, sync
from semscale.store.places import OutputPlace, PartFiles, Target, files_of, temporary_folder
from semscale.store.writing import aligned_part, join_parts, joint_schema

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
            known = None if restart else read_key(_content(folder / _MANIFEST))
            parts.is_new = known is None
            if known is None:
                parts._clear(0)
                sync(folder)  # after a crash, no old part may reappear beside the new manifest
                _replace(folder / _MANIFEST, to_json({"key": dict(key)}))
            else:
                _refuse_other(folder.name, known, key)
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
        part = Part(path, frame.height, dict(notes or {}))
        if self.unfinished or not is_finished:
            self.unfinished.append(part)
            return
        _replace(path.with_suffix(".json"), StoredPart.of(path, part.rows, part.notes).record())
        self.finished.append(part)

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
        return self.folder / part_name(number)

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


def _refuse_other(
    name: str,
    known: Mapping[str, str],
    key: Mapping[str, str],
    what: str = "an unfinished run",
    remedy: str = "repeat that command to go on with it",
    verb: str = "drop",
) -> None:
    """Refuse a folder that holds the parts or the output of a run with another key."""
    differences = differing(known, key)
    if differences:
        raise InputError(
            f"out: {name} holds {what} that differs ({differences}); {remedy}, or pass --restart to {verb} it"
        )


def differing(known: Mapping[str, str], key: Mapping[str, str]) -> str:
    """Say which settings of a run were others; "" if none."""
    names = [name for name in {**known, **key} if known.get(name) != key.get(name)]
    return "; ".join(
        f"{name} was {known.get(name, 'not set')}, now {key.get(name, 'not set')}" for name in names
    )


def _verified(path: Path) -> Part | None:
    stored = read_part(path.name, _content(path.with_suffix(".json")))
    try:
        if stored is None or checksum(path) != stored.checksum:
            return None
    except FileNotFoundError:
        return None
    return Part(path, stored.rows, stored.notes)


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _replace(path: Path, content: bytes) -> None:
    with replacing(path) as temporary:
        temporary.write_bytes(content)


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


WORK = "_semscale/"
"""Folder of the parts, within that of the partitions."""


class PartitionOrder(NamedTuple):
    """A partition that is to be made of a part.

    Attributes:
        part: the part.
        own: its columns and types.
        schema: columns and types of all partitions.
        late: further columns of its rows, or ``None``.
    """

    part: StoredPart
    own: Mapping[str, pl.DataType]
    schema: Mapping[str, pl.DataType]
    late: pl.DataFrame | None


class PartInPlace(NamedTuple):
    """A part whose file another machine has written where the run keeps its parts.

    Attributes:
        part: the part; nothing marks it as finished yet.
        schema: its columns and types.
    """

    part: StoredPart
    schema: Mapping[str, pl.DataType]


def store_part(
    files: PartFiles, folder: str, number: int, frame: pl.DataFrame, notes: Mapping[str, Any]
) -> StoredPart:
    """Write the file of a part.

    Args:
        files: the folder of the run.
        folder: name of the parts' folder within it, with a slash; may be empty.
        number: of the part, from 0.
        frame: its rows.
        notes: JSON values that the run stores with it.
    """
    name = part_name(number)
    with temporary_folder() as local:
        file = Path(local, name)
        frame.write_parquet(file)
        part = StoredPart.of(file, frame.height, dict(notes))
        files.store(folder + name, file)
    return part


def store_partition(place: OutputPlace, order: PartitionOrder) -> dict[str, Any]:
    """Write a partition, and describe it as the list of partitions has it.

    Args:
        place: the folder of the run.
        order: what it is made of.

    Raises:
        InputError: the part is not as it was when it was marked as finished.
    """
    part, files = order.part, files_of(place)
    with files.local(WORK + part.name) as path, temporary_folder() as folder:
        _check_unchanged(part, path)
        file, written = path, part
        if order.late is not None or list(order.own.items()) != list(order.schema.items()):
            file = Path(folder, part.name)
            aligned_part(path, order.schema, order.late).collect().write_parquet(file)
            written = StoredPart.of(file, part.rows, {})
        files.store(part.name, file)
        return {"name": part.name, "rows": part.rows, "size": written.size, "sha256": written.checksum}


def _check_unchanged(part: StoredPart, path: Path) -> None:
    """Check a part: a node of a run that was killed may still have written its own in its place."""
    if checksum(path) != part.checksum:
        said = (
            f"out: {part.name} was overwritten once it was finished, as by a node of another run; start over"
        )
        raise InputError(f"{said} (restart=True)", in_shell=f"{said} (--restart)")


CONTENTS = "_semscale.json"
"""File of a finished folder that lists its partitions with rows, bytes and hashes, and the run's settings."""

Each = Callable[
    [Callable[[PartitionOrder], dict[str, Any]], Iterable[PartitionOrder]], Iterable[dict[str, Any]]
]

_PART = re.compile(r"part-(\d{6})\.(parquet|json)")
_PARTITION = re.compile(r"part-\d{6}\.parquet")
_TEMPORARY = re.compile(r"(_semscale/)?\.[^/]+\.tmp")


@dataclass
class StoredParts:
    """The parts of one run, kept where the output is to stand; a context manager.

    A part is written under its name, and a small file with its rows, bytes, hash and notes marks it as
    finished. Both appear whole or not at all, and nothing is renamed, as object stores cannot. When the run
    is opened again, its parts count up to the first one without such a file or with another hash; the rest is
    made again.

    Parts of a folder are kept in ``_semscale/`` within it. When all are there, they become the partitions
    ``part-000000.parquet`` and so on, all with the same columns and types, and ``_semscale.json`` lists them.
    A file behind a URL is joined on this machine and uploaded.

    A folder of this machine is locked while the run lasts. Nothing locks a folder behind a URL.

    Attributes:
        place: the output.
        files: the folder of the parts.
        key: everything that decides the content of the parts.
        finished: the finished parts, in order.
        unfinished: parts after these that will be made again, in order.
        is_new: whether the run starts from nothing.
        each: does work on items in order, as ``map`` does; perhaps on other machines that see the output.
    """

    place: OutputPlace
    files: PartFiles
    key: dict[str, str]
    finished: list[StoredPart] = field(default_factory=list)
    unfinished: list[StoredPart] = field(default_factory=list)
    is_new: bool = True
    each: Each = map
    _schemas: list[Mapping[str, pl.DataType]] = field(default_factory=list)
    _lock: FileLock | None = None

    @classmethod
    def open(cls, place: OutputPlace, key: Mapping[str, str], *, restart: bool = False) -> Self:
        """Start a run, or continue the one with the same key.

        Args:
            place: the output.
            key: everything that decides the content of the parts.
            restart: remove finished parts and partitions, whatever their key.

        Raises:
            InputError: another process uses the folder, it contains other files or another run's, or it
                cannot be reached.
        """
        lock = None if place.is_remote else _locked(place)
        parts = cls(place, files_of(place), dict(key), _lock=lock)
        try:
            parts._start(restart=restart)
        except BaseException:
            parts._release()
            raise
        return parts

    @property
    def name(self) -> str:
        """Name of the folder, for messages."""
        return str(self.place) if self.place.is_folder else f"{self.place}.parts"

    @property
    def shared_place(self) -> OutputPlace:
        """The output, as other processes find it, too, whatever folder they work in."""
        place = self.place
        return place if place.is_remote else replace(place, address=str(Path(place.address).absolute()))

    @property
    def rows(self) -> int:
        """Number of finished rows."""
        return sum(part.rows for part in self.finished)

    @property
    def are_there(self) -> bool:
        """Whether the parts are still known; those behind a URL are not looked up again."""
        return True

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Do nothing: files say by themselves that they are not there."""
        yield

    def taken(self) -> Iterator[tuple[pl.DataFrame, dict[str, Any]]]:
        """Read the finished parts with their notes, up to the first one that is not sound."""
        names = self.files.names()
        for place, part in enumerate(list(self.finished)):
            frame = self._sound_frame(part) if self._work + part.name in names else None
            if frame is None:
                del self.finished[place:]
                self._clear(place)
                return
            self._note_schema(frame.schema)
            yield frame, part.notes

    def add(
        self, frame: pl.DataFrame, notes: Mapping[str, Any] | None = None, *, is_finished: bool = True
    ) -> None:
        """Write the next part; it is finished when this returns, unless it or one before it is not."""
        number = len(self.finished) + len(self.unfinished)
        part = store_part(self.files, self._work, number, frame, notes or {})
        self._note_schema(frame.schema)
        if self.unfinished or not is_finished:
            self.unfinished.append(part)
            return
        self._mark_finished(part)

    def add_stored(self, stored: PartInPlace) -> None:
        """Mark the next part as finished, whose file is in its place already."""
        self._note_schema(stored.schema)
        self._mark_finished(stored.part)

    def write(
        self, out: Target, without: Collection[str], late: Callable[[int, int], pl.DataFrame | None]
    ) -> None:
        """Make the output of all parts.

        Args:
            out: the output, which is that of the run.
            without: columns that are left out.
            late: returns further columns of some rows, from one up to another.

        Raises:
            InputError: it cannot be written.
        """
        every, start, rows = [*self.finished, *self.unfinished], 0, []
        for part in every:
            rows.append((start, start + part.rows))
            start += part.rows
        if self.place.is_folder:
            self._write_partitions(every, without, [partial(late, *each) for each in rows])
        else:
            self._write_file(every, without, [late(*each) for each in rows])

    def drop_unfinished(self) -> None:
        """Remove the parts that will be made again; finished ones stay."""
        self._clear(len(self.finished))
        self.unfinished.clear()

    def remove(self) -> None:
        """Remove all parts; partitions and the list of them stay."""
        self._clear(0)
        self.files.remove(self._work + _MANIFEST)
        self._release()

    def discard(self) -> None:
        """Remove all parts, and ignore errors, as another one is being raised."""
        with suppress(OSError, InputError):
            self.remove()
        self._release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Release the lock, and leave nothing behind in which no part is finished."""
        if self.finished:
            self._release()
        else:
            self.discard()

    @property
    def _work(self) -> str:
        return WORK if self.place.is_folder else ""

    def _start(self, *, restart: bool) -> None:
        names = self.files.names()
        known = read_key(self.files.read(self._work + _MANIFEST))
        listed = read_key(self.files.read(CONTENTS)) if self.place.is_folder else None
        self._refuse_strange(names, has_run=known is not None or listed is not None)
        if restart:
            for name in [CONTENTS, *filter(_PARTITION.fullmatch, names)] if self.place.is_folder else []:
                self.files.remove(name)
        elif known is not None:
            _refuse_other(self.name, known, self.key)
        elif listed is not None:
            output = ("the output of another run", "name another folder", "replace")
            _refuse_other(self.name, listed, self.key, *output)
        self.is_new = restart or known is None
        if not self.is_new:
            self._find_finished()
        self._clear(len(self.finished))
        if self.is_new:
            self._write_json(self._work + _MANIFEST, {"key": self.key})

    def _refuse_strange(self, names: Collection[str], *, has_run: bool) -> None:
        strange = sorted(name for name in names if not self._is_ours(name, has_run=has_run))
        if strange:
            raise InputError(
                f"out: {self.name} is needed for the parts of the output but holds something else "
                f"({strange[0]}); move it away or choose another name"
            )

    def _is_ours(self, name: str, *, has_run: bool) -> bool:
        if _TEMPORARY.fullmatch(name) or (name == CONTENTS and self.place.is_folder):
            return True
        if name.startswith(self._work):
            own = name.removeprefix(self._work)
            if own in (_MANIFEST, LOCK_FILE) or _PART.fullmatch(own):
                return True
        return has_run and self.place.is_folder and _PARTITION.fullmatch(name) is not None

    def _find_finished(self) -> None:
        while True:
            name = part_name(len(self.finished))
            part = read_part(name, self.files.read(self._work + record_name(name)))
            if part is None:
                return
            self.finished.append(part)

    def _sound_frame(self, part: StoredPart) -> pl.DataFrame | None:
        with self.files.local(self._work + part.name) as path:
            return pl.read_parquet(path) if checksum(path) == part.checksum else None

    def _note_schema(self, schema: Mapping[str, pl.DataType]) -> None:
        """Keep the columns of a part; equal ones are kept once."""
        last = self._schemas[-1] if self._schemas else None
        self._schemas.append(last if last is not None and last == schema else schema)

    def _mark_finished(self, part: StoredPart) -> None:
        self.files.write(self._work + record_name(part.name), part.record())
        self.finished.append(part)

    def _clear(self, first: int) -> None:
        names = [name.removeprefix(self._work) for name in self.files.names() if name.startswith(self._work)]
        found = sorted(name for name in names if (part := _PART.fullmatch(name)) and int(part[1]) >= first)
        for name in reversed(found):
            self.files.remove(self._work + name)

    def _write_file(
        self, every: Sequence[StoredPart], without: Collection[str], beside: Sequence[pl.DataFrame | None]
    ) -> None:
        with ExitStack() as stack:
            paths = [stack.enter_context(self.files.local(self._work + part.name)) for part in every]
            joined = Path(stack.enter_context(temporary_folder()), f"table{self.place.suffix}")
            join_parts(paths, joined, without=without, beside=beside)
            self.place.upload(joined)

    def _write_partitions(
        self,
        every: Sequence[StoredPart],
        without: Collection[str],
        beside: Sequence[Callable[[], pl.DataFrame | None]],
    ) -> None:
        self.files.remove(CONTENTS)
        common = joint_schema(self._schemas, lambda place, title: self._cells(every[place], title))
        schema = {title: dtype for title, dtype in common.items() if title not in without}
        orders = (
            PartitionOrder(part, own, schema, late())
            for part, own, late in zip(every, self._schemas, beside, strict=True)
        )
        listed = list(self.each(partial(store_partition, self.shared_place), orders))
        self._write_json(CONTENTS, {"key": self.key, "parts": listed})

    def _cells(self, part: StoredPart, title: str) -> pl.Series:
        with self.files.local(self._work + part.name) as path:
            return pl.read_parquet(path, columns=[title])[title]

    def _write_json(self, name: str, content: dict[str, Any]) -> None:
        self.files.write(name, to_json(content))

    def _release(self) -> None:
        """Release the lock of a folder of this machine; if nothing is kept in it, it goes, too."""
        if self._lock is None:
            return
        work = Path(self.place.address) / WORK
        is_empty = not any(path.name == _MANIFEST or _PART.fullmatch(path.name) for path in work.iterdir())
        if os.name == "nt":
            self._lock.release()  # Windows does not remove a locked file
        if is_empty:
            with suppress(PermissionError):
                (work / LOCK_FILE).unlink(missing_ok=True)
            with suppress(OSError):
                work.rmdir()
                work.parent.rmdir()
        self._lock.release()
        self._lock = None


def _locked(place: OutputPlace) -> FileLock:
    folder = Path(place.address)
    folder.mkdir(exist_ok=True)
    return lock_folder(folder / WORK, lambda _: None, str(place))
