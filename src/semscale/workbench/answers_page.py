"""The page of answers: measured answers with their scores and labels, and two runs side by side."""

import secrets
import shlex
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl, urlencode

import numpy as np
from fastapi import APIRouter, Form, Query, Request
from pydantic import ValidationError
from starlette.responses import Response

from semscale.errors import InputError
from semscale.messages import first_mistake
from semscale.serving.background import BackgroundWork, Task, current_task
from semscale.types import Mask
from semscale.workbench.answer_cards import answer_card, further_cells, raw_replies
from semscale.workbench.answer_files import (
    ROLES,
    AnswerRun,
    ColumnChoice,
    answer_files,
    answer_tables,
    input_of,
)
from semscale.workbench.answer_labels import AnswerLabels
from semscale.workbench.answer_scores import KINDS
from semscale.workbench.answer_search import (
    COMPARED,
    ORDERS,
    SHOWS,
    AnswerChoice,
    RunComparison,
    find_answers,
)
from semscale.workbench.label_tasks import LabelTasks
from semscale.workbench.pages import page, redirect, router_of
from semscale.workbench.project import Project
from semscale.workbench.rater import current_rater, remember_rater
from semscale.workbench.regression_files import RegressionFile, set_names
from semscale.workbench.runs import result_of
from semscale.workbench.set_page import SetPage

_KEPT = 4
_REPORTED = 50  # rows between reports of progress


