"""Tools for an agent: the instruments for lists of texts and for tables of a folder, codes and a judge.

The arguments of a tool are the fields of the instrument's HTTP request. They derive from its settings class
and are validated in the same way. The first call that needs a model loads it.
"""

import json
import os
import threading
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import polars as pl
from pydantic import Field, StrictBool, create_model

from semscale.embedding.embedder import Embedder
from semscale.errors import InputError
from semscale.judging.settings import JudgeSettings
from semscale.messages import shorten
from semscale.presentable import Presentable
from semscale.report.presenting import as_json
from semscale.results.table_columns import Columns
from semscale.results.table_runs import PartSettings
from semscale.scales import load_scale, scale_names
from semscale.serving.background import BackgroundWork, Task, current_task, report_progress
from semscale.serving.coding import (
    code_in_request,
    code_texts,
    coding_cautions,
    sentiment_scale,
    share_estimates,
)
from semscale.serving.instruments import Instrument, instruments, open_requested, scale_in_request
from semscale.serving.judging import JudgeCalls, check_replies, combine_items, template_in_request
from semscale.serving.requests import (
    CodeFields,
    CodingFields,
    JudgeFields,
    RequestFields,
    ServiceLimits,
    TableFields,
    table_fields,
)
from semscale.serving.tool_arguments import (
    COLUMN_EXAMPLES,
    EXAMPLES,
    ToolCall,
    argument_names,
    arguments_schema,
    with_names,
)
from semscale.spelling import in_request
from semscale.store.child_process import HeldFiles
from semscale.store.columnar import partition_names
from semscale.store.places import parts_folder
from semscale.store.table import Table
from semscale.store.writing import output_format
from semscale.weights.known import DEFAULT_MODEL, DEFAULT_RATING_MODEL

if TYPE_CHECKING:
    from semscale.coding.codebook import Code, Codebook

_RETURNS = (
    "Returns a row with status and numbers for each item, counts by status, estimates with intervals, "
    "cautions, and the signature that others need to reproduce the numbers."
)
_HINTS = {
    "rate": "list_scales shows the scales; another scale is an object with points and anchor sentences.",
    "match": "Changed numbers, names and negations are listed as findings; the default method lowers the "
    "score for them.",
    "consistency": "A low value is a sign of an invented answer.",
}
"""Notes on each instrument for an agent, after its description."""

_CODE = (
    "Assign the codes of a codebook to open answers, more than one per answer, by their similarity to each "
    "code's examples and definition."
)
_JUDGE = (
    "Let a chat model score answers to questions by a rubric, from 0 to 1. The chat model, its address and "
    "the limit of costs are options of the server."
)
_SECONDS_TO_CHECK = 0.1
_SPLIT = "split them into several calls"
_READING = ("table", "encoding", "sheet", "header", "header_row")
_UNLISTED = {
    "rate": ("readout", "epsilon", "semantics", "anchor_sets", "reasoning", "html"),
    "match": ("corpus", "seed", "recall_share", "reasoning", "html"),
    "code": ("reasoning", "html"),
    "consistency": ("seed", "same_by", "fewest_samples", "guards", "reasoning", "html"),
    "judge": (
        "chat_seed",
        "chat_temperature",
        "corrections",
        "html",
        "logprobs",
        "max_tokens",
        "order",
        "reasoning",
        "reference_place",
        "reply",
        "structured",
    ),
}
"""Rare arguments, which the schema leaves out to save the agent's context; the description names them."""

_IN_TABLES = ("header_row", "sheet", "table", "out", "scale", "method")
"""Settings that the schemas of tools for tables list; the others are described with the tools for lists."""

_SHOWN = ("show_anyway",)
"""Switches among the columns of a table that decide which figures a summary shows."""

_COLUMN_NAMES = {
    "text": "texts",
    "prediction": "predictions",
    "reference": "references",
    "answer": "answers",
    "sample": "samples",
}
_COLUMN_HELPS = {
    "texts": "Column of the texts.",
    "predictions": "Column of the predictions.",
    "references": "Columns of the references.",
    "answers": "Column of the answers to score.",
    "samples": "Columns of further answers to the same prompt.",
}
_JUDGE_NAMES = {
    "samples": "replies",
    "temperature": "chat_temperature",
    "seed": "chat_seed",
    "method": "reply",
}
"""Names of arguments whose fields have the name of something else in another tool."""


