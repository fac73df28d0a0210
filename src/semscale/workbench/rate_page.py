"""The page of ratings: an open question rated on a scale, its report, and its texts."""

import shlex
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, Response

from semscale.errors import InputError, SemscaleError
from semscale.rating.labelling import ROW, TEXT, read_sheet
from semscale.rating.lint import lint
from semscale.rating.rater import Rater
from semscale.rating.settings import RaterSettings, RatingColumns
from semscale.rating.summary import RatingSummary
from semscale.rating.table import RatingTable, rate_table
from semscale.report.coding import NO_ANSWER, UNREADABLE
from semscale.report.document import Document, Headline, Quoted
from semscale.report.formatting import capitalise, line_text
from semscale.report.rating import codes_hint
from semscale.report.sentences import most_frequent
from semscale.results.label_sheets import HUMAN
from semscale.results.table_columns import resolve_columns
from semscale.scales.library import load_scale
from semscale.serving.background import BackgroundWork, current_task
from semscale.spelling import option_name, without_hints
from semscale.stats.intervals import IntervalPlan
from semscale.store.reading import open_table
from semscale.store.table import ColumnLabels
from semscale.survey.description import Survey
from semscale.tabulation.text_results import results_title
from semscale.types import Status
from semscale.weights.known import DEFAULT_RATING_MODEL
from semscale.workbench.exports import REPORTS, TABLES, write_export
from semscale.workbench.forms import form_fields, option_words, settings_of_form
from semscale.workbench.label_sources import check_sheet, label_sheets, other_file_of
from semscale.workbench.label_tasks import LabelTasks
from semscale.workbench.models import Models
from semscale.workbench.no_answer import likely_codes, save_codes
from semscale.workbench.pages import in_place_of, page, reading_page, redirect, router_of, status_of
from semscale.workbench.project import RESULTS, SCALES, ConflictError, Project, StoredSurvey
from semscale.workbench.rated_texts import FoundTexts, find_texts, text_in_row
from semscale.workbench.report_pages import split_sections
from semscale.workbench.runs import (
    EarlierRun,
    FileRuns,
    PageRun,
    choices_again,
    earlier_runs,
    replace_run,
    store_choices,
    stored_choices,
    table_path,
)
from semscale.workbench.scale_form import project_scales, scale_path
from semscale.workbench.survey_view import GROUPS, SurveyReader
from semscale.workbench.table_results import tables_address

_RESULTS = ("distribution", "groups")
"""Sections of the report above the texts."""

_STATUS_NAMES = {
    str(Status.MISSING): NO_ANSWER,
    str(Status.UNINFORMATIVE): UNREADABLE,
    str(Status.WEIGHTLESS): "unknown signs",
    str(Status.OTHER_LANGUAGE): "unread language",
    str(Status.OFF_TOPIC): "off topic",
}
"""Statuses of texts in words; others have their own names."""

_SETTINGS = ("language", "readout", "temperature", "floor", "anchor_sets", "missing", "reasoning", "html")


@dataclass(frozen=True)
class Rated:
    """Result of a run.

    Attributes:
        summary: the summary.
        rater: the rater, which explains single ratings.
        labels: labels of the rated table's columns, for SPSS.
    """

    summary: RatingSummary
    rater: Rater
    labels: Mapping[str, ColumnLabels]


@dataclass(frozen=True)
class RatingRun(PageRun[Rated]):
    """A run that rates a question.

    Attributes:
        file: the file with the answers.
        survey: its description.
        columns: columns and questions, as the form names them.
        scale: name of the scale.
        labels: sheet with labels of people, in the project's folder; empty without one.
        text_column: column with the texts.
        out: the rated table.
        command: the command that does the same.
    """

    file: Path
    survey: Survey
    columns: RatingColumns
    scale: str
    labels: str
    text_column: str
    out: Path
    command: str

    @property
    def result(self) -> Rated | None:
        """The result; ``None`` before the end, after a failure, and if the rated table was removed."""
        return super().result if self.out.is_file() else None

    @property
    def problem(self) -> str:
        """The reason why there is no result; empty if there is one, or while the work goes on."""
        is_removed = super().result is not None and self.result is None
        return f"{self.out.name} was removed: rate again" if is_removed else super().problem


