"""Messages and kinds of a PostgreSQL server's errors; a message follows the database's address."""

from collections.abc import Mapping

from sqlalchemy.exc import DBAPIError, InterfaceError

READ_ONLY = "is read-only: copy it to a folder that you can write to, or name another one"
LOST = "lost the connection, or its server did not answer in time: try again"
_BY_CODE = {
    "28": "refuses the user or the password: check both in the URL, or set PGPASSWORD",
    "3D": "names a database that does not exist: create it with createdb, or name another one",
    "42501": "denies this to the user: ask for permission to read and write its tables",
    "25006": READ_ONLY,
    "22": "cannot store a value: its encoding must be UTF8, so create it with createdb --encoding UTF8",
    "23505": "already has an entry with this id, written by another process: nothing was stored twice",
    "53": "has no room or no connection left: try again later",
    "54": "cannot store a value of this size: shorten it",
    "57": "is shutting down or starting up: try again later",
    "08": "lost the connection: try again",
}
_TRANSIENT = ("08", "40", "53", "57")  # lost or refused connections, deadlocks, no room, restarts


def server_message(error: DBAPIError, *, connected: bool) -> str | None:
    """Return a server's error with its remedy; ``None`` for one that no user can repair.

    Args:
        error: of SQLAlchemy.
        connected: whether there was a connection, which can only be lost; without one, none could be made.
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
    """Tell whether a connection broke while it was used."""
    broke = error.orig is not None and isinstance(
        error.orig.__cause__, BrokenPipeError | ConnectionResetError
    )
    return broke or error.connection_invalidated


def is_transient_on_server(error: Exception) -> bool:
    """Tell whether the same statement may succeed a moment later: on a new connection, or after a restart."""
    if not isinstance(error, DBAPIError):
        return isinstance(error, OSError)  # pg8000 lets some of a broken connection's errors through
    state = server_code(error.orig)
    if state is not None:
        return state.startswith(_TRANSIENT)
    return isinstance(error, InterfaceError) or is_lost(error)


def server_code(error: BaseException | None) -> str | None:
    """Return the five characters of a server's error code; ``None`` if it sent none."""
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
