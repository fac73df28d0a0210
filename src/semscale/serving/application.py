"""HTTP application of the service: shared objects, routes, and the page that documents them."""

import asyncio
import threading
import time
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import polars as pl
from fastapi import FastAPI
from fastapi.routing import APIRoute
from prometheus_client import Gauge, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response, StreamingResponse

from semscale.embedding.embedder import Embedder, Embeddings
from semscale.messages import shorten
from semscale.report.document import Block, DataTable, Document, Label, Paragraph, Quoted, Section
from semscale.report.html import page
from semscale.serving.background import BackgroundWork, report_progress
from semscale.serving.batching import WORKERS
from semscale.serving.instruments import PART_ROWS, Instrument, JobWork, Measured, instruments
from semscale.serving.jobs import UPLOAD_STEP, Job, JobQueue, JobStatus
from semscale.serving.judging import JudgeCalls, check_replies
from semscale.serving.models import ServedModels, estimate_tokens
from semscale.serving.requests import (
    ERRORS,
    JOB_FIELDS,
    EmbeddingFields,
    JudgeFields,
    Kind,
    RefusedRequestError,
    RequestFields,
    ServiceLimits,
    check_fields,
    check_limits,
    check_texts,
    flat_texts,
    invalid,
    job_parameters,
    parse_fields,
    parse_json,
    parse_query,
)
from semscale.serving.server import (
    JSON,
    LINES,
    Backlog,
    Gate,
    Phase,
    ServiceMetrics,
    ServiceState,
    answer_to_error,
    answer_to_unknown_route,
    json_answer,
    read_body,
    read_parts,
    refusal_of,
    to_json,
    while_connected,
)
from semscale.types import Status
from semscale.version import __version__

_LINES_AT_ONCE = 512
_LARGE_BODY = 100_000  # bytes, parsed in a millisecond
_READERS = 2  # threads that parse larger bodies: more of them would only delay other requests
_MEASURED_ROWS = 64  # from which the first rate is measured
_LEAST_UPLOAD = 64 * 1024  # bytes within the time limit, so that a slow upload does not block others
_TABLE_TYPES = {".parquet": "application/octet-stream", ".csv": "text/csv", ".jsonl": LINES}
_ANY_ROUTE = (401, 403, 429, 500, 503, 504)

Result = TypeVar("Result")
Schema = dict[str, Any]
"""A schema or another part of an OpenAPI document."""


