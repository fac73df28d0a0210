"""Access to the workbench: one browser of this machine, and no page of another server.

The address that ``semscale open`` prints has a token of 192 bits, which the first request exchanges for a
cookie. Every later request must have the cookie. The header ``Host`` must name this machine, because a web
page could otherwise reach the workbench by a domain name that resolves to 127.0.0.1. A request that changes
something must come from a page of the workbench, as the browser states. ``team.py`` has the access of several
people.
"""

import hmac
import secrets
from http.cookies import CookieError, SimpleCookie
from typing import Protocol
from urllib.parse import parse_qs

from markupsafe import escape
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

STATIC = "/static/"
"""Path of the style sheet and the scripts, which hold nothing of the user's."""

HOST = "127.0.0.1"
"""Address that only this machine reaches."""

_TOKEN_BYTES = 24
READING = frozenset({"GET", "HEAD"})
"""Methods of requests that change nothing."""

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


class AccessRule(Protocol):
    """Decides who may use the workbench.

    Attributes:
        address: the address that opens it.
    """

    address: str

    def answer(self, scope: Scope) -> Response | None:
        """Return the answer to a request that is not passed on; ``None`` for one that is."""


class Access:
    """ASGI middleware that passes on the requests that a rule allows, and protects every answer.

    Args:
        app: the next application.
        rule: who may use the workbench.
    """

    def __init__(self, app: ASGIApp, *, rule: AccessRule) -> None:
        self._app, self._rule = app, rule

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request by the rule, or pass it on."""
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

        answer = self._rule.answer(scope)
        await (self._app if answer is None else answer)(scope, receive, send_protected)


class TokenAccess:
    """One browser of this machine: it has the token, which it exchanges for a cookie.

    Args:
        token: the token of the address.
        port: the port of the workbench.
        entry: page that the address opens.

    Attributes:
        address: the address that opens the workbench.
    """

    def __init__(self, token: str, port: int, entry: str = "/data") -> None:
        self._token, self._port, self._entry = token, port, entry
        self._hosts = frozenset(f"{name}:{port}" for name in (HOST, "localhost", "[::1]"))
        self.address = f"http://{HOST}:{port}/?token={token}"

    def answer(self, scope: Scope) -> Response | None:
        """Refuse a request, exchange its token for the cookie, or pass it on."""
        headers = Headers(scope=scope)
        if headers.get("host", "").lower() not in self._hosts:
            return refusal("This address is not the workbench's.")
        if scope["path"].startswith(STATIC) and scope["method"] in READING:
            return None
        if scope["method"] in READING:
            shown = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
            if shown and self._is_token(shown):
                return self._exchange()
        if not self._is_token(self._cookie(headers)):
            return refusal("Open the address that semscale open printed in the terminal.")
        if scope["method"] not in READING and not is_from_page_of(f"http://{headers['host']}", headers):
            return refusal("The request does not come from a page of the workbench.")
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
        """Set the cookie, and let the browser open the workbench without the token in its address."""
        answer = forwarding_page(self._entry)
        answer.set_cookie(cookie_name(self._port), self._token, httponly=True, samesite="strict", path="/")
        return answer


def forwarding_page(address: str) -> Response:
    """Return a page from which the browser goes on to an address by itself.

    A redirect would not do: where another page led here, browsers withhold a strict cookie from it, and they
    follow no redirect of a form to another port.
    """
    shown = escape(address)
    return HTMLResponse(
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Semscale</title>'
        f'<link rel="icon" href="data:,"><meta http-equiv="refresh" content="0;url={shown}"></head>'
        f'<body><p><a href="{shown}">Open the workbench</a></p></body></html>'
    )


def is_from_page_of(own: str, headers: Headers) -> bool:
    """Return true if the browser states that a request comes from a page of the same server.

    Args:
        own: origin of the workbench's pages.
        headers: headers of the request.
    """
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    if origin is not None and origin.lower() != own.lower():
        return False
    return site == "same-origin" if site is not None else origin is not None


def refusal(reason: str, back: str = "") -> Response:
    """Return the page that states why nothing is shown or changed.

    Args:
        reason: the reason, which pages with scripts show as they show those of their own.
        back: page to which it links; empty for none.
    """
    link = f'<p><a href="{escape(back)}">Back</a></p>' if back else ""
    page = (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Semscale</title>'
        f'<link rel="icon" href="data:,"><link rel="stylesheet" href="{STATIC}workbench.css"></head>'
        f'<body><main><h1>Not opened</h1><div id="message" role="alert"><p><b>Not done</b> '
        f"<bdi>{escape(reason)}</bdi></p></div>{link}</main></body></html>"
    )
    return HTMLResponse(page, 403)
