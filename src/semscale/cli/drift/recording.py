"""Runs, approvals, anchors and histories of ``semscale drift``."""

import getpass
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from semscale.cli.drift.options import (
    ApprovalOptions,
    ApproveOptions,
    HistoryViewOptions,
    RecordOptions,
    RejectionOptions,
    ShowOptions,
    SourceOptions,
)
from semscale.cli.outputs import check_input
from semscale.cli.progress import progress_bars
from semscale.cli.shared import TableOptions
from semscale.drift.anchors import RecordedAnchors, TextRuler, read_anchors, record_anchors
from semscale.drift.approving import approval_of, approve, reject
from semscale.drift.columns import RunColumns
from semscale.drift.history_summary import HistorySummary, summarize_history
from semscale.drift.reading import is_table, read_runs
from semscale.drift.review import RunReview, review_run
from semscale.drift.revision import git_revision
from semscale.drift.runs import (
    ApprovedBaseline,
    RecordedRun,
    RejectedRun,
    check_comparable,
    check_rerun,
    copies_among,
    count_shared_ids,
    match_runs,
    reasoning_notes,
)
from semscale.errors import InputError, UnknownNameError
from semscale.history.anchor_sets import AnchorSet
from semscale.history.runs import Approval, Run, list_names, near, now, short_id
from semscale.messages import did_you_mean

if TYPE_CHECKING:
    from semscale.history.chain import Verification
    from semscale.history.history import History

LATEST, BASELINE = "latest", "baseline"


def dataset_of(history: "History", dataset: str | None) -> str:
    """Return the name of the selected dataset: the given one, or the history's only one.

    Raises:
        InputError: none is named and there are none or several.
        UnknownNameError: there is none of this name.
    """
    known = history.datasets()
    if dataset is not None:
        if dataset not in known:
            raise UnknownNameError(f"unknown dataset {dataset[:60]!r}{near(dataset, known)}")
        return dataset
    if not known:
        raise InputError(f"history {history.where} holds no run: record one with semscale drift record")
    if len(known) > 1:
        raise InputError(
            "dataset", f"must be named, as the history has {list_names(known)}: add --dataset NAME"
        )
    return known[0]


def run_of(history: "History", name: str, dataset: str | None) -> Run:
    """Load a run by its name.

    Args:
        history: stores the run.
        name: the beginning of its id, ``latest`` (the latest run that is no rerun), or ``baseline``.
        dataset: dataset of the latest run or the baseline; by default the only one.

    Raises:
        UnknownNameError: there is no such run.
        InputError: the dataset is not clear, or is not that of the run.
    """
    if name == BASELINE:
        return history.baseline(dataset_of(history, dataset))[0]
    if name == LATEST:
        runs = history.runs(dataset_of(history, dataset))
        return history.run([run for run in runs if run.rerun_of is None][-1].id)
    try:
        run = history.run(name)
    except UnknownNameError as error:
        raise UnknownNameError(f"{error}{did_you_mean(name, (LATEST, BASELINE))}") from None
    if dataset not in {None, run.dataset}:
        raise InputError(f"run {name!r} is of dataset {run.dataset!r}, not of {dataset!r}: drop --dataset")
    return run


def baseline_of(history: "History", name: str | None, dataset: str) -> tuple[Run, Approval | None]:
    """Load the run that a candidate is compared with, and its approval.

    Args:
        history: stores both.
        name: a run to take instead of the baseline.
        dataset: dataset of the candidate.

    Raises:
        InputError: no run is approved, or the approval has expired.
        UnknownNameError: there is no such run or dataset.
    """
    if name is None or name == BASELINE:
        return history.baseline(dataset_of(history, dataset))
    return run_of(history, name, dataset), None


_STANDARD_INPUT = "-"


def read_outputs(
    path: str,
    source: SourceOptions,
    table: TableOptions,
    *,
    dataset: str | None = None,
    like: Run | None = None,
    default_model: str | None = None,
) -> tuple[Run, ...]:
    """Read a file as a run of the code in this folder, and its reruns from repeated outputs.

    Args:
        path: path of a table or of Athena's exercises, or ``-``.
        source: columns and model of the file.
        table: format of the table.
        dataset: name of the dataset; by default the file's.
        like: a run whose groups and fields are read, where none are named.
        default_model: model of the outputs if neither the options nor the file name it.

    Raises:
        InputError: the file cannot be read as a run.
    """
    columns = source.columns.of_outputs()
    check_input(path)
    if path != _STANDARD_INPUT and not Path(path).exists():
        raise InputError(f"{path} does not exist: name a file of outputs")
    return read_runs(
        path,
        model=source.model,
        dataset=dataset,
        columns=columns if like is None else _columns_like(like, columns, path, table),
        revision=git_revision(Path.cwd()),
        note=source.note,
        default_model=default_model,
        **dict(table.settings),
    )


