"""What a history says in a listing: runs without their items, and what a merge brought."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class RunSummary:
    """A run without its items.

    Attributes:
        id: names the run.
        dataset: the dataset's name.
        model: what gave the outputs.
        recorded: when, in UTC.
        rerun_of: the run whose model and prompt were asked once more, if it is a rerun.
        revision: Git revision it came from, where there is one.
        note: what somebody wrote about it.
        n_items: how many items it has.
        signature: of the run when it was recorded, as ``str`` gives it.
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


@dataclass(frozen=True)
class Merged:
    """How much of another history was new.

    Attributes:
        runs: runs that were added.
        approvals: approvals that were added.
        comparisons: comparisons that were added.
    """

    runs: int = 0
    approvals: int = 0
    comparisons: int = 0
