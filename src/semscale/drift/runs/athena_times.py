"""Times of feedback that Athena's exercise files state."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from semscale.errors import InputError

_KEYS = ("generated_at", "timestamp")


@dataclass(frozen=True)
class StatedTime:
    """A time that a file states.

    Attributes:
        text: the time as it is written.
        where: file, entry and key, for messages.
    """

    text: str
    where: str

    def read(self) -> datetime:
        """Parse the time; one without a zone is in UTC.

        Raises:
            InputError: it is no time.

        Example:
            >>> StatedTime("2026-01-31T12:00:00", "a.json: 'generated_at'").read().isoformat()
            '2026-01-31T12:00:00+00:00'
        """
        try:
            time = datetime.fromisoformat(self.text)
            return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
        except (ValueError, OverflowError):  # not a time, or in UTC before the year 1 or after 9999
            raise InputError(
                f"{self.where} must be a time such as 2026-01-31T12:00:00Z, got {self.text!r:.40}; correct "
                "it, or take the key out"
            ) from None


def stated_times(infos: Iterable[tuple[str, Mapping[str, Any]]]) -> tuple[StatedTime, ...]:
    """List the times that an exercise's entries state, one for each entry.

    Args:
        infos: file and entry, for messages, with the object that describes how the feedback was made.
    """
    found = ((where, key, info[key]) for where, info in infos if (key := _key(info)) is not None)
    return tuple(StatedTime(str(time), f"{where}, '{key}'") for where, key, time in found)


def _key(info: Mapping[str, Any]) -> str | None:
    return next((key for key in _KEYS if info.get(key)), None)
