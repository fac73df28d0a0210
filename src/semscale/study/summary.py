"""Summary of a study: figures by concept, question and method, and their limits."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import chain, combinations
from typing import Any, Literal, TypeVar

import numpy as np
import polars as pl

from semscale.presentable import Presentable
from semscale.results.estimates import Estimates, Tallies, estimate_rows
from semscale.scales import Scale
from semscale.signature import Signature
from semscale.stats.agreement import AgreementEstimate, intraclass_correlation
from semscale.stats.correlations import pearson_estimate
from semscale.stats.intervals import Estimate, IntervalPlan, MeanEstimate, estimate_mean, scale_figures
from semscale.stats.significance import adjust_p_values, group_differences
from semscale.stats.survey_designs import SurveyDesign
from semscale.stats.survey_estimates import survey_means
from semscale.stats.variance_components import FacetTable, VarianceComponents, variance_components
from semscale.store.columns import statuses_in
from semscale.study.interviews import RunFacts
from semscale.study.panel import ID, WEIGHT
from semscale.study.questionnaire import TEXT_METHODS, StudyDesign, StudyQuestion
from semscale.types import Floats, Integers, Mask, Status, count_statuses

CONCEPT = "concept"
"""Value of ``by`` for comparisons of concepts."""

MOST_LEVELS = 30
"""Greatest number of concepts or groups that are compared pairwise; 30 make 435 differences."""

QUOTES_PER_CONCEPT = 3
"""Number of answers that are drawn per concept."""

PANEL_WEIGHT = "panel weight"
"""Column of personas' weights in the table of answers, if the panel has weights."""

PERSONA, SAMPLE, SETS, MODEL = "persona", "repeated sample", "anchor set", "model"
"""Facets of the answers to one question about one concept."""

_FEWEST_PERSONAS, _FEWEST_SAMPLES, _FEWEST_FACETS, _FEWEST_PAIRS = 2, 2, 2, 3
_ROUNDING = 1e-9
Figure = TypeVar("Figure")


@dataclass(frozen=True, eq=False)
class MeasuredAnswers:
    """Answers to one question by one method and one model.

    Attributes:
        question: the question.
        method: method that measured the answers.
        rows: rows with the columns of ``SCHEMA``, attributes, and weights if the panel has any.
        model: model that answered; ``None`` if the study has one model.
    """

    question: StudyQuestion
    method: str
    rows: pl.DataFrame
    model: str | None = None

    @property
    def scored(self) -> pl.DataFrame:
        """Rows with a rating."""
        return self.rows.filter(pl.col("value").is_not_null())

    @property
    def width(self) -> float:
        """Last value of the scale minus the first."""
        return _width(self.question)


@dataclass(frozen=True)
class QuestionMeasure:
    """Estimates of a question by one method.

    Attributes:
        question: the question.
        method: method that measured the answers.
        estimates: estimates over all concepts, and of each concept; personas are resampled as a whole.
        by_attribute: estimates over all concepts for each group of personas, by attribute.
        model: model that answered; ``None`` if the study has one model.
    """

    question: StudyQuestion
    method: str
    estimates: Estimates
    by_attribute: Mapping[str, Estimates]
    model: str | None = None

    def record(self) -> dict[str, Any]:
        """Return the numbers by name, for JSON."""
        scale = scale_of(self.question)
        return {
            "question": self.question.name,
            "text": self.question.text,
            "scale": scale.name,
            "points": [{"value": point.value, "label": point.label} for point in scale.points],
            "method": self.method,
            "model": self.model,
            "concepts": self.estimates,
            "groups": self.by_attribute,
        }


@dataclass(frozen=True)
class OptionFigures:
    """Figures of the answers to a question about options, for one concept.

    Attributes:
        question: the question.
        concept: name of the concept.
        n: answers.
        options: for each option, the share of personas who would choose it, or in a ranking its mean rank,
            where 1 is best. Personas are resampled as a whole.
        mean: mean of numeric answers; ``None`` for other types.
        model: model that answered; ``None`` if the study has one model.
    """

    question: StudyQuestion
    concept: str
    n: int
    options: Mapping[str, MeanEstimate]
    mean: MeanEstimate | None
    model: str | None = None

    def record(self) -> dict[str, Any]:
        """Return the numbers by name, for JSON."""
        return {
            "question": self.question.name,
            "text": self.question.text,
            "type": self.question.type,
            "concept": self.concept,
            "model": self.model,
            "n": self.n,
            f"{self.question.kind.figure.replace(' ', '_')}s": self.options,
            "mean": self.mean,
        }