class RatePage:
    """The page, and what its forms do; each is a route.

    Args:
        project: the project that is open.
        reader: reads its file.
        work: threads for runs.
        models: loads the model.
        tasks: drawn texts and journals, which the page of labels has, too.
    """

    def __init__(
        self,
        project: Project,
        reader: SurveyReader,
        work: BackgroundWork,
        models: Models,
        tasks: LabelTasks,
    ) -> None:
        self._project, self._reader, self._work, self._models = project, reader, work, models
        self._tasks = tasks
        self._runs: FileRuns[RatingRun] = FileRuns()
        self._starting = threading.Lock()

    def show(self, request: Request) -> Response:
        """Show the form, and the progress or the report of the last run."""
        return self._render(request.query_params)

    def _render(self, query: Mapping[str, str], refused: SemscaleError | None = None) -> Response:
        """Render the page.

        Args:
            query: fields of the address.
            refused: reason why something was not done.
        """
        file, stored = self._project.described_file()
        view = self._reader.view_if_read(file, stored)
        if view is None:
            return reading_page(self._project, self._reader, file, stored, current="rate")
        earlier = self._earlier(file)
        run = self._runs.shown(file, earlier)
        rated = None if run is None else run.result
        summary = None if rated is None else rated.summary
        caution = "" if run is None else view.caution_on("ratings", run.file, run.survey)
        codes = [] if summary is None or caution else likely_codes(summary.possible_codes)
        codes_note = (
            capitalise(without_hints(codes_hint(summary.possible_codes))) if summary and codes else ""
        )
        document = None if summary is None else _page_document(summary, shown_below=codes_note)
        counts = () if document is None else document.facts
        overall = None if summary is None else summary.estimates.overall
        results, details = split_sections(() if document is None else document.sections, _RESULTS)
        scales, mistakes = project_scales(self._project)
        last = run.scale if run and run.scale in scales else "quality"  # its file may be gone
        chosen = query.get("scale") or last
        return page(
            "rate",
            self._project,
            current="rate",
            status=200 if refused is None else status_of(refused),
            refused="" if refused is None else str(refused),
            view=view,
            texts=view.survey.of_kind("open"),
            groups=view.survey.of_kind(*GROUPS),
            facts={kind: view.survey.of_kind(kind) for kind in ("weight", "identifier")},
            scales=scales,
            mistakes=[self._project.without_folder(mistake) for mistake in mistakes],
            scale=load_scale(scale_path(self._project, chosen)),
            chosen=chosen,
            text=query.get("text") or (run.columns.text if run else view.usual_text),
            sheets=self._sheets(file),
            labels=query.get("labels") or (run.labels if run and run.file == file else ""),
            run=run,
            summary=summary,
            document=None if document is None else replace(document, facts=()),
            counts=counts,
            left_out={} if overall is None else most_frequent(overall.left_out),
            codes=codes,
            codes_note=codes_note,
            status_names=_STATUS_NAMES,
            caution=caution,
            again={}
            if run is None or not caution
            else choices_again(run.out, is_of_open_file=run.file == file),
            results=results,
            details=details,
            found=None if run is None or summary is None else self._find(run, summary, query),
            fields=form_fields(RaterSettings, _SETTINGS),
            reports=REPORTS,
            tables=TABLES,
            compare=None
            if run is None
            else tables_address(view, results_title(run.text_column, "ratings"), run.columns.by),
            earlier=earlier,
        )

    async def start(self, request: Request) -> Response:
        """Start a run; a running one is stopped."""
        fields = await request.form()
        form = {name: list(map(str, fields.getlist(name))) for name in fields}
        return await run_in_threadpool(self._start, form)

    def start_with_labels(self, task: Annotated[str, Form()]) -> Response:
        """Write the sheet of a task, and rate its texts again with the choices of their run and the labels.

        Of a table that no page wrote, the choices are not known: the form is shown with the sheet.
        """
        labelled, choices = self._tasks.write_labels(task)
        draw = labelled.draw
        chosen = {"text": draw.question, "scale": draw.measure, "labels": labelled.sheet_name}
        if not choices:
            return redirect("/rate", "rate-form", **chosen)
        return self._start({**choices, **{name: [value] for name, value in chosen.items()}})

    def leave_out_codes(self) -> Response:
        """State rated texts that look like codes as no answer in the description, and rate again."""
        run, rated = self._ratings()
        view = self._reader.view(*self._project.described_file())
        if caution := view.caution_on("ratings", run.file, run.survey):
            raise ConflictError(f"{caution} Rate again first.")
        save_codes(self._project, view, run.columns.text, likely_codes(rated.summary.possible_codes))
        return self._start(stored_choices(run.out))

    def _start(self, form: Mapping[str, Sequence[str]]) -> Response:
        self.run(form)
        return redirect("/rate")

    def run(self, form: Mapping[str, Sequence[str]]) -> RatingRun:
        """Start a run with the fields of the form; a running one is stopped.

        Raises:
            InputError: a field is wrong, or the file cannot be read.
            ConflictError: another person's run goes on.
        """
        single = {name: values[0] for name, values in form.items() if values}
        settings = settings_of_form(RaterSettings, single, _SETTINGS)
        columns = RatingColumns(
            text=single.get("text", ""),
            by=tuple(form.get("by", ())),
            weight=single.get("weight") or None,
            respondent=single.get("respondent") or None,
        )
        scale, labels = single.get("scale", ""), single.get("labels", "")
        load_scale(scale_path(self._project, scale))
        file, stored = self._project.described_file()
        if labels:
            check_sheet(labels, self._sheets(file), file, self._project)
        view = self._reader.view(file, stored)
        out = table_path(self._project.folder, file, columns.text, _scale_name(scale))
        command = _command(file, columns, scale, labels, settings, out.relative_to(self._project.folder))
        known = None if stored.survey is None else stored.survey.by_name.get(columns.text)
        text_column = columns.text if known is None else known.all_columns[0]
        with self._starting:
            before = None if self._runs.last is None else self._runs.last.task
            task = replace_run(
                self._work, before, self._rate, file, stored, columns, scale, labels, settings, out
            )
            store_choices(out, form)
            run = RatingRun(file, view.survey, columns, scale, labels, text_column, out, command, task=task)
            self._runs.add(file, run)
        return run

    def progress(self) -> Response:
        """Show the progress of the run; at its end, what came of it takes the place of the progress."""
        run = self._runs.last
        if run is None or not run.is_running:
            return in_place_of(self._render({}), "outcome")
        return page("progress", self._project, current="rate", task=run.task, also="#intro")

    def stop(self) -> Response:
        """Stop the run; finished parts stay."""
        if self._runs.last is not None:
            self._runs.last.task.cancel()
        return redirect("/rate")

    def texts(self, request: Request) -> Response:
        """Show the texts that meet the filters, without the report, which would be drawn at each key."""
        run, rated = self._ratings()
        found = self._find(run, rated.summary, request.query_params)
        return page(
            "texts",
            self._project,
            current="rate",
            summary=rated.summary,
            found=found,
            status_names=_STATUS_NAMES,
        )

    def text(self, row: str = "") -> Response:
        """Show the anchors that are nearest to a text, and the ratings of its sentences."""
        run, rated = self._ratings()
        scale = rated.summary.scale
        if rated.summary.withholds_means:
            raise InputError(
                f"single ratings are not shown: “{scale.title}” is probably not measured in these texts"
            )
        text = text_in_row(run.out, run.text_column, row)
        return page(
            "rated_text",
            self._project,
            current="rate",
            row=row,
            scale=scale,
            explained=rated.rater.explain(text),
        )

    def export(self, kind: str, request: Request) -> Response:
        """Write the report of the last run, or its table, and send it."""
        run, rated = self._ratings()
        try:
            path = write_export(kind, run.out, rated.summary, rated.labels)
        except SemscaleError as error:  # for example, an extra is not installed
            return self._render(request.query_params, error)
        return FileResponse(path, filename=path.name)

    def _earlier(self, file: Path) -> list[EarlierRun]:
        """List the stored ratings of a file, the latest first."""

        def table_of(choices: Mapping[str, Sequence[str]]) -> Path:
            text, scale = ("".join(choices.get(name, ())) for name in ("text", "scale"))
            return table_path(self._project.folder, file, text, _scale_name(scale))

        return earlier_runs(self._project.folder / RESULTS, "scale", table_of)

    def _sheets(self, file: Path) -> list[str]:
        """List the sheets with labels of texts that were drawn to be rated, without those of other files."""
        sheets = label_sheets(self._project.folder, (ROW, TEXT, HUMAN))
        return [sheet for sheet in sheets if not other_file_of(sheet, file, self._project)]

    def _find(self, run: RatingRun, summary: RatingSummary, query: Mapping[str, str]) -> FoundTexts:
        return find_texts(run.out, run.text_column, summary, query)

    def _ratings(self) -> tuple[RatingRun, Rated]:
        """Return the last run and its result.

        Raises:
            InputError: there is none, or it has not ended.
        """
        file, _ = self._project.described_file()
        run = self._runs.shown(file, self._earlier(file))
        rated = None if run is None else run.result
        if run is None or rated is None:
            raise InputError("there are no ratings yet: rate a question first")
        return run, rated

    def _rate(
        self,
        file: Path,
        stored: StoredSurvey,
        columns: RatingColumns,
        scale: str,
        labels: str,
        settings: RaterSettings,
        out: Path,
    ) -> Rated:
        """Rate a question as the command does."""
        task = current_task()
        sheet = read_sheet(open_table(self._project.folder / labels)) if labels else None
        shared = self._project.settings
        table = self._reader.open_as_commands(file, stored.survey)
        table, resolved = resolve_columns(columns, table, stored.survey)
        embedder = self._models.load(DEFAULT_RATING_MODEL)
        rater = Rater.from_settings(scale_path(self._project, scale), settings.with_values(embedder=embedder))
        out.parent.mkdir(exist_ok=True)
        summary = rate_table(
            table,
            resolved,
            rater,
            plan=shared.plan,
            labels=sheet,
            out=out,
            settings=shared.parts,
            progress=task.report,
        )
        report = lint(rater.scale, embedder=embedder, readout=rater.settings.applied_readout)
        described = {**table.labels, **RatingTable(resolved, rater, IntervalPlan()).labels()}
        return Rated(replace(summary, lint=report), rater, described)