class AnswersPage:
    """The page, and what its forms do; each is a route.

    Args:
        project: the project that is open.
        work: threads that look for contradictions.
        tasks: drawn texts and journals, which the page of labels has, too.
    """

    def __init__(self, project: Project, work: BackgroundWork, tasks: LabelTasks) -> None:
        self._project, self._work, self._tasks = project, work, tasks
        self._runs: dict[tuple[Any, ...], AnswerRun] = {}
        self._looking: dict[AnswerRun, Task[Mask]] = {}

    def show(self, request: Request, choice: Annotated[AnswerChoice, Query()]) -> Response:
        """Show the answers of a file, two runs side by side, or the files."""
        if not choice.file:
            return page(
                "answers",
                self._project,
                current="answers",
                files=answer_files(self._project),
                labels=self._labels,
                kinds=KINDS,
                sets=set_names(self._project),
            )
        name = "answers_compare" if choice.other else "answers_run"
        return page(name, self._project, current="answers", **self._content(choice, current_rater(request)))

    def found(self, request: Request, choice: Annotated[AnswerChoice, Query()]) -> Response:
        """Show the answers that meet the filters, without the rest of the page."""
        name = "answers_compared" if choice.other else "answers_found"
        return page(name, self._project, current="answers", **self._content(choice, current_rater(request)))

    def _content(self, choice: AnswerChoice, person: str) -> dict[str, Any]:
        """Return what the page shows of a file."""
        run = self._open(choice.file, choice)
        labels, kept = self._labels(run), RegressionFile.of_run(self._project, run)
        rows = kept.rows(run)
        content: dict[str, Any] = {
            "choice": choice,
            "run": run,
            "person": person,
            "labels": labels,
            "chosen_set": kept,
            "kept": rows,
            "files": answer_files(self._project),
            "kinds": KINDS,
            "key": secrets.token_urlsafe,
            "card": answer_card,
        }
        if choice.other:
            compared = RunComparison(run, self._open(choice.other, ColumnChoice()))
            shown = {"compared": compared, "found": compared.find(choice), "shows": COMPARED}
            return {**content, **shown, "commands": _drift_commands(compared)}
        contradicted, looking = self._contradictions(run)
        found = find_answers(run, labels, choice, kept=rows, contradicted=contradicted)
        unknown = [] if contradicted is not None else ["contradiction"]
        unknown += ["doubt"] if np.isnan(run.doubt).all() else []
        shows, orders = (
            {name: title for name, title in titles.items() if name not in unknown}
            for titles in (SHOWS, ORDERS)
        )
        return {
            **content,
            "found": found,
            "shows": shows,
            "orders": orders,
            "contradicted": contradicted,
            "looking": looking,
            "roles": ROLES[:-1],
            "command": _command(run, input_of(self._project, run)),
        }

    def look(self, choice: Annotated[AnswerChoice, Query()]) -> Response:
        """Show how far the search for contradictions is, and at its end what it found."""
        run = self._open(choice.file, choice)
        contradicted, looking = self._contradictions(run)
        return page(
            "answers_looking",
            self._project,
            current="answers",
            run=run,
            choice=choice,
            contradicted=contradicted,
            looking=looking,
        )

    def row(self, choice: Annotated[AnswerChoice, Query()], row: int = 0) -> Response:
        """Show everything that a file has on an answer."""
        run = self._open(choice.file, choice)
        if not 0 <= row < run.n:
            raise InputError("row", f"must be a row of the file, got {row + 1}")
        return page(
            "answer",
            self._project,
            current="answers",
            run=run,
            choice=choice,
            card=answer_card(run, row, is_whole=True),
            is_cut=answer_card(run, row).texts != answer_card(run, row, is_whole=True).texts,
            replies=raw_replies(run, row),
            cells=further_cells(run, row),
        )

    def people(self, choice: Annotated[AnswerChoice, Query()]) -> Response:
        """Show what the labels of people show."""
        run = self._open(choice.file, choice)
        labels = self._labels(run)
        return page(
            "answers_people",
            self._project,
            current="answers",
            run=run,
            choice=choice,
            labels=labels,
            evidence=labels.evidence,
            mean=labels.mean_score(),
        )

    def set_rater(self, filters: Annotated[str, Form()] = "", rater: Annotated[str, Form()] = "") -> Response:
        """Remember who labels; an empty name forgets it."""
        return remember_rater(redirect("/answers", **_choice(filters).query), rater)

    def label(
        self,
        request: Request,
        filters: Annotated[str, Form()] = "",
        row: Annotated[int, Form()] = -1,
        label: Annotated[str, Form()] = "",
        back: Annotated[str, Form()] = "",
        key: Annotated[str, Form()] = "",
    ) -> Response:
        """Store the label of an answer, or take the one that the page shows back."""
        choice, person = _choice(filters), current_rater(request)
        if not person:
            raise InputError("rater", "must be known: write your name above the answers")
        run = self._open(choice.file, choice)
        if back:
            self._labels(run).take_back(row, person, back, key[:60])
        else:
            self._labels(run).add(row, person, label, key[:60])
        labels = self._labels(run)
        RegressionFile.of_run(self._project, run).note_label(run, labels, row)
        answer = self._after(request, choice, run, row)
        answer.headers["HX-Trigger"] = "labelled"
        return answer

    def keep(
        self,
        request: Request,
        filters: Annotated[str, Form()] = "",
        row: Annotated[int, Form()] = -1,
        act: Annotated[Literal["add", "remove"], Form()] = "add",
    ) -> Response:
        """Add an answer to the regression set, or take it out, as the button that was pressed states."""
        choice = _choice(filters)
        run = self._open(choice.file, choice)
        if not 0 <= row < run.n:
            raise InputError("row", f"must be a row of the file, got {row + 1}")
        kept, shown = RegressionFile.of_run(self._project, run), f"/answers?{urlencode(choice.query)}"
        if act == "add":
            kept.add(run, self._labels(run), row, shown)
        else:
            kept.remove_row(run, row, shown)
        return self._after(request, choice, run, row)

    def _after(self, request: Request, choice: AnswerChoice, run: AnswerRun, row: int) -> Response:
        """Show an answer after a change; without htmx, the page is loaded anew."""
        if "hx-request" not in request.headers:
            return redirect("/answers", f"row-{row + 1}", **choice.query)
        kept = RegressionFile.of_run(self._project, run)
        return page(
            "answer_acts",
            self._project,
            current="answers",
            run=run,
            row=row,
            choice=choice,
            person=current_rater(request),
            labels=self._labels(run),
            chosen_set=kept,
            kept=kept.rows(run),
            key=secrets.token_urlsafe,
            card=answer_card,
        )

    def _labels(self, run: AnswerRun) -> AnswerLabels:
        return AnswerLabels(self._project, run, self._tasks)

    def _open(self, name: str, choice: ColumnChoice) -> AnswerRun:
        """Open a file; the last ones stay in memory as long as they do not change.

        Raises:
            InputError: there is no such file, or it has no measured answers.
        """
        path = self._project.folder / name
        state = path.stat() if name in answer_tables(self._project) else None
        fields = [getattr(choice, field) for field in ColumnChoice.model_fields]
        key = (name, *fields, *((state.st_mtime_ns, state.st_size) if state else ()))
        if key not in self._runs:
            run = AnswerRun.open(self._project, name, choice)
            self._runs = {**dict(list(self._runs.items())[1 - _KEPT :]), key: run}
            known = set(self._runs.values())
            self._looking = {run: task for run, task in self._looking.items() if run in known}
        return self._runs[key]

    def _contradictions(self, run: AnswerRun) -> tuple[Mask | None, Task[Mask] | None]:
        """Return in which answers a contradiction was found, and the work that still looks for some."""
        if run.contradicted is not None or "reference" not in run.columns:
            return run.contradicted, None
        if run not in self._looking:
            self._looking[run] = self._work.submit(_contradicted, run)
        task = self._looking[run]
        return result_of(task), None if task.future.done() else task


