"""The page of tables: questions by groups with a preview, and the basket of which files are made."""

import shlex
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Form, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, Response

from semscale.errors import InputError, SemscaleError
from semscale.report.document import DataTable, Document, Figure, Section
from semscale.report.presenting import word_document
from semscale.report.tables import folded_tables, question_section, tables_head, title_of
from semscale.report.tables_charts import has_letters
from semscale.serving.background import BackgroundWork
from semscale.store.expressions import filter_table
from semscale.store.table import Table
from semscale.survey.description import Question, Survey
from semscale.tabulation.basket import Basket, TableEntry, tabulate_entry
from semscale.tabulation.crosstab_figures import Crosstab
from semscale.tabulation.crosstabs import Crosstabs
from semscale.tabulation.table_look import notes_on_hidden
from semscale.workbench.forms import form_fields, option_words
from semscale.workbench.pages import page, reading_page, redirect, router_of
from semscale.workbench.project import RESULTS, Project
from semscale.workbench.question_form import KINDS as QUESTION_KINDS
from semscale.workbench.row_filters import FilterForm, RowFilters
from semscale.workbench.runs import PageRun, choices_again
from semscale.workbench.survey_view import GROUPS, SurveyReader, SurveyView
from semscale.workbench.table_results import FileResults, ProjectResults, Waves
from semscale.workbench.tables_basket import (
    KINDS,
    BasketRun,
    FilesToMake,
    StoredBasket,
    basket_command,
    check_kinds,
    make_tables,
)
from semscale.workbench.tables_draft import LOOK, ROLES, ROWS, SAMPLE, ConditionForm, Draft, further_settings
from semscale.workbench.tables_waves import OtherFiles, earlier_waves

_REMEMBERED = 8  # previews
_SHOWN = 4  # questions at once
_STEPS = {"up": -1, "down": 1}
_COLUMN = 640  # pixels of the column of tables inside the frame of a chart

Measure = Callable[[Mapping[str, Sequence[str]]], PageRun[Any]]
"""Starts a run with the fields of a form."""


@dataclass(frozen=True)
class Preview:
    """Tables of a draft, some questions at a time, so that many questions are shown as fast as few.

    Attributes:
        entry: the draft.
        table: the table with derived columns, and the rows that count.
        survey: its description.
        sources: clauses that name the files of ratings and codes, which the page lists as questions.
    """

    entry: TableEntry
    table: Table
    survey: Survey
    sources: tuple[str, ...]
    _made: dict[int, Crosstabs] = field(default_factory=dict)

    def tables(self, start: int = 0) -> Crosstabs:
        """Return the tables of some questions.

        Args:
            start: number of questions before the first.
        """
        if start not in self._made:
            questions = self.entry.questions[start : start + _SHOWN]
            is_last = self.next_start(start) is None
            part = self.entry.with_questions(questions, self.entry.pairs if is_last else ())
            tables = tabulate_entry(self.table, part, self.survey)
            unknown = set(notes_on_hidden(tables.tables, part.hide))  # other questions may have the label
            notes = tuple(
                note
                for note in tables.input_notes
                if note not in unknown and not any(note.endswith(source) for source in self.sources)
            )
            self._made[start] = replace(tables, input_notes=notes, title="")
        return self._made[start]

    def document(self, start: int = 0) -> Document:
        """Return the report on some questions, without their long tables."""
        tables = self.tables(start)
        sections = (
            question_section(of_question, tables, f"question-{start}-{position}")
            for position, of_question in enumerate(tables.questions())
        )
        shown = (_fit_charts(section) for section in sections if section is not None)
        document = replace(tables_head(tables), sections=tuple(shown))
        return word_document(document, tables.input_notes)

    def next_start(self, start: int = 0) -> int | None:
        """Return the number of questions before the next ones; ``None`` at the end."""
        after = start + _SHOWN
        return after if after < len(self.entry.questions) else None

    def has_letters(self, start: int) -> bool:
        """Return whether a figure of some questions is significantly above another column."""
        return any(map(has_letters, self.tables(start).tables))

    def has_p_values(self, start: int) -> bool:
        """Return whether tables of some questions state p-values."""
        return any(map(_has_p_values, self.tables(start).tables))

    def labels(self, start: int = 0) -> dict[str, list[str]]:
        """Return the names of answers and groups of some questions that are shown.

        Returns:
            The names by question and then by banner, each name once.
        """
        tables = self.tables(start).tables
        answers = [(title_of(table), [line.name for line in table.question.lines]) for table in tables]
        groups = [(table.banner.title, table.columns[1:]) for table in tables]
        listed: set[str] = set()
        by_title: dict[str, list[str]] = {}
        for title, names in (*answers, *groups):
            new = [name for name in dict.fromkeys(names) if name not in listed]
            listed.update(new)
            if new:
                by_title.setdefault(title, []).extend(new)
        return by_title

    def folded(self, start: int, position: int) -> list[DataTable]:
        """Return the long tables of a question, such as that of all differences.

        Args:
            start: number of questions before the first that is shown with it.
            position: position of the question among these, from 0.

        Raises:
            InputError: there is no such question.
        """
        tables = self.tables(start)
        questions = list(tables.questions())
        if not 0 <= position < len(questions):
            raise InputError("position", f"must be from 0 to {len(questions) - 1}, got {position}")
        return list(folded_tables(questions[position], tables.settings))

    def has_folded(self, start: int, position: int) -> bool:
        """Return whether a question has long tables."""
        return any(
            table.answer_shares is not None or table.differences.values.size
            for table in list(self.tables(start).questions())[position]
        )


