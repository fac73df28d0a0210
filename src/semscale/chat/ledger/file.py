"""The ledger's SQLite file: every attempt that was made, and who is at which call just now."""

import sqlite3
import time
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from semscale.chat.ledger.locks import Owner
from semscale.chat.replies import FailureKind

REPLIED = "replied"
FINAL = (REPLIED, FailureKind.REFUSED.value, FailureKind.SILENT.value)
"""The outcomes that are final: all were paid for, and the next start does not ask again."""

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
    """What a call that the ledger has no outcome of may do."""

    OURS = "ours"
    ELSEWHERE = "elsewhere"  # another process, or another run in this one, is at it


@dataclass(frozen=True)
class Attempt:
    """One attempt at a call, as it stands in the ledger.

    Attributes:
        status: ``replied``, or the kind of failure.
        body: the reply as JSON; of a failure the message and what came, as JSON.
    """

    status: str
    body: str


class LedgerFile:
    """The file itself, used by one thread; every method belongs into a transaction of :meth:`begin`.

    Args:
        path: of the file; its folder is made.

    Raises:
        OSError, sqlite3.Error: the file cannot be opened or is none of SQLite's.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
        try:
            _set_up(self._connection)
            self._owner = Owner(path.with_name(f"{path.name}.owners"))
        except BaseException:
            self._connection.close()
            raise

    def begin(self) -> None:
        """Begin a transaction; other processes wait."""
        self._connection.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Make it last."""
        self._connection.execute("COMMIT")

    def roll_back(self) -> None:
        """Undo it, where there is one."""
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def find(self, key: bytes) -> Attempt | None:
        """Look the final outcome of a call up."""
        row = self._connection.execute(_FIND_FINAL, (key,)).fetchone()
        return None if row is None else Attempt(*row)

    def claim(self, key: bytes, run: int) -> Attempt | Claim:
        """Look a call up, and reserve it where it has no outcome and nobody else is at it."""
        found = self.find(key)
        if found is not None:
            return found
        holder = self._connection.execute("SELECT owner FROM claims WHERE key = ?", (key,)).fetchone()
        if holder is not None and self._owner.is_alive(holder[0]):
            return Claim.ELSEWHERE
        self._connection.execute(
            "INSERT OR REPLACE INTO claims VALUES (?, ?, ?)", (key, self._owner.name, run)
        )
        return Claim.OURS

    def record(self, key: bytes, run: int, attempt: Attempt) -> None:
        """Keep an attempt; a final one ends the claim."""
        self._connection.execute(
            "INSERT INTO attempts (key, made, status, body) VALUES (?, ?, ?, ?)",
            (key, time.time(), attempt.status, attempt.body),
        )
        if attempt.status in FINAL:
            self.release(key, run)

    def release(self, key: bytes, run: int) -> None:
        """End a run's claim, if it has one."""
        self._connection.execute(
            "DELETE FROM claims WHERE key = ? AND owner = ? AND run = ?", (key, self._owner.name, run)
        )

    def attempts(self, key: bytes) -> list[Attempt]:
        """Read every attempt at a call, in the order they were made."""
        rows = self._connection.execute("SELECT status, body FROM attempts WHERE key = ? ORDER BY id", (key,))
        return [Attempt(*row) for row in rows]

    def close(self) -> None:
        """End all claims and let go of the file."""
        try:
            self._connection.execute("DELETE FROM claims WHERE owner = ?", (self._owner.name,))
        finally:
            self._connection.close()
            self._owner.leave()


def _set_up(connection: sqlite3.Connection) -> None:
    """Make the tables, write-ahead; where several open a new file at once SQLite does not wait by itself."""
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
