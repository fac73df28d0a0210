"""The page of ratings: an open question rated on a scale, its report, and its texts."""

import math
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl
from fastapi import APIRouter, Request
from starlette.responses import FileResponse, Response

from semscale.errors import InputError
from semscale.rating.lint import lint
from semscale.rating.rater import Rater
from semscale.rating.settings import RaterSettings, RatingColumns
from semscale.rating.summary import RatingSummary
from semscale.rating.table import rate_table
from semscale.results.table_columns import resolve_columns
from semscale.scales.library import load_scale
from semscale.serving.background import BackgroundWork, Task, current_task
from semscale.spelling import option_name
from semscale.stats.intervals import mass_names
from semscale.store.writing import PREFIX
from semscale.survey.description import QuestionKind
from semscale.weights.known import DEFAULT_RATING_MODEL
from semscale.workbench.forms import form_fields, option_words, settings_of_form
from semscale.workbench.models import Models
from semscale.workbench.pages import page, reading_page, redirect
from semscale.workbench.project import Project, StoredSurvey
from semscale.workbench.runs import (
    RESULTS,
    SHOWN,
    file_stem,
    position_in,
    problem_of,
    replace_run,
    result_of,
)
from semscale.workbench.scale_form import project_scales, scale_path
from semscale.workbench.scale_page import scale_router
from semscale.workbench.survey_view import SurveyReader

_SETTINGS = ("language", "readout", "temperature", "floor", "anchor_sets", "missing", "reasoning", "html")
_REPORTS = ("html", "xlsx", "pptx", "md")
_GROUPS: tuple[QuestionKind, ...] = ("single", "scale", "nps", "wave")


@dataclass(frozen=True)
class RatingRun:
    """A run that rates a question.

    Attributes:
        columns: columns and questions, as the form names them.
        scale: name of the scale.
        text_column: column with the texts.
        out: the rated table.
        command: the command that does the same.
        task: the work.
    """

    columns: RatingColumns
    scale: str
    text_column: str
    out: Path
    command: str
    task: Task[RatingSummary] = field(compare=False)

    @property
    def summary(self) -> RatingSummary | None:
        """The summary; ``None`` before the end, and after a failure."""
        return result_of(self.task)

    @property
    def problem(self) -> str:
        """The reason why there is no summary; empty if there is one, or while the work goes on."""
        return problem_of(self.task)


class RatePage:
    """The page, and what its forms do; each is a route.

    Args:
        project: the project that is open.
        reader: reads its file.
        work: threads for runs.
        models: loads the model.
    """

    def __init__(
        self,
        project: Project,
        reader: SurveyReader,
        work: BackgroundWork,
        models: Models,
    ) -> None:
        self._project, self._reader, self._work, self._models = project, reader, work, models
        self._run: RatingRun | None = None

    def show(self, request: Request) -> Response:
        """Show the form, and the progress or the report of the last run."""
        file, stored = self._project.described_file()
        view = self._reader.view_if_read(file, stored)
        if view is None:
            return reading_page(self._project, self._reader, file, stored, current="rate")
        run, query = self._run, request.query_params
        summary = None if run is None else run.summary
        chosen = query.get("scale") or (run.scale if run else "quality")
        return page(
            "rate",
            self._project,
            current="rate",
            view=view,
            texts=view.survey.of_kind("open"),
            groups=view.survey.of_kind(*_GROUPS),
            facts={kind: view.survey.of_kind(kind) for kind in ("weight", "identifier")},
            scales=project_scales(self._project),
            scale=load_scale(scale_path(self._project, chosen)),
            chosen=chosen,
            run=run,
            summary=summary,
            document=None if summary is None else summary.document(),
            found=None if run is None or summary is None else _texts(run, summary, query),
            fields=form_fields(RaterSettings, _SETTINGS),
            reports=_REPORTS,
        )

    async def start(self, request: Request) -> Response:
        """Start a run; a running one is stopped."""
        fields = await request.form()
        form = {name: list(map(str, fields.getlist(name))) for name in fields}
        single = {name: values[0] for name, values in form.items()}
        settings = settings_of_form(RaterSettings, single, _SETTINGS)
        columns = RatingColumns(
            text=single.get("text", ""),
            by=tuple(form.get("by", ())),
            weight=single.get("weight") or None,
            respondent=single.get("respondent") or None,
        )
        scale = single.get("scale", "")
        load_scale(scale_path(self._project, scale))
        file, stored = self._project.described_file()
        out = self._project.folder / RESULTS / f"{file_stem(columns.text)}-{_scale_stem(scale)}.parquet"
        before = None if self._run is None else self._run.task
        task = replace_run(self._work, before, self._rate, file, stored, columns, scale, settings, out)
        command = _command(file, columns, scale, settings, out.relative_to(self._project.folder))
        known = None if stored.survey is None else stored.survey.by_name.get(columns.text)
        text_column = columns.text if known is None else known.all_columns[0]
        self._run = RatingRun(columns, scale, text_column, out, command, task)
        return redirect("/rate")

    def progress(self) -> Response:
        """Show the progress of the run; at its end the page is loaded anew."""
        run = self._run
        if run is None or run.task.future.done():
            return Response(headers={"HX-Refresh": "true"})
        return page("progress", self._project, current="rate", task=run.task)

    def stop(self) -> Response:
        """Stop the run; finished parts stay."""
        if self._run is not None:
            self._run.task.cancel()
        return redirect("/rate")

    def texts(self, request: Request) -> Response:
        """Show the texts that meet the filters, without the report, which would be drawn at each key."""
        run, summary = self._ratings()
        found = _texts(run, summary, request.query_params)
        return page("texts", self._project, current="rate", summary=summary, found=found)

    def export(self, kind: str) -> Response:
        """Write the report of the last run, or its table, and send it."""
        run, summary = self._ratings()
        if kind == "parquet":
            return FileResponse(run.out, filename=run.out.name)
        if kind not in _REPORTS:
            raise InputError("kind", f"must be one of {', '.join(_REPORTS)} or parquet, got {kind!r:.20}")
        path = run.out.with_suffix(f".{kind}")
        summary.report(path)
        return FileResponse(path, filename=path.name)

    def _ratings(self) -> tuple[RatingRun, RatingSummary]:
        """Return the last run and its summary.

        Raises:
            InputError: there is none, or it has not ended.
        """
        run = self._run
        summary = None if run is None else run.summary
        if run is None or summary is None:
            raise InputError("there are no ratings yet: rate a question first")
        return run, summary

    def _rate(
        self,
        file: Path,
        stored: StoredSurvey,
        columns: RatingColumns,
        scale: str,
        settings: RaterSettings,
        out: Path,
    ) -> RatingSummary:
        """Rate a question as the command does."""
        task = current_task()
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
            out=out,
            settings=shared.parts,
            progress=task.report,
        )
        report = lint(rater.scale, embedder=embedder, readout=rater.settings.applied_readout)
        return replace(summary, lint=report)


