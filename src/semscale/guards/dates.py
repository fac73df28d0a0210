"""Calendar dates in all common notations, and weekdays, in texts of several languages."""

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import chain, product
from typing import NamedTuple

from semscale.guards.figures import matches_near
from semscale.guards.words import RECENT_TEXTS, fold_case, read_lexicon

_MOST_COMPARED = 50
_LEAP_YEAR = 2000
_CENTURY_BREAK = 69
"""Two-digit years before this one belong to the 21st century, as in POSIX."""
_LAST_MONTH = 12


class Day(NamedTuple):
    """One reading of a date; ``None`` for a part that is not stated."""

    year: int | None
    month: int
    day: int | None

    def agrees(self, other: "Day") -> bool:
        """Tell whether two readings may be the same day: each part is equal or not stated."""
        return all(
            here is None or there is None or here == there for here, there in zip(self, other, strict=True)
        )


class Date(NamedTuple):
    """A date in a text.

    Attributes:
        readings: what it may mean. In 03/04/2025 the first reading begins with the day, the second with the
            month; ``None`` if there is no such day.
        start: its first character.
        end: the character after its last one.
        shown: the date as it is written.
    """

    readings: tuple[Day | None, ...]
    start: int
    end: int
    shown: str

    def agrees(self, other: "Date") -> bool:
        """Tell whether two dates may be the same day.

        Two dates that both begin with day or month in digits are assumed to begin with the same.
        """
        if len(self.readings) == len(other.readings) > 1 and _same_order(self, other):
            pairs = list(zip(self.readings, other.readings, strict=True))
        else:
            pairs = list(product(self.readings, other.readings))
        return any(here is not None and there is not None and here.agrees(there) for here, there in pairs)


def _same_order(first: Date, second: Date) -> bool:
    """Tell whether one order of day and month is possible in both dates."""
    return any(here and there for here, there in zip(first.readings, second.readings, strict=True))


DatePair = tuple[Date, Date]


@lru_cache(maxsize=RECENT_TEXTS)
def compare_dates(left: str, right: str) -> tuple[list[DatePair], list[DatePair]]:
    """Pair the dates of two texts.

    Args:
        left: a text in any language.
        right: the other text.

    Returns:
        Pairs that may be the same day, and pairs of different days, each with the date of the left text
        first. A date without a partner is in neither list.

    Examples:
        >>> same, changed = compare_dates("2025-03-04 to 5 May", "March 4th to 6 May")
        >>> [(first.shown, second.shown) for first, second in same + changed]
        [('2025-03-04', 'March 4th'), ('5 May', '6 May')]
    """
    if not (may_have_dates(left) and may_have_dates(right)):
        return [], []
    here, there = read_dates(left)[:_MOST_COMPARED], read_dates(right)[:_MOST_COMPARED]
    same = [(first, second) for first, second in product(here, there) if first.agrees(second)]
    settled = {first for first, _ in same}, {second for _, second in same}
    rest = (
        [date for date in here if date not in settled[0]],
        [date for date in there if date not in settled[1]],
    )
    return same, list(zip(*rest, strict=False))


def character_positions(dates: Iterable[Date]) -> set[int]:
    """Return the positions of the characters of some dates."""
    return {at for date in dates for at in range(date.start, date.end)}


def may_have_dates(source: str) -> bool:
    """Check quickly for a digit or an ordinal that may belong to a date ("the fifth of May")."""
    return _DIGIT.search(source) is not None or (" of " in source and _SPOKEN.search(source) is not None)


@lru_cache(maxsize=RECENT_TEXTS)
def read_dates(source: str) -> list[Date]:
    """Find the dates of a text that state a month with its day, its year, or both; none overlap.

    Examples:
        >>> [date.readings[0] for date in read_dates("Am 4. März 2025, on 3/25/2025, May 1-2, 2025年3月4日")]
        ... # doctest: +NORMALIZE_WHITESPACE
        [Day(year=2025, month=3, day=4), None, Day(year=None, month=5, day=1), Day(year=None, month=5, day=2),
         Day(year=2025, month=3, day=4)]
    """
    matches: list[re.Match[str]] = []
    if _NUMERIC_GLANCE.search(source):
        matches += chain.from_iterable(pattern.finditer(source) for pattern in _NUMERIC)
    months = list(_near_days(source))
    for pattern in _month_name_patterns() if months else ():
        matches += matches_near(pattern, source, months)
    dates: list[Date] = []
    covered: set[int] = set()
    for match in matches:
        in_match = list(_dates_in(match))
        positions = character_positions(in_match)
        if covered.isdisjoint(positions):
            dates += in_match
            covered |= positions
    return sorted(dates, key=lambda date: date.start)


