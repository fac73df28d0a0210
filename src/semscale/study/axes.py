"""The axes of a comparison of a panel with people: marginals, structure and individuals."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from scipy.special import ndtr

from semscale.stats.agreement import AgreementEstimate
from semscale.stats.correlations import ResamplingPlan, correlation, pearson_estimate, weighted_pearson
from semscale.stats.distances import PmfSample, kinked_estimate, shifted_estimate
from semscale.stats.intervals import (
    Estimate,
    IntervalPlan,
    draw_counts,
    estimate_mean,
    mass_names,
    mean_of_known,
    percentile_interval,
)
from semscale.stats.panel_benchmarks import (
    FEWEST_SURVEYS,
    Attainment,
    Benchmarks,
    ErrorName,
    JointSample,
    SampleWorth,
    attainment,
    distance_benchmarks,
    joint_resamples,
    sample_worth,
)
from semscale.stats.significance import holm
from semscale.study.people import ComparedQuestion, ComparedSide
from semscale.study.study_figures import StudyFigure, as_figure, reliability_of_repeats, with_keys
from semscale.types import Floats, Mask

FEWEST_IN_GROUP = 5
"""Least number of persons with an answer in a group on each side; the spread of fewer is hardly known."""

_REPLICATES, _SPLITS = 500, 200
"""Number of resamples of one side's persons; number of random halves of people and shuffles of personas."""

_FEWEST_PEOPLE, _FEWEST_QUESTIONS, _FEWEST_PERSONS, _FEWEST_SAMPLES, _FEWEST_MATCHES = 2, 2, 10, 2, 3
_ROUNDING = 1e-9

CountedFigures = Callable[[Floats], Floats]
"""Function that returns figures (b, f) of n persons, each counted ``counts`` (b, n) times."""


# Marginals: distributions, means and the order of concepts


@dataclass(frozen=True, eq=False)
class ComparedSurvey:
    """A question about a concept, answered by a panel and by people.

    Attributes:
        question: the question.
        concept: name of the concept.
        concept_number: index of the concept, from 0.
        panel: the panel's answers, one PMF per persona.
        people: the people's answers, one PMF per person.
    """

    question: ComparedQuestion
    concept: str
    concept_number: int
    panel: PmfSample
    people: PmfSample


@dataclass(frozen=True)
class Marginals:
    """The axis of marginals.

    Attributes:
        benchmarks: distances with nulls and ceiling, over all surveys.
        attainments: correlation attainment over concepts by question; ``None`` if both sides answered fewer
            than three concepts, so that it is unknown.
        worth: size of a random sample of people with the panel's expected error, for three kinds of error.
    """

    benchmarks: Benchmarks
    attainments: Mapping[str, Attainment | None]
    worth: tuple[SampleWorth, ...]


def surveys_of(panel: ComparedSide, people: ComparedSide, concepts: Sequence[str]) -> list[ComparedSurvey]:
    """Return the questions about concepts that the panel and at least two people answered."""
    surveys = [
        ComparedSurvey(
            question,
            concept,
            number,
            panel.sample(question.name, number),
            people.sample(question.name, number),
        )
        for question in panel.questions
        for number, concept in enumerate(concepts)
    ]
    return [survey for survey in surveys if survey.panel.n and survey.people.n >= _FEWEST_PEOPLE]