@dataclass(frozen=True)
class LevelDifference:
    """Difference between the means of two concepts, or of two groups of personas.

    Attributes:
        question: name of the question.
        method: method that measured the answers.
        by: ``"concept"``, or the attribute of personas.
        first: the concept or group whose mean counts positively.
        second: the concept or group whose mean is subtracted.
        difference: difference with a simulation interval; its ends are NaN if the difference is equal for all
            personas.
        p_value: p-value of a t test over personas; NaN likewise.
        p_adjusted: p-value adjusted by Holm over all differences of one question by one method in one
            attribute.
        model: model that answered; ``None`` if the study has one model.
    """

    question: str
    method: str
    by: str
    first: str
    second: str
    difference: Estimate
    p_value: float
    p_adjusted: float
    model: str | None = None


@dataclass(frozen=True)
class RerunReliability:
    """Reliability of a persona's mean answer over its samples.

    Attributes:
        question: name of the question.
        method: method that measured the answers.
        reliability: intraclass correlation ICC(1,k) within concepts; 1 if samples are always equal.
        model: model that answered; ``None`` if the study has one model.
    """

    question: str
    method: str
    reliability: AgreementEstimate
    model: str | None = None


@dataclass(frozen=True)
class AnswerSpread:
    """Variances of the answers to one question by one method, within concepts.

    Attributes:
        question: name of the question.
        method: method that measured the answers.
        variances: variance components of personas, samples, anchor sets and models, for those with several
            levels. If one model was asked, its versions count as models.
    """

    question: str
    method: str
    variances: VarianceComponents


@dataclass(frozen=True)
class AnswerPair:
    """Comparison of two methods by one model, or of two models by one method.

    Attributes:
        question: name of the question.
        first: the first method or model.
        second: the second method or model.
        difference: mean of the first minus the second, over answers with both.
        correlation: Pearson's correlation over the same answers; ``None`` for fewer than three, or without
            variance.
        method: method of the answers of two models; ``None`` if two methods are compared.
        model: model that answered; ``None`` for two models, or if the study has one model.
    """

    question: str
    first: str
    second: str
    difference: MeanEstimate
    correlation: Estimate | None
    method: str | None = None
    model: str | None = None


@dataclass(frozen=True)
class OrderEffect:
    """Effect of the first position on the answers.

    Attributes:
        question: name of the question.
        method: method that measured the answers.
        ordered: the items in order: concepts or questions.
        effect: mean of the answers in the first position minus the mean of the others, after subtracting each
            concept's mean.
        model: model that answered; ``None`` if the study has one model.
    """

    question: str
    method: str
    ordered: Literal["concept", "question"]
    effect: MeanEstimate
    model: str | None = None


@dataclass(frozen=True)
class StatusCounts:
    """Numbers of answers by status.

    Attributes:
        method: method that measured the answers.
        attribute: attribute of personas; ``None`` for all personas.
        group: value of the attribute; ``None`` for all personas, and for personas without a value.
        counts: number of answers by status; ``scored`` means that they have a rating.
        model: model that answered; ``None`` if the study has one model.
    """

    method: str
    attribute: str | None
    group: str | None
    counts: Mapping[str, int]
    model: str | None = None

    @property
    def n(self) -> int:
        """Number of answers."""
        return sum(self.counts.values())

    def share(self, status: Status) -> float:
        """Return the share of the answers with a status, 0 to 1."""
        return self.counts.get(str(status), 0) / self.n


