"""Access to the workbench: one browser of this machine, and no page of another server.

The address that ``semscale open`` prints has a token of 192 bits, which the first request exchanges for a
cookie. Every later request must have the cookie. The header ``Host`` must name this machine, because a web
page could otherwise reach the workbench by a domain name that resolves to 127.0.0.1. A request that changes
something must come from a page of the workbench, as the browser states.
"""

import hmac
import secrets
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from markupsafe import escape
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

STATIC = "/static/"
"""Path of the style sheet and the scripts, which hold nothing of the user's."""

_TOKEN_BYTES = 24
_READING = frozenset({"GET", "HEAD"})
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
        "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    # With "no-referrer", browsers would hide the origin of forms as well.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def new_token() -> str:
    """Return a random token of 192 bits."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def cookie_name(port: int) -> str:
    """Return the name of the cookie; cookies do not know ports, and several workbenches may run."""
    return f"semscale-{port}"


class BrowserAccess:
    """ASGI middleware that answers only the browser that has the token, and only its own pages' changes.

    Args:
        app: the next application.
        token: the token of the address.
        port: the port of the workbench.
    """

    def __init__(self, app: ASGIApp, *, token: str, port: int) -> None:
        self._app, self._token, self._port = app, token, port
        self._hosts = frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, exchange its token for the cookie, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_HEADERS)
                if not scope["path"].startswith(STATIC):
                    headers["Cache-Control"] = "no-store"
            await send(message)

        answer = self._answer(scope)
        await (self._app if answer is None else answer)(scope, receive, send_protected)

    def _answer(self, scope: Scope) -> Response | None:
        """Return the answer to a request that is not passed on."""
        headers = Headers(scope=scope)
        if headers.get("host", "").lower() not in self._hosts:
            return _refusal("This address is not the workbench's.")
        if scope["path"].startswith(STATIC) and scope["method"] in _READING:
            return None
        if scope["method"] in _READING:
            shown = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
            if shown and self._is_token(shown):
                return self._exchange()
        if not self._is_token(self._cookie(headers)):
            return _refusal("Open the address that semscale open printed in the terminal.")
        if scope["method"] not in _READING and not _is_from_own_page(headers):
            return _refusal("The request does not come from a page of the workbench.")
        return None

    def _is_token(self, shown: str) -> bool:
        return hmac.compare_digest(shown.encode(), self._token.encode())

    def _cookie(self, headers: Headers) -> str:
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return ""
        morsel = cookies.get(cookie_name(self._port))
        return "" if morsel is None else morsel.value

    def _exchange(self) -> Response:
        """Set the cookie, and let the browser open the workbench without the token in its address.

        A redirect would not do: where another page led here, browsers withhold a strict cookie from it.
        """
        answer = HTMLResponse(
            '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Semscale</title>'
            '<link rel="icon" href="data:,"><meta http-equiv="refresh" content="0;url=/"></head>'
            '<body><p><a href="/">Open the workbench</a></p></body></html>'
        )
        answer.set_cookie(cookie_name(self._port), self._token, httponly=True, samesite="strict", path="/")
        return answer


def _is_from_own_page(headers: Headers) -> bool:
    """Return true if the browser states that the request comes from a page of the same server."""
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    if origin is not None and origin.lower() != f"http://{headers['host'].lower()}":
        return False
    return site == "same-origin" if site is not None else origin is not None


def _refusal(reason: str) -> Response:
    page = (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Semscale</title></head>'
        f"<body><main><h1>Not opened</h1><p>{escape(reason)}</p></main></body></html>"
    )
    return HTMLResponse(page, 403)
