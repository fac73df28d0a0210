"""The ledger's SQLite file: all attempts at calls, and which process is making which call now."""

import sqlite3
import time
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from semscale.chat.ledger.locks import LedgerUser
from semscale.chat.replies import FailureKind

REPLIED = "replied"
FINAL = (REPLIED, FailureKind.REFUSED.value, FailureKind.SILENT.value)
"""Final outcomes: they were paid for, and a restarted run does not ask again."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS attempts (
    id INTEGER PRIMARY KEY, key BLOB NOT NULL, made REAL NOT NULL, status TEXT NOT NULL, body TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS attempts_by_key ON attempts (key);
CREATE TABLE IF NOT EXISTS claims (
    key BLOB PRIMARY KEY, owner TEXT NOT NULL, run INTEGER NOT NULL) WITHOUT ROWID;
"""
_FIND_FINAL = (
    "SELECT status, body FROM attempts WHERE key = ? AND status IN ('replied', 'refused', 'silent') "
    "ORDER BY id LIMIT 1"
)
_BUSY_SECONDS = 60.0
_LOOK_AGAIN = 0.02


class Claim(Enum):
    """Who makes a call that has no outcome in the ledger yet."""

    OURS = "ours"
    ELSEWHERE = "elsewhere"  # another process, or another run in this process, is making it


@dataclass(frozen=True)
class Attempt:
    """One attempt at a call, as the ledger stores it.

    Attributes:
        status: ``replied``, or the kind of failure.
        body: JSON of the reply, or of a failure's message and raw answer.
    """

    status: str
    body: str


class LedgerFile:
    """Reads and writes the ledger file in one thread; call :meth:`begin` before the other methods.

    Args:
        path: of the file; its folder is created if needed.

    Raises:
        OSError, sqlite3.Error: the file cannot be opened or is no SQLite file.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
        try:
            _set_up(self._connection)
            self._user = LedgerUser(path.with_name(f"{path.name}.owners"))
        except BaseException:
            self._connection.close()
            raise

    def begin(self) -> None:
        """Begin a transaction; other processes wait for its end."""
        self._connection.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Commit the transaction."""
        self._connection.execute("COMMIT")

    def roll_back(self) -> None:
        """Roll the transaction back if there is one."""
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def find(self, key: bytes) -> Attempt | None:
        """Return the final outcome of a call, or ``None``."""
        row = self._connection.execute(_FIND_FINAL, (key,)).fetchone()
        return None if row is None else Attempt(*row)

    def claim(self, key: bytes, run: int) -> Attempt | Claim:
        """Return a call's final outcome; reserve the call if there is none and nobody else is making it."""
        found = self.find(key)
        if found is not None:
            return found
        holder = self._connection.execute("SELECT owner FROM claims WHERE key = ?", (key,)).fetchone()
        if holder is not None and self._user.is_alive(holder[0]):
            return Claim.ELSEWHERE
        self._connection.execute(
            "INSERT OR REPLACE INTO claims VALUES (?, ?, ?)", (key, self._user.name, run)
        )
        return Claim.OURS

    def record(self, key: bytes, run: int, attempt: Attempt) -> None:
        """Store an attempt; a final outcome ends the claim."""
        self._connection.execute(
            "INSERT INTO attempts (key, made, status, body) VALUES (?, ?, ?, ?)",
            (key, time.time(), attempt.status, attempt.body),
        )
        if attempt.status in FINAL:
            self.release(key, run)

    def release(self, key: bytes, run: int) -> None:
        """End a run's claim on a call if it has one."""
        self._connection.execute(
            "DELETE FROM claims WHERE key = ? AND owner = ? AND run = ?", (key, self._user.name, run)
        )

    def attempts(self, key: bytes) -> list[Attempt]:
        """Return all attempts at a call, oldest first."""
        rows = self._connection.execute("SELECT status, body FROM attempts WHERE key = ? ORDER BY id", (key,))
        return [Attempt(*row) for row in rows]

    def close(self) -> None:
        """End all claims and close the file."""
        try:
            self._connection.execute("DELETE FROM claims WHERE owner = ?", (self._user.name,))
        finally:
            self._connection.close()
            self._user.leave()


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
