"""One-line messages for errors of SQLite and PostgreSQL, with the history's address and the remedy."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError

from semscale.errors import InputError
from semscale.store.databases.server_errors import LOST, READ_ONLY, words_for
from semscale.store.sqlite_errors import primary_code

_BUSY = "is held by another program for too long: try again when that has ended"
_DAMAGED = "is damaged: take a copy of it from before, or start a new one and merge what other machines have"
_SQLITE = {
    sqlite3.SQLITE_READONLY: READ_ONLY,
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
        raise InputError(f"history {where} {LOST}") from error


def _told(error: DBAPIError, connected: bool) -> str | None:
    if isinstance(error.orig, sqlite3.Error):
        # Neither the errors of Python's module itself nor those of a damaged table have a code of their own.
        otherwise = _DAMAGED if any(words in str(error.orig) for words in _WORDS_OF_DAMAGE) else None
        code = primary_code(error.orig)
        return otherwise if code is None else _SQLITE.get(code, otherwise)
    return words_for(error, connected=connected)
