"""When an approval expires, from a span or a date as people write them."""

import re
from datetime import UTC, datetime, timedelta

from semscale.errors import InputError

_HOURS = {"h": 1, "d": 24, "w": 7 * 24}
_SPAN = re.compile(r"(\d+)\s*([hdw])")
_LONGEST = 100 * 365 * 24


def read_expiry(written: str, at: datetime) -> datetime:
    """Read when something expires: a span from now on, or a date.

    Args:
        written: such as ``90d``, ``12w``, ``24h``, ``2026-12-31`` or ``2026-12-31T18:00``; a date without a
            zone is in UTC, and counts until it begins.
        at: what time it is, in UTC.

    Raises:
        InputError: it is neither, or it has passed.

    Example:
        >>> at = datetime(2026, 11, 21, tzinfo=UTC)
        >>> read_expiry("90d", at).date(), read_expiry("2026-12-31", at).date()
        (datetime.date(2027, 2, 19), datetime.date(2026, 12, 31))
    """
    text = written.strip()
    span = _SPAN.fullmatch(text.lower())
    if span:
        hours = int(span[1]) * _HOURS[span[2]]
        if not 0 < hours <= _LONGEST:
            raise InputError(f"expires must be a span from 1 hour to 100 years, got {written!r:.40}")
        return at + timedelta(hours=hours)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(
            f"expires must be a span such as 90d, 12w or 24h, or a date, 2027-01-31, got {written!r:.40}"
        ) from None
    moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    if moment <= at:
        raise InputError(
            f"expires must be in the future, got {written!r:.40}: approve for a span such as 90d"
        )
    return moment
