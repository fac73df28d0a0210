"""Runs of ``semscale drift record`` and ``approve``: store outputs, and approve a run as the baseline."""

from dataclasses import replace
from typing import TYPE_CHECKING

from semscale.cli.drift.command_options import ApprovalOptions, RecordOptions
from semscale.cli.drift.expiry import read_expiry
from semscale.cli.drift.output_reading import read_outputs
from semscale.cli.drift.run_lookup import run_of
from semscale.drift.runs.comparability import check_comparable, check_rerun, match_runs, outputs_equal
from semscale.drift.runs.run_summaries import ApprovedBaseline, RecordedRun
from semscale.drift.runs.shared_ids import shared_ids
from semscale.errors import InputError
from semscale.history.runs import Approval, Run, named, now, short_id

if TYPE_CHECKING:
    from semscale.history.history import History


def record_outputs(options: RecordOptions) -> RecordedRun:
    """Read a file of outputs and keep it as a run.

    Raises:
        InputError: the file cannot be read, or is no run of the dataset or no rerun of the run that is named.
    """
    dataset = options.history.dataset
    read = read_outputs(options.file or "", options.source, options.table, dataset=dataset)
    with options.history.open(create=True) as history:
        run = placed_run(history, read, dataset, options.rerun_of)
        shared = shared_ids(history, run)
        repeats = run.rerun_of is not None and outputs_equal(history.run(run.rerun_of), run)
        kept = history.record_once(run)
        return RecordedRun(kept, history.where, is_new=kept is run, shared=shared, repeats_original=repeats)


def approve_run(options: ApprovalOptions) -> ApprovedBaseline:
    """Make a run the baseline of its dataset.

    Raises:
        InputError: there is no such run, a text is empty, or the expiry is not a moment ahead.
    """
    at, by, why = now(), options.by.strip(), options.why.strip()
    until = None if options.expires is None else read_expiry(options.expires, at)
    for name, text in (("by", by), ("why", why)):
        if not text:
            raise InputError(f"{name} must not be empty: an approval says who gave it and for what reason")
    with options.history.open() as history:
        approved = run_of(history, options.run, options.history.dataset, skip_reruns=True)
        shared = shared_ids(history, approved) if history.approvals(approved.dataset) else None
        approval = Approval(approved.id, approved.dataset, by, why, approved=at, expires=until)
        history.approve(approval)
    return ApprovedBaseline(approved, approval, shared)


def placed_run(
    history: "History", run: Run, dataset: str | None, rerun_of: str | None, *, is_answered: bool = True
) -> Run:
    """Assign a run to its dataset, and to the run that it repeats.

    Args:
        history: where it is to be stored.
        run: what was read or asked for.
        dataset: its name, if it was given.
        rerun_of: the run that it repeats: the beginning of its id, ``latest`` or ``baseline``.
        is_answered: whether it has its outputs; one that is still to be asked for has none.

    Raises:
        InputError: the run does not belong to the dataset, or is no rerun of the run that is named.
    """
    if rerun_of is None:
        return run if dataset is not None else _of_known_dataset(history, run)
    original = run_of(history, rerun_of, dataset)
    if run.model != original.model:
        raise InputError(
            f"rerun_of: {short_id(original.id)} is of {original.model!r}, got {run.model!r}: a rerun asks "
            "the same model once more; drop --rerun-of, or give the same --model"
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
        raise InputError(f"dataset must be named, as the history has {named(known)}: add --dataset NAME")
    placed = replace(run, dataset=known[0])
    try:
        match_runs(history.run(history.runs(known[0])[-1].id), placed)
    except InputError as error:
        raise InputError(f"{error}; or name another dataset than {known[0]!r} with --dataset") from None
    return placed
