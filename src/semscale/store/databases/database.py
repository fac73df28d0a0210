"""Databases of histories and ledgers: a SQLite file, or a database on a PostgreSQL server.

:func:`open_database` creates the tables and migrates older ones. Statements are the same for both kinds; the
differences are in this module and in ``postgres``.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from sqlalchemy import (
    Connection,
    Engine,
    Insert,
    Table,
    create_engine,
    event,
    func,
    insert,
    inspect,
    select,
    text,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from semscale.errors import InputError
from semscale.extras import require
from semscale.input_files import check_regular
from semscale.store.atomic import create_private, create_private_folder, refuse_special
from semscale.store.databases.address import Address
from semscale.store.databases.postgres import (
    LOST,
    READ_ONLY,
    is_transient_on_server,
    postgres_engine,
    server_message,
)
from semscale.store.databases.schema import REVISION, VERSION_TABLE
from semscale.store.sqlite_errors import primary_code
from semscale.version import upgrade_advice

if TYPE_CHECKING:
    from alembic.script import ScriptDirectory

Row = dict[str, object]
"""A row to insert: values by column."""

_WRITES = "semscale_writes"
_LOCK = 0x53454D53  # "SEMS": the server's lock under which tables are created and entries of histories added
_BATCH = 1000  # rows in one statement
_BUSY_SECONDS = 60.0
_READ_ONLY_CODES = frozenset({sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY})


class Database:
    """A database that several threads and processes can use at once.

    It holds no connection between transactions, so the process can be forked at any time.

    Args:
        address: of the file, or of the database on a server.
        create: whether to create a missing file, with its folder, for this user only.
        patience: seconds to wait for a server that does not answer; by default 60.

    Raises:
        InputError: the file is missing, its folder cannot be created, or the URL is invalid.
    """

    def __init__(self, address: Address, *, create: bool, patience: float | None = None) -> None:
        self.address = address
        if address.url is None:
            self._engine = _sqlite_engine(address, create=create)
            event.listen(self._engine, "begin", _begin)
            self._reader = self._engine
        else:
            self._engine = postgres_engine(address, patience=patience)
            # All statements of one reading see the same state, as SQLite's do.
            self._reader = self._engine.execution_options(isolation_level="REPEATABLE READ")

    @property
    def name(self) -> str:
        """Kind and address for messages."""
        return self.address.name

    @property
    def is_file(self) -> bool:
        """True if the database is a SQLite file."""
        return self.address.url is None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a transaction for reading.

        Raises:
            InputError: the database cannot be used.
        """
        with self._transaction(self._reader.connect) as connection:
            yield connection

    @contextmanager
    def writing(self, *, alone: bool = False) -> Iterator[Connection]:
        """Open a transaction for writing; either all of it is stored or nothing.

        Args:
            alone: whether to wait for other transactions with this flag and exclude them; SQLite always
                allows only one writer.

        Raises:
            InputError: the database cannot be used or written.
        """
        with self._transaction(self.connect) as connection:
            if alone and not self.is_file:
                connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))
            yield connection

    @contextmanager
    def _transaction(self, connect: Callable[[], Connection]) -> Iterator[Connection]:
        with clear_errors(self.name):
            connection = connect()
        with clear_errors(self.name, connected=True), connection, connection.begin():
            yield connection

    def connect(self, *, by_statement: bool = False) -> Connection:
        """Open a connection for many writing transactions; errors are SQLAlchemy's.

        Args:
            by_statement: whether each statement is a transaction of its own.
        """
        level = {"isolation_level": "AUTOCOMMIT"} if by_statement else {}
        return self._engine.connect().execution_options(**{_WRITES: True}, **level)

    @staticmethod
    @contextmanager
    def transaction(connection: Connection, *, writes: bool) -> Iterator[Connection]:
        """Open a transaction on a connection that stays open; errors are SQLAlchemy's."""
        with connection.execution_options(**{_WRITES: writes}).begin():
            yield connection

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()


def open_database(address: Address, *, create: bool, patience: float | None = None) -> Database:
    """Open a database, and create its tables or migrate older ones.

    Args:
        address: of the file, or of the database on a server.
        create: whether to create file and tables if there are none.
        patience: seconds to wait for a server that does not answer; by default 60.

    Raises:
        InputError: the database is missing, damaged, unreachable, another program's, or of a newer version.
        MissingExtraError: the extra ``postgres`` is not installed, for a server.
    """
    if address.url is not None:
        require("postgres")
    database = Database(address, create=create, patience=patience)
    try:
        bring_up_to_date(database, create=create)
        if address.path is not None:
            _write_ahead(address.path)
    except BaseException:
        database.close()
        raise
    return database


