"""The page of studies: their list, and the form that writes one, with its mistakes and a preview."""

import shlex
from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Request
from pydantic import BaseModel
from starlette.responses import Response

from semscale.errors import InputError, SemscaleError
from semscale.serving.background import BackgroundWork
from semscale.workbench.changes import Change
from semscale.workbench.pages import add_routes, page, redirect, router_of, status_of
from semscale.workbench.project import SCALES, Project
from semscale.workbench.study_compare import comparison_router
from semscale.workbench.study_files import StoredStudy, new_path, study_files
from semscale.workbench.study_form import (
    METHOD_CODES,
    METHOD_TITLES,
    METHOD_USES,
    TYPE_TITLES,
    StudyFields,
    StudyForm,
    problem_in,
)
from semscale.workbench.study_runs import StudyWorks, runs_router
from semscale.workbench.survey_view import SurveyReader

_SHOWN = 12
"""Greatest number of questions in the preview."""


class NewStudyForm(BaseModel):
    """Fields of the form that starts a study.

    Attributes:
        name: name of the study.
    """

    name: str = ""


class FileForm(BaseModel):
    """Fields of the form with the text of a study's file.

    Attributes:
        file: name of the file.
        version: hash of the file.
        content: its text.
    """

    file: str = ""
    version: str = ""
    content: str = ""


class StudyPage:
    """The list and the form; each function is a route.

    Args:
        project: the project that is open.
    """

    def __init__(self, project: Project) -> None:
        self._project = project

    def show(self) -> Response:
        """List the studies of the project."""
        return self._list()

    def _list(self, refused: SemscaleError | None = None, name: str = "") -> Response:
        from semscale.study.result import RECORD

        studies = []
        for file in study_files(self._project):
            stored = StoredStudy.read(self._project, file)
            try:
                design, problem = stored.design(), ""
            except SemscaleError as error:
                design, problem = None, str(error)
            has_results = (stored.results / RECORD).is_file()
            studies.append({"file": file, "design": design, "problem": problem, "has_results": has_results})
        return page(
            "study",
            self._project,
            current="study",
            status=200 if refused is None else status_of(refused),
            refused="" if refused is None else str(refused),
            studies=studies,
            name=name,
        )

    def create(self, form: Annotated[NewStudyForm, Form()]) -> Response:
        """Write a new study, the commented example, and open it."""
        from semscale.study.study_file import new_study

        try:
            path = new_path(self._project, form.name)
        except InputError as error:
            return self._list(error, form.name)
        content = new_study(path.name, form.name.strip()).encode()
        self._project.save_file(Change(f"new study {path.stem}", path, None, content, "/study"))
        return redirect("/study/edit", file=path.name)

    def edit(self, request: Request, file: str = "") -> Response:
        """Show the form of a study."""
        try:
            stored = StoredStudy.read(self._project, file)
        except InputError as error:
            return self._list(error)
        if not stored.has_form:
            return self._render_text(stored, FileForm(file=file, version=stored.version))
        form = StudyForm.of_keys(file, stored.version, stored.keys)
        shown = request.query_params.get("shown", "0")
        return self._render(form.model_copy(update={"shown": shown}), stored)

    def try_out(self, form: StudyFields) -> Response:
        """Show the form as it is filled in, with an entry added or removed if a button asks for it."""
        stored = StoredStudy.read(self._project, form.file)
        return self._render(form.with_change(), stored, adds=form.change.partition("add:")[2])

    def look(self, form: StudyFields) -> Response:
        """Show the mistakes and the preview alone, which follow each key."""
        stored = StoredStudy.read(self._project, form.file)
        return page("study_seen", self._project, current="study", form=form, **_seen(stored, form))

    def save(self, form: StudyFields) -> Response:
        """Write the file; a mistake keeps the fields."""
        stored = StoredStudy.read(self._project, form.file)
        try:
            stored.check_version(form.version)
            content = form.apply(stored)
            stored.design(content)
            self._write(stored, content)
        except SemscaleError as error:
            return self._render(form, stored, refused=error)
        if form.then == "run":
            return redirect("/study/run", file=form.file)
        return redirect("/study/edit", file=form.file, shown=form.shown)

    def save_text(self, form: Annotated[FileForm, Form()]) -> Response:
        """Write the text of the file; a mistake keeps the text."""
        stored = StoredStudy.read(self._project, form.file)
        content = form.content.replace("\r\n", "\n").encode()
        try:
            stored.check_version(form.version)
            stored.design(content)
            self._write(stored, content)
        except SemscaleError as error:
            return self._render_text(stored, form, refused=error)
        return redirect("/study/edit", file=form.file)

    def text(self, file: str = "") -> Response:
        """Show the text of a study's file."""
        if file not in study_files(self._project):
            return redirect("/study")
        stored = StoredStudy.read(self._project, file)
        return self._render_text(stored, FileForm(file=file, version=stored.version))

    def _write(self, stored: StoredStudy, content: bytes) -> None:
        address = f"/study/edit?{urlencode({'file': stored.path.name})}"
        change = Change(f"change of {stored.path.stem}", stored.path, stored.content, content, address)
        self._project.save_file(change)

    def _render(
        self, form: StudyForm, stored: StoredStudy, *, adds: str = "", refused: SemscaleError | None = None
    ) -> Response:
        """Render the form and the preview.

        Args:
            form: the fields.
            stored: the study that they change.
            adds: kind of an entry that was added, whose first field then has the focus.
            refused: reason why the study was not saved.
        """
        from semscale.scales.library import scale_names
        from semscale.study.questionnaire import METHODS

        folder = self._project.folder / SCALES
        local = [f"{SCALES}/{path.name}" for path in sorted(folder.glob("*.yaml"))] if folder.is_dir() else []
        return page(
            "study_edit",
            self._project,
            current="study",
            status=200 if refused is None else status_of(refused),
            refused="" if refused is None else str(refused),
            form=form,
            adds=adds,
            scales=[*local, *scale_names()],
            tables=self._project.files(),
            types=TYPE_TITLES,
            methods={name: METHOD_TITLES[name] for name in METHODS},
            uses=METHOD_USES,
            codes=METHOD_CODES,
            has_joint=bool(stored.keys["panel"].get("joint")),
            command=shlex.join(["semscale", "study", "run", form.file, "--dry-run"]),
            **_seen(stored, form),
        )

    def _render_text(
        self, stored: StoredStudy, form: FileForm, *, refused: SemscaleError | None = None
    ) -> Response:
        """Render the text of a file, with its mistake."""
        content = form.content or stored.content.decode("utf-8", "replace")
        problem = ""
        try:
            stored.design()
        except SemscaleError as error:
            problem = str(error)
        return page(
            "study_text",
            self._project,
            current="study",
            status=200 if refused is None else status_of(refused),
            refused="" if refused is None else str(refused),
            form=form,
            content=content,
            problem=problem,
            has_form=stored.has_form,
        )


