"""What ``semscale drift history`` does between its options and its output: merge, list, follow."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from semscale.cli.drift.place import chosen_history, dataset_of
from semscale.cli.outputs import check_report, write_page
from semscale.drift.gate.trend import Trends, trends
from semscale.drift.measure.indexed_baseline import IndexedBaseline
from semscale.errors import InputError
from semscale.history.opening import open_history
from semscale.history.runs import Approval, now
from semscale.history.stored_comparison import StoredComparison
from semscale.history.summaries import Merged, RunSummary

if TYPE_CHECKING:
    from semscale.history.history import History


@dataclass(frozen=True)
class SeenDataset:
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


@dataclass(frozen=True)
class SeenHistory:
    """What came of one call of ``semscale drift history``.

    Attributes:
        where: the history.
        datasets: each of them, or the one that was asked for.
        merged: what each other history brought, by where it is.
        report: where the report was written, if it was.
    """

    where: str
    datasets: tuple[SeenDataset, ...]
    merged: Mapping[str, Merged]
    report: Path | None = None


@dataclass(frozen=True)
class HistoryRun:
    """One call of ``semscale drift history``.

    Attributes:
        where: the history.
        dataset: which one; all unless given.
        merge: other histories to take in.
        report: file for the report.
    """

    where: str | None = None
    dataset: str | None = None
    merge: tuple[str, ...] = ()
    report: Path | None = None

    def done(self) -> SeenHistory:
        """Merge what is to be merged, and read what there is.

        Raises:
            InputError: a history that cannot be opened or merged, or nothing to follow for a report.
        """
        check_report(self.report)
        with chosen_history(self.where, create=bool(self.merge)) as history:
            merged = dict(_merged(history, other) for other in self.merge)
            one = self.dataset is not None or self.report is not None
            names = [dataset_of(history, self.dataset)] if one else history.datasets()
            seen = tuple(_seen(history, name) for name in names)
            if self.report is not None:
                self._write_report(seen[0])
            return SeenHistory(history.where, seen, merged, self.report)

    def _write_report(self, seen: SeenDataset) -> None:
        from semscale.report.trend_page import trend_page

        if self.report is None or seen.trends is None:
            raise InputError(
                f"report needs a comparison, and {seen.name!r} has none: first semscale drift gate CANDIDATE"
            )
        write_page(self.report, trend_page(seen.trends))


def _merged(history: "History", other: str) -> tuple[str, Merged]:
    """Take another history in, and say where it is as people may see it: without a password."""
    with open_history(other, create=False) as there:
        if _is_same(history.where, there.where):
            raise InputError(f"merge: {there.where} is the history itself, got {other!r}: name another one")
        return there.where, history.merge(there)


def _is_same(one: str, other: str) -> bool:
    """Say whether two histories are one: the same URL, or the same file by whatever name."""
    paths = Path(one), Path(other)
    return one == other or (all(path.is_file() for path in paths) and paths[0].samefile(paths[1]))


def _seen(history: "History", name: str) -> SeenDataset:
    approvals = history.approvals(name)
    approval = approvals[-1] if approvals else None
    comparisons = history.comparisons(dataset=name)
    followed = None
    if comparisons:
        latest = max(comparisons, key=lambda kept: kept.compared)
        baseline = IndexedBaseline(history.run(latest.baseline_id), (), sort=False)
        followed = trends(comparisons, metrics=baseline.metrics)
    return SeenDataset(
        name,
        tuple(history.runs(name)),
        approval,
        approval is not None and approval.is_stale(now()),
        tuple(comparisons),
        followed,
    )
