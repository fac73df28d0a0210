"""The gate before every request: access, readiness, the limit of time, and errors as answers."""

import asyncio
import errno
import hmac
import ipaddress
import logging
import os
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from pydantic import TypeAdapter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from semscale.errors import InputError, SemscaleError
from semscale.serving.models import ServiceMetrics
from semscale.serving.requests import (
    BAD_JSON,
    BODIES,
    CLIENT_GONE,
    DISK_FULL,
    FAILED,
    FIELD_NAMES,
    FORBIDDEN,
    TOO_DEEP,
    TOO_LATE,
    UNAUTHORIZED,
    UNAVAILABLE,
    BodyRoom,
    ClientGoneError,
    RefusedRequestError,
    ServiceLimits,
    as_field_names,
    invalid,
)
from semscale.serving.service import Phase, ServiceState

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

JSON, LINES = "application/json", "application/x-ndjson"
"""Types of content."""

OPEN = frozenset({"/health", "/ready"})
"""Paths that need no token and are answered in every phase."""

TOKEN = "SEMSCALE_TOKEN"  # noqa: S105 - the variable's name
"""The environment variable with the token."""

_NO_MODEL = frozenset({"/docs", "/openapi.json", "/metrics"})
_RETRY_AFTER = 5
_SHORTEST_TOKEN = 16
_LOG = logging.getLogger("semscale.serving")
_ANYTHING: TypeAdapter[Any] = TypeAdapter(Any)


