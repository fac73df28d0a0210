"""The history of runs, decisions, comparisons and anchors; entries are added, never changed or deleted."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlalchemy import ColumnElement, Connection, select

from semscale.errors import InputError, UnknownNameError
from semscale.history.anchor_sets import AnchorStore, comparisons_moved
from semscale.history.chain import (
    Entry,
    EntryKind,
    Verification,
    add_entry,
    body_text,
    hashes_of,
    last_links,
    load_bodies,
    load_packed,
    moment_text,
    read_entries,
    refuse_lost,
    tampering_error,
    verify,
)
from semscale.history.items import digest_bodies, dump_item, load_item
from semscale.history.runs import Approval, Rejection, Run, RunSummary, find_id, near, near_id, now, short_id
from semscale.history.stored_comparison import (
    StoredComparison,
    dump_check,
    dump_figure,
    load_check,
    load_figure,
    pack,
    unpack,
)
from semscale.store.atomic import check_folder_of
from semscale.store.databases.address import read_address
from semscale.store.databases.database import Database, Row, insert_rows, open_database
from semscale.store.databases.schema import ENTRIES, ITEMS, LINKS, SCORES
from semscale.types import Floats


def open_history(where: str | Path, *, create: bool = True) -> "History":
    """Open a history; one of an older version is migrated.

    Args:
        where: a path or ``sqlite:///path`` of a SQLite file, or ``postgresql://user@host/database``.
        create: whether to create the history if it does not exist; its folder must exist.

    Returns:
        The history; close it, or use it in a ``with`` statement.

    Raises:
        InputError: the history is missing, damaged, unreachable, another program's, or of a newer version.
        MissingExtraError: the extra ``postgres`` is not installed, for a server.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with open_history(Path(folder) / "history.sqlite") as history:
        ...         history.datasets()
        []
    """
    address = read_address(where)
    if create and address.path is not None:
        check_folder_of(address.path, address.kind)
    return History(open_database(address, create=create))


class History:
    """Store of runs, approvals and comparisons; several threads and processes may use it at the same time.

    Every call that writes is one transaction. Open a history with :func:`open_history`.

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
        return self._database.address.shown

    @property
    def anchors(self) -> AnchorStore:
        """The anchor sets with their readings."""
        return AnchorStore(self._database)

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def check_writable(self) -> None:
        """Check that the history can be written, before a long run.

        Raises:
            InputError: it cannot be written.
        """
        with self._database.writing():
            pass

    def record(self, run: Run) -> Run:
        """Store a run with all its items, unless the history has one with the same content.

        The content is items, outputs, dataset, model, revision, note and ``rerun_of``. So a command that was
        killed after storing its run adds nothing when it is repeated.

        Returns:
            The stored run, new or earlier.

        Raises:
            InputError: the history has another run with this id, cannot be written, or cannot store a value.
            UnknownNameError: ``rerun_of`` names no run.
        """
        bodies = _bodies(run)
        with self._database.writing(alone=True) as connection:
            known = _same_id(connection, _run_entry(run, bodies))
            if known is None:
                _record_run(connection, run, bodies)
                return run
            return _load_run(connection, known)

    def same_run(self, run: Run, *, besides: Collection[str] = ()) -> Run | None:
        """Load the run with the same content as another one; ``None`` if there is none.

        Args:
            run: a run, stored or not.
            besides: IDs of runs to leave out.
        """
        entry = _run_entry(run, _bodies(run))
        with self._database.reading() as connection:
            known = _same_id(connection, entry, besides=besides)
            return None if known is None else _load_run(connection, known)

    def run(self, name: str) -> Run:
        """Load a run.

        Args:
            name: its ID, or at least the first 4 characters.

        Raises:
            UnknownNameError: the name matches no run or several.
            InputError: it was changed since it was recorded.
        """
        with self._database.reading() as connection:
            return _load_run(connection, _find_run(connection, name))

    def runs(self, dataset: str | None = None) -> list[RunSummary]:
        """List runs without their items, oldest first.

        Args:
            dataset: list only runs of this dataset.

        Raises:
            InputError: a run was changed since it was recorded, or deleted.
        """
        with self._database.reading() as connection:
            return [_run_summary(entry) for entry in _list_entries(connection, EntryKind.RUN, dataset)]

    def datasets(self) -> list[str]:
        """List the names of all datasets with runs, sorted."""
        with self._database.reading() as connection:
            return sorted(set(_datasets_of_runs(connection).values()))

    def reruns(self, run_id: str) -> list[Run]:
        """Load the reruns of a run, oldest first.

        Raises:
            UnknownNameError: the ID matches no run or several.
            InputError: a rerun was changed since it was recorded, or a run of the dataset was deleted.
        """
        with self._database.reading() as connection:
            original = _find_run(connection, run_id)
            dataset = _datasets_of_runs(connection)[original]
            entries = _list_entries(connection, EntryKind.RUN, dataset, ENTRIES.c.subject == original)
            return [_load_run(connection, entry.id) for entry in entries]

    def approve(self, approval: Approval) -> None:
        """Store an approval; the latest approval of a dataset determines its baseline.

        Raises:
            InputError: the run is of another dataset, or the history has an approval with this id.
            UnknownNameError: there is no such run.
        """
        dataset = approval.dataset
        remedy = f", so it cannot be the baseline of {dataset!r}: approve a run of that dataset"
        self._add_decision(EntryKind.APPROVAL, approval, remedy)

    def reject(self, rejection: Rejection) -> None:
        """Store a rejection.

        Raises:
            InputError: the run is of another dataset, or the history has a rejection with this id.
            UnknownNameError: there is no such run.
        """
        remedy = f", not of {rejection.dataset!r}: reject it in its own dataset"
        self._add_decision(EntryKind.REJECTION, rejection, remedy)

    def _add_decision(self, kind: EntryKind, decision: Approval | Rejection, remedy: str) -> None:
        """Store a decision; ``remedy`` ends the message that the run is of another dataset."""
        entry = _decision_entry(kind, decision)
        with self._database.writing(alone=True) as connection:
            dataset = _dataset_of_run(connection, decision.run_id)
            if dataset != decision.dataset:
                raise InputError(f"run {decision.run_id!r} is of dataset {dataset!r}{remedy}")
            add_entry(connection, entry)

    def approvals(self, dataset: str) -> list[Approval]:
        """List the approvals of a dataset, oldest first.

        Raises:
            InputError: an approval was changed since it was given, or deleted.
        """
        with self._database.reading() as connection:
            return [_approval(entry) for entry in _list_entries(connection, EntryKind.APPROVAL, dataset)]

    def rejections(self, dataset: str) -> list[Rejection]:
        """List the rejections of a dataset, oldest first.

        Raises:
            InputError: a rejection was changed since it was stored, or deleted.
        """
        with self._database.reading() as connection:
            return [_rejection(entry) for entry in _list_entries(connection, EntryKind.REJECTION, dataset)]

    def decisions(self, dataset: str) -> list[Approval | Rejection]:
        """List what people decided about the runs of a dataset, oldest first.

        Raises:
            InputError: a decision was changed since it was stored, or deleted.
        """
        return _in_order([*self.approvals(dataset), *self.rejections(dataset)])

    def rejection_of(self, run: Run, *, at: datetime | None = None) -> Rejection | None:
        """Return the rejection of a run's outputs that is in force.

        It holds for every run of the dataset with the same model and outputs, until such a run is approved or
        the rejection expires.

        Args:
            run: a run, stored or not.
            at: time at which the rejection is in force; later decisions do not count. By default now.

        Raises:
            InputError: a decision or a run was changed since it was stored.
        """
        rejections = self.rejections(run.dataset)
        if not rejections:
            return None
        digest = digest_bodies(_bodies(run))
        with self._database.reading() as connection:
            entries = read_entries(connection, EntryKind.RUN, ENTRIES.c.dataset == run.dataset)
        alike = {
            entry.id
            for entry in entries
            if (entry.content["model"], entry.content["items"]) == (run.model, digest)
        }
        moment = now() if at is None else at
        about = [
            decision
            for decision in _in_order([*self.approvals(run.dataset), *rejections])
            if decision.run_id in alike and decision.decided <= moment
        ]
        last = about[-1] if about else None
        return last if isinstance(last, Rejection) and not last.is_stale(moment) else None

    def head(self, dataset: str) -> str | None:
        """Return the hash of a dataset's last link, which represents all its entries, if there are any."""
        with self._database.reading() as connection:
            last = last_links(connection, dataset)
            return last[-1].hash if last else None

    def verify(self, heads: Sequence[str] = ()) -> Verification:
        """Check every entry against its link, and every link against those before it.

        Args:
            heads: hashes that ``head`` returned earlier, which the history must still have.

        Raises:
            InputError: a head is shorter than 16 characters.
        """
        return verify(self._database, heads)

    def baseline(self, dataset: str, *, at: datetime | None = None) -> tuple[Run, Approval]:
        """Load the run that was approved as the baseline of a dataset.

        Args:
            dataset: its name.
            at: time of the baseline; later approvals do not count. By default now.

        Returns:
            The run and its approval.

        Raises:
            InputError: no run is approved, the latest approval has expired, or the run was rejected since.
            UnknownNameError: the history has no such dataset.
        """
        if at is not None:
            moment_text("at", at)
        approvals = [
            approval for approval in self.approvals(dataset) if at is None or approval.approved <= at
        ]
        if not approvals:
            raise self._not_approved(dataset)
        latest = approvals[-1]
        if latest.expires is not None and latest.is_stale(now() if at is None else at):
            raise InputError(
                f"the baseline of {dataset!r} is stale: {latest.by} approved run {short_id(latest.run_id)} "
                f"on {latest.approved:%Y-%m-%d} until {latest.expires:%Y-%m-%d %H:%M} UTC; review it again, "
                f"then semscale drift approve RUN, such as {short_id(latest.run_id)}"
            )
        run = self.run(latest.run_id)
        rejection = self.rejection_of(run, at=at)
        if rejection is not None:
            raise InputError(
                f"the baseline of {dataset!r} was rejected: {rejection.by} rejected run {short_id(run.id)} "
                f"on {rejection.rejected:%Y-%m-%d}; approve another run with semscale drift approve RUN"
            )
        return run, latest

    def record_comparison(
        self, comparison: StoredComparison, *, candidate: Run | None = None
    ) -> StoredComparison:
        """Store a comparison with its figures and scores, unless the history has an equal one.

        Comparisons are equal if their runs, signature, outcome, checks, figures and scores are the same.
        Candidates are equal if their content is the same; see ``record``.

        Args:
            comparison: the comparison of a candidate with a baseline.
            candidate: the candidate's run if it is not stored yet; both are stored in one transaction.

        Returns:
            The stored comparison, new or earlier.

        Raises:
            InputError: the history has another entry with one of the ids, cannot be written, or cannot store
                a value.
            UnknownNameError: the candidate's ``rerun_of`` names no run.
        """
        with self._database.writing(alone=True) as connection:
            if candidate is not None:
                bodies = _bodies(candidate)
                besides = [comparison.baseline_id]
                known = _same_id(connection, _run_entry(candidate, bodies), besides=besides)
                if known is None:
                    _record_run(connection, candidate, bodies)
                else:
                    comparison = replace(comparison, candidate_id=known)
            stored = _same_id(connection, _comparison_entry(comparison))
            if stored is None:
                _record_comparison(connection, comparison)
                return comparison
            return replace(comparison, id=stored)

    def comparisons(
        self, *, dataset: str | None = None, baseline_id: str | None = None
    ) -> list[StoredComparison]:
        """List comparisons with their figures, but without scores, oldest first.

        Args:
            dataset: list only comparisons of this dataset.
            baseline_id: list only comparisons with this baseline.

        Raises:
            InputError: a comparison or its candidate was changed since it was stored, or one was deleted.
        """
        with self._database.reading() as connection:
            wanted = [] if baseline_id is None else [ENTRIES.c.subject == baseline_id]
            if dataset is None and baseline_id is not None:
                dataset = _datasets_of_runs(connection).get(baseline_id)
            entries = _list_entries(connection, EntryKind.COMPARISON, dataset, *wanted)
            datasets = {entry.dataset for entry in entries}
            runs = read_entries(connection, EntryKind.RUN, ENTRIES.c.dataset.in_(sorted(datasets)))
            digests = {entry.id: entry.content["items"] for entry in runs}
            moved = comparisons_moved(connection, datasets)
            return [_comparison(entry, digests, ruler_moved=entry.id in moved) for entry in entries]

    def scores(self, comparison_id: str) -> dict[str, Floats]:
        """Load the scores of a comparison.

        Returns:
            For each metric its scores, shape (n,); NaN for an item without one.

        Raises:
            UnknownNameError: there is no such comparison.
            InputError: it was changed since it was stored.
        """
        with self._database.reading() as connection:
            entries = read_entries(connection, EntryKind.COMPARISON, ENTRIES.c.id == comparison_id)
            if not entries:
                query = select(ENTRIES.c.id).where(ENTRIES.c.kind == str(EntryKind.COMPARISON))
                ids = sorted(connection.execute(query).scalars())
                raise UnknownNameError(
                    f"unknown comparison {comparison_id[:60]!r}{near_id(comparison_id, ids)}"
                )
            packed = load_packed(connection, comparison_id)
            if hashes_of(packed) != entries[0].content["scores"]:
                raise tampering_error(entries[0])
            return {metric: unpack(body) for metric, body in packed.items()}

    def _not_approved(self, dataset: str) -> InputError:
        recorded = self.runs(dataset)
        if not recorded:
            names = self.datasets()
            return UnknownNameError(f"unknown dataset {dataset[:60]!r}{near(dataset, names)}")
        return InputError(
            f"dataset {dataset!r} has no approved baseline: semscale drift approve RUN, such as its "
            f"latest run {short_id(recorded[-1].id)}"
        )


