"""The page on which a study is asked: what it would cost, the run, and its report."""

import os
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

from fastapi import APIRouter, Form
from pydantic import BaseModel
from starlette.responses import FileResponse, Response

from semscale.endpoints import KEY_VARIABLE, OPENAI
from semscale.errors import InputError, SemscaleError
from semscale.extras import require
from semscale.presentable import Presentable
from semscale.report.formatting import plain
from semscale.serving.background import BackgroundWork, current_task
from semscale.trust import Recipient, check_trusted
from semscale.weights.known import DEFAULT_CHAT_MODEL, DEFAULT_RATING_MODEL
from semscale.workbench.exports import REPORTS, write_report
from semscale.workbench.pages import missing_weights, page, redirect, router_of, status_of
from semscale.workbench.project import Project
from semscale.workbench.report_pages import report_page
from semscale.workbench.runs import PageRun, replace_run
from semscale.workbench.study_files import StoredStudy, study_files

if TYPE_CHECKING:
    from semscale.chat.budget import ForecastSummary
    from semscale.chat.runner import Running
    from semscale.study.questionnaire import ModelChoice, StudyDesign
    from semscale.study.result import Study
    from semscale.study.summary import StudySummary

_ANSWERS = "answers"


@dataclass(frozen=True)
class StudyWork(PageRun[Any]):
    """Work on a study in the background.

    Attributes:
        file: the study.
        content: its file when the work began.
        command: the command that does the same.
    """

    stopped = (
        "stopped; replies are stored, and the same run continues from there without asking for them again"
    )
    file: str
    content: bytes
    command: str


class StudyWorks:
    """The last work of each kind: a dry run, a run, and a comparison.

    Args:
        work: threads.
    """

    def __init__(self, work: BackgroundWork) -> None:
        self._work = work
        self._last: dict[str, StudyWork] = {}

    def start(self, kind: str, stored: StoredStudy, run: Callable[..., Any], *command: str) -> None:
        """Start work, which stops the last one of its kind.

        Args:
            kind: the kind.
            stored: the study.
            run: function of the study that does the work.
            command: words of the command that does the same.
        """
        before = self._last.get(kind)
        task = replace_run(self._work, None if before is None else before.task, run, stored)
        self._last[kind] = StudyWork(stored.path.name, stored.content, shlex.join(command), task=task)

    def last(self, kind: str, file: str) -> StudyWork | None:
        """Return the last work of a kind, if it is on a study."""
        work = self._last.get(kind)
        return work if work is not None and work.file == file else None

    def progress(self, kind: str, project: Project) -> Response:
        """Show the progress of the last work; at its end the page is loaded anew."""
        work = self._last.get(kind)
        if work is None or not work.is_running:
            return Response(headers={"HX-Refresh": "true"})
        address = f"/study/progress/{kind}"
        return page("progress", project, current="study", task=work.task, address=address)

    def stop(self, kind: str) -> None:
        """Stop the last work of a kind."""
        if kind in self._last:
            self._last[kind].task.cancel()


@dataclass(frozen=True)
class ModelState:
    """A model of a study, and what a run lacks.

    Attributes:
        name: the model.
        address: its endpoint; empty for a model on this machine.
        variable: environment variable with its key; ``None`` if it gets none.
        problem: the reason why it cannot be asked; empty if none is known.
        note: what a run does first, such as a download.
    """

    name: str
    address: str = ""
    variable: str | None = None
    problem: str = ""
    note: str = ""

    @property
    def recipient(self) -> str:
        """Host to which prompts are sent; empty if they stay on this machine."""
        if not self.address or Recipient(self.address).is_harmless:
            return ""
        return urlsplit(self.address).netloc.rpartition("@")[2]


class ChosenStudy(BaseModel):
    """Fields of a form that does something with a study.

    Attributes:
        file: name of its file.
    """

    file: str = ""


