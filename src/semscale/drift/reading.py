"""Runs and their items, read from tables, evaluation logs and Athena's exercise files."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Unpack, cast

from semscale.drift.athena_files import CREDITS, GROUPS, read_athena
from semscale.drift.cells import CellLocation, group_objects, input_text, names_in, numbers_of, outputs_in
from semscale.drift.columns import GROUP_OBJECTS, RunColumns, require_column
from semscale.errors import InputError
from semscale.history.items import Item, Output
from semscale.history.runs import Run, list_names, now
from semscale.store.evaluation_logs import RUN, log_columns, log_variants, looks_like_log
from semscale.store.reading import open_table
from semscale.store.table import Table
from semscale.store.table_settings import FORMATS, TableKeywords, TableSettings

RunPaths = str | Path | Iterable[str | Path]
"""One file, a folder, several files, or ``-`` for standard input."""

_ATHENA = "athena"
_BATCH = 20_000
_MODEL, _DATASET = "model", "dataset"


class RunKeywords(TableKeywords, total=False):
    """Keyword arguments of ``read_run``: settings of the table, and attributes of the run."""

    default_model: str | None
    rerun_of: str | None
    revision: str | None
    note: str | None


def read_run(
    path: RunPaths,
    *,
    model: str | None = None,
    dataset: str | None = None,
    columns: RunColumns | None = None,
    **settings: Unpack[RunKeywords],
) -> Run:
    """Read a run from a file; see ``read_items``.

    Args:
        path: see ``read_items``.
        model: name of the model that wrote the outputs. By default that in the files: in a column ``model``,
            an evaluation log, or Athena's exercises; then ``default_model``, then the file's name.
        dataset: name of the dataset; by default the one in a column ``dataset``, or the file's name without
            extension. Only runs of the same dataset are compared.
        columns: see ``read_items``.
        **settings: ``default_model``, ``rerun_of``, ``revision`` and ``note`` (see ``Run``), and the settings
            of ``read_items``.

    Returns:
        The run, with the time stated in the files, as in Athena's, or the current time.

    Raises:
        InputError: as for ``read_items``, or no model is named and the file has no name.
    """
    run, *reruns = read_runs(path, model=model, dataset=dataset, columns=columns, **settings)
    if reruns:
        raise InputError(
            f"{path} has {len(reruns) + 1} outputs of each item: read them as a run and its reruns with "
            "read_runs, or as outputs of one item with RunColumns(long=True)"
        )
    return run


def read_runs(
    path: RunPaths,
    *,
    model: str | None = None,
    dataset: str | None = None,
    columns: RunColumns | None = None,
    **settings: Unpack[RunKeywords],
) -> tuple[Run, ...]:
    r"""Read a run and, from repeated outputs of each item, its reruns.

    Outputs are repeated if each id occurs equally often, or if there are columns ``RunColumns.repeat``.

    Args:
        path: see ``read_items``.
        model: see ``read_run``.
        dataset: see ``read_run``.
        columns: see ``read_items``.
        **settings: see ``read_run``.

    Returns:
        The run, then a rerun of it for each further output.

    Raises:
        InputError: as for ``read_run``.

    Examples:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp(), "answers.csv")
        >>> _ = path.write_text("id,output\n1,Yes.\n2,No.\n1,Yes indeed.\n2,Never.\n")
        >>> run, rerun = read_runs(path, model="gpt-5")
        >>> [item.outputs[0].text for item in rerun.items], rerun.rerun_of == run.id
        (['Yes indeed.', 'Never.'], True)
    """
    content = _read(path, columns, settings)
    if model is None:
        model = _single_model(content.models, settings.get("default_model") or _name_of(path))
    first, *others = (
        Run(
            dataset or content.dataset or _dataset_of(path),
            model,
            items,
            recorded=content.recorded or now(),
            rerun_of=settings.get("rerun_of"),
            revision=settings.get("revision"),
            note=settings.get("note"),
        )
        for items in content.rounds
    )
    origin = first.rerun_of or first.id
    return first, *(replace(run, rerun_of=origin) for run in others)


def read_items(
    path: RunPaths, *, columns: RunColumns | None = None, **settings: Unpack[TableKeywords]
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

    Examples:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp(), "answers.csv")
        >>> _ = path.write_text('id,output,credits\n7,"[""Yes."", ""No.""]","[1, 0.5]"\n')
        >>> (item,) = read_items(path, columns=RunColumns(fields=("credits",)))
        >>> item.id, [(output.text, output.fields["credits"]) for output in item.outputs]
        ('7', [('Yes.', 1.0), ('No.', 0.5)])
    """
    rounds = _read(path, columns, settings).rounds
    if len(rounds) > 1:
        raise InputError(f"{path} has {len(rounds)} outputs of each item: read them with read_runs")
    return rounds[0]


