"""``semscale drift record`` and ``approve``: outputs go into the history, and become the baseline."""

from dataclasses import replace
from typing import TYPE_CHECKING

from semscale.cli.drift import options
from semscale.cli.options.table import Encoding, FormatName, Json, Sheet
from semscale.history.runs import short_id

if TYPE_CHECKING:
    from semscale.history.history import History
    from semscale.history.runs import Run


def record(  # noqa: PLR0913, PLR0917 - each is an option of the command
    outputs: options.Outputs,
    model: options.ModelName = None,
    dataset: options.Dataset = None,
    rerun_of: options.RerunOf = None,
    note: options.Note = None,
    history: options.Where = None,
    id: options.Id = None,  # noqa: A002
    input: options.Input = None,  # noqa: A002
    output: options.Output = None,
    field: options.Field = None,
    by: options.Groups = None,
    long: options.Long = False,  # noqa: FBT002
    json: Json = False,  # noqa: FBT002
    encoding: Encoding = None,
    format: FormatName = None,  # noqa: A002
    sheet: Sheet = None,
) -> None:
    """Keep what a model gave for a dataset, as a run that is never changed.

    [bold]semscale drift record outputs.jsonl --model gpt-4o-2024-08-06 --dataset feedback[/bold]

    One item a row, with its id and its output or outputs. The same model asked again: --rerun-of baseline.
    """
    from semscale.cli.drift.place import chosen_history
    from semscale.cli.drift.source import OutputFile, run_columns, table_settings
    from semscale.cli.outputs import Outputs, present
    from semscale.drift.runs.run_summaries import RecordedRun

    columns = run_columns(id=id, input=input, output=output, field=field, by=by, long=long)
    settings = table_settings(encoding, format, sheet)
    read = OutputFile(model, columns, note, settings).read(outputs, dataset=dataset)
    with chosen_history(history, create=True) as opened:
        run = _placed(opened, read, dataset, rerun_of)
        opened.record(run)
        where = opened.where
    present(RecordedRun(run, where), Outputs(), json=json)


def _placed(history: "History", run: "Run", dataset: str | None, rerun_of: str | None) -> "Run":
    """Say which dataset a run is of, and which run it is a rerun of."""
    from semscale.cli.drift.place import run_of
    from semscale.drift.runs.comparability import check_rerun
    from semscale.errors import InputError

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


def _of_known_dataset(history: "History", run: "Run") -> "Run":
    """Take a run whose dataset nobody named for one of the only dataset, if it has the same items."""
    from semscale.drift.runs.comparability import check_comparable
    from semscale.errors import InputError
    from semscale.history.runs import named

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


def approve(  # noqa: PLR0913, PLR0917 - each is an option of the command
    run: options.RunId,
    by: options.ApprovedBy,
    why: options.Why,
    expires: options.Expires = None,
    dataset: options.Dataset = None,
    history: options.Where = None,
    json: Json = False,  # noqa: FBT002
) -> None:
    """Make a run the baseline of its dataset: what later runs are compared with.

    [bold]semscale drift approve latest --by Ann --why "checked by two tutors" --expires 90d[/bold]
    """
    from semscale.cli.drift.place import chosen_history, run_of
    from semscale.cli.drift.span import read_expiry
    from semscale.cli.outputs import Outputs, present
    from semscale.drift.runs.run_summaries import ApprovedBaseline
    from semscale.errors import InputError
    from semscale.history.runs import Approval, now

    at = now()
    until = None if expires is None else read_expiry(expires, at)
    for name, text in (("by", by), ("why", why)):
        if not text.strip():
            raise InputError(f"{name} must not be empty: an approval says who gave it and for what reason")
    with chosen_history(history) as opened:
        approved = run_of(opened, run, dataset)
        approval = Approval(
            approved.id, approved.dataset, by.strip(), why.strip(), approved=at, expires=until
        )
        opened.approve(approval)
    present(ApprovedBaseline(approved, approval), Outputs(), json=json)
