"""The service as an ASGI application."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from semscale.errors import SemscaleError
from semscale.serving.error_answers import answer_to
from semscale.serving.gate import Gate
from semscale.serving.jobs.job_order import job_parameters
from semscale.serving.refusals import NOT_FOUND, ClientGoneError, RefusedRequestError
from semscale.serving.requests.fields import EmbeddingFields, RequestFields
from semscale.serving.routes.docs import docs_page
from semscale.serving.routes.embeddings import EmbeddingRoutes
from semscale.serving.routes.instruments import InstrumentRoute
from semscale.serving.routes.jobs import JobRoutes
from semscale.serving.routes.status import StatusRoutes
from semscale.serving.service import Service
from semscale.version import __version__

_ID = {"type": "string", "description": "As the answer to the upload has it."}
_LINES = "Send an object with lists; or lines (application/x-ndjson), with settings in the address."
_ABOUT = {
    "rate": f"Rate texts on an ordinal scale. {_LINES}",
    "match": f"Say how far each prediction says what its reference says. {_LINES}",
    "consistency": f"Say how far further answers to a prompt agree with its answer. {_LINES}",
}


def application(service: Service, *, token: str | None = None) -> Gate:
    """Make the application; its models begin to load when the server starts it.

    Args:
        service: what it serves.
        token: what requests must show; ``None`` for nothing.
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
    app.post("/v1/embeddings", tags=["embeddings"], openapi_extra=_taking(EmbeddingFields))(
        embeddings.embeddings
    )
    app.get("/v1/models", tags=["embeddings"])(embeddings.models)
    for name, instrument in service.instruments.items():
        route = InstrumentRoute(service, instrument)
        app.post(
            f"/{name}",
            name=name,
            description=_ABOUT[name],
            tags=["instruments"],
            openapi_extra=_taking(instrument.fields, lines=True),
        )(route.measure)
    app.get("/health", tags=["service"])(status.health)
    app.get("/ready", tags=["service"])(status.ready)
    app.get("/metrics", tags=["service"])(status.metrics)
    if service.jobs is not None and service.job_work is not None:
        _add_jobs(app, JobRoutes(service, service.jobs, service.job_work))
    else:
        for path in ("/jobs", "/jobs/{rest:path}"):
            app.api_route(path, methods=["GET", "POST", "DELETE"], include_in_schema=False)(_without_jobs)
    app.get("/docs", include_in_schema=False)(docs_page(app))
    for kind in (SemscaleError, ClientGoneError, HTTPException, Exception):
        app.add_exception_handler(kind, answer_to)
    return Gate(app, state=service.state, limits=service.limits, metrics=service.metrics, token=token)


class PlainRoute(APIRoute):  # type: ignore[misc] # FastAPI is checked alike with and without the extra
    """A route whose function takes the request and gives the answer; FastAPI only describes it."""

    def get_route_handler(self) -> Callable[[Request], Awaitable[Response]]:
        """Give the function as it is: FastAPI would look for arguments to fill in."""
        handler: Callable[[Request], Awaitable[Response]] = self.endpoint
        return handler


async def _without_jobs(_: Request) -> Response:
    raise RefusedRequestError(NOT_FOUND, "this service takes no jobs: start it with --jobs FOLDER")


def _add_jobs(app: FastAPI, jobs: JobRoutes) -> None:
    table = {"required": True, "content": {"application/octet-stream": {}}}
    one = {"parameters": [{"name": "id", "in": "path", "required": True, "schema": _ID}]}
    app.post(
        "/jobs",
        tags=["jobs"],
        status_code=202,
        openapi_extra={"requestBody": table, "parameters": job_parameters()},
    )(jobs.submit)
    app.get("/jobs", tags=["jobs"])(jobs.jobs)
    app.get("/jobs/{id}", tags=["jobs"], openapi_extra=one)(jobs.job)
    app.get("/jobs/{id}/result", tags=["jobs"], openapi_extra=one)(jobs.result)
    app.get("/jobs/{id}/summary", tags=["jobs"], openapi_extra=one)(jobs.summary)
    app.delete("/jobs/{id}", tags=["jobs"], openapi_extra=one)(jobs.cancel)


def _taking(kind: type[RequestFields], *, lines: bool = False) -> dict[str, Any]:
    """Describe the body of a request, which the route reads itself."""
    content: dict[str, Any] = {"application/json": {"schema": kind.model_json_schema()}}
    if lines:
        content["application/x-ndjson"] = {"schema": {"type": "string"}}
    return {"requestBody": {"required": True, "content": content}}
