"""Summaries for listings: runs without their items, and counts of merged entries."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class RunSummary:
    """A run without its items.

    Attributes:
        id: the run's id.
        dataset: the dataset's name.
        model: the model's name.
        recorded: time of recording, in UTC.
        rerun_of: id of the run that it repeats; ``None`` if it is no rerun.
        revision: Git revision that it came from; ``None`` without one.
        note: a user's note.
        n_items: number of items.
        signature: the run's signature at its recording, as text.
    """

    id: str
    dataset: str
    model: str
    recorded: datetime
    rerun_of: str | None
    revision: str | None
    note: str | None
    n_items: int
    signature: str

    @property
    def dataset_version(self) -> str | None:
        """Hash of the ids with their inputs, from the signature; ``None`` if it has none."""
        name = "inputs:"
        parts = self.signature.split("|")
        return next((part.removeprefix(name) for part in parts if part.startswith(name)), None)


@dataclass(frozen=True)
class Merged:
    """Numbers of entries that a merge has added.

    Attributes:
        runs: number of added runs.
        approvals: number of added approvals.
        comparisons: number of added comparisons.
        anchor_sets: number of added anchor sets.
        anchor_readings: number of added readings of anchor sets.
    """

    runs: int = 0
    approvals: int = 0
    comparisons: int = 0
    anchor_sets: int = 0
    anchor_readings: int = 0
