"""Routes of the service, in one router for each subject; models describe and check requests and answers."""

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import polars as pl
from fastapi import APIRouter
from fastapi import Path as PathParameter
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from prometheus_client import generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from pydantic import BaseModel, WithJsonSchema, create_model
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Match

from semscale.coding.coding import Coding, CodingOutcome
from semscale.embedding.embedder import Embeddings
from semscale.messages import shorten
from semscale.results.result import Result
from semscale.serving.background import current_task
from semscale.serving.coding import code_request, coding_cautions, share_estimates
from semscale.serving.instruments import Instrument, JobWork
from semscale.serving.jobs import UPLOAD_STEP, Job, JobQueue, JobRecord, JobStatus
from semscale.serving.judging import JudgeCalls, check_replies
from semscale.serving.middleware import (
    JSON,
    LINES,
    json_answer,
    read_body,
    read_parts,
    refusal_of,
    to_json,
    while_connected,
)
from semscale.serving.models import estimate_tokens
from semscale.serving.refusals import ERRORS, ErrorAnswer, RefusedRequestError, invalid
from semscale.serving.requests import (
    JOB_FIELDS,
    CodingFields,
    EmbeddingFields,
    JobFields,
    JudgeFields,
    RequestFields,
    check_fields,
    check_limits,
    check_query,
    check_texts,
    flat_texts,
    parse_fields,
    parse_json,
    parse_query,
    refusal_of_fields,
)
from semscale.serving.state import Phase
from semscale.signature import Signature
from semscale.types import Status
from semscale.version import __version__

if TYPE_CHECKING:
    from semscale.serving.service import Service

_LINES_AT_ONCE = 512
_LEAST_UPLOAD = 64 * 1024  # bytes within the time limit, so that a slow upload does not block others
_TABLE_TYPES = {".parquet": "application/octet-stream", ".csv": "text/csv", ".jsonl": LINES}
_TEXT = {"type": "string"}
_TABLE = {"type": "string", "format": "binary"}
_LINES = {"type": "string", "description": "A JSON object on each line."}
_ANY_ROUTE = (401, 403, 429, 500, 503, 504)

Endpoint = TypeVar("Endpoint", bound=Callable[..., Awaitable[Any]])


class FieldsRoute(APIRoute):  # type: ignore[misc] # FastAPI is checked alike with and without the extra
    """Route whose fields FastAPI checks after the service has read the body within its limits.

    FastAPI itself would read a body of any size, accept repeated keys and any depth, and parse it while other
    requests wait.
    """

    def get_route_handler(self) -> Callable[[Request], Awaitable[Response]]:
        """Return a handler that reads the body before FastAPI's own checks it."""
        answer: Callable[[Request], Awaitable[Response]] = super().get_route_handler()
        if self.body_field is None:
            return answer
        kind: type[RequestFields] = self.body_field.field_info.annotation

        async def handle(request: Request) -> Response:
            return await answer(_ParsedRequest(request, await _read_fields(request, kind)))

        return handle


async def _read_fields(request: Request, kind: type[RequestFields]) -> dict[str, Any]:
    service: Service = request.app.state.service
    body = await read_body(request, service.limits.body_bytes)
    return await service.parse(body, parse_fields, kind, body)


class _ParsedRequest(Request):  # type: ignore[misc] # Starlette is checked alike with and without the extra
    """Request with a parsed body, which FastAPI takes as JSON; ``curl --data`` states that it is a form."""

    def __init__(self, request: Request, content: Mapping[str, Any]) -> None:
        headers = [header for header in request.scope["headers"] if header[0] != b"content-type"]
        headers.append((b"content-type", JSON.encode()))
        super().__init__({**request.scope, "headers": headers}, request.receive)
        self._content = content

    async def body(self) -> bytes:
        """Return a body that is not empty, so that FastAPI asks for its content."""
        return b"{}"

    async def json(self) -> Mapping[str, Any]:
        """Return the parsed content."""
        return self._content


