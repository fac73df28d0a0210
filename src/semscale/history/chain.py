"""The chain of a history: entries, each linked by a hash to the earlier entries of its dataset.

Every entry has a *link*: a hash of the entry and of the last links of its dataset. As a link contains the
earlier hashes, the last link represents the whole dataset; its hash is the head. One writer at a time adds an
entry, so a dataset has one chain. Where an earlier version left several last links, the next entry names all.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property
from typing import Any

from sqlalchemy import ColumnElement, Connection, exists, select

from semscale.errors import InputError
from semscale.history.items import digest_bodies, has_surrogates, parse_body
from semscale.presentable import Presentable
from semscale.store.databases.database import Database, insert_rows
from semscale.store.databases.schema import ENTRIES, ITEMS, LINKS, SCORES

SHORTEST_HEAD = 16
"""Minimum number of characters of a hash to name a head."""

_FEW = 200  # entries whose links are looked up by id
_VERIFY = "semscale drift history --verify names the broken entries"
_CHANGED = "it has another hash than its link"


class EntryKind(StrEnum):
    """The kinds of entries in a history."""

    RUN = "run"
    APPROVAL = "approval"
    REJECTION = "rejection"
    COMPARISON = "comparison"
    ANCHOR_SET = "anchor set"
    ANCHOR_READINGS = "anchor readings"


_NOUNS = {
    EntryKind.RUN: "a run",
    EntryKind.APPROVAL: "an approval",
    EntryKind.REJECTION: "a rejection",
    EntryKind.COMPARISON: "a comparison",
    EntryKind.ANCHOR_SET: "an anchor set",
    EntryKind.ANCHOR_READINGS: "readings",
}


@dataclass(frozen=True)
class Entry:
    """A run, approval, rejection, comparison, anchor set or readings of one, as a row of the database.

    Attributes:
        kind: an ``EntryKind``.
        id: its id.
        dataset: its dataset.
        subject: ID of the run or anchor set of the entry; ``None`` without one.
        moment: its time, from :func:`moment_text`.
        body: its content, from :func:`body_text`, with hashes of items and scores.

    Raises:
        InputError: id, dataset or subject contain NUL or an unpaired surrogate.
    """

    kind: str
    id: str
    dataset: str
    subject: str | None
    moment: str
    body: str

    def __post_init__(self) -> None:
        for name in ("id", "dataset", "subject"):
            value = getattr(self, name)
            if value is not None and ("\0" in value or has_surrogates(value)):
                raise InputError(
                    name,
                    f"must be text that a database can store, got {value[:60]!r}: "
                    "leave out NUL and unpaired surrogates",
                )

    @property
    def time(self) -> datetime:
        """Its time, in UTC."""
        return datetime.fromisoformat(self.moment)

    @cached_property
    def content(self) -> dict[str, Any]:
        """The parsed body."""
        return parse_body(self.body, f"{self.kind} {self.id!r}")

    @property
    def hash(self) -> str:
        """SHA-256 of all attributes, 64 hexadecimal digits."""
        return _hash_of([self.kind, self.id, self.dataset, self.subject, self.moment, self.body])


@dataclass(frozen=True)
class Link:
    """The link of an entry, as a row of the database.

    Attributes:
        hash: stored SHA-256 of the other attributes.
        kind: kind of the entry.
        entry_id: id of the entry.
        dataset: dataset of the entry.
        content: hash of the entry.
        parents: hash of the dataset's previous last link, or of several, separated by spaces.
    """

    hash: str
    kind: str
    entry_id: str
    dataset: str
    content: str
    parents: str

    @property
    def is_intact(self) -> bool:
        """True if the stored hash equals the hash of the other attributes."""
        return self.hash == _link_hash(self.kind, self.entry_id, self.dataset, self.content, self.parents)


def moment_text(name: str, moment: datetime) -> str:
    """Write a time in UTC as text that sorts like the time.

    Raises:
        InputError: the time has no time zone.
    """
    if moment.tzinfo is None:
        raise InputError(name, f"must have a time zone, got {moment.isoformat()}: use datetime.now(UTC)")
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def body_text(content: Mapping[str, object]) -> str:
    """Write the content of an entry as JSON; equal contents in the same order give equal texts."""
    return json.dumps(content, allow_nan=False)


def add_entry(connection: Connection, entry: Entry) -> None:
    """Store an entry, and link it to the last entry of its dataset.

    The connection's transaction must be the only one that writes, or the chain branches. Only the last link
    is checked, as the total work would otherwise grow with the square of the history's length; ``verify``
    checks all links.

    Raises:
        InputError: the history has an entry of this kind and ID, or a last link of the dataset is invalid.
    """
    last = last_links(connection, entry.dataset)
    refuse_lost(connection, LINKS.c.hash.in_([link.hash for link in last]))
    parents = {parent for link in last for parent in link.parents.split()}
    stored = {link.hash for link in load_links(connection, LINKS.c.hash.in_(parents))}
    if any(_link_flaw(link, stored) for link in last):
        raise InputError(
            f"the chain of dataset {entry.dataset[:60]!r} is broken, because somebody changed the database: "
            f"{_VERIFY}; nothing was stored"
        )
    if _is_stored(connection, entry.kind, entry.id):
        raise InputError(
            f"the history has {_NOUNS[EntryKind(entry.kind)]} {entry.id!r} already: nothing is ever "
            "replaced, so give another id"
        )
    insert_rows(connection, ENTRIES, [asdict(entry)])
    hashes = " ".join(sorted(link.hash for link in last))
    values = (entry.kind, entry.id, entry.dataset, entry.hash, hashes)
    insert_rows(connection, LINKS, [asdict(Link(_link_hash(*values), *values))])


def read_entries(connection: Connection, kind: EntryKind, *conditions: ColumnElement[bool]) -> list[Entry]:
    """Read entries, oldest first.

    Args:
        connection: connection to the history's database.
        kind: kind of the entries.
        conditions: conditions on columns of ``ENTRIES``.

    Raises:
        InputError: an entry was changed since it was stored, or was not stored by Semscale.
    """
    columns = ENTRIES.c
    query = select(ENTRIES).where(columns.kind == str(kind), *conditions).order_by(columns.moment, columns.id)
    entries = [Entry(**row) for row in connection.execute(query).mappings()]
    wanted = [LINKS.c.kind == str(kind)]
    if len(entries) <= _FEW:
        wanted.append(LINKS.c.entry_id.in_([entry.id for entry in entries]))
    links = defaultdict[str, list[Link]](list)
    for link in load_links(connection, *wanted):
        links[link.entry_id].append(link)
    for entry in entries:
        reason = _entry_flaw(entry, links[entry.id])
        if reason is not None:
            raise tampering_error(entry, reason)
    return entries


def tampering_error(entry: Entry, reason: str = _CHANGED) -> InputError:
    """Return the error for an entry that differs from the stored one."""
    return InputError(
        f"{entry.kind} {entry.id[:60]!r} is not what was stored: {reason}, so somebody changed the database; "
        f"restore it from a copy ({_VERIFY})"
    )


def refuse_lost(connection: Connection, *conditions: ColumnElement[bool]) -> None:
    """Raise an error if an entry was deleted.

    Args:
        connection: connection to the history's database.
        conditions: conditions on columns of ``LINKS``.

    Raises:
        InputError: an entry has a link and is missing.
    """
    is_there = exists().where(ENTRIES.c.kind == LINKS.c.kind, ENTRIES.c.id == LINKS.c.entry_id)
    lost = load_links(connection, ~is_there, *conditions)
    if lost:
        first, more = lost[0], f" (and {len(lost) - 1:,} more)" if len(lost) > 1 else ""
        raise InputError(
            f"{first.kind} {first.entry_id[:60]!r} of dataset {first.dataset[:60]!r} was stored and is "
            f"missing{more}, so somebody changed the database; restore it from a copy ({_VERIFY})"
        )


def load_links(connection: Connection, *conditions: ColumnElement[bool]) -> list[Link]:
    """Load links in the order in which they were stored, each after its parents."""
    columns = (LINKS.c[name] for name in Link.__dataclass_fields__)
    query = select(*columns).where(*conditions).order_by(LINKS.c.position)
    return [Link(*row) for row in connection.execute(query)]


def last_links(connection: Connection, dataset: str) -> list[Link]:
    """Load a dataset's links that are no link's parents, in the order in which they were stored.

    There is one, or none without entries; an earlier version could leave several.
    """
    of_dataset = LINKS.c.dataset == dataset
    named = select(LINKS.c.parents).where(of_dataset)
    unnamed = load_links(connection, of_dataset, LINKS.c.hash.not_in(named))
    # The query compares whole texts. Only a link that joins branches names several links.
    joined = set(" ".join(connection.execute(named.where(LINKS.c.parents.contains(" "))).scalars()).split())
    return [link for link in unnamed if link.hash not in joined]


def load_bodies(connection: Connection, run_id: str) -> Sequence[str]:
    """Load the JSON of a run's items, in their order."""
    query = select(ITEMS.c.body).where(ITEMS.c.run_id == run_id).order_by(ITEMS.c.position)
    return connection.execute(query).scalars().all()


