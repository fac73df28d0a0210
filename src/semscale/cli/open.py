"""The command ``semscale open``: the workbench in the browser."""

import sys
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlencode

from pydantic import Field

from semscale.cli.options import command, options_in, settings_of_project
from semscale.cli.process import say
from semscale.cli.project_file import ProjectSettings, load_project
from semscale.cli.shared import (
    ARGUMENTS,
    EmbedderOptions,
    HistoryOptions,
    JudgeCallOptions,
    RunOptions,
    SurveyOptions,
    TableOptions,
)
from semscale.cli.trust import recipients_of_project, require_trust
from semscale.errors import InputError
from semscale.settings import Option, Settings

if TYPE_CHECKING:
    from semscale.chat.runner import Running
    from semscale.embedding.embedder import Embedder
    from semscale.history.history import History
    from semscale.types import Progress
    from semscale.workbench.project import Project, SharedSettings
    from semscale.workbench.team import TeamAccess

LISTENING = "Listening"

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


class ListeningOptions(Settings):
    """Address on which the workbench listens."""

    browser: Annotated[
        bool, Field(description="Print the address; do not open the browser."), Option(LISTENING)
    ] = True
    port: Annotated[
        int, Field(description="Port to listen on; 0 for any free one."), Option(LISTENING, "PORT")
    ] = 0


class OpenOptions(Settings):
    """All options of ``semscale open``."""

    path: Annotated[
        Path | None,
        Field(description="File with answers, or folder of a project (default: an example)."),
        Option(ARGUMENTS, "FILE|FOLDER", type=Path, positional=True),
    ] = None
    host: Annotated[
        str | None,
        Field(
            description="Serve a team behind a reverse proxy, at this address of the machine (docs/teams.md)."
        ),
        Option(LISTENING, "HOST", rare=True),
    ] = None
    listening: ListeningOptions


@command
def open_workbench(options: OpenOptions, settings: ProjectSettings) -> None:
    """Open a survey in the browser: correct its questions, and rate and code open answers.

    [bold]semscale open answers.csv[/bold]

    The workbench runs on this machine alone. Its pages read and write survey.yaml beside the file, which
    other commands read; results are in the folder results, and codebooks in codebooks. Ctrl-C ends it.
    Without a file, an example is copied to the folder semscale-demo, and the first page lists the usual jobs
    and the projects that were opened before. The settings are those of commands in the file's folder.
    """
    from semscale.extras import require

    require("workbench")
    from semscale.workbench.access import HOST

    team = _team_access(options.host)
    project = _open_project(options.path, settings)
    _serve(
        project,
        options.listening,
        "/" if options.path is None else project.first_page,
        host=options.host or HOST,
        team=team,
        load=None if team else partial(_open_project, settings=settings, asks=False),
    )


def open_drift(history: HistoryOptions, listening: ListeningOptions, settings: ProjectSettings) -> None:
    """Open the working folder at the page of drift.

    Args:
        history: the history, and the dataset that is shown first.
        listening: address of the workbench.
        settings: settings of the working folder's project.

    Raises:
        InputError: the settings do not go together.
    """
    from semscale.extras import require

    require("workbench")
    from semscale.workbench.project import Project

    project = Project.open(Path.cwd())
    project.settings = _shared_settings(settings, project.folder, history)
    dataset = "" if history.dataset is None else f"?{urlencode({'dataset': history.dataset})}"
    load = partial(_open_project, settings=settings, asks=False)
    _serve(project, listening, f"/drift{dataset}", load=load)


def _serve(
    project: "Project",
    listening: ListeningOptions,
    entry: str,
    *,
    load: "Callable[[Path | None], Project] | None",
    host: str = "127.0.0.1",
    team: "TeamAccess | None" = None,
) -> None:
    """Serve a project until Ctrl-C ends it, and open the browser.

    Args:
        project: the project.
        listening: port, and whether the browser is opened.
        entry: the page that is shown first.
        load: opens further projects; ``None`` if pages cannot.
        host: address of the machine.
        team: who may use it; by default one browser of this machine.
    """
    from semscale.serving.server import listen
    from semscale.workbench.access import TokenAccess, new_token
    from semscale.workbench.servers import Opening, OpenProjects

    # Nothing is imported below: Python would die of a Ctrl-C that passes through some imports.
    with suppress(KeyboardInterrupt), listen(host, listening.port) as listener:
        access = team or TokenAccess(new_token(), listener.getsockname()[1], entry)
        say(f"the workbench shows {project.folder}; Ctrl-C ends it")
        say(access.address)
        sys.stderr.flush()  # who started the command may wait for the address
        if listening.browser and team is None:
            webbrowser.open(access.address)
        OpenProjects(load).run(Opening(project, listener, access))


