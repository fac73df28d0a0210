"""Variance components of ratings: shares of respondents, anchors, samples and models."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from scipy.special import fdtri, gammaincinv

from semscale.errors import InputError
from semscale.stats.correlations import FEWEST_FOR_PERCENTILES, NormalizingTransform, jackknife_interval
from semscale.stats.intervals import Estimate, IntervalPlan, Moments, draw_counts, percentile_interval
from semscale.types import Floats, Integers


@dataclass(frozen=True, eq=False)
class FacetTable:
    """Ratings with their facets, such as respondents and anchor sets.

    Attributes:
        values: shape (n,), finite.
        facets: for each facet, the level of every rating, shape (n,), whole numbers.
        unit: the facet whose levels were drawn from a population, such as ``respondent``.
        nested: facets whose levels differ within every level of other facets, such as samples within
            respondents.
        strata: shape (n,), fixed groups with a mean of their own, such as concepts; one group by default.

    Raises:
        InputError: lengths that differ, a value that is not finite, or an unknown facet.
    """

    values: Floats
    facets: Mapping[str, Integers]
    unit: str
    nested: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    strata: Integers | None = None

    def __post_init__(self) -> None:
        n = len(self.values)
        if not n or not np.isfinite(self.values).all():
            raise InputError("values", "must be one finite number or more: leave out what is missing first")
        for name, levels in self.facets.items():
            if np.shape(levels) != (n,):
                raise InputError(f"facet {name} must have {n} levels as values has, got {np.shape(levels)}")
        known = set(self.facets)
        unknown = {self.unit, *self.nested, *(outer for many in self.nested.values() for outer in many)}
        if not unknown <= known:
            raise InputError(f"unit and nested must name facets ({', '.join(known)}), got {unknown - known}")

    @property
    def groups(self) -> Integers:
        """The stratum of every rating, shape (n,)."""
        return np.zeros(len(self.values), dtype=np.int64) if self.strata is None else self.strata


@dataclass(frozen=True, eq=False)
class Effect:
    """An effect, shared by ratings with the same level of some facets within a stratum.

    Attributes:
        facets: facets of the effect; all facets for the residual.
        cells: shape (n,), level number of each rating.
        is_residual: whether every rating has a different level.
    """

    facets: tuple[str, ...]
    cells: Integers
    is_residual: bool = False

    @property
    def name(self) -> str:
        """The facets' names, such as ``respondent x anchor set``."""
        return "residual" if self.is_residual else " x ".join(self.facets)

    @property
    def n_cells(self) -> int:
        """Number of levels."""
        return int(self.cells.max()) + 1


@dataclass(frozen=True)
class Component:
    """The variance that one effect adds to a rating.

    Attributes:
        name: name of the effect, such as ``respondent`` or ``respondent x anchor set``.
        facets: facets of the effect.
        variance: variance in squared units of the scale; an estimate may be below 0 by noise.
        share: share of the sum of all components, 0 to 1, with negative ones as 0; NaN if all are 0.
        levels: number of levels.
    """

    name: str
    facets: tuple[str, ...]
    variance: Estimate
    share: float
    levels: int


@dataclass(frozen=True)
class DecisionStudy:
    """Standard errors of a stratum's mean over all sampled facets.

    Attributes:
        error: standard error with the present levels.
        doubled: standard error with twice the levels of a facet, by facet with an estimated variance.
        best: facet that reduces the error most if doubled; ``None`` if no facet does.
    """

    error: float
    doubled: Mapping[str, float]
    best: str | None


@dataclass(frozen=True)
class VarianceComponents:
    """Sources of the spread of ratings, and the errors of their mean.

    Attributes:
        components: components of the variance, the residual last.
        decision: standard errors of the mean with the present levels, and with twice the levels of a facet.
        levels: number of levels of each facet, including facets with one level, whose variance is unknown.
        unit: the facet that is resampled.
        n: number of ratings.
    """

    components: tuple[Component, ...]
    decision: DecisionStudy
    levels: Mapping[str, int]
    unit: str
    n: int


_REPLICATES = 500

_UNBOUNDED = NormalizingTransform(np.asarray, np.asarray, -np.inf, np.inf)


