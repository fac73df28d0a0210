"""Tables of a synthetic panel's answers as agencies deliver them: questions by concepts or by groups."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from urllib.parse import quote

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.messages import unknown_name
from semscale.stats.survey.design import SurveyDesign
from semscale.study.panel.synthetic_panel import ID, WEIGHT
from semscale.study.questionnaire import METHODS, SurveyQuestion
from semscale.study.result import StudyResult
from semscale.study.summary.study_summary import asked_models
from semscale.tabulation.asked.banner import Banner, read_banner
from semscale.tabulation.asked.question import Question, QuestionKind, scale_lines
from semscale.tabulation.asked.scale_points import point_name
from semscale.tabulation.plan import TablePlan
from semscale.tabulation.sample_columns import SampleColumns
from semscale.tabulation.summary import Crosstabs
from semscale.tabulation.tables.tabulating import TestSettings, tabulated
from semscale.types import Floats, Integers

CONCEPT = "concept"
"""The banner of tables where nobody names another."""

_PICKED = ("flr", "dlr")


def panel_tables(
    result: StudyResult,
    *,
    questions: Sequence[str] = (),
    banners: Sequence[str] = (),
    method: str | None = None,
    model: str | None = None,
    tests: TestSettings | None = None,
) -> Crosstabs:
    """Tabulate a panel's answers by one method and one model.

    Each persona counts once for each concept, with its weight, and with the mean of its samples. All answers
    of a persona are drawn together, so that concepts are compared within personas.

    Args:
        result: of a run; ``read_study`` reads one.
        questions: names; all that have the method unless given.
        banners: ``"concept"`` or attributes of personas; the concepts unless given.
        method: that measured the answers; the first one of the first question unless given.
        model: that gave the answers; the first one of the study unless given.
        tests: how cells are tested.

    Raises:
        UnknownNameError: a question, attribute, method or model that the study lacks.
        InputError: a question without the method, or no rating.
    """
    models = asked_models(result.answers)
    result = _answered_by(result, model, models)
    design, tests = result.design, tests or TestSettings()
    asked = {each.name: each for each in design.questionnaire.questions}
    if unknown := next((name for name in questions if name not in asked), None):
        raise unknown_name("question of the study", unknown, tuple(asked))
    wanted = [asked[name] for name in questions] or list(asked.values())
    chosen = method or wanted[0].methods[0]
    kept = _with_method(wanted, chosen, named=bool(questions))
    rows = _persons_and_concepts(result)
    weighted = design.panel.weights is not None
    weights = rows[WEIGHT].to_numpy() if weighted else np.ones(rows.height)
    made = [_question(each, chosen, result, rows) for each in kept]
    names = tuple(banners) or (CONCEPT,)
    plan = TablePlan(
        tuple(each.name for each in kept),
        names,
        SampleColumns(weight=WEIGHT if weighted else None, cluster=ID),
        tests,
    )
    shown = [_banner(rows, name, result) for name in names]
    survey = SurveyDesign(weights, clusters=rows[ID].rank("dense").to_numpy().astype(np.int64))
    return Crosstabs(
        source=design.name,
        n=rows.height,
        left_out={},
        tables=tuple(tabulated(made, shown, survey, tests)),
        plan=plan,
        sample_notes=tuple(_said(result, wanted, chosen, kept, models)),
        measured={
            "panel": design.panel.content_hash,
            "questionnaire": design.questionnaire.content_hash,
            "method": chosen,
            **({"model": quote(result.answers["asked_model"][0], safe=" /")} if models else {}),
        },
    )


def _answered_by(result: StudyResult, model: str | None, models: tuple[str, ...]) -> StudyResult:
    """Keep the answers of one model.

    Args:
        result: of a run.
        model: its name; the first one unless given.
        models: of the study; empty where there is one alone.
    """
    known = models or (str(result.answers["asked_model"][0]),)
    if model is not None and model not in known:
        raise unknown_name("model of the study", model, known)
    return replace(result, answers=result.answers.filter(asked_model=model or known[0]))


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


def _persons_and_concepts(result: StudyResult) -> pl.DataFrame:
    """Lay out a row for each persona and concept, with attributes and weights."""
    concepts = [concept.name for concept in result.design.questionnaire.concepts]
    panel = result.design.panel
    if CONCEPT in panel.fields:
        raise InputError(
            f"panel: an attribute is called {CONCEPT!r}, as the concepts: rename it, and run again"
        )
    pairs = pl.DataFrame(list(product(panel.ids, concepts)), schema=[ID, CONCEPT], orient="row")
    return pairs.join(panel.to_frame(), on=ID, how="left", maintain_order="left")


def _question(asked: SurveyQuestion, method: str, result: StudyResult, rows: pl.DataFrame) -> Question:
    """Lay the answers to a question out: points where one was picked, else probabilities."""
    own = result.answers.filter(
        (pl.col("question") == asked.name) & (pl.col("method") == method) & pl.col("pmf").is_not_null()
    )
    if not own.height:
        raise InputError(f"question: no answer to {asked.name!r} by {method!r} has a rating")
    scale = asked.scale
    columns = [pl.col("pmf").list.get(place).mean().alias(f"p{place}") for place in range(scale.n_points)]
    means = own.group_by(ID, CONCEPT).agg(*columns)
    joined = rows.select(ID, CONCEPT).join(means, on=[ID, CONCEPT], how="left", maintain_order="left")
    masses = joined.select(f"p{place}" for place in range(scale.n_points)).to_numpy().astype(np.float64)
    words = {f"{point.value:g}": point.label for point in scale.points}
    values = [float(value) for value in scale.values]
    lines, weights = scale_lines(values, [point_name(value, words) for value in values])
    answers, kind = _answers(masses, method)
    return Question(asked.name, asked.text, kind, lines, answers, weights, (_NOTE,))


def _answers(masses: Floats, method: str) -> tuple[Floats | Integers, QuestionKind]:
    known = ~np.isnan(masses).any(axis=1)
    if method in _PICKED and (masses[known].max(axis=1) == 1).all():
        return np.where(known, np.nan_to_num(masses).argmax(axis=1), -1), "scale"
    return masses, "rated text"


_NOTE = (
    "no people were asked: bases count each persona once for each concept, and intervals are simulation "
    "intervals, about other personas drawn alike and answered by the same model"
)


def _banner(rows: pl.DataFrame, name: str, result: StudyResult) -> Banner:
    if name == CONCEPT:
        order = {concept.name: concept.name for concept in result.design.questionnaire.concepts}
        return read_banner(rows[CONCEPT], labels=order)
    fields = result.design.panel.fields
    if name not in fields:
        raise unknown_name("banner", name, (CONCEPT, *fields))
    return read_banner(rows[name])


def _said(
    result: StudyResult,
    wanted: list[SurveyQuestion],
    method: str,
    kept: list[SurveyQuestion],
    models: tuple[str, ...],
) -> list[str]:
    """Say whose answers these are, and by which of the methods."""
    others = [name for name in METHODS if name != method and any(name in each.methods for each in wanted)]
    n = len(result.design.panel)
    further = f"; --method shows {' or '.join(others)}" if others else ""
    said = [
        f"answers of {n:,} personas that a model played, by {method} alone{further}; no people were asked"
    ]
    if models:
        one = result.answers["asked_model"][0]
        rest = " or ".join(name for name in models if name != one)
        said.append(f"answered by {one} alone; --model shows {rest}")
    if len(kept) < len(wanted):
        left = ", ".join(each.name for each in wanted if each not in kept)
        said.append(f"without a table, as {method} did not measure them: {left}")
    if result.n_unfinished:
        said.append(f"not asked for, as the run was stopped: {result.n_unfinished:,} answers")
    return said
