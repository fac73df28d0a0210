"""Distances of a panel from people, beside what equal shares, pooled people and halves of people reach."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from semscale.errors import InputError
from semscale.stats.distances.distances import DISTANCES, DistanceName, all_distances, check_values
from semscale.stats.distances.joint_resamples import JointSample, Resamples, joint_resamples
from semscale.stats.distances.samples import PmfSample
from semscale.stats.intervals.estimates import Estimate, IntervalPlan
from semscale.types import Floats

SPLITS = 2000
"""Random halves of the people in each survey."""

_FEWEST_PEOPLE = 2
_UNKNOWN = Estimate(np.nan, np.nan, np.nan)


@dataclass(frozen=True)
class HeldDistance:
    """One distance of a panel from people, with its nulls and its ceiling; all 0 to 1, lower is closer.

    Attributes:
        panel: of the panel from the people.
        uniform: of equal shares from the people: a panel that knows nothing.
        pooled: of the people of the other surveys of a pool from the people of this one: a panel that knows
            people, but not the survey; NaN where there are no others.
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
        resampled: what the intervals come from: ``respondents``.
    """

    held: Mapping[DistanceName, HeldDistance]
    by_survey: Mapping[DistanceName, tuple[Estimate, ...]]
    n_surveys: int
    resampled: str


def distance_benchmarks(  # noqa: PLR0913 - both sides, how persons are drawn, and what is pooled
    panel: Sequence[PmfSample],
    people: Sequence[PmfSample],
    values: Sequence[Floats],
    *,
    plan: IntervalPlan | None = None,
    splits: int = SPLITS,
    resamples: Resamples | None = None,
    pools: Sequence[object] | None = None,
) -> Benchmarks:
    """Measure how far a panel is from people, beside equal shares, pooled people and halves of people.

    Intervals are about these surveys, with other persons on both sides: percentiles of resamples, moved by
    as much as the resamples' mean lies above the distance. Resamples are larger than what was seen, since
    distances of samples are biased upwards.

    Args:
        panel: answers of the panel in each survey.
        people: answers of the people in each survey.
        values: of each survey's points, shape (k,), increasing. Pooled people come from other surveys with
            the same values.
        plan: how intervals are made.
        splits: random halves of the people in each survey.
        resamples: where the same persons answered several surveys; else each survey is taken to have
            persons of its own, and intervals of the means are too narrow if it has not.
        pools: for each survey, what it is about, such as its question: people are pooled over surveys with
            the same entry; over all unless given.

    Raises:
        InputError: no survey, lengths that differ, fewer than two people or no panel in a survey, or values
            that do not fit.

    References:
        Maier et al. (2025), arXiv 2510.08338, for the KS similarity and the halves.
    """
    plan = plan or IntervalPlan()
    _check(panel, people, values)
    rng = np.random.default_rng(plan.seed)
    pools = pools or [None] * len(panel)
    exact = _measured(
        [side.mean[None] for side in panel], [side.mean[None] for side in people], values, pools
    )
    halves = np.array(
        [
            all_distances(*side.halves(splits, rng), points).mean(axis=0)
            for side, points in zip(people, values, strict=True)
        ]
    )
    resamples = resamples or _independent(panel, people, plan, rng)
    drawn = _measured(resamples.panel, resamples.people, values, pools)
    first, second = zip(*resamples.halves, strict=True)
    drawn_halves = mean_of_known(np.moveaxis(_each(first, second, values), 1, -1))
    return Benchmarks(
        {
            name: _held(exact, drawn, halves, drawn_halves, place, plan.interval)
            for place, name in enumerate(DISTANCES)
        },
        {
            name: tuple(
                shifted_estimate(
                    float(exact.panel[0, survey, place]), drawn.panel[:, survey, place], plan.interval
                )
                for survey in range(len(panel))
            )
            for place, name in enumerate(DISTANCES)
        },
        len(panel),
        "respondents",
    )


@dataclass(frozen=True, eq=False)
class _Distances:
    """Distances of s surveys in r samples, each of shape (r, s, 4); NaN where they are not known."""

    panel: Floats
    uniform: Floats
    pooled: Floats


def _measured(
    panel: Sequence[Floats], people: Sequence[Floats], values: Sequence[Floats], pools: Sequence[object]
) -> _Distances:
    """Measure average PMFs (r, k) of each survey."""
    uniform = [np.full(len(points), 1 / len(points)) for points in values]
    return _Distances(
        _each(panel, people, values),
        _each(uniform, people, values),
        _each(_others(people, values, pools), people, values),
    )


def _each(first: Sequence[Floats], second: Sequence[Floats], values: Sequence[Floats]) -> Floats:
    """Distances (r, s, 4) of two lists of PMFs."""
    return np.stack([all_distances(*three) for three in zip(first, second, values, strict=True)], axis=-2)


def _others(people: Sequence[Floats], values: Sequence[Floats], pools: Sequence[object]) -> list[Floats]:
    """Average PMFs of the other surveys of a pool; every one counts alike, NaN where there is none."""
    found = []
    for place, own in enumerate(people):
        others = [
            other
            for number, other in enumerate(people)
            if number != place
            and pools[number] == pools[place]
            and np.array_equal(values[number], values[place])
        ]
        found.append(np.mean(others, axis=0) if others else np.full_like(own, np.nan))
    return found


def _held(
    exact: _Distances, drawn: _Distances, halves: Floats, drawn_halves: Floats, place: int, interval: float
) -> HeldDistance:
    """Average over surveys; halves are of shape (s, 4), those of resamples (h, s, 4)."""
    repeats = len(drawn_halves)

    def estimate(value: Floats, resampled: Floats, least: float = 0.0) -> Estimate:
        figure = float(mean_of_known(value[:, place]))
        return shifted_estimate(figure, mean_of_known(resampled[..., place]), interval, least=least)

    return HeldDistance(
        estimate(exact.panel[0], drawn.panel),
        estimate(exact.uniform[0], drawn.uniform),
        estimate(exact.pooled[0], drawn.pooled),
        estimate(halves, drawn_halves),
        estimate((exact.uniform - exact.panel)[0], drawn.uniform - drawn.panel, -1),
        estimate((exact.pooled - exact.panel)[0], drawn.pooled - drawn.panel, -1),
        estimate(exact.panel[0] - halves, drawn.panel[:repeats] - drawn_halves[: len(drawn.panel)], -1),
    )


def mean_of_known(values: Floats) -> Floats:
    """Mean over the last axis, leaving NaN out; NaN where nothing is known."""
    known = ~np.isnan(values)
    n = known.sum(axis=-1)
    means: Floats = np.where(n > 0, np.where(known, values, 0.0).sum(axis=-1) / np.maximum(n, 1), np.nan)
    return means


def shifted_estimate(value: float, resampled: Floats, interval: float, *, least: float = 0.0) -> Estimate:
    """Put the percentiles of resamples (r,) around a figure, moved by the resamples' mean less the figure.

    Distances of resamples are larger on average than the distance that was seen. The interval is about the
    distance that samples of this size show on average, so only the spread of the resamples counts.

    Args:
        value: the figure, up to 1.
        resampled: the same of resamples; NaN is left out.
        interval: coverage.
        least: what the figure can be at least.
    """
    known = resampled[~np.isnan(resampled)]
    if np.isnan(value) or not len(known):
        return _UNKNOWN if np.isnan(value) else Estimate(value, np.nan, np.nan)
    tail = (1 - interval) / 2
    ends = np.quantile(known, [tail, 1 - tail]) - known.mean() + value
    low, high = np.clip(ends, least, 1.0)
    return Estimate(value, float(low), float(high))


def _independent(
    panel: Sequence[PmfSample], people: Sequence[PmfSample], plan: IntervalPlan, rng: np.random.Generator
) -> Resamples:
    """Resample each survey for itself, as if it had asked persons of its own."""
    pairs = [
        joint_resamples(_alone(own), _alone(others), plan.replicates, rng)
        for own, others in zip(panel, people, strict=True)
    ]
    return Resamples(
        tuple(each.panel[0] for each in pairs),
        tuple(each.people[0] for each in pairs),
        tuple(each.halves[0] for each in pairs),
    )


def _alone(sample: PmfSample) -> JointSample:
    return JointSample([sample.masses], sample.weights)


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
