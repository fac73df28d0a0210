"""Ids that a run has in common with the baseline of its dataset: a run of other items is a mistake."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from semscale.history.runs import Run

if TYPE_CHECKING:
    from semscale.history.history import History


@dataclass(frozen=True)
class SharedIds:
    """How many ids of an earlier run are in a run.

    Attributes:
        run: id of the earlier run.
        is_baseline: whether that is the baseline; else it is the latest run.
        n: ids that both have.
        n_earlier: ids of the earlier run.
    """

    run: str
    is_baseline: bool
    n: int
    n_earlier: int


def shared_ids(history: "History", run: Run) -> SharedIds | None:
    """Count the ids that a run shares with the baseline of its dataset, or else with the latest run there.

    Args:
        history: with the earlier runs.
        run: of the dataset; whether it is stored does not matter.

    Returns:
        ``None`` where there is no other run, and for a rerun, which has all ids of its original.
    """
    if run.rerun_of is not None or run.dataset not in history.datasets():
        return None
    approvals = history.approvals(run.dataset)
    runs = [one.id for one in history.runs(run.dataset) if one.id != run.id and one.rerun_of is None]
    earlier = approvals[-1].run_id if approvals else next(reversed(runs), None)
    if earlier is None or earlier == run.id:
        return None
    theirs = {item.id for item in history.run(earlier).items}
    return SharedIds(earlier, bool(approvals), len(theirs & {item.id for item in run.items}), len(theirs))
