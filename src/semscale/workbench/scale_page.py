"""The page on which a scale is written: its anchors, their effect on a sample of answers, and the linter."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

import numpy as np
from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from semscale.embedding.cache import CachedEmbedder, RememberingEmbedder
from semscale.embedding.embedder import Embedder
from semscale.errors import InputError
from semscale.rating.lint import LintReport, lint
from semscale.rating.rater import Rater
from semscale.rating.ratings import Ratings
from semscale.rating.settings import RatingColumns
from semscale.rating.summary import RatingSummary
from semscale.results.table_columns import resolve_columns
from semscale.scales.scale import Scale
from semscale.scales.scale_file import scale_text
from semscale.serving.background import BackgroundWork, Task, current_task
from semscale.stats.groups import GroupEstimate
from semscale.stats.sampling import RowSample
from semscale.types import Progress
from semscale.weights.known import DEFAULT_RATING_MODEL
from semscale.workbench.changes import Change
from semscale.workbench.models import Models
from semscale.workbench.pages import page, reading_page, redirect, router_of, status_of
from semscale.workbench.project import SCALES, Project, StoredSurvey
from semscale.workbench.runs import problem_of, result_of
from semscale.workbench.scale_form import ScaleForm, StoredScale, as_copy
from semscale.workbench.survey_view import SurveyReader

_SAMPLE = 500
_SEED = 0
_AT_ONCE = 50_000  # rows that are read at once to draw the sample
_MOST_REMEMBERED = 200  # scales whose figures stay in memory

Remembered = TypeVar("Remembered")

ScaleFields = Annotated[ScaleForm, Form()]


@dataclass(frozen=True)
class Distribution:
    """Figures of the sample by some anchor sets, now and before the change.

    Attributes:
        title: the anchor sets.
        now: by the sets as the form states them.
        before: by the stored sets; ``None`` if there are none.
    """

    title: str
    now: GroupEstimate
    before: GroupEstimate | None

    @property
    def tallest(self) -> float:
        """Greatest share of a point, now or before; 0 if no answer has a rating."""
        shares = [*self.now.pmf, *(self.before.pmf if self.before is not None else ())]
        return max((share.value for share in shares), default=0.0)


@dataclass(frozen=True)
class ProbeRating:
    """A probe, and the point that it is rated at.

    Attributes:
        text: the probe.
        expected: label of the point that it should have.
        rated: label of the most probable point; without a rating, its status.
        distance: number of points from the expected one to the most probable one; ``None`` without a rating.
    """

    text: str
    expected: str
    rated: str
    distance: int | None


class SampleTexts:
    """Answers whose vectors are in memory, so that an edited scale rates them in milliseconds.

    Args:
        texts: the answers.
        embedder: embeds them, and the anchors.
        progress: called while they are embedded.
    """

    def __init__(self, texts: Sequence[str], embedder: Embedder, progress: Progress | None = None) -> None:
        if isinstance(embedder, CachedEmbedder):  # else the first edited sentence would wait for the model
            embedder.embedder.embed([texts[0]])
        self._rater = Rater("quality", embedder=RememberingEmbedder(embedder))
        rated = self._rater.rate(texts, progress=progress)
        # The scale does not decide which texts the model reads.
        self._texts = [texts[row] for row in np.flatnonzero(np.isfinite(rated.similarity)).tolist()]
        self._vectors = self._rater.embedder.embed(self._texts).vectors
        self._ratings: dict[str, Ratings] = {}
        self._estimates: dict[str, GroupEstimate] = {}
        self._summaries: dict[str, RatingSummary] = {}

    def _ratings_on(self, scale: Scale) -> Ratings:
        """Rate the texts, once for each scale."""
        return _remember(self._ratings, scale, self._rate)

    def _rate(self, scale: Scale) -> Ratings:
        rater = self._rater.with_scale(scale)
        return rater.rate_vectors(self._vectors) if scale.aspect is None else rater.rate(self._texts)

    def summary(self, scale: Scale) -> RatingSummary:
        """Return the figures of all texts and the expected correlation, once for each scale."""
        return _remember(self._summaries, scale, lambda scale: self._ratings_on(scale).summarize())

    def estimate(self, scale: Scale) -> GroupEstimate:
        """Return the figures of all texts, once for each scale."""
        return _remember(self._estimates, scale, lambda scale: self._ratings_on(scale).estimate().overall)

    def lint(self, scale: Scale) -> LintReport:
        """Lint a scale; known sentences are not embedded again."""
        return lint(scale, embedder=self._rater.embedder)

    def rate_probes(self, scale: Scale) -> list[ProbeRating]:
        """Rate the probes of a scale, each as an answer."""
        rated = self._rater.with_scale(scale).rate([probe.text for probe in scale.probes])
        values, probes = scale.values.tolist(), []
        for probe, mode, status in zip(scale.probes, rated.mode.tolist(), rated.status, strict=True):
            expected = int(np.abs(scale.values - probe.level).argmin())
            point = values.index(mode) if mode in values else None
            label = str(status) if point is None else scale.labels[point]
            distance = None if point is None else point - expected
            probes.append(ProbeRating(probe.text, scale.labels[expected], label, distance))
        return probes


def _remember(known: dict[str, Remembered], scale: Scale, make: Callable[[Scale], Remembered]) -> Remembered:
    """Return what was made of a scale, or make and remember it; the oldest of many is forgotten."""
    key = scale.model_dump_json(exclude={"probes"})
    if key not in known:
        known[key] = make(scale)
        for oldest in list(known)[:-_MOST_REMEMBERED]:
            known.pop(oldest, None)
    return known[key]


class ScalePage:
    """The page, and what its form does; each is a route.

    Args:
        project: the project that is open.
        reader: reads its file.
        work: threads that read the sample.
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
        self._sample: tuple[tuple[Any, ...], Task[SampleTexts]] | None = None

    def show(self, request: Request) -> Response:
        """Show a scale, or the fields of a new one, and begin to read the sample."""
        query = request.query_params
        name, text = query.get("scale", ""), query.get("text", "")
        stored = StoredScale.read(self._project, name)
        form = ScaleForm.of_stored(name, stored) if name else ScaleForm.blank(query.get("points", ""))
        return self._render(form.model_copy(update={"text": text}), stored, is_loaded=True)

    def try_out(self, form: ScaleFields) -> Response:
        """Show the page as it is filled in, with a set added or removed if a button asks for it."""
        stored = StoredScale.read(self._project, form.scale)
        return self._render(form.with_change(), stored, adds=form.change == "add")

    def chart(self, form: ScaleFields) -> Response:
        """Show the effect on the sample alone, which follows each key."""
        stored = StoredScale.read(self._project, form.scale)
        return page("scale_chart", self._project, current="rate", form=form, **self._effect(form, stored))

    def check(self, form: ScaleFields) -> Response:
        """Show the linter's findings and the probes alone, which follow the chart."""
        stored = StoredScale.read(self._project, form.scale)
        return page("scale_check", self._project, current="rate", form=form, **self._findings(form, stored))

    def save(self, form: ScaleFields) -> Response:
        """Write the scale to its file, and choose it on the page of ratings; a mistake keeps the fields."""
        stored = StoredScale.read(self._project, form.scale)
        try:
            path = self._write(form, stored)
        except InputError as error:
            return self._render(form, stored, refused=error)
        return redirect("/rate", scale=f"{SCALES}/{path.name}")

    def _write(self, form: ScaleForm, stored: StoredScale) -> Path:
        """Write the scale to its file, and return the file.

        Raises:
            ConflictError: the file was changed since the page was shown, or another scale has its name.
            InputError: a field is wrong.
        """
        scale, path = form.apply(stored.scale), form.target(self._project, stored)
        is_own = path == stored.path
        if stored.scale is not None and not is_own:
            scale = as_copy(scale, stored.scale)
        before = stored.content if is_own else None
        content = scale_text(scale, before, source=path.name).encode()
        self._project.save_file(Change(f"change of {path.stem}", path, before, content, "/rate"))
        return path

    def _render(
        self,
        form: ScaleForm,
        stored: StoredScale,
        *,
        is_loaded: bool = False,
        adds: bool = False,
        refused: InputError | None = None,
    ) -> Response:
        """Render the whole page.

        Args:
            form: the fields.
            stored: the scale that they change.
            is_loaded: whether the page was just loaded, so that a sample that could not be read is tried
                again, and the linter follows the page.
            adds: whether a set was added, whose first field then has the focus.
            refused: reason why the scale was not saved.

        Raises:
            InputError: a field is missing, so that the form cannot be shown.
        """
        sets = form.sets
        file, survey = self._project.described_file()
        view = self._reader.view_if_read(file, survey)
        if view is None:
            return reading_page(self._project, self._reader, file, survey, current="rate")
        texts = {question.name: question.heading for question in view.survey.of_kind("open")}
        form = form.model_copy(update={"text": form.text if form.text in texts else next(iter(texts), "")})
        words = ["semscale", "scales", "lint", form.scale or f"{SCALES}/NAME.yaml", "--file", file.name]
        return page(
            "scale",
            self._project,
            current="rate",
            status=200 if refused is None else status_of(refused),
            refused="" if refused is None else str(refused),
            form=form,
            sets=sets,
            texts=texts,
            adds=adds,
            is_new=stored.scale is None,
            command=shlex.join([*words, "--text", form.text]),
            **self._effect(form, stored, tries_again=is_loaded),
            **({"report": None, "probes": []} if is_loaded else self._findings(form, stored)),
        )

    def _effect(self, form: ScaleForm, stored: StoredScale, *, tries_again: bool = False) -> dict[str, Any]:
        """Return the distributions of the sample by all sets, and by the set that is being written alone."""
        task = self._sample_of(form.text, tries_again=tries_again) if form.text else None
        sample = None if task is None else result_of(task)
        content: dict[str, Any] = {"task": task, "charts": [], "problem": "", "summary": None}
        if task is None or sample is None:
            return content | {"problem": "" if task is None else problem_of(task)}
        try:
            scale = form.apply(stored.scale)
        except InputError as error:  # half of a sentence is no mistake yet
            return content | {"problem": str(error)}
        summary, name, before = sample.summary(scale), form.current_set, None
        stored_figures = None if stored.scale is None else sample.summary(stored.scale).estimates.overall
        charts = [Distribution("all sets", summary.estimates.overall, stored_figures)]
        if len(scale.anchor_sets) > 1 and name in scale.anchor_sets:
            if stored.scale is not None and name in stored.scale.anchor_sets:
                before = sample.estimate(stored.scale.with_sets([name]))
            alone = sample.estimate(scale.with_sets([name]))
            charts.append(Distribution(f"‘{name}’ alone", alone, before))
        tallest = max(chart.tallest for chart in charts) or 1.0
        return content | {"charts": charts, "summary": summary, "tallest": tallest}

    def _findings(self, form: ScaleForm, stored: StoredScale) -> dict[str, Any]:
        """Return the linter's report and the rated probes; nothing while a sentence is missing."""
        task = self._sample_of(form.text) if form.text else None
        sample = None if task is None else result_of(task)
        nothing: dict[str, Any] = {"report": None, "probes": []}
        if sample is None:
            return nothing
        try:
            scale = form.apply(stored.scale)
        except InputError:  # the chart states it
            return nothing
        return {"report": sample.lint(scale), "probes": sample.rate_probes(scale)}

    def _sample_of(self, text: str, *, tries_again: bool = False) -> Task[SampleTexts]:
        """Return the task that reads a sample of a question's answers; it begins with the first call.

        Args:
            text: the question.
            tries_again: whether a task that failed is started again.
        """
        file, stored = self._project.described_file()
        key = (file, file.stat().st_mtime_ns, stored.content, text)
        known = self._sample
        if known is None or known[0] != key or (tries_again and problem_of(known[1])):
            if known is not None:
                known[1].cancel()
            known = self._sample = (key, self._work.submit(self._read_sample, file, stored, text))
        return known[1]

    def _read_sample(self, file: Path, stored: StoredSurvey, text: str) -> SampleTexts:
        """Draw different answers, and embed them.

        Raises:
            InputError: there are none, or the file cannot be read.
        """
        task = current_task()
        task.report("reading the answers", 0, None)
        table = self._reader.open_as_commands(file, stored.survey)
        table, columns = resolve_columns(RatingColumns(text=text), table, stored.survey)
        drawn, n = RowSample[str](_SAMPLE, _SEED), 0
        for batch in table.batches_with([columns.text], _AT_ONCE):
            cells = enumerate(columns.cells_in(batch, columns.text).to_list(), start=n)
            drawn.add((row, cell) for row, cell in cells if isinstance(cell, str) and cell.strip())
            n += batch.height
        if not drawn.items:
            raise InputError("text", f": {text} has no answers")
        embedder = self._models.load(DEFAULT_RATING_MODEL)
        return SampleTexts(list(dict.fromkeys(drawn.items)), embedder, task.report)


def scale_router(project: Project, reader: SurveyReader, work: BackgroundWork, models: Models) -> APIRouter:
    """Return the routes of the page.

    Args:
        project: the project that is open.
        reader: reads its file.
        work: threads that read the sample.
        models: loads the model.
    """
    scale = ScalePage(project, reader, work, models)
    return router_of(
        {
            "/rate/scale": scale.show,
        },
        {
            "/rate/scale": scale.save,
            "/rate/scale/try": scale.try_out,
            "/rate/scale/chart": scale.chart,
            "/rate/scale/check": scale.check,
        },
    )
