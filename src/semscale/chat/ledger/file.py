"""A ledger in a file of SQLite, and the locks that show which of its users still run."""

import contextlib
import sqlite3
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from semscale.chat.ledger.operations import (
    FINAL,
    Attempt,
    Claim,
    ClaimCall,
    FindOutcome,
    ListAttempts,
    Operation,
    RecordAttempt,
    ReleaseCall,
)
from semscale.errors import InputError, InterruptedRunError, SemscaleError
from semscale.store.sqlite_errors import primary_code

_SCHEMA = """
CREATE TABLE IF NOT EXISTS attempts (
    id INTEGER PRIMARY KEY, key BLOB NOT NULL, made REAL NOT NULL, status TEXT NOT NULL, body TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS attempts_by_key ON attempts (key);
CREATE TABLE IF NOT EXISTS claims (
    key BLOB PRIMARY KEY, owner TEXT NOT NULL, run INTEGER NOT NULL) WITHOUT ROWID;
"""
_FIND_FINAL = (
    "SELECT status, body FROM attempts WHERE key = ? AND status IN ('replied', 'refused') ORDER BY id LIMIT 1"
)
_NOT_ALLOWED = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM})
_BUSY_SECONDS = 60.0
_LOOK_AGAIN = 0.02


class LedgerFile:
    """A ledger in a SQLite file, which the processes of one machine may share.

    A claim holds as long as its process runs, which a lock of the system shows.

    Args:
        path: of the file; its folder is created if needed.

    Raises:
        InputError: the file cannot be opened or is no SQLite file.
        InterruptedRunError: the disk is full, or another program holds the file for too long.
    """

    longest_idle = None

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._open()
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
            raise _explained(error, path) from error

    def _open(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(self._path, timeout=_BUSY_SECONDS, isolation_level=None)
        try:
            _set_up(self._connection)
            self._user = LedgerUser(self._path.with_name(f"{self._path.name}.owners"))
        except BaseException:
            self._connection.close()
            raise

    def do(self, operations: Sequence[Operation]) -> list[object]:
        """Do all operations in one transaction, or none; other processes wait for its end.

        Raises:
            InputError: the file may not be written, or is damaged.
            InterruptedRunError: the disk is full, or another program holds the file for too long.
        """
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            answers = [self._answer(operation) for operation in operations]
            self._connection.execute("COMMIT")
        except BaseException as error:
            with suppress(sqlite3.Error):
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error | OSError | UnicodeDecodeError):
                raise _explained(error, self._path) from error
            raise
        return answers

    def _answer(self, operation: Operation) -> object:
        match operation:
            case FindOutcome(key):
                return self._find(key)
            case ClaimCall(key, run):
                return self._claim(key, run)
            case RecordAttempt(key, run, attempt):
                self._record(key, run, attempt)
                return None
            case ReleaseCall(key, run):
                self._release(key, run)
                return None
            case ListAttempts(key):
                return self._attempts(key)

    def _find(self, key: bytes) -> Attempt | None:
        row = self._connection.execute(_FIND_FINAL, (key,)).fetchone()
        return None if row is None else Attempt(*row)

    def _claim(self, key: bytes, run: int) -> Attempt | Claim:
        found = self._find(key)
        if found is not None:
            return found
        holder = self._connection.execute("SELECT owner FROM claims WHERE key = ?", (key,)).fetchone()
        if holder is not None and self._user.is_alive(holder[0]):
            return Claim.ELSEWHERE
        self._connection.execute(
            "INSERT OR REPLACE INTO claims VALUES (?, ?, ?)", (key, self._user.name, run)
        )
        return Claim.OURS

    def _record(self, key: bytes, run: int, attempt: Attempt) -> None:
        self._connection.execute(
            "INSERT INTO attempts (key, made, status, body) VALUES (?, ?, ?, ?)",
            (key, time.time(), attempt.status, attempt.body),
        )
        if attempt.status in FINAL:
            self._release(key, run)

    def _release(self, key: bytes, run: int) -> None:
        self._connection.execute(
            "DELETE FROM claims WHERE key = ? AND owner = ? AND run = ?", (key, self._user.name, run)
        )

    def _attempts(self, key: bytes) -> list[Attempt]:
        rows = self._connection.execute("SELECT status, body FROM attempts WHERE key = ? ORDER BY id", (key,))
        return [Attempt(*row) for row in rows]

    def renew(self) -> None:
        """Do nothing: the system shows whether a process runs."""

    def close(self) -> None:
        """End all claims made here, and close the file, even where it is gone or damaged by now."""
        with suppress(sqlite3.Error):
            self._connection.execute("DELETE FROM claims WHERE owner = ?", (self._user.name,))
        with suppress(sqlite3.Error):
            self._connection.close()
        with suppress(OSError):
            self._user.leave()


def _explained(error: Exception, path: Path) -> SemscaleError:
    code = primary_code(error) if isinstance(error, sqlite3.OperationalError) else None
    if code is None:  # such as the error of Python's module about broken characters
        return InputError(f"{path} cannot be used as a ledger ({error}); move it away or name another file")
    if code in _NOT_ALLOWED:
        return InputError(
            f"the ledger {path} cannot be written ({error}); check its permissions, or name another file"
        )
    return InterruptedRunError(f"the ledger {path} cannot be used ({error}); everything before is kept")


def _set_up(connection: sqlite3.Connection) -> None:
    """Create the tables in write-ahead mode, and retry while another process creates them.

    SQLite does not wait by itself when several processes open a new file at once.
    """
    until = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")  # a reply outlives a power cut, too
            connection.executescript(_SCHEMA)
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(_LOOK_AGAIN)
        else:
            return


_ENTRANCE = "entrance"


class LedgerUser:
    """One user of a ledger; it counts as running while it holds its lock, which a killed process loses.

    The files of users that were killed are removed when another one begins.

    Args:
        folder: contains the lock files of all users of the ledger.

    Raises:
        OSError: the folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.name = uuid.uuid4().hex
        folder.mkdir(parents=True, exist_ok=True)
        # One thread takes the lock, another may release it.
        self._lock = FileLock(folder / self.name, thread_local=False)
        with FileLock(folder / _ENTRANCE):  # nobody is removed between making a file and locking it
            self._lock.acquire()
            self._remove_ended()

    def is_alive(self, other: str) -> bool:
        """Tell whether the user with this name still runs; the file of one that does not is removed."""
        path = self._folder / other
        if other == self.name:
            return True
        if not path.exists():
            return False
        try:
            with FileLock(path, timeout=0, thread_local=False):
                pass
        except Timeout:
            return True
        with contextlib.suppress(OSError):
            path.unlink()
        return False

    def _remove_ended(self) -> None:
        for path in self._folder.iterdir():
            if path.name != _ENTRANCE:
                self.is_alive(path.name)

    def leave(self) -> None:
        """Release the lock."""
        self._lock.release()
        with contextlib.suppress(OSError):
            (self._folder / self.name).unlink()
