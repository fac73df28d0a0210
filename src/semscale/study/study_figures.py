"""Figures of a study: one table with all of them, and how each is estimated."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from typing import Any, TypedDict, Unpack

import numpy as np
import polars as pl

from semscale.results.estimates import Estimates, Tallies, estimate_rows
from semscale.scales import Scale
from semscale.signature import Signature
from semscale.stats.agreement import AgreementEstimate, intraclass_correlation
from semscale.stats.correlations import pearson_estimate
from semscale.stats.groups import GroupEstimate, mean_with_counts
from semscale.stats.intervals import (
    FEWEST_CLUSTERS,
    Estimate,
    IntervalPlan,
    MeanEstimate,
    estimate_mean,
    scale_figures,
)
from semscale.stats.significance import adjust_p_values, group_differences
from semscale.stats.survey_designs import SurveyDesign
from semscale.stats.survey_estimates import survey_means
from semscale.stats.variance_components import FacetTable, variance_components
from semscale.store.columns import statuses_in
from semscale.study.panel import ID, WEIGHT
from semscale.study.questionnaire import StudyDesign, StudyQuestion
from semscale.types import Floats, Integers, Mask, Status, count_statuses

CONCEPT = "concept"
"""Value of ``by`` for comparisons of concepts."""

MOST_LEVELS = 30
"""Greatest number of concepts or groups that are compared pairwise; 30 make 435 differences."""

PANEL_WEIGHT = "panel weight"
"""Column of personas' weights in the table of answers, if the panel has weights."""

PERSONA, SAMPLE, SETS, MODEL = "persona", "repeated sample", "anchor set", "model"
"""Facets of the answers to one question about one concept."""

_FEWEST_PERSONAS, _FEWEST_SAMPLES, _FEWEST_FACETS, _FEWEST_PAIRS = 2, 2, 2, 3
_ROUNDING = 1e-9


class FigureKeys(TypedDict, total=False):
    """Attributes of ``StudyFigure`` that state what a figure is about."""

    question: str | None
    concept: str | None
    method: str | None
    model: str | None
    by: str | None
    level: str | None
    other: str | None
    side: str | None
    status: str | None


@dataclass(frozen=True, kw_only=True)
class StudyFigure:
    """A figure of a study, or of its comparison with people: a row of a table of figures.

    The attributes before ``value`` state what the figure is about; those that do not apply are ``None``.
    Personas are resampled as a whole in every interval.

    Attributes:
        figure: name of the figure; docs/studies.md lists them.
        question: name of the question; ``None`` for all questions together.
        concept: name of the concept; ``None`` for all concepts together.
        method: method that measured the answers; ``None`` for a comparison of methods.
        model: model that answered; ``None`` for all models together, and if the study has one model.
        by: kind of the level: an attribute of personas, ``concept``, ``option``, ``method``, ``model``,
            ``question``, ``facet`` or ``subject``; of an order effect, what is in an order.
        level: the group of personas, or the concept, option and so on; ``None`` also for personas without a
            group.
        other: level that ``level`` is compared with; a difference is ``level`` minus ``other``.
        side: ``panel`` or ``people``; ``None`` in a study without people, and for a comparison of both.
        status: status of the answers that are counted.
        value: the figure; NaN if it is not defined.
        low: lower end of the interval; NaN without an interval.
        high: upper end, likewise.
        p: p-value of a t test over personas; NaN if the difference is equal for all personas.
        p_adjusted: p-value adjusted by Holm over the differences of a question by one method in one ``by``.
        n: number of answers behind the figure; of a variance, the number of levels; of a difference of groups
            between panel and people, the number of persons in the smaller group.
        n_left_out: number of answers without a value.
        n_clusters: number of personas or people behind the interval.
        interval_method: method of the interval; ``None`` without one.
        note: reason for a missing value or interval.
    """

    figure: str
    question: str | None = None
    concept: str | None = None
    method: str | None = None
    model: str | None = None
    by: str | None = None
    level: str | None = None
    other: str | None = None
    side: str | None = None
    status: str | None = None
    value: float = np.nan
    low: float = np.nan
    high: float = np.nan
    p: float | None = None
    p_adjusted: float | None = None
    n: int | None = None
    n_left_out: int | None = None
    n_clusters: int | None = None
    interval_method: str | None = None
    note: str | None = None

    @property
    def has_small_base(self) -> bool:
        """True if the figure comes from fewer than 10 personas."""
        return bool(self.n) and (self.n_clusters or 0) < FEWEST_CLUSTERS

    def record(self) -> dict[str, Any]:
        """Return the value and the attributes that apply and are known, for JSON."""
        return {
            name: cell
            for name, cell in vars(self).items()
            if name == "value" or not (cell is None or isinstance(cell, float) and math.isnan(cell))
        }