def rate_router(rate: RatePage) -> APIRouter:
    """Return the routes of the page."""
    return router_of(
        {
            "/rate": rate.show,
            "/rate/progress": rate.progress,
            "/rate/texts": rate.texts,
            "/rate/text": rate.text,
        },
        {
            "/rate": rate.start,
            "/rate/labels": rate.start_with_labels,
            "/rate/missing": rate.leave_out_codes,
            "/rate/stop": rate.stop,
            "/rate/export/{kind}": rate.export,
        },
    )


def _page_document(summary: RatingSummary, shown_below: str) -> Document:
    """Return the report as the page shows it: its title is the question; an unchecked mean says so.

    Args:
        summary: the ratings.
        shown_below: beginning of a sentence of the introduction that the page has elsewhere; empty for none.
    """
    document = summary.document()
    lead, (file, _, *others) = document.lead, document.source
    if isinstance(lead, Headline) and summary.comparison is None and summary.calibration is None:
        lead = replace(lead, advice=f"Not checked by people yet. {lead.advice}")
    return replace(
        document,
        lead=lead,
        title=("Ratings of “", Quoted(summary.text, 120), "”"),
        source=(file, ("scale ", Quoted(summary.scale.title)), *others),
        introduction=tuple(
            paragraph
            for paragraph in document.introduction
            if not (shown_below and line_text(paragraph.text).startswith(shown_below))
        ),
    )


def _scale_name(scale: str) -> str:
    return scale.removesuffix(".yaml").removeprefix(f"{SCALES}/")


def _command(
    file: Path, columns: RatingColumns, scale: str, labels: str, settings: RaterSettings, out: Path
) -> str:
    words = ["semscale", "rate", file.name, "--text", columns.text, "--scale", scale]
    for name in columns.by:
        words += ["--by", name]
    for name in ("weight", "respondent"):
        if value := getattr(columns, name):
            words += [option_name(name), value]
    words += ["--labels", labels] if labels else []
    words += option_words(settings, _SETTINGS)
    return shlex.join([*words, "--out", str(out)])