def compare_marginals(
    panel: ComparedSide,
    people: ComparedSide,
    surveys: Sequence[ComparedSurvey],
    plan: IntervalPlan,
    *,
    splits: int,
) -> tuple[Marginals, list[StudyFigure]]:
    """Compare distributions, means and the order of concepts.

    Args:
        panel: answers of the personas.
        people: answers of the people; persons of both sides are resampled with all their answers.
        surveys: surveys of these sides, at least one.
        plan: method of the intervals.
        splits: number of random splits of the people into halves.

    Returns:
        The axis, and for each survey the means and distributions of both sides, and the difference of means.
    """
    values = [survey.question.values for survey in surveys]
    samples = [survey.people for survey in surveys]
    joint_panel, joint_people = (
        JointSample(
            [side.masses[survey.question.name][:, survey.concept_number] for survey in surveys], side.weights
        )
        for side in (panel, people)
    )
    rng = np.random.default_rng(plan.seed)
    resamples = joint_resamples(joint_panel, joint_people, plan.replicates, rng)
    benchmarks = distance_benchmarks(
        [survey.panel for survey in surveys],
        samples,
        values,
        plan=plan,
        splits=splits,
        resamples=resamples,
        pools=[survey.question.name for survey in surveys],
    )
    pairs = zip(resamples.panel, resamples.people, values, strict=True)
    gaps = [(panel_pmfs - people_pmfs) @ points for panel_pmfs, people_pmfs, points in pairs]
    errors: dict[ErrorName, Estimate] = {
        "ks": benchmarks.distances["ks"].panel,
        "wasserstein": benchmarks.distances["wasserstein"].panel,
        "mean": _squared_error(surveys, gaps, plan),
    }
    marginals = Marginals(
        benchmarks,
        {
            name: _attainment([survey for survey in surveys if survey.question.name == name], plan, splits)
            for name in dict.fromkeys(survey.question.name for survey in surveys)
        },
        tuple(sample_worth(name, error, samples, values, seed=plan.seed) for name, error in errors.items()),
    )
    figures: list[StudyFigure] = []
    for survey, gap in zip(surveys, gaps, strict=True):
        name, concept = survey.question.name, survey.concept
        figures += with_keys(_survey_figures(survey, gap, plan), question=name, concept=concept)
    return marginals, figures


def _survey_figures(survey: ComparedSurvey, gaps: Floats, plan: IntervalPlan) -> Iterator[StudyFigure]:
    """Return means and distributions of both sides, and the difference of means with resampled gaps (r,)."""
    values = survey.question.values
    means = []
    for side, sample in (("panel", survey.panel), ("people", survey.people)):
        mean = estimate_mean(
            sample.masses @ values,
            bounds=(float(values[0]), float(values[-1])),
            weights=sample.weights,
            plan=plan,
        )
        means.append(mean.value)
        yield as_figure("mean", mean, side=side)
        for name, mass in zip(mass_names(values), sample.mean.tolist(), strict=True):
            yield StudyFigure(figure=name, value=mass, side=side)
    tail = (1 - plan.interval) / 2
    low, high = np.quantile(gaps[~np.isnan(gaps)], [tail, 1 - tail]).tolist()
    yield StudyFigure(figure="panel_minus_people", value=means[0] - means[1], low=low, high=high)


def _squared_error(
    surveys: Sequence[ComparedSurvey], resampled_gaps: Sequence[Floats], plan: IntervalPlan
) -> Estimate:
    """Return the squared difference of means as a share of the squared width, averaged over surveys."""
    widths = np.array([survey.question.width for survey in surveys])
    gaps = np.array([(survey.panel.mean - survey.people.mean) @ survey.question.values for survey in surveys])
    resampled = mean_of_known((np.stack(resampled_gaps, axis=-1) / widths) ** 2)
    return shifted_estimate(float(((gaps / widths) ** 2).mean()), resampled, plan.interval)


def _attainment(surveys: Sequence[ComparedSurvey], plan: IntervalPlan, splits: int) -> Attainment | None:
    if len(surveys) < FEWEST_SURVEYS:
        return None
    return attainment(
        np.array([survey.panel.mean @ survey.question.values for survey in surveys]),
        [survey.people for survey in surveys],
        [survey.question.values for survey in surveys],
        splits=splits,
        plan=ResamplingPlan(None, plan.interval, plan.seed),
    )


# Structure: relations between questions


@dataclass(frozen=True)
class Correlations:
    """Correlations between questions.

    Attributes:
        gap: mean absolute difference of the panel's and the people's correlations; 0 if they are equal.
        split_half: the same between random halves of the people: the ceiling.
        permuted: the same with every question's answers shuffled among personas: the null.
        below_permuted: ``permuted`` minus ``gap``; above 0 if the panel's structure is closer than no
            structure.
    """

    gap: Estimate
    split_half: float
    permuted: float
    below_permuted: Estimate