def as_figure(
    name: str, estimate: Estimate | MeanEstimate | AgreementEstimate, **keys: Unpack[FigureKeys]
) -> StudyFigure:
    """Return an estimate as a row of the table.

    Args:
        name: name of the figure.
        estimate: value and interval, with counts if they are known.
        keys: what the figure is about.

    Examples:
        >>> as_figure("correlation", Estimate(0.5, 0.25, 0.75), by="method", level="ssr", other="dlr").low
        0.25
    """
    numbers: dict[str, Any] = dict(vars(estimate))
    if "method" in numbers:
        numbers["interval_method"] = numbers.pop("method")
    return StudyFigure(figure=name, **keys, **numbers)


def with_keys(figures: Iterable[StudyFigure], **keys: Unpack[FigureKeys]) -> Iterator[StudyFigure]:
    """Return copies of the figures with these keys set."""
    return (replace(figure, **keys) for figure in figures)


@dataclass(frozen=True, repr=False)
class StudyFigures:
    """The table of figures of a study, or of its comparison with people.

    Attributes:
        rows: the figures.

    Examples:
        >>> oat, nut = (StudyFigure(figure="mean", concept=name) for name in ("oat", "nut"))
        >>> figures = StudyFigures((oat, nut))
        >>> figures.select("mean", concept="nut") == [nut]
        True
        >>> figures.counterpart(oat, concept="nut") == nut
        True
    """

    rows: tuple[StudyFigure, ...]

    def __repr__(self) -> str:
        return f"StudyFigures({len(self.rows):,})"

    def select(self, figure: str, **keys: Unpack[FigureKeys]) -> list[StudyFigure]:
        """Return the figures with a name and these keys, in the order of the table."""
        wanted = keys.items()
        return [
            row
            for row in self.rows
            if row.figure == figure and all(getattr(row, name) == key for name, key in wanted)
        ]

    def counterpart(self, row: StudyFigure, figure: str = "", **changes: Unpack[FigureKeys]) -> StudyFigure:
        """Return the figure with the keys of another one, except for some changes.

        Args:
            row: the other figure.
            figure: name of the figure; by default that of the other one.
            changes: keys that differ.

        Raises:
            KeyError: there is no such figure.
        """
        return self._by_key[_key(replace(row, figure=figure or row.figure, **changes))]

    @cached_property
    def _by_key(self) -> dict[tuple[str | None, ...], StudyFigure]:
        return {_key(row): row for row in self.rows}

    def to_frame(self) -> pl.DataFrame:
        """Return a table with the attributes of ``StudyFigure`` as columns; missing values are null."""
        frame = pl.DataFrame([tuple(vars(row).values()) for row in self.rows], schema=_SCHEMA, orient="row")
        return frame.with_columns(pl.col(pl.Float64).fill_nan(None))


_KEYS = ("figure", *FigureKeys.__annotations__)
_SCHEMA: dict[str, Any] = {
    **dict.fromkeys(_KEYS, pl.String),
    **dict.fromkeys(["value", "low", "high", "p", "p_adjusted"], pl.Float64),
    **dict.fromkeys(["n", "n_left_out", "n_clusters"], pl.Int64),
    **dict.fromkeys(["interval_method", "note"], pl.String),
}


def _key(row: StudyFigure) -> tuple[str | None, ...]:
    return tuple(getattr(row, name) for name in _KEYS)


def study_figures(design: StudyDesign, answers: pl.DataFrame, plan: IntervalPlan) -> StudyFigures:
    """Estimate all figures of a study.

    Args:
        design: the questionnaire, the panel, and the groups of personas.
        answers: all answers, with the columns of ``SCHEMA``.
        plan: method of the intervals.
    """
    rows = _with_attributes(answers, design)
    figures: list[StudyFigure] = []
    for question in design.questionnaire.questions:
        asked = rows.filter(question=question.name)
        figures += with_keys(_question_figures(question, asked, design, plan), question=question.name)
    for model, part in split_models(rows):
        for (method,), measured in part.group_by("method", maintain_order=True):
            totals = (*status_counts(measured, design.groups), *answer_costs(measured))
            figures += with_keys(totals, method=str(method), model=model)
    return StudyFigures(tuple(figures))


