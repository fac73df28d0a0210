"""What a history holds: runs, approvals and comparisons of each dataset, and how its metrics developed."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from semscale.drift.gate.records import group_record, stored_figure_record
from semscale.drift.measure.indexed_baseline import IndexedBaseline
from semscale.drift.nights.series import latest_complete
from semscale.drift.nights.trend import Trends, trends
from semscale.drift.runs import approval_record
from semscale.history.chain import Merged
from semscale.history.runs import Approval, RunSummary, now
from semscale.history.stored_comparison import StoredCheck, StoredComparison
from semscale.presentable import Presentable

if TYPE_CHECKING:
    from semscale.history.history import History


@dataclass(frozen=True)
class DatasetVersion:
    """A version of a dataset: items with their inputs, whatever the outputs.

    Attributes:
        number: counted from 1, in the order in which the versions came.
        hash: of the ids with their inputs.
        n_items: number of items.
        n_runs: number of runs with them.
        since: time of the first of these runs.
    """

    number: int
    hash: str
    n_items: int
    n_runs: int
    since: datetime


@dataclass(frozen=True)
class DatasetHistory:
    """What a history holds of one dataset.

    Attributes:
        name: of the dataset.
        runs: the oldest first.
        approval: the one that counts, or that has expired; ``None`` where no run was ever approved.
        is_stale: whether it has expired.
        comparisons: the oldest first.
        trends: of the comparisons with the latest baseline; ``None`` without one.
    """

    name: str
    runs: tuple[RunSummary, ...]
    approval: Approval | None
    is_stale: bool
    comparisons: tuple[StoredComparison, ...]
    trends: Trends | None

    @cached_property
    def versions(self) -> dict[str, DatasetVersion]:
        """The dataset's versions by hash, the oldest first."""
        found: dict[str, DatasetVersion] = {}
        for run in self.runs:
            name = run.dataset_version
            if name is not None and name not in found:
                found[name] = DatasetVersion(len(found) + 1, name, run.n_items, 1, run.recorded)
            elif name is not None:
                found[name] = replace(found[name], n_runs=found[name].n_runs + 1)
        return found

    def record(self) -> dict[str, Any]:
        """Lay everything out by name, for JSON."""
        approval = self.approval
        baseline = None if approval is None else {**approval_record(approval), "expired": self.is_stale}
        return {
            "dataset": self.name,
            "baseline": baseline,
            "versions": [_version_record(one) for one in self.versions.values()],
            "runs": [_run_record(run) for run in self.runs],
            "comparisons": [_comparison_record(kept) for kept in self.comparisons],
            "trend": None if self.trends is None else self.trends.record(),
        }


@dataclass(frozen=True, repr=False)
class HistorySummary(Presentable):
    """What a history holds.

    Attributes:
        where: the history.
        datasets: each of them, or the one that was asked for.
        merged: what each other history brought, by where it is.
    """

    where: str
    datasets: tuple[DatasetHistory, ...]
    merged: Mapping[str, Merged] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"HistorySummary(where={self.where!r}, datasets={[dataset.name for dataset in self.datasets]})"

    def record(self) -> dict[str, Any]:
        """Lay everything out by name, for JSON."""
        return {
            "instrument": "drift history",
            "history": self.where,
            "merged": [{"history": where, **asdict(new)} for where, new in self.merged.items()],
            "datasets": [dataset.record() for dataset in self.datasets],
        }


def summarize_history(
    history: "History", datasets: Sequence[str] | None = None, merged: Mapping[str, Merged] | None = None
) -> HistorySummary:
    """Sum up what a history holds.

    Args:
        history: an open one.
        datasets: which of them; all unless given.
        merged: what other histories brought, by where they are.
    """
    names = history.datasets() if datasets is None else datasets
    return HistorySummary(history.where, tuple(_dataset(history, name) for name in names), merged or {})


def _dataset(history: "History", name: str) -> DatasetHistory:
    approvals = history.approvals(name)
    approval = approvals[-1] if approvals else None
    comparisons = history.comparisons(dataset=name)
    followed = None
    if comparisons:
        latest = latest_complete(comparisons)
        baseline = IndexedBaseline(history.run(latest.baseline_id), (), sort=False)
        with_scores = replace(latest, scores=history.scores(latest.id))
        others = [kept for kept in comparisons if kept.id != latest.id]
        followed = trends([*others, with_scores], metrics=baseline.metrics)
    return DatasetHistory(
        name,
        tuple(history.runs(name)),
        approval,
        approval is not None and approval.is_stale(now()),
        tuple(comparisons),
        followed,
    )


def _version_record(one: DatasetVersion) -> dict[str, Any]:
    return {"version": one.hash, "items": one.n_items, "runs": one.n_runs, "since": one.since}


def _run_record(run: RunSummary) -> dict[str, Any]:
    return {
        "id": run.id,
        "model": run.model,
        "recorded": run.recorded,
        "items": run.n_items,
        "dataset_version": run.dataset_version,
        "rerun_of": run.rerun_of,
        "revision": run.revision,
        "note": run.note,
        "signature": run.signature,
    }


def _check_record(check: StoredCheck) -> dict[str, Any]:
    return {**asdict(check), "group": group_record(check.group)}


def _comparison_record(kept: StoredComparison) -> dict[str, Any]:
    return {
        "id": kept.id,
        "compared": kept.compared,
        "baseline": kept.baseline_id,
        "candidate": kept.candidate_id,
        "model": kept.model,
        "outcome": kept.outcome,
        "ruler_moved": kept.ruler_moved,
        "checks": None if kept.checks is None else [_check_record(check) for check in kept.checks],
        "drifts": [stored_figure_record(figure) for figure in kept.figures],
        "signature": kept.signature,
    }
