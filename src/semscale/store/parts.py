"""Finished parts of a run: stored next to the output or in its folder, verified, and joined."""

import json
import os
import re
import shutil
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple, Self

import polars as pl
from filelock import FileLock
from polars.exceptions import PolarsError

from semscale.errors import InputError
from semscale.json_reading import parse_json
from semscale.store.atomic import (
    LOCK_FILE,
    checksum,
    folder_without_links,
    linked_file,
    lock_folder,
    special_error,
    sync,
)
from semscale.store.part_signatures import is_signed, part_signature
from semscale.store.places import LocalFiles, OutputPlace, PartFiles, Target, files_of, temporary_folder
from semscale.store.table import ColumnLabels
from semscale.store.writing import join_parts, joint_schema, rows_of_group, scan_part

WORK = "_semscale/"
"""Subfolder of the parts in the folder of partitions."""

CONTENTS = "_semscale.json"
"""File in a finished folder with the list of partitions (rows, bytes, hashes) and the run's settings."""

_MANIFEST = "manifest.json"
_PART = re.compile(r"part-(\d{6})\.(parquet|json)")
_PARTITION = re.compile(r"part-\d{6}\.parquet")
_TEMPORARY = re.compile(r"(_semscale/)?\.[^/]+\.tmp")


class Part(NamedTuple):
    """A part whose file is stored.

    Attributes:
        name: name of its Parquet file.
        rows: its number of rows.
        size: size of its file in bytes.
        checksum: SHA-256 of its file, in hex digits.
        notes: JSON values that the run stores with the part.
        schema: its columns and types; empty until its file is read.
    """

    name: str
    rows: int
    size: int
    checksum: str
    notes: dict[str, Any]
    schema: Mapping[str, pl.DataType] = {}

    @classmethod
    def from_record(cls, name: str, content: bytes | None) -> Self | None:
        """Read the file that marks a part as finished; ``None`` if it is missing or invalid."""
        record = _from_json(content)
        try:
            return cls(
                name, int(record["rows"]), int(record["size"]), str(record["checksum"]), dict(record["notes"])
            )
        except (KeyError, TypeError, ValueError, OverflowError):
            return None

    def record(self) -> dict[str, Any]:
        """Return the content of the file that marks the part as finished, without its signature."""
        return {"rows": self.rows, "size": self.size, "checksum": self.checksum, "notes": self.notes}

    @property
    def record_name(self) -> str:
        """Name of the file that marks the part as finished."""
        return self.name.removesuffix(".parquet") + ".json"


def store_part(
    files: PartFiles, folder: str, number: int, frame: pl.DataFrame, notes: Mapping[str, Any]
) -> Part:
    """Write the file of a part atomically.

    Args:
        files: the folder of the run.
        folder: name of the parts' folder within it, with a slash; may be empty.
        number: number of the part, from 0.
        frame: the part's rows.
        notes: JSON values that the run stores with the part.
    """
    name = _part_name(number)
    with files.writing(folder + name) as path:
        frame.write_parquet(path, row_group_size=rows_of_group(frame.schema))
        return Part(name, frame.height, path.stat().st_size, checksum(path), dict(notes), frame.schema)


class PartitionOrder(NamedTuple):
    """Instructions for making a partition from a part.

    Attributes:
        part: the part.
        schema: columns and types of all partitions.
        final_columns: further columns of the part's rows, or ``None``.
    """

    part: Part
    schema: Mapping[str, pl.DataType]
    final_columns: pl.DataFrame | None


def store_partition(place: OutputPlace, order: PartitionOrder) -> dict[str, Any]:
    """Write a partition, and return its entry for the list of partitions.

    Args:
        place: the folder of the run.
        order: the part, and the columns to write.

    Raises:
        InputError: the part has changed since it was marked as finished.
    """
    part, files = order.part, files_of(place)
    with files.local(WORK + part.name) as stored, files.writing(part.name) as path:
        _check_unchanged(part, stored)
        if order.final_columns is None and list(part.schema.items()) == list(order.schema.items()):
            shutil.copyfile(stored, path)
        else:
            scan_part(stored, order.schema, order.final_columns).collect().write_parquet(path)
        size, sha256 = path.stat().st_size, checksum(path)
    return {"name": part.name, "rows": part.rows, "size": size, "sha256": sha256}


