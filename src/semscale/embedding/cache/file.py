"""The SQLite file of a cache: its tables, its use by threads and forks, and recovery from damage."""

import itertools
import os
import sqlite3
import warnings
from collections.abc import Callable
from pathlib import Path
from threading import RLock, local
from types import TracebackType
from typing import TypeVar
from weakref import WeakSet

from filelock import FileLock

from semscale.errors import InputError
from semscale.store.atomic import create_private, create_private_folder
from semscale.store.sqlite_errors import primary_code

T = TypeVar("T")

APPLICATION_ID = 0x53454D53  # "SEMS": tells this file from another program's database
# Entries of format 1 may come from damaged weights, those of 1 and 2 do not say what of a text is unknown.
FORMAT = 3

_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_BUSY_SECONDS = 30.0
_PAGE_BYTES = 16384
# Two tables, because recording the use of an entry must not rewrite its vector, and because vectors that are
# appended in order are written and read several times faster than vectors in the order of random keys.
_TABLES = """
CREATE TABLE keys (key BLOB PRIMARY KEY, slot INTEGER NOT NULL, used INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE vectors (slot INTEGER PRIMARY KEY, body BLOB NOT NULL);
"""
# Seconds that a fork waits for other threads to leave SQLite: a child process cannot open SQLite's own locks.
_FORK_SECONDS = 1.0
# Connections of the parent process; a forked child neither uses nor closes them: both would harm the parent.
_INHERITED: list[sqlite3.Connection] = []


class CacheWarning(UserWarning):
    """The cache cannot be used or was replaced by an empty one; results are right nevertheless."""


class CacheFile:
    """An SQLite file that is opened at its first use, and skipped if it cannot be used.

    Args:
        path: the file; its folder is created at the first use.
        is_silent: no warning where it cannot be used or is damaged.
    """

    def __init__(self, path: Path, *, is_silent: bool = False) -> None:
        self.path = path
        self._is_silent = is_silent
        self._lock = RLock()
        self._connection: sqlite3.Connection | None = None
        self._usable = True
        _OPEN.add(self)

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def run(self, work: Callable[[sqlite3.Connection], T], otherwise: T, *, needed: bool = False) -> T:
        """Run a function on the file's connection.

        Args:
            work: the function; it gets a connection in autocommit mode.
            otherwise: the result if the file cannot be used, or was damaged and is new now.
            needed: whether a file that cannot be used is an error, and not merely slower.

        Returns:
            The result of ``work``, or ``otherwise``.

        Raises:
            InputError: the file is another program's database, or it is needed and cannot be used.
        """
        with self._lock:
            try:
                connection = self._opened()
                return otherwise if connection is None else work(connection)
            except sqlite3.DatabaseError as error:
                if primary_code(error) in _DAMAGED:
                    self._renew(error)
                elif needed:
                    raise self._unusable(error) from error
                else:
                    self._give_up(error)
            except UnicodeDecodeError as error:  # SQLite's message quotes a damaged table
                self._renew(error)
            except OSError as error:
                if needed:
                    raise self._unusable(error) from error
                self._give_up(error)
        return otherwise

    def hold(self) -> Callable[[], None]:
        """Keep other threads from using the file while the process forks, unless one of them takes too long.

        Returns:
            A function that lets them use it again.
        """
        held = self._lock.acquire(timeout=_FORK_SECONDS)
        return self._lock.release if held else lambda: None

    def start_afresh(self) -> None:
        """Replace lock and connection in a forked child: the old ones belong to the parent."""
        self._lock = RLock()
        if self._connection is not None:
            _INHERITED.append(self._connection)
            self._connection = None

    def _opened(self) -> sqlite3.Connection | None:
        if self._connection is None and self._usable:
            create_private_folder(self.path.parent)
            with _opening(self.path):
                create_private(self.path)
                self._connection = _connected(self.path)
        return self._connection

    def _renew(self, error: Exception) -> None:
        self.close()
        try:
            with _opening(self.path):
                aside = None if _is_sound(self.path) else _moved_aside(self.path)
        except OSError as obstacle:
            self._give_up(obstacle)
            return
        if aside is not None:
            self._say(f"is damaged ({error}); moved to {aside.name}, a new one is begun")

    def _unusable(self, error: Exception) -> InputError:
        return InputError(f"embedding cache {self.path} cannot be changed: {error}; check its permissions")

    def _give_up(self, error: Exception) -> None:
        self.close()
        self._usable = False
        self._say(f"cannot be used ({error}); going on without it")

    def _say(self, what: str) -> None:
        if not self._is_silent:
            warnings.warn(f"embedding cache {self.path} {what}", CacheWarning, stacklevel=6)


