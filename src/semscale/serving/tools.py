"""Tools for an agent: the instruments in a server of the Model Context Protocol.

The arguments of a tool are the fields of the instrument's HTTP request. They derive from its settings class
and are validated in the same way. The first call that needs a model loads it.
"""

import asyncio
import json
import logging
import os
import signal
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import polars as pl
from pydantic import Field, StrictBool, WithJsonSchema, create_model

from semscale.embedding.embedder import Embedder
from semscale.errors import InputError, SemscaleError
from semscale.judging.settings import TEMPLATES, JudgeSettings
from semscale.messages import shortened, unknown_name
from semscale.presentable import Presentable
from semscale.report.json_encoding import encoded
from semscale.scales import load_scale, scale_names
from semscale.serving.batching import TaskThreads, stop_if_abandoned
from semscale.serving.instruments import Instrument, instruments, open_requested, requested_scale
from semscale.serving.requests import (
    CELLS_SCHEMA,
    TEXTS_SCHEMA,
    TOO_DEEP,
    RequestFields,
    ServiceLimits,
    TableFields,
    as_field_names,
    check_fields,
    check_limits,
    table_fields,
)
from semscale.settings import request_model
from semscale.store.runs import PartSettings
from semscale.text_preparation import TextPreparation
from semscale.types import Status
from semscale.version import __version__
from semscale.weights.known import DEFAULT_MODEL, DEFAULT_RATING_MODEL

if TYPE_CHECKING:
    from mcp.server import Server
    from mcp.types import CallToolResult, ListToolsResult

    from semscale.chat.budget import Spent
    from semscale.chat.chat_model import ChatModel
    from semscale.chat.runner import Running
    from semscale.judging.verdicts import Verdicts

