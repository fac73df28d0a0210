"""``semscale drift record`` and ``approve``: outputs go into the history, and become the baseline."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from semscale.cli.drift.options import HISTORY, HistoryOptions, SourceOptions
from semscale.cli.drift.place import run_of
from semscale.cli.options.groups import grouped, instead, without
from semscale.cli.options.panels import option
from semscale.cli.options.table import TableOptions
from semscale.cli.outputs import Outputs, present
from semscale.errors import InputError
from semscale.history.runs import Approval, Run, named, now, short_id

if TYPE_CHECKING:
    from semscale.history.history import History


@dataclass(frozen=True, kw_only=True)
class RecordOptions:
    """All options of ``semscale drift record``."""

    file: Annotated[
        str,
        typer.Argument(
            metavar="OUTPUTS",
            help="What a model gave: JSONL, CSV, Parquet, Excel, or a folder or file of Athena's exercises.",
        ),
    ]
    source: Annotated[
        SourceOptions,
        instead(
            model=option(
                HISTORY,
                "What gave the outputs, such as gpt-4o-2024-08-06; Athena's files say so themselves.",
                "NAME",
            )
        ),
    ]
    history: HistoryOptions
    rerun_of: Annotated[
        str | None,
        option(
            HISTORY,
            "The same model and prompt as this run, asked once more: a run, or baseline. Tells how far "
            "outputs differ by chance.",
            "RUN",
        ),
    ] = None
    outputs: Annotated[Outputs, without("out", "report", "figures")]
    table: TableOptions


@dataclass(frozen=True, kw_only=True)
class ApprovalOptions:
    """All options of ``semscale drift approve``."""

    run: Annotated[
        str, typer.Argument(metavar="RUN", help="A run: the first characters of its id, or latest.")
    ]
    by: Annotated[str, option(HISTORY, "Who approves it.", "NAME")]
    why: Annotated[str, option(HISTORY, "For what reason.", "TEXT")]
    expires: Annotated[
        str | None,
        option(HISTORY, "Until when it counts: a span such as 90d, 12w or 24h, or a date.", "WHEN"),
    ] = None
    history: HistoryOptions
    outputs: Annotated[Outputs, without("out", "report", "figures")]


@grouped
def record(options: RecordOptions) -> None:
    """Keep what a model gave for a dataset, as a run that is never changed.

    [bold]semscale drift record outputs.jsonl --model gpt-4o-2024-08-06 --dataset feedback[/bold]

    One item a row, with its id and its output or outputs. The same model asked again: --rerun-of baseline.
    """
    from semscale.cli.drift.source import read_outputs
    from semscale.drift.runs.run_summaries import RecordedRun

    dataset = options.history.dataset
    read = read_outputs(options.file, options.source, options.table, dataset=dataset)
    with options.history.open(create=True) as history:
        run = _placed(history, read, dataset, options.rerun_of)
        history.record(run)
        recorded = RecordedRun(run, history.where)
    present(recorded, options.outputs)


@grouped
def approve(options: ApprovalOptions) -> None:
    """Make a run the baseline of its dataset: what later runs are compared with.

    [bold]semscale drift approve latest --by Ann --why "checked by two tutors" --expires 90d[/bold]
    """
    from semscale.cli.drift.span import read_expiry
    from semscale.drift.runs.run_summaries import ApprovedBaseline

    at, by, why = now(), options.by.strip(), options.why.strip()
    until = None if options.expires is None else read_expiry(options.expires, at)
    for name, text in (("by", by), ("why", why)):
        if not text:
            raise InputError(f"{name} must not be empty: an approval says who gave it and for what reason")
    with options.history.open() as history:
        approved = run_of(history, options.run, options.history.dataset)
        approval = Approval(approved.id, approved.dataset, by, why, approved=at, expires=until)
        history.approve(approval)
    present(ApprovedBaseline(approved, approval), options.outputs)


def _placed(history: "History", run: Run, dataset: str | None, rerun_of: str | None) -> Run:
    """Say which dataset a run is of, and which run it is a rerun of."""
    from semscale.drift.runs.comparability import check_rerun

    if rerun_of is None:
        return run if dataset is not None else _of_known_dataset(history, run)
    original = run_of(history, rerun_of, dataset)
    if run.model != original.model:
        raise InputError(
            f"rerun_of: {short_id(original.id)} is of {original.model!r}, got {run.model!r}: a rerun asks "
            "the same model once more; drop --rerun-of, or give the same --model"
        )
    run = replace(run, dataset=original.dataset, rerun_of=original.id)
    check_rerun(original, run)
    return run


def _of_known_dataset(history: "History", run: Run) -> Run:
    """Take a run whose dataset nobody named for one of the only dataset, if it has the same items."""
    from semscale.drift.runs.comparability import check_comparable

    known = history.datasets()
    if not known or run.dataset in known:
        return run
    if len(known) > 1:
        raise InputError(f"dataset must be named, as the history has {named(known)}: add --dataset NAME")
    placed = replace(run, dataset=known[0])
    try:
        check_comparable(history.run(history.runs(known[0])[-1].id), placed)
    except InputError as error:
        raise InputError(f"{error}; or name another dataset than {known[0]!r} with --dataset") from None
    return placed
