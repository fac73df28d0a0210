"""Runs, approvals, anchors and histories of ``semscale drift``."""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from semscale.cli.drift.options import (
    AnchorOptions,
    ApprovalOptions,
    HistoryViewOptions,
    MeasuringOptions,
    RecordOptions,
    SourceOptions,
)
from semscale.cli.outputs import check_input
from semscale.cli.progress import progress_bars
from semscale.cli.shared import EmbedderOptions, TableOptions
from semscale.drift.directions import Direction
from semscale.drift.measure.meter import DriftMeter
from semscale.drift.nights.history_summary import HistorySummary, summarize_history
from semscale.drift.reading import RunColumns, is_table, read_run
from semscale.drift.ruler.anchor_file import read_anchors
from semscale.drift.ruler.anchors_summary import AnchorsSummary, summarize_anchors
from semscale.drift.ruler.checking import freeze_anchors, read_again
from semscale.drift.ruler.text_ruler import TextRuler
from semscale.drift.runs import (
    ApprovedBaseline,
    RecordedRun,
    check_comparable,
    check_rerun,
    git_revision,
    match_runs,
    outputs_equal,
    shared_ids,
)
from semscale.embedding.token_states import TOKENLESS_ENGINES
from semscale.errors import InputError, UnknownNameError
from semscale.history.anchor_sets import AnchorSet
from semscale.history.chain import Merged
from semscale.history.history import open_history
from semscale.history.runs import Approval, Run, named, near, now, short_id
from semscale.messages import did_you_mean

if TYPE_CHECKING:
    from semscale.history.chain import Verification
    from semscale.history.history import History
    from semscale.history.runs import Approval, Run

LATEST, BASELINE = "latest", "baseline"


def dataset_of(history: "History", dataset: str | None) -> str:
    """Say which dataset is meant: the one that is named, or the only one.

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
        raise InputError(f"dataset must be named, as the history has {named(known)}: add --dataset NAME")
    return known[0]


def run_of(history: "History", name: str, dataset: str | None) -> "Run":
    """Load the run that is meant.

    Args:
        history: where it is.
        name: the beginning of its id, ``latest`` (the latest run that repeats no other), or ``baseline``.
        dataset: of which dataset the latest run or the baseline is meant; the only one unless given.

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


def baseline_of(history: "History", name: str | None, dataset: str) -> "tuple[Run, Approval | None]":
    """Load the run that a candidate is compared with, and its approval.

    Args:
        history: where both are.
        name: a run that is to stand in for the baseline, if one is named.
        dataset: of the candidate.

    Raises:
        InputError: no run is approved, or the approval has expired.
        UnknownNameError: there is no such run or dataset.
    """
    if name is None or name == BASELINE:
        return history.baseline(dataset_of(history, dataset))
    return run_of(history, name, dataset), None


def drift_meter(
    measuring: MeasuringOptions,
    embedder: EmbedderOptions,
    seed: int | None,
    fields: Mapping[str, Direction] | None = None,
) -> DriftMeter:
    """Make the meter; with the engine ``openvino`` the model is loaded when it is first needed.

    Args:
        measuring: how runs are measured.
        embedder: the model.
        seed: of what is random.
        fields: which numbers of a field are better, from a gate's settings.

    Raises:
        InputError: an engine that shows no states of tokens, or a setting that cannot be used.
        MissingExtraError: the engine's extra is not installed.
    """
    if embedder.engine in TOKENLESS_ENGINES:
        raise InputError(
            f"--engine must be openvino or torch, which show the states of tokens, got {embedder.engine!r}"
        )
    named = embedder.engine == "openvino"
    return DriftMeter(
        embedder.chosen_name if named else embedder.load(None),
        precision=embedder.precision,
        seed=seed or 0,
        pairing=measuring.pairing,
        layer=measuring.layer,
        cache=embedder.cache,
        fields=fields,
    )


_STANDARD_INPUT = "-"


def read_outputs(
    path: str,
    source: SourceOptions,
    table: TableOptions,
    *,
    dataset: str | None = None,
    like: Run | None = None,
) -> Run:
    """Read a file as a run of the code in this folder.

    Args:
        path: of a table, of Athena's exercises, or ``-``.
        source: what is said about the file.
        table: how a table is read.
        dataset: its name; that of the file unless given.
        like: a run whose groups and fields are looked for among the columns, where none are named.

    Raises:
        InputError: the file cannot be read as a run.
    """
    columns = source.columns.columns
    check_input(path)
    if path != _STANDARD_INPUT and not Path(path).exists():
        raise InputError(f"{path} does not exist: name a file of outputs")
    return read_run(
        path,
        model=source.model,
        dataset=dataset,
        columns=columns if like is None else _columns_like(like, columns, path, table),
        revision=git_revision(Path.cwd()),
        note=source.note,
        **table.settings,
    )