def rate_router(project: Project, reader: SurveyReader, work: BackgroundWork, models: Models) -> APIRouter:
    """Return the routes of the page, and of the page on which a scale is written.

    Args:
        project: the project that is open.
        reader: reads its file.
        work: threads for runs.
        models: loads the model.
    """
    router, rate = APIRouter(), RatePage(project, reader, work, models)
    routes: tuple[tuple[str, str, Callable[..., Any]], ...] = (
        ("GET", "/rate", rate.show),
        ("GET", "/rate/progress", rate.progress),
        ("GET", "/rate/texts", rate.texts),
        ("POST", "/rate", rate.start),
        ("POST", "/rate/stop", rate.stop),
        ("POST", "/rate/export/{kind}", rate.export),
    )
    for method, path, route in routes:
        router.add_api_route(path, route, methods=[method], response_class=Response)
    router.include_router(scale_router(project, reader, work, models))
    return router


@dataclass(frozen=True)
class RatedTexts:
    """Texts of a run that meet the filters of the page.

    Attributes:
        rows: the texts that are shown, with their ratings.
        n: number of texts that meet the filters.
        start: number of texts before the first that is shown.
        filters: the filters, by name.
        statuses: statuses that occur.
        groups: values of the group.
    """

    rows: list[dict[str, Any]]
    n: int
    start: int
    filters: Mapping[str, str]
    statuses: list[str]
    groups: list[str]

    @property
    def tallest(self) -> float:
        """Greatest probability of a point, to which small figures are scaled."""
        return max((mass or 0.0 for row in self.rows for mass in row["masses"]), default=1.0) or 1.0

    @property
    def previous_start(self) -> int | None:
        """Position of the previous texts; ``None`` at the beginning."""
        return max(self.start - SHOWN, 0) if self.start else None

    @property
    def next_start(self) -> int | None:
        """Position of the next texts; ``None`` at the end."""
        after = self.start + SHOWN
        return after if after < self.n else None


def _texts(run: RatingRun, summary: RatingSummary, query: Mapping[str, str]) -> RatedTexts:
    """Read the texts of a run that meet the filters of the page."""
    table = pl.scan_parquet(run.out).with_row_index("row", 1)
    titles = table.collect_schema().names()
    text, group = run.text_column, summary.by if summary.by in titles else ""
    filters = {name: query.get(name, "") for name in ("status", "point", "group", "words")}
    status, mode = pl.col(f"{PREFIX}status"), pl.col(f"{PREFIX}mode")
    conditions = [
        pl.col(text).cast(pl.String).str.contains_any([filters["words"]], ascii_case_insensitive=True)
        if filters["words"]
        else None,
        status == filters["status"] if filters["status"] else None,
        mode.cast(pl.Float64) == _number(filters["point"], math.nan) if filters["point"] else None,
        pl.col(group).cast(pl.String) == filters["group"] if filters["group"] and group else None,
    ]
    found = table
    for condition in conditions:
        found = found if condition is None else found.filter(condition)
    n = int(found.select(pl.len()).collect().item())
    start = position_in(query, n)
    masses = [PREFIX + name for name in mass_names(summary.scale.values)]
    wanted = {"row": pl.col("row"), "text": pl.col(text), "status": status, "mean": pl.col(f"{PREFIX}mean")}
    wanted["masses"] = pl.concat_list(masses)
    rows = found.slice(start, SHOWN).select(**wanted).collect().to_dicts()
    groups = table.select(pl.col(group).cast(pl.String).unique().sort()) if group else None
    return RatedTexts(
        rows=rows,
        n=n,
        start=start,
        filters=filters,
        statuses=table.select(status.unique().sort()).collect().to_series().to_list(),
        groups=[] if groups is None else groups.collect().to_series().drop_nulls().to_list(),
    )


def _number(text: str, otherwise: float) -> float:
    try:
        return float(text)
    except ValueError:
        return otherwise


def _scale_stem(scale: str) -> str:
    """Return the name of a scale in names of files."""
    return file_stem(scale.removesuffix(".yaml").removeprefix("scales/"))


def _command(file: Path, columns: RatingColumns, scale: str, settings: RaterSettings, out: Path) -> str:
    words = ["semscale", "rate", file.name, "--text", columns.text, "--scale", scale]
    for name in columns.by:
        words += ["--by", name]
    for name in ("weight", "respondent"):
        if value := getattr(columns, name):
            words += [option_name(name), value]
    words += option_words(settings, _SETTINGS)
    return shlex.join([*words, "--out", str(out)])
