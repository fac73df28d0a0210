"""Verification of a history: every entry against its seal, and every seal against those before it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, select

from semscale.errors import InputError
from semscale.history.databases.database import Database, insert_rows
from semscale.history.entries import (
    approval_entry,
    comparison_entry,
    readings_entry,
    run_entry,
    scores_hash,
    set_entry,
)
from semscale.history.item_json import digest_bodies
from semscale.history.recorded_comparisons import load_figures, load_packed
from semscale.history.recorded_runs import load_bodies
from semscale.history.recorded_seals import broken_links, flaws_of, load_seals, lost_entries, seal_row
from semscale.history.seals import SHORTEST_HEAD, Entry, Seal, heads_of, parents_first, seal
from semscale.history.tables import ANCHOR_READINGS, ANCHOR_SETS, APPROVALS, COMPARISONS, RUNS, SEALS
from semscale.presentable import Presentable


@dataclass(frozen=True)
class Flaw:
    """An entry that does not hold.

    Attributes:
        kind: what it is, an ``EntryKind``, or ``head``.
        id: its id; of a head, its hash.
        dataset: its dataset; ``None`` for a head.
        why: the reason.
    """

    kind: str
    id: str
    dataset: str | None
    why: str

    def __str__(self) -> str:
        return f"{self.kind} {self.id[:60]!r}: {self.why}"


@dataclass(frozen=True, repr=False)
class Verification(Presentable):
    """What a verification found.

    Attributes:
        where: the history.
        n_entries: number of entries that were checked.
        n_late: number of entries that were sealed when the history was migrated: a change before that cannot
            be seen.
        flaws: entries that do not hold, the oldest in the chain first.
        heads: hashes of the last seals of each dataset.
    """

    where: str
    n_entries: int
    n_late: int
    flaws: tuple[Flaw, ...]
    heads: Mapping[str, tuple[str, ...]]

    def __repr__(self) -> str:
        return f"Verification(where={self.where!r}, entries={self.n_entries:,}, holds={self.holds})"

    @property
    def holds(self) -> bool:
        """Whether every entry is what was stored, and every head that was named is there."""
        return not self.flaws

    def record(self) -> dict[str, Any]:
        """Lay everything out by name, for JSON."""
        return {
            "instrument": "drift verify",
            "history": self.where,
            "holds": self.holds,
            "entries": self.n_entries,
            "sealed_late": self.n_late,
            "flaws": [asdict(flaw) for flaw in self.flaws],
            "heads": [{"dataset": name, "heads": hashes} for name, hashes in self.heads.items()],
        }


def verify(database: Database, heads: Sequence[str] = ()) -> Verification:
    """Check every entry against its seal, and every seal against those before it.

    A chain of hashes cannot show that somebody computed all of it anew, or took away its last entries: for
    this, note the heads elsewhere and name them here.

    Args:
        database: a history's.
        heads: hashes of heads that were noted before, or at least their first 16 characters.

    Raises:
        InputError: a head is shorter.
    """
    for head in heads:
        if len(head) < SHORTEST_HEAD:
            raise InputError(f"head must be at least {SHORTEST_HEAD} characters of a hash, got {head!r:.60}")
    with database.reading() as connection:
        entries = list(_entries(connection))
        # Read after the entries, so that one that another process adds meanwhile has its seal.
        seals = load_seals(connection)
        lost = lost_entries(connection)
    flaws = [*_flaws(entries, seals, lost), *_head_flaws(seals, heads)]
    datasets = sorted({entry.dataset for entry in entries})
    return Verification(
        where=database.where,
        n_entries=len(entries),
        n_late=len({(one.kind, one.entry_id) for one in seals.values() if one.is_late}),
        flaws=tuple(flaws),
        heads={
            name: tuple(heads_of(one for one in seals.values() if one.dataset == name)) for name in datasets
        },
    )


def _flaws(entries: Sequence[Entry], seals: Mapping[str, Seal], lost: Sequence[Seal]) -> list[Flaw]:
    """List the entries that do not hold, in the order of the chain; those without a seal come last."""
    reasons: dict[tuple[str, str], tuple[str, str]] = {
        (entry.kind, entry.id): (entry.dataset, why) for entry, why in flaws_of(entries, seals)
    }
    of_seals = [*((one, "it is missing, and its seal is there") for one in lost), *broken_links(seals)]
    for one, why in of_seals:
        reasons.setdefault((one.kind, one.entry_id), (one.dataset, why))
    in_chain = [(one.kind, one.entry_id) for one in parents_first(seals)]
    ordered = dict.fromkeys([*in_chain, *reasons])
    return [Flaw(*name, *reasons[name]) for name in ordered if name in reasons]


def _head_flaws(seals: Mapping[str, Seal], heads: Sequence[str]) -> list[Flaw]:
    why = "no seal has this hash: what was stored up to it was replaced or taken away"
    return [
        Flaw("head", head, None, why) for head in heads if not any(name.startswith(head) for name in seals)
    ]


def _entries(connection: Connection) -> Iterator[Entry]:
    """Read every entry with its parts, the oldest of each kind first."""
    for row in connection.execute(select(RUNS).order_by(RUNS.c.recorded, RUNS.c.id)).mappings().all():
        yield run_entry(row, digest_bodies(load_bodies(connection, row["id"])))
    given = select(APPROVALS).order_by(APPROVALS.c.approved, APPROVALS.c.id)
    yield from map(approval_entry, connection.execute(given).mappings().all())
    compared = select(COMPARISONS).order_by(COMPARISONS.c.compared, COMPARISONS.c.id)
    figures = load_figures(connection)
    for row in connection.execute(compared).mappings().all():
        packed = load_packed(connection, row["id"])
        yield comparison_entry(row, figures[row["id"]], scores_hash(packed))
    frozen = select(ANCHOR_SETS).order_by(ANCHOR_SETS.c.frozen, ANCHOR_SETS.c.id)
    yield from map(set_entry, connection.execute(frozen).mappings().all())
    read = select(ANCHOR_READINGS).order_by(ANCHOR_READINGS.c.measured, ANCHOR_READINGS.c.id)
    yield from map(readings_entry, connection.execute(read).mappings().all())


def seal_old_entries(connection: Connection) -> None:
    """Seal the entries of a history that an older version made, in one chain for each dataset."""
    last: dict[str, list[str]] = {}
    made = []
    for entry in _entries(connection):
        one = seal(entry, last.get(entry.dataset, ()), is_late=True)
        last[entry.dataset] = [one.hash]
        made.append(seal_row(one))
    insert_rows(connection, SEALS, made)
