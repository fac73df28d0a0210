"""Connections to a history's SQLite file, in write-ahead mode if possible, read-only if necessary."""

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Engine, create_engine
from sqlalchemy.pool import NullPool

from semscale.errors import InputError
from semscale.store.sqlite_errors import primary_code

_BUSY_SECONDS = 60.0
_CANNOT_SHARE = frozenset({sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY})


def sqlite_engine(path: Path, *, create: bool) -> Engine:
    """Return an engine for a file; it opens a connection for each transaction and closes it afterwards.

    So no connection is open between transactions, and the process can be forked at any time.

    Args:
        path: of the file.
        create: whether to create a missing file, with its folder.

    Raises:
        InputError: the file is missing, or its folder cannot be created.
    """
    if create:
        _make_folder(path)
    elif not os.path.exists(path):  # noqa: PTH110 - Path.exists raises where a folder may not be looked into
        raise InputError(f"history {path} does not exist: record a run first, or name another file")
    mode = "rwc" if create else "rw"
    return create_engine(
        "sqlite://", creator=lambda: _connected(path, mode), poolclass=NullPool, hide_parameters=True
    )


def write_ahead(path: Path) -> None:
    """Switch the file to write-ahead mode, in which readers need not wait for a writer; the file keeps it.

    If the file system does not support it, or another process uses the file now, the file stays in its old
    mode, which is slower but as safe.
    """
    with suppress(sqlite3.OperationalError), closing(_open(path, "mode=rw", patience=0)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")


def _make_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"history {path} cannot be made ({error.strerror}): name another folder") from error


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    connection = _open(path, f"mode={mode}")
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.OperationalError as error:
        connection.close()
        if primary_code(error) in _CANNOT_SHARE and path.is_file():
            return _unshared(path)
        raise
    except BaseException:
        connection.close()
        raise
    return connection


def _unshared(path: Path) -> sqlite3.Connection:
    # In write-ahead mode, even reading needs files beside the database. If these cannot be created, nobody
    # with these rights writes, so the file can be read alone, unless changes are still in the other files.
    ahead = path.with_name(f"{path.name}-wal")
    if ahead.exists() and ahead.stat().st_size:
        raise InputError(
            f"history {path} cannot be read here: its last changes are in {ahead.name}, and the folder "
            "cannot be written; copy both files to where you may write"
        )
    return _open(path, "mode=ro&immutable=1")


def _open(path: Path, settings: str, *, patience: float = _BUSY_SECONDS) -> sqlite3.Connection:
    address = f"file:{quote(str(path.absolute()))}?{settings}"
    return sqlite3.connect(address, uri=True, timeout=patience, isolation_level=None, check_same_thread=False)