def is_table(paths: RunPaths, format: str | None = None) -> bool:
    """Return true for tables, false for Athena's exercise files.

    Args:
        paths: paths of the files; only their names and, for JSON, the start of the content are used.
        format: name of the format; overrides the names of the files.

    Raises:
        InputError: the format does not exist.

    Examples:
        >>> is_table("answers.csv"), is_table("exercise-7.json"), is_table("exercise-7.json", "jsonl")
        (True, False, True)
    """
    if format is not None:
        if format not in (*FORMATS, _ATHENA):
            raise InputError("format", f"must be one of {', '.join((*FORMATS, _ATHENA))}, got {format!r}")
        return format != _ATHENA
    if not isinstance(paths, str | Path):
        return False
    path = Path(paths)
    is_exercise = path.suffix.lower() == ".json" and not (path.exists() and looks_like_log(path))
    return not path.is_dir() and not is_exercise


def rounds_in(table: Table, columns: RunColumns) -> tuple[tuple[Item, ...], ...]:
    """Convert a table's rows into items, in the order of the file, for each round of repeated outputs.

    Raises:
        InputError: a column or an id is missing, ids occur with different frequency, or a cell is invalid;
            the message names file and row.
    """
    chosen = columns.resolve_in(table)
    rounds = []
    for output in (chosen.output, *((column,) for column in chosen.repeat)):
        rows: dict[str, list[tuple[int, Item]]] = {}
        for number, item in enumerate(_items(table, chosen.with_values(output=output, repeat=())), start=1):
            rows.setdefault(item.id, []).append((number, item))
        _check_keys(table, chosen, [item for same in rows.values() for _, item in same])
        if chosen.long:
            rounds.append(tuple(_join_rows(same, table) for same in rows.values()))
        else:
            rounds += _split_rounds(rows, table)
    return tuple(rounds)


def _split_rounds(rows: Mapping[str, list[tuple[int, Item]]], table: Table) -> list[tuple[Item, ...]]:
    """Return the first row of each id, then the second of each, and so on.

    Raises:
        InputError: ids occur with different frequency.
    """
    frequencies = {id_: len(same) for id_, same in rows.items()}
    least, most = min(frequencies.values(), default=1), max(frequencies.values(), default=1)
    if least < most:
        repeated = {id_: same for id_, same in rows.items() if len(same) > least}
        (first, item), (second, _), *_ = next(iter(repeated.values()))
        often = "more than once" if least == 1 else f"{most} times, and others {least} times"
        problem = (
            f"{table.name}: ids must occur once, or all equally often for reruns, got {list_names(repeated)} "
            f"{often}, {item.id!r} in data rows {first} and {second}; where each row is one output of an "
            "answer,"
        )
        raise InputError(f"{problem} set `long=True`")
    joined = {id_: _join_rows(same, table) for id_, same in rows.items()}
    return [
        tuple(replace(joined[id_], outputs=same[number][1].outputs) for id_, same in rows.items())
        for number in range(most)
    ]


