"""The page of labels: one text at a time, what the labels show, and the agreement of people."""

import hashlib
import secrets
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, Form, Query, Request
from pydantic import BaseModel, ValidationError
from starlette.responses import Response

from semscale.errors import InputError
from semscale.json_reading import encodable
from semscale.messages import first_mistake
from semscale.rating.expected import LABELS_TO_CHECK
from semscale.rating.fitting import FEWEST_LABELS
from semscale.survey.description import Survey
from semscale.workbench.label_journals import ADJUDICATED, Entry, rater_name
from semscale.workbench.label_measures import Kind, LabelFigures
from semscale.workbench.label_sources import StatedColumns
from semscale.workbench.label_tasks import LabelTask, LabelTasks
from semscale.workbench.pages import page, reading_page, redirect, router_of
from semscale.workbench.project import Project
from semscale.workbench.rater import current_rater, remember_rater
from semscale.workbench.survey_view import SurveyReader
from semscale.workbench.users import RoleError, current_name, current_user

DRAWN: dict[Kind, int] = {"rate": 400, "code": 200, "judge": 200}
"""Number of texts that are drawn by default: more than are labelled, as a table is drawn from only once.

The order is random, so that one may stop at any of them.
"""

MORE = 50
"""Number of texts that a button draws when all are labelled."""

T = TypeVar("T")

_AHEAD = 100
_MOST_COMPARED = 200
_QUEUED = "x-semscale-queued"
_NO_SURVEY = Survey(questions=())
"""The description of a project without a chosen file; a judge's answers are labelled nevertheless."""


class LabelChoice(BaseModel):
    """Fields of the address that state what is shown.

    Attributes:
        task: the task; without one, all tasks and tables are shown.
        decide: whether differences are decided instead.
        table: table that another page names: its task is shown, or the form that draws its texts.
    """

    task: str = ""
    decide: bool = False
    table: str = ""


class StartForm(StatedColumns):
    """Fields of the form that draws texts.

    Attributes:
        table: table with the texts.
        measure: scale, codebook or template.
        n: number of texts; empty for the default.
    """

    table: str = ""
    measure: str = ""
    n: str = ""

    def number(self, kind: Kind) -> int:
        """Return the number of texts to draw.

        Raises:
            InputError: it is no number above 0.
        """
        if not self.n.strip():
            return DRAWN[kind]
        if not self.n.strip().isdecimal() or int(self.n) < 1:
            raise InputError("n", f"must be a number of texts from 1, got {self.n!r:.40}")
        return int(self.n)


class AnswerForm(BaseModel):
    """Fields of an answer; the page may send the same one again.

    Attributes:
        task: the task.
        rater: the person, as the page was made for; ``adjudicated`` for a decision.
        key: the page's name for the answer.
        row: row of the text.
        label: the chosen answers.
        act: what the person did.
        undoes: key of the answer that is undone; empty for the last one.
        comment: the person's remark.
    """

    task: str
    rater: str
    key: str
    row: int = 0
    label: list[str] = []
    act: Literal["label", "nothing", "skip", "undo"] = "label"
    undoes: str = ""
    comment: str = ""

    def entry(self, task: LabelTask) -> Entry:
        """Return the line of a journal.

        Raises:
            InputError: the text was not drawn, there is no such answer, or a field is too long.
        """
        rater = self.rater if self.rater == ADJUDICATED else rater_name(self.rater)
        fields: dict[str, Any] = {"id": encodable(self.key), "rater": rater}
        fields |= {"by": current_name()} if rater == ADJUDICATED else {}
        if self.act == "undo":
            fields |= {"act": "undo", "undoes": encodable(self.undoes)}
        else:
            if self.row not in task.texts:
                raise InputError("row", f"must be one of the drawn texts, got {self.row}")
            is_label = self.act != "skip"
            label = task.measure.cell(self.label) if self.act == "label" else ""
            label = task.measure.nothing.value if self.act == "nothing" else label
            comment = encodable(self.comment).replace("\r\n", "\n").strip()
            fields |= {"row": self.row, "label": label, "comment": comment}
            fields |= {"act": "label" if is_label else "skip"}
        try:
            return Entry(**fields)
        except ValidationError as error:
            raise InputError(first_mistake(error, ())) from None


