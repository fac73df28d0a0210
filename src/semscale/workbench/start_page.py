"""The page on which work begins: the usual jobs, projects that were opened before, and new ones."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated
from urllib.parse import urlencode

import polars as pl
from fastapi import APIRouter, Form, UploadFile
from pydantic import BaseModel
from starlette.responses import Response

from semscale.errors import InputError
from semscale.history import HISTORY_FILE
from semscale.report.formatting import count_of
from semscale.workbench.access import forwarding_page
from semscale.workbench.pages import page, redirect, router_of
from semscale.workbench.project import EXAMPLE, RESULTS, Project, plain_file_name
from semscale.workbench.recent import RecentProjects
from semscale.workbench.users import current_user

OpenProject = Callable[[Path | None, str], str]
"""Opens a file or folder, or the example for ``None``, at a page of it; returns the project's address."""

_PROJECTS = "Semscale"  # folder of the user's home in which new projects are created


@dataclass(frozen=True)
class Job:
    """A usual job.

    Attributes:
        title: the job.
        result: sentence on what comes of it.
        needs: what is needed.
        page: name of the page on which it is done.
        is_in_example: whether the example has what is needed.
    """

    title: str
    result: str
    needs: str
    page: str
    is_in_example: bool = False


JOBS = (
    Job(
        "Rate answers on a scale",
        "Each open answer gets a place on a scale, such as very bad to very good, and groups are compared.",
        "a question with open answers",
        "rate",
        is_in_example=True,
    ),
    Job(
        "Code open answers",
        "Topics are suggested, you correct them, and every answer gets its codes.",
        "a question with open answers",
        "code",
        is_in_example=True,
    ),
    Job(
        "Make tables of a survey",
        "Questions are counted by group, with tests of the differences, for Excel and slides.",
        "closed questions, and groups to compare",
        "tables",
        is_in_example=True,
    ),
    Job(
        "Look at answers and their scores",
        "See the worst answers of a chatbot or agent, and label some to know how far to trust the scores.",
        "answers that a language model has scored",
        "answers",
    ),
    Job(
        "Check a new model against a baseline",
        "See whether a new model or prompt made answers worse, and approve or reject it.",
        "recorded runs of the old and the new version",
        "drift",
    ),
    Job(
        "Ask a synthetic panel",
        "A language model answers a questionnaire as invented people. Compare it with real answers.",
        "a questionnaire, which you write on its page",
        "study",
    ),
)


class OpenForm(BaseModel):
    """Fields of the forms that open a project; one of them is stated.

    Attributes:
        recent: ID of a project that was opened before.
        path: file or folder, as the user typed it.
        example: whether the example is opened.
    """

    recent: str = ""
    path: str = ""
    example: bool = False

    def chosen(self) -> Path | None:
        """Return the file or folder; ``None`` for the example.

        Raises:
            InputError: nothing is stated, or the project was forgotten.
        """
        if self.example:
            return None
        if not self.recent:
            if not self.path.strip():
                raise InputError("path", "must name a file or a folder of this machine")
            return Path(self.path.strip()).expanduser()
        known = RecentProjects().find(self.recent)
        if known is None:
            raise InputError("this project is no longer in the list: load the page again")
        return known.folder


class StartPage:
    """The page, and what its forms do; each is a route.

    Args:
        project: the project that is open.
        open_project: opens further projects; ``None`` if pages cannot.
    """

    def __init__(self, project: Project, open_project: OpenProject | None) -> None:
        self._project, self._open = project, open_project

    def show(self) -> Response:
        """Show the jobs, and the projects; raters get to the page of labels."""
        user = current_user()
        if user is not None and user.is_rater:
            return redirect("/label")
        recent = [] if self._open is None else RecentProjects().listed()
        return page(
            "start",
            self._project,
            current="start",
            jobs=JOBS,
            ready=_ready(self._project),
            files=self._project.files(),
            is_example=self._project.folder.name == EXAMPLE,
            can_open=self._open is not None,
            recent=[entry for entry in recent if entry.folder != self._project.folder],
            new_folder=str(Path("~", _PROJECTS)),
        )

    def open(self, form: Annotated[OpenForm, Form()]) -> Response:
        """Open another project, and let the browser go there."""
        return forwarding_page(self._opener(form.chosen(), "/data"))

    def create(self, file: UploadFile) -> Response:
        """Copy a file into a new folder, and open it."""
        opener, (stem, _) = self._opener, plain_file_name(file.filename or "")
        parent = Path.home() / _PROJECTS
        folder, number = parent / stem, 1
        while folder.exists():
            number += 1
            folder = parent / f"{stem} ({number})"
        folder.mkdir(parents=True)
        name = Project(folder).add_file(file.filename or "", file.file)
        return forwarding_page(opener(folder / name, f"/data/file?{urlencode({'file': name})}"))

    def forget(self, recent: Annotated[str, Form()] = "") -> Response:
        """Remove a project from the list; its folder stays."""
        known = RecentProjects().find(recent)
        if known is not None:
            RecentProjects().forget(known)
        return redirect("/start", "projects")

    @property
    def _opener(self) -> OpenProject:
        """What opens projects.

        Raises:
            InputError: pages of this workbench cannot.
        """
        if self._open is None:
            raise InputError("this workbench shows one project: others are opened where it was started")
        return self._open


def _ready(project: Project) -> dict[str, tuple[str, str]]:
    """Return what a project has for a job and what of it failed, by the page of the job."""
    ready = {}
    judged = [path for path in sorted((project.folder / RESULTS).glob("*.parquet")) if _is_judged(path)]
    if judged:
        ready["answers"] = f"{count_of(len(judged), 'file')} with scored answers", ""
    if (project.folder / HISTORY_FILE).is_file():
        ready["drift"] = _runs(project)
    return ready


def _runs(project: Project) -> tuple[str, str]:
    try:
        with project.open_history() as history:
            outcomes = {gate.candidate_id: gate.outcome for gate in history.comparisons()}
            n_runs = sum(run.rerun_of is None for run in history.runs())
    except InputError:  # the page of drift says why
        return "a history of runs, which cannot be read", ""
    n_failed = sum(outcome == "fail" for outcome in outcomes.values())
    return count_of(n_runs, "recorded run"), f"{n_failed} failed the comparison" if n_failed else ""


def _is_judged(path: Path) -> bool:
    from semscale.judging.stored_scores import is_judged

    try:
        return is_judged(pl.read_parquet_schema(path))
    except (OSError, pl.exceptions.PolarsError):  # no table, or one that is being written
        return False


def start_router(project: Project, open_project: OpenProject | None) -> APIRouter:
    """Return the routes of the page.

    Args:
        project: the project that is open.
        open_project: opens further projects; ``None`` if pages cannot.
    """
    start = StartPage(project, open_project)
    return router_of(
        {"/": start.show, "/start": start.show},
        {"/start/open": start.open, "/start/new": start.create, "/start/forget": start.forget},
    )