@dataclass(frozen=True)
class _RunContent:
    """Content of the files of a run.

    Attributes:
        rounds: the items of each round of repeated outputs.
        models: names of the models.
        dataset: name of the dataset, if stated.
        recorded: time of the outputs, if stated.
    """

    rounds: tuple[tuple[Item, ...], ...]
    models: tuple[str, ...] = ()
    dataset: str | None = None
    recorded: datetime | None = None


def _read(paths: RunPaths, columns: RunColumns | None, settings: TableKeywords) -> _RunContent:
    format_ = settings.get("format")
    if not is_table(paths, format_):
        _refuse_table_settings(columns, settings)
        exercises = read_athena(paths)
        return _RunContent((exercises.items,), exercises.models, recorded=exercises.generated)
    if not isinstance(paths, str | Path):
        raise InputError("path", "must be one file; several are read only where they are Athena's exercises")
    names = TableSettings.model_fields
    of_table = {name: value for name, value in settings.items() if name in names}
    table = open_table(paths, **cast(TableKeywords, of_table))
    chosen = columns or RunColumns()
    models = _models_in_log(table) or _distinct(table, _MODEL, chosen)
    datasets = _distinct(table, _DATASET, chosen)
    return _RunContent(rounds_in(table, chosen), models, datasets[0] if len(datasets) == 1 else None)


def _distinct(table: Table, title: str, columns: RunColumns) -> tuple[str, ...]:
    """Return the texts of a column that has no other meaning, sorted; none without the column."""
    if title not in table.columns or title in columns.used:
        return ()
    texts = {str(text) for batch in table.batches(_BATCH) for text in batch[title].to_list() if text}
    return tuple(sorted(texts))


def _refuse_table_settings(columns: RunColumns | None, settings: TableKeywords) -> None:
    """Refuse table settings for Athena's files, except for the field and groups that these always have."""
    refused = [name for name in ("encoding", "sheet", "header_row") if settings.get(name) is not None]
    if columns is not None:
        is_usual = columns.with_values(fields=(), by=()) == RunColumns()
        if not is_usual or not {*columns.fields} <= {CREDITS} or not {*columns.by} <= {*GROUPS}:
            refused.append("columns")
    if refused:
        raise InputError(
            f"{refused[0]} applies to tables, not to Athena's exercises, whose field is '{CREDITS}' and "
            f"whose groups are {' and '.join(GROUPS)}; leave it out"
        )


def _models_in_log(table: Table) -> tuple[str, ...]:
    """Return the models of an evaluation log, sorted; none for another table.

    Raises:
        InputError: a log contains answers of several providers to the same tests, or of several runs.
    """
    log = log_columns(table)
    if RUN in log_variants(table):
        raise InputError(f"{table.name} has outputs of several runs: write a log for each")
    if log is None or log.model is None or log.model not in table.columns:
        return ()
    names = {name for batch in table.batches(_BATCH) for name in batch[log.model].to_list() if name}
    models = tuple(sorted(map(str, names)))
    if len(models) > 1 and log.model == "provider":
        raise InputError(
            f"{table.name} has outputs of {len(models)} providers, {list_names(models)}, and a run is of "
            "one: write a log for each (promptfoo eval --filter-providers NAME -o NAME.json)"
        )
    return models


def _single_model(models: tuple[str, ...], default: str | None) -> str:
    if len(models) > 1:
        raise InputError(
            f"the files have outputs of several models, {list_names(models)}; name the run's (`model`)"
        )
    name = models[0] if models else default
    if name is None:
        raise InputError(
            "model", "must be named: state the model of the outputs, such as `model='gpt-4o-2024-08-06'`"
        )
    return name


def _dataset_of(paths: RunPaths) -> str:
    return _name_of(paths) or ("-" if paths == "-" else _ATHENA)


def _name_of(paths: RunPaths) -> str | None:
    """Return the name of a file without extension, or of a folder; ``None`` without a single name."""
    if not isinstance(paths, str | Path) or str(paths) == "-":
        return None
    return Path(paths).resolve().name if Path(paths).is_dir() else Path(paths).stem


