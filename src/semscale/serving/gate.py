"""The gate before every request: the token, readiness, the limit of time, and errors as answers."""

import asyncio
import time
from collections.abc import Awaitable, Callable, MutableMapping
from functools import partial
from typing import Any

from semscale.serving.access import is_admitted, is_meant_for_loopback
from semscale.serving.error_answers import refusal_of, refused
from semscale.serving.json_answers import LINES, to_json
from semscale.serving.limits import ServiceLimits
from semscale.serving.refusals import FORBIDDEN, UNAUTHORIZED, UNAVAILABLE, RefusedRequestError
from semscale.serving.requests.body_room import BODIES, BodyRoom
from semscale.serving.service_metrics import ServiceMetrics
from semscale.serving.service_state import Phase, ServiceState

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

OPEN = frozenset({"/health", "/ready"})
"""Paths that need no token and are answered in every phase."""

_NO_MODEL = frozenset({"/docs", "/openapi.json", "/metrics"})
_RETRY_AFTER = 5


class Gate:
    """Lets requests through to the application; an ASGI application itself.

    Args:
        application: answers.
        state: of the service.
        limits: the seconds of a request, and the bytes of its body.
        metrics: counts requests.
        token: what requests must show; ``None`` for nothing, where only this machine asks.
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
            await self._answered(scope, receive, answer)
        except Exception as error:  # noqa: BLE001 - every error is an answer
            await answer.refuse(refusal_of(error), scope)
        finally:
            self._metrics.answered(scope, answer.status, time.perf_counter() - started)

    async def _answered(self, scope: Scope, receive: Receive, answer: "_Answer") -> None:
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
            self._state.answered()

    async def _send(
        self, answer: "_Answer", limit: asyncio.Timeout, message: MutableMapping[str, Any]
    ) -> None:
        """Send a part of an answer; a long one may take longer in all, as each part keeps to the limit."""
        await answer.send(message)
        if message.get("more_body") and not limit.expired():
            limit.reschedule(asyncio.get_running_loop().time() + self._limits.seconds)

    def _check(self, scope: Scope) -> None:
        """Refuse a request of somebody else, or one that comes when the service does not answer."""
        path = scope["path"]
        if path in OPEN:
            return
        self._check_sender(scope)
        self._state.heard()
        phase = self._state.phase
        if phase is Phase.DRAINING:
            raise RefusedRequestError(
                UNAVAILABLE, "the service is shutting down: try again later", retry_after=_RETRY_AFTER
            )
        if phase is not Phase.READY and path not in _NO_MODEL:
            raise RefusedRequestError(
                UNAVAILABLE, "the models are being loaded: try again later", retry_after=_RETRY_AFTER
            )

    def _check_sender(self, scope: Scope) -> None:
        """Refuse a request that shows no token, or where none is needed that is not this machine's own."""
        if self._token is None:
            if not is_meant_for_loopback(scope["headers"]):
                said = "without a token the service answers this machine alone, by the name localhost"
                raise RefusedRequestError(
                    FORBIDDEN, f"{said}: start it with SEMSCALE_TOKEN to be asked otherwise"
                )
            return
        shown = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
        if not is_admitted(shown, self._token):
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
            await refused(refusal)(scope, _nothing, self.send)
        elif self._has_open_lines:
            last = to_json(refusal.record()) + b"\n"
            await self.send({"type": "http.response.body", "body": last, "more_body": False})


async def _nothing() -> MutableMapping[str, Any]:
    return {"type": "http.disconnect"}
