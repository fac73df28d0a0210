"""Unfinished interviews, previews, tests and spam in exports: they are counted, and stay in the table."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from semscale.spelling import hint
from semscale.store.columns import column_in, groups_in, storable
from semscale.store.exports import limesurvey, qualtrics
from semscale.store.table import Table

_BATCH = 50_000
_OF_QUALTRICS = frozenset({"ResponseId", "RecordedDate", "StartDate"})


def with_unfinished_counted(table: Table) -> Table:
    """Add a note on the number of unfinished interviews to an export of Qualtrics or LimeSurvey.

    Their rows stay in the table; the user decides about them. Other tables are not changed.
    """
    notes = unfinished_notes(table)
    return replace(table, notes=(*table.notes, *notes)) if notes else table


def unfinished_notes(table: Table, kept: Table | None = None) -> list[str]:
    """Return a sentence for each kind of rows that are no finished interviews.

    Args:
        table: the table with these rows.
        kept: the rows that its description keeps; ``None`` for all.
    """
    return [
        note
        for column, meanings in _signs(table.columns).items()
        for note in _notes(table, table if kept is None else kept, column, meanings)
    ]


def notes_on_used(columns: Sequence[str], count: Callable[[str, str], int]) -> dict[str, tuple[str, str]]:
    """Return the sentences of ``unfinished_notes`` on rows that are used like all others.

    Args:
        columns: the columns of the table.
        count: returns the number of cells of a column with a value; ``""`` is an empty cell.

    Returns:
        Column and value that mark the rows, by the sentence.
    """
    return {
        f"{_rows_are(n)} {meaning}{_treatment(column, value, n, n)}": (column, value)
        for column, meanings in _signs(columns).items()
        for value, meaning in meanings.items()
        if (n := count(column, value))
    }


def _signs(columns: Sequence[str]) -> dict[str, Mapping[str, str]]:
    """Return the columns of a table that mark such rows: descriptions by value."""
    signs: Mapping[str, Mapping[str, str]] = {}
    if frozenset(columns) & _OF_QUALTRICS:
        signs = qualtrics.UNFINISHED
    elif limesurvey.is_limesurvey(columns):
        signs = limesurvey.UNFINISHED
    return {column: meanings for column, meanings in signs.items() if column in columns}


def count_cells(table: Table, column: str) -> Counter[str]:
    """Count the cells of a column by their text without outer spaces; an empty cell is ``""``.

    Args:
        table: the table, of which only this column is read.
        column: its name.

    Raises:
        InputError: a row cannot be read.
    """
    counts: Counter[str] = Counter()
    for batch in table.batches_with([column], _BATCH):
        cells = groups_in(storable(column_in(batch, column).to_frame()).to_series())
        counts.update(cells.fill_null("").str.strip_chars().to_list())
    return counts


def _notes(table: Table, kept: Table, column: str, meanings: Mapping[str, str]) -> list[str]:
    """Count the rows of each meaning; the value ``""`` is an empty cell."""
    counts = count_cells(table, column)
    kept_counts = counts if kept is table else count_cells(kept, column)
    return [
        f"{_rows_are(counts[value])} {meanings[value]}"
        + _treatment(column, value, counts[value], kept_counts[value])
        for value in meanings
        if counts[value]
    ]


def _treatment(column: str, value: str, n: int, n_kept: int) -> str:
    if not n_kept:
        return "; the description leaves such rows out"
    if n_kept < n:
        return f"; the description leaves {n - n_kept:,} of them out"
    return " and treated like all others" + hint(
        f"; `where={_condition(column, value)}` leaves such rows out"
    )


def _rows_are(n: int) -> str:
    return "1 row is" if n == 1 else f"{n:,} rows are"


def _condition(column: str, value: str) -> str:
    """Write the condition that keeps the other rows, quoted for a shell."""
    if value:
        return f"\"{column} <> '{value}'\""
    return f'"{column} IS NOT NULL"' if column.isidentifier() else f"'\"{column}\" IS NOT NULL'"
