"""Merging of one history into another."""

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, Table, select

from semscale.errors import InputError
from semscale.history.column_values import Row
from semscale.history.databases.database import Database, insert_rows
from semscale.history.runs import named
from semscale.history.summaries import Merged
from semscale.history.tables import APPROVALS, COMPARISONS, FIGURES, ITEMS, RUNS, SCORES

_PARTS: dict[Table, tuple[Table, ...]] = {RUNS: (ITEMS,), APPROVALS: (), COMPARISONS: (FIGURES, SCORES)}
_NOUNS = {RUNS: "runs", APPROVALS: "approvals", COMPARISONS: "comparisons"}

_Heads = dict[Table, dict[str, Row]]


def merge(ours: Database, theirs: Database) -> Merged:
    """Add the entries of another history; each run, approval and comparison is one transaction.

    A merge that was stopped continues where it was when it is repeated. Rows are copied unchanged, digests
    included.

    Raises:
        InputError: an entry differs between the two although its id is the same; nothing is added.
    """
    known, offered = _heads(ours), _heads(theirs)
    for table in _PARTS:
        _refuse_conflicts(table, known[table], offered[table], (ours.where, theirs.where))
    added = {
        _NOUNS[table]: sum(_add(ours, theirs, table, head) for head in _missing(known[table], offered[table]))
        for table in _PARTS
    }
    return Merged(**added)


def _heads(database: Database) -> _Heads:
    with database.reading() as connection:
        # Runs are read last, so that each approval's run is among them even while another process adds some.
        return {table: _by_id(connection, table) for table in reversed(_PARTS)}


def _by_id(connection: Connection, table: Table) -> dict[str, Row]:
    found = connection.execute(select(table)).mappings()
    return {row["id"]: dict(row) for row in found}


def _missing(known: Mapping[str, Row], offered: Mapping[str, Row]) -> list[Row]:
    return [row for name, row in offered.items() if name not in known]


def _refuse_conflicts(
    table: Table, known: Mapping[str, Row], offered: Mapping[str, Row], places: tuple[str, str]
) -> None:
    conflicts = [name for name, row in offered.items() if name in known and known[name] != row]
    if conflicts:
        raise InputError(
            f"{_NOUNS[table]} {named(conflicts)} differ between {places[0]} and {places[1]}: one of the two "
            "was changed by hand, so nothing was merged; restore the one that was from a copy"
        )


def _add(ours: Database, theirs: Database, table: Table, head: Row) -> bool:
    name = str(head["id"])
    with theirs.reading() as connection:
        parts = [(part, _rows_of(connection, part, name)) for part in _PARTS[table]]
    with ours.writing(alone=True) as connection:
        if connection.execute(select(table.c.id).where(table.c.id == name)).first() is not None:
            return False  # another merge has added it meanwhile
        insert_rows(connection, table, [head])
        for part, rows in parts:
            insert_rows(connection, part, rows)
    return True


def _rows_of(connection: Connection, part: Table, name: str) -> Sequence[Row]:
    owner = next(column for column in part.c if column.foreign_keys)
    found = connection.execute(select(part).where(owner == name).order_by(*part.primary_key)).mappings()
    return [dict(row) for row in found]
