"""Banners: groups of respondents as columns of a table."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.spelling import hint
from semscale.store.column_profile import is_id_name
from semscale.store.columns import groups_in, ids_in, positions_among, without_blanks
from semscale.store.table import ColumnLabels
from semscale.survey.value_order import order_groups
from semscale.survey.wave_order import order_waves
from semscale.types import Integers

_MOST_GROUPS = 50
_BOTH = 2  # waves
_NUMBER = re.compile(r"(?<!\w)-?\d+(?:\.\d+)?")  # not the 3 of mp3
_MOSTLY = 0.95  # least share of people with one row in a wave for a column to count as their ids


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
    names = without_blanks(groups_in(cells))
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
        values = sort_names(values, labels.order or tuple(labels.values))
    return Banner(
        cells.name,
        labels.title or cells.name,
        tuple(labels.values.get(value, value) for value in values),
        positions_among(names, values),
        is_wave,
        order_from,
    )


def sort_names(names: Iterable[str], order: Iterable[str] = ()) -> list[str]:
    """Sort names by ``order_groups``; those without an order by the first number, then by letters.

    Examples:
        >>> sort_names(["35 and over", "under 18", "18 to 34"]), sort_names(["b", "a", "2 c"])
        (['under 18', '18 to 34', '35 and over'], ['2 c', 'a', 'b'])
    """
    return order_groups(sorted(names, key=lambda name: (_first_number(name), name)), order)


def _first_number(name: str) -> float:
    number = _NUMBER.search(name)
    if number is None:
        return float(np.inf)
    # "under 18" comes before "18 to 34".
    return float(number.group()) - (0.5 if name.casefold().startswith(("under", "below", "<")) else 0.0)


def id_columns(columns: Iterable[str]) -> list[str]:
    """Return the columns with names that look like ids of respondents.

    Examples:
        >>> id_columns(["age", "person_id", "ResponseId"])
        ['person_id', 'ResponseId']
    """
    return [column for column in columns if is_id_name(column)]


def count_people(frame: pl.DataFrame, wave: str, pair_by: str) -> str:
    """Return a phrase that counts the people of waves; empty if nobody is in several waves.

    Args:
        frame: n rows.
        wave: column of waves.
        pair_by: column of ids.

    Examples:
        >>> frame = pl.DataFrame({"id": ["a", "b", "b"], "wave": ["1", "1", "2"]})
        >>> count_people(frame, "wave", "id")
        '2 people, 1 of them in both waves'
    """
    rows = _rows_of_people(frame, wave, pair_by)
    several = "both waves" if rows["wave"].n_unique() == _BOTH else "several waves"
    n = _in_several(rows)
    return f"{rows['id'].n_unique():,} people, {n:,} of them in {several}" if n else ""


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
            f"{'1 person is' if n == 1 else f'{n:,} people are'} in a wave more than once, such as "
            f"'{example['id']}' in wave '{example['wave']}' ({example['len']} rows): "
            "each row counts; check the ids, or leave rows out" + hint(" (`where`)")
        )
    if not _in_several(rows):
        notes.append(f"no ID in '{pair_by}' occurs in two waves, so there are no pairs")
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
                f"{'is' if n == 1 else 'are'} in several waves: pair them if these are ids of the same "
                "people" + hint(f" (`pair_by={column!r}`)")
            ]
    return []


def _rows_of_people(frame: pl.DataFrame, wave: str, column: str) -> pl.DataFrame:
    """Count the rows of each person in each wave: columns ``id``, ``wave`` and ``len``."""
    pairs = pl.DataFrame({"id": ids_in(frame[column]), "wave": groups_in(frame[wave])})
    return pairs.drop_nulls().group_by("id", "wave").len()


def _in_several(rows: pl.DataFrame) -> int:
    return rows.group_by("id").len().filter(pl.col("len") > 1).height