def rerun_reliabilities(panel: ComparedSide, plan: IntervalPlan) -> dict[str, AgreementEstimate]:
    """Return, by question, the intraclass correlation ICC(1,k) of a persona's repeated answers.

    Args:
        panel: answers of the personas; questions without repeated answers are skipped.
        plan: coverage and seed; personas are resampled as a whole.
    """
    return {
        name: reliability_of_repeats(repeats, plan)
        for name, repeats in panel.repeats.items()
        if repeats.shape[2] >= _FEWEST_SAMPLES
    }


def compare_correlations(
    panel: ComparedSide,
    people: ComparedSide,
    reliabilities: Mapping[str, AgreementEstimate],
    plan: IntervalPlan,
) -> tuple[Correlations | None, list[StudyFigure]]:
    """Compare the correlations between questions.

    Args:
        panel: answers of the personas.
        people: answers of the people.
        reliabilities: known reliabilities of the panel's questions.
        plan: coverage and seed; persons are resampled as a whole.

    Returns:
        The comparison, and the correlation of each pair of questions on both sides. The panel's correlation
        is also divided by the root of the product of both reliabilities (disattenuated); NaN if these are
        unknown. People answer once, so their correlation is always attenuated. ``None`` and no figures if no
        correlation is defined.
    """
    names = [question.name for question in panel.questions]
    if len(names) < _FEWEST_QUESTIONS or min(panel.n, people.n) < _FEWEST_PERSONS:
        return None, []
    panel_figures = question_correlations(panel.positions, panel.person_weights)
    people_figures = question_correlations(people.positions, people.person_weights)
    r, r_drawn = _with_resamples(panel_figures, panel.n, plan, 0)
    human, human_drawn = _with_resamples(people_figures, people.n, plan, 1)
    known = ~np.isnan(r) & ~np.isnan(human)
    if not known.any():
        return None, []

    def shuffle_answers(rng: np.random.Generator) -> CountedFigures:
        by_question = np.moveaxis(panel.positions, 2, 0)
        shuffled = np.stack([answers[rng.permutation(panel.n)] for answers in by_question], axis=-1)
        return question_correlations(shuffled, panel.person_weights)

    null = np.nan_to_num(_shuffle_figures(panel, plan, shuffle_answers))
    permuted = float(np.abs(null[:, known] - human[known]).mean())
    gap = float(np.abs(r - human)[known].mean())
    n = min(panel.n, people.n)
    gaps, signed_gaps = _mean_sizes((r_drawn - human_drawn)[:, known], (r - human)[known])
    nulls, signed_nulls = _mean_sizes(human_drawn[:, known], human[known])
    without_structure = float(np.abs(human[known]).mean())
    first, second = _halves(people, plan, people_figures)
    figures: list[StudyFigure] = []
    for number, (a, b) in enumerate(combinations(names, 2)):
        known_reliabilities = [reliabilities[name].value for name in (a, b) if name in reliabilities]
        of_panel = _percentile_estimate(r[number], r_drawn[:, number], panel.n, plan)
        of_people = _percentile_estimate(human[number], human_drawn[:, number], people.n, plan)
        disattenuated = _disattenuate(float(r[number]), known_reliabilities)
        pair = (
            as_figure("correlation", of_panel, side="panel"),
            as_figure("correlation", of_people, side="people"),
            StudyFigure(figure="disattenuated_correlation", value=disattenuated, side="panel"),
        )
        figures += with_keys(pair, by="question", level=a, other=b)
    correlations = Correlations(
        kinked_estimate(gap, gaps, signed_gaps, n, plan.interval),
        float(np.nanmean(np.abs(first - second)[:, known])),
        permuted,
        kinked_estimate(
            permuted - gap,
            nulls - gaps + permuted - without_structure,
            signed_nulls - signed_gaps,
            n,
            plan.interval,
            least=-2.0,
        ),
    )
    return correlations, figures


def _mean_sizes(drawn: Floats, observed: Floats) -> tuple[Floats, Floats]:
    """Return the mean sizes (r,) of resampled figures (r, f), and their means with the observed signs."""
    signs = np.where(observed < 0, -1.0, 1.0)
    return np.nanmean(np.abs(drawn), axis=1), np.nanmean(drawn * signs, axis=1)


