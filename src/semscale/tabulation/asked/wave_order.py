"""The order of waves in time: as given, of labelled values, as their names say, or that of the rows."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from semscale.errors import InputError
from semscale.messages import unknown_name

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = re.compile(
    r"(?<![^\W\d_])(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![^\W\d_])",
    re.IGNORECASE,
)
_DAY_FIRST = re.compile(r"(?P<one>\d{1,2})(?P<sign>[./-])(?P<two>\d{1,2})(?P=sign)(?P<year>\d{4})")
_PART_OF_YEAR = re.compile(r"(?P<kind>[qh])(?P<part>\d)\W*(?P<year>\d{4}|\d{2})", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d")
_MOST_MONTHS = 12


@dataclass(frozen=True)
class WaveOrder:
    """Waves from the first to the last.

    Attributes:
        names: values of the column.
        reason: what the order was taken from, in a few words.
    """

    names: tuple[str, ...]
    reason: str


def order_waves(
    names: Sequence[str], labels: Mapping[str, str] | None = None, given: Sequence[str] = ()
) -> WaveOrder:
    """Order waves in time.

    Args:
        names: of the waves, each once, in the order of the rows.
        labels: words for values, in the order of the file; taken where each wave has one.
        given: all waves from the first to the last, by value or label; empty where nobody says so.

    Raises:
        InputError: ``given`` names a wave twice, or leaves one out.
        UnknownNameError: ``given`` names a wave that no row has.

    Example:
        >>> order_waves(["Feb 2026", "Dec 2025", "Jan 2026"]).names
        ('Dec 2025', 'Jan 2026', 'Feb 2026')
        >>> order_waves(["before", "after"])
        WaveOrder(names=('before', 'after'), reason='by the first row of each')
    """
    words = labels or {}
    if given:
        return WaveOrder(_as_given(names, words, given), "as given")
    if all(name in words for name in names):
        return WaveOrder(tuple(name for name in words if name in names), "by their values in the file")
    for read in (_numbers, _dates, _parts_of_years, _months, _numbered):
        times = read(names)
        if times is not None and len(set(times)) == len(names):
            return WaveOrder(
                tuple(name for _, name in sorted(zip(times, names, strict=True))), "by their names"
            )
    return WaveOrder(tuple(names), "by the first row of each")


def _as_given(names: Sequence[str], labels: Mapping[str, str], given: Sequence[str]) -> tuple[str, ...]:
    by_label = {labels[name]: name for name in names if name in labels}
    ordered = [one if one in names else by_label.get(one, "") for one in given]
    if "" in ordered:
        known = [labels.get(name, name) for name in names]
        raise unknown_name("wave in wave_order", given[ordered.index("")], known)
    twice = next((one for place, one in enumerate(ordered) if one in ordered[:place]), None)
    if twice is not None:
        raise InputError(f"wave_order: '{labels.get(twice, twice)}' is named twice")
    lacking = [labels.get(name, name) for name in names if name not in ordered]
    if lacking:
        raise InputError(f"wave_order lacks {_quoted(lacking)}: name all waves, from the first to the last")
    return tuple(ordered)


def _numbers(names: Sequence[str]) -> list[tuple[float, ...]] | None:
    try:
        return [(float(name),) for name in names]
    except ValueError:
        return None


def _dates(names: Sequence[str]) -> list[tuple[float, ...]] | None:
    """Read ``31.1.2026``; with slashes or dashes, only where a number above 12 says which one is the day."""
    found = [match for match in map(_DAY_FIRST.fullmatch, map(str.strip, names)) if match]
    if len(found) < len(names):
        return None
    numbers = [(int(one["year"]), int(one["one"]), int(one["two"])) for one in found]
    is_day_first = any(one > _MOST_MONTHS for _, one, _ in numbers) or all(
        one["sign"] == "." for one in found
    )
    is_month_first = any(two > _MOST_MONTHS for _, _, two in numbers)
    if is_day_first == is_month_first:
        return None
    return [(year, two, one) if is_day_first else (year, one, two) for year, one, two in numbers]


def _parts_of_years(names: Sequence[str]) -> list[tuple[float, ...]] | None:
    """Read ``Q3 2025``, ``Q3/25`` and ``H1 2025``, all of one kind."""
    found = [match for match in map(_PART_OF_YEAR.fullmatch, map(str.strip, names)) if match]
    if len(found) < len(names) or len({one["kind"].lower() for one in found}) > 1:
        return None
    return [(int(one["year"][-2:]) + 100 * int(one["year"][:-2] or 20), int(one["part"])) for one in found]


def _months(names: Sequence[str]) -> list[tuple[float, ...]] | None:
    """Read ``Jan 2026``, ``January '26`` and ``3 May 2026``; months without a year tell no order."""
    times: list[tuple[float, ...]] = []
    for name in names:
        months, numbers = _MONTH.findall(name), re.findall(r"\d+", name)
        years = [one for one in numbers if _YEAR.fullmatch(one)] or numbers
        days = [int(one) for one in numbers if one not in years]
        if len(months) != 1 or len(years) != 1:
            return None
        year = int(years[0][-2:]) + 100 * int(years[0][:-2] or 20)
        times.append((year, _MONTHS.index(months[0][:3].lower()), *days))
    return times if len({len(time) for time in times}) == 1 else None


def _numbered(names: Sequence[str]) -> list[tuple[float, ...]] | None:
    """Read names that differ in their numbers alone, such as ``W1`` and ``2025-Q3``; years go first."""
    shapes = {re.sub(r"\d+", "#", name.strip().casefold()) for name in names}
    if len(shapes) > 1 or "#" not in shapes.pop():
        return None
    if all(_DAY_FIRST.fullmatch(name.strip()) for name in names):
        return None
    numbers = [re.findall(r"\d+", name) for name in names]
    return [tuple(map(int, sorted(row, key=lambda one: not _YEAR.fullmatch(one)))) for row in numbers]


def _quoted(names: Collection[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)
