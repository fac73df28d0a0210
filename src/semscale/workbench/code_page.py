"""The page of codes: codebooks that are suggested, changed and saved, and open answers coded by them."""

import hashlib
import re
import shlex
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlencode

import polars as pl
from fastapi import APIRouter, Form, Query, UploadFile
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from semscale.coding.codebook import SUGGESTED_DEFINITION, Code, Codebook, parse_codebook
from semscale.coding.codebook_editing import (
    code_named,
    codebook_text,
    delete_code,
    merge_in,
    put_under_net,
    split_code,
)
from semscale.coding.coding import WITHOUT_ANSWER
from semscale.coding.settings import CodeSettings, CodingColumns
from semscale.coding.suggesting import (
    AnswerSample,
    SuggestionSummary,
    count_coded,
    question_title,
    suggest,
    suggestion_yaml,
)
from semscale.coding.table import answers_in
from semscale.coding.topics import USUAL_CODES
from semscale.errors import InputError
from semscale.html_texts import has_html, html_text
from semscale.messages import shorten
from semscale.report.formatting import count, count_of
from semscale.report.rating import codes_hint
from semscale.results.label_sheets import INCLUSION
from semscale.results.table_columns import resolve_columns
from semscale.serving.background import BackgroundWork, current_task
from semscale.spelling import without_hints
from semscale.store.missing_codes import code_key, count_codes
from semscale.store.table import Table
from semscale.survey.description import Survey
from semscale.types import Status
from semscale.weights.known import DEFAULT_MODEL
from semscale.workbench.changes import Change
from semscale.workbench.code_form import (
    ChangeForm,
    CodeChoice,
    CodeForm,
    MergeForm,
    SplitForm,
    SuggestForm,
    show_entries,
    split_entries,
    version_of_code,
)
from semscale.workbench.code_results import (
    COLUMNS,
    MODELS,
    SETTINGS,
    Coded,
    CodedTable,
    CodingPlan,
    CodingRun,
    coded_table_of,
    column_choices,
    is_table_of,
    usual_model,
)
from semscale.workbench.code_tasks import CodeTasks, Suggestion, earlier_codings
from semscale.workbench.forms import form_fields, settings_of_form
from semscale.workbench.label_sources import check_sheet, label_sheets
from semscale.workbench.label_tasks import LabelTasks
from semscale.workbench.models import Models
from semscale.workbench.no_answer import likely_codes, save_codes
from semscale.workbench.pages import element_id, in_place_of, page, reading_page, redirect, router_of
from semscale.workbench.project import CODEBOOKS, LABELS, Project
from semscale.workbench.runs import (
    choices_again,
    file_stem,
    replace_run,
    store_choices,
    stored_choices,
)
from semscale.workbench.survey_view import SurveyReader, SurveyView, TableCounts
from semscale.yaml_reading import YamlFile

_BATCH = 50_000
_UNITS = 8  # of a code, to split it by
_WORDS = re.compile(r"[^\W\d_]+")
_STAMP = "stamp"  # stored with the fields of a run: hash of its codebook and of the description


@dataclass(frozen=True)
class StoredCodebook:
    """A codebook of the project.

    Attributes:
        path: its file.
        content: the bytes of the file.
        codebook: the codes.
    """

    path: Path
    content: bytes
    codebook: Codebook

    @property
    def name(self) -> str:
        """Name of the file without its ending."""
        return self.path.stem

    @property
    def file(self) -> str:
        """The file as commands in the project's folder name it."""
        return f"{CODEBOOKS}/{self.path.name}"


@dataclass(frozen=True)
class CodeCard:
    """A code as the page shows it.

    Attributes:
        code: the code.
        version: hash of the code.
        n: number of answers with it, or that would get it as suggested; ``None`` if that is not known.
        examples: its examples, as a reader sees them.
        units: units of answers with the code that are no examples; only of a code that is shown as a form.
    """

    code: Code
    version: str
    n: int | None
    examples: list[str]
    units: list[str]

    @property
    def further_keywords(self) -> list[str]:
        """Keywords that are not in the definition, which suggested codes begin with."""
        definition = self.code.definition
        return [word for word in self.code.keywords if not re.search(_pattern([word]), definition)]

    @property
    def is_renamed(self) -> bool:
        """True if the name has other words than a definition and keywords that were suggested."""
        name, definition, keywords = self.code.name, self.code.definition, self.code.keywords
        words = set(_WORDS.findall(" ".join((definition, *keywords)).casefold()))
        is_suggested = definition.startswith(SUGGESTED_DEFINITION)
        return is_suggested and not words.issuperset(_WORDS.findall(name.casefold()))


