"""The command ``semscale open``: the workbench in the browser."""

import sys
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from semscale.cli.options import command, options_in, settings_of_project
from semscale.cli.process import say
from semscale.cli.project_file import ProjectSettings, load_project
from semscale.cli.shared import ARGUMENTS, EmbedderOptions, RunOptions, SurveyOptions, TableOptions
from semscale.errors import InputError
from semscale.settings import Option, Settings

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder
    from semscale.types import Progress
    from semscale.workbench.project import SharedSettings

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
def open_workbench(options: OpenOptions, settings: ProjectSettings) -> None:
    """Open a survey in the browser: correct its questions, and rate and code open answers.

    [bold]semscale open answers.csv[/bold]

    The workbench runs on this machine alone. Its pages read and write survey.yaml beside the file, which
    other commands read; results are in the folder results, and codebooks in codebooks. Ctrl-C ends it.
    Without a file, an example is copied to the folder semscale-demo. The settings are those of commands in
    the file's folder.
    """
    from semscale.extras import require

    require("workbench")
    from semscale.serving.server import listen
    from semscale.workbench.access import new_token
    from semscale.workbench.project import Project

    project = Project.open(_copy_demo() if options.path is None else options.path)
    in_folder = load_project(folder=project.folder)
    project.settings = _shared_settings(replace(in_folder, overrides=settings.overrides))
    token = new_token()
    with suppress(KeyboardInterrupt), listen(_HOST, options.port) as listener:
        port = listener.getsockname()[1]
        address = f"http://{_HOST}:{port}/?token={token}"
        say(f"the workbench shows {project.folder}; Ctrl-C ends it")
        say(address)
        sys.stderr.flush()  # who started the command may wait for the address
        if options.browser:
            webbrowser.open(address)
        # The browser starts while this is imported, and its request waits in the socket.
        from semscale.workbench.application import run_workbench, workbench

        run_workbench(workbench(project, token=token, port=port), listener)


def _shared_settings(project: ProjectSettings) -> "SharedSettings":
    """Return the settings of a project's file that pages use.

    Raises:
        InputError: they do not go together, or leave the description of the survey aside.
    """
    from semscale.workbench.project import SharedSettings

    run, description = settings_of_project(RunOptions, project), settings_of_project(SurveyOptions, project)
    if description.survey == "none":
        raise InputError(
            f"{description.origin('survey')}: survey is none, and the workbench reads and writes the "
            "description of the survey: leave the setting out"
        )
    groups = (EmbedderOptions, RunOptions, TableOptions, SurveyOptions)
    names = [option.plain_name for kind in groups for option in options_in(kind)]
    found = {name.removeprefix("--"): project.find(name) for name in names}
    return SharedSettings(
        stated={name: value[0] for name, value in found.items() if value is not None},
        load_embedder=_embedder_loader(settings_of_project(EmbedderOptions, project)),
        plan=run.plan,
        parts=run.parts,
        reading=settings_of_project(TableOptions, project).settings,
        survey=None if description.survey is None else Path(description.survey),
    )


def _embedder_loader(options: EmbedderOptions) -> "Callable[[str, Progress], Embedder] | None":
    """Return what loads the model of a project's file; ``None`` if the file states nothing of it."""
    if not any(map(options.origin, type(options).model_fields)):
        return None
    try:
        options.loading(None)  # asks in the terminal for trust in an address, before a page needs it
    except InputError as error:
        message = str(error)

        def refuse(_default: str, _progress: "Progress") -> "Embedder":
            raise InputError(message)

        return refuse
    return lambda default, progress: options.load(progress, default=default)


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
