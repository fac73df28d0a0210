"""Times of day in words: half past ten, a quarter to nine, ten o'clock, noon."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from text_to_num import text2num

from semscale.guards.words import fold

_ONES = "one|two|three|four|five|six|seven|eight|nine"
_TEENS = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
_HOUR = rf"(?P<hour>{_ONES}|ten|eleven|twelve|1[0-2]|[1-9])"
_MINUTES = (
    rf"(?P<minutes>(?:twenty|thirty|forty|fifty)(?:[-\u2010\u2011\s](?:{_ONES}))?|{_TEENS}|{_ONES}|[1-5]?\d)"
)
# "Five to ten" may be a range, so "to" needs a word that only times have.
_SPOKEN = re.compile(
    rf"""\b(?:(?P<part>half|(?:a\s)?quarter)\s(?P<side>past|to|after)\s{_HOUR}(?![\w:]|\.\d)
    |{_MINUTES}\s(?:minutes?\s(?P<way>past|to|after)|past)\s{_HOUR.replace("hour", "full")}(?![\w:]|\.\d)
    |{_HOUR.replace("hour", "sharp")}\so['’]?clock\b
    |(?P<named>noon|midday|midnight)\b)""",
    re.VERBOSE,
)
_PART = re.compile(r"[a-z]+")
_MARKS = ("past", "clock", "noon", "midday", "midnight", "quarter", "minute")


class SpokenTime(NamedTuple):
    """A time of day in words.

    Attributes:
        hours: hours since midnight; two values if the words do not say whether it is before or after noon.
        start: its first character.
        end: the character after its last one.
        weak: whether it has no number, as "noon"; it may agree with a time, but is never reported itself.
    """

    hours: tuple[float, ...]
    start: int
    end: int
    weak: bool


def spoken_times(text: str) -> Iterator[SpokenTime]:
    """Find times of day that are written in words.

    Example:
        >>> [time.hours for time in spoken_times("Leave at half past ten, arrive at noon.")]
        [(10.5, 22.5), (12.0,)]
    """
    # If case is ignored, the pattern accepts ı and ſ for i and s, but no number is spelt so.
    lowered = fold(text)
    if not any(mark in lowered for mark in _MARKS):
        return
    for match in _SPOKEN.finditer(lowered):
        if match["named"]:
            hours: tuple[float, ...] = (0.0,) if match["named"] == "midnight" else (12.0,)
        else:
            hours = _hours(match)
        yield SpokenTime(hours, match.start(), match.end(), bool(match["named"]))


def _hours(match: re.Match[str]) -> tuple[float, float]:
    hour = _number(match["hour"] or match["full"] or match["sharp"])
    if match["part"]:
        minute = 30 if match["part"] == "half" else 15
    else:
        minute = _number(match["minutes"]) if match["minutes"] else 0
    if (match["side"] or match["way"]) == "to":
        hour, minute = hour - 1, 60 - minute
    hour %= 12
    return hour + minute / 60, hour + 12 + minute / 60


def _number(shown: str) -> int:
    return int(shown) if shown.isdecimal() else int(text2num(" ".join(_PART.findall(shown)), "en"))