def _columns_like(run: Run, columns: RunColumns, path: str, table: TableOptions) -> RunColumns:
    if path == _STANDARD_INPUT or not is_table(path, table.settings.format):
        return columns
    titles = table.open(path).columns
    by = columns.by or tuple(kind for kind in run.group_kinds if kind in titles)
    fields = columns.fields or tuple(name for name in run.fields if name in titles)
    return columns.with_values(by=by, fields=fields)


def record_outputs(options: RecordOptions) -> RecordedRun:
    """Read a file of outputs and store it as a run; repeated outputs of its items become reruns.

    Raises:
        InputError: the file cannot be read, or is no run of the dataset or no rerun of the run that is named.
    """
    dataset, rerun_of = options.history.dataset, options.rerun_of
    name = None
    if rerun_of is not None:
        with options.history.open() as history:
            name = run_of(history, rerun_of, dataset).model
    read = read_outputs(
        options.file or "", options.source, options.table, dataset=dataset, default_model=name
    )
    with options.history.open(create=True) as history:
        run = with_dataset(history, read[0], dataset, rerun_of)
        approval = approval_to_come(run, options.approval)
        shared = count_shared_ids(history, run)
        stored = history.record(run)
        reruns = record_reruns(history, stored, read[1:])
        again = reruns if stored.rerun_of is None else (stored, *reruns)
        original = stored if stored.rerun_of is None else history.run(stored.rerun_of)
        copies = copies_among(history, original, again)
        recorded = RecordedRun(
            stored,
            history.where,
            is_new=stored is run,
            reruns=reruns,
            shared=shared,
            copies=copies,
            input_notes=reasoning_notes(stored),
        )
        return approve_recorded(history, recorded, approval)


def record_reruns(history: "History", run: Run, repeated: Sequence[Run]) -> tuple[Run, ...]:
    """Store repeated outputs of a run's items as reruns of it, or of the run that it repeats itself.

    Raises:
        InputError: the outputs cannot be those of a rerun.
    """
    origin = run.rerun_of or run.id
    reruns = [replace(other, dataset=run.dataset, rerun_of=origin) for other in repeated]
    for number, rerun in enumerate(reruns, start=1):
        note = f"{rerun.note}; " if rerun.note else ""
        reruns[number - 1] = replace(check_rerun(run, rerun), note=f"{note}repeated output {number + 1}")
    return tuple(history.record(rerun) for rerun in reruns)


def approval_to_come(run: Run, options: ApproveOptions) -> Approval | None:
    """Return the approval of a run that is to be recorded; ``None`` if the options ask for none.

    Raises:
        InputError: a text is empty, the user has no name, or the expiry is not in the future.
    """
    if not options.approve:
        return None
    by = _user_name() if options.by is None else options.by
    why = "approved when recorded" if options.why is None else options.why
    return approval_of(run, by, why, options.expires, of="approval:")


def approve_recorded(history: "History", recorded: RecordedRun, approval: Approval | None) -> RecordedRun:
    """Make a recorded run the baseline of its dataset if there is an approval."""
    if approval is None:
        return recorded
    run = recorded.run
    approval = replace(approval, run_id=run.id, dataset=run.dataset, approved=now())
    history.approve(approval)
    return replace(recorded, approval=approval)


def _user_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # no variable has a name, and the system does not know the user
        raise InputError("approval:by", "must name who approves the run: add --approved-by NAME") from None


def approve_run(options: ApprovalOptions) -> ApprovedBaseline:
    """Make a run the baseline of its dataset.

    Raises:
        InputError: there is no such run, a text is empty, or the expiry is not a moment ahead.
    """
    with options.history.open() as history:
        run = run_of(history, options.run, options.history.dataset)
        return approve(
            history, run, options.by, options.why, options.expires, is_latest=options.run == LATEST
        )