_OPEN: WeakSet[CacheFile] = WeakSet()


class _Held(local):
    """The files that a forking thread must release after the fork."""

    def __init__(self) -> None:
        self.releases: list[Callable[[], None]] = []


_HELD = _Held()


def _before_fork() -> None:
    _HELD.releases.extend(file.hold() for file in list(_OPEN))


def _after_fork_in_parent() -> None:
    while _HELD.releases:
        _HELD.releases.pop()()


def _after_fork_in_child() -> None:
    _HELD.releases.clear()
    for file in list(_OPEN):
        file.start_afresh()


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )


class Transaction:
    """A transaction: everything inside it is written, or nothing."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._connection.execute("COMMIT")
        elif self._connection.in_transaction:
            self._connection.execute("ROLLBACK")


def size_of(connection: sqlite3.Connection) -> int:
    """Return the bytes that entries use in the file; empty pages do not count."""
    pages = _pragma(connection, "page_count") - _pragma(connection, "freelist_count")
    return pages * _pragma(connection, "page_size")


def give_space_back(connection: sqlite3.Connection, *, above: int = 0) -> None:
    """Remove empty pages if the file is larger than ``above`` bytes; call it outside a transaction."""
    if _pragma(connection, "page_count") * _pragma(connection, "page_size") > above:
        connection.executescript("PRAGMA incremental_vacuum")  # execute() would free one page and stop
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _opening(path: Path) -> FileLock:
    # SQLite does not make two processes wait for each other when both set up a new file.
    return FileLock(path.with_name(path.name + ".lock"))


def _connected(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    connection.text_factory = bytes  # a damaged entry may look like a text that cannot be decoded
    try:
        _set_up(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _set_up(connection: sqlite3.Connection, path: Path) -> None:
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if tables and _pragma(connection, "application_id") != APPLICATION_ID:
        raise InputError(f"cache {path} is another program's database; give another file")
    connection.execute(f"PRAGMA page_size={_PAGE_BYTES}")  # this and the next line affect new files only
    connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA journal_size_limit=67108864")
    if _pragma(connection, "user_version") != FORMAT or not _has_tables(connection):
        connection.executescript(
            f"BEGIN IMMEDIATE; DROP TABLE IF EXISTS keys; DROP TABLE IF EXISTS vectors; {_TABLES}"
            f"PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={FORMAT}; COMMIT;"
        )


def _has_tables(connection: sqlite3.Connection) -> bool:
    try:
        connection.execute("SELECT key, slot, used FROM keys LIMIT 0")
        connection.execute("SELECT slot, body FROM vectors LIMIT 0")
    except sqlite3.OperationalError as error:
        if primary_code(error) != sqlite3.SQLITE_ERROR:  # such as a lock that another process holds
            raise
        return False
    return True


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _is_sound(path: Path) -> bool:
    try:
        connection = _connected(path)
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        return False
    try:
        return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] == b"ok")
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        return False
    finally:
        connection.close()


def _moved_aside(path: Path) -> Path:
    endings = itertools.chain([""], (f"-{number}" for number in itertools.count(2)))
    places = (path.with_name(f"{path.name}.damaged{ending}") for ending in endings)
    aside = next(place for place in places if not place.exists())
    path.replace(aside)
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    return aside
