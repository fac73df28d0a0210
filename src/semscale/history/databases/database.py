"""Access to a history's database: transactions for reading and writing, with one-line errors."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, Table, event, func, insert, select

from semscale.history.column_values import Row
from semscale.history.databases.database_errors import clear_errors

_WRITES = "semscale_writes"
_LOCK = 0x53454D53  # "SEMS": the server's lock under which histories are made, brought up to date and merged
_AT_ONCE = 1000  # rows in one statement


class Database:
    """A database that several threads and processes can use at once.

    Args:
        engine: SQLAlchemy engine; for SQLite, its connections are in autocommit mode.
        where: the database's address for messages.
    """

    def __init__(self, engine: Engine, where: str) -> None:
        self.where = where
        self._engine = engine
        self._writer = engine.execution_options(**{_WRITES: True})
        if engine.dialect.name == "sqlite":
            event.listen(engine, "begin", _begin)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a transaction for reading.

        Raises:
            InputError: the database cannot be used.
        """
        with self._transaction(self._engine) as connection:
            yield connection

    @contextmanager
    def writing(self, *, alone: bool = False) -> Iterator[Connection]:
        """Open a transaction for writing; all of it is stored, or nothing.

        Args:
            alone: whether to exclude other transactions with this flag, and wait for them; SQLite allows only
                one writer at a time anyway.

        Raises:
            InputError: the database cannot be used or written.
        """
        with self._transaction(self._writer) as connection:
            if alone and connection.dialect.name != "sqlite":
                connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))
            yield connection

    @contextmanager
    def _transaction(self, engine: Engine) -> Iterator[Connection]:
        with clear_errors(self.where):
            connection = engine.connect()
        with clear_errors(self.where, connected=True), connection, connection.begin():
            yield connection

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()


def insert_rows(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Insert many rows in few statements."""
    statement = insert(table)
    if connection.dialect.name != "sqlite":
        # The driver sends one statement for each row; SQLAlchemy joins rows if a column must be returned.
        key = next(iter(table.primary_key))
        for start in range(0, len(rows), _AT_ONCE):
            connection.execute(statement.returning(key), rows[start : start + _AT_ONCE])
        return
    for start in range(0, len(rows), _AT_ONCE):
        connection.execute(statement, rows[start : start + _AT_ONCE])


def _begin(connection: Connection) -> None:
    # A transaction that begins with reading could not wait for another writer.
    writes = connection.get_execution_options().get(_WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
