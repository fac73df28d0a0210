"""Entries of a history by the hashes that seals contain."""

import hashlib
from collections.abc import Iterable, Mapping

from sqlalchemy import Table

from semscale.history.column_values import Found, Row
from semscale.history.seals import Entry, EntryKind, hash_of
from semscale.history.tables import ANCHOR_READINGS, ANCHOR_SETS, APPROVALS, COMPARISONS, FIGURES, RUNS

AnyRow = Row | Found
"""A row to insert, or a row from the database."""

_NAMES = {
    table: [column.name for column in table.columns]
    for table in (RUNS, APPROVALS, COMPARISONS, FIGURES, ANCHOR_SETS, ANCHOR_READINGS)
}


def run_entry(row: AnyRow, items_digest: str | None = None) -> Entry:
    """Hash a run.

    Args:
        row: of the run.
        items_digest: ``digest_bodies`` of its items; ``None`` where they were not read.
    """
    return _entry(EntryKind.RUN, row, hash_of(_columns(RUNS, row)), items_digest)


def approval_entry(row: AnyRow) -> Entry:
    """Hash an approval, which has no parts."""
    return _entry(EntryKind.APPROVAL, row, hash_of(_columns(APPROVALS, row)), "")


def comparison_entry(row: AnyRow, figures: Iterable[AnyRow], parts: str | None = None) -> Entry:
    """Hash a comparison.

    Args:
        row: of the comparison.
        figures: rows of all its figures, in their order.
        parts: ``scores_hash`` of its scores; ``None`` where they were not read.
    """
    content = [_columns(COMPARISONS, row), [_columns(FIGURES, figure) for figure in figures]]
    return _entry(EntryKind.COMPARISON, row, hash_of(content), parts)


def set_entry(row: AnyRow) -> Entry:
    """Hash an anchor set, which has no parts."""
    return _entry(EntryKind.ANCHOR_SET, row, hash_of(_columns(ANCHOR_SETS, row)), "")


def readings_entry(row: AnyRow) -> Entry:
    """Hash readings of an anchor set, which have no parts."""
    return _entry(EntryKind.ANCHOR_READINGS, row, hash_of(_columns(ANCHOR_READINGS, row)), "")


def scores_hash(packed: Mapping[str, bytes]) -> str:
    """Hash the packed scores of a comparison by metric."""
    return hash_of({metric: hashlib.sha256(body).hexdigest() for metric, body in packed.items()})


def _entry(kind: EntryKind, row: AnyRow, content: str, parts: str | None) -> Entry:
    return Entry(kind, str(row["id"]), str(row["dataset"]), content, parts)


def _columns(table: Table, row: AnyRow) -> dict[str, object]:
    """Take the columns that have a value, so that a column that is added later changes no hash.

    Negative zero becomes zero, as SQLite keeps no sign of it.
    """
    values = ((name, row[name]) for name in _NAMES[table])
    return {
        name: value + 0.0 if isinstance(value, float) else value
        for name, value in values
        if value is not None
    }