_INSTRUCTIONS = (
    "Semscale measures what free text means. Its numbers come with intervals and can be reproduced by their "
    "signature. An item without a score has a status with the reason; it is never counted as 0. Report the "
    "cautions of a result with its numbers."
)
_RETURNS = (
    "Returns a row for each item with its status and its numbers, the number of items by status, an estimate "
    "of each figure over all scored items with its interval, cautions, and the signature that others need to "
    "reproduce the numbers."
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
_NOT_CALIBRATED = (
    "Not calibrated: no answer was coded by hand, so the similarities are not probabilities, and the error "
    "rate of the codes is unknown. Let a person check some of them."
)
_SPLIT = "split them into several calls"
_CAP_REMEDY = "the cap holds for all calls together until the server ends; start it again with a higher cap"
_FIGURE = {
    "type": "object",
    "properties": {
        **dict.fromkeys(("value", "low", "high"), {"type": ["number", "null"]}),
        **dict.fromkeys(("n", "n_left_out"), {"type": "integer"}),
    },
    "required": ["value", "low", "high", "n"],
}
_TEXTS = {"type": "array", "items": {"type": "string"}}
_LOG = logging.getLogger("semscale.serving")

Content = dict[str, Any]
"""Result of a tool as JSON values."""


@dataclass(frozen=True)
class AgentTool:
    """A tool for an agent.

    Attributes:
        description: description for the agent.
        fields: its arguments.
        output: JSON schema of its result.
        call: does the work.
        is_local: true if it contacts nothing outside this machine.
        writes: true if it can write a file.
    """

    description: str
    fields: type[RequestFields]
    output: Mapping[str, Any]
    call: Callable[[Any], Awaitable[Content]]
    is_local: bool = True
    writes: bool = False


def loaded_once(load: Callable[[str], Embedder]) -> Callable[[str], Embedder]:
    """Cache a loading function, so that each model is loaded once, even by simultaneous calls."""
    models: dict[str, Embedder] = {}
    lock = threading.Lock()

    def model(name: str) -> Embedder:
        with lock:
            if name not in models:
                models[name] = load(name)
            return models[name]

    return model


class JudgedFields(RequestFields):
    """Optional arguments of the tool ``judge``."""

    references: Annotated[
        list[Any] | None,
        WithJsonSchema(
            {
                "anyOf": [{"type": "array", "items": TEXTS_SCHEMA}, {"type": "null"}],
                "description": "For each answer a text, or a list of texts, known to be right.",
            }
        ),
    ] = None


JudgeFields = request_model(
    "JudgeFields",
    JudgedFields,
    JudgeSettings,
    without=("criteria",),
    description="Arguments of the tool judge.",
    helps={
        "rubric": "Instructions on what is judged.",
        "template": f"Task with its levels: {', '.join(TEMPLATES)}, a scale's name, or the fields of a "
        "scale.",
    },
    template=str | dict[str, Any],
    questions=Annotated[
        list[Any], WithJsonSchema({**CELLS_SCHEMA, "description": "What was asked, for each answer."})
    ],
    answers=Annotated[list[Any], WithJsonSchema({**CELLS_SCHEMA, "description": "What is judged."})],
)


class JudgeCalls:
    """Calls of the tool ``judge``, which share one chat model and one budget.

    Args:
        load: loads the chat model when it is first needed.
        running: settings of the calls, with the budget of the server.
    """

    def __init__(self, load: "Callable[[], ChatModel]", running: "Running") -> None:
        self._load = load
        self._running = replace(running, on_spent=self._spend, cap_remedy=_CAP_REMEDY)
        self._model: ChatModel | None = None
        self._turn = asyncio.Lock()

    async def verdicts(self, fields: Any) -> "Verdicts":  # noqa: ANN401 - fields derived while running
        """Judge the answers of a call; calls run one after the other, so that they share the budget.

        Raises:
            SemscaleError: a setting or a cell is invalid, or no call of the model can succeed.
        """
        # A separate task is needed because the SDK cancels a call again at each wait. Otherwise running calls
        # would be neither stopped nor counted before the next one begins.
        task = asyncio.create_task(self._judged(fields))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.cancel()
            raise

    async def _judged(self, fields: Any) -> "Verdicts":  # noqa: ANN401 - likewise
        from semscale.judging.judge import Judge
        from semscale.judging.prompts import read_items

        settings = {name: getattr(fields, name) for name in JudgeSettings.model_fields if name != "criteria"}
        preparation = TextPreparation.from_settings(fields)
        items = read_items(fields.questions, fields.answers, fields.references, preparation)
        async with self._turn:
            if self._model is None:
                self._model = await asyncio.to_thread(self._load)
            judge = Judge(self._model, **{**settings, "template": _template(fields.template)})
            verdicts, _ = await judge.judge_part(items, judge.start(self._running), None)
        return verdicts

    def _spend(self, spent: "Spent") -> None:
        self._running = self._running.after(spent)


def _template(template: str | dict[str, Any]) -> Any:  # noqa: ANN401 - as a judge takes it
    """Return a built-in template or scale, or the scale defined in the call; no file is read.

    Raises:
        InputError: no template or scale has this name, or the fields of a scale are invalid.
    """
    known = [*TEMPLATES, *scale_names()]
    if isinstance(template, str) and template not in known:
        raise unknown_name("template", template, known)
    return template if template in TEMPLATES else requested_scale(template)


class CodeFields(RequestFields):
    """A code of the tool ``code``."""

    name: str
    definition: str = Field(description="What an answer must say to get the code.")
    examples: list[str] = Field(min_length=1, description="Answers that have the code.")
    negative_examples: list[str] = Field([], description="Answers that seem to have the code and do not.")
    parent: str | None = Field(None, description="Name of the wider code that it belongs under.")


class CodingFields(RequestFields):
    """Arguments of the tool ``code``."""

    texts: Annotated[list[Any], WithJsonSchema({**CELLS_SCHEMA, "description": "Answers to code."})]
    codes: list[CodeFields] = Field(description="The codebook: two codes or more.")


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
        raise InputError(f"folder must be an existing folder, got {folder}: create it, or name another one")
    threads = TaskThreads()
    tools = {"list_scales": _scales_tool()}
    by_name = instruments(lambda: model(DEFAULT_RATING_MODEL), lambda: model(DEFAULT_MODEL))
    for name, instrument in by_name.items():
        tools[name] = _instrument_tool(name, instrument, limits, threads)
        if folder is not None:
            tools[f"{name}_table"] = _table_tool(name, instrument, folder.resolve(), limits, threads)
    tools["code"] = _code_tool(lambda: model(DEFAULT_MODEL), limits, threads)
    if judge is not None:
        tools["judge"] = _judge_tool(judge, limits)
    return tools


def agent_server(tools: Mapping[str, AgentTool]) -> "Server":
    """Return a server with these tools; it needs the extra ``mcp``."""
    from mcp import types
    from mcp.server import Server

    listed = [
        types.Tool(
            name=name,
            description=tool.description,
            input_schema=tool.fields.model_json_schema(),
            output_schema=dict(tool.output),
            annotations=types.ToolAnnotations(
                read_only_hint=not tool.writes, destructive_hint=False, open_world_hint=not tool.is_local
            ),
        )
        for name, tool in tools.items()
    ]

    async def list_tools(*_: object) -> "ListToolsResult":
        return types.ListToolsResult(tools=listed)

    async def call_tool(_: object, call: Any) -> "CallToolResult":  # noqa: ANN401 - the SDK's parameters
        try:
            content = await _called(tools, call.name, call.arguments or {})
        except Exception as error:  # noqa: BLE001 - an agent reads the message and corrects its call
            failed = types.TextContent(text=_message(error))
            return types.CallToolResult(content=[failed], is_error=True)
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=content)

    return Server(
        "semscale",
        version=__version__,
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def _called(tools: Mapping[str, AgentTool], name: str, arguments: Mapping[str, Any]) -> Content:
    if name not in tools:
        raise unknown_name("tool", name, list(tools))
    return await tools[name].call(check_fields(tools[name].fields, arguments))


def _message(error: Exception) -> str:
    """Describe an error in one line with the names of arguments."""
    match error:
        case SemscaleError():
            return as_field_names(str(error))
        case RecursionError():
            return f"the call {TOO_DEEP}"
    _LOG.error("a bug of ours: please report it", exc_info=error)
    return f"this is a bug of ours: {type(error).__name__}"


def serve_standard_streams(server: "Server") -> None:
    """Serve the program connected to standard input and output until it closes them."""
    from mcp.server.stdio import stdio_server

    async def serve() -> None:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    for number in (signal.SIGINT, signal.SIGTERM):
        # A thread waits for the next line of standard input, and nothing else can end it.
        signal.signal(number, lambda *_: os._exit(0))
    try:
        asyncio.run(serve())
    except* BrokenPipeError:
        pass  # the program ended without closing the input


def _scales_tool() -> AgentTool:
    async def list_scales(_: RequestFields) -> Content:
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

    scale = {
        "type": "object",
        "properties": {
            **dict.fromkeys(("name", "title", "question"), {"type": "string"}),
            "points": {"type": "object", "additionalProperties": {"type": "string"}},
        },
        "required": ["name", "title", "question", "points"],
    }
    return AgentTool(
        description="List the scales on which rate can rate texts: name, title, a question whose answers the "
        "scale can rate, and the label of each point.",
        fields=create_model("ListScales", __base__=RequestFields),
        output=_object(scales={"type": "array", "items": scale}),
        call=list_scales,
    )


def _instrument_tool(
    name: str, instrument: Instrument, limits: ServiceLimits, threads: TaskThreads
) -> AgentTool:
    """Create an instrument's tool, which measures in a thread."""

    def measure(fields: Any) -> Content:  # noqa: ANN401 - the fields of the instrument
        columns = {column: getattr(fields, column) for column in instrument.columns}
        measured = instrument.measure(fields, columns)
        result: Any = measured.result  # each kind sums its own texts up
        return measured_content(measured.frame if fields.rows else None, result.summarize(**columns))

    async def call(fields: RequestFields) -> Content:
        check_limits(fields, limits, instrument.columns, _SPLIT)
        return await threads.run(measure, fields)

    return AgentTool(
        description=f"{instrument.description} {_HINTS[name]} {_RETURNS}",
        fields=with_rows_field(instrument.fields),
        output=measured_schema(instrument.row_schema()),
        call=call,
    )


def _table_tool(
    name: str, instrument: Instrument, folder: Path, limits: ServiceLimits, threads: TaskThreads
) -> AgentTool:
    """Create an instrument's tool for tables; repeating an interrupted call resumes it."""

    def measure(fields: Any) -> Content:  # noqa: ANN401 - fields derived while running
        table = open_requested(_path_in(folder, fields.table, "table"), fields)
        out = None if fields.out is None else _path_in(folder, fields.out, "out")
        if out is not None and out.exists():
            raise InputError(f"out must be a new file, got {fields.out!r}: choose another name")
        columns, measuring = instrument.prepare(fields)
        summary = instrument.measure_file(
            table, columns, measuring, out=out, settings=PartSettings(), progress=stop_if_abandoned
        )
        content: Content = json.loads(summary.to_json())
        return {**content, "source": fields.table}

    async def call(fields: RequestFields) -> Content:
        check_limits(fields, limits)
        return await threads.run(measure, fields)

    return AgentTool(
        description=f"Do for the rows of a file what {name} does for lists; some arguments name its columns. "
        "Returns the summary: counts by status, estimates with intervals, of groups as well, cautions "
        "and the signature. A long table may take minutes; with out, the same call continues after the "
        "finished parts of an interrupted one.",
        fields=table_fields(name, ToolTableFields),
        output=_object(estimates={"type": "object"}, cautions=_TEXTS, signature={"type": "string"}),
        call=call,
        writes=True,
    )


def _path_in(folder: Path, name: str, field: str) -> Path:
    """Return the path of a file, which must be in the folder.

    Raises:
        InputError: the file is outside the folder, its name is invalid, or it is neither a file nor a folder,
            such as a pipe, which could keep the call waiting forever.
    """
    try:
        path = (folder / name).resolve()
        is_usable = path.is_relative_to(folder) and (path.is_file() or path.is_dir() or not path.exists())
    except (OSError, RuntimeError, ValueError):  # too long a name, a loop of links, a null character
        is_usable = False
    if not is_usable:
        raise InputError(f"{field} must be a file in {folder}, got {shortened(name)}")
    return path


def _code_tool(embedding: Callable[[], Embedder], limits: ServiceLimits, threads: TaskThreads) -> AgentTool:
    def code(fields: Any) -> Content:  # noqa: ANN401 - fields derived while running
        from semscale.coding.codebook import Code, Codebook
        from semscale.coding.coder import Coder
        from semscale.coding.coding import code_answers

        codes = [
            Code(code.name, code.definition, tuple(code.examples), tuple(code.negative_examples), code.parent)
            for code in fields.codes
        ]
        codebook = Codebook("of-the-call", tuple(codes))
        coder = Coder(codebook, embedder=embedding())
        coding = code_answers(coder.score(fields.texts, progress=stop_if_abandoned))
        figures = {
            share.code: {
                **vars(share.counted),
                "n": share.n,
                "n_left_out": len(coding.outcome) - share.n,
            }
            for share in coding.shares()
        }
        return {
            **({"results": json.loads(coding.to_frame().write_json())} if fields.rows else {}),
            "counts": coding.counts,
            "estimates": encoded(figures),
            "cautions": [_NOT_CALIBRATED],
            "signature": str(coding.signature),
        }

    async def call(fields: RequestFields) -> Content:
        check_limits(fields, limits, ["texts"], _SPLIT)
        return await threads.run(code, fields)

    return AgentTool(
        description=f"{_CODE} {_RETURNS}",
        fields=with_rows_field(CodingFields),
        output=measured_schema({"type": "object", "properties": {"outcome": {"type": "string"}}}),
        call=call,
    )


def _judge_tool(judge: JudgeCalls, limits: ServiceLimits) -> AgentTool:
    async def call(fields: Any) -> Content:  # noqa: ANN401 - fields derived while running
        # References that are left out have no texts.
        columns = ["questions", "answers", *(["references"] if fields.references else [])]
        check_limits(fields, limits, columns, _SPLIT)
        verdicts = await judge.verdicts(fields)
        summary = verdicts.summarize(fields.questions, fields.answers)
        return measured_content(verdicts.to_frame() if fields.rows else None, summary)

    row = {
        "type": "object",
        "properties": {"status": {"type": "string", "enum": list(Status)}},
        "required": ["status"],
    }
    return AgentTool(
        description=f"{_JUDGE} {_RETURNS}",
        fields=with_rows_field(JudgeFields),
        output=measured_schema(row),
        call=call,
        is_local=False,
    )


def with_rows_field(fields: type[RequestFields]) -> type[RequestFields]:
    """Return the fields of a call: those of a request, and the switch for rows in the result."""
    rows = Annotated[
        StrictBool,
        Field(description="Whether to return a row for each item; false returns only the estimates."),
    ]
    call: type[RequestFields] = create_model(fields.__name__, __base__=fields, rows=(rows, True))
    return call


def measured_content(frame: pl.DataFrame | None, summary: Presentable) -> Content:
    """Return the rows of a result if requested, and its figures over all rows."""
    record = json.loads(summary.to_json())
    return {
        **({} if frame is None else {"results": json.loads(frame.write_json())}),
        "counts": record["counts"],
        "estimates": record["estimates"]["overall"]["figures"],
        "cautions": [as_field_names(caution) for caution in (*record["warnings"], *record["cautions"])],
        "signature": record["signature"],
    }


def measured_schema(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of ``measured_content``, with the schema of a row."""
    schema = _object(
        counts={"type": "object", "additionalProperties": {"type": "integer"}},
        estimates={"type": "object", "additionalProperties": _FIGURE},
        cautions=_TEXTS,
        signature={"type": "string"},
    )
    schema["properties"]["results"] = {"type": "array", "items": row}
    return schema


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}