class TablesPage:
    """The page, and what its forms do; each is a route.

    Args:
        project: the project that is open.
        reader: reads its file.
        work: threads for runs.
        measure: start runs that make ratings and codes, with the fields of their forms.
    """

    def __init__(
        self, project: Project, reader: SurveyReader, work: BackgroundWork, measure: Mapping[str, Measure]
    ) -> None:
        self._project, self._reader, self._work, self._measure = project, reader, work, measure
        self._measuring: PageRun[Any] | None = None
        self._measured_on = ""  # the page that has this run, too
        self._results = ProjectResults(project)
        self._run: BasketRun | None = None
        self._previews: OrderedDict[object, Preview] = OrderedDict()
        self._other_files = OtherFiles(project, work)

    def show(self, request: Request) -> Response:
        """Show the questions, the tables of the chosen ones, and the basket."""
        query = request.query_params
        basket = StoredBasket.read(self._project)
        opened = query.get("open", "")
        if opened.isdecimal() and int(opened) < len(basket.entries):
            draft = Draft.from_entry(basket.entries[int(opened)], int(opened))
        else:
            draft = Draft.from_fields({name: query.getlist(name) for name in query})
        if "act" in query and "hx-request" not in request.headers:
            return redirect(f"/tables?{draft.query}")  # loading the page again repeats no change
        file, stored = self._project.described_file()
        view = self._reader.view_if_read(file, stored)
        if view is None:
            return reading_page(self._project, self._reader, file, stored, current="tables")
        weights = view.survey.of_kind("weight")
        if len(weights) == 1 and not query:
            draft = draft.weighted(weights[0].name)
        results = self._results.of(view)
        waves = Waves((results,))
        preview, entry, problem = None, None, ""
        try:
            waves = self._waves(view, basket)
            entry = draft.entry(basket.basket)
            preview = None if entry is None else self._preview(view, waves, basket.basket, entry)
        except SemscaleError as error:  # a choice that has no tables is no mistake yet
            problem = str(error)
        return page(
            "tables",
            self._project,
            current="tables",
            view=view,
            draft=draft,
            is_in_basket=entry is not None and basket.has(entry),
            rows=[entry for entry in _rows(view, results) if _matches(entry, draft.find)],
            results=results,
            measuring=self._measuring,
            measured_on=self._measured_on,
            groups={question.name for question in view.survey.of_kind(*GROUPS)},
            roles={
                name: (label, [entry.name for entry in view.survey.of_kind(*kinds)])
                for name, (label, kinds) in ROLES.items()
            },
            look=sorted(form_fields(TableEntry, LOOK), key=lambda field: LOOK.index(field.name)),
            sample=form_fields(TableEntry, SAMPLE),
            words=QUESTION_KINDS | {"open": "open answers"},
            entry=entry,
            preview=preview,
            filters=RowFilters(view),
            filter=FilterForm(),
            problem=problem,
            basket=basket,
            further_settings=further_settings,
            in_words=view.state_condition,
            run=self._run,
            caution=view.caution_on("tables", self._run.file, self._run.described) if self._run else "",
            kinds=KINDS,
            templates=_templates(self._project.folder),
            waves=self._other_files.waves(view, basket.basket),
            lacking=[] if entry is None else waves.missing(entry.all_questions),
            people=_people(view),
            command=self._command(view.file, entry, waves, basket.basket),
            basket_command=self._run.command
            if self._run
            else basket_command(view.file, basket.basket, waves),
        )

    def _waves(self, view: SurveyView, basket: StoredBasket) -> Waves:
        """Return the open file and those of earlier waves that a basket names.

        Raises:
            InputError: the project has no such file, or it cannot be read.
        """
        earlier = self._earlier(basket, view.file)
        return self._results.of_waves(view, view.file, earlier, self._reader, basket.basket.waves)

    def _earlier(self, basket: StoredBasket, latest: Path) -> list[Path]:
        """Return the files of the earlier waves with which a basket compares a file.

        Raises:
            InputError: the project has no such file.
        """
        return [self._project.path_of(name) for name in earlier_waves(self._project, basket.basket, latest)]

    def _preview(self, view: SurveyView, waves: Waves, basket: Basket, entry: TableEntry) -> Preview:
        """Return the tables of an entry, made once for each state of the files and their description."""
        key = (waves.key, basket.pair_by, view.stored.content, entry.model_dump_json(exclude={"title"}))
        if key not in self._previews:
            table, prepared = waves.prepare(Basket((entry,), pair_by=basket.pair_by))
            sources = (entry.note for file in waves.files for entry in file.results.values())
            preview = Preview(prepared.entries[0], table, view.survey, tuple(sources))
            preview.tables()  # raises what is wrong with the entry
            self._previews[key] = preview
            while len(self._previews) > _REMEMBERED:
                self._previews.popitem(last=False)
        return self._previews[key]

    def further(self, request: Request, start: int = 0) -> Response:
        """Show further tables of the draft."""
        draft, preview = self._preview_of(request)
        if not 0 <= start < len(preview.entry.questions):
            raise InputError("start", "must be a question of the page: load it again")
        return page(
            "tables_further", self._project, current="tables", draft=draft, preview=preview, start=start
        )

    def numbers(self, request: Request, start: int = 0, position: int = 0) -> Response:
        """Show the long tables of a question, such as that of all differences with raw and adjusted p."""
        draft, preview = self._preview_of(request)
        tables = preview.folded(start, position)
        return page("tables_numbers", self._project, current="tables", tables=tables, query=draft.query)

    def show_filter(self, form: Annotated[ConditionForm, Query()]) -> Response:
        """Show the answers to a question by which rows can be chosen, and how many rows would stay."""
        view = self._reader.view(*self._project.described_file())
        n_left, problem = None, ""
        if form.question and (form.answer or form.without):
            try:
                n_left = filter_table(view.counts.table, _with_condition(view, form).value("where")).n_rows
            except InputError as error:
                problem = str(error)
        return page(
            "tables_filter",
            self._project,
            current="tables",
            filters=RowFilters(view),
            filter=form,
            n_left=n_left,
            problem=problem,
            draft=Draft.from_query(form.here),
        )

    def filter_rows(self, form: Annotated[ConditionForm, Form()]) -> Response:
        """Show the tables of rows with, or without, some answers to a question."""
        view = self._reader.view(*self._project.described_file())
        draft = _with_condition(view, form)
        filter_table(view.counts.table, draft.value("where"))  # raises if no row is left
        return redirect(f"/tables?{draft.query}")

    def measure_again(
        self, table: Annotated[str, Form()] = "", here: Annotated[str, Form()] = ""
    ) -> Response:
        """Make outdated ratings or codes again, with the choices of the run that made them."""
        view = self._reader.view(*self._project.described_file())
        others = self._results.of(view).others
        old = next((results for results in others if table and results.table == table), None)
        if old is not None:  # another window may have made them again
            choices = choices_again(self._project.folder / RESULTS / table, is_of_open_file=True)
            self._measuring, self._measured_on = self._measure[old.measured](choices), old.verb
        return redirect(f"/tables?{Draft.from_query(here).query}")

    def measuring(self) -> Response:
        """Show the progress of the ratings or codes; at their end, parts of the page are shown anew."""
        return page("tables_measuring", self._project, current="tables", measuring=self._measuring)

    def waves(self, here: str = "") -> Response:
        """Show the files that can be other waves; it asks again until all were compared."""
        basket = StoredBasket.read(self._project)
        view = self._reader.view(*self._project.described_file())
        return page(
            "tables_waves",
            self._project,
            current="tables",
            view=view,
            waves=self._other_files.waves(view, basket.basket),
            basket=basket,
            people=_people(view),
            query=Draft.from_query(here).query,
        )

    def _preview_of(self, request: Request) -> tuple[Draft, Preview]:
        """Return the draft of an address, and its tables.

        Raises:
            InputError: it has none.
        """
        query = request.query_params
        draft = Draft.from_fields({name: query.getlist(name) for name in query})
        basket = StoredBasket.read(self._project)
        entry = draft.entry(basket.basket)
        if entry is None:
            raise InputError("questions", "must be chosen first")
        view = self._reader.view(*self._project.described_file())
        return draft, self._preview(view, self._waves(view, basket), basket.basket, entry)

    def _command(self, file: Path, entry: TableEntry | None, waves: Waves, basket: Basket) -> str:
        """Return the command that shows the tables of the draft."""
        words = ["semscale", "tables", file.name]
        if entry is not None:
            words += waves.words(entry.all_questions)
            if len(waves.files) > 1 and basket.pair_by and entry.pair_by is None:
                words += ["--pair-by", basket.pair_by]
            words += option_words(entry, ("questions", "banners", *ROLES, *LOOK, "hide", *SAMPLE))
            words += ["--where", entry.where] if entry.where else []
        return shlex.join([*words, "--out", "tables.html"])

    async def compare(self, request: Request) -> Response:
        """Compare the tables with the files of earlier waves that are ticked, and with no others."""
        fields, draft, basket = await self._sent(request)
        offered = await run_in_threadpool(self._offered, basket.basket)
        ticked = fields.get("earlier", [])
        earlier = [name for name in basket.basket.earlier if name in ticked or name not in offered]
        for name in ticked:
            self._project.path_of(name)
            if name not in earlier:
                later = offered[offered.index(name) :] if name in offered else []
                before = next((place for place, file in enumerate(earlier) if file in later), len(earlier))
                earlier.insert(before, name)
        pair_by = fields.get("people", [basket.basket.pair_by])[-1]
        basket.compare(self._project, earlier, pair_by)
        return redirect(f"/tables?{draft.query}")

    def _offered(self, basket: Basket) -> Sequence[str]:
        """Return the files that can be earlier waves, once all were compared."""
        view = self._reader.view(*self._project.described_file())
        return self._other_files.waves(view, basket, seconds=None).earlier

    async def save(self, request: Request) -> Response:
        """Add the tables of the page to the basket, or change the entry that was opened."""
        fields, draft, basket = await self._sent(request)
        entry = draft.entry(basket.basket)
        if entry is None:
            raise InputError("questions", "must be chosen first")
        self._write_survey()
        basket.save(self._project, entry, None if "as_new" in fields else draft.position)
        return redirect(f"/tables?{draft.query}", "basket")

    async def _sent(self, request: Request) -> tuple[dict[str, list[str]], Draft, StoredBasket]:
        """Return the fields that the page sends, the tables that they state, and the basket.

        Raises:
            ConflictError: the basket is not the one that the page showed.
            InputError: it cannot be read.
        """
        form = await request.form()
        fields = {name: list(map(str, form.getlist(name))) for name in form}
        draft = Draft.from_fields(fields)
        basket = StoredBasket.read(self._project, draft.query)
        basket.check_version((fields.get("version") or [""])[-1])
        return fields, draft, basket

    def _write_survey(self) -> None:
        """Write the description, so that commands know the questions that this page names."""
        file, stored = self._project.described_file()
        if stored.survey is None:
            self._project.save(self._reader.view(file, stored).survey, "description of the questions", stored)

    def change(
        self,
        entry: Annotated[str, Form()],
        version: Annotated[str, Form()] = "",
        act: Annotated[str, Form()] = "rename",
        title: Annotated[str, Form()] = "",
        to: Annotated[str, Form(pattern="^[0-9]*$")] = "",
        here: Annotated[str, Form()] = "",
    ) -> Response:
        """Rename, move or remove an entry of the basket.

        An entry that is as the page showed it is removed even if others have changed, as when two are removed
        within a moment. Other changes need the basket that was shown.
        """
        draft = Draft.from_query(here)
        basket = StoredBasket.read(self._project, draft.query)
        position, order = basket.position(entry), list(range(len(basket.entries)))
        if act == "remove":
            order = basket.remove(self._project, position)
        else:
            basket.check_version(version)
            target = position + _STEPS[act] if act in _STEPS else int(to or position)
            if target != position and 0 <= target < len(order):
                order = basket.move(self._project, position, target)
            elif act == "rename":
                basket.rename(self._project, position, title.strip())
        # The entry that the page changes may have another position, or none.
        is_current = version == basket.version
        opened = order.index(draft.position) if is_current and draft.position in order else None
        return redirect(f"/tables?{replace(draft, position=opened).query}", "basket")

    def name(
        self,
        title: Annotated[str, Form()] = "",
        file: Annotated[Sequence[str], Form()] = (),
        wave: Annotated[Sequence[str], Form()] = (),
        version: Annotated[str, Form()] = "",
        here: Annotated[str, Form()] = "",
    ) -> Response:
        """Give the basket a title, and the waves in files names."""
        draft = Draft.from_query(here)
        basket = StoredBasket.read(self._project, draft.query)
        basket.check_version(version)
        names = {path: name.strip() for path, name in zip(file, wave, strict=False)}
        basket.name(self._project, title.strip(), names)
        return redirect(f"/tables?{draft.query}", "basket")

    def make(
        self,
        kind: Annotated[str, Form()] = "",
        file: Annotated[str, Form()] = "",
        template: Annotated[str, Form()] = "",
        here: Annotated[str, Form()] = "",
    ) -> Response:
        """Make a workbook, slides or a page of the basket; of another file, all three."""
        described, stored = self._project.described_file()
        source = self._project.path_of(file) if file else described
        kinds = check_kinds(kind)
        if template and template not in _templates(self._project.folder):
            raise InputError("template", "must be one of the list")
        basket = StoredBasket.read(self._project)
        if not basket.entries:
            raise InputError("the basket is empty: add tables first")
        before = None if self._run is None else self._run.task
        view = self._reader.view(described, stored)
        files = FilesToMake(source, view, self._earlier(basket, source), kinds, template)
        self._run = make_tables(self._results, self._reader, self._work, before, basket.basket, files)
        return redirect(f"/tables?{Draft.from_query(here).query}", "basket")

    def progress(self, here: str = "") -> Response:
        """Show the progress of the run; at its end the basket is shown anew."""
        run, query = self._run, Draft.from_query(here).query
        task = run.task if run is not None and run.is_running else None
        return page("tables_progress", self._project, current="tables", task=task, query=query)

    def stop(self, here: Annotated[str, Form()] = "") -> Response:
        """Stop the run."""
        if self._run is not None:
            self._run.task.cancel()
        return redirect(f"/tables?{Draft.from_query(here).query}", "basket")

    def download(self, name: str) -> Response:
        """Send a file that the last run made."""
        run = self._run
        path = None if run is None else next((path for path in run.outs if path.name == name), None)
        if path is None or not path.is_file():
            raise InputError("file", ": it is not there: make it again")
        return FileResponse(path, filename=path.name)


