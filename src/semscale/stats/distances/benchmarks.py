"""Distances of a panel from people, beside what equal shares, pooled people and halves of people reach."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from semscale.errors import InputError
from semscale.stats.distances.distance_intervals import (
    kinked_estimate,
    noise_distances,
    shifted_estimate,
    signed_distances,
)
from semscale.stats.distances.distances import DISTANCES, DistanceName, all_distances, check_values
from semscale.stats.distances.joint_resamples import JointSample, Resamples, joint_resamples
from semscale.stats.distances.samples import PmfSample
from semscale.stats.intervals.estimates import Estimate, IntervalPlan
from semscale.types import Floats

SPLITS = 2000
"""Random halves of the people in each survey."""

_FEWEST_PEOPLE = 2
_Part = Callable[[Floats, Floats, tuple[Floats, Floats], Floats], Floats]


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

    Intervals are about these surveys, with other persons on both sides, see ``kinked_estimate``; those of
    ``split_half`` are percentiles of resamples, moved by as much as their mean lies above the distance.

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
    seen = [side.mean[None] for side in panel], [side.mean[None] for side in people]
    exact = _measured(*seen, values, pools)
    halves = np.array(
        [
            all_distances(*side.halves(splits, rng), points).mean(axis=0)
            for side, points in zip(people, values, strict=True)
        ]
    )
    resamples = resamples or _independent(panel, people, plan, rng)
    drawn = _measured(resamples.panel, resamples.people, values, pools)
    linear = _measured(resamples.panel, resamples.people, values, pools, seen)
    noise = _measured(resamples.panel, resamples.people, values, pools, seen, noise_distances)
    n = min(max(side.n for side in sides) for sides in (panel, people))
    first, second = zip(*resamples.halves, strict=True)
    drawn_halves = mean_of_known(np.moveaxis(_each(first, second, values), 1, -1))
    return Benchmarks(
        {
            name: _HeldFigures(exact, drawn, linear, noise, n, plan.interval, place).beside(
                halves, drawn_halves
            )
            for place, name in enumerate(DISTANCES)
        },
        {
            name: tuple(
                kinked_estimate(
                    float(exact.panel[0, survey, place]),
                    drawn.panel[:, survey, place],
                    linear.panel[:, survey, place],
                    min(panel[survey].n, people[survey].n),
                    plan.interval,
                    noise=noise.panel[:, survey, place],
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
    panel: Sequence[Floats],
    people: Sequence[Floats],
    values: Sequence[Floats],
    pools: Sequence[object],
    seen: tuple[list[Floats], list[Floats]] | None = None,
    part: _Part = signed_distances,
) -> _Distances:
    """Measure average PMFs (r, k) of each survey; a part of them where those that were seen are given."""
    uniform = [np.full((1, len(points)), 1 / len(points)) for points in values]
    others = _others(people, values, pools)
    if seen is None:
        return _Distances(*(_each(one, people, values) for one in (panel, uniform, others)))
    at_panel, at_people = seen
    at_others = _others(at_people, values, pools)
    pairs = ((panel, at_panel), (uniform, uniform), (others, at_others))
    return _Distances(*(_parts(part, one, people, (at, at_people), values) for one, at in pairs))


def _each(first: Sequence[Floats], second: Sequence[Floats], values: Sequence[Floats]) -> Floats:
    """Distances (r, s, 4) of two lists of PMFs."""
    return np.stack([all_distances(*three) for three in zip(first, second, values, strict=True)], axis=-2)


def _parts(
    part: _Part,
    first: Sequence[Floats],
    second: Sequence[Floats],
    seen: tuple[Sequence[Floats], Sequence[Floats]],
    values: Sequence[Floats],
) -> Floats:
    """Linear parts of the distances of two lists of PMFs, or what chance makes of them, shape (r, s, 4)."""
    return np.stack(
        [
            part(one, other, (at_one[0], at_other[0]), points)
            for one, other, at_one, at_other, points in zip(first, second, *seen, values, strict=True)
        ],
        axis=-2,
    )


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


@dataclass(frozen=True, eq=False)
class _HeldFigures:
    """Makes one distance, at its place in the last axis, of figures and resamples of s surveys."""

    exact: _Distances
    drawn: _Distances
    linear: _Distances
    noise: _Distances
    n: int
    interval: float
    place: int

    def beside(self, halves: Floats, drawn_halves: Floats) -> HeldDistance:
        """Average over surveys; halves are of shape (s, 4), those of resamples (h, s, 4)."""
        exact, drawn, linear, noise = self.exact, self.drawn, self.linear, self.noise
        m = min(len(drawn_halves), len(drawn.panel))
        own = exact.panel[0]
        split_half = shifted_estimate(self._mean(halves), self._means(drawn_halves), self.interval)
        return HeldDistance(
            self._estimate(own, drawn.panel, linear.panel, noise=noise.panel),
            self._estimate(exact.uniform[0], drawn.uniform, linear.uniform, noise=noise.uniform),
            self._estimate(exact.pooled[0], drawn.pooled, linear.pooled, noise=noise.pooled),
            split_half,
            self._estimate(
                exact.uniform[0] - own, drawn.uniform - drawn.panel, linear.uniform - linear.panel, -1
            ),
            self._estimate(
                exact.pooled[0] - own, drawn.pooled - drawn.panel, linear.pooled - linear.panel, -1
            ),
            self._estimate(
                own - halves, drawn.panel[:m] - drawn_halves[:m], linear.panel[:m] - drawn_halves[:m], -1
            ),
        )

    def _estimate(
        self,
        value: Floats,
        drawn: Floats,
        linear: Floats,
        least: float = 0.0,
        noise: Floats | None = None,
    ) -> Estimate:
        return kinked_estimate(
            self._mean(value),
            self._means(drawn),
            self._means(linear),
            self.n,
            self.interval,
            least=least,
            noise=None if noise is None else self._means(noise),
        )

    def _mean(self, value: Floats) -> float:
        return float(mean_of_known(value[:, self.place]))

    def _means(self, resampled: Floats) -> Floats:
        return mean_of_known(resampled[..., self.place])


def mean_of_known(values: Floats) -> Floats:
    """Mean over the last axis, leaving NaN out; NaN where nothing is known."""
    known = ~np.isnan(values)
    n = known.sum(axis=-1)
    means: Floats = np.where(n > 0, np.where(known, values, 0.0).sum(axis=-1) / np.maximum(n, 1), np.nan)
    return means


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
