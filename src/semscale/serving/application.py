"""HTTP application of the service: the objects that all routes share, and the page that documents routes."""

import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from fastapi import APIRouter, FastAPI
from fastapi.exceptions import RequestValidationError
from prometheus_client import Gauge
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse

from semscale.embedding.embedder import Embedder
from semscale.report.document import Block, DataTable, Document, Label, Paragraph, Quoted, Section
from semscale.report.html import page
from semscale.serving.background import BackgroundWork
from semscale.serving.batching import WORKERS
from semscale.serving.instruments import PART_ROWS, JobWork, instruments
from semscale.serving.jobs import JobQueue
from semscale.serving.judging import JudgeCalls
from semscale.serving.middleware import (
    BODIES,
    JSON,
    Access,
    Admission,
    Answers,
    Backlog,
    BodyRoom,
    ServiceMetrics,
    ServiceState,
    answer_to_unknown_route,
)
from semscale.serving.models import ServedModels
from semscale.serving.requests import ServiceLimits
from semscale.serving.routes import (
    absent_router,
    answer_to_mistakes,
    embedding_router,
    instrument_router,
    job_router,
    judge_router,
    status_router,
)
from semscale.version import __version__

_LARGE_BODY = 100_000  # bytes, parsed in a millisecond
_READERS = 2  # threads that parse larger bodies: more of them would only delay other requests
_MEASURED_ROWS = 64  # from which the first rate is measured

Result = TypeVar("Result")


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
        bodies: memory of the bodies of the requests under way.
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
        self.bodies = BodyRoom(BODIES * self.limits.body_bytes)
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
        except Exception as error:
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
        work_ended = all([work.close() for work in (self.threads, self.readers)])
        models_ended = self.models.close()
        self.has_ended = jobs_ended and work_ended and models_ended and not self._loading.is_alive()


def application(service: Service, *, token: str | None = None, routers: Iterable[APIRouter] = ()) -> FastAPI:
    """Create the application; its models are loaded when the server starts it.

    Args:
        service: the models, limits and jobs.
        token: access token that requests must send; ``None`` if none is needed.
        routers: further routers, whose requests are checked like those of the service.
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
        exception_handlers={
            HTTPException: answer_to_unknown_route,
            RequestValidationError: answer_to_mistakes,
        },
        middleware=[
            Middleware(Answers, state=service.state, metrics=service.metrics),
            Middleware(Access, token=token),
            Middleware(Admission, state=service.state, limits=service.limits, bodies=service.bodies),
        ],
    )
    app.state.service = service
    for router in (*_service_routers(service), *routers):
        app.include_router(router)

    @app.get("/docs", include_in_schema=False)
    async def docs() -> HTMLResponse:
        return HTMLResponse(page(routes_document(app.openapi())))

    schema = app.openapi()  # FastAPI keeps it
    bearer = {"type": "http", "scheme": "bearer", "description": "The token in SEMSCALE_TOKEN."}
    schema["components"]["securitySchemes"] = {"bearer": bearer}
    schema["security"] = [{"bearer": []}] if token else [{"bearer": []}, {}]
    return app


def _service_routers(service: Service) -> Iterator[APIRouter]:
    yield embedding_router(service)
    for name, instrument in service.instruments.items():
        yield instrument_router(service, name, instrument)
    if service.judge is not None:
        yield judge_router(service, service.judge)
    else:
        yield absent_router("this service has no judge: start it with --chat-model NAME", ["POST"], "/judge")
    yield status_router(service)
    if service.jobs is not None and service.job_work is not None:
        yield job_router(service, service.jobs, service.job_work)
    else:
        reason = "this service takes no jobs: start it with --jobs FOLDER"
        yield absent_router(reason, ["GET", "POST", "DELETE"], "/jobs", "/jobs/{rest:path}")


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
            Section(_section_id(verb, path), Quoted(f"{verb.upper()} {path}"), tuple(_blocks(route, schema)))
            for path, verbs in schema["paths"].items()
            for verb, route in verbs.items()
        ),
    )


def _section_id(verb: str, path: str) -> str:
    return "-".join([verb, *path.replace("{", "").replace("}", "").strip("/").lower().split("/")])


def _blocks(route: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[Block]:
    """Describe a route: its summary, the fields of its body, and its query parameters."""
    yield Paragraph(str(route.get("description", "")).partition("\n")[0])
    body = route.get("requestBody", {}).get("content", {}).get(JSON, {}).get("schema", {})
    if "$ref" in body:
        body = schema["components"]["schemas"][body["$ref"].rpartition("/")[2]]
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