class LabelPage:
    """The page, and what its forms do; each is a route.

    Args:
        project: the project that is open.
        reader: reads its file.
        tasks: drawn texts and journals, which the page of answers has, too.
    """

    def __init__(self, project: Project, reader: SurveyReader, tasks: LabelTasks) -> None:
        self._project, self._reader, self._tasks = project, reader, tasks

    def show(self, request: Request, choice: Annotated[LabelChoice, Query()]) -> Response:
        """Show a text to label, or what can be labelled."""
        if choice.task:
            return self._show_text(request, self._tasks.open(choice.task), decide=choice.decide)
        survey, stored = _NO_SURVEY, self._project.stored_survey()
        file = self._project.data_file(stored.survey)
        if file is not None:
            view = self._reader.view_if_read(file, stored)
            if view is None:
                return reading_page(self._project, self._reader, file, stored, current="label")
            survey = view.survey
        tasks, broken = _usable(self._tasks.open, self._tasks.names())
        begun = next((task for task in tasks if task.draw.table == choice.table), None)
        if begun is not None:
            return self._show_text(request, begun, decide=False)
        described, unreadable = _usable(lambda name: self._tasks.source(name, survey), self._tasks.tables())
        sources = [source for source in described if source is not None]
        chosen = [source for source in sources if source.table == choice.table]
        return page(
            "label",
            self._project,
            current="label",
            tasks=[] if chosen else tasks,
            sources=chosen or sources,
            problems=[] if chosen else broken + unreadable,
            chosen=choice.table,
            drawn=DRAWN,
            start=LABELS_TO_CHECK,
        )

    def _show_text(self, request: Request, task: LabelTask, *, decide: bool) -> Response:
        person = current_rater(request)
        if not person:
            return page("label_name", self._project, current="label", task=task, decide=decide)
        return page(
            "label_text", self._project, current="label", **self._content(task, person, decide=decide)
        )

    def ahead(self, request: Request, choice: Annotated[LabelChoice, Query()]) -> Response:
        """Show the next texts, and what the labels of the person show."""
        task, person = self._tasks.open(choice.task), current_rater(request)
        if not person:
            raise InputError("rater", "must be known: open the page of labels again")
        survey = self._project.stored_survey().survey
        figures, problem = _figures(task, ADJUDICATED if choice.decide else person, survey)
        content = self._content(task, person, decide=choice.decide)
        return page(
            "label_ahead", self._project, current="label", figures=figures, problem=problem, **content
        )

    def _content(self, task: LabelTask, person: str, *, decide: bool) -> dict[str, Any]:
        """Return what the page shows of a task to a person.

        Raises:
            RoleError: a rater asks for the labels of others, to decide.
        """
        _check_person(ADJUDICATED if decide else person)
        rater = ADJUDICATED if decide else person
        waiting = task.waiting(rater)
        compared = {text.drawn.row: text for text in task.compared()} if decide else {}
        survey = self._project.stored_survey().survey
        file = self._project.data_file(survey)
        journal = task.journal(rater)
        question = None if survey is None else survey.by_name.get(task.draw.question)
        place = f"{self._project.folder} {task.name} {task.draw.model_dump_json()} {journal.path.name}"
        return {
            "task": task,
            "key": secrets.token_urlsafe(),
            "person": person,
            "wording": "" if question is None else question.text,
            "rater": rater,
            "decide": decide,
            "waiting": waiting[:_AHEAD],
            "n_waiting": len(waiting),
            "n_more": 0 if waiting or decide or task.draw.kind == "judge" else min(MORE, task.draw.n_further),
            "n_all": sum(text.differs for text in compared.values()) if decide else len(task.texts),
            "labels": journal.labels(),
            "has_enough": any(len(cells) >= FEWEST_LABELS for cells in task.final_labels().by_rater.values()),
            "n_picked": 0 if decide else task.n_picked(person),
            "copied": self._tasks.copied(task.name),
            "compared": compared,
            "queue": hashlib.sha256(place.encode()).hexdigest()[:16],
            "commands": [] if file is None else task.commands(file.name, survey),
            "has_sheet": (self._project.folder / task.sheet_name).is_file(),
        }

    def start(self, form: Annotated[StartForm, Form()]) -> Response:
        """Draw texts, and show the first one."""
        stored = self._project.stored_survey()
        file = self._project.data_file(stored.survey)
        survey = _NO_SURVEY if file is None else self._reader.view(file, stored).survey
        known = form.table in self._tasks.tables()
        source = self._tasks.source(form.table, survey) if known else None
        if source is None:
            raise InputError("table", f"must be one of the list, got {form.table!r:.60}")
        task = self._tasks.start(source, form, form.measure, form.number(source.kind), survey)
        return redirect("/label", task=task.name)

    def draw_more(self, task: Annotated[str, Form()]) -> Response:
        """Draw further texts, and show the first one."""
        return redirect("/label", task=self._tasks.draw_more(task, MORE).name)

    def set_rater(
        self,
        task: Annotated[str, Form()],
        rater: Annotated[str, Form()] = "",
        decide: Annotated[bool, Form()] = False,
    ) -> Response:
        """Remember who labels; an empty name forgets it."""
        _check_person(rater)
        return remember_rater(self._to_text(self._tasks.open(task), decide=decide), rater)

    def answer(self, request: Request, form: Annotated[AnswerForm, Form()]) -> Response:
        """Store an answer; the page is loaded anew, unless it queues its answers."""
        task = self._tasks.open(form.task)
        _check_person(form.rater)
        task.journal(form.rater).add(form.entry(task), replaces=form.rater != ADJUDICATED)
        if _QUEUED in request.headers:
            return Response(status_code=204)
        return self._to_text(task, decide=form.rater == ADJUDICATED)

    @staticmethod
    def _to_text(task: LabelTask, *, decide: bool) -> Response:
        return redirect("/label", task=task.name, **({"decide": "true"} if decide else {}))

    def agreement(self, request: Request, choice: Annotated[LabelChoice, Query()]) -> Response:
        """Show the labels of people side by side, without texts that this person has not labelled."""
        task, person = self._tasks.open(choice.task), current_rater(request)
        agreement = task.agreement()
        hidden = {text.row for text in task.waiting(person)} if person else set()
        shown = [text for text in agreement.texts if text.drawn.row not in hidden]
        return page(
            "label_agreement",
            self._project,
            current="label",
            task=task,
            agreement=agreement,
            shown=shown[:_MOST_COMPARED],
            n_hidden=len(agreement.texts) - len(shown),
            n_left_out=max(len(shown) - _MOST_COMPARED, 0),
        )

    def write_sheet(self, task: Annotated[str, Form()]) -> Response:
        """Write the sheet that commands read."""
        opened = self._tasks.open(task)
        opened.write_sheet(self._project.folder, self._project.stored_survey().survey)
        return redirect("/label", "sheet", task=opened.name)


