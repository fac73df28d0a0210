"""Seals in the database of a history: made with each entry, and checked whenever an entry is read."""

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import ColumnElement, Connection, Table, or_, select

from semscale.errors import InputError
from semscale.history.column_values import Found, Row
from semscale.history.databases.database import insert_rows
from semscale.history.seals import Entry, EntryKind, Seal, heads_of, seal
from semscale.history.tables import ANCHOR_READINGS, ANCHOR_SETS, APPROVALS, COMPARISONS, RUNS, SEALS

TABLES: Mapping[str, Table] = {
    EntryKind.RUN: RUNS,
    EntryKind.APPROVAL: APPROVALS,
    EntryKind.COMPARISON: COMPARISONS,
    EntryKind.ANCHOR_SET: ANCHOR_SETS,
    EntryKind.ANCHOR_READINGS: ANCHOR_READINGS,
}
"""The table of each kind of entries."""

_FEW = 200  # entries whose seals are looked up by id
_VERIFY = "semscale drift history --verify names what does not hold"


def seal_entry(connection: Connection, entry: Entry) -> Seal:
    """Seal an entry that was just stored, and chain it to the last seals of its dataset.

    Raises:
        InputError: a seal of the dataset was changed, or the history lacks one that another one names, or
            the entry of one.
    """
    refuse_lost(connection, SEALS.c.dataset == entry.dataset)
    before = load_seals(connection, SEALS.c.dataset == entry.dataset)
    if broken_links(before):
        raise InputError(
            f"the chain of dataset {entry.dataset[:60]!r} is broken, because somebody changed the database: "
            f"{_VERIFY}; nothing was stored"
        )
    made = seal(entry, heads_of(before.values()))
    insert_rows(connection, SEALS, [seal_row(made)])
    return made


def check_entries(connection: Connection, entries: Sequence[Entry]) -> None:
    """Check that entries that were read are what was stored.

    Raises:
        InputError: an entry was changed since it was stored, or was stored by something else than Semscale.
    """
    if not entries:
        return
    wanted = [SEALS.c.kind.in_(sorted({str(entry.kind) for entry in entries}))]
    if len(entries) <= _FEW:
        wanted.append(SEALS.c.entry_id.in_([entry.id for entry in entries]))
    seals = load_seals(connection, *wanted)
    for entry, why in flaws_of(entries, seals):
        raise InputError(
            f"{entry.name} is not what was stored: {why}, so somebody changed the database; take it from a "
            f"copy ({_VERIFY})"
        )


def refuse_lost(connection: Connection, *wanted: ColumnElement[bool]) -> None:
    """Refuse to go on where an entry was deleted.

    Args:
        connection: to the history's database.
        wanted: conditions on columns of the table of seals.

    Raises:
        InputError: an entry has a seal and is not there.
    """
    lost = lost_entries(connection, *wanted)
    if lost:
        one, more = lost[0], f" (and {len(lost) - 1:,} more)" if len(lost) > 1 else ""
        raise InputError(
            f"{one.kind} {one.entry_id[:60]!r} of dataset {one.dataset[:60]!r} was stored and is missing"
            f"{more}, so somebody changed the database; take it from a copy ({_VERIFY})"
        )


def lost_entries(connection: Connection, *wanted: ColumnElement[bool]) -> list[Seal]:
    """List the seals whose entries are not there.

    Seals and entries are looked up in one statement: one that another process adds meanwhile has both.

    Args:
        connection: to the history's database.
        wanted: conditions on columns of the table of seals; all seals without one.
    """
    is_there = [
        (SEALS.c.kind == str(kind)) & SEALS.c.entry_id.in_(select(table.c.id))
        for kind, table in TABLES.items()
    ]
    return list(load_seals(connection, ~or_(*is_there), *wanted).values())


def flaws_of(entries: Iterable[Entry], seals: Mapping[str, Seal]) -> list[tuple[Entry, str]]:
    """List the entries that their seals do not fit, each with the reason.

    Args:
        entries: as they are stored now.
        seals: all seals of these entries, by the hash that is stored with them.
    """
    of_entries: dict[tuple[str, str], list[tuple[str, Seal]]] = {}
    for name, one in seals.items():
        of_entries.setdefault((one.kind, one.entry_id), []).append((name, one))
    found = []
    for entry in entries:
        own = of_entries.get((entry.kind, entry.id), [])
        if not own:
            found.append((entry, "it has no seal"))
        elif any(name != one.hash for name, one in own):
            found.append((entry, "its seal has another hash"))
        elif not all(one.fits(entry) for _, one in own):
            found.append((entry, "it has another hash than its seal"))
    return found


def broken_links(seals: Mapping[str, Seal]) -> list[tuple[Seal, str]]:
    """List the seals that were changed, or that name a seal that is missing, each with the reason.

    Args:
        seals: all seals of one dataset or more, by the hash that is stored with them.
    """
    found = []
    for name, one in seals.items():
        if name != one.hash:
            found.append((one, "its seal has another hash"))
        elif any(parent not in seals for parent in one.parents):
            found.append((one, "an entry that was stored before it is missing or was replaced"))
    return found


def load_seals(connection: Connection, *wanted: ColumnElement[bool]) -> dict[str, Seal]:
    """Load seals by the hash that is stored with them.

    Args:
        connection: to the history's database.
        wanted: conditions on columns of the table; all seals without one.
    """
    found = connection.execute(select(SEALS).where(*wanted).order_by(SEALS.c.hash)).mappings()
    return {each["hash"]: read_seal(each) for each in found}


def seal_row(one: Seal) -> Row:
    """Convert a seal into its row."""
    return {
        "hash": one.hash,
        "kind": one.kind,
        "entry_id": one.entry_id,
        "dataset": one.dataset,
        "content": one.content,
        "parts": one.parts,
        "parents": " ".join(one.parents),
        "is_late": one.is_late,
    }


def read_seal(found: Found) -> Seal:
    """Build a seal from its row; its hash is computed anew."""
    columns = {name: found[name] for name in Seal.__dataclass_fields__}
    return Seal(**(columns | {"parents": tuple(found["parents"].split()), "is_late": bool(found["is_late"])}))
