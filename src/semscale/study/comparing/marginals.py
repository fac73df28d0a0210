"""Marginals: whether a panel's distributions and means are those of people, and their order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from semscale.stats.agreement.attainment import FEWEST_SURVEYS, Attainment, attainment
from semscale.stats.distances.benchmarks import (
    Benchmarks,
    distance_benchmarks,
    mean_of_known,
)
from semscale.stats.distances.distance_intervals import shifted_estimate
from semscale.stats.distances.joint_resamples import JointSample, joint_resamples
from semscale.stats.distances.sample_worth import SampleWorth, sample_worth
from semscale.stats.distances.samples import PmfSample
from semscale.stats.intervals.coefficients import ResamplingPlan
from semscale.stats.intervals.estimates import Estimate, IntervalPlan
from semscale.stats.intervals.means import estimate_mean
from semscale.study.comparing.sides import ComparedQuestion, ComparedSide
from semscale.types import Floats

_FEWEST_PEOPLE = 2


@dataclass(frozen=True, eq=False)
class ComparedSurvey:
    """A question about a concept, answered by a panel and by people.

    Attributes:
        question: what was asked.
        concept: what about.
        place: number of the concept.
        panel: the panel's answers, a PMF for each persona.
        people: the people's.
    """

    question: ComparedQuestion
    concept: str
    place: int
    panel: PmfSample
    people: PmfSample


@dataclass(frozen=True)
class SurveyMeans:
    """A panel's and people's mean in one survey.

    Attributes:
        question: name of the question.
        concept: what about.
        panel: mean of the panel, with a simulation interval.
        people: mean of the people, with an interval.
        difference: panel less people; both are resampled.
        n_panel: personas.
        n_people: people.
        panel_pmf: average PMF of the panel.
        people_pmf: of the people.
    """

    question: str
    concept: str
    panel: Estimate
    people: Estimate
    difference: Estimate
    n_panel: int
    n_people: int
    panel_pmf: tuple[float, ...]
    people_pmf: tuple[float, ...]


@dataclass(frozen=True)
class Marginals:
    """The axis of marginals.

    Attributes:
        means: of each survey.
        benchmarks: distances with nulls and ceiling, over all surveys.
        attainments: correlation attainment over concepts by question; ``None`` where fewer than three
            concepts were answered by both sides, so that it cannot be known.
        worth: how many people the panel is worth, by three kinds of error.
    """

    means: tuple[SurveyMeans, ...]
    benchmarks: Benchmarks
    attainments: Mapping[str, Attainment | None]
    worth: tuple[SampleWorth, ...]


def surveys_of(panel: ComparedSide, people: ComparedSide, concepts: Sequence[str]) -> list[ComparedSurvey]:
    """List the questions about concepts that a panel and two people or more answered."""
    found = []
    for question in panel.questions:
        for place, concept in enumerate(concepts):
            own, others = panel.sample(question.name, place), people.sample(question.name, place)
            if own.n and others.n >= _FEWEST_PEOPLE:
                found.append(ComparedSurvey(question, concept, place, own, others))
    return found


def compare_marginals(
    panel: ComparedSide,
    people: ComparedSide,
    surveys: Sequence[ComparedSurvey],
    plan: IntervalPlan,
    *,
    splits: int,
) -> Marginals:
    """Compare distributions, means and the order of concepts.

    Args:
        panel: answers of the personas.
        people: answers of the people; persons of both sides are resampled with all their answers.
        surveys: of these sides, at least one.
        plan: how intervals are made.
        splits: random halves of the people.
    """
    values = [each.question.values for each in surveys]
    asked = [each.people for each in surveys]
    resamples = joint_resamples(
        _joint(panel, surveys), _joint(people, surveys), plan.replicates, np.random.default_rng(plan.seed)
    )
    benchmarks = distance_benchmarks(
        [each.panel for each in surveys],
        asked,
        values,
        plan=plan,
        splits=splits,
        resamples=resamples,
        pools=[each.question.name for each in surveys],
    )
    pairs = zip(resamples.panel, resamples.people, values, strict=True)
    drawn = [(own - others) @ points for own, others, points in pairs]
    errors = {
        "ks": benchmarks.held["ks"].panel,
        "wasserstein": benchmarks.held["wasserstein"].panel,
        "mean": _squared_error(surveys, drawn, plan),
    }
    return Marginals(
        tuple(_means(each, gaps, plan) for each, gaps in zip(surveys, drawn, strict=True)),
        benchmarks,
        {
            name: _attainment([each for each in surveys if each.question.name == name], plan, splits)
            for name in dict.fromkeys(each.question.name for each in surveys)
        },
        tuple(
            sample_worth(name, errors[name], asked, values, seed=plan.seed)
            for name in ("ks", "wasserstein", "mean")
        ),
    )


def _joint(side: ComparedSide, surveys: Sequence[ComparedSurvey]) -> JointSample:
    return JointSample([side.masses[each.question.name][:, each.place] for each in surveys], side.weights)


def _means(survey: ComparedSurvey, gaps: Floats, plan: IntervalPlan) -> SurveyMeans:
    values = survey.question.values
    bounds = (float(values[0]), float(values[-1]))
    own, others = (
        estimate_mean(side.masses @ values, bounds=bounds, weights=side.weights, plan=plan)
        for side in (survey.panel, survey.people)
    )
    tail = (1 - plan.interval) / 2
    low, high = np.quantile(gaps[~np.isnan(gaps)], [tail, 1 - tail])
    return SurveyMeans(
        survey.question.name,
        survey.concept,
        Estimate(own.value, own.low, own.high),
        Estimate(others.value, others.low, others.high),
        Estimate(own.value - others.value, float(low), float(high)),
        survey.panel.n,
        survey.people.n,
        tuple(survey.panel.mean.tolist()),
        tuple(survey.people.mean.tolist()),
    )


def _squared_error(
    surveys: Sequence[ComparedSurvey], drawn: Sequence[Floats], plan: IntervalPlan
) -> Estimate:
    """Mean over surveys of the squared difference of means, as a share of the squared width."""
    widths = np.array([each.question.width for each in surveys])
    gaps = np.array([(each.panel.mean - each.people.mean) @ each.question.values for each in surveys])
    resampled = mean_of_known((np.stack(drawn, axis=-1) / widths) ** 2)
    return shifted_estimate(float(((gaps / widths) ** 2).mean()), resampled, plan.interval)


def _attainment(surveys: Sequence[ComparedSurvey], plan: IntervalPlan, splits: int) -> Attainment | None:
    if len(surveys) < FEWEST_SURVEYS:
        return None
    return attainment(
        np.array([each.panel.mean @ each.question.values for each in surveys]),
        [each.people for each in surveys],
        [each.question.values for each in surveys],
        splits=splits,
        plan=ResamplingPlan(None, plan.interval, plan.seed),
    )