def _shuffle_figures(
    panel: ComparedSide, plan: IntervalPlan, shuffle: Callable[[np.random.Generator], CountedFigures]
) -> Floats:
    """Return figures (splits, f) of all personas after random shuffles."""
    rng, everyone = np.random.default_rng(plan.seed), np.ones((1, panel.n))
    return np.concatenate([shuffle(rng)(everyone) for _ in range(_SPLITS)])


def _disattenuate(r: float, reliabilities: Sequence[float]) -> float:
    """Divide r by the root of the product of two reliabilities; NaN if one is unknown or not above 0."""
    if len(reliabilities) < 2 or not min(reliabilities) > 0:
        return float("nan")
    return r / float(np.sqrt(reliabilities[0] * reliabilities[1]))


# Structure: differences between groups


@dataclass(frozen=True)
class GroupContrasts:
    """Differences between groups.

    Attributes:
        n_pairs: number of pairs of groups of an attribute, for each question.
        n_tested: number of these with at least five persons in both groups on both sides; smaller groups have
            no interval.
        n_invented: number of differences that only the panel has: the people's interval contains 0, the
            panel's interval does not, and the panel's difference differs significantly from the people's
            (normal approximation with the resamples' variance, Holm over all pairs).
        n_clear: number of the people's differences with an interval that excludes 0; the figures below refer
            to these.
        same_sign: share of these in which the panel differs in the same direction; NaN without any.
        split_half: the same between random halves of the people: the ceiling.
        permuted: the same with attributes shuffled among personas: the null.
        size_ratio: sum of the panel's differences in the people's direction, divided by the sum of the
            people's; 1 if they are equal, 0 if the panel's groups do not differ.
    """

    n_pairs: int
    n_tested: int
    n_invented: int
    n_clear: int = 0
    same_sign: float = math.nan
    split_half: float = math.nan
    permuted: float = math.nan
    size_ratio: Estimate = Estimate()


@dataclass(frozen=True)
class _GroupPair:
    """Two groups of an attribute, for one question."""

    question: int
    attribute: str
    first: str
    second: str

    def rows(self, side: ComparedSide) -> tuple[int, Mask, Mask]:
        """Return the question's index, and the persons (n,) of both groups."""
        cells = np.array(list(side.groups[self.attribute]), dtype=object)
        return self.question, cells == self.first, cells == self.second

    def size(self, side: ComparedSide) -> int:
        """Return the number of persons with an answer in the smaller group."""
        has_answer = ~np.isnan(side.positions[..., self.question]).all(axis=1)
        _, *groups = self.rows(side)
        return min(int((has_answer & group).sum()) for group in groups)