def _usable(read: Callable[[str], T], names: list[str]) -> tuple[list[T], list[str]]:
    """Read what can be read, and return the reasons why others cannot."""
    usable: list[T] = []
    problems = []
    for name in names:
        try:
            usable.append(read(name))
        except InputError as error:
            problems.append(str(error))
    return usable, problems


def _check_person(rater: str) -> None:
    """Check that a team's person labels under the own name, and that no rater decides about others' labels.

    Raises:
        RoleError: the name is another one, or the person is a rater who wants to decide.
    """
    user = current_user()
    if user is None:
        return
    if rater == ADJUDICATED:
        if user.is_rater:
            raise RoleError(f"decisions need the role editor, and {user.name} has the role rater")
    elif rater.casefold() != user.name.casefold():
        raise RoleError(f"you are signed in as {user.name}, and label under this name: load the page again")


def _figures(task: LabelTask, rater: str, survey: Survey | None) -> tuple[LabelFigures | None, str]:
    """Return what the labels of one person show, or all with decisions; or why nothing can be shown."""
    labels = task.final_labels() if rater == ADJUDICATED else task.labels_of(rater)
    try:
        return task.figures(labels, survey), ""
    except InputError as error:
        return None, str(error)


def label_router(project: Project, reader: SurveyReader, tasks: LabelTasks) -> APIRouter:
    """Return the routes of the page.

    Args:
        project: the project that is open.
        reader: reads its file.
        tasks: drawn texts and journals.
    """
    label = LabelPage(project, reader, tasks)
    return router_of(
        {
            "/label": label.show,
            "/label/ahead": label.ahead,
            "/label/agreement": label.agreement,
        },
        {
            "/label/start": label.start,
            "/label/more": label.draw_more,
            "/label/rater": label.set_rater,
            "/label/answer": label.answer,
            "/label/sheet": label.write_sheet,
        },
    )
