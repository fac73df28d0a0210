"""Waves of a survey in the order of time."""

import re
from collections.abc import Mapping, Sequence

from semscale.errors import InputError
from semscale.messages import unknown_name

BY_NAMES = "by their names"
"""Phrase for waves whose names tell their order."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = re.compile(
    r"(?<![^\W\d_])(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![^\W\d_])",
    re.IGNORECASE,
)
_NUMBERS = re.compile(r"(?P<first>\d{1,2})(?P<sign>[./-])(?P<second>\d{1,2})(?P=sign)(?P<year>\d{4})")
_PART_OF_YEAR = re.compile(r"(?P<kind>[qh])(?P<part>\d)\W*(?P<year>\d{4}|\d{2})", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d")
_MOST_MONTHS = 12

_Times = list[tuple[float, ...]]


def order_waves(
    names: Sequence[str], labels: Mapping[str, str] | None = None, stated: Sequence[str] = ()
) -> tuple[list[str], str]:
    """Order waves in time: as stated, by labelled values, by dates or numbers in their names, or by the rows.

    Args:
        names: of the waves, without repeats, in the order of the rows.
        labels: of values, in the order of the file; used where every wave has one.
        stated: all waves from the first to the last, by value or label; empty for none.

    Returns:
        Values of the column from the first wave to the last, and a phrase that names the source of the order.

    Raises:
        InputError: ``stated`` names a wave twice, or leaves one out.
        UnknownNameError: ``stated`` names a wave that no row has.

    Examples:
        >>> order_waves(["Feb 2026", "Dec 2025", "Jan 2026"])
        (['Dec 2025', 'Jan 2026', 'Feb 2026'], 'by their names')
        >>> order_waves(["before", "after"])
        (['before', 'after'], 'by the first row of each')
    """
    labels = labels or {}
    if stated:
        return _order_as_stated(names, labels, stated), "as given"
    if all(name in labels for name in names):
        return [
            name for name in labels if name in names
        ], "by the order of their values in the file or its description"
    for read in (_numbers, _dates, _parts_of_years, _months, _numbers_in_names):
        times = read(names)
        if times is not None and len(set(times)) == len(names):
            return [name for _, name in sorted(zip(times, names, strict=True))], BY_NAMES
    return list(names), "by the first row of each"


def _order_as_stated(names: Sequence[str], labels: Mapping[str, str], stated: Sequence[str]) -> list[str]:
    by_label = {labels[name]: name for name in names if name in labels}
    ordered: list[str] = []
    for wave in stated:
        name = wave if wave in names else by_label.get(wave)
        if name is None:
            raise unknown_name("wave in wave_order", wave, [labels.get(name, name) for name in names])
        ordered.append(name)
    for index, name in enumerate(ordered):
        if name in ordered[:index]:
            raise InputError("wave_order", f": '{labels.get(name, name)}' is named twice")
    if lacking := ", ".join(f"'{labels.get(name, name)}'" for name in names if name not in ordered):
        raise InputError("wave_order", f"has no {lacking}: name all waves, from the first to the last")
    return ordered


def _numbers(names: Sequence[str]) -> _Times | None:
    try:
        return [(float(name),) for name in names]
    except ValueError:
        return None


def _dates(names: Sequence[str]) -> _Times | None:
    """Read dates such as ``31.1.2026``; with slashes or dashes, a number above 12 must identify the days."""
    dates = [match for match in map(_NUMBERS.fullmatch, map(str.strip, names)) if match]
    if len(dates) < len(names):
        return None
    numbers = [(int(date["year"]), int(date["first"]), int(date["second"])) for date in dates]
    has_dots = all(date["sign"] == "." for date in dates)
    is_day_first = has_dots or any(first > _MOST_MONTHS for _, first, _ in numbers)
    is_month_first = any(second > _MOST_MONTHS for _, _, second in numbers)
    if is_day_first == is_month_first:
        return None
    return [(year, b, a) if is_day_first else (year, a, b) for year, a, b in numbers]


def _parts_of_years(names: Sequence[str]) -> _Times | None:
    """Read ``Q3 2025``, ``Q3/25`` and ``H1 2025``, all of one kind."""
    parts = [match for match in map(_PART_OF_YEAR.fullmatch, map(str.strip, names)) if match]
    if len(parts) < len(names) or len({part["kind"].lower() for part in parts}) > 1:
        return None
    return [(_full_year(part["year"]), int(part["part"])) for part in parts]


def _months(names: Sequence[str]) -> _Times | None:
    """Read ``Jan 2026``, ``January '26`` and ``3 May 2026``; months without a year give no order."""
    times: _Times = []
    for name in names:
        months, numbers = _MONTH.findall(name), re.findall(r"\d+", name)
        years = [number for number in numbers if _YEAR.fullmatch(number)] or numbers
        days = [int(number) for number in numbers if number not in years]
        if len(months) != 1 or len(years) != 1:
            return None
        times.append((_full_year(years[0]), _MONTHS.index(months[0][:3].lower()), *days))
    return times if len({len(time) for time in times}) == 1 else None


def _full_year(digits: str) -> int:
    return int(digits[-2:]) + 100 * int(digits[:-2] or 20)


def _numbers_in_names(names: Sequence[str]) -> _Times | None:
    """Read names that differ only in numbers, such as ``W1`` and ``2025-Q3``; years are compared first."""
    shapes = {re.sub(r"\d+", "#", name.strip().casefold()) for name in names}
    if len(shapes) > 1 or "#" not in shapes.pop():
        return None
    if all(_NUMBERS.fullmatch(name.strip()) for name in names):
        return None
    numbers = [re.findall(r"\d+", name) for name in names]
    return [tuple(map(int, sorted(row, key=lambda text: not _YEAR.fullmatch(text)))) for row in numbers]
