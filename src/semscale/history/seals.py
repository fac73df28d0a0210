"""Seals: hashes of a history's entries, each chained to the entries that were there before it."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property
from graphlib import TopologicalSorter

SHORTEST_HEAD = 16
"""The fewest characters of a hash that can name a head."""


class EntryKind(StrEnum):
    """What a history holds."""

    RUN = "run"
    APPROVAL = "approval"
    COMPARISON = "comparison"
    ANCHOR_SET = "anchor set"
    ANCHOR_READINGS = "anchor readings"


@dataclass(frozen=True)
class Entry:
    """A run, approval, comparison, anchor set or readings of one, by its hashes.

    Attributes:
        kind: what it is.
        id: its id.
        dataset: its dataset.
        content: hash of its row, for a comparison with all figures.
        parts: hash of what is read apart from the row: a run's items, a comparison's scores; ``""`` where
            there is nothing, ``None`` where they were not read.
    """

    kind: EntryKind
    id: str
    dataset: str
    content: str
    parts: str | None

    @property
    def name(self) -> str:
        """The entry in words, such as ``run '4f9ce898'``."""
        return f"{self.kind} {self.id[:60]!r}"


@dataclass(frozen=True)
class Seal:
    """The seal of an entry: its hashes, and the seals of its dataset that no other one named before it.

    As each seal contains the hashes of the seals before it, the last one stands for all of them. Two machines
    that go on from one history make two last seals; the next entry after a merge names both.

    Attributes:
        kind: what was sealed, an ``EntryKind``.
        entry_id: id of the entry.
        dataset: dataset of the entry.
        content: as in ``Entry``.
        parts: as in ``Entry``.
        parents: hashes of the seals before, sorted.
        is_late: whether it was made when a history of an older version was migrated: a change before that
            cannot be seen.
    """

    kind: str
    entry_id: str
    dataset: str
    content: str
    parts: str
    parents: tuple[str, ...]
    is_late: bool = False

    @cached_property
    def hash(self) -> str:
        """SHA-256 of all attributes, 64 hexadecimal digits."""
        return hash_of({one.name: getattr(self, one.name) for one in fields(self)})

    def fits(self, entry: Entry) -> bool:
        """Tell whether an entry is still what was sealed; parts that were not read are not looked at."""
        same = (self.kind, self.entry_id, self.dataset, self.content) == (
            entry.kind,
            entry.id,
            entry.dataset,
            entry.content,
        )
        return same and entry.parts in {None, self.parts}


def seal(entry: Entry, parents: Iterable[str], *, is_late: bool = False) -> Seal:
    """Seal an entry whose parts are known."""
    return Seal(
        kind=entry.kind,
        entry_id=entry.id,
        dataset=entry.dataset,
        content=entry.content,
        parts=entry.parts or "",
        parents=tuple(sorted(parents)),
        is_late=is_late,
    )


def heads_of(seals: Iterable[Seal]) -> list[str]:
    """List the hashes of seals that no other one names, sorted."""
    there = list(seals)
    named = {parent for one in there for parent in one.parents}
    return sorted({one.hash for one in there} - named)


def parents_first(seals: Mapping[str, Seal]) -> list[Seal]:
    """Sort seals so that each one comes after those that it names, as far as they are there.

    Args:
        seals: by the hash that is stored with them; changed ones come last.
    """
    intact = {name: one for name, one in seals.items() if name == one.hash}
    before = {name: [each for each in intact[name].parents if each in intact] for name in sorted(intact)}
    ordered = [*TopologicalSorter(before).static_order(), *(name for name in seals if name not in intact)]
    return [seals[name] for name in ordered]


def hash_of(content: object) -> str:
    """Hash content of texts, numbers and times: SHA-256 of its JSON, 64 hexadecimal digits.

    Example:
        >>> hash_of({"a": 0.5, "b": "x"}) == hash_of({"b": "x", "a": 0.5})
        True
    """
    text = json.dumps(content, sort_keys=True, allow_nan=False, default=_in_utc)
    return hashlib.sha256(text.encode()).hexdigest()


def _in_utc(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()
