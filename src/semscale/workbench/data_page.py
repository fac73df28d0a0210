"""The page of the data: the file, the rows that count, and the questions as cards that can be changed."""

import shlex
from collections.abc import Callable
from typing import Annotated, Any, Self, get_args
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query, UploadFile
from pydantic import BaseModel, Field, ValidationError
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from semscale.errors import InputError
from semscale.messages import first_mistake
from semscale.store.format_names import HeaderKind
from semscale.store.table import Table
from semscale.store.table_settings import EXTENSIONS, TableSettings
from semscale.survey.description import Question, QuestionKind, Survey
from semscale.survey.inference import rows_of_nobody
from semscale.survey.regrouping import JoinedKind, join_questions, split_question
from semscale.survey.survey_file import FILE_NAME
from semscale.workbench.pages import element_id, page, reading_page, reason_of, redirect, router_of, status_of
from semscale.workbench.project import (
    Project,
    StoredSurvey,
    check_unchanged,
    check_version,
    version_of_file,
    version_of_rows,
)
from semscale.workbench.question_form import (
    ANSWER,
    CHOSEN,
    KINDS,
    LISTED_KINDS,
    NOT_CHOSEN,
    REASONS,
    UNKNOWN,
    QuestionForm,
    further_codes,
    nets_text,
)
from semscale.workbench.row_filters import FilterForm, RowFilters
from semscale.workbench.survey_view import OpenedTable, SurveyReader, SurveyView, check_same_file

_PAGE = 200


class QuestionChoice(BaseModel):
    """Fields of the address that state which questions are shown.

    Attributes:
        edit: name of a question that is shown as a form.
        only: name of the only question to show.
        find: words in the questions to show.
        undecided: whether only questions that need a decision are shown.
        start: number of questions before the first that is shown.
    """

    edit: str = ""
    only: str = ""
    find: str = ""
    undecided: bool = False
    start: Annotated[int, Field(ge=0)] = 0

    @property
    def is_narrow(self) -> bool:
        """True if only some questions are shown."""
        return bool(self.only or self.find or self.undecided)

    @property
    def query(self) -> str:
        """The fields as an address has them."""
        return urlencode({name: value for name, value in self.model_dump().items() if value})

    def address(self, start: int) -> str:
        """Return the address of another page of these questions."""
        fields = {"find": self.find, "undecided": "true" if self.undecided else "", "start": start or ""}
        return f"/data?{urlencode({name: value for name, value in fields.items() if value})}"

    def questions(self, survey: Survey) -> tuple[list[Question], list[Question], int | None]:
        """Choose the questions to show: a page of them, as thousands take a browser seconds.

        Returns:
            Questions with answers, and columns without; and the start of the next page, if there is one.
        """
        included = list(filter(self.includes, survey.questions))
        aside = [] if self.is_narrow else list(filter(_is_aside, included))
        first = [question for question in included if self.is_narrow or not _is_aside(question)]
        listed = [*first, *aside]
        start = self.start
        if self.edit:
            position = next((n for n, question in enumerate(listed) if question.name == self.edit), start)
            start = position - position % _PAGE
        stop = start + _PAGE
        further = stop if stop < len(listed) else None
        n = len(first)
        return listed[start : min(stop, n)], listed[max(start, n) : stop], further

    def includes(self, question: Question) -> bool:
        """Return true if a question is shown."""
        if self.only not in ("", question.name) or (self.undecided and not question.needs_decision):
            return False
        texts = (
            question.name,
            question.title,
            question.text,
            question.kind,
            *question.all_columns,
            *(value.name for value in question.values),
            *(option.label for option in question.options),
        )
        return all(any(word in text.casefold() for text in texts) for word in self.find.casefold().split())