async def answer_to_mistakes(request: Request, error: RequestValidationError) -> Response:
    """Return the response to a request that FastAPI has refused; it names the first mistake."""
    body = request.scope["route"].body_field
    known = {} if body is None else getattr(body.field_info.annotation, "model_fields", {})
    # FastAPI puts "body" or "query" before the path of each mistake.
    mistakes = [{**mistake, "loc": mistake["loc"][1:] or mistake["loc"]} for mistake in error.errors()]
    refusal = refusal_of_fields(known, RequestValidationError(mistakes))
    return json_answer(refusal.record(), refusal.status)


class LinesRoute(APIRoute):  # type: ignore[misc] # likewise
    """Route of bodies with a JSON object on each line; others go to the next route of the same path."""

    def matches(self, scope: Any) -> tuple[Match, Any]:
        """Return whether the route answers a request, and what it found in its path."""
        match, path = super().matches(scope)
        if match is not Match.NONE:
            stated = Request(scope).headers.get("content-type", JSON)
            if stated.partition(";")[0].strip().lower() == LINES:
                return match, path
        return Match.NONE, {}


def takes_fields(kind: type[RequestFields]) -> Callable[[Endpoint], Endpoint]:
    """Declare the type of an endpoint's parameter ``fields``, where the type is derived while running."""

    def declare(endpoint: Endpoint) -> Endpoint:
        endpoint.__annotations__["fields"] = kind
        return endpoint

    return declare


def refusals(*statuses: int) -> dict[int, dict[str, Any]]:
    """Describe the error answers of a route, including those of every route that needs access."""
    return {
        status: {"model": ErrorAnswer, "description": ERRORS[status][1]}
        for status in sorted({*statuses, *_ANY_ROUTE})
    }


def absent_router(reason: str, methods: Collection[str], *paths: str) -> APIRouter:
    """Return a router that refuses requests for which the service lacks a part.

    Args:
        reason: the message of the refusal.
        methods: methods of the requests.
        paths: paths of the requests.
    """
    router = APIRouter(include_in_schema=False)

    async def refuse() -> None:
        raise RefusedRequestError(404, reason)

    for path in paths:
        router.api_route(path, methods=methods)(refuse)
    return router


# Embeddings


class Vector(BaseModel):
    """Vector of a text: numbers, or float32 numbers in Base64."""

    object: Literal["embedding"]
    index: int
    embedding: list[float] | str


class Usage(BaseModel):
    """Number of tokens that the model read."""

    prompt_tokens: int
    total_tokens: int


class Vectors(BaseModel):
    """Answer of ``/v1/embeddings``; usage is null if the engine does not count tokens."""

    object: Literal["list"]
    data: list[Vector]
    model: str
    usage: Usage | None


class Model(BaseModel):
    """A model of the service."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str


class Models(BaseModel):
    """Answer of ``/v1/models``."""

    object: Literal["list"]
    data: list[Model]


def embedding_router(service: "Service") -> APIRouter:
    """Return the routes of embeddings, which are compatible with OpenAI's API."""
    router = APIRouter(tags=["embeddings"], route_class=FieldsRoute)

    @router.post(
        "/v1/embeddings",
        response_model=Vectors,
        response_description="The vectors.",
        responses=refusals(400, 404, 413, 422),
    )
    async def embeddings(request: Request, fields: EmbeddingFields) -> Response:
        """Turn texts into vectors; compatible with OpenAI's API."""
        check_limits(fields, service.limits)
        for index, text in enumerate(fields.input):
            if not text.strip():
                raise invalid(f"input[{index}] must not be empty: leave it out", "input")
        model = service.models.find(fields.model)
        width = model.embedder.dimensions
        if fields.dimensions not in (None, width):
            raise invalid(
                f"dimensions must be {width} with this model, got {fields.dimensions}", "dimensions"
            )
        with service.backlog.share(sum(map(estimate_tokens, fields.input))):
            vectors = await while_connected(request, model.embed(fields.input))
        return await asyncio.to_thread(
            lambda: json_answer(_describe_embeddings(vectors, model.name, fields.encoding_format))
        )

    @router.get("/v1/models", response_description="The models.", responses=refusals())
    async def models() -> Models:
        """List the models."""
        served = [
            Model(id=name, object="model", created=0, owned_by="semscale") for name in service.models.by_name
        ]
        return Models(object="list", data=served)

    return router