Content = dict[str, Any]
"""Result of a tool as JSON values."""


_MEASURED = {"type": "object", "required": ["counts", "estimates", "cautions", "signature"]}


@dataclass(frozen=True)
class AgentTool:
    """A tool for an agent.

    Attributes:
        description: description for the agent.
        fields: its arguments.
        output: JSON schema of its result.
        call: checks the arguments of a call and does the work.
        examples: examples of its arguments.
        unlisted: arguments that the schema leaves out.
        is_local: true if it contacts nothing outside this machine.
        writes: true if it can write a file.
    """

    description: str
    fields: type[RequestFields]
    output: Mapping[str, Any]
    call: Callable[[Mapping[str, Any]], Awaitable[Content]]
    examples: Mapping[str, Any] = field(default_factory=lambda: EXAMPLES)
    unlisted: Collection[str] = ()
    is_local: bool = True
    writes: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """JSON schema of its arguments."""
        return arguments_schema(self.fields, self.examples, self.unlisted)


def load_once(load: Callable[[str], Embedder]) -> Callable[[str], Embedder]:
    """Cache a loading function, so that each model is loaded once, even by simultaneous calls."""
    models: dict[str, Embedder] = {}
    lock = threading.Lock()

    def model(name: str) -> Embedder:
        with lock:
            if name not in models:
                models[name] = load(name)
            return models[name]

    return model


class ToolTableFields(TableFields):
    """Arguments that all tools for tables share."""

    table: str = Field(
        description="File in the folder of the server: CSV, TSV, JSON lines, Parquet, Excel or SPSS."
    )
    out: str | None = Field(
        None, description="New file for the rows with their results: .csv, .jsonl, .parquet or .xlsx."
    )


def agent_tools(
    model: Callable[[str], Embedder],
    limits: ServiceLimits,
    judge: JudgeCalls | None = None,
    folder: Path | None = None,
) -> dict[str, AgentTool]:
    """Return the tools by name.

    Args:
        model: returns a model by its name; called when a tool first needs the model.
        limits: limits of the texts in a call.
        judge: calls a chat model; without it there is no tool ``judge``.
        folder: folder of the tables to read and write; without it there are no tools for tables.

    Raises:
        InputError: the folder does not exist, or is a file.
    """
    if folder is not None and not folder.is_dir():
        raise InputError(
            "folder", f"must be an existing folder, got {folder}: create it, or name another one"
        )
    work, outputs = BackgroundWork(), Outputs()
    tools = {"list_scales": _scales_tool()}
    by_name = instruments(lambda: model(DEFAULT_RATING_MODEL), lambda: model(DEFAULT_MODEL))
    for name, instrument in by_name.items():
        tools[name] = _instrument_tool(name, instrument, limits, work)
        if folder is not None:
            tools[f"{name}_table"] = _table_tool(name, instrument, folder.resolve(), limits, work, outputs)
    tools["code"] = _code_tool(model, limits, work)
    if judge is not None:
        tools["judge"] = _judge_tool(judge, limits, work)
    return tools


def _scales_tool() -> AgentTool:
    fields = create_model("ListScales", __base__=RequestFields)

    async def list_scales(arguments: Mapping[str, Any]) -> Content:
        ToolCall(fields, arguments).raise_mistakes()
        scales = [load_scale(name) for name in scale_names()]
        return {
            "scales": [
                {
                    "name": scale.name,
                    "title": scale.title,
                    "question": scale.question,
                    "points": {f"{point.value:g}": point.label for point in scale.points},
                }
                for scale in scales
            ]
        }

    return AgentTool(
        description="List the scales of rate: name, title, a question whose answers the scale rates, and the "
        "label of each point.",
        fields=fields,
        output=_object("scales"),
        call=list_scales,
    )


