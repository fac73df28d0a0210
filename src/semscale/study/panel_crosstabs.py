"""Crosstabs of a synthetic panel's answers: questions by concepts, groups or models."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from urllib.parse import quote

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.messages import unknown_name
from semscale.spelling import hint
from semscale.stats.survey_designs import SurveyDesign
from semscale.store.table import ColumnLabels
from semscale.study.panel import ID, WEIGHT
from semscale.study.questionnaire import METHODS, StudyQuestion
from semscale.study.result import StudyResult
from semscale.study.study_figures import CONCEPT, models_asked, scale_of
from semscale.tabulation.banners import Banner, read_banner
from semscale.tabulation.crosstab_figures import Crosstab, tabulate
from semscale.tabulation.crosstabs import Crosstabs
from semscale.tabulation.lines import TabulatedQuestion, scale_lines
from semscale.tabulation.settings import CrosstabSettings, TestSettings

MODEL = "model"
"""The banner that compares the models of a study."""

_ASKED = "asked_model"
_PICKED = ("flr", "dlr")
_KEYS = [ID, CONCEPT, _ASKED]
_NOTE = (
    "no people were asked: bases count each persona once for each concept and model, and intervals are "
    "simulation intervals, about other personas, drawn in the same way and answered by the same model"
)


def panel_tables(
    result: StudyResult,
    *,
    questions: Sequence[str] = (),
    banners: Sequence[str] = (),
    method: str | None = None,
    model: str | Sequence[str] | None = None,
    tests: TestSettings | None = None,
) -> Crosstabs:
    """Tabulate a panel's answers by one method, each model separately.

    Each persona counts once per concept, with its weight and the mean of its samples. All answers of a
    persona are a cluster, so that concepts and models are compared within personas.

    Args:
        result: result of a run; ``read_study`` reads one.
        questions: names of questions; by default all questions with the method.
        banners: ``"concept"`` (the default) or attributes of personas, for each model; or ``"model"``, which
            compares the models.
        method: method that measured the answers; by default the first method of the first question.
        model: one or more models that answered; by default all models of the study.
        tests: settings of the significance tests.

    Raises:
        UnknownNameError: the study lacks the question, attribute, method or model.
        InputError: a question lacks the method, or there is no rating.
    """
    design, tests = result.design, tests or TestSettings()
    known = {asked.name: asked for asked in design.questionnaire.questions if asked.scale is not None}
    if not known:
        raise InputError("the study has no question with a scale, and tables show these alone")
    if unknown := next((name for name in questions if name not in known), None):
        raise unknown_name("question of the study", unknown, tuple(known))
    wanted = [known[name] for name in questions] or list(known.values())
    method = method or wanted[0].methods[0]
    measured = _with_method(wanted, method, named=bool(questions))
    names = tuple(banners) or (CONCEPT,)
    panel = _RatedPanel(result, method, _choose_models(result, model))
    panel.check(measured, names)
    settings = CrosstabSettings(
        questions=tuple(question.name for question in measured),
        banners=names,
        weight=None if design.panel.weights is None else WEIGHT,
        cluster=ID,
        min_base=tests.min_base,
        adjust=tests.adjust,
        level=tests.level,
    )
    models = {"model": "+".join(quote(name, safe=" /") for name in panel.models)} if panel.all_models else {}
    return Crosstabs(
        source=design.name,
        n=len(design.panel) * len(design.questionnaire.concepts) * len(panel.models),
        left_out={},
        tables=tuple(panel.tables(measured, names, tests)),
        settings=settings,
        sample_notes=tuple(_notes(panel, wanted, measured)),
        measured={
            "panel": design.panel.content_hash,
            "questionnaire": design.questionnaire.content_hash,
            "method": method,
            **models,
        },
    )


def _choose_models(result: StudyResult, model: str | Sequence[str] | None) -> tuple[str, ...]:
    known = models_asked(result.answers) or (str(result.answers[_ASKED][0]),)
    chosen = (model,) if isinstance(model, str) else tuple(dict.fromkeys(model or ()))
    if unknown := next((name for name in chosen if name not in known), None):
        raise unknown_name("model of the study", unknown, known)
    return chosen or known


def _with_method(wanted: list[StudyQuestion], method: str, *, named: bool) -> list[StudyQuestion]:
    """Return the questions measured by a method; questions named by the user must all have it."""
    known = [name for name in METHODS if any(name in question.methods for question in wanted)]
    if method not in known:
        raise unknown_name("method of these questions", method, known)
    lacking = next((question.name for question in wanted if method not in question.methods), None)
    if lacking is not None and named:
        raise InputError(
            "question", f": {lacking!r} was not measured by {method!r}: leave it out (`question`)"
        )
    return [question for question in wanted if method in question.methods]


@dataclass(frozen=True, eq=False)
class _RatedPanel:
    """The ratings of a run by one method.

    Attributes:
        result: result of the run.
        method: method that measured the answers.
        models: models that answered.
    """

    result: StudyResult
    method: str
    models: tuple[str, ...]

    @property
    def all_models(self) -> tuple[str, ...]:
        """Models of the study; empty if it has one model."""
        return models_asked(self.result.answers)

    def check(self, questions: Sequence[StudyQuestion], banners: Sequence[str]) -> None:
        """Check banners, and that each question has a rating.

        Raises:
            UnknownNameError: the study lacks a banner.
            InputError: a name is ambiguous, or a question has no rating.
        """
        fields = self.result.design.panel.fields
        for reserved, what in ((CONCEPT, "the concepts"), (_ASKED, "the column of models")):
            if reserved in fields:
                raise InputError(
                    "panel", f": an attribute is called {reserved!r}, as {what}: rename it, and run again"
                )
        for name in banners:
            self._check_banner(name)
        for question in questions:
            if not self.ratings(question, self.models).height:
                raise InputError(
                    "question", f": no answer to {question.name!r} by {self.method!r} has a rating"
                )

    def _check_banner(self, name: str) -> None:
        fields = self.result.design.panel.fields
        known = (CONCEPT, *([MODEL] if len(self.models) > 1 else []), *fields)
        if name == MODEL and name not in known and self.all_models:
            raise InputError(
                "banner",
                f": {MODEL!r} compares models, and {self.models[0]!r} alone is tabulated: name another "
                "model, too, or leave the banner out",
            )
        if name not in known:
            raise unknown_name("banner", name, known)
        if name == MODEL and known.count(MODEL) > 1:
            raise InputError(
                "banner",
                f": {MODEL!r} is an attribute of the personas, and the models of the study: rename "
                "the attribute, and run again",
            )

    def ratings(self, question: StudyQuestion, models: Sequence[str]) -> pl.DataFrame:
        """Return the answers of these models to a question that have a rating."""
        return self.result.answers.filter(
            (pl.col("question") == question.name)
            & (pl.col("method") == self.method)
            & pl.col("pmf").is_not_null()
            & pl.col(_ASKED).is_in(list(models))
        )

    def tables(
        self, questions: Sequence[StudyQuestion], banners: Sequence[str], tests: TestSettings
    ) -> Iterator[Crosstab]:
        """Tabulate each question by banners for each model separately, and by models."""
        by_model = [name for name in banners if name != MODEL or len(self.models) == 1]
        for question in questions:
            if MODEL in banners and len(self.models) > 1:
                yield from self._tables(question, self.models, [MODEL], tests)
            for model in self.models:
                if self.ratings(question, [model]).height:
                    yield from self._tables(question, [model], by_model, tests)

    def _tables(
        self, question: StudyQuestion, models: Sequence[str], banners: Sequence[str], tests: TestSettings
    ) -> Iterator[Crosstab]:
        design = self.result.design
        concepts = [concept.name for concept in design.questionnaire.concepts]
        pairs = pl.DataFrame(list(product(design.panel.ids, concepts, models)), schema=_KEYS, orient="row")
        rows = pairs.join(design.panel.to_frame(), on=ID, how="left", maintain_order="left")
        alone = models[0] if len(models) == 1 and self.all_models else ""
        shown = [replace(_banner(rows, name, concepts, models), answered_by=alone) for name in banners]
        weights = np.ones(rows.height) if design.panel.weights is None else rows[WEIGHT].to_numpy()
        survey = SurveyDesign(weights, clusters=rows[ID].rank("dense").to_numpy().astype(np.int64))
        yield from tabulate([self._question(question, rows, models)], shown, survey, tests)

    def _question(self, asked: StudyQuestion, rows: pl.DataFrame, models: Sequence[str]) -> TabulatedQuestion:
        """Return the answers to a question: points if every answer picked one, otherwise probabilities."""
        scale = scale_of(asked)
        names = [f"p{point}" for point in range(scale.n_points)]
        means = [pl.col("pmf").list.get(point).mean().alias(name) for point, name in enumerate(names)]
        rated = self.ratings(asked, models).group_by(_KEYS).agg(*means)
        joined = rows.select(_KEYS).join(rated, on=_KEYS, how="left", maintain_order="left")
        masses = joined.select(names).to_numpy().astype(np.float64)
        values = [float(value) for value in scale.values]
        lines, weights = scale_lines(
            values, [f"{point.value:g} {point.label}".strip() for point in scale.points]
        )
        known = ~np.isnan(masses).any(axis=1)
        # The mean of samples that pick different points is not a point.
        if self.method in _PICKED and (masses[known].max(axis=1) == 1).all():
            points = np.where(known, np.nan_to_num(masses).argmax(axis=1), -1)
            return TabulatedQuestion(asked.name, asked.text, "scale", lines, points, weights, (_NOTE,))
        return TabulatedQuestion(asked.name, asked.text, "rated text", lines, masses, weights, (_NOTE,))


def _banner(rows: pl.DataFrame, name: str, concepts: Sequence[str], models: Sequence[str]) -> Banner:
    if name == CONCEPT:
        return read_banner(rows[CONCEPT], ColumnLabels(values={concept: concept for concept in concepts}))
    if name == MODEL and len(models) > 1:
        return read_banner(rows[_ASKED].alias(MODEL), ColumnLabels(values={model: model for model in models}))
    return read_banner(rows[name])


def _notes(panel: _RatedPanel, wanted: list[StudyQuestion], measured: list[StudyQuestion]) -> Iterator[str]:
    """Return notes on the models and the method of the answers, and on missing tables."""
    method, models = panel.method, panel.models
    further_methods = [
        name for name in METHODS if name != method and any(name in question.methods for question in wanted)
    ]
    n = len(panel.result.design.panel)
    further = hint(f"; --method shows {' or '.join(further_methods)}") if further_methods else ""
    yield f"answers of {n:,} personas that a model played, by {method} alone{further}; no people were asked"
    rest = [name for name in panel.all_models if name not in models]
    if len(models) > 1:
        yield (
            f"each of {len(models)} models has columns of its own: {', '.join(models)}; letters compare "
            "columns of one model" + hint(f", and --banner {MODEL} compares models")
        )
    if rest:
        alone = " alone" if len(models) == 1 else ""
        yield f"answered by {', '.join(models)}{alone}" + hint(f"; --chat-model shows {' or '.join(rest)}")
    if len(measured) < len(wanted):
        left = ", ".join(question.name for question in wanted if question not in measured)
        yield f"without a table, as {method} did not measure them: {left}"
    for question in measured:
        if lacking := [model for model in models if not panel.ratings(question, [model]).height]:
            yield f"without a table of {question.name}, as no answer has a rating: {', '.join(lacking)}"
    if panel.result.n_unfinished:
        yield f"not asked for, as the run was stopped: {panel.result.n_unfinished:,} answers"
