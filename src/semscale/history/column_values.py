"""Checks of values before they are stored: texts that databases accept, and times with a time zone."""

from datetime import datetime

from sqlalchemy import RowMapping

from semscale.errors import InputError
from semscale.history.item_json import has_surrogates

Row = dict[str, object]
"""A row to insert: values by column."""

Found = RowMapping
"""A row from the database: values by column."""


def plain(**texts: str | None) -> dict[str, str | None]:
    """Return texts by column after checking that every database can store them.

    Raises:
        InputError: a text contains NUL or an unpaired surrogate.
    """
    for name, text in texts.items():
        if text is not None and ("\0" in text or has_surrogates(text)):
            raise InputError(
                f"{name} must be text that a database can keep, got {text[:60]!r}: "
                "leave out NUL and unpaired surrogates"
            )
    return texts


def aware(name: str, moment: datetime) -> datetime:
    """Return a time after checking that it has a time zone.

    Raises:
        InputError: it has no time zone.
    """
    if moment.tzinfo is None:
        raise InputError(f"{name} must have a time zone, got {moment.isoformat()}: use datetime.now(UTC)")
    return moment
