"""Connections: what a client may send, hold up or leave unread while the gate sees no request of it."""

import time
from collections.abc import Collection
from contextlib import suppress
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from semscale.serving.json_answers import JSON, to_json
from semscale.serving.refusals import BAD_JSON, HEAD_TOO_LARGE, RefusedRequestError

HEAD_BYTES = 64 * 1024
"""Bytes of a request's head: its address and its headers."""

QUEUED = 100
"""Requests that may wait behind another one on the same connection."""

IDLE_SECONDS = 75.0
"""Seconds in which a client sends the head of a request, or reads some of an answer."""

UNSENT_BYTES = 256 * 1024 * 1024
"""Bytes of all answers together that clients have not read yet."""

_MOST = 32_768
_FREED = 10  # of the idle connections one in so many is closed where there are too many


class Connection(HttpToolsProtocol):  # type: ignore[misc] # uvicorn is checked alike with and without the extra
    """A connection to a client, as uvicorn keeps it, with limits.

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
        """Take a client, if there is room or some can be made."""
        is_full = len(self.connections) >= self._most and not _close_idle(self.connections)
        super().connection_made(transport)
        self.idle_since = time.monotonic()
        if is_full:
            transport.abort()

    def data_received(self, data: bytes) -> None:
        """Read what came; a head without an end is refused."""
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
        """Keep a header; those that follow a body belong to no request."""
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
        """Take a part of a body."""
        self._has_read = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Take the end of a request."""
        self._has_read = True
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Begin the next request; if there is none, the time for its head begins."""
        super().on_response_complete()
        if self.cycle.response_complete:
            self.idle_since = time.monotonic()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no request, in the form of all errors."""
        self._refuse(RefusedRequestError(BAD_JSON, f"{msg} Send HTTP/1.1."))

    def close_if_late(self, now: float) -> None:
        """Close the connection if its client neither sends a request nor reads an answer.

        Args:
            now: as ``time.monotonic`` says.
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
        """Answer, and close; while another answer is under way there is no place for this one."""
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
        now: as ``time.monotonic`` says.
    """
    for each in list(connections):
        each.close_if_late(now)
    unread = [each for each in connections if each.idle_since is not None and each.unsent]
    unread.sort(key=_idle_since)
    total = sum(each.unsent for each in unread)
    for each in unread:
        if total <= UNSENT_BYTES:
            return
        each.transport.abort()
        total -= each.unsent


def most_connections() -> int:
    """Say how many connections there may be: half of the files that the process may have open.

    That number is raised as far as the system lets it.
    """
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return _MOST
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * _MOST if hard == resource.RLIM_INFINITY else min(2 * _MOST, hard)
    if soft < wanted:
        with suppress(ValueError, OSError):  # macOS may allow less than it says
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return min(_MOST, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)


def _too_large() -> RefusedRequestError:
    said = f"the address and headers of a request must have at most {HEAD_BYTES:,} bytes"
    return RefusedRequestError(HEAD_TOO_LARGE, f"{said}: send settings in the body")


def _close_idle(connections: Collection[Connection]) -> bool:
    """Close some of those that have been idle for longest, and say whether there are any."""
    idle = [each for each in connections if each.idle_since is not None]
    idle.sort(key=_idle_since)
    for each in idle[: 1 + len(idle) // _FREED]:
        each.transport.abort()
    return bool(idle)


def _idle_since(connection: Connection) -> float:
    return connection.idle_since or 0.0
