"""Waves of a survey in several files: their rows below each other, with a column that names the wave."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, zip_longest
from pathlib import Path, PurePath

import polars as pl

from semscale.errors import InputError, UnknownNameError
from semscale.spelling import hint
from semscale.store.missing_codes import code_key
from semscale.store.table import ColumnLabels, Table
from semscale.store.writing import is_reserved
from semscale.survey.description import QuestionKind, Survey
from semscale.survey.finding import columns_named
from semscale.survey.respondents import derive_columns, leave_out_rows

WAVE = "semscale_wave"
"""Column with the name of each row's wave."""

_BY_NAME = hint(" (`wave_name`)")
_LISTED = 5  # columns that a note lists
_TECHNICAL: tuple[QuestionKind, ...] = ("date", "identifier", "wave", "ignore")


def name_waves(latest: str, earlier: Sequence[str], names: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of waves from the first to the last.

    Args:
        latest: path of the file of the last wave.
        earlier: paths of the files before it, the oldest first.
        names: names of waves by the paths of their files; another wave is named by its file, without ending.

    Raises:
        InputError: a file is named twice, or two waves have the same name.

    Examples:
        >>> name_waves("2026/may.csv", ["2026/march.csv"], {"2026/march.csv": "Spring"})
        ('Spring', 'may')
    """
    files = {Path(file).resolve(): PurePath(file) for file in (*earlier, latest)}
    if len(files) <= len(earlier):
        raise InputError("earlier", f": a file is named twice among {', '.join((*earlier, latest))}")
    stated = {Path(file).resolve(): name for file, name in names.items()}
    waves = [stated.get(path, file.stem) for path, file in files.items()]
    keys = [code_key(name) for name in waves]
    if repeated := next((name for name, key in zip(waves, keys, strict=True) if keys.count(key) > 1), None):
        raise InputError(
            "earlier", f": two waves are named '{repeated}': give one of them another name{_BY_NAME}"
        )
    return tuple(waves)


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
        required: columns that each wave needs, such as weights, or their questions.

    Raises:
        InputError: a wave lacks all columns, or a required one.
    """
    *earlier, latest = waves.values()
    _check_columns(earlier, latest, columns_named(required, latest.columns, survey))
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
        notes=(
            *_note_on_names(waves),
            *chain.from_iterable(_note_on_missing(table, latest, survey) for table in earlier),
            *_notes(latest, earlier),
        ),
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


def _note_on_names(waves: Mapping[str, Table]) -> Iterator[str]:
    """State the files of waves that are not named by their files."""
    if any(name != PurePath(table.file_name).stem for name, table in waves.items()):
        yield f"waves and their files: {', '.join(f'‘{name}’ {t.file_name}' for name, t in waves.items())}"


def _notes(latest: Table, earlier: Sequence[Table]) -> Iterator[str]:
    """Yield the notes on all waves, of which those on earlier ones name their files.

    Notes of one kind, such as those on results or on headers, are next to each other.
    """
    named = (
        [note if table.file_name in note else f"{table.file_name}: {note}" for note in table.notes]
        for table in earlier
    )
    yield from filter(None, chain.from_iterable(zip_longest(latest.notes, *named)))


def _note_on_missing(table: Table, latest: Table, survey: Survey | None) -> Iterator[str]:
    """State the columns of questions that an earlier wave lacks."""
    technical = () if survey is None else survey.of_kind(*_TECHNICAL)
    left_out = {column for question in technical for column in question.all_columns}
    # Codes have a value beside each decision, which can be a probability in one wave and not in another.
    left_out |= {name for name in latest.columns if is_reserved(name) and table.has(name.rpartition("_")[0])}
    lacking = [name for name in latest.columns if not table.has(name) and name not in left_out]
    if lacking:
        listed = ", ".join(f"‘{name}’" for name in lacking[:_LISTED])
        more = f" and {len(lacking) - _LISTED:,} more columns" if len(lacking) > _LISTED else ""
        yield f"{table.file_name} has no {listed}{more}: these answers are missing in that wave"
