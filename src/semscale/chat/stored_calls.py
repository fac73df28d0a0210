"""Calls of a ledger in its database: results, claims on calls in progress, and open writers.

Statements are the same for a SQLite file and a PostgreSQL server. In a file, a batch of jobs is one
transaction with one write to disk. On a server, each statement is its own transaction, so that machines never
deadlock; a repeated statement has no further effect.
"""

import re
import secrets
import stat
import threading
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout
from sqlalchemy import BindParameter, Connection, bindparam, delete, extract, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import DBAPIError

from semscale.chat.messages import OutcomeStatus
from semscale.errors import InputError, InterruptedRunError, SemscaleError
from semscale.store.atomic import create_private_folder, refuse_special, special_error
from semscale.store.databases.address import Address
from semscale.store.databases.database import error_message, insert_rows, is_transient, open_database
from semscale.store.databases.postgres import server_fields
from semscale.store.databases.schema import ATTEMPTS, CLAIMS, WRITERS

if TYPE_CHECKING:
    from semscale.chat.ledger import Job, Result

FINAL = (OutcomeStatus.REPLIED.value, OutcomeStatus.REFUSED.value)
"""Final results: they may have been paid for, and a restarted run does not repeat the call."""

LEASE = 120.0
"""Seconds for which claims on a server are valid after their last renewal, by the server's clock.

An outage that a run survives must lose no claim. The last renewal may be ``2 * RENEWED_AFTER`` old when the
connection is lost, it may take ``ANSWERED_WITHIN`` to see that, ``LONGEST_OUTAGE`` to find the server again,
and one answer more to renew: 30 + 15 + 60 + 15 seconds.
"""

RENEWED_AFTER = 15.0
LONGEST_OUTAGE = 60.0
"""Seconds of attempts to reach a lost server, as long as for SQLite's lock."""

ANSWERED_WITHIN = 15.0
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 2.0  # seconds between attempts to connect again
_FORGOTTEN_AFTER = 86_400.0  # seconds after which a writer that was killed is removed
_ERRORS = (DBAPIError, OSError, UnicodeDecodeError, InputError)

_KEYS: BindParameter[Sequence[bytes]] = bindparam("keys", expanding=True)
_FIND = (
    select(ATTEMPTS.c.key, ATTEMPTS.c.status, ATTEMPTS.c.body)
    .where(ATTEMPTS.c.key.in_(_KEYS), ATTEMPTS.c.status.in_(FINAL))
    .order_by(ATTEMPTS.c.moment.desc(), ATTEMPTS.c.writer.desc(), ATTEMPTS.c.number.desc())
)
_HOLDERS = select(CLAIMS.c.key, CLAIMS.c.writer, CLAIMS.c.run).where(CLAIMS.c.key.in_(_KEYS))
_OF_WRITER = CLAIMS.c.writer == bindparam("of")
_RELEASE = delete(CLAIMS).where(CLAIMS.c.key.in_(_KEYS), _OF_WRITER, CLAIMS.c.run == bindparam("of_run"))
_LEAVE = delete(CLAIMS).where(_OF_WRITER)
_TAKE_OVER = update(CLAIMS).where(CLAIMS.c.key == bindparam("of_key"), _OF_WRITER)
_SERVER_TIME = extract("epoch", func.clock_timestamp())