@dataclass(frozen=True)
class MethodCost:
    """Cost of the answers by one method, in this run or earlier runs.

    Attributes:
        method: method that measured the answers; a text used by both ``ssr`` and ``flr`` counts with ``ssr``.
        n: number of answers with known tokens.
        tokens: tokens of their calls; ``None`` if none are known.
        money: cost of their calls; ``None`` likewise.
        seconds: median duration of an answer's calls in seconds; ``None`` likewise.
        model: model that answered; ``None`` if the study has one model.
    """

    method: str
    n: int
    tokens: int | None
    money: float | None
    seconds: float | None
    model: str | None = None


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
        measures: estimates for each question and method.
        differences: differences of all pairs of concepts, and of all pairs of groups of personas.
        reliabilities: reliabilities of repeated answers; empty if personas are asked once.
        spreads: variance components of answers over all models; empty if only personas differ.
        pairs: comparisons of all pairs of methods of a question.
        orders: order effects; empty without an order.
        statuses: numbers of answers by status, for each method and group.
        costs: costs of answers, by method.
        unrated: reasons for answers without a rating, by method, the most frequent first.
        quotes: a sample of free-text answers.
        facts: facts about the calls, and the reason if the run stopped early.
        plan: method of the intervals.
        signature: the settings that were applied.
        models: names of the models that were asked; empty if there is one model.
        model_pairs: comparisons of all pairs of models by each method; empty likewise.
        options: figures of questions about options, by concept.
        created: time of the summary.
    """

    design: StudyDesign
    measures: tuple[QuestionMeasure, ...]
    differences: tuple[LevelDifference, ...]
    reliabilities: tuple[RerunReliability, ...]
    spreads: tuple[AnswerSpread, ...]
    pairs: tuple[AnswerPair, ...]
    orders: tuple[OrderEffect, ...]
    statuses: tuple[StatusCounts, ...]
    costs: tuple[MethodCost, ...]
    unrated: tuple[UnratedReason, ...]
    quotes: tuple[QuotedAnswer, ...]
    facts: RunFacts
    plan: IntervalPlan
    signature: Signature
    models: tuple[str, ...] = ()
    model_pairs: tuple[AnswerPair, ...] = ()
    options: tuple[OptionFigures, ...] = ()
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
        for statuses in self.statuses:
            if statuses.attribute is None:
                counts.update(statuses.counts)
        return dict(counts)

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
            "questions": [measure.record() for measure in self.measures],
            "options": [figures.record() for figures in self.options],
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
    """Summarize the answers of a study.

    Args:
        design: the questionnaire, the panel, and the settings of the run.
        answers: all answers, with the columns of ``SCHEMA``.
        signature: the settings that were applied.
        facts: facts about the calls.
        plan: method of the intervals; by default 95 % with the study's seed.
    """
    plan = plan or IntervalPlan(seed=design.seed)
    seed, attributes = design.seed, design.groups
    rows = _with_attributes(answers, design)
    models = models_asked(answers)
    by_model: list[tuple[str | None, pl.DataFrame]] = [
        (model, rows.filter(asked_model=model)) for model in models
    ] or [(None, rows)]
    with_scale = [question for question in design.questionnaire.questions if question.scale is not None]
    about_options = [question for question in design.questionnaire.questions if question.scale is None]
    asked = [
        (question, model, part.filter(question=question.name))
        for question in with_scale
        for model, part in by_model
    ]
    measured = [
        MeasuredAnswers(question, method, part.filter(method=method), model)
        for question, model, part in asked
        for method in question.methods
    ]
    over_models = [
        MeasuredAnswers(question, method, rows.filter(question=question.name, method=method))
        for question in with_scale
        for method in question.methods
    ]
    unrated = _concatenate(reasons_without_rating(part, model, seed=seed) for model, part in by_model)
    concepts = [concept.name for concept in design.questionnaire.concepts]
    return StudySummary(
        design=design,
        measures=tuple(_measure(part, attributes, signature, plan) for part in measured),
        differences=_concatenate(
            level_differences(part, concepts, attributes, plan.interval) for part in measured
        ),
        reliabilities=_concatenate(answer_reliabilities(part, plan) for part in measured),
        spreads=_concatenate(answer_spreads(part, plan) for part in over_models),
        pairs=_concatenate(
            answer_pairs(
                question, {name: part.filter(method=name) for name in question.methods}, plan, model=model
            )
            for question, model, part in asked
        ),
        orders=_concatenate(order_effects(part, plan) for part in measured),
        statuses=_concatenate(_status_counts(part, attributes, model) for model, part in by_model),
        costs=_concatenate(_method_costs(part, model) for model, part in by_model),
        unrated=tuple(sorted(unrated, key=lambda reason: -reason.n)),
        quotes=_concatenate(draw_quotes(question, part, model, seed=seed) for question, model, part in asked),
        facts=facts,
        plan=plan,
        signature=signature.with_settings("estimate", plan.settings),
        models=models,
        model_pairs=_concatenate(
            answer_pairs(
                part.question,
                {name: part.rows.filter(asked_model=name) for name in models},
                plan,
                method=part.method,
            )
            for part in over_models
        ),
        options=_concatenate(
            option_figures(question, part.filter(question=question.name), model, plan)
            for question in about_options
            for model, part in by_model
        ),
    )


def _concatenate(parts: Iterable[Iterable[Figure]]) -> tuple[Figure, ...]:
    return tuple(chain.from_iterable(parts))


def models_asked(answers: pl.DataFrame) -> tuple[str, ...]:
    """Return the models that were asked, in the order of the study; empty if there is one model."""
    names = tuple(answers["asked_model"].unique(maintain_order=True))
    return names if len(names) > 1 else ()


def attribute_column(attribute: str) -> str:
    """Return a column name for a persona's attribute that differs from the columns of answers."""
    return f"attribute {attribute}"


