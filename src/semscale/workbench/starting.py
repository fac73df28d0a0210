"""The start of the workbench: the browser shows a first page while the pages are imported."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from markupsafe import escape
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, Response
from starlette.types import Receive, Scope, Send

from semscale.workbench.project import Project

if TYPE_CHECKING:
    from fastapi import FastAPI

    from semscale.workbench.start_page import OpenProject


class StartingWorkbench:
    """ASGI application that imports the pages of the workbench in a thread.

    The import takes about a second. The first page that a browser opens before its end shows that the
    workbench starts, and loads itself again at once. All other requests wait for the pages. They are created
    on the event loop, because FastAPI changes the warnings of all threads while it adds routes.

    Args:
        project: the project that is open.
        open_project: opens further projects; ``None`` if pages cannot.
    """

    def __init__(self, project: Project, open_project: "OpenProject | None") -> None:
        self._project, self._open_project = project, open_project
        self._is_shown = False
        self._pages: asyncio.Future[FastAPI]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or follow the server's start and end."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        if not (self._is_shown or self._pages.done()) and _opens_page(scope):
            self._is_shown = True
            await _starting_page(self._project.folder.name)(scope, receive, send)
            return
        pages = await asyncio.shield(self._pages)  # a browser that goes away must not cancel it
        await pages(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        """Let the server start at once, create the pages, and end them with the server."""
        self._pages = asyncio.get_running_loop().create_future()
        await receive()
        await send({"type": "lifespan.startup.complete"})
        try:
            create = await asyncio.to_thread(_import_pages)
            pages = create(self._project, open_project=self._open_project)
        except Exception as error:
            self._pages.set_exception(error)  # which each request reports
            raise
        async with pages.router.lifespan_context(pages):
            self._pages.set_result(pages)
            await receive()
        await send({"type": "lifespan.shutdown.complete"})


def _import_pages() -> "Callable[..., FastAPI]":
    from semscale.workbench.application import workbench

    return workbench


def _opens_page(scope: Scope) -> bool:
    """Return whether a browser opens a page; its scripts and files need the answer itself."""
    is_read: bool = scope["method"] == "GET"
    return is_read and Headers(scope=scope).get("sec-fetch-mode") == "navigate"


def _starting_page(title: str) -> Response:
    """Return a page without a style sheet, which is shown until the page that it loads anew is there."""
    shown = escape(title)
    return HTMLResponse(
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="color-scheme" content="light dark"><title>{shown} · Semscale workbench</title>'
        '<link rel="icon" href="data:,"><meta http-equiv="refresh" content="0"></head>'
        f'<body style="font: 1rem system-ui, sans-serif; margin: 2rem"><main><h1><bdi>{shown}</bdi></h1>'
        '<p role="status">The workbench starts …</p><p><a href="">Look again</a></p></main></body></html>'
    )