class StoredCalls:
    """The calls of a ledger, for one thread with one connection, which is replaced when it is lost.

    Args:
        address: address of the database.
        stopping: set when the ledger is closed, which ends the wait for a lost server.

    Raises:
        InputError: the database cannot be used, belongs to another program, or is of a newer version.
    """

    def __init__(self, address: Address, stopping: threading.Event) -> None:
        self._name = address.name
        self._stopping = stopping
        self._database = open_database(address, create=True, patience=ANSWERED_WITHIN)
        self._patience = LONGEST_OUTAGE if address.path is None else 0.0  # SQLite itself waits for its lock
        self._writer = _LeasedWriter() if address.path is None else _LockedWriter(address.path, self._name)
        self._connection: Connection | None = None
        self._n_jobs = 0
        self._is_given_up = False

    @property
    def longest_idle(self) -> float | None:
        """Seconds without a job after which :meth:`renew` must be called; ``None`` for never."""
        return self._writer.longest_idle

    def do(self, jobs: "Sequence[Job]") -> "list[Result | bool | None]":
        """Do jobs, and return their answers when all of them are on disk.

        Results are stored before claims are ended, and claims are ended before others are made. After a short
        outage of a server, all jobs are repeated on a new connection.

        Returns:
            For each job the final result of its call. Without a result, whether a claim succeeded; for other
            jobs ``None``.

        Raises:
            InputError: the database refuses an operation.
            InterruptedRunError: the database can no longer be used; earlier jobs are stored.
        """
        first, self._n_jobs = self._n_jobs, self._n_jobs + len(jobs)
        until, wait = None, _FIRST_WAIT
        while True:
            try:
                answers = self._do_once(jobs, first)
            except BaseException as error:
                self._drop()
                if not isinstance(error, _ERRORS):
                    raise
                if not self._is_transient(error):
                    raise self._explain_error(error) from error
                now = time.monotonic()
                until = until or now + (0.0 if self._is_given_up else self._patience)
                if now >= until or self._stopping.is_set():
                    self._is_given_up = True
                    raise self._interruption(error) from error
                self._stopping.wait(wait)
                wait = min(2 * wait, _LONGEST_WAIT)
            else:
                self._is_given_up = False
                return answers

    def renew(self) -> None:
        """Renew this ledger's claims for a whole lease; an unavailable server is not an error yet."""
        try:
            with self._database.transaction(self._connect(), writes=True) as connection:
                self._writer.renew(connection)
        except _ERRORS:
            self._drop()  # a broken connection would refuse all later statements

    def close(self) -> None:
        """End all claims of this ledger, if the database is available, and close it."""
        with suppress(*_ERRORS):
            if self._writer.has_entered and not self._is_given_up:
                with self._database.transaction(self._connect(), writes=True) as connection:
                    connection.execute(_LEAVE, {"of": self._writer.id})
                    self._writer.leave(connection)
        self._drop()
        self._database.close()
        self._writer.close()

    def _connect(self) -> Connection:
        if self._connection is None:
            self._connection = self._database.connect(by_statement=self._patience > 0)
        return self._connection

    def _drop(self) -> None:
        if self._connection is not None:
            with suppress(*_ERRORS):
                self._connection.close()
            self._connection = None

    def _do_once(self, jobs: "Sequence[Job]", first: int) -> "list[Result | bool | None]":
        writes = any(job.action != "find" for job in jobs)
        with self._database.transaction(self._connect(), writes=writes) as connection:
            if writes:
                self._writer.enter(connection)
            self._store(connection, jobs, first)
            ended = [job for job in jobs if job.result is not None and job.result[0] in FINAL]
            self._release(connection, [*ended, *(job for job in jobs if job.action == "release")])
            lookups = [job for job in jobs if job.action in {"find", "claim"}]
            results = _results(connection, {job.key for job in lookups})
            wanted = [job for job in lookups if job.action == "claim" and job.key not in results]
            claimed, late = self._claim(connection, wanted)
        results |= late
        answers = {
            job: results.get(job.key, job in claimed if job.action == "claim" else None) for job in lookups
        }
        return [answers.get(job) for job in jobs]

    def _store(self, connection: Connection, jobs: "Sequence[Job]", first: int) -> None:
        """Store results, numbered by writer, so that storing one again changes nothing."""
        moment, rows = time.time(), []
        for number, job in enumerate(jobs, first):
            if job.result is not None:
                status, body = job.result
                row = {"key": job.key, "writer": self._writer.id, "number": number}
                rows.append({**row, "moment": moment, "status": status, "body": body})
        insert_rows(connection, ATTEMPTS, rows, ignore_known=True)

    def _release(self, connection: Connection, jobs: "Iterable[Job]") -> None:
        keys = defaultdict[int, list[bytes]](list)
        for job in jobs:
            keys[job.run].append(job.key)
        for run, of_run in keys.items():
            connection.execute(_RELEASE, {"keys": of_run, "of": self._writer.id, "of_run": run})

    def _claim(self, connection: Connection, jobs: "Sequence[Job]") -> "tuple[set[Job], dict[bytes, Result]]":
        """Claim calls that no other writer makes; return the claimed ones, and results stored meanwhile."""
        if not jobs:
            return set(), {}
        # All writers insert in the order of keys, which avoids deadlocks.
        runs = {job.key: job.run for job in sorted(jobs, key=lambda job: job.key)}
        rows = [{"key": key, "writer": self._writer.id, "run": run} for key, run in runs.items()]
        insert_rows(connection, CLAIMS, rows, ignore_known=True)
        holders = {key: (writer, run) for key, writer, run in connection.execute(_HOLDERS, {"keys": [*runs]})}
        other_writers = {writer for writer, _ in holders.values()} - {self._writer.id}
        ended = self._writer.find_ended(connection, other_writers) if other_writers else set()
        for key, (writer, _) in holders.items():
            if writer in ended and self._take_over(connection, key, writer, runs[key]):
                holders[key] = self._writer.id, runs[key]
        claimed = {job for job in jobs if holders.get(job.key) == (self._writer.id, job.run)}
        # An earlier writer stores its result, then ends its claim: both may have come since the first query.
        late = _results(connection, {job.key for job in claimed})
        self._release(connection, [job for job in claimed if job.key in late])
        return claimed, late

    def _take_over(self, connection: Connection, key: bytes, writer: int, run: int) -> bool:
        """Take over the claim of a writer that has ended; only one of several attempts succeeds."""
        claim = _TAKE_OVER.values(writer=self._writer.id, run=run)
        return connection.execute(claim, {"of_key": key, "of": writer}).rowcount == 1

    def _is_transient(self, error: Exception) -> bool:
        # Another service may answer in place of a server that is being restarted.
        return self._patience > 0 if isinstance(error, InputError) else is_transient(error)

    def _explain_error(self, error: Exception) -> SemscaleError:
        if isinstance(error, InputError):
            return error
        message = error_message(error, connected=True)
        return InputError(f"{self._name} {message or f'cannot be used ({_cause(error)}): name another one'}")

    def _interruption(self, error: Exception) -> InterruptedRunError:
        if not self._patience:
            return InterruptedRunError(
                f"{self._name} {error_message(error, connected=True)}; everything before is stored"
            )
        return InterruptedRunError(
            f"the connection to {self._name} was lost and could not be restored within {self._patience:g} s "
            f"({_cause(error)}); all earlier replies are stored: start the server and run the same command "
            "again"
        )