def _list_entries(
    connection: Connection, kind: EntryKind, dataset: str | None, *conditions: ColumnElement[bool]
) -> list[Entry]:
    """Read entries of one dataset, or of all; raise an error if an entry of the kind was deleted."""
    lost = [LINKS.c.kind == str(kind)]
    wanted = list(conditions)
    if dataset is not None:
        lost.append(LINKS.c.dataset == dataset)
        wanted.append(ENTRIES.c.dataset == dataset)
    refuse_lost(connection, *lost)
    return read_entries(connection, kind, *wanted)


def _same_id(connection: Connection, entry: Entry, *, besides: Collection[str] = ()) -> str | None:
    """Return the first entry with the same content, regardless of its ID and time."""
    columns = ENTRIES.c
    query = select(columns.id).where(
        columns.kind == entry.kind,
        columns.dataset == entry.dataset,
        columns.subject.is_not_distinct_from(entry.subject),
        columns.body == entry.body,
        columns.id.not_in(list(besides)),
    )
    same: str | None = connection.execute(query.order_by(columns.moment, columns.id)).scalars().first()
    return same


def _datasets_of_runs(connection: Connection) -> dict[str, str]:
    query = select(ENTRIES.c.id, ENTRIES.c.dataset).where(ENTRIES.c.kind == str(EntryKind.RUN))
    return {row.id: row.dataset for row in sorted(connection.execute(query))}


