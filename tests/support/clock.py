"""A clock that stands still, so that two runs write the same times, and that can jump."""

import sys
import time
from datetime import UTC, datetime, timedelta

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


class _OnlyAsClass(type(datetime)):
    """Makes a true ``datetime`` an instance of the class that stands in for it."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, datetime)


class StandingClock(datetime, metaclass=_OnlyAsClass):
    """Stands in for ``datetime``: its present is noon of one day, and the days that it has jumped."""

    days = 0

    @classmethod
    def now(cls, tz=None):
        moment = NOON + timedelta(days=cls.days)
        return moment.astimezone(tz) if tz else moment.replace(tzinfo=None)


def stop_clock() -> None:
    """Let ``time.time`` stand still, too; call this before Semscale is imported, as defaults keep it."""
    time.time = lambda: StandingClock.now(UTC).timestamp()
    time.time_ns = lambda: round(time.time()) * 10**9


def stop_imported_clocks() -> None:
    """Give the modules of Semscale that are imported by now the standing clock."""
    for name, module in list(sys.modules.items()):
        if name.startswith("semscale.") and vars(module).get("datetime") is datetime:
            module.datetime = StandingClock


def jump(days: int) -> None:
    """Move the clock."""
    StandingClock.days += days