class StudyRunPage:
    """The page, and what its forms do; each is a route.

    Args:
        project: the project that is open.
        works: the last work of each kind.
    """

    def __init__(self, project: Project, works: StudyWorks) -> None:
        self._project, self._works = project, works
        self._read: tuple[object, StudySummary] | None = None

    def show(self, file: str = "", forecast: bool = False) -> Response:
        """Show what a run needs, its progress, and its report or the forecast."""
        if file not in study_files(self._project):
            return redirect("/study")
        return self._render(StoredStudy.read(self._project, file), is_forecast=forecast)

    def _render(
        self, stored: StoredStudy, *, is_forecast: bool = False, refused: SemscaleError | None = None
    ) -> Response:
        """Render the page.

        Args:
            stored: the study.
            is_forecast: whether the forecast is shown instead of the report.
            refused: reason why something was not done.
        """
        file = stored.path.name
        dry, run = self._works.last("forecast", file), self._works.last("run", file)
        is_running = run is not None and run.is_running
        problem, unread, design, summary = "", "", None, None
        try:
            design = stored.design()
        except SemscaleError as error:
            problem = str(error)
        try:
            summary = None if is_running else self.summary(stored)
        except SemscaleError as error:
            unread = str(error)
        forecast = dry.result if dry is not None and dry.content == stored.content else None
        return page(
            "study_run",
            self._project,
            current="study",
            status=200 if refused is None else status_of(refused),
            refused="" if refused is None else str(refused),
            file=file,
            design=design,
            problem=problem,
            unread=unread,
            models=[] if design is None else [self._state(model, stored.path) for model in design.models],
            n_calls=0 if design is None else _most_calls(design),
            cost="" if design is None else _cost(design, forecast),
            is_cost_open=design is not None and forecast is None and not _is_local(design),
            rating=_missing_rating_model(design),
            dry=dry,
            run=run,
            summary=summary,
            forecast=forecast.document() if is_forecast and forecast is not None else None,
            report=None if summary is None or is_forecast else report_page(summary.document()),
            is_changed=summary is not None and summary.design.content != stored.content,
            results=stored.results.name,
            exports={**REPORTS, _ANSWERS: "answers (Parquet)"},
            command=shlex.join(["semscale", "study", "run", file]),
        )

    def forecast(self, form: Annotated[ChosenStudy, Form()]) -> Response:
        """Forecast a run; nothing is sent."""
        stored = StoredStudy.read(self._project, form.file)
        command = ("semscale", "study", "run", form.file, "--dry-run")
        self._works.start("forecast", stored, self._forecast, *command)
        return redirect("/study/run", file=form.file, forecast="true")

    def start(self, form: Annotated[ChosenStudy, Form()]) -> Response:
        """Ask the panel; replies that are stored are not asked for again."""
        stored = StoredStudy.read(self._project, form.file)
        for model in stored.design().models:
            _check_trusted(model, stored.path)
        self._works.start("run", stored, self._ask, "semscale", "study", "run", form.file)
        return redirect("/study/run", file=form.file)

    def progress(self, kind: str) -> Response:
        """Show the progress of the last work of a kind."""
        return self._works.progress(kind, self._project)

    def stop(self, kind: str, form: Annotated[ChosenStudy, Form()]) -> Response:
        """Stop the last work of a kind; replies that came are stored."""
        self._works.stop(kind)
        return redirect("/study/run", file=form.file)

    def export(self, kind: str, form: Annotated[ChosenStudy, Form()]) -> Response:
        """Write the report of the last run, or its answers, and send it."""
        from semscale.study.result import ANSWERS

        stored = StoredStudy.read(self._project, form.file)
        summary = self.summary(stored)
        if summary is None:
            raise InputError("there are no answers yet: ask the panel first")
        if kind == _ANSWERS:
            return FileResponse(stored.results / ANSWERS, filename=f"{stored.results.name}-{ANSWERS}")
        try:
            return send_report(summary, stored.results, "report", kind)
        except SemscaleError as error:  # for example, an extra is not installed
            return self._render(stored, refused=error)

    def summary(self, stored: StoredStudy) -> "StudySummary | None":
        """Return the summary of the stored results, which are read once; ``None`` if there are none.

        Raises:
            InputError: they cannot be read.
        """
        from semscale.study.result import RECORD, read_study

        record = stored.results / RECORD
        if not record.is_file():
            return None
        key = (record, record.stat().st_mtime_ns)
        read = self._read
        if read is None or read[0] != key:
            result = read_study(stored.results, allow_unfinished=True)
            read = self._read = (key, result.summary())
        return read[1]

    def _calls(self) -> "Running":
        """Return the settings of calls that the project's file states."""
        from semscale.chat.runner import Running

        load = self._project.settings.load_calls
        return Running() if load is None else load()

    def _forecast(self, stored: StoredStudy) -> Presentable:
        return _study(stored).forecast_summary(self._calls(), progress=current_task().report)

    def _ask(self, stored: StoredStudy) -> Presentable:
        """Ask the panel as the command does, and write the folder of results."""
        study = _study(stored)
        running = study.design.running_with(self._calls())
        result = study.run(running=running, progress=current_task().report)
        result.save(stored.results)
        summary = result.summary()
        summary.report(stored.results / "report.html")
        return summary

    def _state(self, model: "ModelChoice", file: Path) -> ModelState:
        """Return what is known to be missing for calls to a model; nothing is sent."""
        from semscale.chat.chat_model import check_run
        from semscale.chat.loading import is_local, load_chat_model

        if model.base_url is None and is_local(model.name):
            try:
                require("local")
            except SemscaleError as error:
                return ModelState(model.name, problem=str(error))
            return ModelState(
                model.name, note=missing_weights(DEFAULT_CHAT_MODEL if model.name == "local" else model.name)
            )
        address = model.base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI
        variable = model.key_variable if model.base_url else KEY_VARIABLE
        problem = ""
        try:
            _check_trusted(model, file)
            chat = load_chat_model(model.name, base_url=model.base_url, key_variable=variable)
            check_run(chat, stores_replies=True)
        except SemscaleError as error:
            problem = str(error)
        return ModelState(model.name, address, variable, problem)


