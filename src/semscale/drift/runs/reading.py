"""Reading of items and runs from files of any known format."""

from pathlib import Path
from typing import Unpack

from semscale.drift.runs.run_columns import RunColumns
from semscale.drift.runs.run_readers import RunContent, RunPaths, find_reader
from semscale.errors import InputError
from semscale.history.items import Item
from semscale.history.runs import Run, named, now
from semscale.store.reading import TableSettings


class RunSettings(TableSettings, total=False):
    """Keyword arguments of ``read_run``: settings of the table, and attributes of the run."""

    rerun_of: str | None
    revision: str | None
    note: str | None


def read_items(
    path: RunPaths, *, columns: RunColumns | None = None, **settings: Unpack[TableSettings]
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
    return _read(path, columns, settings).items


def read_run(
    path: RunPaths,
    *,
    model: str | None = None,
    dataset: str | None = None,
    columns: RunColumns | None = None,
    **settings: Unpack[RunSettings],
) -> Run:
    """Read a run from a file; see ``read_items``.

    Args:
        path: see ``read_items``.
        model: name of the model that gave the outputs; not needed if the files name it, as Athena's and
            most evaluation logs do.
        dataset: name of the dataset; by default the file's name without extension. Only runs of the same
            dataset are compared.
        columns: see ``read_items``.
        **settings: ``rerun_of``, ``revision`` and ``note`` (see ``Run``), and the settings of ``read_items``.

    Returns:
        The run, with the time that the files state, as Athena's do, or else the current time.

    Raises:
        InputError: see ``read_items``; or no model is named.
    """
    found = _read(path, columns, settings)
    return Run(
        dataset or _dataset_of(path, settings.get("format")),
        _only_model(found.models) if model is None else model,
        found.items,
        recorded=found.recorded or now(),
        rerun_of=settings.get("rerun_of"),
        revision=settings.get("revision"),
        note=settings.get("note"),
    )


def _read(path: RunPaths, columns: RunColumns | None, settings: TableSettings) -> RunContent:
    return find_reader(path, settings.get("format")).read(path, columns, settings)


def _only_model(models: tuple[str, ...]) -> str:
    if len(models) > 1:
        raise InputError(f"the files are of several models, {named(models)}; name the run's (--model)")
    if not models:
        raise InputError("model must be named: say what gave the outputs, such as --model gpt-4o-2024-08-06")
    return models[0]


def _dataset_of(path: RunPaths, format: str | None) -> str:  # noqa: A002 - as the setting is called
    if not isinstance(path, str | Path):
        return find_reader(path, format).formats[0]
    return Path(path).resolve().name if Path(path).is_dir() else Path(path).stem
