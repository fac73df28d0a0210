"""The wait that an endpoint asks for in the headers of its answer."""

import email.utils
import math
from collections.abc import Mapping


def read_retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Read ``retry-after-ms``, else ``Retry-After`` in seconds or as a date.

    Args:
        headers: names in lower case.
        now: seconds since 1970, for dates.

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
    try:
        moment = email.utils.parsedate_to_datetime(headers.get("retry-after", ""))
    except (ValueError, TypeError):
        return None
    return max(0.0, moment.timestamp() - now)


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None
