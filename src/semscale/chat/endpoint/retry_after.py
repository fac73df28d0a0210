"""The wait that an endpoint asks for in the headers of its answer."""

import email.utils
import math
from collections.abc import Mapping


def read_retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Read ``retry-after-ms``, else ``Retry-After`` in seconds or as a date.

    Args:
        headers: names in lower case.
        now: seconds since 1970, for a date beside which the endpoint does not say its own time (``Date``).

    Returns:
        Seconds from now, at least 0; ``None`` where the headers do not say.

    References:
        RFC 9110, section 10.2.3.

    Example:
        >>> read_retry_after({"retry-after-ms": "1500", "retry-after": "2"}, now=0.0)
        1.5
        >>> read_retry_after({"retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}, now=50.0)
        10.0
        >>> read_retry_after({"retry-after": "soon"}, now=0.0) is None
        True
    """
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        seconds = _number(headers.get(name))
        if seconds is not None:
            return max(0.0, seconds * unit)
    until = _moment(headers.get("retry-after"))
    if until is None:
        return None
    # Two times of one clock: this machine's own may be wrong by days.
    answered = _moment(headers.get("date"))
    return max(0.0, until - (now if answered is None else answered))


def _moment(text: str | None) -> float | None:
    try:
        return email.utils.parsedate_to_datetime(text or "").timestamp()
    except (ValueError, TypeError):
        return None


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None
