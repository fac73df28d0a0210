"""The projects that are open in one process: each has a server, a port and a token of its own."""

import asyncio
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import uvicorn

from semscale.errors import InputError
from semscale.serving.server import handle_signals, listen, server_config
from semscale.workbench.access import HOST, Access, AccessRule, TokenAccess, new_token
from semscale.workbench.project import Project
from semscale.workbench.recent import RecentProjects
from semscale.workbench.starting import StartingWorkbench

_SECONDS_TO_END = 3


@dataclass(frozen=True)
class Opening:
    """A project that is about to be served.

    Attributes:
        project: the project.
        listener: listening socket.
        access: who may open it.
    """

    project: Project
    listener: socket.socket
    access: AccessRule


class OpenProjects:
    """Serves projects until a signal ends the process.

    A project that is opened from a page gets a server of its own. So the pages of the others, their runs and
    what was typed in them stay, and no form is sent to another project than the one that its page shows.

    Args:
        load: opens a file or a folder with its settings, the example for ``None``; ``None`` if pages open no
            further project.
    """

    def __init__(self, load: Callable[[Path | None], Project] | None) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._addresses: dict[Path, str] = {}
        self._servers: list[_Server] = []
        self._further: list[Future[None]] = []
        self._loop: asyncio.AbstractEventLoop

    def run(self, first: Opening) -> None:
        """Serve a project, and those that its pages open, until a signal ends all."""
        server = self._add(first)
        # A loop is created once Ctrl-C cannot end that halfway.
        with handle_signals(self._end), asyncio.Runner() as runner:
            self._loop = runner.get_loop()
            runner.run(self._serve(server, first.listener))

    def open(self, path: Path | None, entry: str = "/data") -> str:
        """Open a project beside the others, and return its address; an open project stays as it is.

        Args:
            path: file or folder; ``None`` for the example.
            entry: page that the address opens.

        Raises:
            InputError: it does not exist, or its settings are wrong or name an address without trust.
        """
        if self._load is None:
            raise InputError("this workbench shows one project")
        project = self._load(path)
        with self._lock:
            if project.folder not in self._addresses:
                listener = listen(HOST, 0)
                access = TokenAccess(new_token(), listener.getsockname()[1], entry)
                server = self._add(Opening(project, listener, access))
                serving = server.serve(sockets=[listener])
                self._further.append(asyncio.run_coroutine_threadsafe(serving, self._loop))
            return self._addresses[project.folder]

    def _add(self, opening: Opening) -> "_Server":
        """Create the server of a project."""
        pages = StartingWorkbench(opening.project, None if self._load is None else self.open)
        app = Access(pages, rule=opening.access)
        server = _Server(server_config(app, timeout_graceful_shutdown=_SECONDS_TO_END))
        self._servers.append(server)
        self._addresses[opening.project.folder] = opening.access.address
        RecentProjects().add(opening.project.folder)
        return server

    async def _serve(self, server: "_Server", listener: socket.socket) -> None:
        await server.serve(sockets=[listener])
        for further in self._further:
            await asyncio.wrap_future(further)

    def _end(self, number: int, frame: FrameType | None) -> None:
        for server in self._servers:
            server.handle_exit(number, frame)


class _Server(uvicorn.Server):  # type: ignore[misc] # uvicorn is checked alike with and without the extra
    """Server that ends with all others of its process."""

    def capture_signals(self) -> AbstractContextManager[None]:
        """Leave signals to ``OpenProjects``."""
        return nullcontext()