def _with_attributes(answers: pl.DataFrame, design: StudyDesign) -> pl.DataFrame:
    """Add attributes and weights of personas to their answers."""
    columns = [pl.col(name).alias(attribute_column(name)) for name in design.groups]
    if design.panel.weights is not None:
        columns.append(pl.col(WEIGHT).alias(PANEL_WEIGHT))
    personas = design.panel.to_frame().select(ID, *columns)
    return answers.join(personas, on=ID, how="left", maintain_order="left")


# Figures of one question by one method


def _measure(
    answers: MeasuredAnswers, attributes: Sequence[str], signature: Signature, plan: IntervalPlan
) -> QuestionMeasure:
    by_concept = _estimates(answers, answers.rows, answers.rows[CONCEPT], signature, plan)
    by_attribute = {}
    for name in attributes:
        column = attribute_column(name)
        rows = answers.rows.sort(column, maintain_order=True)
        by_attribute[name] = _estimates(answers, rows, rows[column].alias(name), signature, plan)
    return QuestionMeasure(answers.question, answers.method, by_concept, by_attribute, answers.model)


def _estimates(
    answers: MeasuredAnswers, rows: pl.DataFrame, by: pl.Series, signature: Signature, plan: IntervalPlan
) -> Estimates:
    scale = scale_of(answers.question)
    return estimate_rows(
        Tallies([scale_figures(scale.values)], signature),
        _masses(rows, scale.n_points),
        statuses_in(rows["status"]),
        by=by,
        weights=_weights(rows),
        respondents=rows["persona"],
        interval=plan.interval,
        method=plan.method,
        seed=plan.seed,
        replicates=plan.replicates,
    )


def option_figures(
    question: StudyQuestion, rows: pl.DataFrame, model: str | None, plan: IntervalPlan
) -> Iterator[OptionFigures]:
    """Estimate the figures of each option, concept by concept.

    Args:
        question: question about options.
        rows: answers to the question.
        model: model that answered; ``None`` if the study has one model.
        plan: method of the intervals; personas are resampled as a whole.
    """
    numbers = question.values
    for (concept,), part in rows.group_by("concept", maintain_order=True):
        figures, personas = _masses(part, len(question.labels)), _codes(part["persona"])
        mean = partial(estimate_mean, clusters=personas, weights=_weights(part), plan=plan)
        yield OptionFigures(
            question,
            str(concept),
            int((~np.isnan(figures[:, 0])).sum()),
            {label: mean(figures[:, k], bounds=question.bounds) for k, label in enumerate(question.labels)},
            None
            if numbers is None
            else mean(figures @ numbers, bounds=(float(numbers[0]), float(numbers[-1]))),
            model,
        )


