"""The pages and files of the workbench, as one application."""

import asyncio
import importlib
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import cache
from urllib.parse import urlsplit, urlunsplit

from fastapi import APIRouter, FastAPI
from fastapi.exception_handlers import http_exception_handler
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from semscale.errors import SemscaleError
from semscale.messages import shorten
from semscale.serving.background import BackgroundWork, Task
from semscale.workbench.access import READING, STATIC
from semscale.workbench.data_page import data_router, refusal
from semscale.workbench.models import Models
from semscale.workbench.pages import PAGES, add_routes, page, redirect, static_file
from semscale.workbench.project import NoFileError, Project
from semscale.workbench.start_page import OpenProject, start_router
from semscale.workbench.survey_view import SurveyReader
from semscale.workbench.users import current_user

_EARLY = re.compile(r"/((data|start|static)(/.*)?)?")  # what is imported at the start

_THREADS = 4
_SECONDS = 1.0  # for which the first page waits for the answers of a small file


def workbench(project: Project, *, open_project: OpenProject | None = None) -> FastAPI:
    """Create the application, which ``Access`` protects.

    Args:
        project: the project that is open.
        open_project: opens further projects; ``None`` if pages cannot.
    """
    work = BackgroundWork(_THREADS)
    reader = SurveyReader(work, project.settings.reading)
    models = Models(project.settings)

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        await asyncio.to_thread(reader.start, project, _SECONDS)
        yield
        work.close()

    def add_further_pages() -> None:
        for router in _further_routers(project, reader, work, models):
            add_routes(app.router, router)

    def refuse(request: Request, error: Exception) -> Response:
        user, current = current_user(), request.url.path.split("/")[1]
        shows_data = request.method != "POST" and (user is None or not user.is_rater)
        if shows_data and isinstance(error, NoFileError):
            return redirect("/data")
        before = _address_before(request, current)
        return refusal(project, reader, error, "data" if shows_data else current, back=before)

    async def refuse_fields(request: Request, error: Exception) -> Response:
        fields = error.errors() if isinstance(error, RequestValidationError) else []
        named = ", ".join(shorten(str(field["loc"][-1])) for field in fields)
        refused = f"the request has missing or wrong fields: {named}"
        return page("refusal", project, status=422, refused=refused, current=request.url.path.split("/")[1])

    app = FastAPI(
        title="Semscale workbench",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=life,
        redirect_slashes=False,
        exception_handlers={
            SemscaleError: refuse,
            OSError: refuse,
            RequestValidationError: refuse_fields,
            405: _lead_back,
        },
        middleware=[
            Middleware(
                FurtherPages,
                read=cache(lambda: work.submit(_import_further_pages)),
                add=cache(add_further_pages),
            ),
        ],
    )
    add_routes(app.router, start_router(project, open_project))
    add_routes(app.router, data_router(project, reader))

    @app.get(f"{STATIC}{{name}}")
    async def static(name: str) -> Response:
        return static_file(name) or Response(status_code=404)

    return app


def _further_routers(
    project: Project, reader: SurveyReader, work: BackgroundWork, models: Models
) -> Iterator[APIRouter]:
    """Yield the routes of the pages that are added when one of them is first asked for."""
    from semscale.workbench.answers_page import answers_router
    from semscale.workbench.code_page import CodePage, code_router
    from semscale.workbench.code_results_page import code_results_router
    from semscale.workbench.code_tasks import CodeTasks
    from semscale.workbench.drift_page import drift_router
    from semscale.workbench.label_page import label_router
    from semscale.workbench.label_tasks import LabelTasks
    from semscale.workbench.rate_page import RatePage, rate_router
    from semscale.workbench.scale_page import scale_router
    from semscale.workbench.study_page import study_router
    from semscale.workbench.tables_page import tables_router

    tasks, code_tasks = LabelTasks(project), CodeTasks()
    rate = RatePage(project, reader, work, models, tasks)
    code = CodePage(project, reader, work, models, code_tasks, tasks)
    yield rate_router(rate)
    yield scale_router(project, reader, work, models)
    yield label_router(project, reader, tasks)
    yield code_router(code)
    yield code_results_router(project, reader, code_tasks)
    yield tables_router(project, reader, work, {"ratings": rate.run, "codes": code.run})
    yield answers_router(project, work, tasks)
    yield drift_router(project)
    yield study_router(project, reader, work)


def _address_before(request: Request, current: str) -> str:
    """Return the address of the page with the form that was sent, or that of the page without choices."""
    before = urlsplit(request.headers.get("referer", ""))
    is_own = before.netloc == request.url.netloc and before.path.split("/")[1:2] == [current]
    return urlunsplit(("", "", before.path, before.query, "")) if is_own else f"/{current}"


async def _lead_back(request: Request, error: HTTPException) -> Response:
    """Show the page of an address that only takes forms; a refused form leaves it in the address bar."""
    if request.method not in READING:
        return await http_exception_handler(request, error)
    return redirect(f"/{request.url.path.split('/')[1]}")


def _import_further_pages() -> None:
    for name in PAGES.keys() - {"data"}:
        importlib.import_module(f"semscale.workbench.{name}_page")


class FurtherPages:
    """ASGI middleware that adds most pages when one of them is first asked for.

    They import the instruments, which takes more than a second. The first page does not wait for that: a
    thread imports them once it was shown. Routes are added between requests, because FastAPI changes the
    warnings of all threads while it adds some and while it looks for one.

    Args:
        app: the next application.
        read: begins to import the pages at its first call; returns the work.
        add: adds the imported pages at its first call.
    """

    def __init__(self, app: ASGIApp, *, read: Callable[[], Task[None]], add: Callable[[], None]) -> None:
        self._app, self._read, self._add = app, read, add

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; if its page is a further one, add these first."""
        if scope["type"] == "http" and not _EARLY.fullmatch(scope["path"]):
            await asyncio.wrap_future(self._read().future)
            self._add()
        await self._app(scope, receive, send)
        if scope["type"] == "http" and not scope["path"].startswith(STATIC):
            self._read()
