"""A file of outputs that a command of ``semscale drift`` reads as a run."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from semscale.cli.outputs import check_input
from semscale.drift.runs.reading import read_run
from semscale.drift.runs.revision import git_revision
from semscale.drift.runs.run_columns import RunColumns
from semscale.drift.runs.run_readers import find_reader
from semscale.errors import InputError
from semscale.history.runs import Run
from semscale.store.reading import TableSettings, open_table

if TYPE_CHECKING:
    from semscale.cli.options.table import Format

_STANDARD_INPUT = "-"


@dataclass(frozen=True)
class OutputFile:
    """How a file of outputs is read.

    Attributes:
        model: what gave the outputs; Athena's files may say so themselves.
        columns: which column is what.
        note: about the run.
        settings: of the table.
    """

    model: str | None = None
    columns: RunColumns = field(default_factory=RunColumns)
    note: str | None = None
    settings: TableSettings = field(default_factory=TableSettings)

    def read(self, path: str, *, dataset: str | None = None, like: Run | None = None) -> Run:
        """Read the file as a run of the code in this folder.

        Args:
            path: of a table, of Athena's exercises, or ``-``.
            dataset: its name; that of the file unless given.
            like: a run whose groups and fields are looked for among the columns, where none are named.

        Raises:
            InputError: the file cannot be read as a run.
        """
        check_input(path, None)
        if path != _STANDARD_INPUT and not Path(path).exists():
            raise InputError(f"{path} does not exist: name a file of outputs")
        return read_run(
            path,
            model=self.model,
            dataset=dataset,
            columns=self.columns if like is None else self._columns_like(path, like),
            revision=git_revision(Path.cwd()),
            note=self.note,
            **self.settings,
        )

    def _columns_like(self, path: str, run: Run) -> RunColumns:
        if path == _STANDARD_INPUT or not find_reader(path, self.settings.get("format")).has_columns:
            return self.columns
        there = open_table(path, **self.settings).columns
        by = self.columns.by or tuple(kind for kind in run.group_kinds if kind in there)
        fields = self.columns.fields or tuple(name for name in run.fields if name in there)
        return replace(self.columns, by=by, fields=fields)


def run_columns(  # noqa: PLR0913 - each is an option
    *,
    id: str | None,  # noqa: A002 - as the option is called
    input: str | None,  # noqa: A002
    output: list[str] | None,
    field: list[str] | None,
    by: list[str] | None = None,
    long: bool = False,
) -> RunColumns:
    """Turn options into columns; what is not given is as ``RunColumns`` has it."""
    usual = RunColumns()
    return RunColumns(
        id=id or usual.id,
        input=input or usual.input,
        output=tuple(output or usual.output),
        fields=tuple(field or ()),
        by=tuple(by or ()),
        long=long,
    )


def table_settings(encoding: str | None, format: "Format | None", sheet: str | None) -> TableSettings:  # noqa: A002
    """Turn options into settings of a table."""
    return {"encoding": encoding, "format": None if format is None else format.value, "sheet": sheet}
