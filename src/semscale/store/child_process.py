"""Tables that a child process with limits of memory and time reads, so that a file cannot end this process.

The child is ``child_reader``. Requests are lines of JSON on its standard input. Each answer is a length, a
head in JSON, and for rows an Arrow stream; nothing is pickled. The child ends with its table, and when this
process ends, however that happens.
"""

import errno
import io
import json
import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from signal import Signals
from typing import IO, Any, cast

import polars as pl

from semscale import errors
from semscale.errors import InputError, SemscaleError
from semscale.store.atomic import open_without_links
from semscale.store.table import ColumnLabels, Table
from semscale.subprocesses import minimal_environment

MOST_MEMORY = 2_000_000_000
"""Maximum memory of a child, in bytes, without the pages of the file that the system maps."""
MOST_SECONDS = 300.0
"""Maximum time for opening a table, and for each batch of its rows."""

_MOST_THREADS = 4
LENGTH = 8
"""Bytes of the length before an answer."""

_PROGRAM = """
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
folder, *others = sys.argv[1:]
sys.path += others
spec = PathFinder.find_spec("semscale", [folder])
sys.modules["semscale"] = module_from_spec(spec)
spec.loader.exec_module(sys.modules["semscale"])
from semscale.store.child_reader import main
main()
"""
"""The child: it loads this very package, and looks for modules in the working folder only if that has it."""

_KINDS = {
    "xlsx": ("an Excel workbook", "remove cells far from the table, or save the sheet as .csv"),
    "parquet": ("Parquet", "write it again, with smaller row groups"),
    "sav": ("an SPSS file", "save it again in SPSS, with fewer variables or cases"),
    "dta": ("a Stata file", "save it again in Stata, with fewer variables or observations"),
    "sas7bdat": ("a SAS file", "write it again in SAS, with fewer variables or observations"),
    "xpt": ("a SAS transport file", "write it again in SAS, with fewer variables or observations"),
}
"""Name of a format in messages, and the remedy if its reader fails."""


class HeldFiles:
    """Files that stay open, so that whatever gets their names later is not read in their place.

    Only Linux can open a file again by its descriptor, also in a child process that inherits it.

    Attributes:
        descriptors: descriptors by the names of the files in their folder; for a single file, its name is "".
    """

    def __init__(self, descriptors: Mapping[str, int], *, is_owner: bool = True) -> None:
        self.descriptors = dict(descriptors)
        if is_owner:
            weakref.finalize(self, _close, tuple(self.descriptors.values()))

    @classmethod
    def open(cls, files: Mapping[str, Path]) -> "HeldFiles | None":
        """Open files without following a link on the way; ``None`` where the system cannot.

        Args:
            files: absolute paths by name.

        Raises:
            InputError: a path has a link, is no file, or there are too many files.
            FileNotFoundError: a file is gone.
        """
        if not _DESCRIPTORS.is_dir():
            return None
        opened: dict[str, int] = {}
        try:
            for name, path in files.items():
                opened[name] = open_without_links(path)
        except BaseException as error:
            _close(tuple(opened.values()))
            if isinstance(error, OSError) and error.errno == errno.EMFILE:
                raise InputError(
                    f"the table has {len(files):,} files, more than this process may open; write fewer, "
                    "larger files"
                ) from error
            raise
        return cls(opened)

    def path(self, name: str = "") -> Path:
        """Return a path by which this process, or one that inherits the descriptors, opens a file."""
        return _DESCRIPTORS / str(self.descriptors[name])


_DESCRIPTORS = Path("/proc/self/fd")


