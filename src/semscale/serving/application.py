"""The service as an ASGI application: its routes, and the page that describes them."""

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response, StreamingResponse

from semscale.embedding.embedder import Embeddings
from semscale.errors import SemscaleError
from semscale.messages import shortened
from semscale.report.document import Block, DataTable, Document, Label, Paragraph, Quoted, Section
from semscale.report.html import page
from semscale.serving.batching import stop_if_abandoned
from semscale.serving.gate import JSON, LINES, Gate, answer_to_error, json_answer, refusal_of, to_json
from semscale.serving.instruments import Instrument, JobWork, Measured
from semscale.serving.jobs import DiskShare, JobFolder, JobQueue, JobStatus
from semscale.serving.requests import (
    BAD_JSON,
    CONFLICT,
    JOB_FIELDS,
    NOT_FOUND,
    UNAVAILABLE,
    ClientGoneError,
    EmbeddingFields,
    RefusedRequestError,
    RequestFields,
    check_fields,
    check_filled,
    check_settings,
    check_texts,
    invalid,
    job_parameters,
    parse_fields,
    parse_json,
    parse_query,
    read_body,
    read_parts,
    while_connected,
)
from semscale.serving.service import Phase, Service
from semscale.version import __version__

_ID = {"type": "string", "description": "As the answer to the upload has it."}
_LINES = "Send an object with lists; or lines (application/x-ndjson), with settings in the address."
_DESCRIPTIONS = {
    "rate": f"Rate texts on an ordinal scale. {_LINES}",
    "match": f"Measure the agreement of each prediction with its reference. {_LINES}",
    "consistency": f"Measure the agreement of further answers to a prompt with its answer. {_LINES}",
}
_LINES_AT_ONCE = 512
_ACCEPTED = 202
_LEAST_UPLOAD = 64 * 1024  # bytes within the limit of time, so that a slow upload holds no room for ever