def variance_components(table: FacetTable, *, plan: IntervalPlan | None = None) -> VarianceComponents:
    """Estimate the variance of every effect by Henderson's Method 1, for unbalanced ratings too.

    In balanced ratings it is the analysis of variance with expected mean squares. Effects are random.

    Intervals of effects that include the unit come from a bootstrap of units, or below 50 units from a
    jackknife. Effects of a single other facet with L levels have a chi-square interval with L - 1 degrees of
    freedom, from (L - 1) V / upper quantile - r to (L - 1) V / lower quantile - r, with V the variance of the
    levels' means and r the part of V that is not the component. Other effects have no interval.

    Args:
        table: ratings and facets, with at least two units.
        plan: coverage, seed and replicates (at most 500).

    References:
        Searle, Casella and McCulloch (1992), Variance Components, doi 10.1002/9780470316856, chapter 5.
        Brennan (2001), Generalizability Theory, doi 10.1007/978-1-4757-3456-0, chapters 6 and 7.

    Examples:
        >>> people, sets = np.repeat(np.arange(3), 2), np.tile(np.arange(2), 3)
        >>> ratings = np.array([1.0, 2.0, 2.0, 3.0, 3.0, 4.0])  # people 1 apart, sets 1 apart, nothing else
        >>> facets = {"respondent": people, "anchor set": sets}
        >>> table = FacetTable(ratings, facets, "respondent")
        >>> components = variance_components(table).components
        >>> [(part.name, round(part.variance.value, 6) + 0.0) for part in components]
        [('respondent', 1.0), ('anchor set', 0.5), ('residual', 0.0)]
    """
    plan = plan or IntervalPlan()
    effects = separable_effects(table)
    base = Effect((), np.unique(table.groups, return_inverse=True)[1])
    units = np.unique(table.facets[table.unit], return_inverse=True)[1]
    m = int(units.max()) + 1
    forms = QuadraticForms(table.values - table.values.mean(), units, table.unit)
    solve = component_solver(forms, effects, base)
    values = solve(np.ones((1, m)))[0]
    ends = _unit_ends(values, solve, m, plan)
    positive = np.maximum(values, 0)
    whole = positive.sum()
    components = tuple(
        Component(
            effect.name,
            effect.facets,
            _interval(table, effect, float(value), (float(low), float(high)), plan),
            float(part / whole) if whole > 0 else float("nan"),
            effect.n_cells,
        )
        for effect, value, low, high, part in zip(effects, values, *ends, positive, strict=True)
    )
    levels = {name: len(np.unique(codes)) for name, codes in table.facets.items()}
    decision = decision_study(effects, values, base, tuple(table.facets))
    return VarianceComponents(components, decision, levels, table.unit, len(table.values))


def separable_effects(table: FacetTable) -> list[Effect]:
    """List the effects that can be separated, the residual last.

    An effect with one level per stratum, or with the levels of an effect of fewer facets, cannot be estimated
    and is left out. An effect with one rating per level is the residual.

    Args:
        table: ratings and facets.
    """
    n = len(table.values)
    effects: list[Effect] = []
    seen = {tuple(_number_levels([table.groups]))}
    for size in range(1, len(table.facets) + 1):
        for names in combinations(table.facets, size):
            if any(outer not in names for name in names for outer in table.nested.get(name, ())):
                continue
            cells = _number_levels([table.groups, *(table.facets[name] for name in names)])
            key = tuple(cells)
            if key in seen or int(cells.max()) + 1 == n:
                continue
            seen.add(key)
            effects.append(Effect(names, cells))
    return [*effects, Effect(tuple(table.facets), np.arange(n), is_residual=True)]


