"""The server: listens, limits its connections, and at a signal finishes accepted requests before it ends."""

import asyncio
import math
import os
import signal
import socket
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from types import FrameType
from typing import Any

import httptools
import uvicorn
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from semscale.errors import InputError
from semscale.serving.gate import JSON, Gate, to_json
from semscale.serving.requests import BAD_JSON, HEAD_TOO_LARGE, RefusedRequestError
from semscale.serving.service import Phase, Service

HEAD_BYTES = 64 * 1024
"""Bytes of a request's head: its address and its headers."""

QUEUED = 100
"""Requests that may wait behind another one on the same connection."""

IDLE_SECONDS = 75.0
"""Seconds in which a client sends the head of a request, or reads some of an answer."""

UNSENT_BYTES = 256 * 1024 * 1024
"""Bytes of all answers together that clients have not read yet."""

_MOST_CONNECTIONS = 32_768
_FREED = 10  # where there are too many connections, one in ten of the idle ones is closed
_STOPPED = 3  # exit code after a second signal, as of other commands that the user stops
_BACKLOG = 2048
_LAST_PORT = 65535
_TICKS = 10  # between two looks at all connections, about a second
_LONGEST_READING = 3600


def listen(host: str, port: int) -> socket.socket:
    """Open the socket that the service listens on.

    Args:
        host: an address or a name of this machine.
        port: 0 for any free one.

    Raises:
        InputError: the address is not this machine's, or the port is taken.
    """
    if not 0 <= port <= _LAST_PORT:
        raise InputError(f"port must be 0 to {_LAST_PORT}, got {port}")
    try:
        family = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)[0][0]
        # With the protocol named, asyncio sends each answer at once; else its end waits 40 ms for the client
        # to confirm the beginning.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    except OSError as error:
        raise InputError(f"host must be an address of this machine, got {host!r}: {error}") from None
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host.strip("[]"), port))
    except OSError as error:
        listener.close()
        raise InputError(
            f"port {port} of {host} cannot be listened on ({error.strerror or error}): name another one"
        ) from None
    listener.listen(_BACKLOG)
    return listener


def run_service(gate: Gate, service: Service, listener: socket.socket, report: Callable[[str], None]) -> None:
    """Answer requests until a signal comes, and all accepted ones are answered.

    Args:
        gate: the application.
        service: its state.
        listener: socket to listen on.
        report: called with a line for each event.

    Raises:
        SemscaleError: the models cannot be loaded.
    """
    config = uvicorn.Config(
        gate,
        http=partial(Connection, most=most_connections()),
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        timeout_keep_alive=math.ceil(IDLE_SECONDS),
        # A client that does not read an answer has as long as one that does not send a request.
        timeout_graceful_shutdown=math.ceil(min(service.limits.seconds, _LONGEST_READING)),
        backlog=_BACKLOG,
    )
    server = DrainingServer(config, service, report)
    with listener:
        asyncio.run(server.serve(sockets=[listener]))
    if service.state.error is not None:
        raise service.state.error
    if not service.has_ended:
        os._exit(0)  # Python would tear the engine down under a thread that still loads a model