@dataclass(frozen=True)
class ReadAnswers:
    """The answers to a question.

    Attributes:
        question: name of the question.
        counts: the table and its counts, of which they are.
        texts: the answers that are not missing.
        codes: number of answers with each text that looks like a code for no answer.
        model: name of the model that reads them.
    """

    question: str
    counts: TableCounts
    texts: pl.Series
    codes: dict[str, int]
    model: str


class CodePage:
    """The page, and what its forms do; each is a route.

    Args:
        project: the project that is open.
        reader: reads its file.
        work: threads for runs.
        models: loads the models.
        tasks: the last tasks.
        label_tasks: drawn texts and journals, which the page of labels has, too.
    """

    def __init__(
        self,
        project: Project,
        reader: SurveyReader,
        work: BackgroundWork,
        models: Models,
        tasks: CodeTasks,
        label_tasks: LabelTasks,
    ) -> None:
        self._project, self._reader, self._work, self._models = project, reader, work, models
        self._tasks, self._label_tasks = tasks, label_tasks
        self._answers: ReadAnswers | None = None
        self._starting = threading.Lock()

    def show(self, choice: Annotated[CodeChoice, Query()]) -> Response:
        """Show the codes of a codebook, or the form that suggests some."""
        file, survey_stored = self._project.described_file()
        view = self._reader.view_if_read(file, survey_stored)
        if view is None:
            return reading_page(self._project, self._reader, file, survey_stored, current="code")
        names = self._names()
        question = self._question(view, choice.question)
        name = choice.codebook or self._usual_codebook(question, names)
        stored, broken = None, ""
        if name in names:
            try:
                stored = self._open(name)
            except InputError as error:
                broken = str(error)
        table, coded = self._coded_table(view, question, name), self._coded_names(view, question)
        suggested = None if stored is None else self._suggested(stored)
        earlier = earlier_codings(self._project.folder, file)
        run = self._tasks.runs.shown(file, earlier)
        codes = {} if stored is None else self._codes_in(view, question)
        return page(
            "code",
            self._project,
            current="code",
            view=view,
            texts=view.survey.of_kind("open"),
            question=question,
            names=names,
            stored=stored,
            broken=broken,
            choice=choice,
            groups=[] if stored is None else self._groups(stored, choice, table, coded),
            n_readable=table.n_readable if table else suggested.n_sampled if suggested else None,
            n_without=table.n_without if table else suggested.n_not_coded if suggested else None,
            base=_base(table, suggested),
            is_coded=table is not None,
            counted_in=suggested.source if suggested is not None and suggested.source != file.name else "",
            suggestion=self._tasks.suggestion,
            is_as_suggested=stored is not None
            and suggested is not None
            and stored.content == suggestion_yaml(suggested).encode(),
            usual_codes=USUAL_CODES,
            task=self._tasks.running,
            run=run,
            again={} if run is None else choices_again(run.plan.out, is_of_open_file=run.plan.source == file),
            codes=likely_codes(codes),
            codes_note=without_hints(codes_hint(codes, "answer")),
            models=self._model_choices,
            model=self._usual_model(question, name),
            fields=form_fields(CodeSettings, SETTINGS),
            columns=column_choices(view, question),
            sheets=self._sheets(view, question),
            show_entries=show_entries,
            earlier=earlier,
        )

    def download(self, codebook: str = "") -> Response:
        """Send a codebook."""
        path = self._open(codebook).path
        return FileResponse(path, filename=path.name, media_type="text/yaml")

    def count_words(self, question: str = "", keywords: str = "") -> Response:
        """Count the answers that have one of some words."""
        words = split_entries(keywords, (), ",\n")
        answers = self._answers_of(question)
        n = int(answers.str.contains(_pattern(words)).sum()) if words else 0
        return page("word_count", self._project, current="code", words=words, n=n, answers=answers.len())

    def add(self, file: UploadFile) -> Response:
        """Copy a codebook into the project."""
        content = file.file.read()
        name = Path((file.filename or "").replace("\\", "/")).stem
        codebook = parse_codebook(content, source=file.filename or "codebook")
        path = self._free_path(file_stem(name))
        self._project.save_file(
            Change(f"added {codebook.name}", path, None, content, _address("", path.stem))
        )
        return redirect("/code", codebook=path.stem)

    def suggest(self, form: Annotated[SuggestForm, Form()]) -> Response:
        """Suggest codes, into a new file; a running task is stopped."""
        file, stored = self._project.described_file()
        question = self._question(self._reader.view(file, stored), form.question)
        path, n_codes = self._free_path(file_stem(question)), form.n_codes
        model = self._known_model(form.model)
        arguments = (file, stored.survey, question, n_codes, model, path)
        with self._starting:
            task = self._tasks.task = replace_run(self._work, self._tasks.task, self._suggest, *arguments)
        words = ["semscale", "code", "suggest", file.name, "--text", question]
        words += ["--codebook", f"{CODEBOOKS}/{path.name}"]
        words += [] if n_codes is None else ["--codes", str(n_codes)]
        words += [] if model in ("", DEFAULT_MODEL) else ["--embedder", model]
        self._tasks.suggestion = Suggestion(question, path, shlex.join(words), model, task=task)
        return redirect("/code", question=question, codebook=path.stem)

    def change(self, form: Annotated[CodeForm, Form()]) -> Response:
        """Save a code."""
        stored = self._open(form.codebook)
        codebook = form.apply(stored.codebook)
        return self._save(form, stored, codebook, f"change of {form.name.strip()}", form.name.strip())

    def add_code(self, form: Annotated[CodeForm, Form()]) -> Response:
        """Add a code to the codebook."""
        stored = self._open(form.codebook)
        name = form.name.strip()
        return self._save(form, stored, form.added_to(stored.codebook), f"added {name}", name)

    def set_net(self, form: Annotated[CodeForm, Form()]) -> Response:
        """Put a code under a net, or out of it."""
        stored = self._open(form.codebook)
        code = form.find_code(stored.codebook)
        codebook = put_under_net(stored.codebook, [code.name], form.net)
        return self._save(form, stored, codebook, f"net of {code.name}", code.name)

    def delete(self, form: Annotated[ChangeForm, Form()]) -> Response:
        """Delete a code, or a net without its codes."""
        stored = self._open(form.codebook)
        code = form.find_code(stored.codebook)
        return self._save(form, stored, delete_code(stored.codebook, code.name), f"deleted {code.name}", "")

    def merge(self, form: Annotated[MergeForm, Form()]) -> Response:
        """Merge codes into the first one."""
        stored = self._open(form.codebook)
        chosen = []
        for entry in form.join:
            version, _, name = entry.partition(" ")
            chosen.append(
                form.model_copy(update={"code": name, "version": version}).find_code(stored.codebook)
            )
        names = [code.name for code in chosen]
        codebook = merge_in(stored.codebook, names)
        return self._save(form, stored, codebook, f"merged {' and '.join(names)}", names[0])

    def split(self, form: Annotated[SplitForm, Form()]) -> Response:
        """Make a new code of some examples and units of a code."""
        stored = self._open(form.codebook)
        code = form.find_code(stored.codebook)
        codebook = split_code(stored.codebook, code.name, form.name, form.texts, form.definition)
        return self._save(form, stored, codebook, f"split {code.name}", form.name.strip())

    async def start(self, request: Request) -> Response:
        """Code the answers; a running task is stopped."""
        sent = await request.form()
        form = {name: [str(value) for value in sent.getlist(name) if value] for name in sent}
        return await run_in_threadpool(self._start, form)

    def start_with_labels(self, task: Annotated[str, Form()]) -> Response:
        """Write the sheet of a task, and code its answers again with the choices of their run and the labels.

        Of a table that no page wrote, the choices are not known: the form is shown with the sheet.
        """
        labelled, choices = self._label_tasks.write_labels(task)
        draw, sheet = labelled.draw, labelled.sheet_name
        chosen = {"question": draw.question, "codebook": Path(draw.measure).stem, "labels": sheet}
        if not choices:
            return redirect("/code", "coding", **chosen)
        return self._start({**choices, **{name: [value] for name, value in chosen.items()}})

    def leave_out_codes(
        self, question: Annotated[str, Form()], codebook: Annotated[str, Form()] = ""
    ) -> Response:
        """State answers that look like codes as no answer in the description."""
        view = self._reader.view(*self._project.described_file())
        save_codes(self._project, view, question, likely_codes(self._codes_in(view, question)))
        return redirect("/code", "coding", question=question, codebook=codebook)

    def _start(self, form: Mapping[str, Sequence[str]]) -> Response:
        self.run(form)
        return redirect("/code/results")

    def run(self, form: Mapping[str, Sequence[str]]) -> CodingRun:
        """Start a run with the fields of the form; a running task is stopped.

        Raises:
            InputError: a field is wrong, or a file cannot be read.
            ConflictError: another person's task goes on.
        """
        single = {name: values[0] for name, values in form.items() if values}
        source, stored = self._project.described_file()
        book, labels = self._open(single.get("codebook", "")), single.get("labels", "")
        fields: dict[str, Any] = {name: single.get(name) for name in COLUMNS}
        fields |= {"labels": (labels,) if labels else (), "by": tuple(form.get("by", ()))}
        view = self._reader.view(source, stored)
        sheets = self._sheets(view, single.get("question", ""))
        file = source
        if labels in sheets:
            file = self._project.folder / labels
            fields |= {"labels": tuple(sheets[labels]), "inclusion": INCLUSION}
        elif labels.startswith(f"{LABELS}/"):
            check_sheet(labels, sheets, source, self._project)
        plan = CodingPlan(
            folder=self._project.folder,
            source=source,
            file=file,
            survey=stored.survey,
            book=book.file,
            codebook=book.codebook,
            columns=CodingColumns(text=single.get("question", ""), **fields),
            settings=settings_of_form(CodeSettings, single, SETTINGS),
            model=self._known_model(single.get("model", "")),
        )
        stamp = hashlib.sha256(repr((book.content, stored.content, source.name)).encode()).hexdigest()
        choices = {**form, _STAMP: [stamp]}
        with self._starting:
            restart = stored_choices(plan.out) != choices  # finished parts of other settings are of no use
            store_choices(plan.out, choices)
            task = self._tasks.task = replace_run(
                self._work, self._tasks.task, lambda: self._code(plan, restart=restart)
            )
            run = CodingRun(plan, view.survey, task=task)
            self._tasks.runs.add(source, run)
        return run

    def progress(self, choice: Annotated[CodeChoice, Query()]) -> Response:
        """Show the progress of the task; at its end, what came of it takes the place of the progress."""
        task = self._tasks.running
        if task is not None:
            query = {name: value for name, value in choice.model_dump().items() if value}
            return page("progress", self._project, current="code", task=task, query=query)
        # A page without a codebook waits for one; on another, somebody may be changing codes.
        is_waiting = choice.codebook not in self._names() or self._is_suggested(choice.codebook)
        return in_place_of(self.show(choice), "page" if is_waiting else "running")

    def _is_suggested(self, name: str) -> bool:
        """Return true if a codebook was suggested last."""
        return self._tasks.suggestion is not None and self._tasks.suggestion.path.stem == name

    def _suggested(self, stored: StoredCodebook) -> SuggestionSummary | None:
        """Return the suggestion that a codebook comes from, if it is the last one."""
        suggestion = self._tasks.suggestion
        return suggestion.result if suggestion is not None and suggestion.path == stored.path else None

    def stop(self) -> Response:
        """Stop the task; finished parts of a run stay."""
        task = self._tasks.running
        if task is not None:
            task.cancel()
        is_run = self._tasks.runs.last is not None and task is self._tasks.runs.last.task
        return redirect("/code/results" if is_run else "/code")

    def _question(self, view: SurveyView, stated: str) -> str:
        """Return the question that an address states, that of the last task, or the usual one."""
        names = [question.name for question in view.survey.of_kind("open")]
        last = [entry.question for entry in [self._tasks.suggestion] if entry is not None]
        last += [entry.plan.columns.text for entry in [self._tasks.runs.last] if entry is not None]
        return next((name for name in [stated, *reversed(last)] if name in names), view.usual_text)

    def _names(self) -> list[str]:
        """List the names of the project's codebooks, without their endings."""
        folder = self._project.folder / CODEBOOKS
        return sorted(path.stem for path in folder.glob("*.yaml")) if folder.is_dir() else []

    def _usual_codebook(self, question: str, names: Sequence[str]) -> str:
        """Return the codebook with which a question was coded, or that is named after it."""
        run = self._tasks.runs.last
        if run is not None and run.plan.columns.text == question:
            return Path(run.plan.book).stem
        stem = file_stem(question)
        named = [name for name in names if name == stem or name.startswith(f"{stem}-")]
        return named[-1] if named else names[0] if len(names) == 1 else ""

    def _open(self, name: str) -> StoredCodebook:
        """Read a codebook of the project.

        Raises:
            InputError: there is none of that name, or it cannot be read.
        """
        if name not in self._names():
            raise InputError("codebook", f": the project has no codebook {shorten(name)}")
        path = self._project.folder / CODEBOOKS / f"{name}.yaml"
        content = YamlFile.read(path, "codebook").content
        return StoredCodebook(path, content, parse_codebook(content, source=f"{CODEBOOKS}/{path.name}"))

    def _free_path(self, stem: str) -> Path:
        """Return a path for a new codebook."""
        names, name, number = self._names(), stem, 1
        while name in names:
            number += 1
            name = f"{stem}-{number}"
        return self._project.folder / CODEBOOKS / f"{name}.yaml"

    def _save(
        self, form: ChangeForm, stored: StoredCodebook, codebook: Codebook, change: str, shown: str
    ) -> Response:
        """Write a changed codebook, and show a code of it."""
        text = codebook_text(codebook, stored.content).encode()
        address = _address(form.question, stored.name)
        self._project.save_file(Change(change, stored.path, stored.content, text, address))
        anchor = element_id(shown) if shown else "codes"
        return redirect("/code", anchor, question=form.question, codebook=stored.name)

    def _groups(
        self,
        stored: StoredCodebook,
        choice: CodeChoice,
        table: CodedTable | None,
        coded: Mapping[tuple[str, ...], str],
    ) -> list[tuple[CodeCard | None, list[CodeCard]]]:
        """Return the cards of each net below its own, and those without a net last.

        Args:
            stored: the codebook.
            choice: what is shown.
            table: the coded answers; ``None`` without them.
            coded: names that codes have in that table, by their examples.
        """
        codebook = stored.codebook
        counts = {} if table is None else table.counts({*codebook.names, *coded.values()})
        suggested = self._suggested(stored) if table is None else None

        def card(code: Code) -> CodeCard:
            is_edited = choice.edit == code.name and not code.is_net
            name = coded.get(code.examples, code.name)
            units = table.units(name, _UNITS) if table is not None and is_edited else []
            further = [unit for unit in units if unit not in code.examples]
            n = counts.get(name) if suggested is None else _suggested_count(suggested, code)
            examples = list(map(readable_example, code.examples))
            return CodeCard(code, version_of_code(code), n, examples, further)

        groups = []
        for parent in (*(code.name for code in codebook.codes if code.name in codebook.nets), None):
            cards = [
                card(code)
                for code in codebook.codes
                if code.parent == parent and not code.is_net and choice.includes(code)
            ]
            if cards or not choice.find:
                groups.append((None if parent is None else card(code_named(codebook, parent)), cards))
        return groups

    def _coded_names(self, view: SurveyView, question: str) -> dict[tuple[str, ...], str]:
        """Return the names that codes had in the last coding of a question, by their examples."""
        run = self._tasks.runs.of(view.file)
        if run is None or run.result is None or run.plan.columns.text != question:
            return {}
        return {code.examples: code.name for code in run.plan.codebook.codes if not code.is_net}

    def _coded_table(self, view: SurveyView, question: str, book: str) -> CodedTable | None:
        """Return the table that a codebook coded of a question; ``None`` if none can be read."""
        paths = [
            coded_table_of(self._project.folder, view.file, question, book, is_corrected=value)
            for value in (False, True)
        ]
        written = [path for path in paths if path.is_file()]
        known = view.survey.by_name.get(question)
        if known is None or not written:
            return None
        path, text = max(written, key=lambda path: path.stat().st_mtime_ns), known.all_columns[0]
        try:
            table = CodedTable(path, text)
            return table if is_table_of(path, text, self._answers_of(question)) else None
        except (InputError, pl.exceptions.PolarsError):  # another file of that name: no counts are shown
            return None

    def _sheets(self, view: SurveyView, question: str) -> dict[str, list[str]]:
        """Return the columns of labels in each sheet with the answers of the file to a question."""
        known = view.survey.by_name.get(question)
        if known is None:
            return {}
        folder, text = self._project.folder, known.all_columns[0]
        sheets = label_sheets(folder, (text, INCLUSION))
        return {
            name: labels
            for name, labels in sheets.items()
            if is_table_of(folder / name, text, self._answers_of(question))
        }

    def _answers_of(self, question: str) -> pl.Series:
        """Return the answers to a question."""
        return self._read_answers(question).texts

    def _codes_in(self, view: SurveyView, question: str) -> dict[str, int]:
        """Count the answers that look like codes for a missing answer and are not described as such."""
        known = view.survey.by_name.get(question)
        if known is None:
            return {}
        stated = set(map(code_key, known.missing_codes))
        codes = self._read_answers(question).codes
        return {code: n for code, n in codes.items() if code_key(code) not in stated}

    def _read_answers(self, question: str) -> ReadAnswers:
        """Return the answers to a question, which stay while words are typed."""
        file, stored = self._project.described_file()
        counts = self._reader.view(file, stored).counts
        read = self._answers
        if read is None or read.question != question or read.counts is not counts:
            table, columns = self._open_answers(file, stored.survey, question)
            cells = [None if cell is None else str(cell) for cell in answers_in(table, columns)]
            answers = pl.Series(cells, dtype=pl.String).drop_nulls()
            read = ReadAnswers(question, counts, answers, count_codes(answers), usual_model(answers))
            self._answers = read
        return read

    @property
    def _model_choices(self) -> tuple[str, ...]:
        """Names of the models to choose from; none if the project's file states the model."""
        return () if "embedder" in self._project.settings.stated else MODELS

    def _usual_model(self, question: str, book: str) -> str:
        """Return the model that forms offer first: that of the last task, or one that reads the answers."""
        suggestion, run = self._tasks.suggestion, self._tasks.runs.last
        if suggestion is not None and (suggestion.question, suggestion.path.stem) == (question, book):
            return suggestion.model
        if run is not None and run.plan.columns.text == question:
            return run.plan.model
        return self._read_answers(question).model if question else DEFAULT_MODEL

    def _known_model(self, name: str) -> str:
        """Return the chosen model; empty if the project's file states it."""
        choices = self._model_choices
        if choices and name not in ("", *choices):
            raise InputError("embedder", f"must be one of {', '.join(choices)}, got {shorten(name)}")
        return (name or DEFAULT_MODEL) if choices else ""

    def _code(self, plan: CodingPlan, *, restart: bool) -> Coded:
        """Code answers as the command does."""
        table = self._reader.open_as_commands(plan.file, plan.survey)
        embedder = self._models.load(plan.model)
        return plan.run(table, embedder, self._project.settings, restart=restart)

    def _open_answers(self, file: Path, survey: Survey | None, question: str) -> tuple[Table, CodingColumns]:
        columns = CodingColumns(text=question)
        table, columns = resolve_columns(columns, self._reader.open_as_commands(file, survey), survey)
        table.require_text(columns.text, "text")
        return table, columns

    def _suggest(
        self, file: Path, survey: Survey | None, question: str, codes: int | None, model: str, path: Path
    ) -> SuggestionSummary:
        """Suggest codes as the command does, and write them to a file."""
        task = current_task()
        table, columns = self._open_answers(file, survey, question)
        sample = AnswerSample()
        for batch in table.batches_with([columns.text], _BATCH):
            sample.add(columns.read(batch)["text"])
        embedder = self._models.load(model)
        summary = suggest(
            sample,
            embedder,
            codes=codes,
            source=table.file_name,
            column=columns.text,
            title=question_title(table.labels, columns.text),
            codebook=f"{CODEBOOKS}/{path.name}",
            progress=task.report,
        )
        summary = count_coded(summary, sample, embedder)
        task.check()
        text = suggestion_yaml(summary).encode()
        change = f"suggested codes of {question}"
        self._project.save_file(Change(change, path, None, text, _address(question, path.stem)))
        return summary