def _near_days(source: str) -> Iterator[int]:
    """Find the names of months near a number or ordinal; searching for them everywhere would take long."""
    end = 0
    for day in _DAY_GLANCE.finditer(source):
        begin = max(end, day.start() - _FARTHEST_MONTH)
        end = max(end, day.end() + _FARTHEST_MONTH)
        for word in _WORD.finditer(source, begin, end):
            if fold_case(word[0]) in _months() and word[0] not in ("may", "march"):  # these are verbs
                yield word.start()


_DIGIT = re.compile(r"\d")
_SPOKEN = re.compile(r"(?:th|st|second|third)\sof\s[A-Z]")
_NUMERIC_GLANCE = re.compile(r"\d[-/.]\d|\d[年월月]|\d{8}")
_DAY_GLANCE = re.compile(
    r"\d+|\b(?:first|second|third|(?:four|fif|six|seven|eigh|nin|ten|eleven|twelf|\w+teen|twentie|thirtie)th)\b"
)
_FARTHEST_MONTH = 24
_WORD = re.compile(r"[^\W\d_]{3,}")
_YEAR = r"(?P<year>[12]\d{3})(?!\d)"
_DAY = r"(?P<day>\d{1,2})"
_NUMERIC = [
    re.compile(pattern)
    for pattern in (
        rf"(?<![\w.,/-]){_YEAR}(?P<mark>[-/.])(?P<month>\d{{1,2}})(?P=mark){_DAY}(?=T\d|(?![\w/-]|[.,]\d))",
        rf"(?<![\w.,/-])(?P<first>\d{{1,2}})(?P<mark>[-/.])(?P<second>\d{{1,2}})(?P=mark){_YEAR}(?![\w/-]|[.,]\d)",
        r"(?<![\w.,/-])(?P<first>\d{1,2})/(?P<second>\d{1,2})/(?P<short>\d{2})(?![\w/-]|[.,]\d)",
        r"(?<![\w.,/-])(?P<first>\d{2})(?P<mark>\.)(?P<second>\d{2})\.(?P<short>\d{2})(?![\w/-]|[.,]\d)",
        r"(?<![\w.,/-])(?P<year>(?:19|20)\d{2})(?P<month>0[1-9]|1[0-2])(?P<day>[0-3]\d)(?![\w/-]|[.,]\d)",
        rf"(?<![\w.,/-])(?P<month>\d{{1,2}})/{_YEAR}(?![\w/-]|[.,]\d)",
        rf"(?:{_YEAR}[年년]\s?)?(?P<month>\d{{1,2}})[月월](?:\s?{_DAY}[日일])?",
    )
]


@cache
def _months() -> dict[str, int]:
    """Return the number of each month's names and abbreviations in all known languages."""
    months: dict[str, int] = {}
    for line in read_lexicon("calendar")["months"].values():
        for number, names in enumerate(line.split(), start=1):
            months |= dict.fromkeys(map(fold_case, names.split("|")), number)
    return months


@cache
def _ordinals() -> dict[str, int]:
    """Return the day that each ordinal states in words, from "first" to "thirty-first"."""
    return {word: number for number, word in enumerate(read_lexicon("calendar")["days"].split(), start=1)}


@cache
def _month_names() -> str:
    return "|".join(sorted(map(re.escape, _months()), key=len, reverse=True))


