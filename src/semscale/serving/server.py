"""The server: listens, and at a signal finishes what it has accepted before it ends."""

import asyncio
import math
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType

import uvicorn

from semscale.errors import InputError
from semscale.serving.connections import IDLE_SECONDS, Connection, close_late, most_connections
from semscale.serving.gate import Gate
from semscale.serving.service import Service
from semscale.serving.service_state import Phase

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
        # Told that it is TCP, asyncio sends each answer at once; else its end waits 40 ms for the client's
        # word that the beginning has come.
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


def run_service(gate: Gate, service: Service, listener: socket.socket, say: Callable[[str], None]) -> None:
    """Answer requests until a signal comes, and all that were accepted have their answers.

    Args:
        gate: the application.
        service: its state.
        listener: what to listen on.
        say: told what happens, in one line each.

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
        # Who does not read an answer is waited for as long as who does not send a request.
        timeout_graceful_shutdown=math.ceil(min(service.limits.seconds, _LONGEST_READING)),
        backlog=_BACKLOG,
    )
    server = DrainingServer(config, service, say)
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
        service: what is served.
        say: told what happens.
    """

    def __init__(self, config: uvicorn.Config, service: Service, say: Callable[[str], None]) -> None:
        super().__init__(config)
        self._service = service
        self._say = say
        self._said_ready = False

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Heed SIGINT and SIGTERM while the server runs."""
        heeded = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, self._heed) for number in heeded}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    async def on_tick(self, counter: int) -> bool:
        """Close late connections, and say whether the server ends; called ten times a second."""
        await super().on_tick(counter)
        if counter % _TICKS == 0:
            close_late(self.server_state.connections, time.monotonic())
        state = self._service.state
        if state.phase is Phase.READY and not self._said_ready:
            self._said_ready = True
            self._say("ready")
        if state.phase is Phase.DRAINING:
            self._service.stop_jobs()
        return state.is_drained or state.phase is Phase.FAILED

    def _heed(self, number: int, frame: FrameType | None) -> None:
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
