"""Reading of a file of outputs as a run."""

from dataclasses import replace
from pathlib import Path

from semscale.cli.drift.options import SourceOptions
from semscale.cli.options.table import TableOptions
from semscale.cli.outputs import check_input
from semscale.drift.runs.reading import read_run
from semscale.drift.runs.revision import git_revision
from semscale.drift.runs.run_columns import RunColumns
from semscale.drift.runs.run_readers import find_reader
from semscale.errors import InputError
from semscale.history.runs import Run

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
    if path == _STANDARD_INPUT or not find_reader(path, table.settings.get("format")).has_columns:
        return columns
    there = table.open(path).columns
    by = columns.by or tuple(kind for kind in run.group_kinds if kind in there)
    fields = columns.fields or tuple(name for name in run.fields if name in there)
    return replace(columns, by=by, fields=fields)