@dataclass
class Service:
    """Objects that all routes share, and the start and end of their threads.

    Attributes:
        load_model: loads a model by its name.
        limits: limits of requests and jobs.
        model: name of one model for everything, instead of the default ones.
        workers: number of batches that a model runs at once.
        judge: calls a chat model; without it there is no route ``/judge``.
        models: the models; ``None`` until they are loaded.
        state: the service's phase and open requests.
        metrics: metrics for Prometheus.
        threads: threads that do the work of requests.
        readers: threads that parse large bodies, so that the event loop can answer others.
        backlog: tokens of the requests under way, and the rate at which the service answers.
        has_ended: true if ``close`` has ended all threads.
    """

    load_model: Callable[[str], Embedder]
    limits: ServiceLimits = field(default_factory=ServiceLimits)
    model: str | None = None
    workers: int = WORKERS
    judge: JudgeCalls | None = None
    models: ServedModels = field(default_factory=ServedModels)
    state: ServiceState = field(default_factory=ServiceState)
    metrics: ServiceMetrics = field(default_factory=ServiceMetrics)
    threads: BackgroundWork = field(default_factory=BackgroundWork)
    readers: BackgroundWork = field(default_factory=lambda: BackgroundWork(_READERS))
    has_ended: bool = False

    def __post_init__(self) -> None:
        models = self.models
        self.backlog = Backlog(self.limits)
        self.instruments = instruments(
            rating=lambda: models.rating.embedder,
            embedding=lambda: models.embedding.embedder,
            encoder=lambda: models.embedding.encoder,
        )
        self.jobs: JobQueue | None = None
        self.job_work: JobWork | None = None
        self._loading = threading.Thread(target=self._load, name="loading", daemon=True)

    def open_jobs(self, home: Path, part_rows: int = PART_ROWS) -> None:
        """Start to accept jobs, and store their files in a folder.

        Args:
            home: the folder.
            part_rows: rows of a job that are measured and stored at a time.

        Raises:
            InputError: another service uses the folder, or ``part_rows`` is below 1.
        """
        self.job_work = JobWork(
            self.instruments,
            lambda: self.models.embedding.embedder,
            part_rows=part_rows,
            most_rows=self.limits.max_job_rows,
        )
        jobs = self.jobs = JobQueue(home, self.job_work.do, self.limits)
        unfinished = Gauge(
            "semscale_unfinished_jobs", "Jobs that wait or run.", registry=self.metrics.registry
        )
        unfinished.set_function(lambda: jobs.n_unfinished)

    async def read_fields(self, request: Request, kind: type[Kind], columns: Collection[str]) -> Kind:
        """Read the body of a request and its fields, and check the limits.

        Args:
            request: request with an unread body.
            kind: class that declares the fields.
            columns: names of the fields that are columns.

        Raises:
            RefusedRequestError: a field is invalid, or a limit is exceeded.
        """
        body = await read_body(request, self.limits.body_bytes)
        return await self.parse(body, parse_fields, kind, body, self.limits, columns)

    async def parse(self, body: bytes, work: Callable[..., Result], *arguments: Any) -> Result:
        """Parse a body; a large one in a thread."""
        if len(body) <= _LARGE_BODY:
            return work(*arguments)
        return await self.readers.run(work, *arguments)

    def start(self) -> threading.Thread:
        """Load the models in another thread, so that the service already answers requests."""
        self._loading.start()
        return self._loading

    def _load(self) -> None:
        try:
            if self.judge is not None:
                self.judge.load()
            self.models.load(
                self.load_model, self.limits, self.metrics, name=self.model, workers=self.workers
            )
            for instrument in self.instruments.values():
                instrument.warm_up()
                started = time.monotonic()
                tokens = instrument.warm_up(_MEASURED_ROWS)
                self.backlog.record_rate(tokens, time.monotonic() - started)
        except Exception as error:  # noqa: BLE001 - the server ends with it
            self.state.set_failed(error)
            return
        if self.jobs is not None:
            self.jobs.start()
        self.state.set_loaded()

    def stop_jobs(self) -> None:
        """Stop the jobs after the current part; they continue when the service starts again."""
        if self.jobs is not None:
            self.jobs.stop()

    def close(self) -> None:
        """End all threads."""
        self.stop_jobs()
        jobs_ended = self.jobs is None or self.jobs.close()
        work_ended = self.threads.close() and self.readers.close()
        models_ended = self.models.close()
        self.has_ended = jobs_ended and work_ended and models_ended and not self._loading.is_alive()


def application(service: Service, *, token: str | None = None) -> Gate:
    """Create the application; its models are loaded when the server starts it.

    Args:
        service: the models, limits and jobs.
        token: access token that requests must send; ``None`` if none is needed.
    """

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        service.start()
        yield
        service.close()

    app = FastAPI(
        title="Semscale",
        version=__version__,
        description="Measures what free text means.",
        lifespan=life,
        docs_url=None,  # FastAPI's page loads scripts from other hosts
        redoc_url=None,
        redirect_slashes=False,  # the redirect would use the header Host, which any client can set
    )
    app.router.route_class = PlainRoute
    app.add_exception_handler(HTTPException, answer_to_unknown_route)
    _add_embeddings(app, EmbeddingRoutes(service))
    for name, instrument in service.instruments.items():
        _add_instrument(app, name, instrument, InstrumentRoute(service, instrument))
    _add_judge(app, service)
    _add_status(app, service)
    _add_jobs(app, service)

    async def docs(_: Request) -> HTMLResponse:
        return HTMLResponse(page(routes_document(app.openapi())))

    app.get("/docs", include_in_schema=False)(docs)
    schema = app.openapi()  # FastAPI keeps it
    bearer = {"type": "http", "scheme": "bearer", "description": "The token in SEMSCALE_TOKEN."}
    schema.setdefault("components", {})["securitySchemes"] = {"bearer": bearer}
    schema["security"] = [{"bearer": []}] if token else [{"bearer": []}, {}]
    return Gate(app, state=service.state, limits=service.limits, metrics=service.metrics, token=token)


