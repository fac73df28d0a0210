"""Rendering of pages: the report's templates and style sheet, and those of the workbench."""

import hashlib
import shlex
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from fastapi import APIRouter
from markupsafe import Markup
from starlette.responses import HTMLResponse, RedirectResponse, Response

from semscale.report.formatting import brief_percent, count_of, percents_unbroken
from semscale.report.html import template_environment
from semscale.spelling import in_python, spelled, without_hints
from semscale.version import __version__
from semscale.weights.known import DEFAULT_RATING_MODEL, find_known
from semscale.workbench.project import ConflictError, version_of_file, version_of_rows
from semscale.workbench.users import RoleError, current_user

if TYPE_CHECKING:
    from jinja2 import Environment

    from semscale.rating.expected import ExpectedCorrelation
    from semscale.workbench.project import Project, StoredSurvey
    from semscale.workbench.survey_view import SurveyReader

PAGES = {
    "data": "Data",
    "rate": "Rate",
    "label": "Label",
    "code": "Code",
    "tables": "Tables",
    "answers": "Answers",
    "drift": "Drift",
    "study": "Study",
}
"""Titles of the pages that every page links to, in their order."""

_TYPES = {"js": "text/javascript", "css": "text/css"}
_HTMX = "htmx.min.js"
_SHEET = "workbench.css"
_STATIC = (_HTMX, _SHEET, "workbench.js", "scale.js", "label.js")
_YEAR = 365 * 24 * 3600
_REFUSED, _CONFLICT, _FORBIDDEN = 422, 409, 403


@cache
def _environment() -> "Environment":
    from jinja2 import ChoiceLoader, PackageLoader

    base = template_environment()
    loader = ChoiceLoader([PackageLoader("semscale.workbench"), *([base.loader] if base.loader else [])])
    environment = base.overlay(loader=loader)
    environment.filters |= {
        "element_id": element_id,
        "note": _note,
        "count_of": count_of,
        "brief_percent": brief_percent,
        "whole_percents": lambda html: Markup(percents_unbroken(html)),  # on one line, as a phone is narrow
        "shell": shlex.quote,
        "with_range": _with_range,
        "version_of_rows": version_of_rows,
        "version_of_file": version_of_file,
    }
    environment.globals |= {"missing_model": missing_model, "pages": PAGES, "current_user": current_user}
    return environment


def _with_range(expected: "ExpectedCorrelation") -> str:
    """Format an expected correlation with its interval, as reports do."""
    from semscale.report.lint import correlation_with_range

    return correlation_with_range(expected)


def missing_model(project: "Project", name: str = DEFAULT_RATING_MODEL) -> str:
    """Return the sentence about a model that a run must download first; empty if it is there.

    Args:
        project: the project that is open; a model that its file states is not looked for.
        name: the model of the run.
    """
    return "" if project.settings.load_embedder is not None else missing_weights(name)


def missing_weights(name: str) -> str:
    """Return the sentence about the weights of a model that a run must download; empty if they are there.

    Args:
        name: the model; nothing is known about one that is not among Semscale's.
    """
    from semscale.weights.folders import is_offline
    from semscale.weights.resolving import needs_download

    known = find_known(name)
    if known is None or not needs_download(known):
        return ""
    if is_offline():
        return (
            f"The model {name} is not on this machine, and SEMSCALE_OFFLINE forbids to download it: unset "
            "that variable, or name a folder with the model's files in SEMSCALE_MODELS."
        )
    size = f"{known.size / 1e6:.0f} MB"
    return f"The model {name} is not on this machine yet: the run downloads it first ({size})."


def element_id(name: str) -> str:
    """Return the ID of the element that shows an entry of this name.

    Examples:
        >>> element_id("What's <new>?")
        'q-7cd0dd21'
    """
    return f"q-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def _note(text: str) -> str:
    """Return a sentence of a table without hints for those who type commands."""
    return spelled(without_hints(text), in_python)


