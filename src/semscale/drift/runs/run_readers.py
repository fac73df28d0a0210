"""The table of formats of run files: how each is recognised, and what reads it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from semscale.drift.runs.athena_files import read_athena
from semscale.drift.runs.athena_submissions import CREDITS, GROUPS
from semscale.drift.runs.run_columns import RunColumns, items_in
from semscale.errors import InputError
from semscale.history.items import Item
from semscale.history.runs import named
from semscale.store.evaluation_logs import log_columns, log_format
from semscale.store.reading import FORMATS, TableSettings, open_table
from semscale.store.table import Table

_BATCH = 20_000

RunPaths = str | Path | Iterable[str | Path]
"""One file, a folder, several files, or ``-`` for standard input."""


@dataclass(frozen=True)
class RunContent:
    """Items of run files, with what the files say about the run.

    Attributes:
        items: in the order of the files.
        models: names of the models that gave the outputs, sorted; empty if the files name none.
        recorded: when the outputs were made; ``None`` if the files do not say it.
    """

    items: tuple[Item, ...]
    models: tuple[str, ...] = ()
    recorded: datetime | None = None


@dataclass(frozen=True)
class RunReader:
    """A reader of run files.

    Attributes:
        formats: names of the formats that it reads, as the setting ``format`` has them.
        recognises: whether paths are in one of its formats where none is named.
        read: reads the files; takes paths, the columns if they are named, and settings of the table.
        has_columns: whether the files are tables whose columns may be named.
    """

    formats: tuple[str, ...]
    recognises: Callable[[RunPaths], bool]
    read: Callable[[RunPaths, RunColumns | None, TableSettings], RunContent]
    has_columns: bool


def find_reader(paths: RunPaths, format: str | None = None) -> RunReader:  # noqa: A002 - as the setting is called
    """Find the reader of some files: that of a format, or else the first one that recognises them.

    Raises:
        InputError: there is no such format.

    Example:
        >>> find_reader("answers.csv").formats[:6], find_reader("exercise-7.json").formats
        (('csv', 'tsv', 'jsonl', 'parquet', 'xlsx', 'sav'), ('athena',))
    """
    for reader in READERS:
        if reader.recognises(paths) if format is None else format in reader.formats:
            return reader
    known = sorted((name for reader in READERS for name in reader.formats), key=_place)
    raise InputError(f"format must be one of {', '.join(known)}, got {format!r}")


def _place(name: str) -> int:
    return FORMATS.index(name) if name in FORMATS else len(FORMATS)


def _is_athena(paths: RunPaths) -> bool:
    if not isinstance(paths, str | Path):
        return True
    path = Path(paths)
    return path.is_dir() or (path.suffix.lower() == ".json" and not (path.exists() and log_format(path)))


def _read_athena(paths: RunPaths, columns: RunColumns | None, settings: TableSettings) -> RunContent:
    given = [name for name in ("encoding", "sheet") if settings.get(name) is not None]
    if columns is not None and not _says_nothing_else(columns):
        given.append("columns")
    if given:
        raise InputError(
            f"{given[0]} applies to tables, not to Athena's exercises, whose field is '{CREDITS}' and whose "
            f"groups are {' and '.join(GROUPS)}; leave it out"
        )
    found = read_athena(paths)
    return RunContent(found.items, found.models, found.generated)


def _says_nothing_else(columns: RunColumns) -> bool:
    """Tell whether columns name only the fields and groups that Athena's exercises always have."""
    known = {*columns.fields} <= {CREDITS} and {*columns.by} <= {*GROUPS}
    return known and replace(columns, fields=(), by=()) == RunColumns()


def _read_table(paths: RunPaths, columns: RunColumns | None, settings: TableSettings) -> RunContent:
    if not isinstance(paths, str | Path):
        raise InputError("path must be one file; several are read only where they are Athena's exercises")
    table = open_table(
        paths,
        format=settings.get("format"),
        encoding=settings.get("encoding"),
        sheet=settings.get("sheet"),
    )
    models = _models_in(table)
    return RunContent(items_in(table, columns or RunColumns()), models)


def _models_in(table: Table) -> tuple[str, ...]:
    """Names of the models of an evaluation log, sorted; none for another table.

    Raises:
        InputError: a log holds answers of several providers to the same tests.
    """
    log = log_columns(table)
    if log is None or log.model is None or log.model not in table.columns:
        return ()
    found = {name for batch in table.batches(_BATCH) for name in batch[log.model].to_list() if name}
    models = tuple(sorted(map(str, found)))
    if len(models) > 1 and log.model == "provider":
        raise InputError(
            f"{table.name} has outputs of {len(models)} providers, {named(models)}, and a run is of one: "
            "write a log for each (promptfoo eval --filter-providers NAME -o NAME.json)"
        )
    return models


READERS = (
    RunReader(("athena",), _is_athena, _read_athena, has_columns=False),
    RunReader(FORMATS, lambda _: True, _read_table, has_columns=True),
)
"""All readers; the first one that recognises a file reads it. A new format is one entry before tables."""