def _number_levels(columns: list[Integers]) -> Integers:
    """Number combinations of levels in order of first appearance, so that equal partitions are equal."""
    _, first, number = np.unique(np.column_stack(columns), axis=0, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[number.ravel()]


def _unit_ends(
    values: Floats, solve: Callable[[Floats], Floats], m: int, plan: IntervalPlan
) -> tuple[Floats, Floats]:
    """Ends (effects,) of intervals over units; NaN with fewer than two units."""
    if m < 2:
        return np.full(len(values), np.nan), np.full(len(values), np.nan)
    if m < FEWEST_FOR_PERCENTILES:
        left_out = solve(1 - np.eye(m))
        ends = [
            jackknife_interval(float(value), column, plan.interval, _UNBOUNDED)
            for value, column in zip(values, left_out.T, strict=True)
        ]
        low, high = np.array(ends).T
        return low, high
    rng = np.random.default_rng(plan.seed)
    blocks = draw_counts(m, min(plan.replicates, _REPLICATES), rng)
    return percentile_interval(np.concatenate([solve(counts) for counts in blocks]), m, plan.interval)


def _interval(
    table: FacetTable, effect: Effect, value: float, ends: tuple[float, float], plan: IntervalPlan
) -> Estimate:
    if table.unit in effect.facets:
        return Estimate(value, *ends)
    if len(effect.facets) > 1:
        return Estimate(value)
    spread = _level_variance(table.values, table.facets[effect.facets[0]], table.groups)
    df = len(np.unique(table.facets[effect.facets[0]])) - 1
    rest = spread - value
    tail = (1 - plan.interval) / 2
    low, high = (df * spread / _chi_square_quantile(end, df) - rest for end in (1 - tail, tail))
    return Estimate(value, low, high)


def _level_variance(values: Floats, levels: Integers, strata: Integers) -> float:
    """Variance of the means of a facet's levels, the mean over strata with two levels or more."""
    variances = []
    for stratum in np.unique(strata):
        inside = strata == stratum
        _, number = np.unique(levels[inside], return_inverse=True)
        means = np.bincount(number, values[inside]) / np.bincount(number)
        if len(means) > 1:
            variances.append(float(means.var(ddof=1)))
    return float(np.mean(variances))


def decision_study(
    effects: Sequence[Effect], variances: Floats, base: Effect, facets: Sequence[str]
) -> DecisionStudy:
    """Compute standard errors of the mean from variance components; negative components count as 0.

    The variance of a stratum's mean is the sum over effects of the variance times the sum of its levels'
    squared shares of the ratings, averaged over strata. Twice the levels of a facet halve the terms of all
    effects that include it.

    Args:
        effects: effects from ``separable_effects``.
        variances: shape (effects,); NaN where they cannot be estimated.
        base: whose levels are the strata.
        facets: names of all facets.

    References:
        Brennan (2001), Generalizability Theory, doi 10.1007/978-1-4757-3456-0, chapter 4: absolute error.
    """
    terms = np.maximum(variances, 0) * np.array([_concentration(effect, base) for effect in effects])
    seen = [name for name in facets if any(name in effect.facets for effect in effects[:-1])]
    doubled = {
        name: float(
            np.sqrt(
                sum(term / (1 + (name in effect.facets)) for effect, term in zip(effects, terms, strict=True))
            )
        )
        for name in seen
    }
    error = float(np.sqrt(terms.sum()))
    best = min(doubled, key=doubled.__getitem__, default=None)
    if best is not None and not doubled[best] < error:
        best = None
    return DecisionStudy(error, doubled, best)


def _concentration(effect: Effect, base: Effect) -> float:
    """Sum of squared shares of an effect's levels in their stratum, the mean over strata."""
    sizes = np.bincount(effect.cells).astype(np.float64)
    owner = np.zeros(len(sizes), dtype=np.int64)
    owner[effect.cells] = base.cells
    whole = np.bincount(base.cells)
    shares = np.bincount(owner, (sizes / whole[owner]) ** 2, minlength=len(whole))
    return float(shares.mean())


Counted = Callable[[Floats], Floats]
"""A figure (b,) of units, each counted ``counts`` (b, m) times."""


class QuadraticForms:
    """Uncorrected sums of squares T_A = sum over levels of (sum of ratings)^2 / n, with their expectations.

    In expectation T_A is N mu^2 plus, for every effect B, its variance times k_AB = sum over the levels a of
    A and b of B of n_ab^2 / n_a. A unit that is drawn twice counts as two equal units.

    Args:
        values: shape (n,), centred for precision.
        units: shape (n,), numbers of the units, from 0.
        unit: name of the facet of the units.
    """

    def __init__(self, values: Floats, units: Integers, unit: str) -> None:
        self._values, self._units, self._unit = values, units, unit
        self._m = int(units.max()) + 1

    def total(self, effect: Effect) -> Counted:
        """T of an effect."""
        if self._is_within(effect):
            sums = np.bincount(effect.cells, self._values)
            sizes = np.bincount(effect.cells)
            by_unit = self._by_unit(effect.cells, sums**2 / sizes)
            return lambda counts: counts @ by_unit
        totals, ratings = self._table(effect.cells, self._values), self._sizes(effect)
        return lambda counts: _ratio((counts @ totals) ** 2, counts @ ratings)

    def coefficient(self, outer: Effect, inner: Effect) -> Counted:
        """Factor k of the variance of ``inner`` in the expectation of T of ``outer``."""
        joint, (a, _) = _joint(outer.cells, inner.cells)
        shared = np.bincount(joint).astype(np.float64)
        if self._is_within(outer):
            by_cell = shared**2 / np.bincount(outer.cells)[a]
            by_unit = self._by_unit(joint, by_cell)
            return lambda counts: counts @ by_unit
        sizes = self._sizes(outer)
        if self._is_within(inner):
            # Levels of inner belong to one unit each: their squares add up.
            owner = np.zeros(len(shared), dtype=np.int64)
            owner[joint] = self._units
            squares = np.zeros(sizes.shape)
            np.add.at(squares, (owner, a), shared**2)
            return lambda counts: _ratio(counts @ squares, counts @ sizes)
        together = self._table(joint, np.ones(len(joint)))

        def crossed(counts: Floats) -> Floats:
            totals = counts @ sizes
            return _ratio((counts @ together) ** 2, totals[:, a])

        return crossed

    def _is_within(self, effect: Effect) -> bool:
        return self._unit in effect.facets

    def _sizes(self, effect: Effect) -> Floats:
        return self._table(effect.cells, np.ones(len(effect.cells)))

    def _table(self, cells: Integers, amounts: Floats) -> Floats:
        """Sums (m, cells) by unit and level."""
        width = int(cells.max()) + 1
        flat = np.bincount(self._units * width + cells, amounts, minlength=self._m * width)
        return flat.astype(np.float64).reshape(self._m, width)

    def _by_unit(self, cells: Integers, amounts: Floats) -> Floats:
        """Sums (m,) of amounts of levels, each of which belongs to one unit."""
        owner = np.zeros(len(amounts), dtype=np.int64)
        owner[cells] = self._units
        return np.bincount(owner, amounts, minlength=self._m).astype(np.float64)


def component_solver(forms: QuadraticForms, effects: Sequence[Effect], base: Effect) -> Counted:
    """Return the variances (b, effects) of effects as a function of how often each unit occurs.

    T_A minus T of the strata is set equal to its expectation for every effect A, and the equations are
    solved. NaN if they have no single solution.

    Args:
        forms: quadratic forms of the ratings.
        effects: effects to estimate, including the residual.
        base: whose levels are the strata.

    References:
        Henderson (1953), Biometrics 9(2), 226-252, doi 10.2307/3001853, Method 1.
    """
    totals = [forms.total(effect) for effect in effects]
    base_total = forms.total(base)
    parts = [[forms.coefficient(outer, inner) for inner in effects] for outer in effects]
    base_parts = [forms.coefficient(base, inner) for inner in effects]

    def components(counts: Floats) -> Floats:
        t0 = base_total(counts)
        k0 = np.stack([part(counts) for part in base_parts], axis=-1)
        sums = np.stack([total(counts) - t0 for total in totals], axis=-1)
        system = np.stack([np.stack([part(counts) for part in row], axis=-1) - k0 for row in parts], axis=-2)
        return _solve(system, sums)

    return components


def _solve(systems: Floats, sums: Floats) -> Floats:
    """Solve b systems; NaN for a system without a single solution."""
    solutions = np.full(sums.shape, np.nan)
    regular = np.linalg.matrix_rank(systems) == systems.shape[-1]
    if regular.any():
        solutions[regular] = np.linalg.solve(systems[regular], sums[regular][..., None])[..., 0]
    return solutions


def _ratio(top: Floats, bottom: Floats) -> Floats:
    """Sum (b,) of fractions over the levels that occur."""
    ratios: Floats = np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1.0), 0.0).sum(axis=1)
    return ratios


