"""What a column may hold: text without what databases refuse, moments with a time zone."""

from datetime import datetime

from sqlalchemy import RowMapping

from semscale.errors import InputError
from semscale.history.item_json import has_surrogates

Row = dict[str, object]
"""A row to insert, by column."""

Found = RowMapping
"""A row as the database gives it, by column."""


def plain(**texts: str | None) -> dict[str, str | None]:
    """Give texts by column, once each is known to be one that every database keeps.

    Raises:
        InputError: a text holds NUL or half a character.
    """
    for name, text in texts.items():
        if text is not None and ("\0" in text or has_surrogates(text)):
            raise InputError(
                f"{name} must be text that a database can keep, got {text[:60]!r}: "
                "leave out NUL and half characters"
            )
    return texts


def aware(name: str, moment: datetime) -> datetime:
    """Give a moment back, once it is known to have a time zone.

    Raises:
        InputError: it has none.
    """
    if moment.tzinfo is None:
        raise InputError(f"{name} must have a time zone, got {moment.isoformat()}: use datetime.now(UTC)")
    return moment
