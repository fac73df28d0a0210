"""The history of runs, approvals, comparisons and anchors; entries are added, never changed or deleted."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from types import TracebackType
from typing import Self

from sqlalchemy import select

from semscale.errors import InputError, UnknownNameError
from semscale.history.anchors.anchor_store import AnchorStore
from semscale.history.column_values import aware
from semscale.history.comparison_rows import comparison_rows
from semscale.history.databases.database import Database, insert_rows
from semscale.history.entries import approval_entry
from semscale.history.merging import merge
from semscale.history.name_lookup import near, near_id
from semscale.history.recorded_comparisons import load_comparisons, load_scores, record_comparison
from semscale.history.recorded_runs import (
    datasets_of_runs,
    find_run,
    load_run,
    load_run_rows,
    record_run,
    refuse_known,
)
from semscale.history.recorded_seals import check_entries, load_seals, refuse_lost, seal_entry
from semscale.history.run_rows import approval_row, read_approval, read_summary, run_rows
from semscale.history.runs import Approval, Run, now, short_id
from semscale.history.same_entries import same_comparison_id, same_run_id
from semscale.history.seals import EntryKind, heads_of
from semscale.history.stored_comparison import StoredComparison
from semscale.history.summaries import Merged, RunSummary
from semscale.history.tables import APPROVALS, RUNS, SEALS
from semscale.history.verification import Verification, verify
from semscale.types import Floats


class History:
    """Stores runs, approvals and comparisons; several threads and processes may use one history at once.

    Every call that writes is one transaction. Open a history with
    :func:`~semscale.history.databases.opening.open_history`.

    Args:
        database: a database that has all tables.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"History({self.where!r})"

    @property
    def where(self) -> str:
        """The file, or the URL without a password."""
        return self._database.where

    @property
    def anchors(self) -> AnchorStore:
        """The anchor sets with their readings."""
        return AnchorStore(self._database)

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def check_writable(self) -> None:
        """Check that the history can be written, before long work whose result will be stored.

        Raises:
            InputError: it cannot be written.
        """
        with self._database.writing():
            pass

    def record(self, run: Run) -> None:
        """Store a run with all its items.

        Raises:
            InputError: the history has a run with this id, cannot be written, or cannot store a value.
            UnknownNameError: ``rerun_of`` names no run.
        """
        with self._database.writing() as connection:
            record_run(connection, run)

    def record_once(self, run: Run) -> Run:
        """Store a run, unless the history has one with the same content; return the one that it has now.

        The content is items, outputs, dataset, model, revision, note and ``rerun_of``: a command that was
        killed after it had stored its run adds nothing when it is given again.

        Raises:
            InputError: the history cannot be written, or cannot store a value.
            UnknownNameError: ``rerun_of`` names no run.
        """
        row, _ = run_rows(run)
        with self._database.writing() as connection:
            known = same_run_id(connection, row)
            if known is None:
                record_run(connection, run)
                return run
            return load_run(connection, known)

    def same_run(self, run: Run, *, besides: Collection[str] = ()) -> Run | None:
        """Load the run with the same content as another one; ``None`` if there is none.

        Args:
            run: as ``record_once`` would store it.
            besides: ids of runs that are not meant.
        """
        row, _ = run_rows(run)
        with self._database.reading() as connection:
            known = same_run_id(connection, row, besides=besides)
            return None if known is None else load_run(connection, known)

    def run(self, name: str) -> Run:
        """Load a run.

        Args:
            name: its id, or at least the first 4 characters of it.

        Raises:
            UnknownNameError: the name fits no run or several.
            InputError: it was changed since it was recorded.
        """
        with self._database.reading() as connection:
            return load_run(connection, find_run(connection, name))

    def runs(self, dataset: str | None = None) -> list[RunSummary]:
        """List runs without their items, oldest first.

        Args:
            dataset: list only runs of this dataset.

        Raises:
            InputError: a run was changed since it was recorded, or deleted.
        """
        query = select(RUNS).order_by(RUNS.c.recorded, RUNS.c.id)
        lost = [SEALS.c.kind == str(EntryKind.RUN)]
        if dataset is not None:
            query = query.where(RUNS.c.dataset == dataset)
            lost.append(SEALS.c.dataset == dataset)
        with self._database.reading() as connection:
            refuse_lost(connection, *lost)
            return [read_summary(found) for found in load_run_rows(connection, query)]

    def datasets(self) -> list[str]:
        """List the names of all datasets with runs, sorted."""
        with self._database.reading() as connection:
            query = select(RUNS.c.dataset).distinct()
            return sorted(connection.execute(query).scalars())

    def reruns(self, run_id: str) -> list[Run]:
        """Load the reruns of a run, oldest first.

        Raises:
            UnknownNameError: the id fits no run or several.
            InputError: a rerun was changed since it was recorded, or a run of the dataset was deleted.
        """
        with self._database.reading() as connection:
            original = find_run(connection, run_id)
            of_run = select(RUNS.c.dataset).where(RUNS.c.id == original)
            refuse_lost(connection, SEALS.c.kind == str(EntryKind.RUN), SEALS.c.dataset.in_(of_run))
            query = select(RUNS.c.id).where(RUNS.c.rerun_of == original)
            ids = connection.execute(query.order_by(RUNS.c.recorded, RUNS.c.id)).scalars().all()
            return [load_run(connection, each) for each in ids]

    def approve(self, approval: Approval) -> None:
        """Store an approval; the latest approval of a dataset determines its baseline.

        Raises:
            InputError: the run is of another dataset, or the history has an approval with this id.
            UnknownNameError: there is no such run.
        """
        row = approval_row(approval)
        with self._database.writing() as connection:
            known = datasets_of_runs(connection)
            if approval.run_id not in known:
                raise UnknownNameError(
                    f"unknown run {approval.run_id[:60]!r}{near_id(approval.run_id, list(known))}"
                )
            if known[approval.run_id] != approval.dataset:
                raise InputError(
                    f"run {approval.run_id!r} is of dataset {known[approval.run_id]!r}, so it cannot be the "
                    f"baseline of {approval.dataset!r}: approve a run of that one"
                )
            refuse_known(connection, APPROVALS, approval.id, "an approval")
            insert_rows(connection, APPROVALS, [row])
            seal_entry(connection, approval_entry(row))

    def approvals(self, dataset: str) -> list[Approval]:
        """List the approvals of a dataset, oldest first.

        Raises:
            InputError: an approval was changed since it was given, or deleted.
        """
        query = select(APPROVALS).where(APPROVALS.c.dataset == dataset)
        query = query.order_by(APPROVALS.c.approved, APPROVALS.c.id)
        with self._database.reading() as connection:
            refuse_lost(connection, SEALS.c.kind == str(EntryKind.APPROVAL), SEALS.c.dataset == dataset)
            found = connection.execute(query).mappings().all()
            check_entries(connection, [approval_entry(each) for each in found])
            return [read_approval(each) for each in found]

    def heads(self, dataset: str) -> list[str]:
        """List the hashes of the last seals of a dataset, which stand for all its entries.

        There is one; after a merge of histories that went apart there are several, until the next entry.
        """
        with self._database.reading() as connection:
            return heads_of(load_seals(connection, SEALS.c.dataset == dataset).values())

    def verify(self, heads: Sequence[str] = ()) -> Verification:
        """Check every entry against its seal, and every seal against those before it.

        Args:
            heads: hashes from ``heads`` that somebody noted before: they must still be there.

        Raises:
            InputError: a head is shorter than 16 characters.
        """
        return verify(self._database, heads)

    def baseline(self, dataset: str, *, at: datetime | None = None) -> tuple[Run, Approval]:
        """Load the run that was approved as the baseline of a dataset.

        Args:
            dataset: its name.
            at: time at which the baseline is wanted; later approvals do not count. By default now.

        Returns:
            The run and its approval.

        Raises:
            InputError: no run is approved, or the latest approval has expired.
            UnknownNameError: the history has no such dataset.
        """
        at = None if at is None else aware("at", at)
        given = [each for each in self.approvals(dataset) if at is None or each.approved <= at]
        if not given:
            raise self._not_approved(dataset)
        latest = given[-1]
        if latest.expires is not None and latest.is_stale(now() if at is None else at):
            raise InputError(
                f"the baseline of {dataset!r} is stale: {latest.by} approved run {short_id(latest.run_id)} "
                f"on {latest.approved:%Y-%m-%d} until {latest.expires:%Y-%m-%d %H:%M} UTC; look at it again, "
                f"then semscale drift approve RUN, such as {short_id(latest.run_id)}"
            )
        return self.run(latest.run_id), latest

    def keep(self, comparison: StoredComparison, *, candidate: Run | None = None) -> None:
        """Store a comparison with its figures and scores.

        Args:
            comparison: its candidate and its baseline.
            candidate: the candidate if it is not stored yet: both are stored, or neither.

        Raises:
            InputError: the history has one of the ids, cannot be written, or cannot store a value.
            UnknownNameError: the candidate's ``rerun_of`` names no run.
        """
        with self._database.writing() as connection:
            if candidate is not None:
                record_run(connection, candidate)
            record_comparison(connection, comparison)

    def keep_once(self, comparison: StoredComparison, *, candidate: Run | None = None) -> StoredComparison:
        """Store a comparison as ``keep`` does, unless the history has the same; return the one it has now.

        The same are comparisons of the same two runs with the same signature, outcome and figures, and
        candidates with the same content, as of ``record_once``.

        Raises:
            InputError: the history cannot be written, or cannot store a value.
            UnknownNameError: the candidate's ``rerun_of`` names no run.
        """
        with self._database.writing() as connection:
            if candidate is not None:
                known = same_run_id(connection, run_rows(candidate)[0], besides=[comparison.baseline_id])
                if known is None:
                    record_run(connection, candidate)
                else:
                    comparison = replace(comparison, candidate_id=known)
            row, figures, _ = comparison_rows(comparison)
            kept = same_comparison_id(connection, row, figures)
            if kept is None:
                record_comparison(connection, comparison)
                return comparison
            return replace(comparison, id=kept)

    def comparisons(
        self, *, dataset: str | None = None, baseline_id: str | None = None
    ) -> list[StoredComparison]:
        """List comparisons with their figures, but without scores, oldest first.

        Args:
            dataset: list only comparisons of this dataset.
            baseline_id: list only comparisons with this baseline.
        """
        with self._database.reading() as connection:
            return load_comparisons(connection, dataset=dataset, baseline_id=baseline_id)

    def scores(self, comparison_id: str) -> dict[str, Floats]:
        """Load the scores of a comparison.

        Returns:
            For each metric its scores, shape (n,); NaN for an item without one.

        Raises:
            UnknownNameError: there is no such comparison.
        """
        with self._database.reading() as connection:
            return load_scores(connection, comparison_id)

    def merge(self, other: "History") -> Merged:
        """Add the entries of another history that this one lacks; merging again adds nothing.

        Returns:
            The numbers of added entries.

        Raises:
            InputError: an entry differs between the two although its id is the same, or an entry of the
                other one does not hold; nothing is added.
        """
        return merge(self._database, other._database)

    def _not_approved(self, dataset: str) -> InputError:
        recorded = self.runs(dataset)
        if not recorded:
            names = self.datasets()
            return UnknownNameError(f"unknown dataset {dataset[:60]!r}{near(dataset, names)}")
        return InputError(
            f"dataset {dataset!r} has no approved baseline: semscale drift approve RUN, such as its "
            f"latest run {short_id(recorded[-1].id)}"
        )
