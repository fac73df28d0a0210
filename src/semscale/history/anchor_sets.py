"""Anchor sets (frozen pairs of texts), readings of them, and their storage in a history."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

import numpy as np
from sqlalchemy import Connection

from semscale.errors import InputError
from semscale.history.chain import Entry, EntryKind, add_entry, body_text, moment_text, read_entries
from semscale.history.runs import list_names, new_id, now, short_hash
from semscale.store.databases.database import Database
from semscale.store.databases.schema import ENTRIES
from semscale.types import Floats

FEWEST_PAIRS, MOST_PAIRS = 10, 500
"""Minimum and maximum number of pairs: fewer show too little, and more cost too much in every run."""


@dataclass(frozen=True)
class AnchorPair:
    """A pair of texts that is measured repeatedly.

    Attributes:
        id: its name within the set.
        reference: the text that the output is compared with.
        output: the text that is measured against it.
        label: a human score of the output, 0 to 1; ``None`` without a score.
    """

    id: str
    reference: str
    output: str
    label: float | None = None


@dataclass(frozen=True)
class AnchorSet:
    """Pairs of texts that never change, so that a change in their readings shows a change of the ruler.

    Attributes:
        dataset: the dataset whose comparisons measure the pairs again.
        name: its name within the dataset.
        pairs: 10 to 500 pairs.
        frozen: time at which they were frozen, in UTC.
        id: the set's id, the same in every history.

    Raises:
        InputError: a wrong number of pairs, a repeated ID, a text without a word, or a label outside 0 to 1.
    """

    dataset: str
    name: str
    pairs: tuple[AnchorPair, ...]
    frozen: datetime = field(default_factory=now)
    id: str = field(default_factory=new_id)

    def __post_init__(self) -> None:
        n = len(self.pairs)
        if not FEWEST_PAIRS <= n <= MOST_PAIRS:
            raise InputError(f"an anchor set needs {FEWEST_PAIRS} to {MOST_PAIRS} pairs, got {n}")
        ids = [pair.id for pair in self.pairs]
        if twice := [name for name in dict.fromkeys(ids) if ids.count(name) > 1]:
            raise InputError(f"ids of anchors must occur once, got {list_names(twice)} more than once")
        for pair in self.pairs:
            _check(pair)

    @cached_property
    def digest(self) -> str:
        """Hash of the pairs with their labels, in their order: 12 hexadecimal digits."""
        return short_hash([[pair.id, pair.reference, pair.output, pair.label] for pair in self.pairs])

    @property
    def labels(self) -> list[float | None]:
        """Human scores of the pairs, in order."""
        return [pair.label for pair in self.pairs]


@dataclass(frozen=True)
class AnchorReadings:
    """Readings of an anchor set by a ruler at one time.

    Attributes:
        set_id: id of the anchor set.
        dataset: its dataset.
        signature: the ruler's signature as text.
        readings: readings by name, shape (pairs,), 0 to 1; NaN for a pair without a reading.
        series: ID that readings compared with the same reference have in common.
        is_reference: whether later readings of the series are compared with this one.
        comparison_id: the comparison that was measured with it; ``None`` for a reference.
        has_moved: whether the ruler had changed at that time.
        measured: time of the reading, in UTC.
        id: its id, the same in every history.
    """

    set_id: str
    dataset: str
    signature: str
    readings: Mapping[str, Floats]
    series: str
    is_reference: bool = False
    comparison_id: str | None = None
    has_moved: bool = False
    measured: datetime = field(default_factory=now)
    id: str = field(default_factory=new_id)


class AnchorStore:
    """Store of anchor sets and their readings; entries are added and never changed or deleted.

    Args:
        database: database of a history.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def freeze(self, anchors: AnchorSet, readings: Sequence[AnchorReadings] = ()) -> None:
        """Store an anchor set with its first readings, in one transaction.

        Raises:
            InputError: the dataset has a set of this name, or the history cannot be written.
        """
        entry = _set_entry(anchors)
        with self._database.writing(alone=True) as connection:
            if anchors.name in {known.name for known in _read_sets(connection, anchors.dataset)}:
                raise InputError(
                    f"dataset {anchors.dataset[:60]!r} has an anchor set {anchors.name[:60]!r}: it never "
                    "changes, so give this one another name"
                )
            add_entry(connection, entry)
            for reading in readings:
                add_entry(connection, _readings_entry(reading))

    def add(self, readings: Sequence[AnchorReadings]) -> None:
        """Store readings of an existing set, in one transaction.

        Raises:
            InputError: the history cannot be written.
        """
        with self._database.writing(alone=True) as connection:
            for reading in readings:
                add_entry(connection, _readings_entry(reading))

    def sets(self, dataset: str) -> list[AnchorSet]:
        """List the anchor sets of a dataset, the oldest first.

        Raises:
            InputError: a set was changed since it was frozen.
        """
        with self._database.reading() as connection:
            return _read_sets(connection, dataset)

    def readings(self, set_id: str, *, signature: str | None = None) -> list[AnchorReadings]:
        """List the readings of a set, the oldest first.

        Args:
            set_id: id of the set.
            signature: only those of a ruler with this signature.

        Raises:
            InputError: a reading was changed since it was stored.
        """
        with self._database.reading() as connection:
            entries = read_entries(connection, EntryKind.ANCHOR_READINGS, ENTRIES.c.subject == set_id)
        readings = [_read_readings(entry) for entry in entries]
        return [reading for reading in readings if signature in {None, reading.signature}]