def _study(stored: StoredStudy) -> "Study":
    from semscale.study.result import Study

    return Study(stored.design())


def _check_trusted(model: "ModelChoice", file: Path) -> None:
    """Check that the user trusts the endpoint of a model, as for the command.

    Raises:
        InputError: it is not trusted.
    """
    if model.base_url:
        check_trusted("prompts", Recipient(model.base_url, model.key_variable), file)


def _most_calls(design: "StudyDesign") -> int:
    """Return the number of calls of a run for which no reply is stored and no call fails."""
    from semscale.study.preview import preview_interview

    prompts = sum(len(question.prompts) for question in preview_interview(design, 0))
    return design.n_interviews * len(design.models) * prompts


def _is_local(design: "StudyDesign") -> bool:
    """Return whether all models run on this machine."""
    from semscale.chat.loading import is_local

    return all(model.base_url is None and is_local(model.name) for model in design.models)


def _cost(design: "StudyDesign", forecast: "ForecastSummary | None") -> str:
    """Return what is known about the cost of a run, in words.

    Args:
        design: the study.
        forecast: its dry run; ``None`` before one has ended.
    """
    from semscale.chat.budget import amount

    if _is_local(design):
        return "none, as the model runs on this machine"
    cap = design.caps.max_cost
    limit = "" if cap is None else f"; the run stops at {plain(cap)}"
    if forecast is None:
        return f"not known yet: a forecast states it and sends nothing{limit}"
    forecasts = forecast.forecasts.values()
    amounts = [by_model.money for by_model in forecasts if by_model.money is not None]
    if len(amounts) < len(forecasts):
        return f"not known, as the price of the model is not in your list of prices{limit}"
    currencies = ", ".join(dict.fromkeys(by_model.currency for by_model in forecasts))
    return f"at most {amount(sum(amounts))} {currencies}{limit}"


def _missing_rating_model(design: Any) -> str:
    """Return the sentence about the model that rates free text; empty if it is there or not needed."""
    if design is None or not any("ssr" in question.methods for question in design.questionnaire.questions):
        return ""
    return missing_weights(design.embedder or DEFAULT_RATING_MODEL)


def send_report(summary: Presentable, folder: Path, stem: str, kind: str) -> Response:
    """Write a report into a folder of results, and send it.

    Args:
        summary: what is reported.
        folder: the folder.
        stem: name of the report's file, without extension.
        kind: one of ``REPORTS``.

    Raises:
        InputError: another kind.
        MissingExtraError: the kind needs an extra that is not installed.
    """
    path = write_report(kind, folder / stem, summary)
    return FileResponse(path, filename=f"{folder.name}-{path.name}")


def runs_router(project: Project, works: StudyWorks) -> APIRouter:
    """Return the routes of the page.

    Args:
        project: the project that is open.
        works: the last work of each kind.
    """
    study = StudyRunPage(project, works)
    return router_of(
        {
            "/study/run": study.show,
            "/study/progress/{kind}": study.progress,
        },
        {
            "/study/forecast": study.forecast,
            "/study/run": study.start,
            "/study/stop/{kind}": study.stop,
            "/study/export/{kind}": study.export,
        },
    )
