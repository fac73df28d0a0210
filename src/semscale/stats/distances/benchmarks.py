"""Distances of a panel from people, beside what equal shares, pooled people and halves of people reach."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from semscale.errors import InputError
from semscale.stats.distances.distances import DISTANCES, DistanceName, all_distances, check_values
from semscale.stats.distances.samples import PmfSample
from semscale.stats.intervals.estimates import Estimate, IntervalPlan
from semscale.stats.intervals.means import estimate_mean
from semscale.types import Floats

SPLITS = 2000
"""Random halves of the people in each survey."""

_RESAMPLED_SPLITS, _SPLIT_REPLICATES = 50, 200
_FEWEST_SURVEYS = 2
_FEWEST_PEOPLE = 2

NONE = Estimate(float("nan"), float("nan"), float("nan"))


@dataclass(frozen=True)
class HeldDistance:
    """One distance of a panel from people, with its nulls and its ceiling; all 0 to 1, lower is closer.

    Attributes:
        panel: of the panel from the people.
        uniform: of equal shares from the people: a panel that knows nothing.
        pooled: of the people of all other surveys from the people of this one: a panel that knows people, but
            not the survey; NaN with one survey.
        split_half: of one half of the people from the other, the mean over random halves: what people reach.
        below_uniform: uniform less panel; above 0 where the panel is closer.
        below_pooled: pooled less panel, likewise.
        above_split_half: panel less split_half; 0 where the panel is as close as people.
    """

    panel: Estimate
    uniform: Estimate
    pooled: Estimate
    split_half: Estimate
    below_uniform: Estimate
    below_pooled: Estimate
    above_split_half: Estimate


@dataclass(frozen=True)
class Benchmarks:
    """Distances of a panel from people in one survey or several.

    Attributes:
        held: mean over surveys, by distance, each beside its nulls and ceiling.
        by_survey: the panel's distance in each survey, by distance; intervals over respondents.
        n_surveys: surveys with a panel and people.
        resampled: what the intervals of ``held`` come from.
    """

    held: Mapping[DistanceName, HeldDistance]
    by_survey: Mapping[DistanceName, tuple[Estimate, ...]]
    n_surveys: int
    resampled: str


def distance_benchmarks(
    panel: Sequence[PmfSample],
    people: Sequence[PmfSample],
    values: Sequence[Floats],
    *,
    plan: IntervalPlan | None = None,
    splits: int = SPLITS,
) -> Benchmarks:
    """Measure how far a panel is from people, beside equal shares, pooled people and halves of people.

    With two surveys or more the intervals of the means are over surveys. With one survey they are basic
    bootstrap intervals over respondents of both samples: the ends are 2 d less the upper and the lower
    quantile of the resamples, which takes off the upward bias that distances of samples have.

    Args:
        panel: answers of the panel in each survey.
        people: answers of the people in each survey.
        values: of each survey's points, shape (k,), increasing. Pooled people come from other surveys with
            the same values.
        plan: how intervals are made.
        splits: random halves of the people in each survey.

    Raises:
        InputError: no survey, lengths that differ, fewer than two people or no panel in a survey, or values
            that do not fit.

    References:
        Maier et al. (2025), arXiv 2510.08338, for the KS similarity and the halves; Davison and Hinkley
        (1997), Bootstrap Methods and Their Application, section 2.4, for basic intervals.
    """
    plan = plan or IntervalPlan()
    _check(panel, people, values)
    rng = np.random.default_rng(plan.seed)
    surveys = [
        _Survey.measured(*pair, points, rng, splits)
        for pair, points in zip(zip(panel, people, strict=True), values, strict=True)
    ]
    pooled = _pooled_distances(people, values)
    drawn = [_resampled(*each, plan, rng) for each in zip(panel, people, values, strict=True)]
    several = len(surveys) >= _FEWEST_SURVEYS
    held = {
        name: _over_surveys(surveys, pooled[:, place], place, plan)
        if several
        else _of_one(surveys[0], drawn[0], people[0], values[0], place, plan)
        for place, name in enumerate(DISTANCES)
    }
    by_survey = {
        name: tuple(
            _basic(float(survey.panel[place]), draws.panel[:, place], plan.interval)
            for survey, draws in zip(surveys, drawn, strict=True)
        )
        for place, name in enumerate(DISTANCES)
    }
    return Benchmarks(held, by_survey, len(surveys), "surveys" if several else "respondents")


@dataclass(frozen=True)
class _Survey:
    """Distances of one survey, each of shape (4,)."""

    panel: Floats
    uniform: Floats
    split_half: Floats

    @classmethod
    def measured(
        cls, panel: PmfSample, people: PmfSample, values: Floats, rng: np.random.Generator, splits: int
    ) -> "_Survey":
        return cls(
            all_distances(panel.mean, people.mean, values),
            all_distances(_equal(values), people.mean, values),
            all_distances(*people.halves(splits, rng), values).mean(axis=0),
        )


@dataclass(frozen=True)
class _Draws:
    """Distances in resamples, each of shape (r, 4)."""

    panel: Floats
    uniform: Floats


def _resampled(
    panel: PmfSample, people: PmfSample, values: Floats, plan: IntervalPlan, rng: np.random.Generator
) -> _Draws:
    p, q = panel.resampled(plan.replicates, rng), people.resampled(plan.replicates, rng)
    return _Draws(all_distances(p, q, values), all_distances(_equal(values), q, values))


def _over_surveys(surveys: Sequence[_Survey], pooled: Floats, place: int, plan: IntervalPlan) -> HeldDistance:
    panel, uniform, halves = (
        np.array([getattr(survey, name)[place] for survey in surveys])
        for name in ("panel", "uniform", "split_half")
    )
    return HeldDistance(
        *(_mean(each, plan) for each in (panel, uniform, pooled, halves)),
        *(_mean(each, plan, least=-1) for each in (uniform - panel, pooled - panel, panel - halves)),
    )


def _of_one(  # noqa: PLR0913 - one survey's distances, resamples and people
    survey: _Survey, draws: _Draws, people: PmfSample, values: Floats, place: int, plan: IntervalPlan
) -> HeldDistance:
    panel, uniform, half = (float(each[place]) for each in (survey.panel, survey.uniform, survey.split_half))
    halves = _resampled_halves(people, values, plan)[:, place]
    repeats = draws.panel[: len(halves), place]
    return HeldDistance(
        _basic(panel, draws.panel[:, place], plan.interval),
        _basic(uniform, draws.uniform[:, place], plan.interval),
        NONE,
        _basic(half, halves, plan.interval),
        _basic(uniform - panel, draws.uniform[:, place] - draws.panel[:, place], plan.interval, least=-1),
        NONE,
        _basic(panel - half, repeats - halves, plan.interval, least=-1),
    )


def _resampled_halves(people: PmfSample, values: Floats, plan: IntervalPlan) -> Floats:
    """Mean distances (r, 4) of halves of resampled people."""
    rng = np.random.default_rng(plan.seed)
    found = []
    for _ in range(_SPLIT_REPLICATES):
        rows = rng.integers(0, people.n, people.n)
        weights = None if people.weights is None else people.weights[rows]
        drawn = PmfSample(people.masses[rows], weights)
        found.append(all_distances(*drawn.halves(_RESAMPLED_SPLITS, rng), values).mean(axis=0))
    return np.array(found)


def _pooled_distances(people: Sequence[PmfSample], values: Sequence[Floats]) -> Floats:
    """Distances (surveys, 4) of each survey's people from those of the others with the same points.

    Every other survey counts alike, whatever its size; NaN where there is none.
    """
    found = np.full((len(people), len(DISTANCES)), np.nan)
    for place, (own, points) in enumerate(zip(people, values, strict=True)):
        others = [
            other.mean
            for other_place, other in enumerate(people)
            if other_place != place and np.array_equal(values[other_place], points)
        ]
        if others:
            found[place] = all_distances(np.mean(others, axis=0), own.mean, points)
    return found


def _mean(values: Floats, plan: IntervalPlan, *, least: float = 0.0) -> Estimate:
    found = estimate_mean(values, bounds=(least, 1.0), plan=plan)
    return Estimate(found.value, found.low, found.high)


def _basic(value: float, resampled: Floats, interval: float, *, least: float = 0.0) -> Estimate:
    tail = (1 - interval) / 2
    below, above = np.quantile(resampled, [tail, 1 - tail])
    low, high = (float(np.clip(2 * value - end, least, 1.0)) for end in (above, below))
    return Estimate(value, low, high)


def _equal(values: Floats) -> Floats:
    return np.full(len(values), 1 / len(values))


def _check(panel: Sequence[PmfSample], people: Sequence[PmfSample], values: Sequence[Floats]) -> None:
    if not len(panel) == len(people) == len(values) > 0:
        raise InputError(
            "panel, people and values must have one entry for each survey, at least one, "
            f"got {len(panel)}, {len(people)} and {len(values)}"
        )
    for number, (own, others, points) in enumerate(zip(panel, people, values, strict=True)):
        check_values(points)
        if not own.n or others.n < _FEWEST_PEOPLE:
            raise InputError(
                "each survey must have a panel and at least 2 people, "
                f"got {own.n} and {others.n} in survey {number}"
            )
        if {own.masses.shape[1], others.masses.shape[1]} != {len(points)}:
            raise InputError(f"panel and people must have {len(points)} points each in survey {number}")