def level_differences(
    answers: MeasuredAnswers, concepts: Sequence[str], attributes: Sequence[str], interval: float
) -> Iterator[LevelDifference]:
    """Compare all pairs of concepts, then all pairs of groups of each attribute over all concepts.

    A persona's answers are a cluster, so that concepts are compared within personas. Each mean has its own
    base. The variance of the difference is ``var_a + var_b - 2 cov_ab`` (Taylor linearisation), with a t
    interval.

    Args:
        answers: answers to one question by one method.
        concepts: names of concepts, in the order of the study.
        attributes: attributes of personas.
        interval: coverage of the intervals.

    Returns:
        The differences; none for fewer than two personas or levels with a rating, or more than 30 levels.
    """
    weights = _weights(answers.rows)
    has_weight = pl.lit(value=True) if weights is None else pl.Series(weights > 0)
    scored = answers.rows.filter(pl.col("value").is_not_null() & has_weight)
    if scored["persona"].n_unique() < _FEWEST_PERSONAS:
        return
    present = set(scored["concept"])
    comparisons = [(CONCEPT, scored["concept"], [name for name in concepts if name in present])]
    for attribute in attributes:
        groups = scored[attribute_column(attribute)].cast(pl.String)
        comparisons.append((attribute, groups, sorted(groups.drop_nulls().unique())))
    weights = _weights(scored)
    design = SurveyDesign(
        np.ones(scored.height) if weights is None else weights, clusters=_codes(scored["persona"])
    )
    for by, groups, levels in comparisons:
        if not 1 < len(levels) <= MOST_LEVELS:
            continue
        codes = groups.replace_strict(levels, list(range(len(levels))), default=-1, return_dtype=pl.Int64)
        numbers = codes.fill_null(-1).to_numpy()
        differences = group_differences(
            survey_means(_values(scored), design, groups=numbers, n_groups=len(levels))
        )
        # If the difference is equal for all personas, the standard error is 0 except for rounding, and there
        # is no test.
        has_spread = differences.standard_errors[0] > _ROUNDING * answers.width
        low, high = (
            np.where(has_spread, end[0].clip(-answers.width, answers.width), np.nan).tolist()
            for end in differences.interval(interval)
        )
        p_values = np.where(has_spread, differences.p_values[0], np.nan)
        p_adjusted = adjust_p_values(p_values, "holm")
        for number, (first, second) in enumerate(zip(differences.first, differences.second, strict=True)):
            yield LevelDifference(
                answers.question.name,
                answers.method,
                by,
                levels[first],
                levels[second],
                Estimate(float(differences.values[0][number]), low[number], high[number]),
                float(p_values[number]),
                float(p_adjusted[number]),
                answers.model,
            )


def answer_reliabilities(answers: MeasuredAnswers, plan: IntervalPlan) -> Iterator[RerunReliability]:
    """Estimate the reliability of repeated answers; return none if each persona was asked once.

    Args:
        answers: answers to one question by one method.
        plan: coverage and seed; personas are resampled as a whole.
    """
    codes = tuple(_codes(answers.rows[name]) for name in ("persona", "concept", "sample"))
    shape = tuple(int(code.max(initial=0)) + 1 for code in codes)
    if shape[-1] < _FEWEST_SAMPLES:
        return
    repeats = np.full(shape, np.nan)
    repeats[codes] = _values(answers.rows)
    reliability = reliability_of_repeats(repeats, plan)
    yield RerunReliability(answers.question.name, answers.method, reliability, answers.model)


def reliability_of_repeats(repeats: Floats, plan: IntervalPlan) -> AgreementEstimate:
    """Return the intraclass correlation ICC(1,k) of repeated answers minus their concept's mean.

    Args:
        repeats: shape (n, c, samples), answers of n personas about c concepts in at least two samples; NaN
            for missing answers. Personas without all samples of a concept do not count for it.
        plan: coverage and seed; personas are resampled as a whole.
    """
    complete: Mask = np.asarray(~np.isnan(repeats).any(axis=2))
    filled = np.where(complete[..., None], repeats, 0.0)
    means = filled.mean(axis=2).sum(axis=0) / np.maximum(complete.sum(axis=0), 1)
    centred = filled - means[None, :, None]
    persons = np.broadcast_to(np.arange(len(repeats))[:, None], complete.shape)[complete]
    return intraclass_correlation(
        centred[complete], form="1,k", clusters=persons, interval=plan.interval, seed=plan.seed
    )


