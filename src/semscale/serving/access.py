"""Who may use the service: anybody on this machine, or whoever knows the token."""

import hmac
import ipaddress
import os
from collections.abc import Mapping

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