def _describe_embeddings(embeddings: Embeddings, model: str, encoding: str) -> dict[str, Any]:
    vectors = embeddings.vectors.astype("<f4", copy=False)
    encoded = [b64encode(vector).decode() for vector in vectors] if encoding == "base64" else vectors.tolist()
    tokens = None if embeddings.tokens is None else int(embeddings.tokens.sum())
    return {
        "object": "list",
        "data": [
            {"object": "embedding", "index": index, "embedding": vector}
            for index, vector in enumerate(encoded)
        ],
        "model": model,
        # Null if the engine does not count tokens: 0 would be a count.
        "usage": None if tokens is None else {"prompt_tokens": tokens, "total_tokens": tokens},
    }


# Instruments


def rows_answer(name: str, row: Mapping[str, Any], **further: Any) -> type[BaseModel]:
    """Derive the model of an answer with a row for each item.

    Args:
        name: name of the model.
        row: JSON schema of a row, which has the columns of the result.
        further: types of further fields.
    """
    kinds: dict[str, Any] = {
        "results": list[Annotated[dict[str, Any], WithJsonSchema(dict(row))]],
        "counts": dict[str, int],
        "signature": str,
        **further,
    }
    fields: dict[str, Any] = {field: (kind, ...) for field, kind in kinds.items()}
    model: type[BaseModel] = create_model(name, **fields)
    return model


def _rows_response(
    frame: pl.DataFrame, counts: Mapping[Any, int], signature: Signature, **further: object
) -> Response:
    rest = to_json({"counts": counts, "signature": str(signature), **further})
    return Response(b'{"results":%b,%b' % (frame.write_json().encode(), rest[1:]), media_type=JSON)


def instrument_router(service: "Service", name: str, instrument: Instrument) -> APIRouter:
    """Return the routes of an instrument, which measures rows of one JSON object, or of lines.

    Args:
        service: its limits and threads.
        name: name of the instrument.
        instrument: measures.
    """
    router = APIRouter(tags=["instruments"], route_class=FieldsRoute)
    rows = InstrumentRows(service, instrument)

    @takes_fields(instrument.fields)
    async def measure(request: Request, fields: Any) -> Response:
        return await rows.measure(request, fields)

    # It comes first, and leaves other bodies to the second.
    router.add_api_route(
        f"/{name}",
        rows.measure_lines,
        methods=["POST"],
        route_class_override=LinesRoute,
        include_in_schema=False,
    )
    router.add_api_route(
        f"/{name}",
        measure,
        methods=["POST"],
        description=f"{instrument.description} Send an object with lists; or lines (application/x-ndjson), "
        "with settings in the address.",
        response_model=rows_answer(f"{name.title()}Answer", instrument.row_schema()),
        responses={
            200: {"description": "A row for each item.", "content": {LINES: {"schema": _LINES}}},
            **refusals(400, 413, 422),
        },
        openapi_extra={"requestBody": {"content": {LINES: {"schema": _LINES}}}},
    )
    return router


