"""A panel compared with people: distances with benchmarks, correlation attainment, equivalent sample size."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Literal

import numpy as np

from semscale.errors import InputError
from semscale.stats.correlations import (
    CORRELATION,
    FEWEST_FOR_PERCENTILES,
    ResamplingPlan,
    bootstrap_estimate,
    correlation,
    pearson,
    pearson_estimate,
)
from semscale.stats.distances import (
    DISTANCES,
    DistanceName,
    PmfSample,
    all_distances,
    check_values,
    kinked_estimate,
    noise_distances,
    random_halves,
    shifted_estimate,
    signed_distances,
)
from semscale.stats.intervals import Estimate, IntervalPlan, draw_counts, mean_of_known
from semscale.types import Floats, Mask

SPLITS = 2000
"""Number of random halves of the people in each survey."""


@dataclass(frozen=True)
class DistanceBenchmark:
    """One distance of a panel from people, with baselines and ceiling; distances are 0 to 1, lower is closer.

    Attributes:
        panel: distance of the panel from the people.
        uniform: distance of a uniform distribution from the people, as a baseline.
        pooled: distance of the people of the pool's other surveys from the people of this one, as a baseline
            that knows people, but not the survey; NaN without other surveys.
        split_half: distance of one half of the people from the other, the mean over random halves, as the
            ceiling.
        below_uniform: uniform minus panel; above 0 if the panel is closer.
        below_pooled: pooled minus panel; above 0 if the panel is closer.
        above_split_half: panel minus split_half; 0 if the panel is as close as people.
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
        distances: mean over surveys, by distance, with baselines and ceiling.
        by_survey: the panel's distance in each survey, by distance; intervals over respondents.
        n_surveys: number of surveys with a panel and people.
        resampled: resampled unit of the intervals: ``respondents``.
    """

    distances: Mapping[DistanceName, DistanceBenchmark]
    by_survey: Mapping[DistanceName, tuple[Estimate, ...]]
    n_surveys: int
    resampled: str


HALF_REPLICATES, HALF_SPLITS = 200, 20
"""Number of resamples of the people, and of random halves of each."""


@dataclass(frozen=True, eq=False)
class Resamples:
    """Average PMFs of s surveys in resamples; NaN if no drawn person answered.

    Attributes:
        panel: s arrays of shape (r, k).
        people: s arrays of shape (r, k).
        halves: for each survey, halves of resampled people and the other halves, both (h, splits, k).
    """

    panel: tuple[Floats, ...]
    people: tuple[Floats, ...]
    halves: tuple[tuple[Floats, Floats], ...]


@dataclass(frozen=True, eq=False)
class JointSample:
    """Answers of n persons to s surveys.

    Attributes:
        masses: s arrays of shape (n, k), k may differ; a row is NaN where the person gave no answer.
        weights: shape (n,), above 0; all equal by default.
    """

    masses: Sequence[Floats]
    weights: Floats | None = None

    def resample(self, replicates: int, rng: np.random.Generator) -> tuple[Floats, ...]:
        """Average PMFs (replicates, k) of each survey, from n persons drawn with replacement."""
        totals = self._totals()
        blocks = draw_counts(len(totals), replicates, rng)
        return self._averages(np.concatenate([counts @ totals for counts in blocks]))

    def resample_halves(self, rng: np.random.Generator) -> tuple[tuple[Floats, Floats], ...]:
        """Average PMFs (200, 20, k) of both halves of resampled persons, for each survey."""
        totals = self._totals()
        n = len(totals)
        first, whole = [], []
        for _ in range(HALF_REPLICATES):
            drawn = totals[rng.integers(0, n, n)]
            first.append(random_halves(n, HALF_SPLITS, rng) @ drawn)
            whole.append(drawn.sum(axis=0))
        half = np.stack(first)
        rest = np.stack(whole)[:, None] - half
        return tuple(zip(self._averages(half), self._averages(rest), strict=True))

    def _totals(self) -> Floats:
        """Weighted masses and weight of all surveys, shape (n, sum of k + 1)."""
        weights = np.ones(len(self.masses[0])) if self.weights is None else self.weights
        parts = []
        for masses in self.masses:
            there: Mask = np.asarray(~np.isnan(masses).any(axis=1))
            counted = np.where(there, weights, 0.0)[:, None]
            parts += [np.where(there[:, None], masses, 0.0) * counted, counted]
        return np.hstack(parts)

    def _averages(self, sums: Floats) -> tuple[Floats, ...]:
        ends = np.cumsum([masses.shape[1] + 1 for masses in self.masses])[:-1]
        return tuple(_shares(part) for part in np.split(sums, ends, axis=-1))


def distance_benchmarks(
    panel: Sequence[PmfSample],
    people: Sequence[PmfSample],
    values: Sequence[Floats],
    *,
    plan: IntervalPlan | None = None,
    splits: int = SPLITS,
    resamples: Resamples | None = None,
    pools: Sequence[object] | None = None,
) -> Benchmarks:
    """Measure distances from people of a panel, a uniform distribution, pooled people and halves of people.

    Intervals are for these surveys with other persons on both sides; see ``kinked_estimate``. Those of
    ``split_half`` are percentiles of resamples, shifted so that their mean is the distance.

    Args:
        panel: answers of the panel in each survey.
        people: answers of the people in each survey.
        values: values of each survey's points, shape (k,), increasing. Pooled people come from other surveys
            with the same values.
        plan: settings of the intervals.
        splits: random halves of the people in each survey.
        resamples: resamples of persons who answered several surveys. Without them, each survey is assumed to
            have different persons; if it has not, intervals of the means are too narrow.
        pools: pool of each survey, such as its question; people are pooled over surveys with the same entry,
            by default over all.

    Raises:
        InputError: no survey, lengths that differ, fewer than two people or no panel in a survey, or values
            that do not fit.

    References:
        Maier et al. (2025), arXiv 2510.08338, for the KS similarity and the halves.
    """
    plan = plan or IntervalPlan()
    _check(panel, people, values)
    rng = np.random.default_rng(plan.seed)
    halves = np.array(
        [
            all_distances(*side.halves(splits, rng), points).mean(axis=0)
            for side, points in zip(people, values, strict=True)
        ]
    )
    resamples = resamples or _independent(panel, people, plan, rng)
    measured = _measure_distances(panel, people, values, resamples, pools or [None] * len(panel))
    first, second = zip(*resamples.halves, strict=True)
    drawn_halves = mean_of_known(np.moveaxis(_stack(all_distances, first, second, values), 1, -1))
    n = min(max(side.n for side in sides) for sides in (panel, people))
    held: dict[DistanceName, DistanceBenchmark] = {}
    by_survey: dict[DistanceName, tuple[Estimate, ...]] = {}
    for index, name in enumerate(DISTANCES):
        distance, uniform, pooled = (figure.of_distance(index) for figure in measured)
        split_half = _Resampled(halves[:, index], drawn_halves[..., index], drawn_halves[..., index])
        held[name] = DistanceBenchmark(
            distance.estimate(n, plan.interval),
            uniform.estimate(n, plan.interval),
            pooled.estimate(n, plan.interval),
            shifted_estimate(
                float(mean_of_known(split_half.values)), mean_of_known(split_half.drawn), plan.interval
            ),
            (uniform - distance).estimate(n, plan.interval),
            (pooled - distance).estimate(n, plan.interval),
            (distance - split_half).estimate(n, plan.interval),
        )
        by_survey[name] = tuple(
            distance.of_survey(number).estimate(min(side.n for side in sides), plan.interval)
            for number, sides in enumerate(zip(panel, people, strict=True))
        )
    return Benchmarks(held, by_survey, len(panel), "respondents")


@dataclass(frozen=True, eq=False)
class _Resampled:
    """A figure of s surveys, such as a distance or a difference of two, with its values in r resamples.

    Attributes:
        values: shape (s, ...); NaN where unknown.
        drawn: shape (r, s, ...), values in resamples.
        linear: shape (r, s, ...), the linear part of the figure in resamples.
        noise: shape (r, s, ...), values by chance alone; ``None`` for differences, which may be below 0.
    """

    values: Floats
    drawn: Floats
    linear: Floats
    noise: Floats | None = None

    def __sub__(self, other: "_Resampled") -> "_Resampled":
        """Subtract figures, resample by resample, for the resamples that both have."""
        r = min(len(self.drawn), len(other.drawn))
        return _Resampled(
            self.values - other.values, self.drawn[:r] - other.drawn[:r], self.linear[:r] - other.linear[:r]
        )

    def of_distance(self, index: int) -> "_Resampled":
        """Choose a distance along the last axis."""
        noise = None if self.noise is None else self.noise[..., index]
        return _Resampled(self.values[..., index], self.drawn[..., index], self.linear[..., index], noise)

    def of_survey(self, number: int) -> "_Resampled":
        """Choose a survey."""
        chosen = slice(number, number + 1)
        noise = None if self.noise is None else self.noise[:, chosen]
        return _Resampled(self.values[chosen], self.drawn[:, chosen], self.linear[:, chosen], noise)

    def estimate(self, n: int, interval: float) -> Estimate:
        """Average over surveys, with an interval for n persons on the smaller side."""
        return kinked_estimate(
            float(mean_of_known(self.values)),
            mean_of_known(self.drawn),
            mean_of_known(self.linear),
            n,
            interval,
            least=-1.0 if self.noise is None else 0.0,
            noise=None if self.noise is None else mean_of_known(self.noise),
        )


def _measure_distances(
    panel: Sequence[PmfSample],
    people: Sequence[PmfSample],
    values: Sequence[Floats],
    resamples: Resamples,
    pools: Sequence[object],
) -> list[_Resampled]:
    """Measure distances of panel, uniform distribution and pooled people from people, along the last axis."""
    uniform = [np.full((1, len(points)), 1 / len(points)) for points in values]
    observed = [side.mean[None] for side in people]
    drawn = resamples.people
    sides = (
        ([side.mean[None] for side in panel], resamples.panel),
        (uniform, uniform),
        (_pool_rest(observed, values, pools), _pool_rest(drawn, values, pools)),
    )
    return [
        _Resampled(
            _stack(all_distances, side, observed, values)[0],
            _stack(all_distances, side_drawn, drawn, values),
            _stack(signed_distances, side_drawn, drawn, side, observed, values),
            _stack(noise_distances, side_drawn, drawn, side, observed, values),
        )
        for side, side_drawn in sides
    ]


def _stack(distances: Callable[..., Floats], *sides: Sequence[Floats]) -> Floats:
    """Compute distances of several surveys, shape (r, s, 4)."""
    return np.stack([distances(*parts) for parts in zip(*sides, strict=True)], axis=-2)


def _pool_rest(people: Sequence[Floats], values: Sequence[Floats], pools: Sequence[object]) -> list[Floats]:
    """Average PMFs of the other surveys of a pool, with equal weights; NaN without other surveys."""
    averages = []
    for number, masses in enumerate(people):
        rest = [
            other
            for index, other in enumerate(people)
            if index != number
            and pools[index] == pools[number]
            and np.array_equal(values[index], values[number])
        ]
        averages.append(np.mean(rest, axis=0) if rest else np.full_like(masses, np.nan))
    return averages


def _independent(
    panel: Sequence[PmfSample], people: Sequence[PmfSample], plan: IntervalPlan, rng: np.random.Generator
) -> Resamples:
    """Resample each survey separately, as if it had asked different persons."""
    persons = [[JointSample([survey.masses], survey.weights) for survey in side] for side in (panel, people)]
    surveys = [
        joint_resamples(personas, respondents, plan.replicates, rng)
        for personas, respondents in zip(*persons, strict=True)
    ]
    return Resamples(
        tuple(survey.panel[0] for survey in surveys),
        tuple(survey.people[0] for survey in surveys),
        tuple(survey.halves[0] for survey in surveys),
    )


def _check(panel: Sequence[PmfSample], people: Sequence[PmfSample], values: Sequence[Floats]) -> None:
    if not len(panel) == len(people) == len(values) > 0:
        raise InputError(
            "panel, people and values must have one entry for each survey, at least one, "
            f"got {len(panel)}, {len(people)} and {len(values)}"
        )
    for number, (side, rest, points) in enumerate(zip(panel, people, values, strict=True)):
        check_values(points)
        if not side.n or rest.n < 2:
            raise InputError(
                f"each survey must have a panel and at least 2 people, got {side.n} and {rest.n} in survey "
                f"{number}"
            )
        if {side.masses.shape[1], rest.masses.shape[1]} != {len(points)}:
            raise InputError(f"panel and people must have {len(points)} points each in survey {number}")


_ROUNDING = 1e-9


def joint_resamples(
    panel: JointSample, people: JointSample, replicates: int, rng: np.random.Generator
) -> Resamples:
    """Resample personas and people with all their answers.

    Answers of one person to several surveys are drawn together, as their errors are correlated.

    Args:
        panel: answers of the personas.
        people: answers of the people, at least two.
        replicates: number of resamples.
        rng: random generator.
    """
    return Resamples(
        panel.resample(replicates, rng), people.resample(replicates, rng), people.resample_halves(rng)
    )


def _shares(sums: Floats) -> Floats:
    """Average PMFs from weighted sums with the weight as the last column; NaN if that is 0."""
    weight = sums[..., -1:]
    # A remainder of 0 may be off by rounding after a subtraction.
    there = weight > _ROUNDING
    return np.where(there, np.maximum(sums[..., :-1], 0.0) / np.where(there, weight, 1.0), np.nan)


ErrorName = Literal["ks", "wasserstein", "mean"]
"""The largest gap of cumulative shares, Wasserstein-1, and the squared error of means over the width."""

Reach = Literal["seen", "fewer than 1", "too large to estimate", "unknown"]

_GAUSSIAN_DRAWS = 20_000


@dataclass(frozen=True)
class SampleWorth:
    """The size n of a simple random sample of people whose expected error equals that of the panel.

    Attributes:
        error: kind of error.
        value: n; below 1 if the panel is worse than a single respondent; infinite if its error is below the
            expected error between these people and a sample of any size.
        low: n from the upper end of the interval of the panel's error.
        high: n from its lower end.
        n_reference: effective number of people in the reference, the mean over surveys.
        reach: whether these people are enough to estimate n.
    """

    error: ErrorName
    value: float
    low: float
    high: float
    n_reference: float
    reach: Reach


def sample_worth(
    error: ErrorName, panel: Estimate, people: Sequence[PmfSample], values: Sequence[Floats], *, seed: int = 0
) -> SampleWorth:
    """Compute the number n of people whose expected error equals the panel's error.

    The people are a sample of N themselves, so a further sample of n differs from them by both errors. With
    the mean over surveys, the error of n people is c sqrt(1/n + 1/N): for KS c is the expected maximum of a
    Gaussian process with the covariance of the cumulative shares, for Wasserstein-1 it is sum sqrt(2/pi F (1
    - F)) step / width. The squared error of a mean is s^2 (1/n + 1/N) / width^2.

    Args:
        error: kind of error.
        panel: panel's error, the mean over surveys, with its interval.
        people: answers of the people in each survey.
        values: values of each survey's points.
        seed: seed of the draws for KS.
    """
    sizes = np.array([side.effective_n for side in people])
    scales = np.array(
        [error_scale(error, side.mean, points, seed) for side, points in zip(people, values, strict=True)]
    )
    power = 1.0 if error == "mean" else 0.5
    value, high, low = (_size(end, scales, sizes, power) for end in (panel.value, panel.low, panel.high))
    return SampleWorth(error, value, low, high, float(sizes.mean()), _reach(value))


def _reach(n: float) -> Reach:
    if np.isnan(n):
        return "unknown"
    if np.isinf(n):
        return "too large to estimate"
    return "seen" if n >= 1 else "fewer than 1"


def error_scale(error: ErrorName, pmf: Floats, values: Floats, seed: int = 0) -> float:
    """Compute the constant of the expected error: c of c / sqrt(n), or s^2 / width^2 for ``mean``.

    Args:
        error: kind of error.
        pmf: shape (k,), distribution of the people.
        values: shape (k,), values of the points.
        seed: seed of the draws for KS.

    Examples:
        >>> half = np.array([0.5, 0.5])
        >>> round(error_scale("wasserstein", half, np.array([0.0, 1.0])), 4)  # sqrt(2/pi) / 2
        0.3989
        >>> error_scale("mean", half, np.array([0.0, 1.0]))
        0.25
    """
    width = values[-1] - values[0]
    if error == "mean":
        return float((pmf @ values**2 - (pmf @ values) ** 2) / width**2)
    below = np.cumsum(pmf)[:-1]
    if error == "wasserstein":
        spread = np.sqrt(2 / np.pi * np.clip(below * (1 - below), 0, None))
        return float(spread @ np.diff(values) / width)
    covariance = np.minimum(below[:, None], below) - np.outer(below, below)
    factor = _root(covariance)
    normal = np.random.default_rng(seed).standard_normal((_GAUSSIAN_DRAWS, len(below)))
    return float(np.abs(normal @ factor.T).max(axis=1).mean())


def _root(covariance: Floats) -> Floats:
    """Compute a matrix whose product with its transpose is the covariance, which may be singular."""
    sizes, axes = np.linalg.eigh(covariance)
    root: Floats = axes * np.sqrt(np.clip(sizes, 0, None))
    return root


def _size(error: float, scales: Floats, sizes: Floats, power: float) -> float:
    """Solve mean(scale (1/n + 1/N)^power) = error for n; NaN for NaN, infinite below the error of the N."""
    if np.isnan(error):
        return float("nan")

    def error_at(inverse: float) -> float:
        return float((scales * (inverse + 1 / sizes) ** power).mean())

    if error <= error_at(0.0):
        return float("inf")
    low, high = 0.0, 1.0
    while error_at(high) < error:
        high *= 2
        if high > 1e12 or not scales.any():
            return 0.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if error_at(middle) < error else (low, middle)
    return 1 / high


FEWEST_SURVEYS = 3
"""With two surveys every correlation is 1 or -1."""

FEWEST_FOR_AN_INTERVAL = 10
"""Number of surveys below which a correlation has no interval, as a single survey decides its width."""

_RESAMPLED_SPLITS = 200

_MOST_EXACT, _ORDERS = 7, 5000

_TIE = 1e-12


@dataclass(frozen=True)
class Attainment:
    """Agreement over surveys of a panel's means with those of people.

    Attributes:
        ratio: correlation attainment E[R_xy] / E[R_xx]; 1 if the panel correlates with people as well as
            halves of the people do. Its ends are NaN below 10 surveys.
        correlation: correlation of the panel's means with those of all people; its ends are NaN below 10
            surveys.
        ceiling: E[R_xx], the correlation of two halves of the people.
        p_value: share of permutations of the surveys in which the panel's means correlate with the people's
            at least as highly as in the true order.
        n_surveys: number of surveys.
    """

    ratio: Estimate
    correlation: Estimate
    ceiling: float
    p_value: float
    n_surveys: int


def attainment(
    machine: Floats,
    people: Sequence[PmfSample],
    values: Sequence[Floats],
    *,
    splits: int = 2000,
    plan: ResamplingPlan | None = None,
) -> Attainment:
    """Estimate the correlation attainment over surveys, E[R_xy] / E[R_xx], with an interval over surveys.

    In every split, each survey's people are divided into random halves. R_xx is the correlation over surveys
    of the two halves' means; R_xy that of the machine's means with the first half's, so that both have the
    same sampling error.

    The value uses all splits; every replicate of the interval uses the first 200. Below 10 surveys, there is
    no interval, only the p-value. Below 50 surveys, the interval is a jackknife's of E[R_xy], on Fisher's z,
    divided by the ceiling, which is assumed known. The p-value is exact up to 7 surveys, and comes from 5,000
    random permutations from 8 on.

    Args:
        machine: shape (surveys,), the panel's mean in each survey.
        people: answers of the people in each survey, at least two.
        values: of each survey's points, shape (k,).
        splits: random halves of the people in each survey.
        plan: coverage and seed; 95 % and 0 by default.

    Returns:
        The attainment; its ratio is NaN if halves do not agree on average, or means do not vary.

    Raises:
        InputError: fewer than three surveys, or lengths that differ.

    References:
        arXiv 2510.08338, correlation attainment rho.

    Examples:
        >>> people = [PmfSample(np.eye(2)[[point] * 4]) for point in (0, 1, 0)]
        >>> agreed = attainment(np.array([1.0, 2.0, 1.5]), people, [np.array([1.0, 2.0])] * 3, splits=10)
        >>> round(agreed.ceiling, 6), round(agreed.ratio.value, 3)  # halves agree wholly
        (1.0, 0.866)
    """
    if not len(machine) == len(people) == len(values) >= FEWEST_SURVEYS:
        raise InputError(
            f"machine, people and values must have one length of at least {FEWEST_SURVEYS}, "
            f"got {len(machine)}, {len(people)} and {len(values)}"
        )
    plan = plan or ResamplingPlan(None, 0.95, 0)
    rng = np.random.default_rng(plan.seed)
    means = np.array([side.mean @ points for side, points in zip(people, values, strict=True)])
    halves = [
        [half @ points for half in side.halves(splits, rng)]
        for side, points in zip(people, values, strict=True)
    ]
    first, second = np.array(halves).swapaxes(0, 1)
    between, within = _from_products(_products(machine, first, second), np.ones((1, len(machine))))
    resampled = slice(_RESAMPLED_SPLITS)
    products = _products(machine, first[:, resampled], second[:, resampled])
    value, ceiling = float(_ratio(between, within)[0]), float(within.mean())
    return Attainment(
        _ratio_estimate(value, float(between.mean()), ceiling, products, plan),
        _correlation_estimate(machine, means, plan),
        ceiling,
        _p_value(machine, means, rng),
        len(machine),
    )


def _ratio_estimate(
    value: float, between: float, ceiling: float, products: Floats, plan: ResamplingPlan
) -> Estimate:
    if np.isnan(value) or len(products) < FEWEST_FOR_AN_INTERVAL:
        return Estimate(value)
    if len(products) >= FEWEST_FOR_PERCENTILES:
        return bootstrap_estimate(
            value,
            lambda drawn, counts: _ratio(*_from_products(drawn, counts)),
            (products,),
            plan,
            CORRELATION,
        )
    of_between = bootstrap_estimate(
        between,
        lambda drawn, counts: _from_products(drawn, counts)[0].mean(axis=1),
        (products,),
        plan,
        CORRELATION,
        fewest=FEWEST_FOR_PERCENTILES,
    )
    return Estimate(value, of_between.low / ceiling, of_between.high / ceiling)


def _correlation_estimate(machine: Floats, means: Floats, plan: ResamplingPlan) -> Estimate:
    if len(machine) < FEWEST_FOR_AN_INTERVAL:
        return Estimate(pearson(machine, means))
    return pearson_estimate(machine, means, interval=plan.interval, seed=plan.seed)


def _p_value(machine: Floats, means: Floats, rng: np.random.Generator) -> float:
    """Share of permutations of the surveys that correlate at least as highly; NaN if means do not vary."""
    n = len(machine)
    if not np.ptp(machine) or not np.ptp(means):
        return float("nan")
    exact = n <= _MOST_EXACT
    orders = (
        np.array(list(permutations(range(n))))
        if exact
        else rng.permuted(np.tile(np.arange(n), (_ORDERS, 1)), axis=1)
    )
    sums = (machine - machine.mean())[orders] @ (means - means.mean())
    observed = (machine - machine.mean()) @ (means - means.mean())
    reached = int((sums >= observed - _TIE * np.abs(sums).max()).sum())
    return reached / len(orders) if exact else (reached + 1) / (_ORDERS + 1)


def _ratio(between: Floats, within: Floats) -> Floats:
    """Ratio (b,) of the means over splits; NaN if halves do not agree."""
    top, bottom = between.mean(axis=1), within.mean(axis=1)
    return np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1.0), np.nan)


def _products(machine: Floats, first: Floats, second: Floats) -> Floats:
    """Terms (n, 8 splits) of the sums of the machine's and both halves' means, each centred over surveys."""
    x = np.broadcast_to((machine - machine.mean())[:, None], first.shape)
    a, b = first - first.mean(axis=0), second - second.mean(axis=0)
    return np.concatenate([x, a, b, x * x, a * a, b * b, x * a, a * b], axis=1)


def _from_products(products: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Correlations (b, splits) of machine and first half, and of both halves."""
    sums = (counts @ products).reshape(len(counts), 8, -1)
    x, a, b, xx, aa, bb, xa, ab = sums.swapaxes(0, 1)
    n = counts.sum(axis=1)[:, None]
    return correlation(n, x, a, xx, aa, xa), correlation(n, a, b, aa, bb, ab)
