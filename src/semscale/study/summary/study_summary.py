"""The summary of a study: figures by concept, question and method, with what limits them."""

from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import polars as pl

from semscale.presentable import Presentable
from semscale.signature import Signature
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.study.asking.run_facts import RunFacts
from semscale.study.design import StudyDesign
from semscale.study.panel.synthetic_panel import ID, WEIGHT
from semscale.study.questionnaire import SurveyQuestion
from semscale.study.summary.counts import (
    MethodCost,
    StatusCounts,
    attribute_column,
    method_costs,
    status_counts,
)
from semscale.study.summary.level_differences import LevelDifference, level_differences
from semscale.study.summary.measures import PANEL_WEIGHT, QuestionMeasure, measure_of
from semscale.study.summary.method_pairs import MethodPair, method_pairs
from semscale.study.summary.model_pairs import ModelPair, model_pairs
from semscale.study.summary.order_effects import OrderEffect, order_effects
from semscale.study.summary.quotes import QuotedAnswer, quoted_answers
from semscale.study.summary.rerun_reliability import RerunReliability, answer_reliabilities
from semscale.study.summary.spreads import AnswerSpread, answer_spreads
from semscale.study.summary.unrated_answers import UnratedReason, unrated_reasons
from semscale.types import Status


@dataclass(frozen=True, repr=False)
class StudySummary(Presentable):
    """What a study found.

    Its intervals are *simulation intervals*: they say how far the figures would move with other personas
    drawn alike, answered by the same model. They say nothing about people.

    Attributes:
        design: what was asked, whom, and how.
        measures: for each question and method.
        differences: of every two concepts, and of every two groups of personas.
        reliabilities: of repeated answers; empty where personas are asked once.
        spreads: where the spread of answers comes from, over all models; empty where personas alone differ.
        pairs: every two methods of a question.
        orders: order effects; empty where each call stands alone.
        statuses: answers by status, for each method and group.
        costs: what answers took, by method.
        unrated: why answers have no rating, by method; the most frequent reason first.
        quotes: some answers in free words.
        facts: what the calls took, and why not everything was asked.
        plan: how intervals are made.
        signature: what was applied.
        models: names of the models that were asked; empty where there is one alone.
        model_pairs: every two models by each method; empty likewise.
        created: when.
    """

    design: StudyDesign
    measures: tuple[QuestionMeasure, ...]
    differences: tuple[LevelDifference, ...]
    reliabilities: tuple[RerunReliability, ...]
    spreads: tuple[AnswerSpread, ...]
    pairs: tuple[MethodPair, ...]
    orders: tuple[OrderEffect, ...]
    statuses: tuple[StatusCounts, ...]
    costs: tuple[MethodCost, ...]
    unrated: tuple[UnratedReason, ...]
    quotes: tuple[QuotedAnswer, ...]
    facts: RunFacts
    plan: IntervalPlan
    signature: Signature
    models: tuple[str, ...] = ()
    model_pairs: tuple[ModelPair, ...] = ()
    created: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __repr__(self) -> str:
        n_scored = self.counts.get(str(Status.SCORED), 0)
        return f"StudySummary({self.design.name!r}, n={sum(self.counts.values()):,}, n_scored={n_scored:,})"

    @property
    def counts(self) -> dict[str, int]:
        """All answers by status."""
        found: Counter[str] = Counter()
        for each in self.statuses:
            if each.attribute is None:
                found.update(each.counts)
        return dict(found)

    @property
    def reasons(self) -> dict[str, int]:
        """Why answers have no rating, in words, with their number; the most frequent first."""
        found: Counter[str] = Counter()
        for each in self.unrated:
            found[each.reason] += each.n
        return dict(found.most_common())

    @property
    def failed(self) -> str | None:
        """Why no answer has a rating; ``None`` where one has, or where nobody was asked."""
        if self.counts.get(str(Status.SCORED)) or self.facts.stopped is not None:
            return None
        return next(iter(self.reasons), None)

    def record(self) -> dict[str, Any]:
        """Lay the numbers out by name, for JSON."""
        design = self.design
        return {
            "instrument": "study run",
            "name": design.name,
            "source": design.source,
            "created": self.created,
            "model": self.facts.model,
            "models": self.models or [self.facts.model],
            "personas": len(design.panel),
            "panel_source": design.panel.source,
            "effective_personas": design.panel.effective_n,
            "samples": design.questionnaire.samples,
            "exposure": design.questionnaire.exposure,
            "concepts": [concept.name for concept in design.questionnaire.concepts],
            "counts": self.counts,
            "intervals": {"kind": "simulation", **self.plan.settings},
            "questions": [measure.record() for measure in self.measures],
            "differences": self.differences,
            "reliabilities": self.reliabilities,
            "spreads": self.spreads,
            "method_pairs": self.pairs,
            "model_pairs": self.model_pairs,
            "order_effects": self.orders,
            "statuses": self.statuses,
            "costs": self.costs,
            "reasons": self.reasons,
            "unrated": self.unrated,
            "quotes": self.quotes,
            "run": self.facts,
            "signature": self.signature,
        }