class PlainRoute(APIRoute):  # type: ignore[misc] # FastAPI is checked alike with and without the extra
    """Route that calls its function with the request; FastAPI only documents it."""

    def get_route_handler(self) -> Callable[[Request], Awaitable[Response]]:
        """Return a handler that bypasses FastAPI's arguments and turns errors into responses."""

        async def handle(request: Request) -> Response:
            try:
                answer: Response = await self.endpoint(request)
            except Exception as error:  # noqa: BLE001 - every error is an answer
                return answer_to_error(error)
            return answer

        return handle


# Descriptions of routes


def _route(
    app: FastAPI,
    address: str,
    endpoint: Callable[[Request], Awaitable[Response]],
    answers: Mapping[int, tuple[str, Mapping[str, Schema]]],
    **description: Any,
) -> None:
    """Add a route with its description.

    Args:
        app: the application.
        address: method and path, such as ``GET /jobs``.
        endpoint: function that answers requests.
        answers: for each status, its meaning and the schemas by content type.
        description: further OpenAPI fields of the route.
    """
    verb, path = address.split()
    responses = {
        status: {"description": meaning, "content": _content(schemas)}
        for status, (meaning, schemas) in answers.items()
    }
    app.api_route(
        path,
        methods=[verb],
        status_code=min(responses),
        response_class=Response,
        responses=responses,
        openapi_extra=description,
        tags=description.pop("tags"),
    )(endpoint)


def _refusals(*statuses: int) -> dict[int, tuple[str, dict[str, Schema]]]:
    """Describe the error responses of a route, including those of every route that needs access."""
    nullable = {"type": ["string", "null"]}
    error = _object(error=_object(message=_text(), type=_text(), param=nullable, code={"type": "null"}))
    return {status: (ERRORS[status][1], {JSON: error}) for status in sorted({*statuses, *_ANY_ROUTE})}


def _text(value: str | None = None) -> Schema:
    return {"type": "string"} if value is None else {"type": "string", "const": value}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _body(schemas: Mapping[str, Schema]) -> Schema:
    """Describe the body of a request by its content types; the route parses it itself."""
    return {"required": True, "content": _content(schemas)}


def _content(schemas: Mapping[str, Schema]) -> Schema:
    return {kind: {"schema": schema} for kind, schema in schemas.items()}


def _add_embeddings(app: FastAPI, routes: "EmbeddingRoutes") -> None:
    count = {"type": "integer"}
    vector = {"anyOf": [_list({"type": "number"}), _text()]}
    usage = {"anyOf": [_object(prompt_tokens=count, total_tokens=count), {"type": "null"}]}
    vectors = _object(
        object=_text("list"),
        data=_list(_object(object=_text("embedding"), index=count, embedding=vector)),
        model=_text(),
        usage=usage,
    )
    _route(
        app,
        "POST /v1/embeddings",
        routes.embeddings,
        {200: ("The vectors.", {JSON: vectors}), **_refusals(400, 404, 413, 422)},
        tags=["embeddings"],
        requestBody=_body({JSON: EmbeddingFields.model_json_schema()}),
    )
    model = _object(id=_text(), object=_text("model"), created=count, owned_by=_text())
    models = _object(object=_text("list"), data=_list(model))
    answers = {200: ("The models.", {JSON: models}), **_refusals()}
    _route(app, "GET /v1/models", routes.models, answers, tags=["embeddings"])


def _add_instrument(app: FastAPI, name: str, instrument: Instrument, route: "InstrumentRoute") -> None:
    measured = _object(
        results=_list(instrument.row_schema()),
        counts={"type": "object", "additionalProperties": {"type": "integer"}},
        signature=_text(),
    )
    lines = {"type": "string", "description": "A JSON object on each line."}
    _route(
        app,
        f"POST /{name}",
        route.measure,
        {200: ("A row for each item.", {JSON: measured, LINES: lines}), **_refusals(400, 413, 422)},
        tags=["instruments"],
        description=f"{instrument.description} Send an object with lists; or lines (application/x-ndjson), "
        "with settings in the address.",
        requestBody=_body({JSON: instrument.fields.model_json_schema(), LINES: lines}),
    )