def _columns_like(run: Run, columns: RunColumns, path: str, table: TableOptions) -> RunColumns:
    if path == _STANDARD_INPUT or not is_table(path, table.settings.get("format")):
        return columns
    there = table.open(path).columns
    by = columns.by or tuple(kind for kind in run.group_kinds if kind in there)
    fields = columns.fields or tuple(name for name in run.fields if name in there)
    return replace(columns, by=by, fields=fields)


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
        approved = run_of(history, options.run, options.history.dataset)
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


_HOURS = {"h": 1, "d": 24, "w": 7 * 24}


_SPAN = re.compile(r"(\d+)\s*([hdw])")


_LONGEST = 100 * 365 * 24


def read_expiry(written: str, at: datetime) -> datetime:
    """Read when something expires: a span from now on, or a date.

    Args:
        written: such as ``90d``, ``12w``, ``24h``, ``2026-12-31`` or ``2026-12-31T18:00``; a date without a
            zone is in UTC, and counts until it begins.
        at: what time it is, in UTC.

    Raises:
        InputError: it is neither, or it has passed.

    Example:
        >>> at = datetime(2026, 11, 21, tzinfo=UTC)
        >>> read_expiry("90d", at).date(), read_expiry("2026-12-31", at).date()
        (datetime.date(2027, 2, 19), datetime.date(2026, 12, 31))
    """
    text = written.strip()
    span = _SPAN.fullmatch(text.lower())
    if span:
        hours = int(span[1]) * _HOURS[span[2]]
        if not 0 < hours <= _LONGEST:
            raise InputError(f"expires must be a span from 1 hour to 100 years, got {written!r:.40}")
        return at + timedelta(hours=hours)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(
            f"expires must be a span such as 90d, 12w or 24h, or a date, 2027-01-31, got {written!r:.40}"
        ) from None
    moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    if moment <= at:
        raise InputError(
            f"expires must be in the future, got {written!r:.40}: approve for a span such as 90d"
        )
    return moment


def summarize_anchor_sets(options: AnchorOptions) -> AnchorsSummary:
    """Freeze a file of anchors or read the latest set again, where either is asked, and sum up the sets.

    Raises:
        SemscaleError: what the history, the file or the model cannot do.
    """
    options.outputs.check()
    if options.file is None:
        with options.history.open() as history:
            dataset = dataset_of(history, options.history.dataset)
            summary = summarize_anchors(history, dataset)
            if not options.again:
                return summary
            history.check_writable()
            with progress_bars() as progress:
                read_again(history, summary.sets[-1].anchors, _ruler(options), progress=progress)
            return summarize_anchors(history, dataset)
    table = options.table.open(options.file)
    pairs = read_anchors(table, options.columns.columns)
    name = options.name or Path(options.file).stem
    with options.history.open() as history:
        anchors = AnchorSet(dataset_of(history, options.history.dataset), name, pairs)
        _freeze(history, anchors, options)
        return summarize_anchors(history, anchors.dataset)


def _freeze(history: "History", anchors: AnchorSet, options: AnchorOptions) -> None:
    history.check_writable()
    with progress_bars() as progress:
        freeze_anchors(history, anchors, _ruler(options), progress=progress)


def _ruler(options: AnchorOptions) -> TextRuler:
    return TextRuler(drift_meter(options.measuring, options.embedder, options.seed))


def read_history(options: HistoryViewOptions) -> HistorySummary:
    """Merge other histories into this one, and sum it up.

    Raises:
        InputError: a history that cannot be opened or merged, or nothing to follow for a report.
    """
    options.outputs.check()
    if options.heads:
        raise InputError("--head belongs to --verify: add it")
    others, dataset, reported = options.merge, options.history.dataset, bool(options.outputs.named)
    with options.history.open(create=bool(others)) as history:
        merged = dict(_merged(history, other) for other in others)
        one = dataset is not None or reported
        names = [dataset_of(history, dataset)] if one else None
        summary = summarize_history(history, names, merged)
    if reported and summary.datasets[0].trends is None:
        raise InputError(
            f"report needs a comparison, and {summary.datasets[0].name!r} has none: first "
            "semscale drift gate CANDIDATE"
        )
    return summary


def verify_history(options: HistoryViewOptions) -> "Verification":
    """Check every entry of a history.

    Raises:
        InputError: a history that cannot be opened, a head that is too short, or an option of a listing.
    """
    options.outputs.check()
    for name, given in (("merge", options.merge), ("dataset", options.history.dataset)):
        if given:
            raise InputError(f"--verify checks the whole history: take it without --{name}")
    with options.history.open() as history:
        return history.verify(options.heads)


def _merged(history: "History", other: str) -> tuple[str, Merged]:
    """Merge another history; return its place, without a password, and what was merged."""
    with open_history(other, create=False) as there:
        if _is_same(history.where, there.where):
            raise InputError(f"merge: {there.where} is the history itself, got {other!r}: name another one")
        return there.where, history.merge(there)


def _is_same(one: str, other: str) -> bool:
    """Say whether two places are one history: the same URL or the same file."""
    paths = Path(one), Path(other)
    return one == other or (all(path.is_file() for path in paths) and paths[0].samefile(paths[1]))