def load_packed(connection: Connection, comparison_id: str) -> dict[str, bytes]:
    """Load the packed scores of a comparison by metric, sorted."""
    query = select(SCORES.c.metric, SCORES.c.packed).where(SCORES.c.comparison_id == comparison_id)
    return {row.metric: bytes(row.packed) for row in connection.execute(query.order_by(SCORES.c.metric))}


def hashes_of(packed: Mapping[str, bytes]) -> dict[str, str]:
    """Hash the packed scores of a comparison by metric, sorted."""
    return {metric: hashlib.sha256(packed[metric]).hexdigest() for metric in sorted(packed)}


_HEAD = "head"


@dataclass(frozen=True)
class Flaw:
    """An entry or head that fails verification.

    Attributes:
        kind: its ``EntryKind``, or ``head``.
        id: its ID, or the hash of a head.
        dataset: its dataset; ``None`` for a head.
        why: reason of the failure.
    """

    kind: str
    id: str
    dataset: str | None
    why: str

    def __str__(self) -> str:
        return f"{self.kind} {self.id[:60]!r}: {self.why}"


@dataclass(frozen=True, repr=False)
class Verification(Presentable):
    """The result of checking a history.

    Attributes:
        where: the history.
        n_entries: number of checked entries.
        flaws: entries that fail verification, the first broken link first.
        heads: hash of the last link of each dataset.
    """

    where: str
    n_entries: int
    flaws: tuple[Flaw, ...]
    heads: Mapping[str, str]

    def __repr__(self) -> str:
        return f"Verification(where={self.where!r}, entries={self.n_entries:,}, holds={self.holds})"

    @property
    def holds(self) -> bool:
        """True if every entry is unchanged, and the history has every head that was named."""
        return not self.flaws

    @property
    def lost_heads(self) -> tuple[str, ...]:
        """The named heads that the history does not have."""
        return tuple(flaw.id for flaw in self.flaws if flaw.kind == _HEAD)

    def record(self) -> dict[str, Any]:
        """Return all values by name, for JSON."""
        return {
            "instrument": "drift verify",
            "history": self.where,
            "holds": self.holds,
            "entries": self.n_entries,
            "flaws": [asdict(flaw) for flaw in self.flaws],
            "heads": [{"dataset": name, "head": head} for name, head in self.heads.items()],
        }


