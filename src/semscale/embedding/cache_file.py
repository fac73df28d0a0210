"""Key-value store of bytes in one SQLite file of limited size, safe for crashes and several processes."""

import itertools
import os
import sqlite3
import time
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import RLock, local
from types import TracebackType
from typing import TypeVar
from weakref import WeakSet

from filelock import FileLock

from semscale.errors import InputError
from semscale.store.atomic import create_private, create_private_folder
from semscale.store.sqlite_errors import primary_code
from semscale.weights.folders import cache_cap, cache_root

APPLICATION_ID = 0x53454D53  # "SEMS": distinguishes this file from another program's database

# Format 1 may have entries of damaged weights; formats 1 and 2 lack the share of unknown tokens.
FORMAT = 3

_HOUR = 3600
_AT_ONCE = 1000  # keys in one query; more are no faster, as their bytes exceed a processor cache
_KEPT = 0.9  # share of max_bytes in use after the least recently used entries were removed
_SUM = 4  # bytes of the checksum at the end of an entry
_SOUND = zlib.crc32(zlib.crc32(b"").to_bytes(_SUM, "little"))
"""CRC-32 of bytes that end with their own CRC-32."""


@dataclass(frozen=True)
class CacheInfo:
    """Number and size of a store's entries.

    Attributes:
        entries: number of entries.
        size: bytes that they use on disk.
    """

    entries: int
    size: int