def _instrument_tool(
    name: str, instrument: Instrument, limits: ServiceLimits, work: BackgroundWork
) -> AgentTool:
    """Create an instrument's tool, which measures in a thread."""
    fields = _with_rows(instrument.fields, instrument.table_columns)

    def measure(arguments: Mapping[str, Any]) -> Content:
        call = ToolCall(fields, arguments)
        call.check_limits(limits, _SPLIT)
        call.check(
            lambda checked: instrument.check_columns(*_columns(instrument, checked)), *instrument.columns
        )
        _check_settings(call, instrument)
        call.raise_mistakes()
        columns = dict(zip(instrument.columns, _columns(instrument, call.fields), strict=True))
        result: Any  # each kind sums its own texts up
        result, frame = instrument.measure(call.fields, columns)
        shown = {name: getattr(call.fields, name) for name in _SHOWN if name in fields.model_fields}
        return result_content(frame if call.fields.rows else None, result.summarize(**columns, **shown))

    return AgentTool(
        description=f"{instrument.description} {_HINTS[name]} {_RETURNS} {_further(_UNLISTED[name])}",
        fields=fields,
        output=_MEASURED,
        call=lambda arguments: work.run(measure, arguments),
        unlisted=_UNLISTED[name],
    )


def _columns(instrument: Instrument, fields: RequestFields) -> list[Any]:
    return [getattr(fields, column) for column in instrument.columns]


def _check_settings(call: ToolCall, instrument: Instrument) -> None:
    """Check the settings together, after the scale that they may depend on."""
    names = ["scale"] if "scale" in instrument.settings.model_fields else []
    for name in names:
        call.check(lambda fields: scale_in_request(fields.scale), name)
    call.check(instrument.find_or_build, *names)


def _further(names: Collection[str]) -> str:
    return f"Further arguments: {', '.join(names)}."


def _table_tool(
    name: str,
    instrument: Instrument,
    folder: Path,
    limits: ServiceLimits,
    work: BackgroundWork,
    outputs: "Outputs",
) -> AgentTool:
    """Create an instrument's tool for tables; repeating an interrupted call resumes it."""
    declared = table_fields(name, ToolTableFields)
    renamed = {column: new for column, new in _COLUMN_NAMES.items() if column in declared.model_fields}
    fields = with_names(declared, renamed, _COLUMN_HELPS)
    columns = {
        column: argument
        for column, argument in argument_names(fields).items()
        if column in instrument.table_columns.model_fields
    }

    def measure(arguments: Mapping[str, Any]) -> Content:
        call = ToolCall(fields, arguments)
        call.check_limits(limits)
        out = call.check(lambda checked: _new_file_in(folder, checked.out), "out")
        table = call.check(lambda checked: _open_in(folder, checked), *_READING)
        if table is not None:
            _check_titles(call, table, columns)
        _check_settings(call, instrument)
        prepared = call.check(instrument.prepare, *columns.values())
        call.raise_mistakes()
        with outputs.writing(out):
            summary = instrument.measure_table(
                table, *prepared, out=out, settings=PartSettings(follow=False), progress=report_progress
            )
        content: Content = json.loads(as_json(summary, in_request))
        return {**content, "source": call.fields.table}

    unlisted = set(argument_names(fields).values()) - {*_IN_TABLES, *columns.values()}
    return AgentTool(
        description=f"Do for the rows of a file what {name} does for lists. Returns the summary: counts by "
        "status, estimates with intervals, also of groups, cautions and signature. A long table takes "
        "minutes; with out, the same call continues an interrupted one. Further arguments: encoding, header, "
        f"and those of {name}.",
        fields=fields,
        output=_object("estimates", "cautions", "signature"),
        call=lambda arguments: work.run(measure, arguments),
        examples={**EXAMPLES, **COLUMN_EXAMPLES},
        unlisted=unlisted,
        writes=True,
    )


def _check_titles(call: ToolCall, table: Table, columns: Mapping[str, str]) -> None:
    """Check that a table has the columns of a call."""
    for column, argument in columns.items():
        named = getattr(call.fields, column, None) or ()
        for title in (named,) if isinstance(named, str) else named:

            def check(_: object, title: str = title, argument: str = argument) -> None:
                table.require(title, argument)

            call.check(check, argument)