def compare_groups(
    panel: ComparedSide, people: ComparedSide, plan: IntervalPlan
) -> tuple[GroupContrasts | None, list[StudyFigure]]:
    """Compare differences between groups.

    Args:
        panel: answers of the personas, with groups.
        people: answers of the people, with groups of the same attributes.
        plan: coverage and seed; persons are resampled as a whole.

    Returns:
        The comparison, and for each pair of groups the difference of means on both sides as a share of the
        scale's width, with the number of persons in the smaller group, and if it is tested, whether the panel
        invents it (1 or 0). ``None`` and no figures if no two groups exist on both sides.
    """
    named = _group_pairs(panel, people)
    if not named:
        return None, []
    panel_rows, people_rows = ([pair.rows(side) for pair in named] for side in (panel, people))
    people_figures = group_differences(people.positions, people.person_weights, people_rows)
    d, drawn = _with_resamples(
        group_differences(panel.positions, panel.person_weights, panel_rows), panel.n, plan, 0
    )
    human, human_drawn = _with_resamples(people_figures, people.n, plan, 1)
    sizes = [(pair.size(panel), pair.size(people)) for pair in named]
    is_tested: Mask = np.array([min(pair_sizes) >= FEWEST_IN_GROUP for pair_sizes in sizes])
    apart = _apart(np.where(is_tested, d - human, np.nan), drawn - human_drawn, plan)
    # A few persons can answer alike in every resample, so that the interval would be too narrow.
    drawn_of_tested = np.where(is_tested, drawn, np.nan)
    human_of_tested = np.where(is_tested, human_drawn, np.nan)
    clear: Mask = np.zeros(len(named), dtype=bool)
    is_invented: Mask = np.zeros(len(named), dtype=bool)
    figures: list[StudyFigure] = []
    for number, pair in enumerate(named):
        of_panel = _percentile_estimate(d[number], drawn_of_tested[:, number], panel.n, plan)
        of_people = _percentile_estimate(human[number], human_of_tested[:, number], people.n, plan)
        clear[number] = _excludes_0(of_people) and not np.isnan(d[number])
        is_invented[number] = apart[number] and _excludes_0(of_panel) and not _excludes_0(of_people)
        n_panel, n_people = sizes[number]
        difference = [
            replace(as_figure("group_difference", of_panel, side="panel"), n=n_panel),
            replace(as_figure("group_difference", of_people, side="people"), n=n_people),
        ]
        if is_tested[number]:
            difference.append(StudyFigure(figure="invented", value=float(is_invented[number])))
        question = panel.questions[pair.question].name
        figures += with_keys(
            difference, question=question, by=pair.attribute, level=pair.first, other=pair.second
        )
    counts = (len(named), int(is_tested.sum()), int(is_invented.sum()))
    if not clear.any():
        return GroupContrasts(*counts), figures
    signs = np.sign(human[clear])
    first, second = _halves(people, plan, people_figures)

    def shuffle_attributes(rng: np.random.Generator) -> CountedFigures:
        return group_differences(panel.positions[rng.permutation(panel.n)], panel.person_weights, panel_rows)

    shuffled = _shuffle_figures(panel, plan, shuffle_attributes)
    ratio = _size_ratios(d[None, clear], human[None, clear], signs)[0]
    ratios = _size_ratios(drawn[:, clear], human_drawn[:, clear], signs)
    contrasts = GroupContrasts(
        *counts,
        int(clear.sum()),
        float(np.mean(np.sign(d[clear]) == signs)),
        float(np.mean(np.sign(first[:, clear]) == np.sign(second[:, clear]))),
        float(np.mean(np.sign(shuffled[:, clear]) == signs)),
        _percentile_estimate(ratio, ratios, min(panel.n, people.n), plan),
    )
    return contrasts, figures


def _group_pairs(panel: ComparedSide, people: ComparedSide) -> list[_GroupPair]:
    """Return all pairs of groups of an attribute that both sides have, for each question."""
    pairs = []
    for attribute in panel.groups:
        of_both = {*panel.groups[attribute]} & {*people.groups[attribute]}
        groups = sorted(group for group in of_both if group is not None)
        for question in range(len(panel.questions)):
            pairs += [_GroupPair(question, attribute, *two) for two in combinations(groups, 2)]
    return pairs


def _apart(gaps: Floats, drawn: Floats, plan: IntervalPlan) -> Mask:
    """Return a mask (f,) of significant gaps between panel and people, by resamples (r, f) and Holm."""
    is_defined = ~np.isnan(drawn)
    known = ~np.isnan(gaps) & is_defined.any(axis=0)
    spread = np.array(
        [column[rows].std() for column, rows in zip(drawn.T[known], is_defined.T[known], strict=True)]
    )
    z = np.abs(gaps[known]) / np.where(spread > 0, spread, np.inf)
    apart: Mask = np.zeros(len(gaps), dtype=bool)
    if known.any():
        apart[known] = holm(2 * ndtr(-z)) <= 1 - plan.interval
    return apart


def _excludes_0(estimate: Estimate) -> bool:
    return estimate.low > 0 or estimate.high < 0


def _size_ratios(panel: Floats, people: Floats, signs: Floats) -> Floats:
    """Return sums (b,) of the panel's differences in the people's direction, divided by the people's."""
    size, of_people = np.nansum(panel * signs, axis=1), np.nansum(people * signs, axis=1)
    ratios: Floats = np.divide(size, of_people, out=np.full(len(size), np.nan), where=of_people != 0)
    return ratios


# Individuals