class InstrumentRows:
    """Rows of requests, which an instrument measures.

    Args:
        service: its limits and threads.
        instrument: measures.
    """

    def __init__(self, service: "Service", instrument: Instrument) -> None:
        self._service = service
        self._instrument = instrument

    async def measure(self, request: Request, fields: RequestFields) -> Response:
        """Measure the rows of a request.

        Raises:
            RefusedRequestError: a limit is exceeded.
        """
        check_limits(fields, self._service.limits)
        columns = {name: getattr(fields, name) for name in self._instrument.columns}
        result, frame = await while_connected(request, self._measure(fields, columns))
        return _rows_response(frame, result.counts, result.signature)

    async def measure_lines(self, request: Request) -> Response:
        """Answer each line with a line; the first part is measured before the response starts.

        Raises:
            RefusedRequestError: a setting or a line is invalid, or a limit is exceeded.
        """
        body = await read_body(request, self._service.limits.body_bytes)
        settings = check_query(self._instrument.settings, request.query_params.multi_items())
        check_limits(settings, self._service.limits)
        columns = await self._service.parse(body, self._read_lines, body)
        n = len(next(iter(columns.values())))
        size = max(n, 1) if self._instrument.depends_on_all else _LINES_AT_ONCE
        parts = [
            {name: cells[start : start + size] for name, cells in columns.items()}
            for start in range(0, n, size)
        ]
        if not parts:
            raise RefusedRequestError(400, "the body has no lines: send a JSON object on each")
        result, frame = await while_connected(request, self._measure(settings, parts[0]))
        return StreamingResponse(
            self._lines(frame, settings, parts[1:]),
            media_type=LINES,
            headers={"X-Semscale-Signature": str(result.signature)},
        )

    async def _measure(
        self, settings: RequestFields, columns: Mapping[str, Sequence[Any]], *, is_accepted: bool = False
    ) -> tuple[Result, pl.DataFrame]:
        if sum(map(len, columns.values())) > self._service.limits.max_texts:  # of a stream of lines
            tokens = await self._service.readers.run(_tokens_in, columns)
        else:
            tokens = _tokens_in(columns)
        with self._service.backlog.share(tokens, is_accepted=is_accepted):
            return await self._service.threads.run(self._instrument.measure, settings, columns)

    async def _lines(
        self, frame: pl.DataFrame, settings: RequestFields, parts: Sequence[Mapping[str, Sequence[Any]]]
    ) -> AsyncIterator[bytes]:
        """Yield the lines of all parts; an error after the first part becomes the last line."""
        row = 1
        yield await asyncio.to_thread(_json_lines, frame, row)
        for part in parts:
            row += frame.height
            try:
                _, frame = await self._measure(settings, part, is_accepted=True)
            except Exception as error:
                yield to_json({"row": row, **refusal_of(error).record()}) + b"\n"
                return
            yield await asyncio.to_thread(_json_lines, frame, row)

    def _read_lines(self, body: bytes) -> dict[str, list[Any]]:
        """Read the columns from lines.

        Raises:
            RefusedRequestError: a line is not a JSON object with exactly these keys.
        """
        keys, limits = self._instrument.columns, self._service.limits
        columns: dict[str, list[Any]] = {name: [] for name in keys}
        lines = body.splitlines()
        task = current_task()
        for number, line in enumerate(lines, start=1):
            task.report("reading lines", number, len(lines))
            row = _read_line(line, f"line {number}", set(keys.values()))
            for name, key in keys.items():
                columns[name].append(row[key])
        for name, cells in columns.items():
            # Only the size of the body limits the number of lines, so texts are checked in slices.
            texts = flat_texts(cells)
            for start in range(0, len(texts), limits.max_texts):
                check_texts(texts[start : start + limits.max_texts], name, limits)
        return columns


def _tokens_in(columns: Mapping[str, Sequence[Any]]) -> int:
    texts = (text for cells in columns.values() for text in flat_texts(cells))
    return sum(estimate_tokens(text) for text in texts if isinstance(text, str))


def _read_line(line: bytes, source: str, keys: set[str]) -> dict[str, Any]:
    cells = parse_json(line, source)
    if not isinstance(cells, dict) or cells.keys() != keys:
        wanted = ", ".join(sorted(keys))
        raise invalid(f"{source} must be an object with {wanted}, got {shorten(cells)}", source)
    return cells


