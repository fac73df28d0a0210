"""The page of coded answers: the report of a run, its files, and the answers with their codes."""

from typing import Annotated
from urllib.parse import parse_qsl

import polars as pl
from fastapi import APIRouter, Form
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from semscale.coding.chosen_quotes import CODE, TEXT, read_quotes, with_quotes
from semscale.coding.codebook_editing import code_named
from semscale.errors import InputError, SemscaleError
from semscale.report.coding import OUTCOMES, found_outcomes, main_caution
from semscale.tabulation.text_results import results_title
from semscale.weights.known import DEFAULT_RATING_MODEL
from semscale.workbench.changes import Change
from semscale.workbench.code_form import StarForm
from semscale.workbench.code_results import Coded, CodedAnswer, CodedTable, CodingRun
from semscale.workbench.code_tasks import CodeTasks
from semscale.workbench.exports import REPORTS, TABLES, write_export
from semscale.workbench.pages import in_place_of, page, reading_page, redirect, router_of, status_of
from semscale.workbench.project import Project
from semscale.workbench.report_pages import report_page, split_sections
from semscale.workbench.runs import Found, choices_again
from semscale.workbench.survey_view import SurveyReader
from semscale.workbench.table_results import tables_address

_RESULTS = ("shares", "sentiment", "groups", "drivers")
"""Sections of the report above the answers."""

_MEANINGS = {
    "codes": "topics in the codebook",
    "rows": "each is in one of the five groups that follow",
    "coded by hand": "answers that people coded, too",
}


class CodeResultsPage:
    """The page, and what its forms do; each is a route.

    Args:
        project: the project that is open.
        reader: reads its file.
        tasks: the last tasks of the page of codes.
    """

    def __init__(self, project: Project, reader: SurveyReader, tasks: CodeTasks) -> None:
        self._project, self._reader, self._tasks = project, reader, tasks

    def show(self, request: Request) -> Response:
        """Show the progress or the report of the last run, and its answers."""
        return self._render(request)

    def _render(self, request: Request, refused: SemscaleError | None = None) -> Response:
        """Render the results, with the reason if something was not done."""
        file, stored = self._project.described_file()
        run = self._tasks.shown_run(self._project.folder, file)
        if run is None:
            return redirect("/code")
        view = self._reader.view_if_read(file, stored)
        if view is None:
            return reading_page(self._project, self._reader, file, stored, current="code")
        summary = run.summary
        report = None if summary is None else report_page(summary.document())
        results, details = split_sections(() if report is None else report.sections, _RESULTS)
        again = choices_again(run.plan.out, is_of_open_file=run.plan.source == file)
        return page(
            "code_results",
            self._project,
            current="code",
            status=200 if refused is None else status_of(refused),
            refused="" if refused is None else str(refused),
            run=run,
            summary=summary,
            outcomes=() if summary is None else found_outcomes(summary),
            report=report,
            unchecked="" if summary is None else main_caution(summary),
            meanings=OUTCOMES | _MEANINGS,
            caution=run.caution(view),
            again=again,
            again_for_all=again and {**again, "model": [DEFAULT_RATING_MODEL]},
            results=results,
            details=details,
            found=None if summary is None else self._find(run, request),
            reports=REPORTS,
            tables=TABLES,
            label=run.plan.label_address,
            compare=tables_address(
                view, results_title(run.plan.text_column, "codes"), run.plan.columns.by or ()
            ),
        )

    def progress(self, request: Request) -> Response:
        """Show the progress of the run; at its end, the report takes the place of the progress."""
        task = self._tasks.running
        if task is None:
            return in_place_of(self._render(request), "outcome")
        return page("progress", self._project, current="code", task=task, address="/code/results/progress")

    def answers(self, request: Request) -> Response:
        """Show the answers that meet the filters, without the report, which would be drawn at each key."""
        run, coded = self._ended_run()
        summary = coded.summary
        return page(
            "code_answers",
            self._project,
            current="code",
            run=run,
            summary=summary,
            outcomes=found_outcomes(summary),
            found=self._find(run, request),
        )

    def star(self, request: Request, form: Annotated[StarForm, Form()]) -> Response:
        """Let slides quote an answer for a code, or no longer."""
        plan = self._ended_run()[0].plan
        text = CodedTable(plan.out, plan.text_column).text_of(form.row)
        path, quote = plan.quotes, (code_named(plan.codebook, form.code).name, text)
        content = path.read_bytes() if path.is_file() else None
        quotes = [] if content is None else read_quotes(path)
        is_starred = quote in quotes if form.starred is None else form.starred
        quotes = [other for other in quotes if other != quote]
        quotes += [] if is_starred else [quote]
        table = pl.DataFrame(quotes, schema={CODE: pl.String, TEXT: pl.String}, orient="row")
        change = Change(f"star of row {form.row}", path, content, table.write_csv().encode(), "/code/results")
        self._project.save_file(change)
        shown = "/code/answers" if "hx-request" in request.headers else "/code/results"
        return redirect(shown, "coded-answers", **dict(parse_qsl(form.filters)))

    def export(self, kind: str, request: Request) -> Response:
        """Write the report of the last run, or its table, and send it."""
        run, coded = self._ended_run()
        out, plan, summary = run.plan.out, run.plan, coded.summary
        if plan.quotes.is_file() and kind in REPORTS:
            quotes, table = read_quotes(plan.quotes), CodedTable(out, plan.text_column)
            summary = with_quotes(summary, quotes, table.answers(), table.units_of(quotes))
        try:
            path = write_export(kind, out, summary, coded.labels)
        except SemscaleError as error:  # for example, an extra is not installed
            return self._render(request, error)
        return FileResponse(path, filename=path.name)

    def _ended_run(self) -> tuple[CodingRun, Coded]:
        run = self._tasks.shown_run(self._project.folder, self._project.described_file()[0])
        if run is None or run.result is None:
            raise InputError("there are no coded answers yet: code the answers first")
        return run, run.result

    def _find(self, run: CodingRun, request: Request) -> Found[CodedAnswer]:
        table = CodedTable(run.plan.out, run.plan.text_column)
        quotes = run.plan.quotes
        stars = set(read_quotes(quotes)) if quotes.is_file() else set()
        return table.find(request.query_params, run.plan.codebook, stars)


def code_results_router(project: Project, reader: SurveyReader, tasks: CodeTasks) -> APIRouter:
    """Return the routes of the page.

    Args:
        project: the project that is open.
        reader: reads its file.
        tasks: the last tasks of the page of codes.
    """
    results = CodeResultsPage(project, reader, tasks)
    return router_of(
        {
            "/code/results": results.show,
            "/code/results/progress": results.progress,
            "/code/answers": results.answers,
        },
        {"/code/star": results.star, "/code/export/{kind}": results.export},
    )
