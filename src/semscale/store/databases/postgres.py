"""PostgreSQL databases: engines through SQLAlchemy's dialect for pg8000, and messages of errors."""

import logging
import os
import ssl
import struct
from collections.abc import Mapping
from functools import partial
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import URL, Dialect, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError
from sqlalchemy.pool import NullPool

from semscale.errors import InputError
from semscale.store.databases.address import Address

PATIENCE = 60.0
"""Seconds to wait for a server that does not answer, as long as for SQLite's lock."""


_PORT = 5432
_SETTINGS = ("host", "sslmode")
_SSL_MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
_SSL_IF_OFFERED = ("allow", "prefer")

# A broken connection cannot be closed properly, which needs no warning; configured logging still shows it.
logging.getLogger("sqlalchemy.pool").addHandler(logging.NullHandler())


def postgres_engine(address: Address, *, patience: float | None = None) -> Engine:
    """Return an engine for a database on a server, without a pool of connections.

    Nothing stays open between two uses, so a process may be forked at any time.

    Args:
        address: address with a URL ``postgresql://user:password@host:port/database``; the user may come from
            ``PGUSER``, the password from ``PGPASSWORD``. Of libpq's settings, ``host`` (a server, or a folder
            with its socket) and ``sslmode`` are supported.
        patience: seconds to wait for a server that does not answer; by default ``PATIENCE``.

    Raises:
        InputError: the URL is invalid.
    """
    name = address.name
    asked = _read(address.url or "", name)
    mode = str(asked.query.get("sslmode", "prefer"))
    if mode not in _SSL_MODES:
        raise InputError(f"sslmode of {name} must be one of {', '.join(_SSL_MODES)}, got {mode!r}")
    engine = create_engine(
        "postgresql+pg8000://",
        connect_args=_account(asked, name) | _place(asked, mode, PATIENCE if patience is None else patience),
        poolclass=NullPool,
        hide_parameters=True,
    )
    event.listen(engine, "do_connect", partial(_connect, name, mode in _SSL_IF_OFFERED))
    return engine


def _read(url: str, name: str) -> URL:
    _, _, rest = url.partition("://")
    try:
        asked = make_url(f"postgresql+pg8000://{rest}")
    except (ArgumentError, ValueError):
        # The error's text may contain a password.
        raise InputError(
            f"{name} must read postgresql://user:password@host:port/database; "
            "percent-encode special characters in a password (@ is %40)"
        ) from None
    unknown = sorted(set(asked.query) - set(_SETTINGS))
    if unknown:
        raise InputError(
            f"{name} has unknown settings: {', '.join(unknown)}; known are: {', '.join(_SETTINGS)}"
        )
    return asked


def _account(asked: URL, name: str) -> dict[str, Any]:
    """Return user, password and database like libpq: from the environment if not in the URL."""
    user = asked.username or os.environ.get("PGUSER")
    if not user:
        raise InputError(f"{name} must name the user: postgresql://user@host/database")
    return {
        "user": user,
        "password": str(asked.password or os.environ.get("PGPASSWORD", "")),
        "database": asked.database or user,
        "application_name": "semscale",
    }


def _place(asked: URL, mode: str, patience: float) -> dict[str, Any]:
    """Return pg8000's arguments for the server's address and encryption."""
    host, port = str(asked.query.get("host", "")), asked.port or _PORT
    if host.startswith("/"):
        return {"unix_sock": f"{host}/.s.PGSQL.{port}", "ssl_context": False, "timeout": patience}
    return {
        "host": host or asked.host or "localhost",
        "port": port,
        "ssl_context": mode != "disable" and _ssl_context(mode),
        "timeout": patience,
    }


def _ssl_context(mode: str) -> ssl.SSLContext:
    if mode in ("verify-ca", "verify-full"):
        context = ssl.create_default_context()
        context.check_hostname = mode == "verify-full"
        return context
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _connect(
    name: str,
    is_plain_allowed: bool,
    dialect: Dialect,
    _record: object,
    positional: list[Any],
    named: dict[str, Any],
) -> object:
    """Connect; unexpected errors of the driver, such as from another service's answer, become one line."""
    try:
        try:
            return dialect.connect(*positional, **named)
        except dialect.loaded_dbapi.InterfaceError as error:
            # pg8000 would fall back by itself, and read all of the system's certificates at each connection.
            if not is_plain_allowed or str(error) != "Server refuses SSL":
                raise
            return dialect.connect(*positional, **named | {"ssl_context": False})
    except (OSError, LookupError, ValueError, struct.error) as error:
        raise InputError(
            f"{name} does not answer as PostgreSQL does ({type(error).__name__}: {error}): "
            "check host, port and sslmode"
        ) from error


# Errors; a message follows the database's address.

READ_ONLY = "is read-only: copy it to a folder that you can write to, or name another one"
LOST = "lost the connection, or its server did not answer in time: try again"
_BY_CODE = {
    "28": "refuses the user or the password: check both in the URL, or set PGPASSWORD",
    "3D": "names a database that does not exist: create it with createdb, or name another one",
    "42501": "denies this to the user: ask for permission to read and write its tables",
    "25006": READ_ONLY,
    "22": "cannot store a value: its encoding must be UTF8, so create it with createdb --encoding UTF8",
    "23505": "already has an entry with this id, written by another process: nothing was stored twice",
    "53": "has no space or no connection left: try again later",
    "54": "cannot store a value of this size: shorten it",
    "57": "is shutting down or starting up: try again later",
    "08": "lost the connection: try again",
}
_TRANSIENT = ("08", "40", "53", "57")  # lost or refused connections, deadlocks, no room, restarts


def server_message(error: DBAPIError, *, connected: bool) -> str | None:
    """Return a server's error message with its remedy; ``None`` for an error that no user can repair.

    Args:
        error: SQLAlchemy's error.
        connected: whether a connection was made before the error.
    """
    state = server_code(error.orig)
    if state is not None:
        return next((message for start, message in _BY_CODE.items() if state.startswith(start)), None)
    if connected and is_lost(error):
        return LOST
    if isinstance(error, InterfaceError):
        cause = error.orig and error.orig.__cause__
        why = cause.strerror if isinstance(cause, OSError) and cause.strerror else error.orig
        return f"cannot be used ({why}): check host, port and sslmode, and that the server is running"
    return None


def is_lost(error: DBAPIError) -> bool:
    """Return whether a connection broke while it was used."""
    broke = error.orig is not None and isinstance(
        error.orig.__cause__, BrokenPipeError | ConnectionResetError
    )
    return broke or error.connection_invalidated


def is_transient_on_server(error: Exception) -> bool:
    """Return whether the same statement may succeed soon: on a new connection, or after a restart."""
    if not isinstance(error, DBAPIError):
        return isinstance(error, OSError)  # pg8000 passes on some errors of a broken connection
    state = server_code(error.orig)
    if state is not None:
        return state.startswith(_TRANSIENT)
    return isinstance(error, InterfaceError) or is_lost(error)


def server_code(error: BaseException | None) -> str | None:
    """Return a server's error code of five characters; ``None`` if it sent none."""
    fields = server_fields(error)
    return None if fields is None else str(fields["C"])


def server_fields(error: BaseException | None) -> Mapping[str, object] | None:
    """Return the fields of a server's error by the protocol's letters, such as ``C`` for its code."""
    # The driver closes the connection after an error. If the server has closed it first, the driver raises an
    # error about that, and the server's error is its cause.
    while error is not None:
        fields = error.args[0] if error.args else None
        if isinstance(fields, Mapping) and "C" in fields:
            return fields
        error = error.__cause__ or error.__context__
    return None
