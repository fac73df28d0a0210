"""Tables of a synthetic panel's answers as agencies deliver them: questions by concepts or by groups."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from urllib.parse import quote

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.messages import unknown_name
from semscale.stats.survey.design import SurveyDesign
from semscale.store.column_labels import ColumnLabels
from semscale.study.panel.synthetic_panel import ID, WEIGHT
from semscale.study.questionnaire import METHODS, SurveyQuestion
from semscale.study.result import StudyResult
from semscale.study.summary.study_summary import asked_models
from semscale.tabulation.answers import point_name
from semscale.tabulation.banners import Banner, read_banner
from semscale.tabulation.crosstabs import Crosstabs
from semscale.tabulation.figures import Crosstab, tabulate
from semscale.tabulation.questions import Question, QuestionKind, scale_lines
from semscale.tabulation.settings import SampleColumns, TablePlan, TestSettings
from semscale.types import Floats, Integers

CONCEPT = "concept"
"""The banner of tables where nobody names another."""

MODEL = "model"
"""The banner that puts the models of a study beside each other."""

_ASKED = "asked_model"
_PICKED = ("flr", "dlr")
_KEYS = [ID, CONCEPT, _ASKED]


def panel_tables(
    result: StudyResult,
    *,
    questions: Sequence[str] = (),
    banners: Sequence[str] = (),
    method: str | None = None,
    model: str | Sequence[str] | None = None,
    tests: TestSettings | None = None,
) -> Crosstabs:
    """Tabulate a panel's answers by one method, each model by itself.

    Each persona counts once for each concept, with its weight, and with the mean of its samples. All answers
    of a persona are drawn together, so that concepts, and models, are compared within personas.

    Args:
        result: of a run; ``read_study`` reads one.
        questions: names; all that have the method unless given.
        banners: ``"concept"`` or attributes of personas, for each model; or ``"model"``, the models beside
            each other; the concepts unless given.
        method: that measured the answers; the first one of the first question unless given.
        model: that gave the answers, one or several; all models of the study unless given.
        tests: how cells are tested.

    Raises:
        UnknownNameError: a question, attribute, method or model that the study lacks.
        InputError: a question without the method, or no rating.
    """
    models = _chosen_models(result, model)
    design, tests = result.design, tests or TestSettings()
    asked = {each.name: each for each in design.questionnaire.questions}
    if unknown := next((name for name in questions if name not in asked), None):
        raise unknown_name("question of the study", unknown, tuple(asked))
    wanted = [asked[name] for name in questions] or list(asked.values())
    chosen = method or wanted[0].methods[0]
    kept = _with_method(wanted, chosen, named=bool(questions))
    names = tuple(banners) or (CONCEPT,)
    sample = SampleColumns(weight=None if design.panel.weights is None else WEIGHT, cluster=ID)
    plan = TablePlan(tuple(each.name for each in kept), names, sample, tests)
    rated = _RatedPanel(result, chosen, models)
    rated.check(kept, names)
    return Crosstabs(
        source=design.name,
        n=len(design.panel) * len(design.questionnaire.concepts) * len(models),
        left_out={},
        tables=tuple(rated.tables(kept, names, tests)),
        plan=plan,
        sample_notes=tuple(_said(rated, wanted, kept)),
        measured={
            "panel": design.panel.content_hash,
            "questionnaire": design.questionnaire.content_hash,
            "method": chosen,
            **({"model": "+".join(quote(one, safe=" /") for one in models)} if rated.all_models else {}),
        },
    )


def _chosen_models(result: StudyResult, model: str | Sequence[str] | None) -> tuple[str, ...]:
    """Name the models whose answers are tabulated, each once.

    Args:
        result: of a run.
        model: names; all models of the study unless given.
    """
    known = asked_models(result.answers) or (str(result.answers[_ASKED][0]),)
    named = (model,) if isinstance(model, str) else tuple(dict.fromkeys(model or ()))
    if unknown := next((name for name in named if name not in known), None):
        raise unknown_name("model of the study", unknown, known)
    return named or known


def _with_method(wanted: list[SurveyQuestion], method: str, *, named: bool) -> list[SurveyQuestion]:
    """Keep the questions that were measured by a method."""
    known = [name for name in METHODS if any(name in each.methods for each in wanted)]
    if method not in known:
        raise unknown_name("method of these questions", method, known)
    lacking = [each.name for each in wanted if method not in each.methods]
    if lacking and named:
        raise InputError(
            f"question: {lacking[0]!r} was not measured by {method!r}: leave it out (--question)"
        )
    return [each for each in wanted if method in each.methods]


@dataclass(frozen=True, eq=False)
class _RatedPanel:
    """The ratings of a run by one method.

    Attributes:
        result: of the run.
        method: that measured the answers.
        models: that gave them.
    """

    result: StudyResult
    method: str
    models: tuple[str, ...]

    @property
    def all_models(self) -> tuple[str, ...]:
        """Models of the study; empty where there is one alone."""
        return asked_models(self.result.answers)

    def check(self, questions: Sequence[SurveyQuestion], banners: Sequence[str]) -> None:
        """Check banners, and that each question has a rating.

        Raises:
            UnknownNameError: a banner that the study lacks.
            InputError: a name for two things, or a question without any rating.
        """
        fields = self.result.design.panel.fields
        for taken, what in ((CONCEPT, "the concepts"), (_ASKED, "the column of models")):
            if taken in fields:
                raise InputError(
                    f"panel: an attribute is called {taken!r}, as {what}: rename it, and run again"
                )
        for name in banners:
            self._check_banner(name)
        for each in questions:
            if not self.ratings(each, self.models).height:
                raise InputError(f"question: no answer to {each.name!r} by {self.method!r} has a rating")

    def _check_banner(self, name: str) -> None:
        """Check that the study has a banner, under no other name."""
        fields = self.result.design.panel.fields
        known = (CONCEPT, *([MODEL] if len(self.models) > 1 else []), *fields)
        if name == MODEL and name not in known and self.all_models:
            raise InputError(
                f"banner: {MODEL!r} compares models, and {self.models[0]!r} alone is tabulated: name another "
                "model, too, or leave the banner out"
            )
        if name not in known:
            raise unknown_name("banner", name, known)
        if name == MODEL and known.count(MODEL) > 1:
            raise InputError(
                f"banner: {MODEL!r} is an attribute of the personas, and the models of the study: rename "
                "the attribute, and run again"
            )

    def ratings(self, question: SurveyQuestion, models: Sequence[str]) -> pl.DataFrame:
        """Keep the answers to a question that have a rating, by some models."""
        return self.result.answers.filter(
            (pl.col("question") == question.name)
            & (pl.col("method") == self.method)
            & pl.col("pmf").is_not_null()
            & pl.col(_ASKED).is_in(list(models))
        )

    def tables(
        self, questions: Sequence[SurveyQuestion], banners: Sequence[str], tests: TestSettings
    ) -> Iterator[Crosstab]:
        """Tabulate questions by banners, each model by itself, and by models, question by question."""
        apart = [name for name in banners if name != MODEL or len(self.models) == 1]
        for question in questions:
            if MODEL in banners and len(self.models) > 1:
                yield from self._of_models(question, self.models, [MODEL], tests)
            for model in self.models:
                if self.ratings(question, [model]).height:
                    yield from self._of_models(question, [model], apart, tests)

    def _of_models(
        self, question: SurveyQuestion, models: Sequence[str], banners: Sequence[str], tests: TestSettings
    ) -> Iterator[Crosstab]:
        rows = self._persons_and_concepts(models)
        one = models[0] if len(models) == 1 and self.all_models else ""
        shown = [replace(_banner(rows, name, self.result, models), answered_by=one) for name in banners]
        weighted = self.result.design.panel.weights is not None
        weights = rows[WEIGHT].to_numpy() if weighted else np.ones(rows.height)
        survey = SurveyDesign(weights, clusters=rows[ID].rank("dense").to_numpy().astype(np.int64))
        yield from tabulate([self._question(question, rows, models)], shown, survey, tests)

    def _persons_and_concepts(self, models: Sequence[str]) -> pl.DataFrame:
        """Lay out a row for each persona, concept and model, with attributes and weights."""
        panel = self.result.design.panel
        concepts = [concept.name for concept in self.result.design.questionnaire.concepts]
        pairs = pl.DataFrame(list(product(panel.ids, concepts, models)), schema=_KEYS, orient="row")
        return pairs.join(panel.to_frame(), on=ID, how="left", maintain_order="left")

    def _question(self, asked: SurveyQuestion, rows: pl.DataFrame, models: Sequence[str]) -> Question:
        """Lay the answers to a question out: points where one was picked, else probabilities."""
        scale = asked.scale
        columns = [pl.col("pmf").list.get(place).mean().alias(f"p{place}") for place in range(scale.n_points)]
        means = self.ratings(asked, models).group_by(_KEYS).agg(*columns)
        joined = rows.select(_KEYS).join(means, on=_KEYS, how="left", maintain_order="left")
        masses = joined.select(f"p{place}" for place in range(scale.n_points)).to_numpy().astype(np.float64)
        words = {f"{point.value:g}": point.label for point in scale.points}
        values = [float(value) for value in scale.values]
        lines, weights = scale_lines(values, [point_name(value, words) for value in values])
        answers, kind = _answers(masses, self.method)
        return Question(asked.name, asked.text, kind, lines, answers, weights, (_NOTE,))


def _answers(masses: Floats, method: str) -> tuple[Floats | Integers, QuestionKind]:
    known = ~np.isnan(masses).any(axis=1)
    if method in _PICKED and (masses[known].max(axis=1) == 1).all():
        return np.where(known, np.nan_to_num(masses).argmax(axis=1), -1), "scale"
    return masses, "rated text"


_NOTE = (
    "no people were asked: bases count each persona once for each concept and model, and intervals are "
    "simulation intervals, about other personas drawn alike and answered by the same model"
)


def _banner(rows: pl.DataFrame, name: str, result: StudyResult, models: Sequence[str]) -> Banner:
    if name == CONCEPT:
        order = {concept.name: concept.name for concept in result.design.questionnaire.concepts}
        return read_banner(rows[CONCEPT], ColumnLabels(values=order))
    if name == MODEL and len(models) > 1:
        return read_banner(rows[_ASKED].alias(MODEL), ColumnLabels(values={one: one for one in models}))
    return read_banner(rows[name])


def _said(rated: _RatedPanel, wanted: list[SurveyQuestion], kept: list[SurveyQuestion]) -> Iterator[str]:
    """Say whose answers these are, by which of the methods, and what has no table."""
    method, models = rated.method, rated.models
    others = [name for name in METHODS if name != method and any(name in each.methods for each in wanted)]
    n = len(rated.result.design.panel)
    further = f"; --method shows {' or '.join(others)}" if others else ""
    yield f"answers of {n:,} personas that a model played, by {method} alone{further}; no people were asked"
    rest = [name for name in rated.all_models if name not in models]
    if len(models) > 1:
        yield (
            f"each of {len(models)} models has columns of its own: {', '.join(models)}; letters compare "
            f"columns of one model, and --banner {MODEL} compares models"
        )
    if rest:
        alone = " alone" if len(models) == 1 else ""
        yield f"answered by {', '.join(models)}{alone}; --model shows {' or '.join(rest)}"
    if len(kept) < len(wanted):
        left = ", ".join(each.name for each in wanted if each not in kept)
        yield f"without a table, as {method} did not measure them: {left}"
    for each in kept:
        if lacking := [one for one in models if not rated.ratings(each, [one]).height]:
            yield f"without a table of {each.name}, as no answer has a rating: {', '.join(lacking)}"
    if rated.result.n_unfinished:
        yield f"not asked for, as the run was stopped: {rated.result.n_unfinished:,} answers"