class Gate:
    """Lets requests through to the application; an ASGI application itself.

    Args:
        application: answers.
        state: of the service.
        limits: the seconds of a request, and the bytes of its body.
        metrics: counts requests.
        token: required of requests; ``None`` for nothing, where only this machine asks.
    """

    def __init__(
        self,
        application: Application,
        *,
        state: ServiceState,
        limits: ServiceLimits,
        metrics: ServiceMetrics,
        token: str | None,
    ) -> None:
        self._application = application
        self._state = state
        self._limits = limits
        self._metrics = metrics
        self._token = token
        self._bodies = BodyRoom(BODIES * limits.body_bytes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or let the application answer."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        answer = _Answer(send, closes=lambda: self._state.phase is Phase.DRAINING)
        started = time.perf_counter()
        try:
            self._check(scope)
            await self._answer(scope, receive, answer)
        except Exception as error:  # noqa: BLE001 - every error is an answer
            await answer.refuse(refusal_of(error), scope)
        finally:
            self._metrics.count_answer(scope, answer.status, time.perf_counter() - started)

    async def _answer(self, scope: Scope, receive: Receive, answer: "_Answer") -> None:
        if scope["path"] in OPEN:
            await self._application(scope, receive, answer.send)
            return
        self._state.under_way += 1
        try:
            with self._bodies.share() as share:
                async with asyncio.timeout(self._limits.seconds) as limit:
                    scope["semscale.limit"], scope["semscale.body"] = limit, share
                    await self._application(scope, receive, partial(self._send, answer, limit))
        finally:
            self._state.end_request()

    async def _send(
        self, answer: "_Answer", limit: asyncio.Timeout, message: MutableMapping[str, Any]
    ) -> None:
        """Send a part of an answer; a long one may take longer in all, as the limit holds for each part."""
        await answer.send(message)
        if message.get("more_body") and not limit.expired():
            limit.reschedule(asyncio.get_running_loop().time() + self._limits.seconds)

    def _check(self, scope: Scope) -> None:
        """Refuse a request without access, or one that comes when the service does not answer."""
        path = scope["path"]
        if path in OPEN:
            return
        self._check_access(scope)
        self._state.note_request()
        phase = self._state.phase
        if phase is Phase.DRAINING:
            raise RefusedRequestError(
                UNAVAILABLE, "the service is shutting down: try again later", retry_after=_RETRY_AFTER
            )
        if phase is not Phase.READY and path not in _NO_MODEL:
            raise RefusedRequestError(
                UNAVAILABLE, "the models are being loaded: try again later", retry_after=_RETRY_AFTER
            )

    def _check_access(self, scope: Scope) -> None:
        """Refuse a request without the token, or without any, one that is not of this machine."""
        if self._token is None:
            if not is_meant_for_loopback(scope["headers"]):
                raise RefusedRequestError(
                    FORBIDDEN,
                    "without a token the service answers this machine alone, by the name localhost: start it "
                    f"with {TOKEN} to be asked otherwise",
                )
            return
        header = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
        if not has_token(header, self._token):
            raise RefusedRequestError(
                UNAUTHORIZED, "the token is missing or wrong: send the header Authorization: Bearer TOKEN"
            )


class _Answer:
    """Sends an answer and remembers its status; while the service drains, it closes the connection."""

    def __init__(self, send: Send, closes: Callable[[], bool]) -> None:
        self._send = send
        self._closes = closes
        self._has_open_lines = False
        self.status: int | None = None

    async def send(self, message: MutableMapping[str, Any]) -> None:
        """Send a part of the answer."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self._has_open_lines = (b"content-type", LINES.encode()) in message["headers"]
            if self._closes():
                message["headers"] = [*message["headers"], (b"connection", b"close")]
        elif not message.get("more_body"):
            self._has_open_lines = False
        await self._send(message)

    async def refuse(self, refusal: RefusedRequestError, scope: Scope) -> None:
        """Answer with a refusal: as the last line where lines have begun, and not within any other answer."""
        if self.status is None:
            await refuse(refusal)(scope, _disconnected, self.send)
        elif self._has_open_lines:
            last = to_json(refusal.record()) + b"\n"
            await self.send({"type": "http.response.body", "body": last, "more_body": False})


async def _disconnected() -> MutableMapping[str, Any]:
    return {"type": "http.disconnect"}


def access_token(host: str, environment: Mapping[str, str] = os.environ) -> str | None:
    """Read the token that is required of requests; ``None`` where none is needed.

    Args:
        host: the address that the service listens on.
        environment: the variables.

    Raises:
        InputError: the address can be reached from other machines, and there is no token, or a short one.
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
    """Return true if a header ``Authorization`` has the token; the comparison takes the same time for any.

    Example:
        >>> has_token(b"Bearer s3cret", "s3cret"), has_token(b"", "s3cret")
        (True, False)
    """
    scheme, _, shown = authorization.partition(b" ")
    return hmac.compare_digest(shown.strip(), token.encode()) and scheme.lower() == b"bearer"


def is_loopback(host: str) -> bool:
    """Return true for an address that is reached from this machine alone.

    Example:
        >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost"), is_loopback("0.0.0.0")
        (True, True, True, False)
    """
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def is_meant_for_loopback(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Return true for a request that names this machine alone, and comes from no page of another site.

    Without a token, a page on the web could else have its visitor's browser ask the service: by a name of its
    own that it lets point to 127.0.0.1, or by a form.

    Example:
        >>> is_meant_for_loopback([(b"host", b"localhost:8000")])
        True
        >>> is_meant_for_loopback([(b"host", b"localhost:8000"), (b"origin", b"https://example.org")])
        False
    """
    forms = {b"host": b"//%b", b"origin": b"%b"}
    try:
        hosts = [
            urlsplit((forms[name] % value).decode("latin-1")).hostname
            for name, value in headers
            if name in forms
        ]
    except ValueError:  # an address that is none
        return False
    return all(is_loopback(host or "") for host in hosts)


async def answer_to_error(request: Request, error: Exception) -> Response:
    """Answer to a request that failed."""
    if isinstance(error, ClientGoneError):
        return Response(status_code=CLIENT_GONE)  # no client reads it, but metrics count it
    if isinstance(error, HTTPException):
        # Not the request's URL, which needs a sound header Host.
        route = f"{request.method} {request.scope['path'][:60]}"
        error = RefusedRequestError(error.status_code, f"{route}: {error.detail}; see /openapi.json")
    return refuse(refusal_of(error))


def refuse(refusal: RefusedRequestError) -> Response:
    """Make the answer of a refusal."""
    return json_answer(refusal.record(), refusal.status, refusal.headers)


def refusal_of(error: Exception) -> RefusedRequestError:
    """Make a refusal of an error; an unexpected one is logged with its traceback."""
    match error:
        case RefusedRequestError():
            refusal = error
        case TimeoutError():
            message = "no answer within the limit of time: send fewer texts"
            refusal = RefusedRequestError(TOO_LATE, message, retry_after=_RETRY_AFTER)
        case InputError():
            message = as_field_names(str(error))
            refusal = invalid(message, _field_of(message))
        case RecursionError():  # of a check, or of a message that shows the value
            refusal = RefusedRequestError(BAD_JSON, f"the body {TOO_DEEP}")
        case SemscaleError():
            refusal = RefusedRequestError(FAILED, as_field_names(str(error)))
        case OSError(errno=errno.ENOSPC | errno.EDQUOT):
            refusal = RefusedRequestError(DISK_FULL, "the disk of the service is full: make room on it")
        case _:
            _LOG.error("a bug of ours: please report it", exc_info=error)
            refusal = RefusedRequestError(FAILED, f"this is a bug of ours: {type(error).__name__}")
    return refusal


def _field_of(message: str) -> str | None:
    """Find the field that a message begins with."""
    first = message.partition(" ")[0].rstrip(":,").split("[")[0]
    return first if first in FIELD_NAMES else None


def json_answer(content: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Make an answer of any content that JSON can hold."""
    return Response(to_json(content), status, dict(headers or {}), media_type=JSON)


def to_json(content: object) -> bytes:
    """Write content that JSON can hold.

    Example:
        >>> to_json({"mean": None, "n": 2})
        b'{"mean":null,"n":2}'
    """
    return _ANYTHING.dump_json(content)
