"""Summary of a history: runs, decisions about them and comparisons of each dataset."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from semscale.drift.runs import approval_record, group_record, rejection_record, run_record
from semscale.history.runs import Approval, Rejection, RunSummary, now
from semscale.history.stored_comparison import GateCheck, StoredComparison, StoredFigure
from semscale.presentable import Presentable

if TYPE_CHECKING:
    from semscale.history.history import History


@dataclass(frozen=True)
class DatasetVersion:
    """A version of a dataset: items with their inputs, regardless of outputs.

    Attributes:
        number: number of the version from 1, in order of first use.
        hash: hash of the ids with their inputs.
        n_items: number of items.
        n_runs: number of runs with these items.
        since: time of the first of these runs.
    """

    number: int
    hash: str
    n_items: int
    n_runs: int
    since: datetime


@dataclass(frozen=True)
class DatasetHistory:
    """Runs, decisions and comparisons of one dataset.

    Attributes:
        name: name of the dataset.
        runs: runs, the oldest first.
        approval: latest approval, expired or not; ``None`` if no run was approved.
        is_stale: true if the approval has expired.
        comparisons: comparisons, the oldest first.
        decisions: approvals and rejections, the oldest first.
        rejection: rejection of the approved run that is in force, so that the dataset has no baseline.
    """

    name: str
    runs: tuple[RunSummary, ...]
    approval: Approval | None
    is_stale: bool
    comparisons: tuple[StoredComparison, ...]
    decisions: tuple[Approval | Rejection, ...] = ()
    rejection: Rejection | None = None

    @cached_property
    def versions(self) -> dict[str, DatasetVersion]:
        """The dataset's versions by hash, the oldest first."""
        versions: dict[str, DatasetVersion] = {}
        for run in self.runs:
            name = run.dataset_version
            if name is not None and name not in versions:
                versions[name] = DatasetVersion(len(versions) + 1, name, run.n_items, 1, run.recorded)
            elif name is not None:
                versions[name] = replace(versions[name], n_runs=versions[name].n_runs + 1)
        return versions

    def record(self) -> dict[str, Any]:
        """Return all fields by name, for JSON."""
        approval = self.approval
        baseline = None if approval is None else {**approval_record(approval), "expired": self.is_stale}
        rejections = [decision for decision in self.decisions if isinstance(decision, Rejection)]
        return {
            "dataset": self.name,
            "baseline": baseline,
            "rejections": [rejection_record(rejection) for rejection in rejections],
            "versions": [_version_record(version) for version in self.versions.values()],
            "runs": [_run_record(run) for run in self.runs],
            "comparisons": [_comparison_record(comparison) for comparison in self.comparisons],
        }


@dataclass(frozen=True, repr=False)
class HistorySummary(Presentable):
    """Datasets of a history.

    Attributes:
        where: location of the history.
        datasets: all datasets, or the selected one.
    """

    where: str
    datasets: tuple[DatasetHistory, ...]

    def __repr__(self) -> str:
        return f"HistorySummary(where={self.where!r}, datasets={[dataset.name for dataset in self.datasets]})"

    def record(self) -> dict[str, Any]:
        """Return all fields by name, for JSON."""
        return {
            "instrument": "drift history",
            "history": self.where,
            "datasets": [dataset.record() for dataset in self.datasets],
        }


def summarize_history(history: "History", datasets: Sequence[str] | None = None) -> HistorySummary:
    """Summarize a history.

    Args:
        history: an open history.
        datasets: names of the datasets; all by default.
    """
    names = history.datasets() if datasets is None else datasets
    return HistorySummary(history.where, tuple(_dataset(history, name) for name in names))


def _dataset(history: "History", name: str) -> DatasetHistory:
    approvals = history.approvals(name)
    approval = approvals[-1] if approvals else None
    return DatasetHistory(
        name,
        tuple(history.runs(name)),
        approval,
        approval is not None and approval.is_stale(now()),
        tuple(history.comparisons(dataset=name)),
        tuple(history.decisions(name)),
        None if approval is None else history.rejection_of(history.run(approval.run_id)),
    )


def _version_record(version: DatasetVersion) -> dict[str, Any]:
    return {
        "version": version.hash,
        "items": version.n_items,
        "runs": version.n_runs,
        "since": version.since,
    }


def _run_record(run: RunSummary) -> dict[str, Any]:
    return {
        **run_record(run),
        "items": run.n_items,
        "dataset_version": run.dataset_version,
        "rerun_of": run.rerun_of,
        "signature": run.signature,
    }


def _comparison_record(comparison: StoredComparison) -> dict[str, Any]:
    checks = comparison.checks
    return {
        "id": comparison.id,
        "compared": comparison.compared,
        "baseline": comparison.baseline_id,
        "candidate": comparison.candidate_id,
        "model": comparison.model,
        "outcome": comparison.outcome,
        "ruler_moved": comparison.ruler_moved,
        "checks": None if checks is None else [_check_record(check) for check in checks],
        "drifts": [_figure_record(figure) for figure in comparison.figures],
        "signature": comparison.signature,
    }


def _check_record(check: GateCheck) -> dict[str, Any]:
    return {
        "kind": check.kind,
        "name": check.name,
        "passed": check.passed,
        "group": group_record(check.group),
        "value": check.value,
        "allowed": check.allowed,
        "items": check.items,
        "reasons": check.reasons,
    }


def _figure_record(figure: StoredFigure) -> dict[str, Any]:
    return {**asdict(figure), "group": group_record(figure.group)}