def _joint(first: Integers, second: Integers) -> tuple[Integers, tuple[Integers, Integers]]:
    """Number the pairs of levels that occur, and return both levels of each."""
    width = int(second.max()) + 1
    pairs, number = np.unique(first * width + second, return_inverse=True)
    return number, (pairs // width, pairs % width)


@dataclass(frozen=True)
class CrossedComponents:
    """Variances of respondents, anchor sets and the residual, with one rating of each pair.

    Attributes:
        respondent: variance between respondents, over all sets.
        anchor_set: variance between sets, over all respondents.
        residual: interaction of sets and respondents, and noise.
        n: number of respondents with a rating under every set.
        n_sets: number of anchor sets, at least two.
    """

    respondent: Estimate
    anchor_set: Estimate
    residual: Estimate
    n: int
    n_sets: int

    @property
    def icc(self) -> float:
        """Intraclass correlation 2,1: share of the variance between respondents with one set, at most 1."""
        return self._share(1)

    @property
    def icc_of_all(self) -> float:
        """Intraclass correlation 2,k: share of the variance between respondents in means over all sets."""
        return self._share(self.n_sets)

    def _share(self, sets: int) -> float:
        whole = self.respondent.value + (self.anchor_set.value + self.residual.value) / sets
        return self.respondent.value / whole if whole > 0 else float("nan")

    def record(self) -> dict[str, Any]:
        """Return the numbers by name for JSON, with errors of the mean with present and doubled levels."""
        return {
            "respondent": self.respondent,
            "anchor_set": self.anchor_set,
            "residual": self.residual,
            "n": self.n,
            "sets": self.n_sets,
            "icc": self.icc,
            "icc_of_all": self.icc_of_all,
            "error": self.error(),
            "error_twice_respondents": self.error(respondents=2),
            "error_twice_sets": self.error(sets=2),
        }

    def error(self, *, respondents: float = 1, sets: float = 1) -> float:
        """Standard error of the mean with multiples of the respondents and sets."""
        n, s = self.n * respondents, self.n_sets * sets
        person, anchors, rest = (
            max(component.value, 0.0) for component in (self.respondent, self.anchor_set, self.residual)
        )
        return float(np.sqrt(person / n + anchors / s + rest / (n * s)))


def crossed_components(moments: Moments, n_sets: int, interval: float = 0.95) -> CrossedComponents | None:
    """Estimate variances by expected mean squares from sums of rows of ratings under s sets.

    With the mean squares of respondents P, sets A and residual E of an n by s table, the variances are (P -
    E) / s for respondents, (A - E) / n for sets, and E for the residual. The intervals are those for normal
    effects: exact for the residual, and Williams' for the others, from F quantiles of P / E or A / E and
    chi-square quantiles.

    Args:
        moments: sums of n rows of s ratings, and of their products; further columns are ignored.
        n_sets: s.
        interval: nominal coverage, between 0 and 1.

    Returns:
        The components; ``None`` with fewer than two rows or sets, or if ratings do not vary.

    References:
        Searle, Casella and McCulloch (1992), Variance Components, doi 10.1002/9780470316856, section 4.4;
        Williams (1962), Biometrika 49(1/2), 278-281, doi 10.1093/biomet/49.1-2.278.

    Examples:
        >>> table = np.array([[1.0, 2.0], [2.0, 3.0], [3.0, 5.0]])
        >>> parts = crossed_components(Moments.empty(2).with_clusters(np.hstack([table, np.ones((3, 1))])), 2)
        >>> [round(part.value, 4) for part in (parts.respondent, parts.anchor_set, parts.residual)]
        [1.5, 0.8333, 0.1667]
    """
    n, s = moments.n, n_sets
    if n < 2 or s < 2:
        return None
    means = moments.total[:s] / n
    covariance = (moments.outer[:s, :s] - n * np.outer(means, means)) / (n - 1)
    total = float(np.trace(covariance))
    persons = float(covariance.sum()) / s  # mean square of respondents
    rest = (total - persons) / (s - 1)
    sets = n * float(means.var(ddof=1))
    if not total > 0 and not sets > 0:
        return None
    rest = max(rest, 0.0)
    df = (n - 1) * (s - 1)
    tail = (1 - interval) / 2
    low, high = (df * rest / _chi_square_quantile(end, df) for end in (1 - tail, tail))
    return CrossedComponents(
        _williams(persons, n - 1, rest, df, s, tail),
        _williams(sets, s - 1, rest, df, n, tail),
        Estimate(rest, low, high),
        n,
        s,
    )


def _williams(square: float, df_of_square: int, rest: float, df: int, times: int, tail: float) -> Estimate:
    """Estimate (square - rest) / times with Williams' interval; its ends may be below 0."""
    low, high = (
        df_of_square
        * (square - rest * float(fdtri(df_of_square, df, end)))
        / (times * _chi_square_quantile(end, df_of_square))
        for end in (1 - tail, tail)
    )
    return Estimate((square - rest) / times, low, high)


def _chi_square_quantile(share: float, df: int) -> float:
    """Return the result of ``scipy.stats.chi2.ppf``, without the import, which takes half a second."""
    return float(2 * gammaincinv(df / 2, share))