def _add_judge(app: FastAPI, service: Service) -> None:
    if service.judge is None:

        async def refuse(_: Request) -> Response:
            raise RefusedRequestError(404, "this service has no judge: start it with --chat-model NAME")

        app.api_route("/judge", methods=["POST"], include_in_schema=False)(refuse)
        return
    status = {"type": "string", "enum": list(Status)}
    row = {"type": "object", "properties": {"status": status}, "required": ["status"]}
    judged = _object(
        results=_list(row),
        counts={"type": "object", "additionalProperties": {"type": "integer"}},
        signature=_text(),
        stopped={"type": ["string", "null"]},
    )
    _route(
        app,
        "POST /judge",
        JudgeRoute(service, service.judge).judge,
        {200: ("A row for each item.", {JSON: judged}), **_refusals(400, 413, 422)},
        tags=["instruments"],
        description="Let a chat model score answers to questions by a rubric, from 0 to 1. If a cap on calls "
        "or costs of the service is reached, stopped has the reason, and the rest is unfinished.",
        requestBody=_body({JSON: JudgeFields.model_json_schema()}),
    )


def _add_status(app: FastAPI, service: Service) -> None:
    async def health(_: Request) -> Response:
        return json_answer({"status": "alive", "version": __version__})

    async def ready(_: Request) -> Response:
        phase = service.state.phase
        content = {"status": str(phase), "models": list(service.models.by_name)}
        return (
            json_answer(content) if phase is Phase.READY else json_answer(content, 503, {"Retry-After": "5"})
        )

    async def metrics(_: Request) -> Response:
        return Response(generate_latest(service.metrics.registry), media_type=CONTENT_TYPE_LATEST)

    schema = _object(status=_text("alive"), version=_text())
    answers: dict[int, Any] = {200: ("The process is alive.", {JSON: schema})}
    _route(app, "GET /health", health, answers, tags=["service"], security=[])
    schema = _object(status={"type": "string", "enum": list(Phase)}, models=_list(_text()))
    answers = {200: ("The models are loaded.", {JSON: schema}), 503: (ERRORS[503][1], {JSON: schema})}
    _route(app, "GET /ready", ready, answers, tags=["service"], security=[])
    answers = {200: ("Figures for Prometheus.", {"text/plain": _text()}), **_refusals()}
    _route(app, "GET /metrics", metrics, answers, tags=["service"])


def _add_jobs(app: FastAPI, service: Service) -> None:
    if service.jobs is None or service.job_work is None:

        async def refuse(_: Request) -> Response:
            raise RefusedRequestError(404, "this service takes no jobs: start it with --jobs FOLDER")

        for path in ("/jobs", "/jobs/{rest:path}"):
            app.api_route(path, methods=["GET", "POST", "DELETE"], include_in_schema=False)(refuse)
        return
    routes = JobRoutes(service, service.jobs, service.job_work)
    progress = _object(stage=_text(), done={"type": "integer"}, total={"type": ["integer", "null"]})
    job = _object(
        id=_text(),
        kind={"type": "string", "enum": list(JOB_FIELDS)},
        created={"type": "string", "format": "date-time"},
        status={"type": "string", "enum": list(JobStatus)},
        progress={"anyOf": [progress, {"type": "null"}]},
        error={"type": ["string", "null"]},
    )
    table = {"type": "string", "format": "binary"}
    _route(
        app,
        "POST /jobs",
        routes.submit,
        {202: ("The job.", {JSON: job}), **_refusals(400, 413, 422, 507)},
        tags=["jobs"],
        requestBody=_body({"application/octet-stream": table}),
        parameters=job_parameters(),
    )
    answers = {200: ("All jobs.", {JSON: _object(jobs=_list(job))}), **_refusals()}
    _route(app, "GET /jobs", routes.jobs, answers, tags=["jobs"])
    name = {"type": "string", "description": "ID from the reply to the upload."}
    by_id = [{"name": "id", "in": "path", "required": True, "schema": name}]
    removed = _object(id=_text(), status=_text("removed"))
    for address, endpoint, meaning, content, *conflict in (
        ("GET /jobs/{id}", routes.job, "The job.", {JSON: job}),
        ("POST /jobs/{id}", routes.run_again, "The job, which waits again.", {JSON: job}, 409),
        (
            "GET /jobs/{id}/result",
            routes.result,
            "The measured table.",
            dict.fromkeys(_TABLE_TYPES.values(), table),
            409,
        ),
        ("GET /jobs/{id}/summary", routes.summary, "The summary.", {JSON: {"type": "object"}}, 409),
        ("DELETE /jobs/{id}", routes.cancel, "The job is removed.", {JSON: removed}),
    ):
        answers = {200: (meaning, content), **_refusals(404, *conflict)}
        _route(app, address, endpoint, answers, tags=["jobs"], parameters=by_id)