def _json_lines(frame: pl.DataFrame, first_row: int) -> bytes:
    return frame.with_row_index("row", first_row).write_ndjson().encode()


def code_router(service: "Service") -> APIRouter:
    """Return the route that codes texts by the codebook of the request.

    Args:
        service: its models, limits and threads.
    """
    router = APIRouter(tags=["instruments"], route_class=FieldsRoute)
    row = {
        "type": "object",
        "properties": {
            "outcome": {"type": "string", "enum": list(CodingOutcome)},
            "reason": {"type": ["string", "null"]},
        },
        "required": ["outcome", "reason"],
    }

    def code(fields: Any) -> tuple[Coding, pl.DataFrame]:
        models = service.models
        coding = code_request(fields, embedder=models.embedding.embedder, rating=models.rating.embedder)
        return coding, coding.to_frame()

    async def measure(fields: Any) -> tuple[Coding, pl.DataFrame]:
        with service.backlog.share(_tokens_in({"texts": fields.texts})):
            return await service.threads.run(code, fields)

    @router.post(
        "/code",
        description="Assign the codes of a codebook to open answers, more than one per answer. Returns the "
        "share of each code as well.",
        response_model=rows_answer(
            "CodeAnswer", row, estimates=dict[str, dict[str, Any]], cautions=list[str]
        ),
        response_description="A row for each text.",
        responses=refusals(400, 413, 422),
    )
    @takes_fields(CodingFields)
    async def code_route(request: Request, fields: Any) -> Response:
        check_limits(fields, service.limits)
        coding, frame = await while_connected(request, measure(fields))
        return _rows_response(
            frame,
            coding.counts,
            coding.signature,
            estimates=share_estimates(coding),
            cautions=coding_cautions(coding),
        )

    return router


def judge_router(service: "Service", calls: JudgeCalls) -> APIRouter:
    """Return the route of the judge, a chat model that scores answers.

    Args:
        service: its limits and threads.
        calls: calls of the chat model.
    """
    router = APIRouter(tags=["instruments"], route_class=FieldsRoute)
    row = {
        "type": "object",
        "properties": {"status": {"type": "string", "enum": list(Status)}},
        "required": ["status"],
    }

    @router.post(
        "/judge",
        description="Let a chat model score answers to questions by a rubric, from 0 to 1. If a cap on calls "
        "or costs of the service is reached, stopped has the reason, and the rest is unfinished.",
        response_model=rows_answer("JudgeAnswer", row, stopped=str | None),
        response_description="A row for each item.",
        responses=refusals(400, 413, 422),
    )
    @takes_fields(JudgeFields)
    async def judge(request: Request, fields: Any) -> Response:
        check_limits(fields, service.limits)
        check_replies(fields, service.limits)
        verdicts = await while_connected(request, calls.verdicts(fields))
        frame = await service.threads.run(verdicts.to_frame)
        return _rows_response(frame, verdicts.counts, verdicts.signature, stopped=verdicts.stopped)

    return router


# State of the service


class Health(BaseModel):
    """Answer of ``/health``."""

    status: Literal["alive"]
    version: str


class Readiness(BaseModel):
    """Answer of ``/ready``."""

    status: Phase
    models: list[str]


def status_router(service: "Service") -> APIRouter:
    """Return the routes for those who run the service."""
    router = APIRouter(tags=["service"])
    is_open: dict[str, Any] = {"security": []}

    @router.get("/health", response_description="The process is alive.", openapi_extra=is_open)
    async def health() -> Health:
        return Health(status="alive", version=__version__)

    @router.get(
        "/ready",
        response_description="The models are loaded.",
        responses={503: {"model": Readiness, "description": ERRORS[503][1]}},
        openapi_extra=is_open,
    )
    async def ready(response: Response) -> Readiness:
        phase = service.state.phase
        if phase is not Phase.READY:
            response.status_code, response.headers["Retry-After"] = 503, "5"
        return Readiness(status=phase, models=list(service.models.by_name))

    @router.get(
        "/metrics",
        response_class=Response,
        responses={
            200: {"description": "Figures for Prometheus.", "content": {"text/plain": {"schema": _TEXT}}},
            **refusals(),
        },
    )
    async def metrics() -> Response:
        return Response(generate_latest(service.metrics.registry), media_type=CONTENT_TYPE_LATEST)

    return router