class DrainingServer(uvicorn.Server):  # type: ignore[misc] # uvicorn is checked alike with and without the extra
    """A server that turns requests away after the first signal, and ends when all others have answers.

    Args:
        config: uvicorn's.
        service: its state and jobs.
        report: called with a line for each event.
    """

    def __init__(self, config: uvicorn.Config, service: Service, report: Callable[[str], None]) -> None:
        super().__init__(config)
        self._service = service
        self._report = report
        self._is_reported_ready = False

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle SIGINT and SIGTERM while the server runs."""
        signals = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, self._handle) for number in signals}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    async def on_tick(self, counter: int) -> bool:
        """Close late connections, and return true if the server ends; called ten times a second."""
        await super().on_tick(counter)
        if counter % _TICKS == 0:
            close_late(self.server_state.connections, time.monotonic())
        state = self._service.state
        if state.phase is Phase.READY and not self._is_reported_ready:
            self._is_reported_ready = True
            self._report("ready")
        if state.phase is Phase.DRAINING:
            self._service.stop_jobs()
        return state.is_drained or state.phase is Phase.FAILED

    def _handle(self, number: int, frame: FrameType | None) -> None:
        state = self._service.state
        if state.phase is Phase.DRAINING:
            os.write(2, b"semscale: stopped at once; requests under way have no answer\n")
            os._exit(_STOPPED)
        state.drain()
        n = state.under_way
        os.write(
            2,
            f"semscale: finishing {n} request{'' if n == 1 else 's'} under way; "
            "a second signal stops at once\n".encode(),
        )


class Connection(HttpToolsProtocol):  # type: ignore[misc] # uvicorn is checked alike with and without the extra
    """A connection to a client as uvicorn has it, with limits before the gate sees a request.

    Args:
        most: connections at once. Above that, those on which no request came for the longest time are
            closed, and where all are busy the new one is.
        settings: as uvicorn gives them.
    """

    def __init__(self, *, most: int, **settings: Any) -> None:  # noqa: ANN401 - as uvicorn has them
        super().__init__(**settings)
        self._most = most
        self._unread = 0  # bytes of a head, or of what follows a body, that is not whole yet
        self._has_read = self._is_in_head = False
        self.unsent = 0
        self.idle_since: float | None = None

    def connection_made(self, transport: Any) -> None:  # noqa: ANN401 - as asyncio has it
        """Accept a client, if there is room or an idle connection can be closed."""
        is_full = len(self.connections) >= self._most and not _close_idle(self.connections)
        super().connection_made(transport)
        self.idle_since = time.monotonic()
        if is_full:
            transport.abort()

    def data_received(self, data: bytes) -> None:
        """Read data; a head without an end is refused."""
        self._has_read = False
        super().data_received(data)
        self._unread = 0 if self._has_read else self._unread + len(data)
        if self._unread > HEAD_BYTES:
            self._refuse(_too_large())

    def on_message_begin(self) -> None:
        """Begin a head."""
        self._is_in_head = True
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Store a header; those that follow a body belong to no request."""
        if self._is_in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Begin a request, unless its head is too large, or too many wait before it."""
        self._has_read, self._is_in_head, self.idle_since = True, False, None
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > HEAD_BYTES:
            self._refuse(_too_large())
        elif len(self.pipeline) >= QUEUED:
            self.transport.abort()
        if self.transport.is_closing():
            raise httptools.HttpParserError("nothing more is read")
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Accept a part of a body."""
        self._has_read = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Accept the end of a request."""
        self._has_read = True
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Begin the next request; if there is none, the time for its head begins."""
        super().on_response_complete()
        if self.cycle.response_complete:
            self.idle_since = time.monotonic()

    def send_400_response(self, msg: str) -> None:
        """Refuse data that is no request, in the form of all errors."""
        self._refuse(RefusedRequestError(BAD_JSON, f"{msg} Send HTTP/1.1."))

    def close_if_late(self, now: float) -> None:
        """Close the connection if its client neither sends a request nor reads an answer.

        Args:
            now: as ``time.monotonic`` returns it.
        """
        unsent = self.transport.get_write_buffer_size()
        has_read_some, self.unsent = unsent < self.unsent, unsent
        if self.transport.is_closing() and self.idle_since is None:
            self.idle_since = now  # an answer broke off, and its beginning is not read
        if self.idle_since is None:
            return
        if has_read_some:
            self.idle_since = now
        elif now - self.idle_since > IDLE_SECONDS:
            self.transport.abort()

    def _refuse(self, refusal: RefusedRequestError) -> None:
        """Answer, and close; while another answer is under way, close alone."""
        if self.transport.is_closing():
            return
        if self.cycle is not None and not self.cycle.response_complete:
            self.transport.abort()
            return
        body = to_json(refusal.record())
        head = f"content-type: {JSON}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
        self.transport.write(STATUS_LINE[refusal.status] + head.encode() + body)
        self.transport.close()


def close_late(connections: Collection[Connection], now: float) -> None:
    """Close connections whose clients are late, and the latest ones while too much is unread in all.

    Args:
        connections: of the service.
        now: as ``time.monotonic`` returns it.
    """
    for connection in list(connections):
        connection.close_if_late(now)
    unread = [client for client in connections if client.idle_since is not None and client.unsent]
    unread.sort(key=_idle_since)
    total = sum(connection.unsent for connection in unread)
    for connection in unread:
        if total <= UNSENT_BYTES:
            return
        connection.transport.abort()
        total -= connection.unsent


def most_connections() -> int:
    """Return the largest number of connections: half of the files that the process may have open.

    That number is raised as far as the system lets it.
    """
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return _MOST_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * _MOST_CONNECTIONS if hard == resource.RLIM_INFINITY else min(2 * _MOST_CONNECTIONS, hard)
    if soft < wanted:
        with suppress(ValueError, OSError):  # macOS may allow less than it reports
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return min(_MOST_CONNECTIONS, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)


def _too_large() -> RefusedRequestError:
    return RefusedRequestError(
        HEAD_TOO_LARGE,
        f"the address and headers of a request must have at most {HEAD_BYTES:,} bytes: send settings in the "
        "body",
    )


def _close_idle(connections: Collection[Connection]) -> bool:
    """Close some of those that have been idle for longest; return false if there are none."""
    idle = [connection for connection in connections if connection.idle_since is not None]
    idle.sort(key=_idle_since)
    for connection in idle[: 1 + len(idle) // _FREED]:
        connection.transport.abort()
    return bool(idle)


def _idle_since(connection: Connection) -> float:
    return connection.idle_since or 0.0
