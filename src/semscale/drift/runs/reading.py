"""Reading of runs from tables, with one row for each item or output, and from Athena's exercises."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from semscale.drift.runs.athena_files import AthenaExercises, read_athena
from semscale.drift.runs.athena_submissions import CREDITS, GROUPS
from semscale.drift.runs.run_columns import RunColumns, items_in
from semscale.errors import InputError
from semscale.history.items import Item
from semscale.history.runs import Run, named, now
from semscale.store.reading import FORMATS, TableSettings, open_table

ATHENA = "athena"
"""Format of Athena's exercise files; the default for a ``.json`` file or a folder."""

Paths = str | Path | Iterable[str | Path]


class RunSettings(TableSettings, total=False):
    """Keyword arguments of ``read_run``: settings of the table, and attributes of the run."""

    rerun_of: str | None
    revision: str | None
    note: str | None


def read_items(
    path: Paths, *, columns: RunColumns | None = None, **settings: Unpack[TableSettings]
) -> tuple[Item, ...]:
    r"""Read a dataset's items from a file.

    Args:
        path: a table (CSV, TSV, JSON lines, Parquet, Excel, or ``-`` for standard input), or Athena's
            exercise files: one ``.json`` file, several, or a folder of them.
        columns: meaning of the columns; ``RunColumns()`` by default.
        **settings: ``format`` (also ``athena``), ``encoding`` and ``sheet``; see ``open_table``.

    Returns:
        The items, in the order of the file.

    Raises:
        InputError: the file cannot be read or has invalid content; the message names file and row.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp(), "answers.csv")
        >>> _ = path.write_text('id,output,credits\n7,"[""Yes."", ""No.""]","[1, 0.5]"\n')
        >>> (item,) = read_items(path, columns=RunColumns(fields=("credits",)))
        >>> item.id, [(output.text, output.fields["credits"]) for output in item.outputs]
        ('7', [('Yes.', 1.0), ('No.', 0.5)])
    """
    found = _opened(path, columns, settings)
    return found.items if isinstance(found, AthenaExercises) else found


def read_run(
    path: Paths,
    *,
    model: str | None = None,
    dataset: str | None = None,
    columns: RunColumns | None = None,
    **settings: Unpack[RunSettings],
) -> Run:
    """Read a run from a file; see ``read_items``.

    Args:
        path: see ``read_items``.
        model: name of the model that gave the outputs; not needed if Athena's files name it.
        dataset: name of the dataset; by default the file's name without extension. Only runs of the same
            dataset are compared.
        columns: see ``read_items``.
        **settings: ``rerun_of``, ``revision`` and ``note`` (see ``Run``), and the settings of ``read_items``.

    Returns:
        The run, with the current time, or for Athena's files the time that they state.

    Raises:
        InputError: see ``read_items``; or no model is named.
    """
    found = _opened(path, columns, settings)
    recorded = now()
    if isinstance(found, AthenaExercises):
        model, recorded = _athena_model(found, model), found.generated or recorded
        found = found.items
    if model is None:
        raise InputError("model must be named: say what gave the outputs, such as --model gpt-4o-2024-08-06")
    return Run(
        dataset or _name_of(path),
        model,
        found,
        recorded=recorded,
        rerun_of=settings.get("rerun_of"),
        revision=settings.get("revision"),
        note=settings.get("note"),
    )


def _opened(
    path: Paths, columns: RunColumns | None, settings: TableSettings
) -> tuple[Item, ...] | AthenaExercises:
    if settings.get("format") == ATHENA or (settings.get("format") is None and _looks_like_athena(path)):
        return _athena(path, columns, settings)
    if not isinstance(path, str | Path):
        raise InputError("path must be one file; several are read only where they are Athena's exercises")
    known = settings.get("format")
    if known is not None and known not in FORMATS:
        raise InputError(f"format must be one of {', '.join((*FORMATS, ATHENA))}, got {known!r}")
    table = open_table(path, format=known, encoding=settings.get("encoding"), sheet=settings.get("sheet"))
    return items_in(table, columns or RunColumns())


def _athena(path: Paths, columns: RunColumns | None, settings: TableSettings) -> AthenaExercises:
    given = [name for name in ("encoding", "sheet") if settings.get(name) is not None]
    if columns is not None and not _says_nothing_else(columns):
        given.append("columns")
    if given:
        raise InputError(
            f"{given[0]} applies to tables, not to Athena's exercises, whose field is '{CREDITS}' and whose "
            f"groups are {' and '.join(GROUPS)}; leave it out"
        )
    return read_athena(path)


def _says_nothing_else(columns: RunColumns) -> bool:
    """Tell whether columns name only the fields and groups that Athena's exercises always have."""
    known = {*columns.fields} <= {CREDITS} and {*columns.by} <= {*GROUPS}
    return known and replace(columns, fields=(), by=()) == RunColumns()


def _looks_like_athena(path: Paths) -> bool:
    if not isinstance(path, str | Path):
        return True
    return Path(path).is_dir() or Path(path).suffix.lower() == ".json"


def _athena_model(found: AthenaExercises, model: str | None) -> str | None:
    if model is not None:
        return model
    if len(found.models) > 1:
        raise InputError(f"the files are of several models, {named(found.models)}; name the run's (--model)")
    return found.models[0] if found.models else None


def _name_of(path: Paths) -> str:
    if not isinstance(path, str | Path):
        return ATHENA
    return Path(path).resolve().name if Path(path).is_dir() else Path(path).stem