# Routes


class InstrumentRoute:
    """``/rate``, ``/match`` and ``/consistency``: measures rows as one JSON object, or as lines.

    Args:
        service: its limits and threads.
        instrument: measures.
    """

    def __init__(self, service: Service, instrument: Instrument) -> None:
        self._service = service
        self._instrument = instrument

    async def measure(self, request: Request) -> Response:
        """Measure the rows of a request, read as its content type states.

        Raises:
            RefusedRequestError: a field is invalid, or a limit is exceeded.
        """
        if request.headers.get("content-type", JSON).partition(";")[0].strip().lower() == LINES:
            return await self._measure_lines(request)
        names = self._instrument.columns
        fields = await self._service.read_fields(request, self._instrument.fields, names)
        columns = {name: getattr(fields, name) for name in names}
        measured = await while_connected(request, self._measure(fields, columns))
        rows = measured.frame.write_json().encode()
        counts, signature = to_json(measured.result.counts), to_json(str(measured.result.signature))
        content = b'{"results":%b,"counts":%b,"signature":%b}' % (rows, counts, signature)
        return Response(content, media_type=JSON)

    async def _measure(
        self, settings: RequestFields, columns: Mapping[str, Sequence[Any]], *, is_accepted: bool = False
    ) -> Measured:
        if sum(map(len, columns.values())) > self._service.limits.max_texts:  # of a stream of lines
            tokens = await self._service.readers.run(_tokens_in, columns)
        else:
            tokens = _tokens_in(columns)
        with self._service.backlog.share(tokens, is_accepted=is_accepted):
            return await self._service.threads.run(self._instrument.measure, settings, columns)

    async def _measure_lines(self, request: Request) -> Response:
        """Answer each line with a line; the first part is measured before the response starts."""
        body = await read_body(request, self._service.limits.body_bytes)
        kind = self._instrument.settings
        settings = check_fields(kind, parse_query(request.query_params.multi_items(), kind))
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
        first = await while_connected(request, self._measure(settings, parts[0]))
        return StreamingResponse(
            self._lines(first, settings, parts[1:]),
            media_type=LINES,
            headers={"X-Semscale-Signature": str(first.result.signature)},
        )

    async def _lines(
        self, measured: Measured, settings: RequestFields, parts: Sequence[Mapping[str, Sequence[Any]]]
    ) -> AsyncIterator[bytes]:
        """Yield the lines of all parts; an error after the first part becomes the last line."""
        row = 1
        yield await asyncio.to_thread(_json_lines, measured.frame, row)
        for part in parts:
            row += measured.frame.height
            try:
                measured = await self._measure(settings, part, is_accepted=True)
            except Exception as error:  # noqa: BLE001 - the status has been sent
                yield to_json({"row": row, **refusal_of(error).record()}) + b"\n"
                return
            yield await asyncio.to_thread(_json_lines, measured.frame, row)

    def _read_lines(self, body: bytes) -> dict[str, list[Any]]:
        """Read the columns from lines.

        Raises:
            RefusedRequestError: a line is not a JSON object with exactly these keys.
        """
        keys, limits = self._instrument.columns, self._service.limits
        columns: dict[str, list[Any]] = {name: [] for name in keys}
        lines = body.splitlines()
        for number, line in enumerate(lines, start=1):
            report_progress("reading lines", number, len(lines))
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


