"""Layers around all routes: access, limits of time and memory, metrics, and errors as answers."""

import asyncio
import errno
import hmac
import ipaddress
import logging
import math
import os
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http import HTTPMethod, HTTPStatus
from typing import Any
from urllib.parse import quote, urlsplit

from pydantic import TypeAdapter
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from semscale.errors import InputError, SemscaleError
from semscale.serving.background import Outcome
from semscale.serving.refusals import RefusedRequestError, invalid
from semscale.serving.requests import FIELD_NAMES, ServiceLimits
from semscale.serving.state import Phase, ServiceMetrics, ServiceState
from semscale.spelling import in_request, plain_name

JSON, LINES = "application/json", "application/x-ndjson"
"""Content types."""

OPEN = frozenset({"/health", "/ready"})
"""Paths that need no token and are answered in every phase."""

TOKEN = "SEMSCALE_TOKEN"
"""The environment variable with the token."""

CLIENT_GONE = 499
"""Status for the log and the metrics if the client closed the connection."""

_MOST_DROPPED = 64 * 1024 * 1024  # bytes that are read and dropped, so that the client receives the refusal
_NO_MODEL = frozenset({"/docs", "/openapi.json", "/metrics"})
_RETRY_AFTER = 5
# Share of the time limit that the backlog may fill, as the rate varies.
_SHARE_OF_LIMIT = 0.5
_SHORTEST_TOKEN = 16
_REQUEST_ID = re.compile(r"[\w.:-]{1,128}", re.ASCII)
_LOG = logging.getLogger("semscale.serving")
_ACCESS_LOG = logging.getLogger("semscale.serving.access")
_ANYTHING: TypeAdapter[Any] = TypeAdapter(Any)


class Answers:
    """ASGI middleware that answers, counts and logs every request; an error is an answer, too.

    Args:
        app: the next application.
        state: state of the service.
        metrics: metrics that count requests.
    """

    def __init__(self, app: ASGIApp, *, state: ServiceState, metrics: ServiceMetrics) -> None:
        self._app, self._state, self._metrics = app, state, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and answer it with the error if there is one."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = _Answer(send, _request_id(scope["headers"]), self._state)
        started = time.perf_counter()
        try:
            await self._app(scope, receive, answer.send)
        except Exception as error:
            await answer.refuse(error, scope)
        finally:
            seconds = time.perf_counter() - started
            # A path that no route has is counted as "other".
            route = getattr(scope.get("route"), "path", None) or "other"
            self._metrics.requests.labels(route, str(answer.status or CLIENT_GONE)).inc()
            self._metrics.seconds.labels(route).observe(seconds)
            _ACCESS_LOG.info(
                "%s %s %s %s %.3fs",
                answer.request_id,
                scope["method"],
                quote(scope["path"]),  # without the query, and without line feeds of a client
                answer.status or CLIENT_GONE,
                seconds,
            )


class Access:
    """ASGI middleware that refuses requests without the token, or from elsewhere if there is no token.

    Args:
        app: the next application.
        token: access token that requests must send; ``None`` to accept only requests of this machine.
    """

    def __init__(self, app: ASGIApp, *, token: str | None) -> None:
        self._app, self._token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on."""
        if scope["type"] == "http" and scope["path"] not in OPEN:
            self._check(scope["headers"])
        await self._app(scope, receive, send)

    def _check(self, headers: Iterable[tuple[bytes, bytes]]) -> None:
        if self._token is None:
            if not is_meant_for_loopback(headers):
                raise RefusedRequestError(
                    403,
                    "without a token the service accepts only requests from this machine to localhost: set "
                    f"{TOKEN} to accept others",
                )
            return
        header = next((value for name, value in headers if name == b"authorization"), b"")
        if not has_token(header, self._token):
            raise RefusedRequestError(
                401, "the token is missing or wrong: send the header Authorization: Bearer TOKEN"
            )


class Admission:
    """ASGI middleware that admits requests in the phases that answer them, within limits of time and memory.

    Args:
        app: the next application.
        state: state of the service.
        limits: limits of a request's time in seconds.
        bodies: memory of the bodies of all requests.
    """

    def __init__(
        self, app: ASGIApp, *, state: ServiceState, limits: ServiceLimits, bodies: "BodyRoom"
    ) -> None:
        self._app, self._state, self._limits, self._bodies = app, state, limits, bodies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on with its time limit and a function that reserves memory."""
        if scope["type"] != "http" or scope["path"] in OPEN:
            await self._app(scope, receive, send)
            return
        self._check_phase(scope["path"])
        self._state.under_way += 1
        try:
            with self._bodies.share() as take:
                async with asyncio.timeout(self._limits.max_seconds) as limit:
                    scope["semscale.limit"], scope["semscale.take"] = limit, take
                    await self._app(scope, receive, partial(self._send, send, limit))
        finally:
            self._state.end_request()

    async def _send(self, send: Send, limit: asyncio.Timeout, message: Message) -> None:
        """Send a part of a response; the time limit applies to each part."""
        await send(message)
        if message.get("more_body") and not limit.expired():
            limit.reschedule(asyncio.get_running_loop().time() + self._limits.max_seconds)

    def _check_phase(self, path: str) -> None:
        self._state.note_request()
        phase = self._state.phase
        if phase is Phase.DRAINING:
            raise RefusedRequestError(
                503, "the service is shutting down: try again later", retry_after=_RETRY_AFTER
            )
        if phase is not Phase.READY and path not in _NO_MODEL:
            raise RefusedRequestError(
                503, "the models are being loaded: try again later", retry_after=_RETRY_AFTER
            )