# Jobs


class Jobs(BaseModel):
    """Answer of ``/jobs``."""

    jobs: list[JobRecord]


class RemovedJob(BaseModel):
    """Answer to the removal of a job."""

    id: str
    status: Literal["removed"]


JobID = Annotated[str, PathParameter(alias="id", description="ID from the reply to the upload.")]


def job_router(service: "Service", queue: JobQueue, work: JobWork) -> APIRouter:
    """Return the routes that accept jobs, and answer with their progress and results.

    Args:
        service: its limits and threads.
        queue: runs the jobs.
        work: checks the settings of jobs.
    """
    router = APIRouter(tags=["jobs"])

    @router.post(
        "/jobs",
        status_code=202,
        response_description="The job.",
        responses=refusals(400, 413, 422, 507),
        openapi_extra={
            "parameters": _job_parameters(),
            "requestBody": {
                "required": True,
                "content": {"application/octet-stream": {"schema": _TABLE}},
            },
        },
    )
    async def submit(request: Request, response: Response) -> JobRecord:
        """Accept a job: a table as the request's body, and settings in the query string."""
        kind, fields = _job_settings(request.query_params.multi_items())
        await service.threads.run(work.check, kind, fields)
        check_limits(fields, service.limits)
        with queue.uploading(kind, fields) as job:
            await upload_table(request, job.table, queue.check_quota, service.limits.max_seconds)
            await _finish(lambda: queue.add(job))
        response.headers["Location"] = f"/jobs/{job.id}"
        return job.record()

    @router.get("/jobs", response_description="All jobs.", responses=refusals())
    async def jobs() -> Jobs:
        """List all jobs, the oldest first."""
        return Jobs(jobs=queue.records())

    @router.get("/jobs/{id}", response_description="The job.", responses=refusals(404, 422))
    async def job(name: JobID) -> JobRecord:
        """Return the status and progress of a job."""
        return queue.find(name).record()

    @router.get(
        "/jobs/{id}/result",
        response_class=FileResponse,
        responses={
            200: {
                "description": "The measured table.",
                "content": {kind: {"schema": _TABLE} for kind in _TABLE_TYPES.values()},
            },
            **refusals(404, 409, 422),
        },
    )
    async def result(name: JobID) -> Response:
        """Return the result of a job: the measured table."""
        path = _job_with_result(queue, name).result
        return _file(path, _TABLE_TYPES[path.suffix], path.name)

    @router.get(
        "/jobs/{id}/summary",
        response_model=dict[str, Any],
        response_description="The summary.",
        responses=refusals(404, 409, 422),
    )
    async def summary(name: JobID) -> Response:
        """Return the summary of a job, in the form that ``--json`` prints."""
        return _file(_job_with_result(queue, name).summary, JSON)

    @router.post(
        "/jobs/{id}",
        response_description="The job, which waits again.",
        responses=refusals(404, 409, 422),
    )
    async def run_again(name: JobID) -> JobRecord:
        """Run a job again that was cut short by the end of the service; finished parts are not repeated."""
        return (await asyncio.to_thread(queue.run_again, name)).record()

    @router.delete("/jobs/{id}", response_description="The job is removed.", responses=refusals(404, 422))
    async def cancel(name: JobID) -> RemovedJob:
        """Cancel a job, or remove a job that has ended, with all its files."""
        await asyncio.to_thread(queue.remove, name)
        return RemovedJob(id=name, status="removed")

    return router