def summarize(
    design: StudyDesign,
    answers: pl.DataFrame,
    signature: Signature,
    facts: RunFacts,
    plan: IntervalPlan | None = None,
) -> StudySummary:
    """Sum the answers of a study up.

    Args:
        design: what was asked, whom, and how.
        answers: all of them, with the columns of ``SCHEMA``.
        signature: what was applied.
        facts: what the calls took.
        plan: how intervals are made; 95 % with the study's seed unless given.
    """
    plan = plan or IntervalPlan(seed=design.plan.seed)
    attributes = design.plan.groups
    rows = _with_attributes(answers, design)
    models = asked_models(answers)
    found = _Figures(design, signature, plan)
    for question in design.questionnaire.questions:
        own = rows.filter(question=question.name)
        for model in models or (None,):
            found.add(question, _answered_by(own, model), model)
        for method in question.methods:
            found.spreads += answer_spreads(question.name, method, own.filter(method=method), plan)
        found.model_pairs += model_pairs(question, own, models, plan)
    by_model = [(_answered_by(rows, model), model) for model in models or (None,)]
    unrated = [
        replace(each, model=model)
        for part, model in by_model
        for each in unrated_reasons(part, seed=design.plan.seed)
    ]
    return StudySummary(
        design,
        tuple(found.measures),
        tuple(found.differences),
        tuple(found.reliabilities),
        tuple(found.spreads),
        tuple(found.pairs),
        tuple(found.orders),
        tuple(
            replace(each, model=model) for part, model in by_model for each in status_counts(part, attributes)
        ),
        tuple(replace(each, model=model) for part, model in by_model for each in method_costs(part)),
        tuple(sorted(unrated, key=lambda each: -each.n)),
        tuple(found.quotes),
        facts,
        plan,
        signature.with_settings("estimate", plan.settings),
        models,
        tuple(found.model_pairs),
    )


@dataclass
class _Figures:
    """Figures about questions, collected one after the other."""

    design: StudyDesign
    signature: Signature
    plan: IntervalPlan
    measures: list[QuestionMeasure] = field(default_factory=list)
    differences: list[LevelDifference] = field(default_factory=list)
    reliabilities: list[RerunReliability] = field(default_factory=list)
    spreads: list[AnswerSpread] = field(default_factory=list)
    pairs: list[MethodPair] = field(default_factory=list)
    model_pairs: list[ModelPair] = field(default_factory=list)
    orders: list[OrderEffect] = field(default_factory=list)
    quotes: list[QuotedAnswer] = field(default_factory=list)

    def add(self, question: SurveyQuestion, rows: pl.DataFrame, model: str | None) -> None:
        """Add all figures of one question by one model."""
        design, plan, attributes = self.design, self.plan, self.design.plan.groups
        concepts = [concept.name for concept in design.questionnaire.concepts]
        self.pairs += [replace(each, model=model) for each in method_pairs(question, rows, plan)]
        quotes = quoted_answers(question, rows, seed=design.plan.seed)
        self.quotes += [replace(each, model=model) for each in quotes]
        for method in question.methods:
            part = rows.filter(method=method)
            self.orders += [
                replace(each, model=model) for each in order_effects(question, method, part, plan)
            ]
            differences = level_differences(
                question, method, part, concepts=concepts, attributes=attributes, interval=plan.interval
            )
            self.differences += [replace(each, model=model) for each in differences]
            reliabilities = answer_reliabilities(question, method, part, plan)
            self.reliabilities += [replace(each, model=model) for each in reliabilities]
            measure = measure_of(
                question, method, part, attributes=attributes, signature=self.signature, plan=plan
            )
            self.measures.append(replace(measure, model=model))


def asked_models(answers: pl.DataFrame) -> tuple[str, ...]:
    """Name the models that were asked, in the order of the study; empty where there is one alone."""
    names = tuple(answers["asked_model"].unique(maintain_order=True))
    return names if len(names) > 1 else ()


def _answered_by(rows: pl.DataFrame, model: str | None) -> pl.DataFrame:
    return rows if model is None else rows.filter(asked_model=model)


def _with_attributes(answers: pl.DataFrame, design: StudyDesign) -> pl.DataFrame:
    """Put attributes and weights of personas beside their answers."""
    panel = design.panel.to_frame()
    columns = [pl.col(name).alias(attribute_column(name)) for name in design.plan.groups]
    if design.panel.weights is not None:
        columns.append(pl.col(WEIGHT).alias(PANEL_WEIGHT))
    return answers.join(panel.select(ID, *columns), on=ID, how="left", maintain_order="left")
