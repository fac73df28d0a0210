"""Summary of a study: its figures, and answers to read."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np
import polars as pl

from semscale.presentable import Presentable
from semscale.signature import Signature
from semscale.stats.intervals import IntervalPlan
from semscale.study.interviews import RunFacts
from semscale.study.questionnaire import TEXT_METHODS, StudyDesign, StudyQuestion
from semscale.study.study_figures import StudyFigures, models_asked, split_models, study_figures
from semscale.types import Status

QUOTES_PER_CONCEPT = 3
"""Number of answers that are drawn per concept."""


@dataclass(frozen=True)
class UnratedReason:
    """Answers without a rating for one reason.

    Attributes:
        method: method of the answers.
        status: status of these answers.
        reason: the reason as a sentence; the status if there is none.
        n: answers.
        reply: text of a randomly drawn answer; the expert's reply if that could not be parsed. ``None``
            without any text.
        model: model that answered; ``None`` if the study has one model.
    """

    method: str
    status: str
    reason: str
    n: int
    reply: str | None
    model: str | None = None


@dataclass(frozen=True)
class QuotedAnswer:
    """A free-text answer.

    Attributes:
        question: name of the question.
        concept: name of the concept.
        persona: name of the persona.
        reply: text of the answer.
        values: value on the scale by method; ``None`` without a rating.
        model: model that answered; ``None`` if the study has one model.
    """

    question: str
    concept: str
    persona: str
    reply: str
    values: Mapping[str, float | None]
    model: str | None = None


@dataclass(frozen=True, repr=False)
class StudySummary(Presentable):
    """Figures of a study.

    Its intervals are *simulation intervals*: they show how much the figures would vary with other personas
    from the same distribution and the same model. They do not apply to people.

    Attributes:
        design: the questionnaire, the panel, and the settings of the run.
        figures: all figures.
        unrated: reasons for answers without a rating, by method, the most frequent first.
        quotes: a sample of free-text answers.
        facts: facts about the calls, and the reason if the run stopped early.
        plan: method of the intervals.
        signature: the settings that were applied.
        models: names of the models that were asked; empty if there is one model.
        created: time of the summary.
    """

    design: StudyDesign
    figures: StudyFigures
    unrated: tuple[UnratedReason, ...]
    quotes: tuple[QuotedAnswer, ...]
    facts: RunFacts
    plan: IntervalPlan
    signature: Signature
    models: tuple[str, ...] = ()
    created: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __repr__(self) -> str:
        n_scored = self.counts.get(str(Status.SCORED), 0)
        return f"StudySummary({self.design.name!r}, n={sum(self.counts.values()):,}, n_scored={n_scored:,})"

    @property
    def source(self) -> str:
        """File of the questionnaire."""
        return self.design.source

    @property
    def counts(self) -> dict[str, int]:
        """Number of answers by status."""
        counts: Counter[str] = Counter()
        for row in self.figures.select("answers", question=None, by=None):
            counts[str(row.status)] += int(row.value)
        return {status: count for status, count in counts.items() if count}

    @property
    def reasons(self) -> dict[str, int]:
        """Reasons for answers without a rating, with the number of answers; the most frequent first."""
        counts: Counter[str] = Counter()
        for unrated in self.unrated:
            counts[unrated.reason] += unrated.n
        return dict(counts.most_common())

    @property
    def failed(self) -> str | None:
        """Reason why no answer has a rating; ``None`` if an answer has one, or the run was stopped."""
        if self.counts.get(str(Status.SCORED)) or self.facts.stopped is not None:
            return None
        return next(iter(self.reasons), None)

    def record(self) -> dict[str, Any]:
        """Return the numbers by name, for JSON."""
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
            "questions": [_describe(question) for question in design.questionnaire.questions],
            "results": [figure.record() for figure in self.figures.rows],
            "reasons": self.reasons,
            "unrated": self.unrated,
            "quotes": self.quotes,
            "run": self.facts,
            "signature": self.signature,
        }


def _describe(question: StudyQuestion) -> dict[str, Any]:
    """Return the question and its answers, for JSON."""
    scale = question.scale
    return {
        "question": question.name,
        "text": question.text,
        "type": question.type,
        "methods": question.methods,
        "scale": None if scale is None else scale.name,
        "points": [{"value": point.value, "label": point.label} for point in scale.points] if scale else [],
        "options": question.options,
    }


def summarize(
    design: StudyDesign,
    answers: pl.DataFrame,
    signature: Signature,
    facts: RunFacts,
    plan: IntervalPlan | None = None,
) -> StudySummary:
    """Summarize the answers of a study.

    Args:
        design: the questionnaire, the panel, and the settings of the run.
        answers: all answers, with the columns of ``SCHEMA``.
        signature: the settings that were applied.
        facts: facts about the calls.
        plan: method of the intervals; by default 95 % with the study's seed.
    """
    plan = plan or IntervalPlan(seed=design.seed)
    by_model = split_models(answers)
    unrated = [
        reason for model, part in by_model for reason in reasons_without_rating(part, model, seed=design.seed)
    ]
    quotes = (
        quote
        for question in design.questionnaire.questions
        if question.scale is not None
        for model, part in by_model
        for quote in draw_quotes(question, part.filter(question=question.name), model, seed=design.seed)
    )
    return StudySummary(
        design=design,
        figures=study_figures(design, answers, plan),
        unrated=tuple(sorted(unrated, key=lambda reason: -reason.n)),
        quotes=tuple(quotes),
        facts=facts,
        plan=plan,
        signature=signature.with_settings("estimate", plan.settings),
        models=models_asked(answers),
    )


def reasons_without_rating(rows: pl.DataFrame, model: str | None, *, seed: int) -> list[UnratedReason]:
    """Count the reasons for answers without a rating; the most frequent first.

    Args:
        rows: answers by all methods.
        model: model that answered; ``None`` if the study has one model.
        seed: seed of the random choice of texts.
    """
    rng = np.random.default_rng(seed)
    unrated = rows.filter(pl.col("status") != str(Status.SCORED)).with_columns(
        pl.coalesce("reason", "status").alias("reason"),
        pl.coalesce("rating_reply", "reply").alias("reply"),
    )
    reasons = []
    for (method, status, reason), part in unrated.group_by("method", "status", "reason", maintain_order=True):
        texts = part["reply"].drop_nulls()
        texts = texts.filter(texts.str.strip_chars() != "")
        text = str(texts[int(rng.integers(len(texts)))]) if len(texts) else None
        reasons.append(UnratedReason(str(method), str(status), str(reason), part.height, text, model))
    return sorted(reasons, key=lambda reason: -reason.n)


def draw_quotes(
    question: StudyQuestion, rows: pl.DataFrame, model: str | None, *, seed: int
) -> Iterator[QuotedAnswer]:
    """Draw up to three free-text answers to a question per concept, each with equal probability.

    Args:
        question: the question.
        rows: its answers by all methods.
        model: model that answered; ``None`` if the study has one model.
        seed: seed of the draw.
    """
    texts = rows.filter(pl.col("method").is_in(TEXT_METHODS) & pl.col("reply").is_not_null())
    rng = np.random.default_rng(seed)
    for (concept,), part in texts.group_by("concept", maintain_order=True):
        answers = part.group_by("persona", "sample", "reply", maintain_order=True).agg("method", "value")
        drawn = np.sort(rng.permutation(answers.height)[:QUOTES_PER_CONCEPT])
        for row in answers[drawn].iter_rows(named=True):
            values = dict(zip(row["method"], row["value"], strict=True))
            yield QuotedAnswer(question.name, str(concept), row["persona"], row["reply"], values, model)
