"""Matching of two runs' items by their ids and inputs: what both have, and what only one has."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from semscale.errors import InputError
from semscale.history.runs import Run, named


@dataclass(frozen=True)
class ItemMatching:
    """Which items of a baseline and a candidate are the same.

    An id with another input is another item.

    Attributes:
        common: ids in both with the same input, in the baseline's order; only these are compared.
        lost: ids that only the baseline has.
        new: ids that only the candidate has.
        changed: ids in both, with another input in the candidate.
        moved: for items that are lost or changed, the candidate's id of the same input; an input that occurs
            twice in a run is not looked for.
        places: positions of ``common`` among the baseline's items.
        versions: version of the dataset in the baseline and in the candidate, ``Run.dataset_version``.
    """

    common: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()
    versions: tuple[str, str] | None = None
    places: tuple[int, ...] = ()

    @property
    def n_baseline(self) -> int:
        """Number of the baseline's items."""
        return len(self.common) + self.n_left_out

    @property
    def n_left_out(self) -> int:
        """Number of the baseline's items that the candidate lacks, or has with another input."""
        return len(self.lost) + len(self.changed)

    def record(self) -> dict[str, Any]:
        """Lay everything out by name, for JSON."""
        baseline, candidate = self.versions or (None, None)
        return {
            "common": len(self.common),
            "lost": self.lost,
            "new": self.new,
            "changed": self.changed,
            "moved": [{"baseline": ours, "candidate": theirs} for ours, theirs in self.moved],
            "baseline_version": baseline,
            "candidate_version": candidate,
        }


def match_items(baseline: Run, candidate: Run) -> ItemMatching:
    """Match the items of two runs by id and input.

    Raises:
        InputError: of an item that both have, only one run has the input.

    Example:
        >>> from semscale.history.items import Item
        >>> old = Run("exam", "m1", (Item("a", (), "Why?"), Item("b", (), "How?"), Item("c", (), "Who?")))
        >>> new = Run("exam", "m2", (Item("a", (), "Why?"), Item("b", (), "When?"), Item("d", (), "Who?")))
        >>> found = match_items(old, new)
        >>> found.common, found.lost, found.new, found.changed, found.moved
        (('a',), ('c',), ('d',), ('b',), (('c', 'd'),))
    """
    ours, theirs = ({item.id: item.input for item in run.items} for run in (baseline, candidate))
    both = [name for name in ours if name in theirs]
    unknown = [name for name in both if (ours[name] is None) != (theirs[name] is None)]
    if unknown:
        raise InputError(
            f"inputs: only one of the runs has those of {named(unknown)}; record both with inputs, or both "
            "without"
        )
    common = [name for name in both if ours[name] == theirs[name]]
    shared = set(common)
    left, offered = (
        {name: asked for name, asked in inputs.items() if name not in shared} for inputs in (ours, theirs)
    )
    places = _unique(offered)
    return ItemMatching(
        common=tuple(common),
        lost=tuple(name for name in ours if name not in theirs),
        new=tuple(name for name in theirs if name not in ours),
        changed=tuple(name for name in both if ours[name] != theirs[name]),
        moved=tuple((name, places[asked]) for asked, name in _unique(left).items() if asked in places),
        versions=(baseline.dataset_version, candidate.dataset_version),
        places=tuple(place for place, name in enumerate(ours) if name in shared),
    )


def _unique(inputs: dict[str, str | None]) -> dict[str, str]:
    """Give the id of each input that occurs once."""
    times = Counter(inputs.values())
    return {asked: name for name, asked in inputs.items() if asked is not None and times[asked] == 1}