@cache
def _month_name_patterns() -> tuple[re.Pattern[str], ...]:
    """Return the patterns of dates with the name of a month."""
    month = rf"(?P<month>{_month_names()})(?![^\W\d_])\.?"
    words = "|".join(sorted(_ordinals(), key=len, reverse=True))
    figure = r"(?P<{}>\d{{1,2}}(?!\d)){}".format
    ending = r"(?:\.|st|nd|rd|th|er|[ºª°]|e)?"
    day, last = figure("day", ending), figure("last", ending)
    until = r"(?:\s?[-–—]\s?|\s(?:to|until|till|through|bis|a|al|au)\s(?:the\s)?)"
    of = r"(?:de|del|of|do|di)"
    year = r"(?P<year>[12]\d{3})(?!\w)"
    return tuple(
        re.compile(pattern, re.IGNORECASE)
        for pattern in (
            # 3 to 5 May 2025, 3rd of March, 4 de marzo de 2025, 5-Jun-2023
            rf"(?<![\w.,:/-])(?:{day}{until})?{last}[\s-]?(?:(?:day\s)?{of}\s)?{month}(?:,?[\s-](?:{of}\s)?{year})?",
            rf"\b(?P<day>{words})\s(?:day\s)?of\s{month}(?:,?\s(?:of\s)?{year})?",
            # May 3-5, 2025; May the third
            rf"(?<!\w){month}\s(?:the\s)?{day}(?![\w:/]|[.,]\d)(?:{until}{last}(?![\w:/]|[.,]\d|\s(?:{_month_names()})))?(?:,?\s(?:of\s)?{year})?",
            rf"(?<!\w){month}\s(?:the\s)?(?P<day>{words})\b(?:,?\s(?:of\s)?{year})?",
            rf"(?<!\w){month}[\s,-]{{1,2}}(?:{of}\s)?{year}",
        )
    )


def _dates_in(match: re.Match[str]) -> Iterator[Date]:
    """Yield the dates of a match: two for "3 to 5 May"."""
    parts = match.groupdict()
    year = int(parts["year"]) if parts.get("year") else _full_year(parts.get("short"))
    if "first" in parts:
        first, second = int(parts["first"]), int(parts["second"])
        day_first = _valid(year, second, first)
        readings = (day_first,) if parts.get("mark") == "." else (day_first, _valid(year, first, second))
        if any(readings):
            yield Date(readings, *match.span(), match[0])
        return
    month = _months().get(fold_case(parts["month"])) or int(parts["month"])
    days = [_day_number(parts[name]) for name in ("day", "last") if parts.get(name)]
    start = match.start()
    if len(days) > 1 and _ends_in_month(match.string[max(start - _FARTHEST_MONTH, 0) : start]):
        days, start = days[1:], match.start("last")  # "4th to 6 May" in "March 4th to 6 May"
    if not (days or year):
        return
    stated: list[int | None] = [*days] or [None]
    for day in stated:
        reading = _valid(year, month, day)
        if reading:
            shown = match.string[start : match.end()].rstrip(". ")
            yield Date((reading,), start, start + len(shown), shown)


def _ends_in_month(source: str) -> bool:
    """Tell whether the last word before a blank is a month."""
    words = source.split()
    return source.endswith(" ") and bool(words) and fold_case(words[-1].rstrip(".")) in _months()


def _day_number(shown: str) -> int:
    return int(shown) if shown.isdecimal() else _ordinals()[fold_case(shown)]


def _full_year(short: str | None) -> int | None:
    if short is None:
        return None
    return int(short) + (2000 if int(short) < _CENTURY_BREAK else 1900)


def _valid(year: int | None, month: int, day: int | None) -> Day | None:
    """Return a reading; ``None`` if the calendar has no such day."""
    if not 1 <= month <= _LAST_MONTH:
        return None
    if day is not None and not 1 <= day <= monthrange(year or _LEAP_YEAR, month)[1]:
        return None
    return Day(year, month, day)


_WEEK = tuple(range(7))
_SPAN = frozenset(("to", "-", "–", "through", "till", "until", "thru"))


def weekdays_in(words: list[str]) -> set[int]:
    """Return the days of the week that some words name, from 0 for Monday; ranges include what lies between.

    Args:
        words: words and marks of a text in lower case.

    Examples:
        >>> sorted(weekdays_in("open from monday to thursday".split())), weekdays_in(["at", "weekends"])
        ([0, 1, 2, 3], {5, 6})
    """
    known = _weekdays()
    days: set[int] = set()
    for at, word in enumerate(words):
        if word not in known:
            continue
        days.update(known[word])
        start = known.get(words[at - 2], ()) if at > 1 and words[at - 1] in _SPAN else ()
        if len(start) == len(known[word]) == 1:
            length = (known[word][0] - start[0]) % len(_WEEK)
            days.update((start[0] + step) % len(_WEEK) for step in range(length))
    return days


@cache
def _weekdays() -> dict[str, tuple[int, ...]]:
    days: dict[str, tuple[int, ...]] = {}
    for number, names in enumerate(read_lexicon("wordlists")["weekdays"]):
        for name in names.split():
            days |= dict.fromkeys((name, f"{name}s"), (number,))
    return days | {
        name: tuple(map(int, numbers.split()))
        for numbers, names in read_lexicon("calendar")["groups"].items()
        for name in names.split()
    }
