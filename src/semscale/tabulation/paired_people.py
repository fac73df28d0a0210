"""People of several waves: what is to be said of their ids before waves are compared."""

from collections.abc import Iterable

import polars as pl

from semscale.store.column_profile import is_id_name
from semscale.store.columns import groups_in

_MOSTLY = 0.95
"""Share of people with one row in a wave from which on a column is taken for their ids."""


def id_columns(columns: Iterable[str]) -> list[str]:
    """Name the columns that are called like ids of respondents.

    Example:
        >>> id_columns(["age", "person_id", "ResponseId"])
        ['person_id', 'ResponseId']
    """
    return [column for column in columns if is_id_name(column)]


def pair_notes(frame: pl.DataFrame, wave: str, pair_by: str) -> list[str]:
    """Say what is odd about pairs: people twice in a wave, or nobody in two of them.

    Args:
        frame: n rows.
        wave: column of waves.
        pair_by: column of ids.
    """
    rows = _rows_of_people(frame, wave, pair_by)
    notes = []
    if twice := rows.filter(pl.col("len") > 1)["id"].n_unique():
        example = rows.filter(pl.col("len") > 1).sort("id").row(0, named=True)
        notes.append(
            f"pair_by: {_people(twice)} in a wave more than once, such as '{example['id']}' in wave "
            f"'{example['wave']}' ({example['len']} rows): "
            "each row counts; check the ids, or leave rows out (--where)"
        )
    if not _in_several(rows):
        notes.append(f"pair_by: nobody in '{pair_by}' is in two waves, so that there are no pairs")
    return notes


def unpaired_notes(frame: pl.DataFrame, wave: str) -> list[str]:
    """Say that waves which are compared as different people share ids.

    Args:
        frame: n rows, with the columns that are called like ids.
        wave: column of waves.
    """
    for column in id_columns(frame.columns):
        if column == wave:
            continue
        rows = _rows_of_people(frame, wave, column)
        if (shared := _in_several(rows)) and rows.filter(pl.col("len") == 1).height >= _MOSTLY * rows.height:
            values = "one value" if shared == 1 else f"{shared:,} values"
            number = "is" if shared == 1 else "are"
            return [
                f"waves are compared as if of different people, but {values} of '{column}' "
                f"{number} in several waves: for ids of the same people, say --pair-by {column}"
            ]
    return []


def _rows_of_people(frame: pl.DataFrame, wave: str, column: str) -> pl.DataFrame:
    """Count the rows of each person in each wave: columns ``id``, ``wave`` and ``len``."""
    pairs = pl.DataFrame({"id": groups_in(frame[column]), "wave": groups_in(frame[wave])})
    return pairs.drop_nulls().group_by("id", "wave").len()


def _in_several(rows: pl.DataFrame) -> int:
    return rows.group_by("id").len().filter(pl.col("len") > 1).height


def _people(n: int) -> str:
    return "1 person is" if n == 1 else f"{n:,} people are"