class JudgeRoute:
    """``/judge``: lets the chat model of the service score answers.

    Args:
        service: its limits and threads.
        judge: calls the chat model.
    """

    def __init__(self, service: Service, judge: JudgeCalls) -> None:
        self._service, self._judge = service, judge

    async def judge(self, request: Request) -> Response:
        """Judge the answers of a request.

        Raises:
            RefusedRequestError: a field is invalid, or a limit is exceeded.
        """
        limits = self._service.limits
        columns = ["questions", "answers", "references"]
        fields: Any = await self._service.read_fields(request, JudgeFields, columns)
        check_replies(fields, limits)
        verdicts = await while_connected(request, self._judge.verdicts(fields))
        rows = await self._service.threads.run(lambda: verdicts.to_frame().write_json().encode())
        counts, signature = to_json(verdicts.counts), to_json(str(verdicts.signature))
        form = b'{"results":%b,"counts":%b,"signature":%b,"stopped":%b}'
        return Response(form % (rows, counts, signature, to_json(verdicts.stopped)), media_type=JSON)


def _read_line(line: bytes, source: str, keys: set[str]) -> dict[str, Any]:
    cells = parse_json(line, source)
    if not isinstance(cells, dict) or cells.keys() != keys:
        wanted = ", ".join(sorted(keys))
        raise invalid(f"{source} must be an object with {wanted}, got {shorten(cells)}", source)
    return cells


def _json_lines(frame: pl.DataFrame, first_row: int) -> bytes:
    return frame.with_row_index("row", first_row).write_ndjson().encode()


class EmbeddingRoutes:
    """``/v1/embeddings`` and ``/v1/models``, compatible with OpenAI's API.

    Args:
        service: provides the models and limits.
    """

    def __init__(self, service: Service) -> None:
        self._service = service

    async def embeddings(self, request: Request) -> Response:
        """Turn texts into vectors; compatible with OpenAI's API.

        Raises:
            RefusedRequestError: a field is invalid, or a limit is exceeded.
        """
        fields = await self._service.read_fields(request, EmbeddingFields, ["input"])
        for index, text in enumerate(fields.input):
            if not text.strip():
                raise invalid(f"input[{index}] must not be empty: leave it out", "input")
        model = self._service.models.find(fields.model)
        width = model.embedder.dimensions
        if fields.dimensions not in (None, width):
            raise invalid(
                f"dimensions must be {width} with this model, got {fields.dimensions}", "dimensions"
            )
        with self._service.backlog.share(sum(map(estimate_tokens, fields.input))):
            embeddings = await while_connected(request, model.embed(fields.input))
        return await asyncio.to_thread(
            lambda: json_answer(_describe_embeddings(embeddings, model.name, fields.encoding_format))
        )

    async def models(self, _: Request) -> Response:
        """List the models."""
        models = [
            {"id": name, "object": "model", "created": 0, "owned_by": "semscale"}
            for name in self._service.models.by_name
        ]
        return json_answer({"object": "list", "data": models})


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


