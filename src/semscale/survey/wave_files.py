"""Waves of a survey in several files: their rows below each other, with a column that names the wave."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import PurePath

import polars as pl

from semscale.errors import InputError, UnknownNameError
from semscale.store.table import ColumnLabels, Table
from semscale.store.writing import is_reserved
from semscale.survey.description import QuestionKind, Survey
from semscale.survey.respondents import derive_columns, leave_out_rows

WAVE = "semscale_wave"
"""Column with the wave of each row, which is the name of its file without its ending."""

_LISTED = 5  # columns that a note lists
_TECHNICAL: tuple[QuestionKind, ...] = ("date", "identifier", "wave", "ignore")


def name_waves(latest: str, earlier: Sequence[str]) -> tuple[str, ...]:
    """Return the names of waves from the first to the last: the names of their files without endings.

    Args:
        latest: path of the file of the last wave.
        earlier: paths of the files before it, the oldest first.

    Raises:
        InputError: two files have the same name.

    Examples:
        >>> name_waves("2026/may.csv", ["2026/march.csv", "2026/april.sav"])
        ('march', 'april', 'may')
    """
    names = [PurePath(file).stem for file in (*earlier, latest)]
    if repeated := next((name for name in names if names.count(name) > 1), None):
        raise InputError(
            "earlier", f": two files are named '{repeated}', which would be one wave: rename one of them"
        )
    return tuple(names)


def open_wave(table: Table, survey: Survey | None) -> Table:
    """Return the table of an earlier wave with the rows that count by the description of the last wave.

    Columns that the description derives from questions that this wave lacks are missing.

    Raises:
        InputError: as ``leave_out_rows``.
    """
    if survey is None:
        return table
    known: dict[str, str] = {}
    for name, text in survey.derive.items():
        try:
            derive_columns(table, survey.model_copy(update={"derive": {**known, name: text}}))
        except UnknownNameError:
            continue
        known[name] = text
    return leave_out_rows(table, survey.model_copy(update={"derive": known}))


def stack_waves(waves: Mapping[str, Table], survey: Survey | None, required: Collection[str] = ()) -> Table:
    """Return the rows of all waves in one table, with a column of waves (``WAVE``).

    The table has the columns of the last wave. Cells of a column that an earlier wave lacks are missing, and
    a note names it.

    Args:
        waves: the tables by the names of their waves, from the first to the last; the rows that count.
        survey: description of the last wave; ``None`` without one.
        required: columns that each wave needs, such as weights.

    Raises:
        InputError: a wave lacks all columns, or a required one.
    """
    *earlier, latest = waves.values()
    _check_columns(earlier, latest, required)
    results = [name for table in earlier for name in table.columns if is_reserved(name)]
    labels = {name: known for table in earlier for name, known in table.labels.items()}
    newest_first = dict(list(waves.items())[::-1])  # its first rows tell the types of columns
    return replace(
        latest,
        columns=tuple(dict.fromkeys([*latest.columns, *results, WAVE])),
        read=partial(_rows, newest_first),
        read_columns=partial(_columns, newest_first),
        n_rows=None,
        settings=(*latest.settings, *(f"wave {name}" for name in waves)),
        labels={**labels, **latest.labels, WAVE: ColumnLabels("Wave")},
        notes=(*latest.notes, *chain.from_iterable(_notes(table, latest, survey) for table in earlier)),
        whole=_stack_wholes(waves, survey),
        row_in_whole=None,
    )


def _check_columns(earlier: Sequence[Table], latest: Table, required: Collection[str]) -> None:
    for table in earlier:
        if not {*table.columns} & {*latest.columns}:
            raise InputError("earlier", f": {table.name} has none of the columns of {latest.name}")
        for name in required:
            table.require(name, "earlier")


def _rows(waves: Mapping[str, Table], size: int, skip: int) -> Iterator[pl.DataFrame]:
    """Yield the rows of all waves, without the first ones."""
    for name, table in waves.items():
        for batch in table.batches(size):
            if skip < batch.height:
                yield batch[skip:].with_columns(pl.lit(name).alias(WAVE))
            skip = max(0, skip - batch.height)


def _columns(waves: Mapping[str, Table], size: int, titles: Collection[str]) -> Iterator[pl.DataFrame]:
    """Yield some columns of all waves, as far as they have them."""
    for name, table in waves.items():
        own = [title for title in titles if table.has(title)] or [table.columns[0]]
        for batch in table.batches_with(own, size):
            yield batch.with_columns(pl.lit(name).alias(WAVE))


def _stack_wholes(waves: Mapping[str, Table], survey: Survey | None) -> Table | None:
    """Return all rows of all waves, with those that conditions left out; ``None`` if there are no others."""
    if all(table.whole is None for table in waves.values()):
        return None
    return stack_waves({name: table.whole or table for name, table in waves.items()}, survey)


def _notes(table: Table, latest: Table, survey: Survey | None) -> Iterator[str]:
    """Yield the notes on an earlier wave, and one on the columns of questions that it lacks."""
    for note in table.notes:
        yield note if table.file_name in note else f"{table.file_name}: {note}"
    technical = () if survey is None else survey.of_kind(*_TECHNICAL)
    left_out = {column for question in technical for column in question.all_columns}
    lacking = [name for name in latest.columns if not table.has(name) and name not in left_out]
    if lacking:
        listed = ", ".join(f"‘{name}’" for name in lacking[:_LISTED])
        more = f" and {len(lacking) - _LISTED:,} more columns" if len(lacking) > _LISTED else ""
        yield f"{table.file_name} has no {listed}{more}: these answers are missing in that wave"