def _question_figures(
    question: StudyQuestion, rows: pl.DataFrame, design: StudyDesign, plan: IntervalPlan
) -> Iterator[StudyFigure]:
    """Estimate the figures of one question: of each model by each method, then comparisons of these."""
    by_model = split_models(rows)
    for model, part in by_model:
        for method in question.methods:
            figures = _method_figures(question, part.filter(method=method), design, plan)
            yield from with_keys(figures, method=method, model=model)
    if question.scale is None:
        return
    for model, part in by_model:
        methods = {str(method): part.filter(method=method) for method in question.methods}
        yield from with_keys(compare_pairs(question, methods, plan, by="method"), model=model)
    for method in question.methods:
        measured = rows.filter(method=method)
        models = {str(model): part for model, part in split_models(measured)}
        yield from with_keys(answer_variances(measured, plan), method=method)
        yield from with_keys(compare_pairs(question, models, plan, by="model"), method=method)


def _method_figures(
    question: StudyQuestion, rows: pl.DataFrame, design: StudyDesign, plan: IntervalPlan
) -> Iterator[StudyFigure]:
    """Estimate the figures of one question by one method and one model."""
    if question.scale is None:
        yield from option_figures(question, rows, plan)
        return
    yield from _scale_figures(question.scale, rows, design, plan)
    concepts = [concept.name for concept in design.questionnaire.concepts]
    yield from level_differences(question, rows, concepts, design.groups, plan.interval)
    yield from rerun_reliability(rows, plan)
    yield from order_effects(question, rows, plan)


# Answers


def models_asked(answers: pl.DataFrame) -> tuple[str, ...]:
    """Return the models that were asked, in the order of the study; empty if there is one model."""
    names = tuple(answers["asked_model"].unique(maintain_order=True))
    return names if len(names) > 1 else ()


def split_models(answers: pl.DataFrame) -> list[tuple[str | None, pl.DataFrame]]:
    """Return the answers of each model with its name; all answers with ``None`` if there is one model."""
    models = models_asked(answers)
    if not models:
        return [(None, answers)]
    return [(model, answers.filter(asked_model=model)) for model in models]


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