class JobRoutes:
    """``/jobs``: accepts jobs, and returns their progress and results.

    Args:
        service: its limits and threads.
        queue: runs the jobs.
        work: checks the settings of jobs.
    """

    def __init__(self, service: Service, queue: JobQueue, work: JobWork) -> None:
        self._service, self._queue, self._work = service, queue, work

    async def submit(self, request: Request) -> Response:
        """Accept a job: a table as the request's body, and settings in the query string.

        Raises:
            RefusedRequestError: a setting is invalid, too many jobs wait, or the disk quota is used up.
        """
        kind = request.query_params.get("kind", "")
        if kind not in JOB_FIELDS:
            raise invalid(f"kind must be one of {', '.join(JOB_FIELDS)}, got {shorten(kind)}", "kind")
        settings = parse_query(request.query_params.multi_items(), JOB_FIELDS[kind])
        del settings["kind"]
        fields = check_fields(JOB_FIELDS[kind], settings)
        await self._service.threads.run(self._work.check, kind, fields)
        check_limits(fields, self._service.limits)
        with self._queue.uploading(kind, fields) as job:
            await self._upload(request, job.table)
            await _finish(lambda: self._queue.add(job))
        return json_answer(job.record(), 202, {"Location": f"/jobs/{job.id}"})

    async def jobs(self, _: Request) -> Response:
        """List all jobs, the oldest first."""
        return json_answer({"jobs": self._queue.records()})

    async def job(self, request: Request) -> Response:
        """Return the status and progress of a job."""
        return json_answer(self._queue.find(request.path_params["id"]).record())

    async def result(self, request: Request) -> Response:
        """Return the result of a job: the measured table."""
        path = self._find_finished(request).result
        return _file(path, _TABLE_TYPES[path.suffix], path.name)

    async def summary(self, request: Request) -> Response:
        """Return the summary of a job, in the form that ``--json`` prints."""
        return _file(self._find_finished(request).summary, JSON)

    async def run_again(self, request: Request) -> Response:
        """Run a job again that was cut short by the end of the service; finished parts are not repeated."""
        job = await asyncio.to_thread(self._queue.run_again, request.path_params["id"])
        return json_answer(job.record())

    async def cancel(self, request: Request) -> Response:
        """Cancel a job, or remove a job that has ended, with all its files."""
        name = request.path_params["id"]
        await asyncio.to_thread(self._queue.remove, name)
        return json_answer({"id": name, "status": "removed"})

    def _find_finished(self, request: Request) -> Job:
        job = self._queue.find(request.path_params["id"])
        if job.status is not JobStatus.FINISHED:
            raise RefusedRequestError(409, f"the job is {job.status}: it has no result")
        return job

    async def _upload(self, request: Request, path: Path) -> None:
        """Write an uploaded table to disk within the quota; each 64 KiB must arrive within the time limit."""
        limit: asyncio.Timeout = request.scope["semscale.limit"]
        n_written = due = checked = 0

        async def write(part: bytes, n: int) -> None:
            nonlocal n_written, due, checked
            if n > checked:
                await asyncio.to_thread(self._queue.check_quota, n - n_written)
                checked = max(n, n_written + UPLOAD_STEP)
            await asyncio.to_thread(file.write, part)
            n_written += len(part)
            if n_written >= due:
                due = n_written + _LEAST_UPLOAD
                limit.reschedule(asyncio.get_running_loop().time() + self._service.limits.max_seconds)

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


def routes_document(schema: Mapping[str, Any]) -> Document:
    """Render all routes for ``/docs`` as one HTML page without scripts or content from other hosts.

    Args:
        schema: OpenAPI schema of the service.
    """
    return Document(
        kind="service",
        name="Service",
        title="Routes of the service",
        source=(f"Semscale {schema['info']['version']}", "for programs: /openapi.json"),
        sections=tuple(
            Section(_section_id(verb, path), Quoted(f"{verb.upper()} {path}"), tuple(_blocks(route)))
            for path, verbs in schema["paths"].items()
            for verb, route in verbs.items()
        ),
    )


def _section_id(verb: str, path: str) -> str:
    return "-".join([verb, *path.replace("{", "").replace("}", "").strip("/").lower().split("/")])


def _blocks(route: Mapping[str, Any]) -> Iterator[Block]:
    """Describe a route: its summary, the fields of its body, and its query parameters."""
    yield Paragraph(str(route.get("description", "")).partition("\n")[0])
    body = route.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    properties, required = body.get("properties", {}), body.get("required", [])
    fields = [(name, field, name in required) for name, field in properties.items()]
    fields += [(field["name"], field["schema"], field["required"]) for field in route.get("parameters", [])]
    rows = [
        (
            Quoted(name),
            Label(_type(field)),
            Label("required" if is_required else _default(field)),
            Label(field.get("description", "")),
        )
        for name, field, is_required in sorted(fields, key=lambda entry: not entry[2])
    ]
    if rows:
        yield DataTable(("field", "type", "default", "description"), tuple(rows))


def _type(field: Mapping[str, Any]) -> str:
    kinds = [field, *field.get("anyOf", [])]
    options = [str(option) for kind in kinds for option in kind.get("enum", [])]
    options += [str(kind["const"]) for kind in kinds if "const" in kind]
    types = [str(kind["type"]) for kind in kinds if "type" in kind and not {"enum", "const"} & kind.keys()]
    return " or ".join(dict.fromkeys([*options, *types])) or "any"


def _default(field: Mapping[str, Any]) -> str:
    default = field.get("default")
    return "" if default is None else str(default)