def _dataset_of_run(connection: Connection, run_id: str) -> str:
    known = _datasets_of_runs(connection)
    if run_id not in known:
        raise UnknownNameError(f"unknown run {run_id[:60]!r}{near_id(run_id, list(known))}")
    return known[run_id]


def _find_run(connection: Connection, name: str) -> str:
    return find_id(name, list(_datasets_of_runs(connection)), "run")


def _bodies(run: Run) -> list[str]:
    return [dump_item(item) for item in run.items]


def _run_entry(run: Run, bodies: Sequence[str]) -> Entry:
    content = {
        "model": run.model,
        "signature": str(run.signature),
        "revision": run.revision,
        "note": run.note,
        "n_items": len(bodies),
        "items": digest_bodies(bodies),
    }
    return Entry(
        EntryKind.RUN,
        run.id,
        run.dataset,
        subject=run.rerun_of,
        moment=moment_text("recorded", run.recorded),
        body=body_text(content),
    )


def _record_run(connection: Connection, run: Run, bodies: Sequence[str]) -> None:
    if run.rerun_of is not None:
        known = _datasets_of_runs(connection)
        if run.rerun_of not in known:
            raise UnknownNameError(
                "rerun_of", f"names no run, got {run.rerun_of[:60]!r}{near_id(run.rerun_of, list(known))}"
            )
        if known[run.rerun_of] != run.dataset:
            raise InputError(
                "rerun_of",
                f"must name a run of dataset {run.dataset!r}, got {run.rerun_of!r} of "
                f"{known[run.rerun_of]!r}",
            )
    add_entry(connection, _run_entry(run, bodies))
    items: list[Row] = [
        {"run_id": run.id, "position": position, "body": body} for position, body in enumerate(bodies)
    ]
    insert_rows(connection, ITEMS, items)