def _close(descriptors: Sequence[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


@dataclass(frozen=True)
class Opening:
    """Instructions for opening a table.

    Attributes:
        path: the file, or a folder of Parquet files.
        name: its name in messages.
        format: its format.
        settings: keyword arguments of ``open_table`` apart from the format.
        memory: maximum memory of the child, in bytes.
        held: the files, if they are open already; then they are read by their descriptors.
    """

    path: Path
    name: str
    format: str
    settings: Mapping[str, Any]
    memory: int = field(default_factory=lambda: MOST_MEMORY)
    held: HeldFiles | None = None

    @property
    def is_folder(self) -> bool:
        """True for a folder of Parquet files."""
        return self.path.is_dir() if self.held is None else "" not in self.held.descriptors

    @property
    def readable_path(self) -> Path:
        """Path by which the file, or the folder, is read."""
        return self.path if self.held is None or self.is_folder else self.held.path()

    def request(self) -> dict[str, Any]:
        """Return the JSON values from which the child makes this object again."""
        held = None if self.held is None else self.held.descriptors
        return {**vars(self), "path": str(self.path.absolute()), "held": held}

    @classmethod
    def from_request(cls, request: Mapping[str, Any]) -> "Opening":
        """Make the object of the parent process again."""
        held = None if request["held"] is None else HeldFiles(request["held"], is_owner=False)
        return cls(**{**request, "path": Path(request["path"]), "held": held})

    def failure(self, reason: str) -> InputError:
        """Return the error of a file that the child cannot read."""
        kind, remedy = _KINDS.get(self.format, (self.format, "check the file, or split it into smaller ones"))
        return InputError(f"{self.name} cannot be read as {kind}: {reason}; {remedy}")

    def crash(self, event: str) -> InputError:
        """Return the error of a file on which the reader of its format failed, such as "was ended"."""
        return self.failure(
            f"its reader {event}, because the file is damaged or needs more than {self.memory / 1e9:g} GB of "
            "memory"
        )


def open_in_child(opening: Opening) -> Table:
    """Open a table whose file a child process reads.

    The table can be pickled: where it is used, a new child opens the file again.

    Raises:
        SemscaleError: as the reader of the format; or an ``InputError`` because the reader ended its process,
            or needs more memory or time than the limit.
    """
    child = _Child(opening)
    head = child.head()
    return Table(
        opening.name,
        None if opening.is_folder else opening.readable_path,
        tuple(head["columns"]),
        child.read,
        n_rows=head["n_rows"],
        settings=tuple(head["settings"]),
        read_columns=child.read_columns,
        labels={title: _labels(entry) for title, entry in head["labels"].items()},
        notes=tuple(head["notes"]),
        export=head["export"],
        sheets=tuple(head["sheets"]),
        identity=child.identity if head["has_identity"] else None,
        hint=child.hint,
    )


def describe_table(table: Table) -> dict[str, Any]:
    """Describe a table in JSON values, from which ``open_in_child`` builds its counterpart."""
    return {
        "columns": table.columns,
        "n_rows": table.n_rows,
        "settings": table.settings,
        "labels": {title: {**asdict(entry)} for title, entry in table.labels.items()},
        "notes": table.notes,
        "export": table.export,
        "sheets": table.sheets,
        "has_identity": table.identity is not None,
    }


def _labels(entry: dict[str, Any]) -> ColumnLabels:
    return ColumnLabels(**{**entry, "missing": tuple(entry["missing"]), "order": tuple(entry["order"])})


class _Child:
    """The reader of one table; its process starts when it is needed, and again after it has ended."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._lock = threading.Lock()
        self._process: _Process | None = None
        self._head: dict[str, Any] = {}

    def __reduce__(self) -> tuple[type["_Child"], tuple[Opening]]:
        return _Child, (self._opening,)

    def head(self) -> dict[str, Any]:
        """Return the description of the table."""
        with self._lock:
            self._running()
            return self._head

    def read(self, size: int, skip: int) -> Iterator[pl.DataFrame]:
        """Read rows, as ``Table.read``."""
        return self._batches(size, skip, None)

    def read_columns(self, size: int, titles: Collection[str]) -> Iterator[pl.DataFrame]:
        """Read some columns, as ``Table.read_columns``."""
        return self._batches(size, 0, sorted(titles))

    def hint(self, column: str) -> str:
        """Return the hint on a missing column, as ``Table.hint``."""
        return str(self._answer({"hint": column}, MOST_SECONDS)["text"])

    def identity(self) -> str:
        """Return a text that changes if a row changes, as ``Table.identity``; large files take their time."""
        return str(self._answer({"identity": True}, None)["text"])

    def _batches(self, size: int, skip: int, titles: list[str] | None) -> Iterator[pl.DataFrame]:
        while (batch := self._batch({"size": size, "skip": skip, "titles": titles})) is not None:
            yield batch
            skip += batch.height

    def _batch(self, request: Mapping[str, Any]) -> pl.DataFrame | None:
        frames = []
        with self._lock:
            for head, content in self._running().answers(request, MOST_SECONDS):
                if content:
                    frames.append(decode_frame(content, head["mixed"]))
        return pl.concat(frames) if frames else None

    def _answer(self, request: Mapping[str, Any], seconds: float | None) -> dict[str, Any]:
        with self._lock:
            ((head, _),) = self._running().answers(request, seconds)
        return head

    def _running(self) -> "_Process":
        """Return the process with the opened table."""
        if self._process is None or not self._process.is_usable:
            process = _Process(self._opening)
            weakref.finalize(self, process.end)
            try:
                ((self._head, _),) = process.answers(self._opening.request(), MOST_SECONDS)
            except BaseException:
                process.end()
                raise
            self._process = process
        return self._process


class _Process:
    """A running child.

    Attributes:
        is_usable: false after it has ended, and in a fork of the process that started it.
    """

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._owner = os.getpid()
        self._has_answered = self._is_late = False
        if not sys.executable or getattr(sys, "frozen", False):
            raise InputError(
                f"{opening.name} is read in a process of its own, and this program does not name the Python "
                "that could start it: save the table as CSV or JSON lines, or set sys.executable"
            )
        options = ["-I", "-X", "utf8", *(["-B"] if sys.dont_write_bytecode else [])]
        try:
            self._popen = subprocess.Popen(
                [sys.executable, *options, "-c", _PROGRAM, *_module_folders()],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=os.path.abspath(os.sep),
                env=_environment(),
                start_new_session=True,
                pass_fds=() if opening.held is None else tuple(opening.held.descriptors.values()),
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError as error:
            raise InputError(
                f"{opening.name} is read in a process of its own, which cannot be started "
                f"({error.strerror or error}): end other programs, and try again"
            ) from error
        self._input, self._output = cast(IO[bytes], self._popen.stdin), cast(IO[bytes], self._popen.stdout)

    @property
    def is_usable(self) -> bool:
        return self._owner == os.getpid() and self._popen.poll() is None

    def answers(
        self, request: Mapping[str, Any], seconds: float | None
    ) -> Iterator[tuple[dict[str, Any], bytes]]:
        """Send a request, and yield the heads and contents of all its answers.

        Raises:
            SemscaleError: the child reports an error, or it has ended.
        """
        watch = threading.Timer(seconds, self._end_late) if seconds is not None else None
        error: BaseException | None = None
        if watch is not None:
            watch.daemon = True
            watch.start()
        try:
            self._send(request)
            while error is None:
                head, content = self._receive()
                self._has_answered = True
                error = _error_in(head, self._opening)
                if error is None:
                    yield head, content
                    if head["is_last"]:
                        return
        except BaseException:
            self.end()  # an answer was read in part, and the next one could not be told from its rest
            raise
        finally:
            if watch is not None:
                watch.cancel()
        raise error

    def end(self) -> None:
        """End the process, unless this one is a fork of the process that started it."""
        if self._owner != os.getpid():
            return
        self._popen.kill()
        self._popen.wait()
        for stream in (self._input, self._output):
            with suppress(OSError):  # a request that was not sent
                stream.close()

    def _end_late(self) -> None:
        self._is_late = True
        self._popen.kill()

    def _send(self, request: Mapping[str, Any]) -> None:
        with suppress(BrokenPipeError):  # the child has ended, which reading reports
            self._input.write(json.dumps(request).encode() + b"\n")
            self._input.flush()

    def _receive(self) -> tuple[dict[str, Any], bytes]:
        n_bytes = int.from_bytes(self._read(LENGTH))
        head: dict[str, Any] = json.loads(self._read(n_bytes))
        return head, self._read(head["n_bytes"])

    def _read(self, n_bytes: int) -> bytes:
        if n_bytes > self._opening.memory:
            raise self._opening.crash("sent more than it can hold")
        content = self._output.read(n_bytes)
        if len(content) < n_bytes:
            raise self._failure()
        return content

    def _failure(self) -> SemscaleError:
        """Return the error about how the child has ended."""
        if self._is_late:
            return self._opening.failure(f"it takes more than {MOST_SECONDS:g} seconds")
        code = self._popen.wait()
        if code == 1 and not self._has_answered:
            return SemscaleError(
                f"{self._opening.name} is read in a process of its own, which failed at its start: "
                f"{sys.executable} -I -c 'import semscale.store.child_reader' shows the reason"
            )
        with suppress(ValueError):
            return self._opening.crash(f"was ended by {Signals(-code).name}")
        return self._opening.crash(f"ended with the code {code}")


def _module_folders() -> list[str]:
    """Return the folder of this package, and others that the child may need, without the working folder."""
    folder, here = str(Path(__file__).parents[2]), ""
    with suppress(FileNotFoundError):  # the working folder was removed
        here = os.getcwd()
    return [folder, *(path for path in sys.path if os.path.isabs(path) and path not in (here, folder))]


def _environment() -> dict[str, str]:
    threads = str(min(_MOST_THREADS, os.cpu_count() or 1))
    return minimal_environment() | {
        "POLARS_MAX_THREADS": threads,
        "OPENBLAS_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "2",
    }


def with_texts(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Write the cells of ``Object`` columns as JSON, and return the names of these columns, too.

    Examples:
        >>> frame = pl.DataFrame([pl.Series("a", ["good", 5, datetime(2024, 3, 1)], dtype=pl.Object)])
        >>> texts, mixed = with_texts(frame)
        >>> decode_frame(encode_frame(texts), mixed)["a"].to_list()
        ['good', 5, datetime.datetime(2024, 3, 1, 0, 0)]
    """
    mixed = [title for title, dtype in frame.schema.items() if dtype == pl.Object]
    texts = [pl.Series(title, map(_encode_cell, frame[title].to_list()), dtype=pl.String) for title in mixed]
    return frame.with_columns(texts), mixed


def encode_frame(frame: pl.DataFrame) -> bytes:
    """Write a frame without ``Object`` columns as the content of an answer."""
    content = io.BytesIO()
    frame.write_ipc_stream(content)
    return content.getvalue()


def decode_frame(content: bytes, mixed: Sequence[str]) -> pl.DataFrame:
    """Read a frame that ``encode_frame`` wrote, with the names of columns whose cells are JSON."""
    frame = pl.read_ipc_stream(content)
    return frame.with_columns(
        pl.Series(title, map(_decode_cell, frame[title].to_list()), dtype=pl.Object) for title in mixed
    )


def _encode_cell(cell: object) -> str | None:
    """Write a cell as JSON, after ``d`` for a point in time and ``j`` for other values."""
    if cell is None:
        return None
    return f"d{cell.isoformat()}" if isinstance(cell, datetime) else f"j{json.dumps(cell)}"


def _decode_cell(text: str | None) -> object:
    if text is None:
        return None
    return datetime.fromisoformat(text[1:]) if text[0] == "d" else json.loads(text[1:])


def encode_error(error: BaseException) -> dict[str, Any]:
    """Write an error of Semscale or of the system as JSON values."""
    if isinstance(error, OSError) and not isinstance(error, SemscaleError):
        return {"error": "OSError", "args": [error.errno, error.strerror, error.filename], "fields": {}}
    known = next(kind.__name__ for kind in type(error).__mro__ if kind.__name__ in vars(errors))
    return {"error": known, "args": error.args, "fields": vars(error)}


def _error_in(head: Mapping[str, Any], opening: Opening) -> Exception | None:
    """Return the error that an answer reports: the child's own, or a bug there."""
    if "bug" in head:
        return RuntimeError(f"the process that reads {opening.name} failed:\n{head['bug']}")
    if "error" not in head:
        return None
    kinds = {"OSError": OSError, **vars(errors)}
    kind: type[Exception] = kinds[head["error"]]
    error = kind.__new__(kind, *head["args"])
    vars(error).update(head["fields"])
    return error