def _items(table: Table, columns: RunColumns) -> Iterator[Item]:
    """Yield an item for each row of a table."""
    start = 0
    used = columns.used
    for batch in table.batches_with(used & set(table.columns), _BATCH):
        cells = {title: batch[title].to_list() for title in batch.columns if title in used}
        ids, *groups = (
            names_in(batch, title, CellLocation(table.name, start, title))
            for title in (columns.id, *columns.by)
        )
        if columns.prompt is not None:
            prompts = names_in(batch, columns.prompt, CellLocation(table.name, start, columns.prompt))
            ids = [id_ and f"{id_}.{prompt}" for id_, prompt in zip(ids, prompts, strict=True)]
        for row in range(batch.height):
            names = zip(columns.by, (column[row] for column in groups), strict=True)
            yield _item(
                CellLocation(table.name, start + row, columns.id),
                columns,
                ids[row],
                {title: column[row] for title, column in cells.items()},
                {kind: name for kind, name in names if name is not None},
            )
        start += batch.height


def _item(
    location: CellLocation,
    columns: RunColumns,
    id_: str | None,
    cells: Mapping[str, Any],
    groups: dict[str, str],
) -> Item:
    """Convert a row into an item.

    Args:
        location: location of the row's id.
        columns: the columns to read.
        id_: the item's id.
        cells: the row by column.
        groups: groups from columns.
    """
    if id_ is None or not id_.strip():
        raise location.error("has no id", "give every item an id")
    if columns.has_group_objects:
        groups |= group_objects(cells.get(GROUP_OBJECTS), replace(location, column=GROUP_OBJECTS))
    input_, reference = (
        None if title is None else input_text(cells.get(title), replace(location, column=title))
        for title in (columns.input, columns.reference)
    )
    return Item(id_.strip(), _outputs(location, columns, cells), input_, groups, reference)


def _outputs(location: CellLocation, columns: RunColumns, cells: Mapping[str, Any]) -> tuple[Output, ...]:
    """Read the outputs of a row from all their columns, with their numbers."""
    outputs = [
        output
        for column in columns.output
        for output in outputs_in(cells.get(column), replace(location, column=column), columns.fields)
    ]
    for field in columns.fields:
        if field in cells:
            numbers = numbers_of(cells[field], len(outputs), replace(location, column=field))
            outputs = [
                output if number is None else replace(output, fields={**output.fields, field: number})
                for output, number in zip(outputs, numbers, strict=True)
            ]
    return tuple(
        outputs if columns.reasoning == "keep" else [output.separate_reasoning() for output in outputs]
    )


def _check_keys(table: Table, columns: RunColumns, items: list[Item]) -> None:
    """Check that fields and groups without a column are keys of at least one object."""
    fields = {name for item in items for output in item.outputs for name in output.fields}
    kinds = {kind for item in items for kind in item.groups}
    for parameter, names, known in (("field", columns.fields, fields), ("by", columns.by, kinds)):
        for name in names:
            if name not in known:
                require_column(table, name, parameter)


def _join_rows(rows: list[tuple[int, Item]], table: Table) -> Item:
    """Join the rows of one item; input, reference and groups need to be present in only one row."""
    first_number, joined = rows[0]
    for number, item in rows[1:]:
        for label, before, here in (
            ("input", joined.input, item.input),
            ("reference", joined.reference, item.reference),
            *((f"'{kind}'", joined.groups.get(kind), name) for kind, name in item.groups.items()),
        ):
            if None not in (before, here) and before != here:
                raise InputError(
                    f"{table.name}, data row {number}: another {label} for id {item.id!r} than in "
                    f"data row {first_number}; rows of one item must have the same"
                )
        joined = replace(
            joined,
            input=item.input if joined.input is None else joined.input,
            reference=item.reference if joined.reference is None else joined.reference,
            groups={**joined.groups, **item.groups},
        )
    return replace(joined, outputs=tuple(output for _, item in rows for output in item.outputs))