class EntryStore:
    """Stores bytes on disk by key; several threads and processes may use it at once.

    Each entry ends with the CRC-32 of its key and its bytes; a damaged entry counts as missing. If SQLite
    reports the file as damaged, it is moved aside and a new one is started. If the folder cannot be
    written, nothing is stored. In both cases there is one
    :class:`~semscale.embedding.cache_file.CacheWarning`.

    Args:
        name: name of the file.
        folder: the file's folder, created at the first use. By default the one named by ``SEMSCALE_CACHE``,
            or else the system's cache folder.
        max_bytes: above this size the least recently used entries are removed; the hour of the last use is
            recorded. By default the value of ``SEMSCALE_CACHE_MAX``, such as ``500MB``, or else 2 GiB.
        clock: returns the time in seconds.
        is_silent: whether warnings are suppressed, as another store in the same folder reports the problem.

    Raises:
        InputError: ``max_bytes`` is not positive, or ``SEMSCALE_CACHE_MAX`` is not a size.

    References:
        Ross N. Williams, A painless guide to CRC error detection algorithms, 1993, section 9: the checksum of
        a message followed by its own checksum is a constant.
    """

    def __init__(
        self,
        name: str,
        folder: str | Path | None = None,
        *,
        max_bytes: int | None = None,
        clock: Callable[[], float] = time.time,
        is_silent: bool = False,
    ) -> None:
        max_bytes = cache_cap() if max_bytes is None else max_bytes
        if max_bytes <= 0:
            raise InputError("max_bytes", f"must be > 0, got {max_bytes}")
        self.path = (cache_root() if folder is None else Path(folder).expanduser()) / name
        self.max_bytes = max_bytes
        self._clock = clock
        self._file = CacheFile(self.path, is_silent=is_silent)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._file.close()

    def read(self, keys: Sequence[bytes]) -> Iterator[list[tuple[bytes, bytes]]]:
        """Look up entries in batches.

        Args:
            keys: distinct keys.

        Yields:
            For each batch of keys, the keys that have an undamaged entry, with their bytes.
        """
        for part in _parts(keys):
            yield self._file.run(partial(self._entries, keys=part), [])

    def existing_keys(self, keys: Sequence[bytes]) -> set[bytes]:
        """Return the keys that have an entry; its bytes may be damaged.

        Args:
            keys: distinct keys.
        """
        nothing: set[bytes] = set()
        return nothing.union(
            *(self._file.run(partial(_select_keys, keys=part), nothing) for part in _parts(keys))
        )

    def write(self, keys: Sequence[bytes], bodies: Sequence[bytes]) -> None:
        """Store entries: all of them, or none if the process dies meanwhile.

        Args:
            keys: n distinct keys; their old entries are replaced.
            bodies: n byte strings.
        """
        self._file.run(lambda connection: self._write(connection, keys, bodies), None)

    def info(self) -> CacheInfo:
        """Return the number of entries and their size."""
        return self._file.run(
            lambda connection: CacheInfo(_count(connection), size_of(connection)), CacheInfo(0, 0)
        )

    def clear(self) -> int:
        """Remove all entries and free their space on disk.

        Returns:
            The number of removed entries.

        Raises:
            InputError: the file cannot be changed.
        """
        return self._file.run(_clear, 0, needed=True)

    def remove_damaged(self) -> list[Path]:
        """Remove damaged files that were moved aside.

        Returns:
            The removed files.
        """
        damaged = sorted(self.path.parent.glob(f"{self.path.name}.damaged*"))
        for file in damaged:
            file.unlink(missing_ok=True)
        return damaged

    def _entries(self, connection: sqlite3.Connection, keys: Sequence[bytes]) -> list[tuple[bytes, bytes]]:
        query = f"SELECT slot, key, used FROM keys WHERE key IN ({_marks(keys)})"
        rows = connection.execute(query, keys).fetchall()
        slots = [slot for slot, _, _ in rows]
        bodies = dict(
            connection.execute(f"SELECT slot, body FROM vectors WHERE slot IN ({_marks(slots)})", slots)
        )
        hour = self._hour()
        stale = [(hour, key) for _, key, used in rows if used < hour]
        if stale:
            with Transaction(connection):
                connection.executemany("UPDATE keys SET used = ? WHERE key = ?", stale)
        return [
            (key, body[:-_SUM])
            for slot, key, _ in rows
            if isinstance(body := bodies.get(slot), bytes) and _crc(key, body) == _SOUND
        ]

    def _write(self, connection: sqlite3.Connection, keys: Sequence[bytes], bodies: Sequence[bytes]) -> None:
        with Transaction(connection):
            for part in _parts(keys):
                replaced = f"SELECT slot FROM keys WHERE key IN ({_marks(part)})"
                connection.execute(f"DELETE FROM vectors WHERE slot IN ({replaced})", part)
            first = connection.execute("SELECT coalesce(max(slot), 0) + 1 FROM vectors").fetchone()[0]
            sealed = (
                body + _crc(key, body).to_bytes(_SUM, "little")
                for key, body in zip(keys, bodies, strict=True)
            )
            connection.executemany("INSERT INTO vectors VALUES (?, ?)", enumerate(sealed, first))
            hour = self._hour()
            entries = ((key, slot, hour) for slot, key in enumerate(keys, first))
            connection.executemany("INSERT OR REPLACE INTO keys VALUES (?, ?, ?)", entries)
            self._shrink(connection)
        # New entries reuse empty pages, so shorten the file only if the cap was lowered far below its size.
        give_space_back(connection, above=self.max_bytes + (self.max_bytes >> 2))

    def _shrink(self, connection: sqlite3.Connection) -> None:
        size = size_of(connection)
        if size <= self.max_bytes:
            return
        while size > _KEPT * self.max_bytes and (entries := _count(connection)):
            leaving = max(1, round(entries * (1 - _KEPT * self.max_bytes / size)))
            query = "SELECT key, slot FROM keys ORDER BY used, slot LIMIT ?"
            oldest = connection.execute(query, (leaving,)).fetchall()
            connection.executemany("DELETE FROM keys WHERE key = ?", ((key,) for key, _ in oldest))
            connection.executemany("DELETE FROM vectors WHERE slot = ?", ((slot,) for _, slot in oldest))
            size = size_of(connection)

    def _hour(self) -> int:
        return int(self._clock() // _HOUR)


def _crc(key: bytes, body: bytes) -> int:
    """Return the CRC-32 of key and body."""
    return zlib.crc32(body, zlib.crc32(key))


def _select_keys(connection: sqlite3.Connection, keys: Sequence[bytes]) -> set[bytes]:
    return {key for (key,) in connection.execute(f"SELECT key FROM keys WHERE key IN ({_marks(keys)})", keys)}


def _clear(connection: sqlite3.Connection) -> int:
    with Transaction(connection):
        entries = _count(connection)
        connection.execute("DELETE FROM keys")
        connection.execute("DELETE FROM vectors")
    give_space_back(connection)
    return entries


def _count(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM keys").fetchone()[0])


def _parts(keys: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    return (keys[start : start + _AT_ONCE] for start in range(0, len(keys), _AT_ONCE))


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))


T = TypeVar("T")
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
    """The cache cannot be used or was replaced by an empty one; results stay correct."""


class CacheFile:
    """An SQLite file that is opened at its first use, and skipped if it cannot be used.

    Args:
        path: the file; its folder is created at the first use.
        is_silent: whether no warning is given if it cannot be used or is damaged.
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
            work: the function; it is called with a connection in autocommit mode.
            otherwise: the result if the file cannot be used, or was damaged and is new now.
            needed: whether an unusable file is an error; otherwise the work is skipped.

        Returns:
            The result of ``work``, or ``otherwise``.

        Raises:
            InputError: the file is another program's database, or it is needed and cannot be used.
        """
        with self._lock:
            try:
                connection = self._open()
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
        """Lock the file against other threads while the process forks; go on without a lock after a timeout.

        Returns:
            A function that releases the lock.
        """
        held = self._lock.acquire(timeout=_FORK_SECONDS)
        return self._lock.release if held else lambda: None

    def start_afresh(self) -> None:
        """Replace lock and connection in a forked child process, as the old ones belong to the parent."""
        self._lock = RLock()
        if self._connection is not None:
            _INHERITED.append(self._connection)
            self._connection = None

    def _open(self) -> sqlite3.Connection | None:
        if self._connection is None and self._usable:
            create_private_folder(self.path.parent)
            with _opening(self.path):
                create_private(self.path)
                self._connection = _connect(self.path)
        return self._connection

    def _renew(self, error: Exception) -> None:
        self.close()
        try:
            with _opening(self.path):
                aside = None if _is_sound(self.path) else _move_aside(self.path)
        except OSError as obstacle:
            self._give_up(obstacle)
            return
        if aside is not None:
            self._say(f"is damaged ({error}); moved to {aside.name}; a new one was started")

    def _unusable(self, error: Exception) -> InputError:
        return InputError(f"embedding cache {self.path} cannot be changed: {error}; check its permissions")

    def _give_up(self, error: Exception) -> None:
        self.close()
        self._usable = False
        self._say(f"cannot be used ({error}); continuing without it")

    def _say(self, what: str) -> None:
        if not self._is_silent:
            warnings.warn(f"embedding cache {self.path} {what}", CacheWarning, stacklevel=6)


_OPEN: WeakSet[CacheFile] = WeakSet()


class _Held(local):
    """Files that a forking thread must release after the fork."""

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
    """Context manager for a transaction: everything inside it is written, or nothing."""

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
    """Return the number of bytes that entries use in the file; empty pages do not count."""
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


def _connect(path: Path) -> sqlite3.Connection:
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
        raise InputError(f"cache {path} is the database of another program; name another file")
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
        connection = _connect(path)
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        return False
    try:
        return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] == b"ok")
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        return False
    finally:
        connection.close()


def _move_aside(path: Path) -> Path:
    endings = itertools.chain([""], (f"-{number}" for number in itertools.count(2)))
    paths = (path.with_name(f"{path.name}.damaged{ending}") for ending in endings)
    aside = next(path_aside for path_aside in paths if not path_aside.exists())
    path.replace(aside)
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    return aside