class RowsForm(BaseModel):
    """Fields of the form on the rows that count.

    Attributes:
        where: condition in SQL; empty for all rows.
        name: names of derived columns; a row without one is left out.
        expression: their SQL expressions.
        version: version of the rows and columns that the page showed.
    """

    where: str = ""
    name: list[str] = []
    expression: list[str] = []
    version: str = ""

    def apply(self, survey: Survey) -> Survey:
        """Return the description with these rows and columns.

        Raises:
            InputError: a column lacks its name or its expression, or the condition is invalid.
        """
        if len(self.name) != len(self.expression):
            raise InputError("the fields of the derived columns are incomplete: load the page again")
        pairs = zip(map(str.strip, self.name), map(str.strip, self.expression), strict=True)
        derive = {name: text for name, text in pairs if name or text}
        if "" in {*derive, *derive.values()}:
            raise InputError("derive", "must have a name and an expression for each column")
        return change_survey(survey, derive=derive, where=self.where.strip())


class JoinForm(BaseModel):
    """Fields of the form that joins questions.

    Attributes:
        join: versions and names of the questions.
        kind: what they are joined to.
    """

    join: list[str] = []
    kind: JoinedKind = "multiple"

    def names(self, survey: Survey) -> list[str]:
        """Return the names of the questions.

        Raises:
            InputError: there is no such question.
            ConflictError: one was changed since the page was shown.
        """
        names = []
        for entry in self.join:
            version, _, name = entry.partition(" ")
            check_version(survey.question(name), version)
            names.append(name)
        return names


class FileForm(BaseModel):
    """Fields of the form on how a file is read; those that are empty are left to detection.

    Attributes:
        file: name of the file.
        sheet: sheet of a workbook.
        encoding: encoding of a text file.
        header_row: row with the names of the columns.
        header: survey tool that exported the file.
    """

    file: str = ""
    sheet: str = ""
    encoding: str = ""
    header_row: str = ""
    header: str = "auto"

    @classmethod
    def from_settings(cls, file: str, settings: TableSettings) -> Self:
        """Return the form that states settings."""
        stated = {
            name: str(value) for name, value in settings if value is not None and name in cls.model_fields
        }
        return cls(file=file, **stated)

    @property
    def settings(self) -> TableSettings:
        """The settings that are stated.

        Raises:
            InputError: one of them is wrong.
        """
        fields = self.model_dump(include=set(FileForm.model_fields) - {"file"}).items()
        return TableSettings(**{name: text.strip() for name, text in fields if text.strip()})


class ChosenFileForm(FileForm):
    """Fields of the form that describes a file from now on.

    Attributes:
        version: version of the described file that the page showed.
    """

    version: str = ""


def change_survey(survey: Survey, **fields: Any) -> Survey:
    """Return a description with other fields, checked anew.

    Raises:
        InputError: they contradict each other.
    """
    try:
        return survey.with_fields(**fields)
    except ValidationError as error:
        raise InputError(first_mistake(error, ())) from None


def data_router(project: Project, reader: SurveyReader) -> APIRouter:
    """Return the routes of the page.

    Args:
        project: the project that is open.
        reader: reads its file.
    """
    data = DataPage(project, reader)
    reading: dict[str, Callable[..., Response]] = {
        "/data": data.show,
        "/data/file": data.show_file,
        "/data/count": data.count_rows,
        "/data/filter": data.show_filter,
        "/data/progress": data.progress,
        f"/data/{FILE_NAME}": data.download_survey,
    }
    changing: dict[str, Callable[..., Response]] = {
        "/data/upload": data.add_file,
        "/data/file": data.choose_file,
        "/data/question": data.save_question,
        "/data/rows": data.set_rows,
        "/data/filter": data.filter_rows,
        "/data/restore": data.restore_rows,
        "/data/join": data.join,
        "/data/split": data.split,
        "/data/undo": data.undo,
    }
    return router_of(reading, changing)