def _team_access(host: str | None) -> "TeamAccess | None":
    """Return the access of the team for which an address is stated; ``None`` for one user.

    Raises:
        InputError: other machines would reach the workbench without a team, or its settings are wrong.
    """
    if host is None:
        return None
    from semscale.workbench.team import TeamAccess, read_team, team_file

    team = read_team()
    if team is not None:
        return TeamAccess(team)
    if host not in _LOOPBACK:
        raise InputError(
            "host",
            f": other machines would reach the workbench at {host}. Put a reverse proxy that signs people in "
            f"before it, and write {team_file()} first (docs/teams.md)",
        )
    return None


def _open_project(path: Path | None, settings: ProjectSettings, *, asks: bool = True) -> "Project":
    """Open a file or a folder with its settings; the example for ``None``.

    Args:
        path: the file or folder.
        settings: settings of the command line, which come before those of the folder.
        asks: whether the terminal asks for trust in new addresses; a page cannot wait for an answer.

    Raises:
        InputError: it does not exist, or its settings are wrong or name an address without trust.
    """
    from semscale.workbench.project import Project

    project = Project.open(_copy_example() if path is None else path)
    in_folder = load_project(folder=project.folder)
    if in_folder.file is not None and not asks:
        require_trust("texts", recipients_of_project(in_folder), in_folder.file, asks=False)
    in_folder = replace(in_folder, overrides=settings.overrides)
    project.settings = _shared_settings(in_folder, project.folder)
    return project


def _shared_settings(
    project: ProjectSettings, folder: Path, history: HistoryOptions | None = None
) -> "SharedSettings":
    """Return the settings of a project's file that pages use.

    Args:
        project: settings of the file.
        folder: the project's folder, in which the history is unless another place is stated.
        history: the history that a command names; ``None`` for the one that the file states.

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
    is_run_stated = any(map(run.origin, type(run).model_fields))
    found = {name.removeprefix("--"): project.find(name) for name in names}
    return SharedSettings(
        stated={name: value[0] for name, value in found.items() if value is not None},
        load_embedder=_embedder_loader(settings_of_project(EmbedderOptions, project)),
        plan=run.plan if is_run_stated else None,
        parts=run.parts if is_run_stated else None,
        reading=settings_of_project(TableOptions, project).settings,
        survey=None if description.survey is None else Path(description.survey),
        open_history=_history_opener(history or settings_of_project(HistoryOptions, project), folder),
        load_calls=_calls_loader(settings_of_project(JudgeCallOptions, project)),
    )


def _history_opener(options: HistoryOptions, folder: Path) -> "Callable[[], History]":
    """Return what opens the history of a project; the terminal is asked for trust in a server at once."""
    try:
        place = options.location(folder)
    except InputError as error:
        message = str(error)

        def refuse() -> "History":
            raise InputError(message)

        return refuse

    def open_it() -> "History":
        from semscale.history.history import open_history

        return open_history(place, create=False)

    return open_it


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


def _calls_loader(options: JudgeCallOptions) -> "Callable[[], Running] | None":
    """Return what reads the settings of calls of a project's file; ``None`` if it states none.

    Trust in the address of a ledger is asked for in the terminal, before a page needs it.
    """
    if options == JudgeCallOptions():
        return None
    try:
        options.running()
    except InputError as error:
        message = str(error)

        def refuse() -> "Running":
            raise InputError(message)

        return refuse
    return options.running


def _copy_example() -> Path:
    """Copy the example to a folder of the working folder, unless it is there, and return its file.

    Raises:
        InputError: a file has the folder's name.
    """
    from semscale.workbench.project import EXAMPLE

    folder = Path(EXAMPLE)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file: move it away, or name the file to open")
    folder.mkdir(exist_ok=True)
    for source in resources.files("semscale.workbench").joinpath("demo").iterdir():
        target = folder / source.name
        if not target.exists():
            target.write_bytes(source.read_bytes())
    return folder / "devices.csv"