def verify(database: Database, heads: Sequence[str] = ()) -> Verification:
    """Check every entry against its link, and every link against those before it.

    A chain of hashes cannot show that somebody recomputed all of it, or removed its last entries and links.
    To detect this, store the heads elsewhere and name them here.

    Args:
        database: database of a history.
        heads: hashes of earlier heads, or at least their first 16 characters.

    Raises:
        InputError: a head is shorter than 16 characters.
    """
    for head in heads:
        if len(head) < SHORTEST_HEAD:
            raise InputError(
                "head", f"must be at least {SHORTEST_HEAD} characters of a hash, got {head!r:.60}"
            )
    with database.reading() as connection:
        links, entries = load_links(connection), _all_entries(connection)
        contents = {link.content for link in links}
        changed = {
            key
            for key, entry in entries.items()
            if entry.hash in contents and not _parts_hold(connection, entry)
        }
        last = {
            dataset: last_links(connection, dataset)
            for dataset in sorted({entry.dataset for entry in entries.values()})
        }
    why = "no link has this hash: the entries up to it were replaced or removed"
    lost_heads = [head for head in heads if not any(link.hash.startswith(head) for link in links)]
    return Verification(
        where=database.address.shown,
        n_entries=len(entries),
        flaws=(*_flaws(links, entries, changed), *(Flaw(_HEAD, head, None, why) for head in lost_heads)),
        heads={dataset: listed[-1].hash for dataset, listed in last.items() if listed},
    )