def _check_unchanged(part: Part, path: Path) -> None:
    """Check that a part is unchanged: a node of a killed run may have overwritten it."""
    if checksum(path) != part.checksum:
        raise InputError(
            "out",
            f": {part.name} was overwritten after it was finished, perhaps by a node of another run; start "
            "again (`restart=True`)",
        )


Each = Callable[
    [Callable[[PartitionOrder], dict[str, Any]], Iterable[PartitionOrder]], Iterable[dict[str, Any]]
]


@dataclass
class Parts:
    """The parts of one run, stored beside its output or in its folder; a context manager.

    Finished parts stay when the context is left; without one, nothing is left behind.

    A small file with a part's rows, bytes, hash and notes marks the part as finished. It is signed with a
    secret of this user, so that parts that came with a project of somebody else are refused. Both files are
    written atomically. When the run is opened again, the parts before the first one without such a file, or
    with another hash, are used; the others are repeated.

    Parts of a file are in the folder ``<out>.parts``. They are joined on this machine, and uploaded if the
    file is behind a URL. Parts of a folder are in its subfolder ``_semscale/``. When all parts are finished,
    they become the partitions ``part-000000.parquet`` and so on, all with the same columns and types, and
    ``_semscale.json`` lists them.

    A local folder is locked during the run. A folder behind a URL is not locked.

    Attributes:
        place: the output.
        files: the folder of the parts.
        key: all settings that affect the parts.
        finished: the finished parts, in order.
        unfinished: later parts that will be repeated, in order.
        is_new: whether the run starts without parts; then removing its parts loses no earlier work.
        each: function like ``map``, which may run on other machines with access to the output.
        follow: whether links to the output are followed, once when the run is opened.

    Examples:
        >>> import tempfile
        >>> out = Path(tempfile.mkdtemp(), "rated.csv")
        >>> with Parts.open(out, {"seed": "1"}) as parts:
        ...     parts.add(pl.DataFrame({"mean": [3.0, 4.0]}))
        >>> with Parts.open(out, {"seed": "1"}) as parts:
        ...     print(parts.rows)
        ...     parts.remove()
        2
    """

    place: OutputPlace
    files: PartFiles
    key: dict[str, str]
    finished: list[Part] = field(default_factory=list)
    unfinished: list[Part] = field(default_factory=list)
    is_new: bool = True
    each: Each = map
    follow: bool = True
    _target: Path = Path()
    _lock: FileLock | None = None

    @classmethod
    def open(cls, out: Target, key: Mapping[str, str], *, restart: bool = False, follow: bool = True) -> Self:
        """Start a run, or continue the one with the same key.

        Args:
            out: the output.
            key: all settings that affect the parts.
            restart: whether to remove finished parts and partitions of any key.
            follow: whether links to the output are followed; otherwise its path must be absolute and without
                links.

        Raises:
            InputError: another process uses the folder, it contains files of another origin or run, or it
                cannot be reached.
        """
        place = out if isinstance(out, OutputPlace) else OutputPlace(str(out), is_folder=False)
        parts = cls(place, files_of(place, follow=follow), dict(key), follow=follow)
        if not place.is_remote and not place.is_folder:
            path = Path(place.address)
            parts._target = linked_file(path, "out") if follow else path
        parts._lock_folder()
        try:
            parts._start(restart=restart)
        except BaseException:
            parts.close()
            raise
        return parts

    @property
    def name(self) -> str:
        """Name of the folder, for messages."""
        if self.place.is_folder:
            return str(self.place)
        return f"{self.place if self.place.is_remote else self.place.name}.parts"

    @property
    def shared_place(self) -> OutputPlace:
        """The output as an absolute path or URL, for processes with another working folder."""
        place = self.place
        return place if place.is_remote else replace(place, address=str(Path(place.address).absolute()))

    @property
    def rows(self) -> int:
        """Number of finished rows."""
        return sum(part.rows for part in self.finished)

    def read(
        self, is_repeated: Callable[[Mapping[str, Any]], bool] = lambda notes: False
    ) -> Iterator[tuple[pl.DataFrame, dict[str, Any]]]:
        """Yield the finished parts with their notes, in order, up to the first damaged one.

        Args:
            is_repeated: whether a part with these notes is to be repeated, with all later ones.
        """
        names = self.files.names()
        for number, part in enumerate(list(self.finished)):
            is_usable = self._work + part.name in names and not is_repeated(part.notes)
            frame = self._sound_frame(part) if is_usable else None
            if frame is None:
                del self.finished[number:]
                self._clear(number)
                return
            self.finished[number] = part._replace(schema=self._share_schema(frame.schema))
            yield frame, part.notes

    def add(
        self, frame: pl.DataFrame, notes: Mapping[str, Any] | None = None, *, is_finished: bool = True
    ) -> None:
        """Write the next part, and mark it as finished unless it or an earlier part is unfinished."""
        number = len(self.finished) + len(self.unfinished)
        part = store_part(self.files, self._work, number, frame, notes or {})
        if is_finished and not self.unfinished:
            self.add_stored(part)
        else:
            self.unfinished.append(part._replace(schema=self._share_schema(part.schema)))

    def add_stored(self, part: Part) -> None:
        """Mark the next part, whose file is stored already, as finished."""
        signature = part_signature(self._signed_content(part))
        self.files.write(self._work + part.record_name, _to_json({**part.record(), "signature": signature}))
        self.finished.append(part._replace(schema=self._share_schema(part.schema)))

    def write(
        self,
        without: Collection[str],
        final_columns: Callable[[int, int], pl.DataFrame | None],
        *,
        escape: bool = True,
        labels: Mapping[str, ColumnLabels] | None = None,
        facts: str = "",
    ) -> None:
        """Write the output from all parts.

        Args:
            without: columns that are left out.
            final_columns: function that returns further columns of the rows between two positions.
            escape: whether texts in CSV that a spreadsheet would run get an apostrophe.
            labels: labels of columns and their values, for SPSS.
            facts: text that a single Parquet file stores beside its columns; empty for none.

        Raises:
            InputError: it cannot be written.
        """
        parts = [*self.finished, *self.unfinished]
        stops = accumulate(part.rows for part in parts)
        further = (final_columns(stop - part.rows, stop) for part, stop in zip(parts, stops, strict=True))
        if self.place.is_folder:
            self._write_partitions(parts, without, further)
        else:
            join = partial(
                join_parts,
                without=without,
                beside=list(further),
                escape=escape,
                labels=labels,
                facts=facts,
            )
            self._write_file(parts, join)

    def drop_unfinished(self) -> None:
        """Remove the parts that will be repeated; finished ones stay."""
        self._clear(len(self.finished))
        self.unfinished.clear()

    @contextmanager
    def removal_refused(self) -> Iterator[None]:
        """Raise a clear error if a local folder or a part in it was removed during the run.

        Raises:
            InputError: files that this run needs are missing.
        """
        try:
            yield
        except (OSError, PolarsError) as error:
            if self.are_there:
                raise
            raise InputError(
                "out",
                f": {self._folder}, which holds finished parts until the output is written, was removed "
                "or changed during the run; do not change it, and start the same command again",
            ) from error

    @property
    def are_there(self) -> bool:
        """Return whether folder and parts are still on the disk; always True behind a URL."""
        folder = self._folder
        return folder is None or (
            folder.is_dir()
            and all((folder / part.name).is_file() for part in [*self.finished, *self.unfinished])
        )

    def remove(self) -> None:
        """Remove all parts; the output stays."""
        self._clear(0)
        self.files.remove(self._work + _MANIFEST)
        self.close()

    def discard(self) -> None:
        """Remove all parts, ignoring errors, as another error is being raised."""
        with suppress(OSError, InputError):
            self.remove()
        self.close()

    def close(self) -> None:
        """Release the lock of a local folder, and remove the folder if it has no run."""
        folder = self._folder
        if self._lock is None or folder is None:
            return
        names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
        if os.name == "nt":
            self._lock.release()  # Windows does not remove a locked file
        if not any(name == _MANIFEST or _PART.fullmatch(name) for name in names):
            with suppress(PermissionError):
                (folder / LOCK_FILE).unlink(missing_ok=True)
            with suppress(OSError):
                folder.rmdir()
                if self.place.is_folder:
                    folder.parent.rmdir()
        self._lock.release()
        self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Release the lock, and remove a run without a finished part."""
        if self.finished:
            self.close()
        else:
            self.discard()

    @property
    def _work(self) -> str:
        return WORK if self.place.is_folder else ""

    @property
    def _folder(self) -> Path | None:
        """The folder of the parts; ``None`` behind a URL."""
        return self.files.folder / self._work if isinstance(self.files, LocalFiles) else None

    def _lock_folder(self) -> None:
        if self._folder is None:
            return
        if self.place.is_folder:
            Path(self.place.address).mkdir(exist_ok=True)
        name = str(self.place) if self.place.is_folder else self.place.name
        self._lock = lock_folder(self._folder, self._check_folder, name)

    def _check_folder(self, folder: Path) -> None:
        mode = folder.lstat().st_mode
        if stat.S_ISREG(mode):
            raise InputError(
                "out",
                f": {folder} is needed for unfinished parts but is a file; move it away or choose another "
                "name",
            )
        if not stat.S_ISDIR(mode):
            raise special_error(folder, mode)
        if not self.follow and os.rename in os.supports_dir_fd:
            with folder_without_links(folder):
                pass

    def _start(self, *, restart: bool) -> None:
        names = self.files.names()
        known = _read_key(self.files.read(self._work + _MANIFEST))
        listed = _read_key(self.files.read(CONTENTS)) if self.place.is_folder else None
        self._refuse_other_files(names, has_run=known is not None or listed is not None)
        if not restart:
            self._refuse_other_key(known, listed)
        elif self.place.is_folder:
            for name in [CONTENTS, *filter(_PARTITION.fullmatch, names)]:
                self.files.remove(name)
        self.is_new = restart or known is None
        if not self.is_new:
            self._find_finished()
        self._clear(len(self.finished))
        if self._folder is not None:
            for name in filter(_TEMPORARY.fullmatch, names):  # of a process that was killed
                self.files.remove(name)
            sync(self._folder)  # after a crash, no old part may reappear beside the new manifest
        if self.is_new:
            self.files.write(self._work + _MANIFEST, _to_json({"key": self.key}))

    def _refuse_other_key(self, known: Mapping[str, str] | None, listed: Mapping[str, str] | None) -> None:
        """Refuse a folder with parts or output of a run with another key."""
        key, other = self.key, known or listed or self.key
        names = [name for name in {**other, **key} if other.get(name) != key.get(name)]
        if not names:
            return
        differences = "; ".join(
            f"{name} was {other.get(name, 'not set')}, now {key.get(name, 'not set')}" for name in names
        )
        content, remedy = (
            ("an unfinished run", "repeat that command to continue it, or pass --restart to discard it")
            if known
            else ("the output of another run", "name another folder, or pass --restart to replace it")
        )
        raise InputError("out", f": {self.name} holds {content} that differs ({differences}); {remedy}")

    def _refuse_other_files(self, names: Collection[str], *, has_run: bool) -> None:
        others = sorted(name for name in names if not self._is_of_run(name, has_run=has_run))
        if others:
            raise InputError(
                "out",
                f": {self.name} is needed for the parts of the output but holds something else "
                f"({others[0]}); move it away or choose another name",
            )

    def _is_of_run(self, name: str, *, has_run: bool) -> bool:
        if _TEMPORARY.fullmatch(name) or (name == CONTENTS and self.place.is_folder):
            return True
        if name.startswith(self._work):
            inner = name.removeprefix(self._work)
            if inner in (_MANIFEST, LOCK_FILE) or _PART.fullmatch(inner):
                return True
        return has_run and self.place.is_folder and _PARTITION.fullmatch(name) is not None

    def _find_finished(self) -> None:
        while True:
            name = _part_name(len(self.finished))
            content = self.files.read(self._work + name.removesuffix(".parquet") + ".json")
            part = Part.from_record(name, content)
            if part is None:
                return
            if not is_signed(self._signed_content(part), _from_json(content).get("signature")):
                self.finished.clear()
                raise InputError(
                    "out",
                    f": {self.name} holds finished parts that were changed, or that another user or machine "
                    "made, so their numbers cannot be trusted; to discard them and start again, set "
                    f"`restart=True`, or remove {self.name}",
                )
            self.finished.append(part)

    def _signed_content(self, part: Part) -> bytes:
        return _to_json({"key": dict(sorted(self.key.items())), "part": part.name, **part.record()})

    def _sound_frame(self, part: Part) -> pl.DataFrame | None:
        with self.files.local(self._work + part.name) as path:
            return pl.read_parquet(path) if checksum(path) == part.checksum else None

    def _share_schema(self, schema: Mapping[str, pl.DataType]) -> Mapping[str, pl.DataType]:
        """Return the last part's schema if it is equal, so that many parts share one object."""
        parts = self.unfinished or self.finished
        return parts[-1].schema if parts and parts[-1].schema == schema else schema

    def _clear(self, first: int) -> None:
        names = [name.removeprefix(self._work) for name in self.files.names() if name.startswith(self._work)]
        found = sorted(name for name in names if (part := _PART.fullmatch(name)) and int(part[1]) >= first)
        for name in reversed(found):
            self.files.remove(self._work + name)

    def _write_file(self, parts: Sequence[Part], join: Callable[..., None]) -> None:
        with ExitStack() as stack:
            paths = [stack.enter_context(self.files.local(self._work + part.name)) for part in parts]
            if not self.place.is_remote:
                # Links were followed at the start, and one that was placed there since is replaced itself.
                join(paths, self._target, follow=False)
                return
            joined = Path(stack.enter_context(temporary_folder()), f"table{self.place.suffix}")
            join(paths, joined)
            self.place.upload(joined)

    def _write_partitions(
        self, parts: Sequence[Part], without: Collection[str], further: Iterable[pl.DataFrame | None]
    ) -> None:
        self.files.remove(CONTENTS)
        common = joint_schema(
            [part.schema for part in parts], lambda at, title: self._cells(parts[at], title)
        )
        schema = {title: dtype for title, dtype in common.items() if title not in without}
        orders = (
            PartitionOrder(part, schema, final_columns)
            for part, final_columns in zip(parts, further, strict=True)
        )
        listed = list(self.each(partial(store_partition, self.shared_place), orders))
        self.files.write(CONTENTS, _to_json({"key": self.key, "parts": listed}))

    def _cells(self, part: Part, title: str) -> pl.Series:
        with self.files.local(self._work + part.name) as path:
            return pl.read_parquet(path, columns=[title])[title]


def _part_name(number: int) -> str:
    """Name the file of a part, from 0.

    Examples:
        >>> _part_name(12)
        'part-000012.parquet'
    """
    return f"part-{number:06d}.parquet"


def _read_key(content: bytes | None) -> dict[str, str] | None:
    """Read the settings of a run; ``None`` if they are missing."""
    key = _from_json(content).get("key")
    return key if isinstance(key, dict) else None


def _from_json(content: bytes | None) -> dict[str, Any]:
    """Read an object of JSON; empty if there is none."""
    try:
        document = parse_json((content or b"").decode("utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError):
        return {}
    return document if isinstance(document, dict) else {}


def _to_json(content: dict[str, Any]) -> bytes:
    return json.dumps(content).encode()
