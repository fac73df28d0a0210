"""Opening of histories in a file or on a server."""

from pathlib import Path
from typing import TYPE_CHECKING

from semscale.extras import require
from semscale.store.databases.address import Address, read_address

if TYPE_CHECKING:
    from semscale.history.databases.database import Database
    from semscale.history.history import History


def open_history(where: str | Path, *, create: bool = True) -> "History":
    """Open a history; one of an older version is migrated.

    Args:
        where: a path or ``sqlite:///path`` of a SQLite file, or ``postgresql://user@host/database``.
        create: whether to create the history if it does not exist.

    Returns:
        The history; close it, or use it in a ``with`` statement.

    Raises:
        InputError: it is missing, damaged, unreachable, another program's, or of a newer
            version.
        MissingExtraError: the extra ``history``, or ``postgres`` for a server, is not installed.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with open_history(Path(folder) / "history.sqlite") as history:
        ...         history.datasets()
        []
    """
    address = read_address(where)
    require("history" if address.url is None else "postgres")
    from semscale.history.databases.migrating import bring_up_to_date
    from semscale.history.databases.sqlite_file import write_ahead
    from semscale.history.history import History

    database = connect(address, create=create)
    try:
        bring_up_to_date(database, create=create)
        if address.path is not None:
            write_ahead(address.path)
    except BaseException:
        database.close()
        raise
    return History(database)


def connect(address: Address, *, create: bool) -> "Database":
    """Connect to the database at an address, without checking its tables.

    Args:
        address: address of a file, or of a database on a server.
        create: whether to create a missing file.

    Raises:
        InputError: the file is missing, or the URL cannot be understood.
    """
    from semscale.history.databases.database import Database

    if address.url is not None:
        from semscale.store.databases.postgres_server import postgres_engine

        return Database(postgres_engine(address), address.shown)
    from semscale.history.databases.sqlite_file import sqlite_engine

    return Database(sqlite_engine(address.path or Path(), create=create), address.shown)