def compare_individuals(
    panel: ComparedSide, people: ComparedSide, plan: IntervalPlan
) -> Iterator[StudyFigure]:
    """Compare personas with people of the same name, if at least three names are shared.

    Args:
        panel: answers of the personas.
        people: answers of named people.
        plan: coverage and seed; persons are resampled as a whole.

    Returns:
        For each question with at least three pairs Pearson's correlation within concepts, which is NaN if one
        side does not vary, and the mean absolute difference of the two answers as a share of the scale's
        width. Then the nulls, with personas shuffled among people: the quantile of the correlation at the
        coverage of the intervals, and the mean of the error.
    """
    rows = {name: row for row, name in enumerate(people.names)}
    shared = np.array([(row, rows[name]) for row, name in enumerate(panel.names) if name in rows], dtype=int)
    if len(shared) < _FEWEST_MATCHES:
        return
    personas, persons = panel.positions[shared[:, 0]], people.positions[shared[:, 1]]
    weights = people.person_weights[shared[:, 1]]
    for number, question in enumerate(panel.questions):
        figures = _individual_figures(personas[..., number], persons[..., number], weights, plan)
        yield from with_keys(figures, question=question.name)


def _individual_figures(
    personas: Floats, people: Floats, weights: Floats, plan: IntervalPlan
) -> Iterator[StudyFigure]:
    """Compare answers (n, c) to one question; return none with fewer than three pairs."""
    both = ~np.isnan(personas) & ~np.isnan(people)
    clusters = np.broadcast_to(np.arange(len(personas))[:, None], personas.shape)[both]
    n = len(np.unique(clusters))
    if n < _FEWEST_MATCHES:
        return
    x, y = _within_concepts(personas, weights, both), _within_concepts(people, weights, both)
    weight = np.broadcast_to(weights[:, None], personas.shape)[both]
    r = pearson_estimate(x, y, clusters=clusters, weights=weight, interval=plan.interval, seed=plan.seed)
    error = estimate_mean(
        np.abs(personas - people)[both], bounds=(0, 1), clusters=clusters, weights=weight, plan=plan
    )
    errors, correlations = _shuffle_individuals(personas, people, weights, plan)
    high = float(np.quantile(correlations, (1 + plan.interval) / 2))
    yield replace(as_figure("individual_correlation", r), n=n)
    yield StudyFigure(figure="shuffled_correlation", value=high)
    yield as_figure("individual_error", error)
    yield StudyFigure(figure="shuffled_error", value=float(np.mean(errors)))


def _shuffle_individuals(
    personas: Floats, people: Floats, weights: Floats, plan: IntervalPlan
) -> tuple[list[float], list[float]]:
    """Return errors and correlations of personas shuffled among people; undefined correlations are 0.

    People keep their weights (n,), as in the observed figures.
    """
    rng = np.random.default_rng(plan.seed)
    errors, correlations = [], []
    for _ in range(_SPLITS):
        shuffled = personas[rng.permutation(len(personas))]
        both = ~np.isnan(shuffled) & ~np.isnan(people)
        if not both.any():
            continue
        weight = np.broadcast_to(weights[:, None], personas.shape)[both]
        errors.append(float(np.average(np.abs(shuffled - people)[both], weights=weight)))
        x, y = _within_concepts(shuffled, weights, both), _within_concepts(people, weights, both)
        correlations.append(float(weighted_pearson(x, y, weight[None])[0]))
    return errors, np.nan_to_num(correlations).tolist()


def _within_concepts(values: Floats, weights: Floats, both: Mask) -> Floats:
    """Return the answers (n, c) of pairs minus their concept's weighted mean, shape (pairs,)."""
    filled = np.where(both, values, 0.0)
    counted = both * weights[:, None]
    means = (filled * counted).sum(axis=0) / np.where(both.any(axis=0), counted.sum(axis=0), 1.0)
    centred: Floats = (values - means)[both]
    return centred


# Figures as functions of how often each person counts, their resamples and halves


def question_correlations(positions: Floats, weights: Floats) -> CountedFigures:
    """Return a function from persons' counts to Pearson's correlations of all pairs of questions.

    A person's answers about one concept are a pair. The concept's means are subtracted, so that differences
    between concepts cause no correlation.

    Args:
        positions: shape (n, c, q), q of at least 2; NaN without an answer.
        weights: shape (n,), above 0.

    Returns:
        Function with figures in the order of ``combinations(range(q), 2)``; NaN if answers do not vary.
    """
    products = [
        _pair_products(positions[..., first], positions[..., second])
        for first, second in combinations(range(positions.shape[2]), 2)
    ]

    def correlations(counts: Floats) -> Floats:
        weighted = counts * weights
        return np.stack([_pooled_correlation(weighted, of_pair) for of_pair in products], axis=-1)

    return correlations