def comparisons_moved(connection: Connection, datasets: Collection[str]) -> set[str]:
    """List the comparisons whose ruler had changed, according to their last readings.

    Args:
        connection: connection to the history's database.
        datasets: datasets of the comparisons.

    Raises:
        InputError: their readings were changed since they were stored.
    """
    columns, moved = ENTRIES.c, '"has_moved": true'
    of_datasets = columns.dataset.in_(sorted(datasets))
    # A ruler seldom changes, so most calls read no further.
    if not read_entries(connection, EntryKind.ANCHOR_READINGS, of_datasets, columns.body.contains(moved)):
        return set()
    entries = read_entries(connection, EntryKind.ANCHOR_READINGS, of_datasets)
    last = {entry.content["comparison_id"]: entry.content["has_moved"] for entry in entries}
    return {comparison_id for comparison_id, has_moved in last.items() if has_moved and comparison_id}


def _check(pair: AnchorPair) -> None:
    for name, text in (("reference", pair.reference), ("output", pair.output)):
        if not text.strip():
            raise InputError(f"anchor {pair.id!r:.60} has no {name}: give every anchor both texts")
    if pair.label is not None and not 0 <= pair.label <= 1:
        raise InputError(
            f"label of anchor {pair.id!r:.60} must lie in 0 to 1, got {pair.label:g}: say which scale the "
            "labels have, such as `human_range`"
        )


def _read_sets(connection: Connection, dataset: str) -> list[AnchorSet]:
    return [
        AnchorSet(
            entry.dataset,
            entry.content["name"],
            tuple(AnchorPair(*pair) for pair in entry.content["pairs"]),
            frozen=entry.time,
            id=entry.id,
        )
        for entry in read_entries(connection, EntryKind.ANCHOR_SET, ENTRIES.c.dataset == dataset)
    ]


def _set_entry(anchors: AnchorSet) -> Entry:
    pairs = [[pair.id, pair.reference, pair.output, pair.label] for pair in anchors.pairs]
    return Entry(
        EntryKind.ANCHOR_SET,
        anchors.id,
        anchors.dataset,
        subject=None,
        moment=moment_text("frozen", anchors.frozen),
        body=body_text({"name": anchors.name, "pairs": pairs}),
    )


def _readings_entry(reading: AnchorReadings) -> Entry:
    content = {
        "signature": reading.signature,
        "series": reading.series,
        "is_reference": reading.is_reference,
        "comparison_id": reading.comparison_id,
        "has_moved": reading.has_moved,
        "readings": {
            name: [None if math.isnan(value) else value for value in values.tolist()]
            for name, values in reading.readings.items()
        },
    }
    return Entry(
        EntryKind.ANCHOR_READINGS,
        reading.id,
        reading.dataset,
        subject=reading.set_id,
        moment=moment_text("measured", reading.measured),
        body=body_text(content),
    )


def _read_readings(entry: Entry) -> AnchorReadings:
    content = entry.content
    readings = {
        name: np.array([math.nan if value is None else value for value in values], dtype=np.float64)
        for name, values in content["readings"].items()
    }
    return AnchorReadings(
        set_id=entry.subject or "",
        dataset=entry.dataset,
        measured=entry.time,
        id=entry.id,
        **content | {"readings": readings},
    )