def tables_router(
    project: Project, reader: SurveyReader, work: BackgroundWork, measure: Mapping[str, Measure]
) -> APIRouter:
    """Return the routes of the page.

    Args:
        project: the project that is open.
        reader: reads its file.
        work: threads for runs.
        measure: start runs that make ratings and codes, with the fields of their forms.
    """
    tables = TablesPage(project, reader, work, measure)
    return router_of(
        {
            "/tables": tables.show,
            "/tables/further": tables.further,
            "/tables/numbers": tables.numbers,
            "/tables/filter": tables.show_filter,
            "/tables/measuring": tables.measuring,
            "/tables/waves": tables.waves,
            "/tables/progress": tables.progress,
            "/tables/results/{name}": tables.download,
        },
        {
            "/tables/save": tables.save,
            "/tables/filter": tables.filter_rows,
            "/tables/again": tables.measure_again,
            "/tables/compare": tables.compare,
            "/tables/change": tables.change,
            "/tables/name": tables.name,
            "/tables/make": tables.make,
            "/tables/stop": tables.stop,
        },
    )


def _people(view: SurveyView) -> dict[str, str]:
    """Return the headings of the questions that can have IDs of people, by name."""
    return {question.name: question.heading for question in view.survey.of_kind("identifier")}


def _with_condition(view: SurveyView, form: ConditionForm) -> Draft:
    """Return the draft of a form with the condition that its answers state.

    Raises:
        InputError: no question or answer is chosen, or there is no such question or answer.
    """
    condition = form.condition(RowFilters(view).question(form.question))
    return Draft.from_query(form.here).with_condition(condition)


def _fit_charts(section: Section) -> Section:
    """Return a section whose charts fit the column of tables, with type as large as that of the page."""

    def fitted(figure: Figure) -> Figure:
        return replace(figure, chart=lambda width: figure.chart(min(width, _COLUMN)))

    blocks = (fitted(block) if isinstance(block, Figure) else block for block in section.blocks)
    return replace(section, blocks=tuple(blocks))


def _has_p_values(table: Crosstab) -> bool:
    is_tested = table.association is not None and not table.association.reason
    return is_tested or (table.changes is not None and bool(np.isfinite(table.changes.p_values).any()))


def _rows(view: SurveyView, results: FileResults) -> Iterator[Question]:
    """Yield the questions that have tables; open ones have those of their ratings and codes."""
    for question in view.survey.questions:
        if question.kind in ROWS:
            yield question
        elif question.kind == "open":
            yield from results.questions_of(question)


def _matches(question: Question, find: str) -> bool:
    texts = (question.name, question.title, question.text)
    return all(any(word in text.casefold() for text in texts) for word in find.casefold().split())


def _templates(folder: Path) -> list[str]:
    """List the presentations of a folder, whose layouts slides can take."""
    return sorted(path.name for path in folder.glob("*.pptx") if path.is_file())