def reject_run(options: RejectionOptions) -> RejectedRun:
    """Reject a run, so that gates fail its outputs.

    Raises:
        InputError: there is no such run, a text is empty, or the expiry is not a moment ahead.
    """
    with options.history.open() as history:
        run = run_of(history, options.run, options.history.dataset)
        return reject(history, run, options.by, options.why, options.expires)


def with_dataset(
    history: "History", run: Run, dataset: str | None, rerun_of: str | None, *, is_answered: bool = True
) -> Run:
    """Assign a run to its dataset, and to the run that it repeats.

    Args:
        history: will store the run.
        run: a run that was read, or whose outputs will be asked for.
        dataset: name of the dataset, if it was given.
        rerun_of: the run that it repeats: the beginning of its id, ``latest`` or ``baseline``.
        is_answered: whether it has its outputs.

    Raises:
        InputError: the run does not belong to the dataset, or is no rerun of the run that is named.
    """
    if rerun_of is None:
        return run if dataset is not None else _of_known_dataset(history, run)
    original = run_of(history, rerun_of, dataset)
    if run.model != original.model:
        raise InputError(
            "rerun_of",
            f": {short_id(original.id)} is of {original.model!r}, got {run.model!r}: a rerun asks "
            "the same model again; leave out --rerun-of, or name the same --model",
        )
    run = replace(run, dataset=original.dataset, rerun_of=original.id)
    (check_rerun if is_answered else check_comparable)(original, run)
    return run


def _of_known_dataset(history: "History", run: Run) -> Run:
    """Assign a run to the history's only dataset if it has the same items, or enough of them."""
    known = history.datasets()
    if not known or run.dataset in known:
        return run
    if len(known) > 1:
        raise InputError(
            "dataset", f"must be named, as the history has {list_names(known)}: add --dataset NAME"
        )
    assigned = replace(run, dataset=known[0])
    try:
        match_runs(history.run(history.runs(known[0])[-1].id), assigned)
    except InputError as error:
        raise InputError(f"{error}; or name another dataset than {known[0]!r} with --dataset") from None
    return assigned


def record_anchor_set(options: RecordOptions) -> RecordedAnchors:
    """Record a table of anchors with its reference.

    Raises:
        SemscaleError: what the history, the file or the model cannot do.
    """
    file = str(options.anchors)
    check_input(file)
    pairs = read_anchors(options.table.open(file), options.anchor_columns)
    with options.history.open() as history:
        anchors = AnchorSet(dataset_of(history, options.history.dataset), Path(file).stem, pairs)
        history.check_writable()
        with progress_bars() as progress:
            ruler = TextRuler(options.measuring.meter())
            return record_anchors(history, anchors, ruler, progress=progress)


def read_history(options: HistoryViewOptions) -> HistorySummary:
    """Summarize a history.

    Raises:
        InputError: a history that cannot be opened, or a dataset must be named for a report.
    """
    options.outputs.check()
    if options.heads:
        raise InputError("--head belongs to --verify: add it")
    outputs, dataset = options.outputs, options.history.dataset
    with options.history.open() as history:
        is_single = dataset is not None or bool(outputs.documents or outputs.figures)
        summary = summarize_history(history, [dataset_of(history, dataset)] if is_single else None)
        if outputs.folders:
            _write_pages(history, summary, outputs.folders)
        return summary


def _write_pages(history: "History", summary: HistorySummary, folders: Sequence[Path]) -> None:
    """Write the runs of a history and a page for each of them to folders."""
    from semscale.report.drift_site import listed_runs, write_site

    datasets = {dataset.name: dataset for dataset in summary.datasets}
    reviews = {run.id: review_run(history, run.id, datasets[run.dataset]) for run in listed_runs(summary)}
    for folder in folders:
        write_site(summary, reviews, folder)


def show_run(options: ShowOptions) -> RunReview:
    """Read a run with its last gate and the decisions about it.

    Raises:
        InputError: a history that cannot be opened, or there is no such run.
    """
    options.outputs.check()
    with options.history.open() as history:
        return review_run(history, run_of(history, options.run, options.history.dataset).id)


def verify_history(options: HistoryViewOptions) -> "Verification":
    """Check every entry of a history.

    Raises:
        InputError: a history that cannot be opened, a head that is too short, or an option of a listing.
    """
    options.outputs.check()
    if options.outputs.folders:
        raise InputError("--report FOLDER shows runs: take it without --verify")
    if options.history.dataset:
        raise InputError("--verify checks the whole history: take it without --dataset")
    with options.history.open() as history:
        return history.verify(options.heads)