def application(service: Service, *, token: str | None = None) -> Gate:
    """Make the application; its models begin to load when the server starts it.

    Args:
        service: the models, limits and jobs.
        token: required of requests; ``None`` for nothing.
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
        redirect_slashes=False,  # the address would be made of the header Host, which anybody may write
    )
    app.router.route_class = PlainRoute
    status, embeddings = StatusRoutes(service), EmbeddingRoutes(service)
    # Routes are tried in their order.
    body = _describe_body(EmbeddingFields)
    app.post("/v1/embeddings", tags=["embeddings"], openapi_extra=body)(embeddings.embeddings)
    app.get("/v1/models", tags=["embeddings"])(embeddings.models)
    for name, instrument in service.instruments.items():
        app.post(
            f"/{name}",
            name=name,
            description=_DESCRIPTIONS[name],
            tags=["instruments"],
            openapi_extra=_describe_body(instrument.fields, lines=True),
        )(InstrumentRoute(service, instrument).measure)
    app.get("/health", tags=["service"])(status.health)
    app.get("/ready", tags=["service"])(status.ready)
    app.get("/metrics", tags=["service"])(status.metrics)
    _add_jobs(app, service)

    async def docs(_: Request) -> HTMLResponse:
        return HTMLResponse(page(routes_document(app.openapi())))

    app.get("/docs", include_in_schema=False)(docs)
    for kind in (SemscaleError, ClientGoneError, HTTPException, Exception):
        app.add_exception_handler(kind, answer_to_error)
    return Gate(app, state=service.state, limits=service.limits, metrics=service.metrics, token=token)


class PlainRoute(APIRoute):  # type: ignore[misc] # FastAPI is checked alike with and without the extra
    """A route whose function takes the request and returns the answer; FastAPI only describes it."""

    def get_route_handler(self) -> Callable[[Request], Awaitable[Response]]:
        """Return the function as it is: FastAPI would look for arguments to fill in."""
        handler: Callable[[Request], Awaitable[Response]] = self.endpoint
        return handler


def _add_jobs(app: FastAPI, service: Service) -> None:
    if service.jobs is None or service.job_work is None:

        async def refuse(_: Request) -> Response:
            raise RefusedRequestError(NOT_FOUND, "this service takes no jobs: start it with --jobs FOLDER")

        for path in ("/jobs", "/jobs/{rest:path}"):
            app.api_route(path, methods=["GET", "POST", "DELETE"], include_in_schema=False)(refuse)
        return
    jobs = JobRoutes(service, service.jobs, service.job_work)
    upload = {
        "requestBody": {"required": True, "content": {"application/octet-stream": {}}},
        "parameters": job_parameters(),
    }
    app.post("/jobs", tags=["jobs"], status_code=_ACCEPTED, openapi_extra=upload)(jobs.submit)
    app.get("/jobs", tags=["jobs"])(jobs.jobs)
    by_id = {"parameters": [{"name": "id", "in": "path", "required": True, "schema": _ID}]}
    app.get("/jobs/{id}", tags=["jobs"], openapi_extra=by_id)(jobs.job)
    app.get("/jobs/{id}/result", tags=["jobs"], openapi_extra=by_id)(jobs.result)
    app.get("/jobs/{id}/summary", tags=["jobs"], openapi_extra=by_id)(jobs.summary)
    app.delete("/jobs/{id}", tags=["jobs"], openapi_extra=by_id)(jobs.cancel)


def _describe_body(kind: type[RequestFields], *, lines: bool = False) -> dict[str, Any]:
    """Describe the body of a request, which the route reads itself."""
    content: dict[str, Any] = {"application/json": {"schema": kind.model_json_schema()}}
    if lines:
        content["application/x-ndjson"] = {"schema": {"type": "string"}}
    return {"requestBody": {"required": True, "content": content}}


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
        """Measure the rows of a request in the form that its type of content names.

        Raises:
            RefusedRequestError: a wrong field, or a limit that is exceeded.
        """
        body = await read_body(request, self._service.limits.body_bytes)
        if request.headers.get("content-type", JSON).partition(";")[0].strip().lower() == LINES:
            return await self._measure_lines(request, body)
        fields = parse_fields(self._instrument.fields, body)
        columns = {name: getattr(fields, name) for name in self._instrument.columns}
        check_settings(fields, self._service.limits, columns)
        for name, cells in columns.items():
            check_texts(_flat(cells), name, self._service.limits)
        measured = await while_connected(request, self._measure(fields, columns))
        rows = measured.frame.write_json().encode()
        counts, signature = to_json(measured.counts), to_json(measured.signature)
        content = b'{"results":%b,"counts":%b,"signature":%b}' % (rows, counts, signature)
        return Response(content, media_type=JSON)

    async def _measure(self, settings: RequestFields, columns: Mapping[str, Sequence[Any]]) -> Measured:
        return await self._service.threads.run(partial(self._instrument.measure, settings, columns))

    async def _measure_lines(self, request: Request, body: bytes) -> Response:
        """Answer with a line for each line; the first part is measured before the answer begins."""
        kind = self._instrument.settings
        settings = check_fields(kind, parse_query(request.query_params, kind))
        check_settings(settings, self._service.limits)
        columns = await self._service.threads.run(partial(self._read_lines, body))
        n = len(next(iter(columns.values())))
        size = max(n, 1) if self._instrument.depends_on_all else _LINES_AT_ONCE
        parts = [
            {name: cells[start : start + size] for name, cells in columns.items()}
            for start in range(0, n, size)
        ]
        if not parts:
            raise RefusedRequestError(BAD_JSON, "the body has no lines: send a JSON object on each")
        first = await while_connected(request, self._measure(settings, parts[0]))
        return StreamingResponse(
            self._lines(first, settings, parts[1:]),
            media_type=LINES,
            headers={"X-Semscale-Signature": first.signature},
        )

    async def _lines(
        self, measured: Measured, settings: RequestFields, parts: Sequence[Mapping[str, Sequence[Any]]]
    ) -> AsyncIterator[bytes]:
        """Write the lines of all parts; an error after the first part is the last line."""
        row = 1
        yield _numbered_lines(measured.frame, row)
        for part in parts:
            row += measured.frame.height
            try:
                measured = await self._measure(settings, part)
            except Exception as error:  # noqa: BLE001 - the status has been sent
                yield to_json({"row": row, **refusal_of(error).record()}) + b"\n"
                return
            yield _numbered_lines(measured.frame, row)

    def _read_lines(self, body: bytes) -> dict[str, list[Any]]:
        """Read the columns from lines.

        Raises:
            RefusedRequestError: a line that is no JSON object with these keys and no other.
        """
        keys, limits = self._instrument.columns, self._service.limits
        columns: dict[str, list[Any]] = {name: [] for name in keys}
        lines = body.splitlines()
        for number, line in enumerate(lines, start=1):
            stop_if_abandoned("reading lines", number, len(lines))
            row = _read_line(line, f"line {number}", set(keys.values()))
            for name, key in keys.items():
                columns[name].append(row[key])
        for name, cells in columns.items():
            # A stream has any number of lines that its body can hold.
            texts = _flat(cells)
            for start in range(0, len(texts), limits.texts):
                check_texts(texts[start : start + limits.texts], name, limits)
        return columns


def _flat(cells: Sequence[Any]) -> list[Any]:
    """List texts and the texts of lists."""
    return [text for cell in cells for text in (cell if isinstance(cell, list) else [cell])]


def _read_line(line: bytes, source: str, keys: set[str]) -> dict[str, Any]:
    cells = parse_json(line, source)
    if not isinstance(cells, dict) or cells.keys() != keys:
        wanted = ", ".join(sorted(keys))
        raise invalid(f"{source} must be an object with {wanted}, got {shortened(cells)}", source)
    return cells


def _numbered_lines(frame: pl.DataFrame, first_row: int) -> bytes:
    return frame.with_row_index("row", first_row).write_ndjson().encode()


class EmbeddingRoutes:
    """``/v1/embeddings`` and ``/v1/models`` as OpenAI's interface has them.

    Args:
        service: its models and limits.
    """

    def __init__(self, service: Service) -> None:
        self._service = service

    async def embeddings(self, request: Request) -> Response:
        """Turn texts into vectors, as OpenAI's interface does.

        Raises:
            RefusedRequestError: a wrong field, or a limit that is exceeded.
        """
        limits = self._service.limits
        fields = parse_fields(EmbeddingFields, await read_body(request, limits.body_bytes))
        check_texts(fields.input, "input", limits)
        check_filled(fields.input, "input")
        model = self._service.models.named(fields.model)
        width = model.embedder.dimensions
        if fields.dimensions not in (None, width):
            raise invalid(
                f"dimensions must be {width} with this model, got {fields.dimensions}", "dimensions"
            )
        embeddings = await while_connected(request, model.embed(fields.input))
        return json_answer(_describe_embeddings(embeddings, model.name, fields.encoding_format))

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
        # Null where the engine does not count tokens: 0 would be a count.
        "usage": None if tokens is None else {"prompt_tokens": tokens, "total_tokens": tokens},
    }


class JobRoutes:
    """``/jobs``: accepts jobs, and returns their progress and results.

    Args:
        service: its limits and threads.
        queue: runs the jobs.
        work: checks their settings.
    """

    def __init__(self, service: Service, queue: JobQueue, work: JobWork) -> None:
        self._service, self._queue, self._work = service, queue, work

    async def submit(self, request: Request) -> Response:
        """Accept a table as the body of a request, and settings in its address.

        Raises:
            RefusedRequestError: a wrong setting, too many jobs, or no room.
        """
        kind = request.query_params.get("kind", "")
        if kind not in JOB_FIELDS:
            raise invalid(f"kind must be one of {', '.join(JOB_FIELDS)}, got {shortened(kind)}", "kind")
        settings = parse_query(request.query_params, JOB_FIELDS[kind])
        del settings["kind"]
        fields = check_fields(JOB_FIELDS[kind], settings)
        await self._service.threads.run(lambda: self._work.check(fields))
        check_settings(fields, self._service.limits)
        with self._queue.uploading() as (folder, share):
            await self._upload(request, folder.upload_path(fields.format), share)
            await _finish(lambda: self._queue.add(folder, kind, fields))
        headers = {"Location": f"/jobs/{folder.id}"}
        return json_answer(self._queue.record(folder), _ACCEPTED, headers)

    async def jobs(self, _: Request) -> Response:
        """List all jobs, the oldest first."""
        return json_answer({"jobs": await asyncio.to_thread(self._queue.records)})

    async def job(self, request: Request) -> Response:
        """Return the status and the progress of a job."""
        return json_answer(self._queue.record(self._folder(request)))

    async def result(self, request: Request) -> Response:
        """Return the measured table."""
        path = self._finished(request).result
        return _file(path, name=path.name)

    async def summary(self, request: Request) -> Response:
        """Return the summary, as ``--json`` prints it."""
        return _file(self._finished(request).summary, JSON)

    async def cancel(self, request: Request) -> Response:
        """Cancel a job, or remove one that has ended, with all its files."""
        folder = self._folder(request)
        await asyncio.to_thread(self._queue.remove, folder.id)
        return json_answer({"id": folder.id, "status": "removed"})

    def _folder(self, request: Request) -> JobFolder:
        return self._queue.folder(request.path_params["id"])

    def _finished(self, request: Request) -> JobFolder:
        folder = self._folder(request)
        status = self._queue.record(folder)["status"]
        if status != JobStatus.FINISHED:
            raise RefusedRequestError(CONFLICT, f"the job is {status}: it has no result")
        return folder

    async def _upload(self, request: Request, path: Path, share: DiskShare) -> None:
        """Write a table as it comes; a least number of bytes must come within each limit of time."""
        limit: asyncio.Timeout = request.scope["semscale.limit"]
        n_written = due = 0

        async def write(part: bytes, n: int) -> None:
            nonlocal n_written, due
            if not share.covers(n):
                await asyncio.to_thread(share.cover, n)
            await asyncio.to_thread(file.write, part)
            n_written += len(part)
            if n_written >= due:
                due = n_written + _LEAST_UPLOAD
                limit.reschedule(asyncio.get_running_loop().time() + self._service.limits.seconds)

        with path.open("wb") as file:
            await read_parts(request, write)
        if not path.stat().st_size:
            raise invalid("the body must be a table, got nothing", "body")


async def _finish(work: Callable[[], None]) -> None:
    """Do some work in a thread; if the request is cancelled, wait for its end, so that it can be undone."""
    doing = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        await asyncio.shield(doing)
    except asyncio.CancelledError:
        await asyncio.wait([doing])
        raise


def _file(path: Path, kind: str | None = None, name: str | None = None) -> Response:
    """Return a file of a job.

    Args:
        path: of the file.
        kind: its type of content; by default that of its extension.
        name: under which a client stores the file.

    Raises:
        RefusedRequestError: it has been removed meanwhile.
    """
    if not path.is_file():
        raise RefusedRequestError(
            NOT_FOUND, "the files of the job have been removed: send it again", field="id"
        )
    return FileResponse(path, media_type=kind, filename=name)


class StatusRoutes:
    """``/health``, ``/ready`` and ``/metrics``.

    Args:
        service: its state and metrics.
    """

    def __init__(self, service: Service) -> None:
        self._service = service

    async def health(self, _: Request) -> Response:
        """Answer while the process is alive."""
        return json_answer({"status": "alive", "version": __version__})

    async def ready(self, _: Request) -> Response:
        """Answer 200 if the models are loaded and requests are answered, and else 503."""
        phase = self._service.state.phase
        is_ready = phase is Phase.READY
        return json_answer(
            {"status": str(phase), "models": list(self._service.models.by_name)},
            200 if is_ready else UNAVAILABLE,
            {} if is_ready else {"Retry-After": "5"},
        )

    async def metrics(self, _: Request) -> Response:
        """Return all metrics in the form that Prometheus reads."""
        metrics = self._service.metrics
        return Response(metrics.page(), media_type=metrics.content_type)


def routes_document(schema: Mapping[str, Any]) -> Document:
    """Lay out all routes for ``/docs``: one page, without a script or anything from another host.

    Args:
        schema: of the service, in the form of OpenAPI.
    """
    return Document(
        kind="service",
        name="Service",
        title="Routes of the service",
        source=(f"Semscale {schema['info']['version']}", "for programs: /openapi.json"),
        signature=None,
        sections=tuple(
            Section(_section_id(verb, path), Quoted(f"{verb.upper()} {path}"), tuple(_blocks(route)))
            for path, verbs in schema["paths"].items()
            for verb, route in verbs.items()
        ),
    )


def _section_id(verb: str, path: str) -> str:
    return "-".join([verb, *path.replace("{", "").replace("}", "").strip("/").lower().split("/")])


def _blocks(route: Mapping[str, Any]) -> Iterator[Block]:
    """Describe a route, and list the fields of its body and the parameters of its address."""
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