def _request_id(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """Return the request's identifier from a client or proxy, or a new one."""
    value = next((value for name, value in headers if name == b"x-request-id"), b"").decode("latin-1")
    return value if _REQUEST_ID.fullmatch(value) else secrets.token_hex(8)


class _Answer:
    """Sends a response and stores its status; during a shutdown, it closes the connection."""

    def __init__(self, send: Send, request_id: str, state: ServiceState) -> None:
        self._send = send
        self._state = state
        self._has_open_lines = False
        self.request_id = request_id
        self.status: int | None = None

    async def send(self, message: Message) -> None:
        """Send a part of the response."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self._has_open_lines = (b"content-type", LINES.encode()) in message["headers"]
            headers = [*message["headers"], (b"x-request-id", self.request_id.encode())]
            if self._state.phase is Phase.DRAINING:
                headers.append((b"connection", b"close"))
            message["headers"] = headers
        elif not message.get("more_body"):
            self._has_open_lines = False
        await self._send(message)

    async def refuse(self, error: Exception, scope: Scope) -> None:
        """Send an error; in a started stream, as its last line; in other started responses, nothing."""
        if self.status is None:
            await answer_to_error(error)(scope, _disconnect_message, self.send)
        elif self._has_open_lines:
            last = to_json(refusal_of(error).record()) + b"\n"
            await self.send({"type": "http.response.body", "body": last, "more_body": False})


async def _disconnect_message() -> Message:
    return {"type": "http.disconnect"}


class BodyRoom:
    """Memory limit for the bodies of all requests together; only the event loop's thread uses it.

    Args:
        most: greatest number of bytes of all bodies.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self.held = 0

    @contextmanager
    def share(self) -> Iterator[Callable[[int], None]]:
        """Yield a function that reserves bytes for a request's body; they are released after the block.

        The function raises ``RefusedRequestError`` if the limit is exceeded.
        """
        held = 0

        def take(n: int) -> None:
            nonlocal held
            if self.held + n > self._most:
                raise RefusedRequestError(
                    429, "the running requests are too large together: try again later", retry_after=1
                )
            self.held += n
            held += n

        try:
            yield take
        finally:
            self.held -= held


class Backlog:
    """Tokens of all requests under way, limited to those that the service can answer in time.

    Requests take turns, so all of them end late if there are too many. The rate is the number of tokens of
    answered requests per second, with weights that fall by 1 / e in ``limits.max_seconds``; a request that
    ends without an answer adds only its time. The rate of less than a full batch is low at any load, so it
    does not count. Only the event loop's thread uses it, after the models are loaded.

    Args:
        limits: limits of tokens and of a request's time.
        clock: returns the time in seconds.

    Attributes:
        tokens: estimated tokens of the requests under way.
    """

    def __init__(self, limits: ServiceLimits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits, self._clock = limits, clock
        self.tokens = 0
        self._answered = self._seconds = self._last = 0.0

    def record_rate(self, tokens: int, seconds: float) -> None:
        """Record that the service took ``seconds`` to answer requests with ``tokens``."""
        weight = math.exp(-seconds / self._limits.max_seconds)
        self._answered = weight * self._answered + tokens
        self._seconds = weight * self._seconds + seconds

    @contextmanager
    def share(self, tokens: int, *, is_accepted: bool = False) -> Iterator[None]:
        """Count a request's tokens until its end.

        Args:
            tokens: its estimated tokens.
            is_accepted: true if an earlier part of the same request was accepted, so that it is not refused.

        Raises:
            RefusedRequestError: other requests are under way, and there would be too many tokens.
        """
        if self.tokens and not is_accepted:
            self._check(self.tokens + tokens)
        if not self.tokens:
            self._last = self._clock()
        self.tokens += tokens
        answered = 0
        try:
            yield
            answered = tokens
        finally:
            now = self._clock()
            if self.tokens >= self._limits.batch_tokens:
                self.record_rate(answered, now - self._last)
            self.tokens -= tokens
            self._last = now

    def _check(self, tokens: int) -> None:
        most = float(self._limits.max_waiting)
        retry_after = 1
        if self._seconds:
            rate = self._answered / self._seconds
            most = min(most, rate * _SHARE_OF_LIMIT * self._limits.max_seconds)
            seconds = (tokens - most) / rate if rate else math.inf
            retry_after = max(1, math.ceil(min(seconds, self._limits.max_seconds)))
        if tokens > most:
            raise RefusedRequestError(
                429, "too many texts are waiting for the model: try again later", retry_after=retry_after
            )


async def read_body(request: Request, most: int) -> bytes:
    """Read the whole body of a request.

    Args:
        request: request with an unread body.
        most: greatest number of bytes.

    Raises:
        RefusedRequestError: the body is larger, or the bodies of all requests are too large together.
        ClientDisconnect: the client closed the connection.
    """
    take: Callable[[int], None] = request.scope["semscale.take"]
    body = bytearray()

    async def append(part: bytes, n: int) -> None:
        if n > most:
            message = f"the body must have at most {most:,} bytes: send it in several requests, or as a job"
            raise RefusedRequestError(413, message)
        take(len(part))
        body.extend(part)

    await read_parts(request, append)
    return bytes(body)


async def read_parts(request: Request, write: Callable[[bytes, int], Awaitable[None]]) -> None:
    """Read the body of a request part by part.

    Args:
        request: request with an unread body.
        write: called with each part and the number of bytes up to its end, or the total if the request states
            it. If it refuses a part, or the disk is full, the rest of the body is dropped.

    Raises:
        RefusedRequestError: ``write`` refused a part.
        OSError: ``write`` failed.
        ClientDisconnect: the client closed the connection.
    """
    length = request.headers.get("content-length", "0")
    declared, n, dropped = int(length) if length.isdigit() else 0, 0, 0
    failure: Exception | None = None
    async for part in request.stream():
        n += len(part)
        if failure is not None:
            dropped += len(part)
            if dropped > _MOST_DROPPED:
                break
            continue
        try:
            await write(part, max(n, declared))
        except (RefusedRequestError, OSError) as error:
            failure = error
    if failure is not None:
        raise failure


async def while_connected(request: Request, work: Coroutine[Any, Any, Outcome]) -> Outcome:
    """Await work, and cancel it if the client disconnects.

    Args:
        request: request with a body that was read.
        work: coroutine to run.

    Raises:
        ClientDisconnect: the client closed the connection.
        Exception: the work failed.
    """

    async def wait_for_disconnect() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            continue

    doing = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(wait_for_disconnect())
    try:
        await asyncio.wait((doing, gone), return_when=asyncio.FIRST_COMPLETED)
        if not doing.done():
            raise ClientDisconnect
        return doing.result()
    finally:
        gone.cancel()
        doing.cancel()


def access_token(host: str, environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the access token that requests must send; ``None`` if none is needed.

    Args:
        host: the address that the service listens on.
        environment: environment variables.

    Raises:
        InputError: other machines can reach the address, and the token is missing or too short.
    """
    token = environment.get(TOKEN, "").strip()
    if token and (len(token) < _SHORTEST_TOKEN or not token.isascii()):
        raise InputError(
            f"{TOKEN} must have at least {_SHORTEST_TOKEN} ASCII characters: choose a longer one"
        )
    if not token and not is_loopback(host):
        raise InputError(
            f"host {host} can be reached from other machines: set {TOKEN} to a secret of at least "
            f"{_SHORTEST_TOKEN} characters, or listen on 127.0.0.1"
        )
    return token or None


def has_token(authorization: bytes, token: str) -> bool:
    """Return true if a header ``Authorization`` has the token; compare in constant time.

    Examples:
        >>> has_token(b"Bearer s3cret", "s3cret"), has_token(b"", "s3cret")
        (True, False)
    """
    scheme, _, shown = authorization.partition(b" ")
    return hmac.compare_digest(shown.strip(), token.encode()) and scheme.lower() == b"bearer"


def is_loopback(host: str) -> bool:
    """Return true for an address that only this machine can reach.

    Examples:
        >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost"), is_loopback("0.0.0.0")
        (True, True, True, False)
    """
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def is_meant_for_loopback(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Return true if a request addresses this machine and does not come from a page of another server.

    Without this check, a web page could make its visitor's browser call a service that has no token: through
    a domain name that resolves to 127.0.0.1, or through a form. A page of another server on this machine is
    no better, so its port must be the service's.

    Examples:
        >>> is_meant_for_loopback([(b"host", b"localhost:8000"), (b"origin", b"http://localhost:8000")])
        True
        >>> is_meant_for_loopback([(b"host", b"localhost:8000"), (b"origin", b"http://localhost:3000")])
        False
    """
    stated = [(name, value.decode("latin-1").lower()) for name, value in headers]
    hosts = [value for name, value in stated if name == b"host"]
    try:
        are_here = all(is_loopback(urlsplit(f"//{host}").hostname or "") for host in hosts)
    except ValueError:  # an address that is none
        return False
    pages = {f"{scheme}://{host}" for scheme in ("http", "https") for host in hosts}
    return are_here and all(value in pages for name, value in stated if name == b"origin")


def answer_to_error(error: Exception) -> Response:
    """Return the response to a request that failed."""
    if isinstance(error, ClientDisconnect):
        return Response(status_code=CLIENT_GONE)  # no client reads it, but metrics count it
    refusal = refusal_of(error)
    return json_answer(refusal.record(), refusal.status, refusal.headers)


async def answer_to_unknown_route(request: Request, error: HTTPException) -> Response:
    """Return the response to a request for an unknown path or method."""
    # The request's URL is not used, as it needs a valid header Host.
    route = f"{request.method} {request.scope['path'][:60]}"
    refusal = RefusedRequestError(error.status_code, f"{route}: {error.detail}; see /openapi.json")
    headers = {}
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = ", ".join(sorted(_methods(request)))
    return json_answer(refusal.record(), refusal.status, headers)


def _methods(request: Request) -> Iterator[str]:
    """Yield the methods of all routes with a request's path."""
    for method in HTTPMethod:
        scope = {**request.scope, "method": str(method)}
        if any(route.matches(scope)[0] is Match.FULL for route in request.app.routes):
            yield str(method)


def refusal_of(error: Exception) -> RefusedRequestError:
    """Convert an error to a refusal; log an unexpected error with its traceback."""
    match error:
        case RefusedRequestError():
            refusal = error
        case TimeoutError():
            message = "no answer within the time limit: send fewer texts"
            refusal = RefusedRequestError(504, message, retry_after=_RETRY_AFTER)
        case InputError(parameter=parameter):
            field = plain_name(parameter or "").partition("[")[0]
            refusal = invalid(error.spelled(in_request), field if field in FIELD_NAMES else None)
        case SemscaleError():
            refusal = RefusedRequestError(500, error.spelled(in_request))
        case OSError(errno=errno.ENOSPC | errno.EDQUOT):
            refusal = RefusedRequestError(507, "the disk of the service is full: free some space")
        case _:
            _LOG.error("a bug of ours: please report it", exc_info=error)
            refusal = RefusedRequestError(500, f"this is a bug of ours: {type(error).__name__}")
    return refusal


def json_answer(content: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a response with JSON content."""
    return Response(to_json(content), status, dict(headers or {}), media_type=JSON)


def to_json(content: object) -> bytes:
    """Encode content as compact JSON in UTF-8.

    Examples:
        >>> to_json({"mean": None, "n": 2})
        b'{"mean":null,"n":2}'
    """
    return _ANYTHING.dump_json(content)