class Outputs:
    """Outputs that calls are writing; a call waits for a cancelled one, which finishes its current step."""

    def __init__(self) -> None:
        self._tasks: dict[Path, Task[Any]] = {}
        self._ended = threading.Condition()

    @contextmanager
    def writing(self, out: Path | None) -> Iterator[None]:
        """Reserve an output for the call of this thread during the block; ``None`` is no output.

        Raises:
            InputError: another call that was not cancelled is writing it.
            CancelledError: this call was cancelled in the meantime.
        """
        if out is None:
            yield
            return
        task = current_task()
        with self._ended:
            while (other := self._tasks.get(out)) is not None:
                if not other.is_cancelled:
                    raise InputError(
                        "out",
                        f": an earlier call is still writing {out.name}: wait for it, cancel it, or "
                        "choose another name",
                    )
                self._ended.wait(_SECONDS_TO_CHECK)
                task.check()
            self._tasks[out] = task
        try:
            yield
        finally:
            with self._ended:
                del self._tasks[out]
                self._ended.notify_all()


def _path_in(folder: Path, name: str, field: str) -> Path:
    """Return the path of a file, which must be in the folder.

    The path has no links, so a link that is changed later leads nowhere else.

    Raises:
        InputError: the file is outside the folder, its name is invalid, or it is neither a file nor a folder,
            such as a pipe, which could keep the call waiting forever.
    """
    try:
        path = (folder / name).resolve()
        is_usable = bool(name) and path.is_relative_to(folder)
        is_usable = is_usable and (path.is_file() or path.is_dir() or not path.exists())
    except (OSError, RuntimeError, ValueError):  # too long a name, a loop of links, a null character
        is_usable = False
    if not is_usable:
        raise InputError(field, f"must be a file in {folder}, got {shorten(name)}")
    return path


def _open_in(folder: Path, fields: ToolTableFields) -> Table:
    """Open the table of a call, and hold its files, as another program may swap them for links meanwhile.

    Raises:
        InputError: it is outside the folder, or cannot be read.
    """
    path, files = _table_in(folder, fields.table)
    held = HeldFiles.open(files) if all(file.is_file() for file in files.values()) else None
    return open_requested(path, fields, held=held)


def _table_in(folder: Path, name: str) -> tuple[Path, dict[str, Path]]:
    """Return the path of a table, and its files: one, or those of a folder of Parquet files.

    The names of files are those in the table's folder, or "" for a single file. Paths have no links.

    Raises:
        InputError: the table, or a file of it, is outside the folder.
    """
    path = _path_in(folder, name, "table")
    if not path.is_dir():
        return path, {"": path}
    inside = [file.relative_to(path).as_posix() for file in path.rglob("*")]
    files = {
        file: _path_in(folder, (path / file).relative_to(folder).as_posix(), "table")
        for file in partition_names(inside)
    }
    return path, {file: real for file, real in files.items() if not real.is_dir()}


def _new_file_in(folder: Path, name: str | None) -> Path | None:
    """Return the path of an output, which is written in the folder, with its unfinished parts.

    Raises:
        InputError: the output exists or is outside the folder, or its unfinished parts contain a link.
    """
    if name is None:
        return None
    if name.endswith(("/", os.sep)):
        raise InputError("out", f"must be a file, got the folder {shorten(name)}: add a file name")
    path = _path_in(folder, name, "out")
    if path.exists():
        raise InputError("out", f"must be a new file, got {name!r}: choose another name")
    parts = parts_folder(path)
    if parts.is_symlink() or any(not _is_plain(file) for file in parts.rglob("*")):
        raise InputError("out", f": {parts.name} has a link or a pipe: remove it, or choose another name")
    output_format(path)
    return path


def _is_plain(path: Path) -> bool:
    """Return whether a path is a file or a folder itself: no link, pipe, device or socket."""
    return not path.is_symlink() and (path.is_file() or path.is_dir())