def _load_run(connection: Connection, run_id: str) -> Run:
    (entry,) = read_entries(connection, EntryKind.RUN, ENTRIES.c.id == run_id)
    bodies = load_bodies(connection, run_id)
    if digest_bodies(bodies) != entry.content["items"]:
        raise InputError(
            f"run {run_id!r} is not what was recorded: its {len(bodies)} items have another digest, so "
            "somebody changed the database; restore the run from a copy"
        )
    return Run(
        dataset=entry.dataset,
        model=entry.content["model"],
        items=tuple(load_item(body) for body in bodies),
        id=entry.id,
        recorded=entry.time,
        rerun_of=entry.subject,
        revision=entry.content["revision"],
        note=entry.content["note"],
    )


def _run_summary(entry: Entry) -> RunSummary:
    content = {name: value for name, value in entry.content.items() if name != "items"}
    return RunSummary(
        id=entry.id, dataset=entry.dataset, recorded=entry.time, rerun_of=entry.subject, **content
    )


def _decision_entry(kind: EntryKind, decision: Approval | Rejection) -> Entry:
    name = "approved" if kind is EntryKind.APPROVAL else "rejected"
    moment = moment_text(name, decision.decided)
    expires = None if decision.expires is None else moment_text("expires", decision.expires)
    if expires is not None and expires <= moment:
        raise InputError("expires", f"must be later than the {kind}, {moment}, got {expires}")
    return Entry(
        kind,
        decision.id,
        decision.dataset,
        subject=decision.run_id,
        moment=moment,
        body=body_text({"by": decision.by, "why": decision.why, "expires": expires}),
    )