def _contradicted(run: AnswerRun) -> Mask:
    """Return which answers contradict their references by the rules of the guards, shape (n,)."""
    from semscale.answer_consistency.pairs import contradicting
    from semscale.guards.registry import Guards

    guards, report = Guards(), current_task().report
    found: Mask = np.zeros(run.n, dtype=bool)
    pairs = zip(run.texts("answer"), run.texts("reference"), strict=True)
    for row, (answer, reference) in enumerate(pairs):
        if row % _REPORTED == 0:
            report("looking for contradictions", row, run.n)
        found[row] = bool(answer and reference and contradicting(guards.check(answer, reference)))
    return found


def _choice(filters: str) -> AnswerChoice:
    """Return the fields of an address that a form repeats.

    Raises:
        InputError: one of them is wrong.
    """
    try:
        return AnswerChoice.model_validate(dict(parse_qsl(filters)))
    except ValidationError as error:
        raise InputError(first_mistake(error, ())) from None


def _command(run: AnswerRun, source: str) -> str:
    """Return the command that writes the file, or that reports on a log.

    Args:
        run: the answers.
        source: the file that was measured; empty if it is not known.
    """
    columns = run.columns
    answer, reference, question = (columns.get(role, "") for role in ("answer", "reference", "question"))
    pairs = ["--reference", reference] if reference else []
    asked = ["--prompt", question] if question else []
    out = [] if run.kind == "log" else ["--out", run.name]
    source = run.name if run.kind == "log" else source or "INPUT"
    if run.kind == "judge":
        human = ["--human", columns["human"]] if "human" in columns else []
        words = ["judge", source, *asked, "--answer", answer, *pairs, *human, "--chat-model", "MODEL"]
    elif run.kind == "match" or (reference and run.kind == "log"):
        words = ["match", source, "--prediction", answer, *pairs]
    else:
        item = ["--item", columns["id"]] if run.kind == "log" and "id" in columns else []
        samples = [word for column in run.sample_columns for word in ("--sample", column)]
        words = ["consistency", source, *item, *asked, "--answer", answer, *samples]
    return shlex.join(["semscale", *words, *out])


def _drift_commands(compared: RunComparison) -> list[str]:
    """Return the commands that compare two runs; none if neither IDs nor questions are known."""

    def words(act: str, run: AnswerRun) -> str:
        id_, question = (run.columns.get(role, "") for role in ("id", "question"))
        named = ["--id", id_ or question, *(["--input", question] if id_ and question else [])]
        command = ["semscale", "drift", act, run.name, *named, "--output", run.columns["answer"]]
        return shlex.join([*command, "--dataset", "answers", *(["--approve"] if act == "record" else [])])

    runs = {"record": compared.first, "gate": compared.second}
    is_known = all({"id", "question"} & {*run.columns} for run in runs.values())
    return [words(act, run) for act, run in runs.items()] if is_known else []


def answers_router(project: Project, work: BackgroundWork, tasks: LabelTasks) -> APIRouter:
    """Return the routes of the page, and of the page with a regression set.

    Args:
        project: the project that is open.
        work: threads for longer work.
        tasks: drawn texts and journals.
    """
    answers, sets = AnswersPage(project, work, tasks), SetPage(project, work)
    return router_of(
        {
            "/answers": answers.show,
            "/answers/found": answers.found,
            "/answers/looking": answers.look,
            "/answers/row": answers.row,
            "/answers/people": answers.people,
            "/answers/set": sets.show,
            "/answers/progress": sets.progress,
        },
        {
            "/answers/rater": answers.set_rater,
            "/answers/label": answers.label,
            "/answers/keep": answers.keep,
            "/answers/set": sets.change,
            "/answers/gate": sets.gate,
            "/answers/accept": sets.accept,
            "/answers/reject": sets.reject,
            "/answers/take-back": sets.take_back,
            "/answers/stop": sets.stop,
        },
    )
