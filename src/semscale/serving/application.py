"""HTTP application of the service: the objects that all routes share, and the page that documents routes."""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse

from semscale.report.document import Block, DataTable, Document, Label, Paragraph, Quoted, Section
from semscale.report.html import page
from semscale.serving.middleware import (
    JSON,
    Access,
    Admission,
    Answers,
    answer_to_unknown_route,
)
from semscale.serving.routes import (
    absent_router,
    answer_to_mistakes,
    code_router,
    embedding_router,
    instrument_router,
    job_router,
    judge_router,
    status_router,
)
from semscale.serving.service import Service
from semscale.version import __version__


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
    yield code_router(service)
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