def _results(connection: Connection, keys: Collection[bytes]) -> "dict[bytes, Result]":
    """Return the first final result of each call that has one."""
    if not keys:
        return {}
    return {key: (status, body) for key, status, body in connection.execute(_FIND, {"keys": [*keys]})}


class _LeasedWriter:
    """An open ledger on a server, which shows by renewing a lease that it still runs."""

    def __init__(self) -> None:
        self.id = secrets.randbits(63)
        self.has_entered = False

    @property
    def longest_idle(self) -> float | None:
        return RENEWED_AFTER if self.has_entered else None

    def enter(self, connection: Connection) -> None:
        """Renew the lease if it is due; the first time, remove writers that were killed long ago."""
        if not self.has_entered:
            is_old = WRITERS.c.until < _SERVER_TIME - _FORGOTTEN_AFTER
            connection.execute(delete(CLAIMS).where(CLAIMS.c.writer.in_(select(WRITERS.c.id).where(is_old))))
            connection.execute(delete(WRITERS).where(is_old))
        self.renew(connection)

    def renew(self, connection: Connection) -> None:
        """Renew the lease by the server's clock, as this machine's clock stops during sleep."""
        lease = insert(WRITERS).values(id=self.id, until=_SERVER_TIME + LEASE)
        until = lease.excluded.until
        is_due = WRITERS.c.until < until - RENEWED_AFTER
        connection.execute(
            lease.on_conflict_do_update(index_elements=["id"], set_={"until": until}, where=is_due)
        )
        self.has_entered = True

    def find_ended(self, connection: Connection, writers: set[int]) -> set[int]:
        """List the writers that have not renewed their lease in time."""
        holds = select(WRITERS.c.id).where(WRITERS.c.id.in_(writers), WRITERS.c.until > _SERVER_TIME)
        return writers - set(connection.execute(holds).scalars())

    def leave(self, connection: Connection) -> None:
        connection.execute(delete(WRITERS).where(WRITERS.c.id == self.id))

    def close(self) -> None:
        """Do nothing: the lease ended with its row."""