def _seen(stored: StoredStudy, form: StudyForm) -> Mapping[str, Any]:
    """Return the file that a form states, its first mistake, and what a persona sees."""
    from semscale.study.preview import preview_interview

    content, design, problem = problem_in(stored, form)
    text = content.decode("utf-8", "replace")
    seen: dict[str, Any] = {"text": text, "design": design, "problem": problem}
    if design is None:
        return seen
    n = len(design.panel)
    persona = min(form.persona_shown, n - 1)
    asked = preview_interview(design, persona)
    return seen | {
        "preview": asked[:_SHOWN],
        "n_more": max(len(asked) - _SHOWN, 0),
        "persona": persona,
        "cells": {name: cells[persona] for name, cells in design.panel.fields.items()},
    }


def study_router(project: Project, reader: SurveyReader, work: BackgroundWork) -> APIRouter:
    """Return the routes of the pages on which studies are written, run and compared with people.

    Args:
        project: the project that is open.
        reader: reads its file.
        work: threads for runs.
    """
    study = StudyPage(project)
    router = router_of(
        {
            "/study": study.show,
            "/study/edit": study.edit,
            "/study/text": study.text,
        },
        {
            "/study": study.create,
            "/study/edit": study.save,
            "/study/try": study.try_out,
            "/study/seen": study.look,
            "/study/text": study.save_text,
        },
    )
    works = StudyWorks(work)
    add_routes(router, runs_router(project, works))
    add_routes(router, comparison_router(project, reader, works))
    return router
