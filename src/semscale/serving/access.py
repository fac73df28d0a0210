"""Who may use the service: anybody on this machine, or whoever knows the token."""

import hmac
import ipaddress
import os
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from semscale.errors import InputError

TOKEN = "SEMSCALE_TOKEN"  # noqa: S105 - the variable's name
"""The environment variable with the token."""

_SHORTEST = 16


def is_loopback(host: str) -> bool:
    """Tell whether an address is reached from this machine alone.

    Example:
        >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost"), is_loopback("0.0.0.0")
        (True, True, True, False)
    """
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def access_token(host: str, environment: Mapping[str, str] = os.environ) -> str | None:
    """Read the token that requests must show; ``None`` where none is needed.

    Args:
        host: the address that the service listens on.
        environment: the variables.

    Raises:
        InputError: the address can be reached from other machines, and there is no token, or a short one.
    """
    token = environment.get(TOKEN, "").strip()
    if token and (len(token) < _SHORTEST or not token.isascii()):
        raise InputError(f"{TOKEN} must have at least {_SHORTEST} ASCII characters: choose a longer one")
    if not token and not is_loopback(host):
        raise InputError(
            f"host {host} can be reached from other machines: set {TOKEN} to a secret of at least "
            f"{_SHORTEST} characters, or listen on 127.0.0.1"
        )
    return token or None


def is_admitted(authorization: bytes, token: str) -> bool:
    """Tell whether a header ``Authorization`` has the token; the comparison takes the same time for any.

    Example:
        >>> is_admitted(b"Bearer s3cret", "s3cret"), is_admitted(b"", "s3cret")
        (True, False)
    """
    scheme, _, shown = authorization.partition(b" ")
    return hmac.compare_digest(shown.strip(), token.encode()) and scheme.lower() == b"bearer"


def is_meant_for_loopback(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Tell whether a request names this machine alone, and comes from no page of another site.

    Without a token, a page on the web could else have its visitor's browser ask the service: by a name of its
    own that it lets point to 127.0.0.1, or by a form.

    Example:
        >>> is_meant_for_loopback([(b"host", b"localhost:8000")])
        True
        >>> is_meant_for_loopback([(b"host", b"localhost:8000"), (b"origin", b"https://example.org")])
        False
    """
    places = {b"host": b"//%b", b"origin": b"%b"}
    return all(_is_here(places[name] % value) for name, value in headers if name in places)


def _is_here(address: bytes) -> bool:
    try:
        return is_loopback(urlsplit(address.decode("latin-1")).hostname or "")
    except ValueError:
        return False
