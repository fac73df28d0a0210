"""Merging of one history into another."""

from collections import Counter
from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, Table, select

from semscale.errors import InputError
from semscale.history.column_values import Row
from semscale.history.databases.database import Database, insert_rows
from semscale.history.recorded_seals import TABLES, load_seals, seal_row
from semscale.history.runs import named
from semscale.history.seals import Seal, parents_first
from semscale.history.summaries import Merged
from semscale.history.tables import (
    ANCHOR_READINGS,
    ANCHOR_SETS,
    APPROVALS,
    COMPARISONS,
    FIGURES,
    ITEMS,
    RUNS,
    SCORES,
    SEALS,
)
from semscale.history.verification import verify

_PARTS: dict[Table, tuple[Table, ...]] = {
    RUNS: (ITEMS,),
    APPROVALS: (),
    COMPARISONS: (FIGURES, SCORES),
    ANCHOR_SETS: (),
    ANCHOR_READINGS: (),
}
_NOUNS = {
    RUNS: "runs",
    APPROVALS: "approvals",
    COMPARISONS: "comparisons",
    ANCHOR_SETS: "anchor_sets",
    ANCHOR_READINGS: "anchor_readings",
}

_Heads = dict[Table, dict[str, Row]]


def merge(ours: Database, theirs: Database) -> Merged:
    """Add the entries of another history with their seals; each entry is one transaction.

    An entry comes after those that its seal names, so that a merge that was stopped leaves a whole chain, and
    continues where it was when it is repeated. Rows are copied unchanged.

    Raises:
        InputError: an entry differs between the two although its id is the same, or an entry of the other
            history does not hold; nothing is added.
    """
    # Seals are read first, so that each one's entry is there even while another process adds some.
    known_seals, offered_seals = _seals(ours), _seals(theirs)
    known, offered = _heads(ours), _heads(theirs)
    for table in _PARTS:
        _refuse_conflicts(table, known[table], offered[table], (ours.where, theirs.where))
    _refuse_flaws(theirs)
    added: Counter[str] = Counter()
    for one in parents_first(offered_seals):
        if one.hash not in known_seals:
            table = TABLES[one.kind]
            added[_NOUNS[table]] += _add(ours, theirs, offered[table][one.entry_id], one)
    return Merged(**added)


def _seals(database: Database) -> dict[str, Seal]:
    with database.reading() as connection:
        return load_seals(connection)


def _refuse_flaws(theirs: Database) -> None:
    found = verify(theirs)
    if not found.holds:
        raise InputError(
            f"history {theirs.where} is not what was stored: {found.flaws[0]}; nothing was merged, so take "
            "it from a copy (semscale drift history --verify)"
        )


def _heads(database: Database) -> _Heads:
    with database.reading() as connection:
        return {table: _by_id(connection, table) for table in _PARTS}


def _by_id(connection: Connection, table: Table) -> dict[str, Row]:
    found = connection.execute(select(table)).mappings()
    return {row["id"]: dict(row) for row in found}


def _refuse_conflicts(
    table: Table, known: Mapping[str, Row], offered: Mapping[str, Row], places: tuple[str, str]
) -> None:
    conflicts = [name for name, row in offered.items() if name in known and known[name] != row]
    if conflicts:
        raise InputError(
            f"{_NOUNS[table].replace('_', ' ')} {named(conflicts)} differ between {places[0]} and "
            f"{places[1]}: one of the two was changed by hand, so nothing was merged; restore the one that "
            "was from a copy"
        )


def _add(ours: Database, theirs: Database, head: Row, one: Seal) -> bool:
    """Add a seal, and its entry if it is not there; tell whether the entry was added."""
    table = TABLES[one.kind]
    with theirs.reading() as connection:
        parts = [(part, _rows_of(connection, part, one.entry_id)) for part in _PARTS[table]]
    with ours.writing(alone=True) as connection:
        if connection.execute(select(SEALS.c.hash).where(SEALS.c.hash == one.hash)).first() is not None:
            return False  # another merge has added it meanwhile
        is_new = connection.execute(select(table.c.id).where(table.c.id == one.entry_id)).first() is None
        if is_new:
            insert_rows(connection, table, [head])
            for part, rows in parts:
                insert_rows(connection, part, rows)
        insert_rows(connection, SEALS, [seal_row(one)])
    return is_new


def _rows_of(connection: Connection, part: Table, name: str) -> Sequence[Row]:
    owner = next(column for column in part.c if column.foreign_keys)
    found = connection.execute(select(part).where(owner == name).order_by(*part.primary_key)).mappings()
    return [dict(row) for row in found]