def answer_spreads(answers: MeasuredAnswers, plan: IntervalPlan) -> Iterator[AnswerSpread]:
    """Split the variance of answers into components; return none if only personas differ.

    Args:
        answers: answers of all models to one question by one method.
        plan: method of the intervals; personas are resampled as a whole.
    """
    scored = answers.scored
    n_sets = pl.col("set_values").list.len()
    if scored["set_values"].null_count() == 0 and (scored.select(n_sets) > 1).to_series().any():
        numbered = scored.with_columns(pl.int_ranges(n_sets).alias(SETS), value="set_values")
        scored = numbered.explode("value", SETS)
    else:
        scored = scored.with_columns(pl.lit(0).alias(SETS))
    all_facets = {
        PERSONA: _codes(scored["persona"]),
        MODEL: _codes(scored["asked_model" if scored["asked_model"].n_unique() > 1 else "model"]),
        SAMPLE: _codes(scored["sample"]),
        SETS: _codes(scored[SETS]),
    }
    facets = {name: codes for name, codes in all_facets.items() if codes.any()}
    if PERSONA not in facets or len(facets) < _FEWEST_FACETS:
        return
    nested = {SAMPLE: tuple(name for name in (PERSONA, MODEL) if name in facets)} if SAMPLE in facets else {}
    table = FacetTable(_values(scored), facets, PERSONA, nested, _codes(scored["concept"]))
    yield AnswerSpread(answers.question.name, answers.method, variance_components(table, plan=plan))


def order_effects(answers: MeasuredAnswers, plan: IntervalPlan) -> Iterator[OrderEffect]:
    """Estimate the effect of the first position, for concepts and for questions.

    Args:
        answers: answers to one question by one method.
        plan: method of the intervals; personas are resampled as a whole.
    """
    scored = answers.scored
    columns: tuple[Literal["concept", "question"], ...] = ("concept", "question")
    for ordered in columns:
        positions = scored[f"{ordered}_position"]
        if positions.null_count() or positions.n_unique() <= 1:
            continue
        first = (positions == 1).to_numpy()
        contrasts = order_contrasts(_values(scored), first, _codes(scored["concept"]))
        most = 2 * answers.width / min(first.mean(), 1 - first.mean())
        effect = estimate_mean(contrasts, bounds=(-most, most), clusters=_codes(scored["persona"]), plan=plan)
        yield OrderEffect(answers.question.name, answers.method, ordered, effect, answers.model)


def order_contrasts(values: Floats, first: Mask, concepts: Integers) -> Floats:
    """Return contrasts, shape (n,), with a mean that equals the effect of the first position.

    Let d be an answer minus its concept's mean, and p the share of answers in the first position. The
    contrast is d / p in the first position and -d / (1 - p) elsewhere, so its mean is the mean of d in the
    first position minus the mean of d elsewhere.

    Args:
        values: shape (n,), answers.
        first: shape (n,), true in the first position; must contain both true and false.
        concepts: shape (n,), indices of concepts.

    Examples:
        >>> values, first = np.array([4.0, 2.0, 5.0, 5.0]), np.array([True, False, True, False])
        >>> order_contrasts(values, first, np.array([0, 0, 1, 1])).tolist()
        [2.0, 2.0, 0.0, -0.0]
    """
    _, codes = np.unique(concepts, return_inverse=True)
    means = np.bincount(codes, values) / np.bincount(codes)
    deviations = values - means[codes]
    share = first.mean()
    contrasts: Floats = np.where(first, deviations / share, -deviations / (1 - share))
    return contrasts


# Pairs of methods, and of models, on the same personas, concepts and samples