def page(
    template: str,
    project: "Project",
    *,
    status: int = 200,
    refused: str = "",
    current: str = "data",
    **content: Any,
) -> Response:
    """Render a page.

    Args:
        template: name of the template, without its extension.
        project: the project that is open.
        status: status of the response.
        refused: reason why a change was not saved.
        current: page whose link is marked.
        content: values of the template.
    """
    text = (
        _environment()
        .get_template(f"{template}.html.j2")
        .render(
            project=project,
            refused=refused,
            current=current,
            version=__version__,
            stamp=_stamp(),
            **content,
        )
    )
    return HTMLResponse(text, status)


def reading_page(
    project: "Project",
    reader: "SurveyReader",
    file: Path,
    stored: "StoredSurvey",
    *,
    current: str,
    **content: Any,
) -> Response:
    """Render the page that waits for a file, with the progress and the file's first rows.

    It takes the place of the whole page, also where a part of it was asked for.

    Args:
        project: the project that is open.
        reader: reads the file.
        file: the file.
        stored: its description.
        current: page that is shown once the file was read.
        content: further values of the template.
    """
    task, opened = reader.unfinished(file, stored), reader.opened(file, stored)
    waits = page("reading", project, current=current, file=file.name, task=task, opened=opened, **content)
    return in_place_of(waits, "page")


def status_of(error: Exception) -> int:
    """Return the status of a page that refuses a change."""
    if isinstance(error, RoleError):
        return _FORBIDDEN
    return _CONFLICT if isinstance(error, ConflictError) else _REFUSED


def reason_of(error: BaseException) -> str:
    """Return the sentence of an error; the system's own errors get one."""
    if not isinstance(error, OSError):
        return str(error)
    name = error.filename if isinstance(error.filename, str) else "a file"
    return f"{name} cannot be read or written: {error.strerror or error}"


def redirect(path: str, anchor: str = "", **query: str) -> Response:
    """Let the browser load a page anew, so that loading it again repeats no change."""
    address = path + (f"?{urlencode(query)}" if query else "") + (f"#{anchor}" if anchor else "")
    return RedirectResponse(address, 303)


def router_of(
    shown: Mapping[str, Callable[..., Any]], changing: Mapping[str, Callable[..., Any]]
) -> APIRouter:
    """Return the routes of a page.

    Args:
        shown: functions that show something, by path; they are called by GET and change nothing.
        changing: functions that change something, by path; they are called by POST.
    """
    router = APIRouter()
    for method, routes in (("GET", shown), ("POST", changing)):
        for path, route in routes.items():
            router.add_api_route(path, route, methods=[method], response_class=Response)
    return router


def add_routes(router: APIRouter, further: APIRouter) -> None:
    """Add the routes of a page to a router, which FastAPI's ``include_router`` would build a second time."""
    router.routes.extend(further.routes)


def in_place_of(answer: Response, part: str) -> Response:
    """Let htmx replace a part of the page by the same part of a response, whatever it had asked for.

    What a person is doing elsewhere on the page is left alone. The page that waits for a file takes the place
    of the whole page nevertheless.

    Args:
        answer: the page.
        part: ID of the part.
    """
    swap = {"HX-Retarget": f"#{part}", "HX-Reselect": f"#{part}", "HX-Reswap": "outerHTML"}
    for name, value in swap.items():
        answer.headers.setdefault(name, value)
    return answer


@cache
def static_file(name: str) -> Response | None:
    """Return the response with a script or the style sheet; ``None`` for another name."""
    if name not in _STATIC:
        return None
    content = resources.files("semscale.workbench").joinpath("static", name).read_bytes()
    if name == _SHEET:
        report = resources.files("semscale.report").joinpath("templates", "style.css").read_bytes()
        content = report + content
    headers = {"Cache-Control": f"public, max-age={_YEAR}, immutable"}
    return Response(content, media_type=_TYPES[name.rpartition(".")[2]], headers=headers)


@cache
def _stamp() -> str:
    """Return a hash of all static files, which changes their address when they change."""
    contents = (static_file(name) for name in _STATIC)
    return hashlib.sha256(b"".join(bytes(answer.body) for answer in contents if answer)).hexdigest()[:12]
