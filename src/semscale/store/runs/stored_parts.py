"""Finished parts of a run whose output is a folder of partitions or lies behind a URL."""

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Self

import polars as pl
from filelock import FileLock

from semscale.errors import InputError
from semscale.store.folder_lock import LOCK_FILE, lock_folder
from semscale.store.places.fetching import temporary_folder
from semscale.store.places.output_places import OutputPlace, Target
from semscale.store.places.part_files import PartFiles, files_of
from semscale.store.runs.part_joining import join_parts, joint_schema
from semscale.store.runs.part_storing import WORK, PartInPlace, PartitionOrder, store_part, store_partition
from semscale.store.runs.parts import differing
from semscale.store.runs.stored_part import (
    StoredPart,
    checksum,
    part_name,
    read_key,
    read_part,
    record_name,
    to_json,
)

CONTENTS = "_semscale.json"
"""File of a finished folder that lists its partitions with rows, bytes and hashes, and the run's settings."""

Each = Callable[
    [Callable[[PartitionOrder], dict[str, Any]], Iterable[PartitionOrder]], Iterable[dict[str, Any]]
]

_MANIFEST = "manifest.json"
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
            self._refuse_other(
                known,
                "an unfinished run",
                "repeat that command to go on with it",
                "drop",
            )
        elif listed is not None:
            self._refuse_other(listed, "the output of another run", "name another folder", "replace")
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

    def _refuse_other(self, known: Mapping[str, str], what: str, remedy: str, verb: str) -> None:
        differences = differing(known, self.key)
        if differences:
            raise InputError(
                f"out: {self.name} holds {what} that differs ({differences}); {remedy}, or pass --restart to "
                f"{verb} it"
            )

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