def _code_tool(model: Callable[[str], Embedder], limits: ServiceLimits, work: BackgroundWork) -> AgentTool:
    fields = _with_rows(CodingFields)

    def code(arguments: Mapping[str, Any]) -> Content:
        from semscale.coding.sentiment import sentiment_rater

        call = ToolCall(fields, arguments)
        call.check_limits(limits, _SPLIT)
        codebook = _codebook(call)
        call.check(lambda checked: sentiment_scale(checked.sentiment), "sentiment")
        call.raise_mistakes()
        coding = code_texts(
            call.fields,
            cast("Codebook", codebook),
            model(DEFAULT_MODEL),
            lambda language: sentiment_rater(call.fields.sentiment, model(DEFAULT_RATING_MODEL), language),
        )
        return {
            **({"results": json.loads(coding.to_frame().write_json())} if call.fields.rows else {}),
            "counts": coding.counts,
            "estimates": share_estimates(coding),
            "cautions": coding_cautions(coding),
            "signature": str(coding.signature),
        }

    return AgentTool(
        description=f"{_CODE} {_RETURNS} {_further(_UNLISTED['code'])}",
        fields=fields,
        output=_MEASURED,
        call=lambda arguments: work.run(code, arguments),
        unlisted=_UNLISTED["code"],
    )


def _codebook(call: ToolCall) -> "Codebook | None":
    """Return the codebook of a call, or collect the mistakes in all of its codes and return ``None``."""
    from semscale.coding.codebook import Codebook

    def build(code: CodeFields, _: object) -> "Code":
        return code_in_request(code)

    declared: Collection[CodeFields] = getattr(call.fields, "codes", ())
    codes = [call.check(partial(build, code), "codes") for code in declared]
    return None if None in codes else call.check(lambda _: Codebook("of-the-call", tuple(codes)), "codes")


def _judge_tool(judge: JudgeCalls, limits: ServiceLimits, work: BackgroundWork) -> AgentTool:
    fields = _with_rows(with_names(JudgeFields, _JUDGE_NAMES))
    settings = [name for name in JudgeSettings.model_fields if name != "criteria"]
    lists = ("questions", "answers", "references")

    def check(arguments: Mapping[str, Any]) -> Any:
        call = ToolCall(fields, arguments)
        call.check_limits(limits, _SPLIT)
        call.check(combine_items, *lists)
        call.check(lambda checked: check_replies(checked, limits, _SPLIT), "answers", "replies")
        call.check(lambda checked: template_in_request(checked.template), "template")
        call.check(lambda checked: JudgeSettings(**{name: getattr(checked, name) for name in settings}))
        call.raise_mistakes()
        return call.fields

    async def call(arguments: Mapping[str, Any]) -> Content:
        checked = await work.run(check, arguments)
        verdicts = await judge.verdicts(checked)
        summary = verdicts.summarize(checked.questions, checked.answers)
        return result_content(verdicts.to_frame() if checked.rows else None, summary)

    return AgentTool(
        description=f"{_JUDGE} {_RETURNS} {_further(_UNLISTED['judge'])}",
        fields=fields,
        output=_MEASURED,
        call=call,
        unlisted=_UNLISTED["judge"],
        is_local=False,
    )


def _with_rows(fields: type[RequestFields], columns: type[Columns] | None = None) -> type[RequestFields]:
    """Return the fields of a call: those of a request, and switches for what the result has.

    Args:
        fields: fields of a request.
        columns: columns of a table, whose switches for what a summary shows apply to a call as well.
    """
    rows = Annotated[StrictBool, Field(description="Return a row for each item, not only estimates.")]
    switches: dict[str, Any] = {"rows": (rows, True)}
    known = {} if columns is None else columns.model_fields
    for name in _SHOWN:
        if (switch := known.get(name)) is not None:
            switches[name] = (Annotated[StrictBool, Field(description=switch.description)], switch.default)
    call: type[RequestFields] = create_model(fields.__name__, __base__=fields, **switches)
    return call


def result_content(frame: pl.DataFrame | None, summary: Presentable) -> Content:
    """Return the rows of a result if requested, and its figures over all rows."""
    record = json.loads(as_json(summary, in_request))
    return {
        **({} if frame is None else {"results": json.loads(frame.write_json())}),
        "counts": record["counts"],
        # A scale that probably does not measure its construct has no estimates.
        "estimates": record["estimates"]["overall"]["figures"] if record["estimates"] else {},
        "cautions": [*record["warnings"], *record["cautions"]],
        "signature": record["signature"],
    }


def _object(*keys: str) -> dict[str, Any]:
    """Return the JSON schema of a result, which an agent reads without further help."""
    return {"type": "object", "required": list(keys)}