class DataPage:
    """The page, and the changes that its forms make; each is a route.

    Args:
        project: the project that is open.
        reader: reads its file.
    """

    def __init__(self, project: Project, reader: SurveyReader) -> None:
        self._project, self._reader = project, reader

    def show(self, choice: Annotated[QuestionChoice, Query()]) -> Response:
        """Show the questions, or the files if none is chosen."""
        return self.render(choice)

    def render(self, choice: QuestionChoice, *, refused: str = "", status: int = 200) -> Response:
        """Render the questions, or the files if none is chosen.

        Args:
            choice: the questions to show.
            refused: reason why a change was not saved.
            status: status of the response.
        """
        stored = self._project.stored_survey()
        file = self._project.data_file(stored.survey)
        if file is None:
            return self._render_files(FileForm(), refused=refused, status=status)
        view = self._reader.view_if_read(file, stored)
        if view is None:
            return reading_page(
                self._project,
                self._reader,
                file,
                stored,
                current="data",
                query=choice.query,
                status=status,
                refused=refused,
            )
        questions, aside, next_start = choice.questions(view.survey)
        return page(
            "data",
            self._project,
            status=status,
            refused=refused,
            view=view,
            cards=list(map(view.card, questions)),
            aside=list(map(view.card, aside)),
            next_start=next_start,
            n_questions=sum(question.kind not in _ASIDE for question in view.survey.questions),
            choice=choice,
            command=shlex.join(("semscale", "columns", file.name, "--out", self._project.survey_name)),
            form=_FORM,
            filters=RowFilters(view),
            filter=FilterForm(),
        )

    def progress(
        self, current: Annotated[str, Query(pattern="^[a-z]+$")] = "data", query: str = ""
    ) -> Response:
        """Show how far the file is read; at the end, the page that waits for it is loaded.

        Args:
            current: name of that page.
            query: fields of its address.
        """
        file, stored = self._project.described_file()
        task, opened = self._reader.unfinished(file, stored), self._reader.opened(file, stored)
        if task is None and current != "data":  # other pages have scripts and fields of their address
            return Response(headers={"HX-Refresh": "true"})
        return page("reading_progress", self._project, current=current, query=query, task=task, opened=opened)

    def show_file(self, form: Annotated[FileForm, Query()]) -> Response:
        """Show the folder's files, and the first rows of one as it would be read.

        A file such as the next wave is first read as the description reads its own.
        """
        if form.model_fields_set == {"file"}:
            form = self._described_form(form)
        return self._render_files(form)

    def _described_form(self, form: FileForm) -> FileForm:
        """Return the form with the settings of the description, if the file has its columns by them."""
        survey = self._project.stored_survey().survey
        if survey is None or not survey.file_columns or survey.reading == TableSettings():
            return form
        path = self._project.path_of(form.file)
        try:
            table = self._reader.open(path, survey.reading).table
        except InputError:  # it is no such file
            return form
        is_alike = all(map(table.has, survey.file_columns))
        return FileForm.from_settings(form.file, survey.reading) if is_alike else form

    def _render_files(self, form: FileForm, *, refused: str = "", status: int = 200) -> Response:
        opened: OpenedTable | None = None
        if form.file:
            try:
                opened = self._reader.open(self._project.path_of(form.file), form.settings)
            except InputError as error:
                refused, status = str(error), status_of(error)
        return page(
            "file",
            self._project,
            status=status,
            refused=refused,
            chosen=form,
            opened=opened,
            comparison=None if opened is None else self._compare(opened.table),
            headers=get_args(HeaderKind),
            endings=",".join(sorted(EXTENSIONS)),
        )

    def _compare(self, table: Table) -> tuple[list[str], list[str]] | None:
        """Compare a table with the description; ``None`` without one.

        Returns:
            The columns that no question describes, and those that the table lacks.
        """
        survey = self._project.stored_survey().survey
        if survey is None or not survey.file_columns:
            return None
        described = set(survey.file_columns)
        added = [column for column in table.columns if column not in described]
        return added, [column for column in survey.file_columns if not table.has(column)]

    def count_rows(self, form: Annotated[RowsForm, Query()]) -> Response:
        """Count the rows that meet a condition, with derived columns that need not be saved."""
        file, stored = self._project.described_file()
        try:
            survey = form.apply(stored.survey or Survey(questions=()))
            whole = self._reader.described_table(file, survey.with_fields(where="", derive={}))
            table = self._reader.described_table(file, survey)
        except InputError as error:  # half of a condition is no mistake yet
            return page("count", self._project, problem=str(error))
        notes = [note for note in table.notes if note not in whole.notes]
        return page("count", self._project, problem="", table=table, where=survey.where, notes=notes)

    def show_filter(self, form: Annotated[FilterForm, Query()]) -> Response:
        """Show the answers by which rows can be filtered, and how many rows would stay."""
        view = self._view()
        filters = RowFilters(view)
        n_left, problem = None, ""
        if form.question and (form.answer or form.without):
            try:
                survey = form.apply(view.survey, filters.question(form.question))
                n_left = self._reader.described_table(view.file, survey).n_rows
            except InputError as error:
                problem = str(error)
        return page(
            "filter", self._project, filters=filters, filter=form, n_left=n_left, problem=problem, view=view
        )

    def download_survey(self) -> Response:
        """Send the description."""
        if not self._project.survey_path.is_file():
            raise InputError(
                f"there is no {self._project.survey_name} yet: it is written with the first change"
            )
        return FileResponse(self._project.survey_path, filename=FILE_NAME, media_type="text/yaml")

    def add_file(self, file: UploadFile) -> Response:
        """Copy a file into the project, and show how it is read."""
        return redirect("/data/file", file=self._project.add_file(file.filename or "", file.file))

    def choose_file(self, form: Annotated[ChosenFileForm, Form()]) -> Response:
        """Describe a file from now on; entries of an existing description stay.

        Raises:
            InputError: it cannot be read, or the description is of another file.
            ConflictError: another file was chosen since the page was shown.
        """
        path = self._project.path_of(form.file)
        stored = self._project.stored_survey()
        check_unchanged("the choice of the file", version_of_file(stored.survey), form.version)
        table = self._reader.open(path, form.settings).table
        known = stored.survey or Survey(questions=(), leave_out=rows_of_nobody(table))
        check_same_file(known, table)
        survey = change_survey(known, file=path.name, reading=form.settings)
        self._project.save(survey, f"choice of {path.name}", stored)
        self._project.chosen = path.name
        return redirect("/data")

    def save_question(self, request: Request, form: Annotated[QuestionForm, Form()]) -> Response:
        """Save a question, and show it; as a form if a button has moved a row."""
        view = self._view()
        question = view.survey.question(form.question)
        check_version(question, form.version)
        new = form.apply(question)
        questions = [new if entry is question else entry for entry in view.survey.questions]
        self._project.save(
            change_survey(view.survey, questions=questions), f"change of {new.name}", view.stored
        )
        if view.stored.survey is None and view.survey.leave_out and "hx-request" in request.headers:
            return Response(headers={"HX-Refresh": "true"})  # the numbers of all questions change
        further = {"edit": new.name} if form.move else {}
        further |= {"only": new.name} if "hx-request" in request.headers else {}
        return redirect("/data", element_id(new.name), **further)

    def set_rows(self, form: Annotated[RowsForm, Form()]) -> Response:
        """Save which rows count, and the derived columns, once both have been tried.

        A description by which the file cannot be read is corrected so.
        """
        file, stored = self._project.described_file()
        known = stored.survey or self._view().survey
        check_unchanged("the choice of rows and columns", version_of_rows(known), form.version)
        survey = form.apply(known)
        self._reader.described_table(file, survey)
        self._project.save(survey, "rows and derived columns", stored)
        return redirect("/data", "rows")

    def filter_rows(self, form: Annotated[FilterForm, Form()]) -> Response:
        """Save a filter by the answers to a question, once it has been tried."""
        view = self._view()
        check_unchanged("the choice of rows and columns", version_of_rows(view.survey), form.version)
        question = RowFilters(view).question(form.question)
        survey = form.apply(view.survey, question)
        self._reader.described_table(view.file, survey)
        self._project.save(survey, f"filter by {question.heading}", view.stored)
        return redirect("/data", "rows")

    def restore_rows(
        self, column: Annotated[str, Form()] = "", version: Annotated[str, Form()] = ""
    ) -> Response:
        """Use the rows again that a column's values, or without a column the condition, leave out."""
        _, stored = self._project.described_file()
        known = stored.survey or self._view().survey  # no rows may be left, so that there is nothing to view
        check_unchanged("the choice of rows and columns", version_of_rows(known), version)
        if column:
            leave_out = {name: values for name, values in known.leave_out.items() if name != column}
            survey = change_survey(known, leave_out=leave_out)
        else:
            survey = change_survey(known, where="")
        self._project.save(survey, "rows that are used again", stored)
        return redirect("/data", "rows")

    def join(self, form: Annotated[JoinForm, Form()]) -> Response:
        """Join questions, and show the joined one as a form."""
        view = self._view()
        survey, joined = join_questions(view.survey, form.names(view.survey), form.kind, view.counts.profiles)
        self._project.save(survey, f"joined {joined.name}", view.stored)
        return redirect("/data", element_id(joined.name), edit=joined.name)

    def split(self, question: Annotated[str, Form()], version: Annotated[str, Form()] = "") -> Response:
        """Split a question into one for each column."""
        view = self._view()
        entry = view.survey.question(question)
        check_version(entry, version)
        survey = split_question(view.survey, question, view.counts.profiles)
        self._project.save(survey, f"split {question}", view.stored)
        return redirect("/data", element_id(survey.question(entry.all_columns[0]).name))

    def undo(self, version: Annotated[str, Form()] = "") -> Response:
        """Take back the last change."""
        return redirect(self._project.undo(version).page)

    def _view(self) -> SurveyView:
        """Return the survey, also if its file must be read first.

        Raises:
            InputError: no file is chosen, or it cannot be read.
        """
        return self._reader.view(*self._project.described_file())