def code_router(codes: CodePage) -> APIRouter:
    """Return the routes of the page."""
    reading: dict[str, Callable[..., Response]] = {
        "/code": codes.show,
        "/code/file": codes.download,
        "/code/count": codes.count_words,
        "/code/progress": codes.progress,
    }
    changing: dict[str, Callable[..., Any]] = {
        "/code/add": codes.add,
        "/code/suggest": codes.suggest,
        "/code/change": codes.change,
        "/code/net": codes.set_net,
        "/code/delete": codes.delete,
        "/code/merge": codes.merge,
        "/code/split": codes.split,
        "/code/new": codes.add_code,
        "/code/run": codes.start,
        "/code/labels": codes.start_with_labels,
        "/code/missing": codes.leave_out_codes,
        "/code/stop": codes.stop,
    }
    return router_of(reading, changing)


def readable_example(example: str) -> str:
    """Return an example without HTML, and without a bracket that its unit opens or closes alone.

    Examples:
        >>> readable_example("an at &amp;#38; t store (empty")
        'an at & t store empty'
    """
    for _ in range(2):  # some tools escape entities twice
        example = html_text(example) if has_html(example) else example
    for opening, closing in ("()", "[]"):
        if example.count(opening) != example.count(closing):
            example = example.replace(opening, "").replace(closing, "")
    return example


