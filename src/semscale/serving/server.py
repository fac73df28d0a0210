"""The server: its socket, its connections, and a shutdown that answers all accepted requests."""

import asyncio
import math
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

import uvicorn
from starlette.types import ASGIApp

from semscale.errors import InputError

if TYPE_CHECKING:
    from semscale.serving.service import Service

HEAD_BYTES = 64 * 1024
"""Greatest size of a request's URL and headers, in bytes."""

CONNECTIONS = 900
"""Greatest number of connections; further ones get 503. A process can usually have 1,024 open files."""

HEAD_SECONDS = 10.0
"""Longest time in which a client may send a request's URL and headers, as in the example ``nginx.conf``."""

_IDLE_SECONDS = 75
_CROWDED = 0.9  # share of the connections from which those without a request are closed after ...
_CROWDED_SECONDS = 1.0
_STOPPED = 3  # exit code after a second signal, as of other commands that the user stops
_BACKLOG = 2048
_LAST_PORT = 65535
_LONGEST_READING = 3600


def listen(host: str, port: int) -> socket.socket:
    """Open the socket that a server listens on.

    Args:
        host: an address or a name of this machine.
        port: port number; 0 for any free port.

    Raises:
        InputError: the address is not this machine's, or the port is taken.
    """
    if not 0 <= port <= _LAST_PORT:
        raise InputError("port", f"must be 0 to {_LAST_PORT}, got {port}")
    try:
        family = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)[0][0]
        # With an explicit protocol, asyncio sends each response at once. Otherwise its end waits 40 ms until
        # the client confirms the beginning.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    except OSError as error:
        raise InputError("host", f"must be an address of this machine, got {host!r}: {error}") from None
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host.strip("[]"), port))
    except OSError as error:
        listener.close()
        raise InputError(
            "port", f": {port} on {host} cannot be used ({error.strerror or error}); name another one"
        ) from None
    listener.listen(_BACKLOG)
    return listener


def run_service(
    app: ASGIApp, service: "Service", listener: socket.socket, report: Callable[[str], None]
) -> None:
    """Run the server until a signal arrives and all accepted requests are answered.

    Args:
        app: the ASGI application.
        service: state of the service.
        listener: listening socket.
        report: called with a line of text for each event.

    Raises:
        SemscaleError: the models cannot be loaded.
    """
    config = server_config(
        app,
        h11_max_incomplete_event_size=HEAD_BYTES,
        limit_concurrency=CONNECTIONS,
        timeout_keep_alive=_IDLE_SECONDS,
        # A client that does not read an answer is cut off at the end.
        timeout_graceful_shutdown=math.ceil(min(service.limits.max_seconds, _LONGEST_READING)),
    )
    server = DrainingServer(config, service, report)
    with listener:
        asyncio.run(server.serve(sockets=[listener]))
    if service.state.error is not None:
        raise service.state.error
    if not service.has_ended:
        os._exit(0)  # Python would tear the engine down under a thread that still loads a model


def server_config(app: ASGIApp, **limits: int) -> uvicorn.Config:
    """Return the configuration of a server of Semscale: HTTP only, without log lines and headers of uvicorn.

    Args:
        app: the ASGI application.
        limits: sizes and times, by uvicorn's names.
    """
    return uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=_BACKLOG,
        **limits,
    )


@contextmanager
def handle_signals(handle: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Handle SIGINT and SIGTERM within a block; uvicorn would raise a signal again after it has ended.

    Args:
        handle: called with the signal and the frame that it interrupts.
    """
    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class DrainingServer(uvicorn.Server):  # type: ignore[misc] # uvicorn is checked alike with and without the extra
    """Server that refuses new requests after the first signal, and ends when accepted ones are answered.

    Args:
        config: configuration of uvicorn.
        service: state and jobs of the service.
        report: called with a line of text for each event.
    """

    def __init__(self, config: uvicorn.Config, service: "Service", report: Callable[[str], None]) -> None:
        super().__init__(config)
        self._service = service
        self._report = report
        self._is_reported_ready = False
        self._without_request: dict[tuple[Any, Any, bool], float] = {}

    def capture_signals(self) -> AbstractContextManager[None]:
        """Handle SIGINT and SIGTERM while the server runs."""
        return handle_signals(self._handle)

    async def on_tick(self, counter: int) -> bool:
        """Return true if the server must end; called ten times per second."""
        await super().on_tick(counter)
        self._close_half_open()
        state = self._service.state
        if state.is_ready and not self._is_reported_ready:
            self._is_reported_ready = True
            self._report("ready")
        if state.is_draining:
            self._service.stop_jobs()
        return state.is_drained or state.has_failed

    def _close_half_open(self) -> None:
        """Close connections that have been open for too long without a complete URL and headers.

        They would keep others out. uvicorn limits the time of connections between two requests, but neither
        before the first one nor after a part of the next. If almost all connections are in use, those between
        two requests are closed early, too.
        """
        now, connections = time.monotonic(), self.server_state.connections
        # The time begins again with each answer, as a request gets a new cycle, and with the first bytes
        # after it, as these end uvicorn's own limit.
        idle = {
            (connection, connection.cycle, connection.timeout_keep_alive_task is None): connection
            for connection in connections
            if connection.cycle is None or connection.cycle.response_complete
        }
        self._without_request = {key: self._without_request.get(key, now) for key in idle}
        is_crowded = len(connections) > _CROWDED * CONNECTIONS
        for key, since in self._without_request.items():
            *_, has_begun = key
            longest = HEAD_SECONDS if has_begun else math.inf
            if now - since > (_CROWDED_SECONDS if is_crowded else longest):
                idle[key].transport.abort()

    def _handle(self, number: int, frame: FrameType | None) -> None:
        state = self._service.state
        if state.is_draining:
            os.write(2, b"semscale: stopped at once; requests under way have no answer\n")
            os._exit(_STOPPED)
        state.drain()
        n = state.under_way
        os.write(
            2,
            f"semscale: finishing {n} request{'' if n == 1 else 's'} under way; "
            "a second signal stops at once\n".encode(),
        )