def _approval(entry: Entry) -> Approval:
    return Approval(approved=entry.time, **_decided(entry))


def _rejection(entry: Entry) -> Rejection:
    return Rejection(rejected=entry.time, **_decided(entry))


def _decided(entry: Entry) -> dict[str, Any]:
    """Return what approvals and rejections have in common."""
    expires = entry.content["expires"]
    return {
        "run_id": entry.subject or "",
        "dataset": entry.dataset,
        "by": entry.content["by"],
        "why": entry.content["why"],
        "expires": None if expires is None else datetime.fromisoformat(expires),
        "id": entry.id,
    }


def _in_order(decisions: Iterable[Approval | Rejection]) -> list[Approval | Rejection]:
    """Sort decisions by time; of two at the same time, a rejection is the later one."""
    return sorted(
        decisions, key=lambda decision: (decision.decided, isinstance(decision, Rejection), decision.id)
    )


def _comparison_entry(comparison: StoredComparison) -> Entry:
    checks = comparison.checks
    packed = {metric: pack(values) for metric, values in comparison.scores.items()}
    content = {
        "candidate_id": comparison.candidate_id,
        "model": comparison.model,
        "signature": comparison.signature,
        "outcome": None if comparison.outcome is None else str(comparison.outcome),
        "figures": [dump_figure(figure) for figure in comparison.figures],
        "checks": None if checks is None else [dump_check(check) for check in checks],
        "scores": hashes_of(packed),
    }
    return Entry(
        EntryKind.COMPARISON,
        comparison.id,
        comparison.dataset,
        subject=comparison.baseline_id,
        moment=moment_text("compared", comparison.compared),
        body=body_text(content),
    )


def _record_comparison(connection: Connection, comparison: StoredComparison) -> None:
    add_entry(connection, _comparison_entry(comparison))
    scores: list[Row] = [
        {"comparison_id": comparison.id, "metric": metric, "packed": pack(values)}
        for metric, values in comparison.scores.items()
    ]
    insert_rows(connection, SCORES, scores)


def _comparison(entry: Entry, digests: Mapping[str, str], *, ruler_moved: bool) -> StoredComparison:
    content = entry.content
    checks = content["checks"]
    return StoredComparison(
        baseline_id=entry.subject or "",
        candidate_id=content["candidate_id"],
        model=content["model"],
        dataset=entry.dataset,
        signature=content["signature"],
        outcome=content["outcome"],
        figures=tuple(load_figure(figure) for figure in content["figures"]),
        compared=entry.time,
        id=entry.id,
        candidate_digest=digests.get(content["candidate_id"]),
        ruler_moved=ruler_moved,
        checks=None if checks is None else tuple(load_check(check) for check in checks),
    )