def _base(table: CodedTable | None, suggested: SuggestionSummary | None) -> str:
    """State the rows that answers are counted in; empty without a table, and for a sample of the rows."""
    if table is not None:
        n, n_rows, n_no_answer = table.n_readable, table.n_rows, table.n_no_answer
    elif suggested is not None and suggested.n_sampled == suggested.counts.get(Status.SCORED, 0):
        n, n_rows = suggested.n_sampled, sum(suggested.counts.values())
        n_no_answer = sum(suggested.counts.get(status, 0) for status in WITHOUT_ANSWER)
    else:
        return ""
    reasons = {"without an answer": n_no_answer, "that cannot be read": n_rows - n - n_no_answer}
    less = " and ".join(f"{count(number)} {reason}" for reason, number in reasons.items() if number)
    rows = f" ({count_of(n_rows, 'row')} less {less})" if less else ""
    return f"{count_of(n, 'answer')} can be read{rows}"


def _suggested_count(suggested: SuggestionSummary, code: Code) -> int | None:
    """Return the number of answers that would get a code as it was suggested, by whatever name.

    Args:
        suggested: the suggestion.
        code: the code; without a number if its examples were changed.
    """
    same = (entry for entry in suggested.codes if entry.examples == code.examples)
    return next((entry.n_coded for entry in same), None)


def _pattern(words: Sequence[str]) -> str:
    """Return the regular expression of whole words; in scripts without spaces, of their signs."""
    edges = (("\\b" if word[0].lower() != word[0].upper() else "", word) for word in words)
    return "(?i)" + "|".join(f"{edge}{re.escape(word)}{edge}" for edge, word in edges)


def _address(question: str, codebook: str) -> str:
    """Return the address of the page with a codebook."""
    return f"/code?{urlencode({'question': question, 'codebook': codebook})}"
