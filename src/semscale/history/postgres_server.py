"""Reaching a history's PostgreSQL database through pg8000, as its URL says."""

import os
import socket
import ssl
import struct
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any
from weakref import WeakSet

from sqlalchemy import Engine, create_engine
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from semscale.errors import InputError, MissingExtraError

_SECONDS = 10.0  # to wait for a machine that does not answer
_PATIENCE = 300.0  # to wait for a server that does not answer: somebody else's work may have to end first
_PORT = 5432
_SETTINGS = ("host", "sslmode")
_SSL_MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")


def postgres_engine(url: str, shown: str) -> Engine:
    """Give an engine for a database on a server; the password stands in none of its texts.

    Args:
        url: ``postgresql://user:password@host:port/database``; the password may come from ``PGPASSWORD``.
            Of libpq's settings ``host`` (a folder with the server's socket) and ``sslmode`` are understood.
        shown: the URL without its password.

    Raises:
        InputError: the URL cannot be understood.
        MissingExtraError: pg8000 is not installed.
    """
    try:
        from pg8000.legacy import Connection, InterfaceError
    except ImportError as error:
        raise MissingExtraError("pg8000", "postgres") from error

    class Reached(Connection):  # type: ignore[misc]  # the driver has no types
        """Tells of a connection that broke while it was read from as the driver does of one written to."""

        def handle_messages(self, context: Any) -> None:  # noqa: ANN401 - the driver's own
            try:
                super().handle_messages(context)
            except OSError as error:
                raise InterfaceError("network error") from error

    parts = _read(url, shown)
    settings, place = _account(parts, shown), _place(parts)

    def connected() -> object:
        reached = _reach(place, shown)
        try:
            return Reached(**settings, sock=reached)
        except (OSError, LookupError, ValueError, struct.error) as error:
            _hang_up(reached)
            raise InputError(
                f"history {shown} does not answer as PostgreSQL does ({type(error).__name__}: {error}): "
                "check host, port and sslmode"
            ) from error
        except BaseException:
            _hang_up(reached)
            raise

    return _engine(connected)


def _engine(connected: Callable[[], Any]) -> Engine:
    engine = create_engine(
        "postgresql+pg8000://",
        creator=connected,
        pool_size=4,
        max_overflow=0,
        pool_timeout=600,
        pool_pre_ping=True,
        hide_parameters=True,
    )
    _OPEN.add(engine)
    return engine


def _read(url: str, shown: str) -> URL:
    _, _, rest = url.partition("://")
    try:
        parts = make_url(f"postgresql+pg8000://{rest}")
    except (ArgumentError, ValueError):
        # The text of what went wrong may show a password.
        raise InputError(
            f"history {shown} must read postgresql://user:password@host:port/database; "
            "write what is special in a password as %40 and the like"
        ) from None
    unknown = sorted(set(parts.query) - set(_SETTINGS))
    if unknown:
        raise InputError(
            f"history {shown} has settings that are not understood: {', '.join(unknown)}; "
            f"those that are: {', '.join(_SETTINGS)}"
        )
    return parts


def _account(parts: URL, shown: str) -> Mapping[str, object]:
    user = parts.username or os.environ.get("PGUSER")
    if not user:
        raise InputError(f"history {shown} must name the user: postgresql://user@host/database")
    is_local = _socket_folder(parts) is not None
    return {
        "user": user,
        "password": str(parts.password) if parts.password else os.environ.get("PGPASSWORD", ""),
        "database": parts.database or user,
        "host": parts.host or "localhost",
        "ssl_context": False if is_local else _ssl_context(str(parts.query.get("sslmode", "prefer")), shown),
        "application_name": "semscale",
    }


def _ssl_context(mode: str, shown: str) -> ssl.SSLContext | bool | None:
    if mode not in _SSL_MODES:
        raise InputError(f"sslmode of history {shown} must be one of {', '.join(_SSL_MODES)}, got {mode!r}")
    if mode == "disable":
        return False
    if mode in {"allow", "prefer"}:
        return None
    context = ssl.create_default_context()
    if mode != "verify-full":
        context.check_hostname = False
    if mode == "require":
        context.verify_mode = ssl.CERT_NONE
    return context


def _socket_folder(parts: URL) -> str | None:
    host = str(parts.query.get("host", ""))
    return host if host.startswith("/") else None


def _place(parts: URL) -> str | tuple[str, int]:
    folder = _socket_folder(parts)
    port = parts.port or _PORT
    if folder is not None:
        return f"{folder}/.s.PGSQL.{port}"
    return (str(parts.query.get("host") or parts.host or "localhost"), port)


def _reach(place: str | tuple[str, int], shown: str) -> socket.socket:
    try:
        if not isinstance(place, str):
            reached = socket.create_connection(place, _SECONDS)
        else:
            reached = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            _connect_local(reached, place)
    except OSError as error:
        why = error.strerror or str(error)
        raise InputError(
            f"history {shown} cannot be reached ({why}): check host and port, and that the server is running"
        ) from error
    reached.settimeout(_PATIENCE)
    reached.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    return reached


def _hang_up(reached: socket.socket) -> None:
    # Closing would wait until nothing in the error's traceback holds what the driver reads through.
    with suppress(OSError):
        reached.shutdown(socket.SHUT_RDWR)
    with suppress(OSError):
        os.close(reached.detach())


def _connect_local(reached: socket.socket, place: str) -> None:
    try:
        reached.settimeout(_SECONDS)
        reached.connect(place)
    except BaseException:
        reached.close()
        raise


_OPEN: WeakSet[Engine] = WeakSet()
# Connections of the process that this one was forked from: two must not talk through one socket, so they are
# neither used here nor closed.
_INHERITED: list[object] = []


def _leave_to_parent() -> None:
    for engine in list(_OPEN):
        _INHERITED.append(engine.pool)
        engine.dispose(close=False)


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(after_in_child=_leave_to_parent)