def _is_stored(connection: Connection, kind: str, id_: str) -> bool:
    query = select(ENTRIES.c.id).where(ENTRIES.c.kind == kind, ENTRIES.c.id == id_)
    return connection.execute(query).first() is not None


def _all_entries(connection: Connection) -> dict[tuple[str, str], Entry]:
    query = select(ENTRIES).order_by(ENTRIES.c.moment, ENTRIES.c.id)
    entries = (Entry(**row) for row in connection.execute(query).mappings())
    return {(entry.kind, entry.id): entry for entry in entries}


def _parts_hold(connection: Connection, entry: Entry) -> bool:
    """Compare the items of a run, or the scores of a comparison, with their hashes."""
    if entry.kind == EntryKind.RUN:
        return bool(entry.content.get("items") == digest_bodies(load_bodies(connection, entry.id)))
    if entry.kind == EntryKind.COMPARISON:
        return bool(entry.content.get("scores") == hashes_of(load_packed(connection, entry.id)))
    return True


def _flaws(
    links: Sequence[Link], entries: Mapping[tuple[str, str], Entry], changed: set[tuple[str, str]]
) -> list[Flaw]:
    """List the entries that fail verification in the order of the chain; those without a link come last."""
    hashes = {link.hash for link in links}
    reasons: dict[tuple[str, str], tuple[str, str]] = {}
    for link in links:
        key = (link.kind, link.entry_id)
        entry = entries.get(key)
        if entry is None:
            reason: str | None = "it is missing, but its link exists"
        elif key in changed:
            reason = _CHANGED
        else:
            reason = _entry_flaw(entry, [link]) or _link_flaw(link, hashes)
        if reason is not None:
            reasons.setdefault(key, (link.dataset, reason))
    linked = {(link.kind, link.entry_id) for link in links}
    for key, entry in entries.items():
        if key not in linked:
            reasons[key] = (entry.dataset, "it has no link")
    return [Flaw(*key, *reason) for key, reason in reasons.items()]


def _entry_flaw(entry: Entry, links: Sequence[Link]) -> str | None:
    if not links:
        return "it has no link"
    if not all(link.is_intact for link in links):
        return "its link has another hash"
    if any((link.dataset, link.content) != (entry.dataset, entry.hash) for link in links):
        return _CHANGED
    return None


def _link_flaw(link: Link, hashes: set[str]) -> str | None:
    if not link.is_intact:
        return "its link has another hash"
    if not hashes.issuperset(link.parents.split()):
        return "an entry that was stored before it is missing or was replaced"
    return None


def _link_hash(kind: str, entry_id: str, dataset: str, content: str, parents: str) -> str:
    return _hash_of([kind, entry_id, dataset, content, parents])


def _hash_of(values: Iterable[str | None]) -> str:
    return hashlib.sha256(json.dumps(list(values)).encode()).hexdigest()