_ENTRANCE = "entrance"
_LOCK_NAME = re.compile(r"[0-9a-f]{16}")


class _LockedWriter:
    """An open ledger in a file, which shows by a lock that it still runs; a killed process loses its lock.

    Lock files are in a folder next to the ledger. Lock files of killed writers are removed when another
    writer enters. The folder may have come with a project of somebody else, so no link is followed, and only
    files with names of lock files are removed.
    """

    longest_idle = None

    def __init__(self, path: Path, name: str) -> None:
        self.id = secrets.randbits(63)
        self._name = name
        self._folder = path.with_name(f"{path.name}.owners")
        # One thread takes the lock, another may release it.
        self._lock = FileLock(self._file_of(self.id), thread_local=False)

    @property
    def has_entered(self) -> bool:
        return self._lock.is_locked

    def enter(self, _connection: Connection) -> None:
        """Take the lock; a ledger that is only read needs no lock."""
        if self.has_entered:
            return
        try:
            self._check_folder()
            with FileLock(self._folder / _ENTRANCE):  # no file is removed between creating and locking it
                self._lock.acquire()
                for path in self._folder.iterdir():
                    if _LOCK_NAME.fullmatch(path.name):
                        self._has_ended(path)
        except OSError as error:
            raise InputError(
                f"{self._name} cannot be written ({error.strerror or error}): check its permissions, or name "
                "another file"
            ) from error

    def _check_folder(self) -> None:
        """Create the folder if it is missing.

        Raises:
            InputError: it, the entrance or a lock file is a link or otherwise not what this class makes.
        """
        create_private_folder(self._folder)
        mode = self._folder.lstat().st_mode
        if not stat.S_ISDIR(mode):
            raise special_error(self._folder, mode, "ledger")
        for path in self._folder.iterdir():
            if path.name == _ENTRANCE or _LOCK_NAME.fullmatch(path.name):
                refuse_special(path, "ledger")

    def renew(self, _connection: Connection) -> None:
        """Do nothing: the system shows whether a process runs."""

    def find_ended(self, _connection: Connection, writers: set[int]) -> set[int]:
        """List the writers whose process has ended or closed the ledger."""
        return {writer for writer in writers if self._has_ended(self._file_of(writer))}

    def leave(self, _connection: Connection) -> None:
        """Do nothing before the file is closed."""

    def close(self) -> None:
        """Release the lock."""
        if self.has_entered:
            with suppress(OSError):
                self._lock.release()
                self._file_of(self.id).unlink()

    def _file_of(self, writer: int) -> Path:
        return self._folder / f"{writer:016x}"

    def _has_ended(self, path: Path) -> bool:
        """Return whether no process holds a lock; if so, remove its file."""
        if path == self._file_of(self.id):
            return False
        if not path.exists():
            return True
        refuse_special(path, "ledger")
        try:
            with FileLock(path, timeout=0, thread_local=False):
                pass
        except Timeout:
            return False
        with suppress(OSError):
            path.unlink()
        return True


def _cause(error: BaseException) -> str:
    """Describe an error in a few words, without the statement and its values."""
    original = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    fields = server_fields(original)
    if fields is not None:
        return str(fields.get("M", fields["C"]))[:200]
    cause = original.__cause__
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror
    return " ".join(str(original).split())[:200] or type(original).__name__
