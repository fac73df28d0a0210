"""The page that compares the answers of a study with those of people."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import Response

from semscale.errors import InputError, SemscaleError
from semscale.serving.background import current_task
from semscale.store.table_settings import TableSettings
from semscale.survey.finding import find_survey, reading_for
from semscale.survey.respondents import leave_out_rows
from semscale.workbench.exports import REPORTS
from semscale.workbench.pages import page, redirect, router_of, status_of
from semscale.workbench.project import Project
from semscale.workbench.report_pages import report_page
from semscale.workbench.runs import store_choices, stored_choices
from semscale.workbench.study_files import StoredStudy, study_files
from semscale.workbench.study_form import METHOD_CODES, METHOD_TITLES
from semscale.workbench.study_runs import ChosenStudy, StudyWorks, send_report
from semscale.workbench.survey_view import SurveyReader

if TYPE_CHECKING:
    from semscale.store.table import Table
    from semscale.study.people_comparison import StudyComparison
    from semscale.study.questionnaire import StudyDesign
    from semscale.study.settings import ComparisonSettings
    from semscale.survey.description import Survey

_NAME = "compared"
_FACTS = ("concept", "respondent", "weight")


@dataclass(frozen=True)
class ComparisonChoices:
    """What a form states, by the names of its fields.

    Attributes:
        fields: values of the fields; empty before the form was used.
        is_of_other_table: whether they were chosen for another table, so that what it lacks is not chosen.
    """

    fields: Mapping[str, Sequence[str]]
    is_of_other_table: bool = False

    def for_table(self, columns: Sequence[str]) -> "ComparisonChoices":
        """Return the choices for another table: those whose columns it has."""
        kept = {
            name: values
            if name not in ("question", "by", *_FACTS)
            else [value for value in values if value.rpartition("=")[2] in columns]
            for name, values in self.fields.items()
        }
        return ComparisonChoices(kept, is_of_other_table=True)

    def first(self, name: str) -> str:
        """Return the value of a field; empty without one."""
        return next(iter(self.fields.get(name, ())), "")

    def column_of(self, field: str, name: str, columns: Sequence[str]) -> str:
        """Return the column of a question or an attribute: the chosen one, or the one of its name.

        Args:
            field: ``question`` or ``by``.
            name: the question or the attribute.
            columns: columns of the table.
        """
        usual = name if name in columns else ""
        if field not in self.fields:
            return usual
        chosen = (pair.removeprefix(f"{name}=") for pair in self.fields[field] if pair.startswith(f"{name}="))
        return next(chosen, usual if self.is_of_other_table else "")

    def settings(self) -> "ComparisonSettings":
        """Return the settings that the form states.

        Raises:
            InputError: a value is wrong.
        """
        from semscale.study.settings import ComparisonSettings

        limits = self.first("human_range").replace(",", " ").split()
        further: dict[str, Any] = {}
        if limits:
            further["human_range"] = limits
        if splits := self.first("splits").strip():
            further["splits"] = splits
        return ComparisonSettings(
            questions=[pair for pair in self.fields.get("question", ()) if pair],
            by=[pair for pair in self.fields.get("by", ()) if pair],
            methods=tuple(self.fields.get("methods", ())),
            **{name: self.first(name) or None for name in _FACTS},
            **further,
        )


class StudyComparisonPage:
    """The page, and what its forms do; each is a route.

    Args:
        project: the project that is open.
        reader: reads its tables.
        works: the last work of each kind.
    """

    def __init__(self, project: Project, reader: SurveyReader, works: StudyWorks) -> None:
        self._project, self._reader, self._works = project, reader, works

    def show(self, request: Request, file: str = "", people: str = "") -> Response:
        """Show the form, and the progress or the report of the last comparison."""
        if file not in study_files(self._project):
            return redirect("/study")
        sent = request.query_params
        stated = ComparisonChoices({name: list(filter(None, sent.getlist(name))) for name in sent})
        return self._render(StoredStudy.read(self._project, file), people, stated=stated)

    def _render(
        self,
        stored: StoredStudy,
        people: str = "",
        refused: SemscaleError | None = None,
        stated: ComparisonChoices | None = None,
    ) -> Response:
        """Render the page.

        Args:
            stored: the study.
            people: table of people that is chosen.
            refused: reason why something was not done.
            stated: what the form states in which another table is chosen.
        """
        file = stored.path.name
        design, columns, problem = None, [], ""
        choices = self._choices(stored)
        tables = self._tables(stored)
        people = people or choices.first("people")
        people = people if people in tables else (tables[0] if len(tables) == 1 else "")
        if people != choices.first("people"):
            choices = ComparisonChoices({})
        try:
            design = _asked(stored)
            columns = self._columns(people) if people else []
            if stated is not None and "question" in stated.fields:
                choices = stated.for_table(columns)
        except SemscaleError as error:
            problem = str(error)
        work = self._works.last("compare", file)
        result = None if work is None else work.result
        return page(
            "study_compare",
            self._project,
            current="study",
            status=200 if refused is None else status_of(refused),
            refused="" if refused is None else str(refused),
            file=file,
            design=design,
            problem=problem,
            tables=tables,
            people=people,
            columns=columns,
            choices=choices,
            methods=_methods(design),
            work=work,
            report=None if result is None else report_page(result.document()),
            exports=REPORTS,
            command=work.command if work is not None else "",
        )

    async def start(self, request: Request) -> Response:
        """Compare the answers of the last run with those of people."""
        sent = await request.form()
        fields = {name: [str(value) for value in sent.getlist(name) if value] for name in sent}
        return await run_in_threadpool(self._start, ComparisonChoices(fields))

    def _start(self, choices: ComparisonChoices) -> Response:
        stored = StoredStudy.read(self._project, choices.first("file"))
        people = choices.first("people")
        if people not in self._tables(stored):
            raise InputError("people", "must be a table of the folder: choose one")
        settings, design = choices.settings(), _asked(stored)
        if design is None:
            raise InputError("there are no answers yet: ask the panel first")
        store_choices(stored.results / f"{_NAME}.html", choices.fields)
        command = _command(stored, people, settings, [*design.questionnaire.scales])

        def run(study: StoredStudy) -> "StudyComparison":
            return self._compare(study, people, settings)

        self._works.start("compare", stored, run, *command)
        return redirect("/study/compare", file=stored.path.name)

    def export(self, kind: str, form: Annotated[ChosenStudy, Form()]) -> Response:
        """Write the report of the last comparison, and send it."""
        stored = StoredStudy.read(self._project, form.file)
        work = self._works.last("compare", form.file)
        if work is None or work.result is None:
            raise InputError("there is no comparison yet: compare first")
        try:
            return send_report(work.result, stored.results, _NAME, kind)
        except SemscaleError as error:  # for example, an extra is not installed
            return self._render(stored, refused=error)

    def _choices(self, stored: StoredStudy) -> ComparisonChoices:
        """Return what the form stated the last time."""
        return ComparisonChoices(stored_choices(stored.results / f"{_NAME}.html"))

    def _tables(self, stored: StoredStudy) -> list[str]:
        """List the tables of the folder, without the personas of the study."""
        try:
            personas = str(stored.keys["panel"].get("file") or "")
        except SemscaleError:
            personas = ""
        return [name for name in self._project.files() if name != personas]

    def _columns(self, people: str) -> list[str]:
        """List the columns of a table, and the questions that the description of the survey names."""
        table, survey = self._table(people)
        names = [] if survey is None else list(survey.by_name)
        return list(dict.fromkeys([*names, *table.columns]))

    def _table(self, people: str) -> "tuple[Table, Survey | None]":
        """Open a table of people as the command does, with the description of the survey if it is of it."""
        path, stated = self._project.path_of(people), self._project.settings.reading
        survey = self._project.stored_survey().survey
        reading = reading_for(survey, people) if stated == TableSettings() else stated
        table = self._reader.open(path, reading).table
        applied, _ = find_survey(table, str(path), configured=self._project.settings.survey)
        return leave_out_rows(table, applied), applied

    def _compare(self, stored: StoredStudy, people: str, settings: "ComparisonSettings") -> "StudyComparison":
        """Compare as the command does."""
        from semscale.study.people_comparison import compare

        current_task().report("comparing", 0, None)
        table, survey = self._table(people)
        return compare(
            stored.results, table, plan=self._project.settings.plan, survey=survey, **dict(settings)
        )


def _asked(stored: StoredStudy) -> "StudyDesign | None":
    """Return the design of the stored results; ``None`` if there are none.

    Raises:
        InputError: they cannot be read.
    """
    from semscale.study.result import RECORD, read_study

    if not (stored.results / RECORD).is_file():
        return None
    return read_study(stored.results, allow_unfinished=True).design


def _methods(design: "StudyDesign | None") -> dict[str, str]:
    """Return the methods of a study on scales, with their titles."""
    if design is None:
        return {}
    questions = design.questionnaire.questions
    used = {method for question in questions if question.scale is not None for method in question.methods}
    return {name: f"{title} ({METHOD_CODES[name]})" for name, title in METHOD_TITLES.items() if name in used}


def _command(
    stored: StoredStudy, people: str, settings: "ComparisonSettings", scales: Sequence[str]
) -> Iterator[str]:
    """Yield the words of the command that does the same."""
    pairs = settings.questions if settings.questions != {name: name for name in scales} else {}
    limits = settings.human_range or ()
    options = [
        *(("--question", f"{name}={column}") for name, column in pairs.items()),
        *((f"--{name}", column) for name in _FACTS if (column := getattr(settings, name))),
        *(("--by", name if name == column else f"{name}={column}") for name, column in settings.by.items()),
        *(("--method", method) for method in settings.methods),
        *([("--human-range", *(f"{limit:.12g}" for limit in limits))] if limits else []),
        *([("--splits", str(settings.splits))] if "splits" in settings.model_fields_set else []),
    ]
    yield from ("semscale", "study", "compare", stored.results.name, people)
    for words in options:
        yield from words


def comparison_router(project: Project, reader: SurveyReader, works: StudyWorks) -> APIRouter:
    """Return the routes of the page.

    Args:
        project: the project that is open.
        reader: reads its tables.
        works: the last work of each kind.
    """
    study = StudyComparisonPage(project, reader, works)
    return router_of(
        {"/study/compare": study.show},
        {"/study/compare": study.start, "/study/compare/{kind}": study.export},
    )
