"""One-line messages for errors of SQLite and PostgreSQL, with the history's address and the remedy."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, InterfaceError

from semscale.errors import InputError
from semscale.store.sqlite_errors import primary_code

_READ_ONLY = "is read-only: copy it to where you may write, or name another one"
_BUSY = "is held by another program for too long: try again when that has ended"
_DAMAGED = "is damaged: take a copy of it from before, or start a new one and merge what other machines have"
_SQLITE = {
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: "is no SQLite file: name a history, or a new file for semscale drift record",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened: check that file and folder exist and that you may use them",
    sqlite3.SQLITE_PERM: "cannot be opened: check that you may use it",
    sqlite3.SQLITE_TOOBIG: "cannot keep a value that is so large: shorten it",
    sqlite3.SQLITE_FULL: "is on a disk that is full: make room and try again",
    sqlite3.SQLITE_IOERR: "cannot be read or written: check the disk it is on",
}
_WORDS_OF_DAMAGE = (
    "decode",
    "duplicate column name",
    "no such column",
    "no such table",
    "unsupported file format",
)
_POSTGRES = {
    "28": "refuses the user or the password: check both in the URL, or set PGPASSWORD",
    "3D": "names a database that does not exist: create it with createdb, or name another one",
    "42501": "does not let this user do that: ask for the right to read and to write its tables",
    "25006": _READ_ONLY,
    "22": "cannot keep a value: its encoding must be UTF8, so create it with createdb --encoding UTF8",
    "23505": "just got the same id from somebody else: nothing was kept twice",
    "53": "has no room or no connection left: try again later",
    "54": "cannot keep a value that is so large: shorten it",
    "57": "is shutting down or starting up: try again later",
    "08": "lost the connection: try again",
}
_LOST = "lost the connection, or its server has not answered for too long: try again"


@contextmanager
def clear_errors(where: str, *, connected: bool = False) -> Iterator[None]:
    """Turn errors of the database into ``InputError``; errors of Semscale's own are raised unchanged.

    Args:
        where: the history's address for messages.
        connected: whether there was a connection, which can only be lost; without one, none could be made.

    Raises:
        InputError: the database refuses the operation.
    """
    try:
        yield
    except DBAPIError as error:
        told = _told(error, connected)
        if told is None:
            raise
        raise InputError(f"history {where} {told}") from error
    except UnicodeDecodeError as error:  # SQLite's message quotes a damaged table
        raise InputError(f"history {where} {_DAMAGED}") from error
    except OSError as error:  # pg8000 lets some of a broken connection's errors through as they are
        raise InputError(f"history {where} {_LOST}") from error


def _told(error: DBAPIError, connected: bool) -> str | None:
    if isinstance(error.orig, sqlite3.Error):
        # Neither the errors of Python's module itself nor those of a damaged table have a code of their own.
        otherwise = _DAMAGED if any(words in str(error.orig) for words in _WORDS_OF_DAMAGE) else None
        code = primary_code(error.orig)
        return otherwise if code is None else _SQLITE.get(code, otherwise)
    state = _server_code(error.orig)
    if state is not None:
        return next((told for start, told in _POSTGRES.items() if state.startswith(start)), None)
    if connected and (error.connection_invalidated or _is_broken(error.orig)):
        return _LOST
    if isinstance(error, InterfaceError):
        cause = error.orig and error.orig.__cause__
        why = cause.strerror if isinstance(cause, OSError) and cause.strerror else error.orig
        return f"cannot be used ({why}): check host, port and sslmode, and that the server is running"
    return None


def _is_broken(error: BaseException | None) -> bool:
    """Tell whether a connection broke while it was used: the other end had closed it."""
    return error is not None and isinstance(error.__cause__, BrokenPipeError | ConnectionResetError)


def _server_code(error: BaseException | None) -> str | None:
    # The driver says goodbye after an error; where the server has hung up by then, it complains about that
    # instead, and what the server said stands behind it.
    while error is not None:
        fields = error.args[0] if error.args else None
        if isinstance(fields, Mapping) and "C" in fields:
            return str(fields["C"])
        error = error.__cause__ or error.__context__
    return None