def _job_settings(parameters: Iterable[tuple[str, str]]) -> tuple[str, JobFields]:
    """Return the kind of a job and its settings.

    Raises:
        RefusedRequestError: a setting is invalid.
    """
    parameters = list(parameters)
    kind = next((value for name, value in parameters if name == "kind"), "")
    if kind not in JOB_FIELDS:
        raise invalid(f"kind must be one of {', '.join(JOB_FIELDS)}, got {shorten(kind)}", "kind")
    settings = parse_query(parameters, JOB_FIELDS[kind])
    del settings["kind"]
    return kind, check_fields(JOB_FIELDS[kind], settings)


def _job_parameters() -> list[dict[str, Any]]:
    """Return OpenAPI's description of a job's query parameters, with the kinds of job that accept each."""
    kinds_of: dict[str, list[str]] = {}
    schemas: dict[str, dict[str, Any]] = {}
    required = []
    for kind, model in JOB_FIELDS.items():
        schema = model.model_json_schema()
        required.append(set(schema.get("required", ())))
        for name, field in schema["properties"].items():
            kinds_of.setdefault(name, []).append(kind)
            schemas.setdefault(name, field)
    always = set.intersection(*required)
    kinds = {"type": "string", "enum": list(JOB_FIELDS), "description": "Kind of the job."}
    described = [{"name": "kind", "in": "query", "required": True, "schema": kinds}]
    for name, field in schemas.items():
        description = field.get("description", "")
        if len(kinds_of[name]) < len(JOB_FIELDS):
            description = f"{description} Of {', '.join(kinds_of[name])}."
        schema = {**field, "description": description}
        described.append({"name": name, "in": "query", "required": name in always, "schema": schema})
    return described


def _job_with_result(queue: JobQueue, name: str) -> Job:
    """Return a job that has a result.

    Raises:
        RefusedRequestError: no job has this name, or it has no result.
    """
    job = queue.find(name)
    if job.status is not JobStatus.FINISHED:
        raise RefusedRequestError(409, f"the job is {job.status}: it has no result")
    return job


async def upload_table(
    request: Request, path: Path, check_quota: Callable[[int], None], seconds: float
) -> None:
    """Write an uploaded table to disk; each 64 KiB must arrive within the time limit.

    Args:
        request: request with an unread body.
        path: path of the file.
        check_quota: called in a thread with the number of bytes that are written next.
        seconds: the time limit.

    Raises:
        RefusedRequestError: the body is empty, or the quota is used up.
        OSError: the disk is full.
    """
    limit: asyncio.Timeout = request.scope["semscale.limit"]
    n_written = due = checked = 0

    async def write(part: bytes, n: int) -> None:
        nonlocal n_written, due, checked
        if n > checked:
            await asyncio.to_thread(check_quota, n - n_written)
            checked = max(n, n_written + UPLOAD_STEP)
        await asyncio.to_thread(file.write, part)
        n_written += len(part)
        if n_written >= due:
            due = n_written + _LEAST_UPLOAD
            limit.reschedule(asyncio.get_running_loop().time() + seconds)

    with path.open("wb") as file:
        await read_parts(request, write)
    if not n_written:
        raise invalid("the body must be a table, got nothing", "body")


async def _finish(work: Callable[[], None]) -> None:
    """Do work in a thread; if the request is cancelled, wait for its end, so that it can be undone."""
    doing = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        await asyncio.shield(doing)
    except asyncio.CancelledError:
        await asyncio.wait([doing])
        raise


def _file(path: Path, kind: str, name: str | None = None) -> Response:
    """Return a response with a file of a job.

    Args:
        path: path of the file.
        kind: content type.
        name: file name for the client's download.

    Raises:
        RefusedRequestError: the file was removed in the meantime.
    """
    if not path.is_file():
        raise RefusedRequestError(404, "the files of the job have been removed: send it again", field="id")
    return FileResponse(path, media_type=kind, filename=name)