def insert_rows(
    connection: Connection, table: Table, rows: Sequence[Row], *, ignore_known: bool = False
) -> None:
    """Insert many rows in few statements.

    Args:
        connection: a connection in a transaction.
        table: the table.
        rows: values by column.
        ignore_known: whether to skip rows that the table has already.
    """
    statement: Insert = insert(table)
    if ignore_known:
        dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
        statement = dialect.insert(table).on_conflict_do_nothing()
    if connection.dialect.name != "sqlite":
        # The driver sends one statement for each row; SQLAlchemy joins rows if a column must be returned.
        statement = statement.returning(next(iter(table.primary_key)))
    for start in range(0, len(rows), _BATCH):
        connection.execute(statement, rows[start : start + _BATCH])


def _begin(connection: Connection) -> None:
    # A transaction that begins with reading could not wait for another writer.
    writes = connection.get_execution_options().get(_WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


# SQLite files


_SIDE_FILES = ("-wal", "-shm", "-journal")
"""Endings of the files that SQLite makes next to a database."""


def _sqlite_engine(address: Address, *, create: bool) -> Engine:
    path = address.path or Path()
    if not os.path.exists(path):
        if not create:
            raise InputError(f"{address.name} does not exist: record a run first, or name another file")
        _create_file(path, address.name)
    else:
        check_regular(path)
    for ending in _SIDE_FILES:
        with suppress(PermissionError):  # SQLite reports it
            refuse_special(Path(f"{os.path.realpath(path)}{ending}"), address.kind)
    return create_engine(
        "sqlite://",
        creator=lambda: _connect(path, address.name),
        poolclass=NullPool,
        hide_parameters=True,
    )


def _create_file(path: Path, name: str) -> None:
    try:
        create_private_folder(path.parent)
        create_private(path)
    except OSError as error:
        raise InputError(f"{name} cannot be created ({error.strerror}): name another folder") from error


def _connect(path: Path, name: str) -> sqlite3.Connection:
    connection = _connection(path, "mode=rw")
    try:
        connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.OperationalError as error:
        connection.close()
        if primary_code(error) in _READ_ONLY_CODES and path.is_file():
            return _connect_to_copy(path, name)
        raise
    except BaseException:
        connection.close()
        raise
    return connection


def _connect_to_copy(path: Path, name: str) -> sqlite3.Connection:
    # In write-ahead mode, even reading needs files next to the database. If they cannot be created, this user
    # has no writing process, so the file can be read alone, unless the other files still have changes.
    ahead = path.with_name(f"{path.name}-wal")
    if ahead.exists() and ahead.stat().st_size:
        raise InputError(
            f"{name} cannot be read here: its last changes are in {ahead.name}, and the folder cannot be "
            "written; copy both files to a folder that you can write to"
        )
    return _connection(path, "mode=ro&immutable=1")


def _connection(path: Path, settings: str, *, patience: float = _BUSY_SECONDS) -> sqlite3.Connection:
    uri = f"file:{quote(str(path.absolute()))}?{settings}"
    return sqlite3.connect(uri, uri=True, timeout=patience, isolation_level=None, check_same_thread=False)


def _write_ahead(path: Path) -> None:
    """Switch a file permanently to write-ahead mode, in which readers need not wait for a writer.

    If the file system does not support it, or another process uses the file now, the mode does not change;
    the old mode is slower but equally safe.
    """
    with suppress(sqlite3.OperationalError), closing(_connection(path, "mode=rw", patience=0)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")


# Tables


def bring_up_to_date(database: Database, *, create: bool) -> None:
    """Create the tables if there are none, and migrate older ones.

    If several processes call it at once, one migrates and the others wait.

    Raises:
        InputError: the database belongs to another program or a newer version, is empty and ``create`` is
            false, or cannot store every text.
    """
    with database.reading() as connection:
        revision = _read_revision(connection, database.name)
        if revision == REVISION:
            return
        if revision is None and not create:
            raise InputError(f"{database.name} contains no {database.address.kind} yet: record a run first")
        if not database.is_file:
            _check_encoding(connection, database.name)
    script = _revisions()
    _check_known(script, revision, database.name)
    with database.writing(alone=True) as connection:
        _upgrade(connection, script, database.name)


def _read_revision(connection: Connection, name: str) -> str | None:
    inspector = inspect(connection)
    if inspector.has_table(VERSION_TABLE):
        revision = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()
        return None if revision is None else str(revision)
    if connection.dialect.name == "sqlite" and (tables := inspector.get_table_names()):
        raise InputError(
            f"{name} is another program's database, with a table {tables[0]!r}: name another file"
        )
    return None


def _check_encoding(connection: Connection, name: str) -> None:
    encoding = connection.execute(text("SHOW server_encoding")).scalar()
    if encoding != "UTF8":
        raise InputError(
            f"{name} has the encoding {encoding}, which cannot keep every text: create its database with "
            "createdb --encoding UTF8"
        )


def _check_known(script: "ScriptDirectory", revision: str | None, name: str) -> None:
    known = {step.revision for step in script.walk_revisions()}
    if revision is not None and revision not in known:
        raise InputError(
            f"{name} was created by a newer Semscale (its tables are of revision {revision}, known are those "
            f"up to {REVISION}): {upgrade_advice()}"
        )


def _upgrade(connection: Connection, script: "ScriptDirectory", name: str) -> None:
    from alembic.operations import Operations
    from alembic.runtime.migration import MigrationContext

    # Another process, even of a newer version, may have migrated the database meanwhile.
    stored = _read_revision(connection, name)
    _check_known(script, stored, name)
    context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
    for step in reversed(list(script.iterate_revisions(REVISION, stored or "base"))):
        step.module.upgrade(Operations(context))
        context.stamp(script, step.revision)


def _revisions() -> "ScriptDirectory":
    from alembic.script import ScriptDirectory

    folder = Path(__file__).parents[2] / "migrations"
    return ScriptDirectory(str(folder), version_locations=[str(folder)])


# Errors

_BUSY = "is locked by another program: try again when it has ended"
_DAMAGED = "is damaged: restore a backup, or name another file"
_SQLITE_MESSAGES = {
    sqlite3.SQLITE_READONLY: READ_ONLY,
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: "is not an SQLite file: move it away, or name another file",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened: check that file and folder exist, and their permissions",
    sqlite3.SQLITE_PERM: "cannot be opened: check its permissions",
    sqlite3.SQLITE_TOOBIG: "cannot store a value of this size: shorten it",
    sqlite3.SQLITE_FULL: "is on a disk that is full: free some space and try again",
    sqlite3.SQLITE_IOERR: "cannot be read or written: check the disk it is on",
}
_TRANSIENT_CODES = frozenset(
    {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
)
# Neither the errors of Python's module itself nor those of a damaged table have a code of their own.
_SIGNS_OF_DAMAGE = (
    "decode",
    "duplicate column name",
    "no such column",
    "no such table",
    "unsupported file format",
)


@contextmanager
def clear_errors(name: str, *, connected: bool = False) -> Iterator[None]:
    """Turn errors of the database into ``InputError``; Semscale's errors are raised unchanged.

    Args:
        name: kind and address of the database.
        connected: whether a connection was made before the error.

    Raises:
        InputError: the database refuses the operation.
    """
    try:
        yield
    except (DBAPIError, UnicodeDecodeError, OSError) as error:
        message = error_message(error, connected=connected)
        if message is None:
            raise
        raise InputError(f"{name} {message}") from error


def error_message(error: Exception, *, connected: bool) -> str | None:
    """Return a database's error message with its remedy; ``None`` for an error that no user can repair."""
    if isinstance(error, UnicodeDecodeError):  # SQLite's message quotes a damaged table
        return _DAMAGED
    if not isinstance(error, DBAPIError):
        return LOST  # pg8000 passes on some errors of a broken connection
    if not isinstance(error.orig, sqlite3.Error):
        return server_message(error, connected=connected)
    damage = _DAMAGED if any(sign in str(error.orig) for sign in _SIGNS_OF_DAMAGE) else None
    code = primary_code(error.orig)
    return damage if code is None else _SQLITE_MESSAGES.get(code, damage)


def is_transient(error: Exception) -> bool:
    """Return whether the same transaction may succeed later: after a restart, or with free disk space."""
    if isinstance(error, DBAPIError) and isinstance(error.orig, sqlite3.Error):
        return primary_code(error.orig) in _TRANSIENT_CODES
    return not isinstance(error, UnicodeDecodeError) and is_transient_on_server(error)
