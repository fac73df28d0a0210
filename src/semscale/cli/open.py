"""The command ``semscale open``: the workbench in the browser."""

import sys
import webbrowser
from importlib import resources
from pathlib import Path
from typing import Annotated

from pydantic import Field

from semscale.cli.options import command
from semscale.cli.process import say
from semscale.cli.shared import ARGUMENTS
from semscale.errors import InputError
from semscale.settings import Option, Settings

LISTENING = "Listening"

_DEMO = Path("semscale-demo")
_HOST = "127.0.0.1"


class OpenOptions(Settings):
    """All options of ``semscale open``."""

    path: Annotated[
        Path | None,
        Field(description="File with answers, or folder of a project (default: an example)."),
        Option(ARGUMENTS, "FILE|FOLDER", type=Path, positional=True),
    ] = None
    browser: Annotated[
        bool, Field(description="Print the address; do not open the browser."), Option(LISTENING)
    ] = True
    port: Annotated[
        int, Field(description="Port to listen on; 0 for any free one."), Option(LISTENING, "PORT")
    ] = 0


@command
def open_workbench(options: OpenOptions) -> None:
    """Open a survey in the browser: correct its questions, and rate and code open answers.

    [bold]semscale open answers.csv[/bold]

    The workbench runs on this machine alone. Its pages read and write survey.yaml beside the file, which
    other commands read; results are in the folder results, and codebooks in codebooks. Ctrl-C ends it.
    Without a file, an example is copied to the folder semscale-demo.
    """
    from semscale.extras import require

    require("workbench")
    from semscale.serving.server import listen
    from semscale.workbench.access import new_token
    from semscale.workbench.application import run_workbench, workbench
    from semscale.workbench.project import Project

    project = Project.open(_copy_demo() if options.path is None else options.path)
    token = new_token()
    with listen(_HOST, options.port) as listener:
        port = listener.getsockname()[1]
        address = f"http://{_HOST}:{port}/?token={token}"

        def report_start() -> None:
            say(f"the workbench shows {project.folder}; Ctrl-C ends it")
            say(address)
            sys.stderr.flush()  # who started the command may wait for the address
            if options.browser:
                webbrowser.open(address)

        run_workbench(workbench(project, token=token, port=port), listener, report_start)


def _copy_demo() -> Path:
    """Copy the example to a folder of the working folder, unless it is there, and return the folder.

    Raises:
        InputError: a file has the folder's name.
    """
    if _DEMO.exists() and not _DEMO.is_dir():
        raise InputError(f"{_DEMO} is a file: move it away, or name the file to open")
    _DEMO.mkdir(exist_ok=True)
    for source in resources.files("semscale.workbench").joinpath("demo").iterdir():
        target = _DEMO / source.name
        if not target.exists():
            target.write_bytes(source.read_bytes())
    return _DEMO / "devices.csv"