def refusal(
    project: Project, reader: SurveyReader, error: Exception, current: str = "data", *, back: str = ""
) -> Response:
    """Show the reason why a change was not saved, on this page or on one that leads back to another.

    Args:
        project: the project that is open.
        reader: reads its file.
        error: the reason.
        current: name of the page on which the change was made.
        back: address of another page than this one, to which links lead back.
    """
    if current != "data":
        status, refused = status_of(error), reason_of(error)
        return page("refusal", project, status=status, refused=refused, current=current, back=back)
    try:
        page_of_data = DataPage(project, reader)
        return page_of_data.render(QuestionChoice(), refused=reason_of(error), status=status_of(error))
    except (InputError, OSError) as further:  # the file or its description cannot be read at all
        stored = _readable_survey(project)
        return page("refusal", project, status=status_of(further), refused=reason_of(further), stored=stored)


def _readable_survey(project: Project) -> StoredSurvey | None:
    """Return the description as it is stored; ``None`` if it is what cannot be read."""
    try:
        return project.stored_survey()
    except InputError:
        return None


def _is_aside(question: Question) -> bool:
    """Return whether a question is a column without answers, which is shown after those with answers."""
    return question.kind in _ASIDE and not question.needs_decision


_ASIDE: frozenset[QuestionKind] = frozenset({"identifier", "date", "ignore"})
_NEVER_JOINED: frozenset[QuestionKind] = frozenset({"identifier", "date", "weight", "wave"})
_FORM = {
    "never_joined": _NEVER_JOINED,
    "kinds": KINDS,
    "listed_kinds": LISTED_KINDS,
    "meanings": (ANSWER, *REASONS),
    "marks": (CHOSEN, NOT_CHOSEN, *REASONS, UNKNOWN),
    "further_codes": further_codes,
    "nets_text": nets_text,
}
