"""Key-value store of bytes in one SQLite file: of limited size, safe with crashes and several processes."""

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from semscale.embedding.cache.file import CacheFile, Transaction, give_space_back, size_of
from semscale.errors import InputError
from semscale.weights.places import cache_cap, cache_root

_HOUR = 3600
_AT_ONCE = 1000  # keys in one query; more are no faster, as their bytes exceed a processor cache
_KEPT = 0.9  # share of max_bytes in use after the least recently used entries were removed


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

    If SQLite reports the file as damaged, it is moved aside and a new one is started. If the folder cannot be
    written, nothing is stored. In both cases there is one
    :class:`~semscale.embedding.cache.file.CacheWarning`.

    Args:
        name: name of the file.
        folder: the file's folder, created at the first use. By default the one named by ``SEMSCALE_CACHE``,
            or else the system's cache folder.
        max_bytes: above this size the least recently used entries are removed; the hour of the last use is
            recorded. By default the value of ``SEMSCALE_CACHE_MAX``, such as ``500MB``, or else 2 GiB.
        clock: gives the time in seconds.
        is_silent: no warning, for a store beside another one in the same folder that warns.

    Raises:
        InputError: ``max_bytes`` is not positive, or ``SEMSCALE_CACHE_MAX`` is no size.
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
            raise InputError(f"max_bytes must be > 0, got {max_bytes}")
        self.path = (cache_root() if folder is None else Path(folder).expanduser()) / name
        self.max_bytes = max_bytes
        self._clock = clock
        self._file = CacheFile(self.path, is_silent=is_silent)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._file.close()

    def read(self, keys: Sequence[bytes]) -> Iterator[list[tuple[bytes, bytes]]]:
        """Look entries up in batches.

        Args:
            keys: distinct keys.

        Yields:
            For each batch of keys, the keys that have an entry, with their bytes.
        """
        for part in _parts(keys):
            yield self._file.run(partial(self._entries, keys=part), [])

    def known(self, keys: Sequence[bytes]) -> set[bytes]:
        """Return the keys that have an entry; its bytes may be damaged.

        Args:
            keys: distinct keys.
        """
        nothing: set[bytes] = set()
        return nothing.union(*(self._file.run(partial(_known, keys=part), nothing) for part in _parts(keys)))

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
        """Remove files that were damaged and therefore moved aside.

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
        return [(key, bodies[slot]) for slot, key, _ in rows if isinstance(bodies.get(slot), bytes)]

    def _write(self, connection: sqlite3.Connection, keys: Sequence[bytes], bodies: Sequence[bytes]) -> None:
        with Transaction(connection):
            for part in _parts(keys):
                replaced = f"SELECT slot FROM keys WHERE key IN ({_marks(part)})"
                connection.execute(f"DELETE FROM vectors WHERE slot IN ({replaced})", part)
            first = connection.execute("SELECT coalesce(max(slot), 0) + 1 FROM vectors").fetchone()[0]
            connection.executemany("INSERT INTO vectors VALUES (?, ?)", enumerate(bodies, first))
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


def _known(connection: sqlite3.Connection, keys: Sequence[bytes]) -> set[bytes]:
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
