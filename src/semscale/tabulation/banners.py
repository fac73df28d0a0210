"""Banners: groups of respondents as columns of a table, and waves in order of time."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.messages import unknown_name
from semscale.store.column_profile import is_id_name
from semscale.store.columns import groups_in
from semscale.store.table import ColumnLabels
from semscale.types import Integers

_MOST_GROUPS = 50
_NUMBER = re.compile(r"(?<!\w)-?\d+(?:\.\d+)?")  # not the 3 of mp3
_MOSTLY = 0.95  # least share of people with one row in a wave for a column to count as their ids

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


@dataclass(frozen=True, eq=False)
class Banner:
    """Groups of respondents, in the order of a table's columns.

    Attributes:
        name: name of the column; empty without groups, so that a table has only its total.
        text: description of the column; its name if it has none.
        groups: names of the groups.
        codes: shape (n,), index of each respondent's group, -1 for none.
        is_wave: true if the groups are waves, in the order of time.
        order_from: phrase that names the source of the order of waves.
        answered_by: the model that answered; empty if people, one model or all models answered.
    """

    name: str
    text: str
    groups: tuple[str, ...]
    codes: Integers
    is_wave: bool = False
    order_from: str = ""
    answered_by: str = ""

    @property
    def title(self) -> str:
        """Description, with the model that answered if there are several.

        Examples:
            >>> Banner("age", "Age", (), np.array([-1]), answered_by="gpt-4o").title
            'Age (gpt-4o)'
        """
        return f"{self.text} ({self.answered_by})" if self.answered_by else self.text


def read_banner(
    cells: pl.Series,
    labels: ColumnLabels | None = None,
    *,
    is_wave: bool = False,
    wave_order: Sequence[str] = (),
) -> Banner:
    """Read groups from a column; labelled values get their labels as names, in the order of the labels.

    Args:
        cells: n values; missing and blank ones are in no group.
        labels: known about the column.
        is_wave: true if the groups are waves, which ``order_waves`` puts in order.
        wave_order: all waves from the first to the last, if the user states it.

    Raises:
        InputError: there is no group, there are more than 50, or the order lacks a wave.
        UnknownNameError: the order has a wave that no row has.

    Examples:
        >>> banner = read_banner(pl.Series("age", ["18 to 34", "under 18", None]))
        >>> banner.groups, banner.codes.tolist()
        (('under 18', '18 to 34'), [1, 0, -1])
    """
    labels = labels or ColumnLabels()
    role = "wave" if is_wave else "banner"
    names = groups_in(cells)
    names = names.set(names.str.strip_chars() == "", None)
    values = names.drop_nulls().unique(maintain_order=True).to_list()
    if not values:
        raise InputError(role, f": column '{cells.name}' has no group: all its cells are empty")
    if len(values) > _MOST_GROUPS:
        raise InputError(
            role,
            f": column '{cells.name}' has {len(values):,} groups, and a table has at most "
            f"{_MOST_GROUPS}: derive a column of groups (`derive`) and name it instead",
        )
    order_from = ""
    if is_wave:
        values, order_from = order_waves(values, labels.values, wave_order)
    else:
        values = sort_names(values, labels.values)
    codes = names.replace_strict(values, list(range(len(values))), default=-1, return_dtype=pl.Int64)
    return Banner(
        cells.name,
        labels.title or cells.name,
        tuple(labels.values.get(value, value) for value in values),
        codes.fill_null(-1).to_numpy(),
        is_wave,
        order_from,
    )


def sort_names(names: Iterable[str], labels: Mapping[str, str] | None = None) -> list[str]:
    """Sort names: those with labels in the order of the labels, then by the first number, then by letters.

    Examples:
        >>> sort_names(["35 and over", "no", "under 18", "18 to 34"])
        ['under 18', '18 to 34', '35 and over', 'no']
    """
    ranks = {name: rank for rank, name in enumerate(labels or {})}
    return sorted(names, key=lambda name: (ranks.get(name, len(ranks)), _first_number(name), name))


def _first_number(name: str) -> float:
    number = _NUMBER.search(name)
    if number is None:
        return float(np.inf)
    # "under 18" comes before "18 to 34".
    return float(number.group()) - (0.5 if name.casefold().startswith(("under", "below", "<")) else 0.0)


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
        return [name for name in labels if name in names], "by their values in the file"
    for read in (_numbers, _dates, _parts_of_years, _months, _numbers_in_names):
        times = read(names)
        if times is not None and len(set(times)) == len(names):
            return [name for _, name in sorted(zip(times, names, strict=True))], "by their names"
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


def id_columns(columns: Iterable[str]) -> list[str]:
    """Return the columns with names that look like ids of respondents.

    Examples:
        >>> id_columns(["age", "person_id", "ResponseId"])
        ['person_id', 'ResponseId']
    """
    return [column for column in columns if is_id_name(column)]


def pair_notes(frame: pl.DataFrame, wave: str, pair_by: str) -> list[str]:
    """Return notes on people with two rows in a wave, and on ids that never occur in two waves.

    Args:
        frame: n rows.
        wave: column of waves.
        pair_by: column of ids.
    """
    rows = _rows_of_people(frame, wave, pair_by)
    notes = []
    twice = rows.filter(pl.col("len") > 1).sort("id", "wave")
    if n := twice["id"].n_unique():
        example = twice.row(0, named=True)
        notes.append(
            f"pair_by: {'1 person is' if n == 1 else f'{n:,} people are'} in a wave more than once, such as "
            f"'{example['id']}' in wave '{example['wave']}' ({example['len']} rows): "
            "each row counts; check the ids, or leave rows out (--where)"
        )
    if not _in_several(rows):
        notes.append(f"pair_by: no ID in '{pair_by}' occurs in two waves, so there are no pairs")
    return notes


def pairing_notes(frame: pl.DataFrame, wave: str) -> list[str]:
    """Return a note if waves that are compared as different people share ids.

    Args:
        frame: n rows, with the columns that look like ids.
        wave: column of waves.
    """
    for column in id_columns(frame.columns):
        if column == wave:
            continue
        rows = _rows_of_people(frame, wave, column)
        n = _in_several(rows)
        if n and rows.filter(pl.col("len") == 1).height >= _MOSTLY * rows.height:
            values = "one value" if n == 1 else f"{n:,} values"
            return [
                f"waves are compared as independent samples, but {values} of '{column}' "
                f"{'is' if n == 1 else 'are'} in several waves: for ids of the same people, say "
                f"--pair-by {column}"
            ]
    return []


def _rows_of_people(frame: pl.DataFrame, wave: str, column: str) -> pl.DataFrame:
    """Count the rows of each person in each wave: columns ``id``, ``wave`` and ``len``."""
    pairs = pl.DataFrame({"id": groups_in(frame[column]), "wave": groups_in(frame[wave])})
    return pairs.drop_nulls().group_by("id", "wave").len()


def _in_several(rows: pl.DataFrame) -> int:
    return rows.group_by("id").len().filter(pl.col("len") > 1).height