def _pair_products(u: Floats, v: Floats) -> Floats:
    """Return products (n, c, 6) whose sums over persons give a correlation; 0 for missing answers."""
    both = ~np.isnan(u) & ~np.isnan(v)
    x, y = np.where(both, u, 0.5) - 0.5, np.where(both, v, 0.5) - 0.5
    return np.stack([both.astype(np.float64), x, y, x * x, y * y, x * y], axis=-1)


def _pooled_correlation(weighted: Floats, products: Floats) -> Floats:
    """Return the correlation (b,) within concepts."""
    n, c, n_products = products.shape
    sums = (weighted @ products.reshape(n, -1)).reshape(len(weighted), c, n_products)
    size, x, y, xx, yy, xy = sums.transpose(2, 0, 1)
    used = np.where(size > 0, size, 1.0)
    covariance = (xy - x * y / used).sum(axis=1)
    var_x, var_y = (
        _without_rounding((squares - total**2 / used).sum(axis=1), squares.sum(axis=1))
        for total, squares in ((x, xx), (y, yy))
    )
    zeros = np.zeros(len(weighted))
    return correlation(zeros + 1, zeros, zeros, var_x, var_y, covariance)


def _without_rounding(variances: Floats, squares: Floats) -> Floats:
    """Return sums of squared deviations, with rounding errors around 0 set to 0."""
    return np.where(variances > _ROUNDING * squares, variances, 0.0)


def group_differences(
    positions: Floats, weights: Floats, pairs: Sequence[tuple[int, Mask, Mask]]
) -> CountedFigures:
    """Return a function from persons' counts to differences between groups' mean answers.

    A group's mean is the mean of its concepts' means, over the concepts that both groups have.

    Args:
        positions: shape (n, c, q); NaN without an answer.
        weights: shape (n,), above 0.
        pairs: for each difference, the question and the persons (n,) of the two groups; the second group is
            subtracted from the first.

    Returns:
        Function with figures in the order of ``pairs``.
    """
    is_known = ~np.isnan(positions)
    filled = np.where(is_known, positions, 0.0)
    parts = [
        [(rows, filled[rows][..., question], is_known[rows][..., question]) for rows in groups]
        for question, *groups in pairs
    ]

    def concept_means(weighted: Floats, values: Floats, known: Mask) -> Floats:
        n = weighted @ known
        return np.where(n > 0, weighted @ values / np.where(n > 0, n, 1.0), np.nan)

    def differences(counts: Floats) -> Floats:
        weighted, columns = counts * weights, []
        for groups in parts:
            first, second = (concept_means(weighted[:, rows], *answers) for rows, *answers in groups)
            columns.append(mean_of_known(first - second))
        return np.stack(columns, axis=-1)

    return differences


def _with_resamples(figures: CountedFigures, n: int, plan: IntervalPlan, side: int) -> tuple[Floats, Floats]:
    """Return figures (f,) of all persons, and (r, f) of resamples; draws differ by ``side``."""
    rng = np.random.default_rng([plan.seed, side])
    drawn = np.concatenate([figures(counts) for counts in draw_counts(n, _REPLICATES, rng)])
    return figures(np.ones((1, n)))[0], drawn


def _halves(people: ComparedSide, plan: IntervalPlan, figures: CountedFigures) -> tuple[Floats, Floats]:
    """Return figures (splits, f) of random halves of the people."""
    rng = np.random.default_rng(plan.seed)
    half = np.argsort(rng.random((_SPLITS, people.n)), axis=1) < people.n // 2
    return figures(half.astype(np.float64)), figures((~half).astype(np.float64))


def _percentile_estimate(value: float, drawn: Floats, n: int, plan: IntervalPlan) -> Estimate:
    """Return a figure with a percentile interval of resamples (r,); none if resamples are unknown."""
    low, high = percentile_interval(drawn[:, None], n, plan.interval)
    return Estimate(float(value), float(low[0]), float(high[0]))