def answer_pairs(
    question: StudyQuestion,
    answers: Mapping[str, pl.DataFrame],
    plan: IntervalPlan,
    *,
    method: str | None = None,
    model: str | None = None,
) -> Iterator[AnswerPair]:
    """Compare all pairs of methods of a question, or all pairs of models.

    Args:
        question: the question.
        answers: answers to the question by the compared methods or models.
        plan: method of the intervals; personas are resampled as a whole.
        method: method of the answers, if models are compared.
        model: model that answered, if methods are compared; ``None`` if the study has one model.
    """
    width = _width(question)
    for (first, left), (second, right) in combinations(answers.items(), 2):
        both = left.join(right, on=("persona", "sample", "concept"), suffix="_second")
        x, y = _values(both), _values(both, "value_second")
        personas, weights = _codes(both["persona"]), _weights(both)
        difference = estimate_mean(
            x - y, bounds=(-width, width), clusters=personas, weights=weights, plan=plan
        )
        known = ~np.isnan(x) & ~np.isnan(y)
        correlation = None
        if known.sum() >= _FEWEST_PAIRS and np.ptp(x[known]) > 0 and np.ptp(y[known]) > 0:
            correlation = pearson_estimate(
                x[known],
                y[known],
                clusters=personas[known],
                weights=None if weights is None else weights[known],
                interval=plan.interval,
                seed=plan.seed,
            )
        yield AnswerPair(question.name, first, second, difference, correlation, method, model)


# Counts, costs, and answers to read


def _status_counts(
    rows: pl.DataFrame, attributes: Sequence[str], model: str | None
) -> Iterator[StatusCounts]:
    """Count answers by status, for each method and then for each of its groups."""

    def counts(part: pl.DataFrame) -> dict[str, int]:
        by_status = count_statuses(Status(status) for status in part["status"])
        return {str(status): n for status, n in by_status.items()}

    for (method,), part in rows.group_by("method", maintain_order=True):
        yield StatusCounts(str(method), None, None, counts(part), model)
        for attribute in attributes:
            column = attribute_column(attribute)
            for (group,), members in part.sort(column).group_by(column, maintain_order=True):
                name = None if group is None else str(group)
                yield StatusCounts(str(method), attribute, name, counts(members), model)


def _method_costs(rows: pl.DataFrame, model: str | None) -> Iterator[MethodCost]:
    for (method,), part in rows.group_by("method", maintain_order=True):
        tokens, money, seconds = (part[name].drop_nulls() for name in ("tokens", "cost", "seconds"))
        yield MethodCost(
            str(method),
            len(tokens),
            int(tokens.sum()) if len(tokens) else None,
            float(money.sum()) if len(money) else None,
            float(np.median(seconds.to_numpy())) if len(seconds) else None,
            model,
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


# Scales and columns


def scale_of(question: StudyQuestion) -> Scale:
    """Return the scale of a question that has one.

    Raises:
        ValueError: the question is about options.
    """
    if question.scale is None:
        raise ValueError(f"question {question.name!r} has no scale")
    return question.scale


def _width(question: StudyQuestion) -> float:
    """Return the last value of a question's scale minus the first."""
    return float(np.ptp(scale_of(question).values))


def _masses(rows: pl.DataFrame, n: int) -> Floats:
    """Return the masses of answers, shape (rows, n); NaN without a rating."""
    unrated = [float("nan")] * n
    masses = [unrated if pmf is None else pmf for pmf in rows["pmf"].to_list()]
    return np.array(masses, dtype=np.float64).reshape(-1, n)


def _values(rows: pl.DataFrame, column: str = "value") -> Floats:
    """Return the values of answers, shape (n,); NaN without a rating."""
    return rows[column].fill_null(float("nan")).to_numpy().astype(np.float64)


def _weights(rows: pl.DataFrame) -> Floats | None:
    """Return the weights of answers, shape (n,); ``None`` for equal weights."""
    return rows[PANEL_WEIGHT].to_numpy() if PANEL_WEIGHT in rows.columns else None


def _codes(cells: pl.Series) -> Integers:
    """Return the codes of a column's values, from 0; missing cells get a separate code."""
    filled = cells.fill_null("" if cells.dtype == pl.String else -1)
    return filled.rank("dense").to_numpy().astype(np.int64) - 1
