"""A ledger on a PostgreSQL server, which many machines may share at once."""

import itertools
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from semscale.chat.ledger import server_statements as statements
from semscale.chat.ledger.operations import (
    ClaimCall,
    FindOutcome,
    ListAttempts,
    Operation,
    RecordAttempt,
    ReleaseCall,
    in_rounds,
)
from semscale.chat.ledger.server_tables import bring_up_to_date
from semscale.errors import InputError, InterruptedRunError
from semscale.store.databases.address import Address
from semscale.store.databases.postgres_server import postgres_engine
from semscale.store.databases.server_errors import LOST, may_pass, message_for, server_fields

T = TypeVar("T")

LEASE = 120.0
"""Seconds for which claims hold after they were last renewed, by the server's clock.

An outage that a run survives must lose no claim. The last renewal may be ``2 * RENEWED_AFTER`` old when the
connection is lost, it may take ``ANSWERED_WITHIN`` to see that, ``LONGEST_OUTAGE`` to find the server again,
and one answer more to renew: 30 + 15 + 60 + 15 seconds.
"""

RENEWED_AFTER = 15.0
LONGEST_OUTAGE = 60.0
"""Seconds for which a lost server is looked for, as long as for SQLite's lock."""

ANSWERED_WITHIN = 15.0
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 2.0  # seconds between attempts to connect again


class LedgerServer:
    """A ledger in a database on a PostgreSQL server.

    A claim holds as long as its writer, an open ledger of one process, renews it. There is one connection,
    which is replaced when it is lost.

    Args:
        address: of the database.
        stopping: set when the ledger is closed, so that nobody waits any longer for a lost server.

    Raises:
        InputError: the server cannot be used, or its ledger is of a newer version.
    """

    def __init__(self, address: Address, stopping: threading.Event) -> None:
        self._name = address.name
        self._stopping = stopping
        self._engine = postgres_engine(address, patience=ANSWERED_WITHIN)
        self._connection: Connection | None = None
        self._writer: int | None = None
        self._numbers = itertools.count()
        self._renewed = time.monotonic()
        self._is_given_up = False
        try:
            with self._engine.begin() as connection:
                bring_up_to_date(connection, self._name)
        except (DBAPIError, OSError) as error:
            raise self._refused(error, connected=False) from error

    @property
    def longest_idle(self) -> float | None:
        """Seconds after which claims must be renewed if nothing else is done."""
        return None if self._writer is None else RENEWED_AFTER

    def do(self, operations: Sequence[Operation]) -> list[object]:
        """Do all operations, and again on a new connection where the server was away for a short time.

        Raises:
            InputError: the server refuses something.
            InterruptedRunError: it was away for longer than ``LONGEST_OUTAGE``.
        """
        numbers = [next(self._numbers) for _ in operations]
        return self._persistently(lambda connection: self._answers(connection, operations, numbers))

    def renew(self) -> None:
        """Let the claims made here hold for a whole lease again; a server that is away is no error yet."""
        if self._writer is not None:
            try:
                self._renew(self._connected(), self._writer)
            except (DBAPIError, OSError, InputError):
                self._drop()  # a broken connection would refuse everything that comes later

    def close(self) -> None:
        """End all claims made here, if the server is there, and close the connection."""
        with suppress(DBAPIError, OSError, InputError):
            if self._writer is not None and not self._is_given_up:
                statements.leave(self._connected(), self._writer)
        self._drop()
        self._engine.dispose()

    def _answers(
        self, connection: Connection, operations: Sequence[Operation], numbers: Sequence[int]
    ) -> list[object]:
        if self._writer is not None and time.monotonic() - self._renewed > RENEWED_AFTER:
            self._renew(connection, self._writer)
        answers: list[object] = [None] * len(operations)
        for places in in_rounds(operations):
            answered = self._one_round(connection, {numbers[place]: operations[place] for place in places})
            for place in places:
                answers[place] = answered.get(operations[place].key)
        return answers

    def _one_round(self, connection: Connection, asked: dict[int, Operation]) -> dict[bytes, object]:
        """Answer operations on different keys, by these; those of one kind share a statement."""
        answers: dict[bytes, object] = {}
        every = list(asked.values())
        if found := [each.key for each in every if isinstance(each, FindOutcome)]:
            answers |= statements.find(connection, found)
        for each in every:
            if isinstance(each, ListAttempts):
                answers[each.key] = statements.attempts(connection, each.key)
        recorded = {number: each for number, each in asked.items() if isinstance(each, RecordAttempt)}
        if recorded:
            statements.record(connection, self._own(connection), recorded)
        if released := [each for each in every if isinstance(each, ReleaseCall)]:
            statements.release(connection, self._own(connection), released)
        if claimed := {each.key: each.run for each in every if isinstance(each, ClaimCall)}:
            answers |= statements.claim(connection, self._own(connection), claimed, lease=LEASE)
        return answers

    def _own(self, connection: Connection) -> int:
        """Return this writer's number; who only looks for outcomes has none and needs no right to write."""
        if self._writer is None:
            self._writer = statements.begin(connection, LEASE)
        return self._writer

    def _renew(self, connection: Connection, writer: int) -> None:
        statements.renew(connection, writer, LEASE)
        self._renewed = time.monotonic()

    def _connected(self) -> Connection:
        if self._connection is None:
            self._connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        return self._connection

    def _drop(self) -> None:
        if self._connection is not None:
            with suppress(DBAPIError, OSError):
                self._connection.close()
            self._connection = None

    def _persistently(self, work: Callable[[Connection], T]) -> T:
        until, wait = None, _FIRST_WAIT
        while True:
            try:
                done = work(self._connected())
            except (DBAPIError, OSError, InputError) as error:
                self._drop()
                if not isinstance(error, InputError) and not may_pass(error):
                    raise self._refused(error, connected=True) from error
                now = time.monotonic()
                until = until or now + (0 if self._is_given_up else LONGEST_OUTAGE)
                if now >= until or self._stopping.is_set():
                    self._is_given_up = True
                    raise self._away(error) from error
                self._stopping.wait(wait)
                wait = min(2 * wait, _LONGEST_WAIT)
            except BaseException:
                self._drop()
                raise
            else:
                self._is_given_up = False
                return done

    def _refused(self, error: Exception, *, connected: bool) -> InputError:
        words = message_for(error, connected=connected) if isinstance(error, DBAPIError) else LOST
        return InputError(f"{self._name} {words or f'cannot be used ({_said(error)}): name another one'}")

    def _away(self, error: Exception) -> InterruptedRunError:
        return InterruptedRunError(
            f"{self._name} was lost and not found again within {LONGEST_OUTAGE:g} s ({_said(error)}); "
            "everything before is kept: see that the server runs, and give the same command again"
        )


def _said(error: BaseException) -> str:
    """Say in a few words what happened, without the statement and its values."""
    original = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    fields = server_fields(original)
    if fields is not None:
        return str(fields.get("M", fields["C"]))[:200]
    cause = original.__cause__
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror
    return " ".join(str(original).split())[:200] or type(original).__name__