def _with_rating(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the answers with a rating."""
    return rows.filter(pl.col("value").is_not_null())


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


# Means, shares of points and options


def _scale_figures(
    scale: Scale, rows: pl.DataFrame, design: StudyDesign, plan: IntervalPlan
) -> Iterator[StudyFigure]:
    """Estimate means and shares of points: overall, of each concept, and of each group of personas."""
    names = scale_figures(scale.values).names
    by_concept = _estimate_groups(scale, rows, CONCEPT, plan)
    yield from _group_figures(by_concept.overall, names)
    for group in by_concept.groups:
        yield from with_keys(_group_figures(group, names), concept=group.group)
    for attribute in design.groups:
        column = attribute_column(attribute)
        for group in _estimate_groups(scale, rows.sort(column, maintain_order=True), column, plan).groups:
            yield from with_keys(_group_figures(group, names), by=attribute, level=group.group)


def _estimate_groups(scale: Scale, rows: pl.DataFrame, column: str, plan: IntervalPlan) -> Estimates:
    return estimate_rows(
        Tallies([scale_figures(scale.values)], Signature.of("study")),
        _masses(rows, scale.n_points),
        statuses_in(rows["status"]),
        by=rows[column],
        weights=_weights(rows),
        respondents=rows["persona"],
        interval=plan.interval,
        method=plan.method,
        seed=plan.seed,
        replicates=plan.replicates,
    )


def _group_figures(group: GroupEstimate, names: Iterable[str]) -> Iterator[StudyFigure]:
    """Return the figures of a group of answers, and the numbers of its answers by status."""
    for name in names:
        yield as_figure(name, mean_with_counts(group, name))
    yield StudyFigure(figure="effective_n", value=group.effective_n)
    counts = {str(Status.SCORED): group.n, **group.left_out}
    for status, count in counts.items():
        yield StudyFigure(figure="answers", status=status, value=count, n=sum(counts.values()))


def option_figures(question: StudyQuestion, rows: pl.DataFrame, plan: IntervalPlan) -> Iterator[StudyFigure]:
    """Estimate the share or mean rank of each option, and the mean of numeric answers, by concept.

    Args:
        question: question about options.
        rows: answers to the question.
        plan: method of the intervals.
    """
    numbers = question.values
    for (concept,), part in rows.group_by("concept", maintain_order=True):
        of_options, personas = _masses(part, len(question.labels)), _codes(part["persona"])
        mean = partial(estimate_mean, clusters=personas, weights=_weights(part), plan=plan)
        for label, values in zip(question.labels, of_options.T, strict=True):
            estimate = mean(values, bounds=question.bounds)
            yield as_figure(question.kind.figure, estimate, concept=str(concept), by="option", level=label)
        if numbers is not None:
            estimate = mean(of_options @ numbers, bounds=(float(numbers[0]), float(numbers[-1])))
            yield as_figure("mean", estimate, concept=str(concept))


# Comparisons of answers to one question by one method


def level_differences(
    question: StudyQuestion,
    rows: pl.DataFrame,
    concepts: Sequence[str],
    attributes: Sequence[str],
    interval: float,
) -> Iterator[StudyFigure]:
    """Compare all pairs of concepts, then all pairs of groups of each attribute over all concepts.

    A persona's answers are a cluster, so that concepts are compared within personas. Each mean has its own
    base. The variance of the difference is ``var_a + var_b - 2 cov_ab`` (Taylor linearisation), with a t
    interval.

    Args:
        question: the question.
        rows: answers to it by one method, with attributes, and weights if the panel has any.
        concepts: names of concepts, in the order of the study.
        attributes: attributes of personas.
        interval: coverage of the intervals.

    Returns:
        The differences; none for fewer than two personas or levels with a rating, or more than 30 levels.
    """
    weights = _weights(rows)
    scored = _with_rating(rows if weights is None else rows.filter(pl.Series(weights > 0)))
    if scored["persona"].n_unique() < _FEWEST_PERSONAS:
        return
    present = set(scored["concept"])
    comparisons = [(CONCEPT, scored["concept"], [name for name in concepts if name in present])]
    for attribute in attributes:
        groups = scored[attribute_column(attribute)].cast(pl.String)
        comparisons.append((attribute, groups, sorted(groups.drop_nulls().unique())))
    weights, width = _weights(scored), _width(question)
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
        has_spread = differences.standard_errors[0] > _ROUNDING * width
        low, high = (
            np.where(has_spread, end[0].clip(-width, width), np.nan) for end in differences.interval(interval)
        )
        p_values = np.where(has_spread, differences.p_values[0], np.nan)
        p_adjusted = adjust_p_values(p_values, "holm")
        for number, (first, second) in enumerate(zip(differences.first, differences.second, strict=True)):
            yield StudyFigure(
                figure="difference",
                by=by,
                level=levels[first],
                other=levels[second],
                value=float(differences.values[0][number]),
                low=float(low[number]),
                high=float(high[number]),
                p=float(p_values[number]),
                p_adjusted=float(p_adjusted[number]),
            )


def rerun_reliability(rows: pl.DataFrame, plan: IntervalPlan) -> Iterator[StudyFigure]:
    """Estimate the reliability of repeated answers; return none if each persona was asked once.

    Args:
        rows: answers to one question by one method.
        plan: coverage and seed; personas are resampled as a whole.
    """
    codes = tuple(_codes(rows[name]) for name in ("persona", "concept", "sample"))
    shape = tuple(int(code.max(initial=0)) + 1 for code in codes)
    if shape[-1] < _FEWEST_SAMPLES:
        return
    repeats = np.full(shape, np.nan)
    repeats[codes] = _values(rows)
    yield as_figure("reliability", reliability_of_repeats(repeats, plan))


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


def order_effects(question: StudyQuestion, rows: pl.DataFrame, plan: IntervalPlan) -> Iterator[StudyFigure]:
    """Estimate the effect of the first position, for concepts and for questions.

    It is the mean of the answers in the first position minus the mean of the others, after subtracting each
    concept's mean.

    Args:
        question: the question.
        rows: answers to it by one method.
        plan: method of the intervals; personas are resampled as a whole.
    """
    scored = _with_rating(rows)
    for ordered in ("concept", "question"):
        positions = scored[f"{ordered}_position"]
        if positions.null_count() or positions.n_unique() <= 1:
            continue
        first = (positions == 1).to_numpy()
        contrasts = order_contrasts(_values(scored), first, _codes(scored["concept"]))
        most = 2 * _width(question) / min(first.mean(), 1 - first.mean())
        effect = estimate_mean(contrasts, bounds=(-most, most), clusters=_codes(scored["persona"]), plan=plan)
        yield as_figure("order_effect", effect, by=ordered)


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


# Comparisons of methods and of models, and their common variance


def compare_pairs(
    question: StudyQuestion, answers: Mapping[str, pl.DataFrame], plan: IntervalPlan, *, by: str
) -> Iterator[StudyFigure]:
    """Compare all pairs of methods, or of models, on the same personas, concepts and samples.

    Args:
        question: the question.
        answers: answers to it by the compared methods or models.
        plan: method of the intervals; personas are resampled as a whole.
        by: ``method`` or ``model``.

    Returns:
        For each pair the difference of the means over answers with both, and Pearson's correlation over the
        same answers, which is NaN for fewer than three and without variance.
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
        correlation = Estimate()
        if known.sum() >= _FEWEST_PAIRS and np.ptp(x[known]) > 0 and np.ptp(y[known]) > 0:
            correlation = pearson_estimate(
                x[known],
                y[known],
                clusters=personas[known],
                weights=None if weights is None else weights[known],
                interval=plan.interval,
                seed=plan.seed,
            )
        yield as_figure("paired_difference", difference, by=by, level=first, other=second)
        yield as_figure("correlation", correlation, by=by, level=first, other=second)


def answer_variances(rows: pl.DataFrame, plan: IntervalPlan) -> Iterator[StudyFigure]:
    """Split the variance of answers within concepts into components; return none if only personas differ.

    Args:
        rows: answers of all models to one question by one method. If one model was asked, its versions count
            as models.
        plan: method of the intervals; personas are resampled as a whole.

    Returns:
        The variance of each component and its share of the whole, the levels of each facet, and the standard
        error of a concept's mean: with the present levels, and with twice the levels of a facet.
    """
    scored = _with_rating(rows)
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
    variances = variance_components(table, plan=plan)
    for component in variances.components:
        variance = as_figure("variance", component.variance, by="facet", level=component.name)
        yield replace(variance, n=component.levels)
        yield replace(variance, figure="variance_share", value=component.share, low=np.nan, high=np.nan)
    yield StudyFigure(figure="standard_error", value=variances.decision.error, n=variances.n)
    for facet, error in variances.decision.doubled.items():
        yield StudyFigure(figure="standard_error", by="facet", level=facet, value=error)
    for facet, levels in variances.levels.items():
        yield StudyFigure(figure="levels", by="facet", level=facet, value=levels)


# Numbers of answers, and their costs


def status_counts(rows: pl.DataFrame, attributes: Sequence[str]) -> Iterator[StudyFigure]:
    """Count the answers by one method by status: all, then those of each group of personas.

    Returns:
        A count for each status that occurs, and that of scored answers also if there are none.
    """
    yield from _count_statuses(rows)
    for attribute in attributes:
        column = attribute_column(attribute)
        for (group,), members in rows.sort(column).group_by(column, maintain_order=True):
            level = None if group is None else str(group)
            yield from with_keys(_count_statuses(members), by=attribute, level=level)


def _count_statuses(rows: pl.DataFrame) -> Iterator[StudyFigure]:
    counts = {Status.SCORED: 0, **count_statuses(Status(status) for status in rows["status"])}
    for status, count in counts.items():
        yield StudyFigure(figure="answers", status=str(status), value=count, n=rows.height)


def answer_costs(rows: pl.DataFrame) -> Iterator[StudyFigure]:
    """Sum the tokens and the costs of answers by one method, with the median of their seconds.

    A text that both ``ssr`` and ``flr`` rate counts with ``ssr``. A sum of nothing known is NaN.
    """
    for name in ("tokens", "cost", "seconds"):
        known = rows[name].drop_nulls().to_numpy()
        total = np.median(known) if name == "seconds" and len(known) else known.sum()
        yield StudyFigure(figure=name, value=float(total) if len(known) else np.nan, n=len(known))
