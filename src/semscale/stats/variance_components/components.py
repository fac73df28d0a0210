"""Variance components with intervals, from ratings that are crossed and nested as they may be."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2

from semscale.stats.intervals.coefficients import FEWEST_FOR_PERCENTILES
from semscale.stats.intervals.estimates import Estimate, IntervalPlan
from semscale.stats.intervals.jackknife import NormalizingTransform, jackknife_interval
from semscale.stats.intervals.resampling import drawn_counts, percentile_interval
from semscale.stats.variance_components.decision_study import DecisionStudy, decision_study
from semscale.stats.variance_components.effects import Effect, FacetTable, effects_of
from semscale.stats.variance_components.quadratic_forms import QuadraticForms, solved_components
from semscale.types import Floats, Integers

_REPLICATES = 500
_UNBOUNDED = NormalizingTransform(np.asarray, np.asarray, -np.inf, np.inf)


@dataclass(frozen=True)
class Component:
    """The variance that one effect adds to a rating.

    Attributes:
        name: of the effect, such as ``respondent`` or ``respondent x anchor set``.
        facets: that it is of.
        variance: in squared units of the scale; below 0, as found, where it is noise.
        share: of the sum of all components, those below 0 taken as 0; NaN where all are.
        levels: how many levels it has.
    """

    name: str
    facets: tuple[str, ...]
    variance: Estimate
    share: float
    levels: int


@dataclass(frozen=True)
class VarianceComponents:
    """Where the spread of ratings comes from, and what would make their mean more exact.

    Attributes:
        components: the residual last.
        decision: standard errors of the mean as it is, and with twice the levels of a facet.
        levels: levels of each facet, those with a single one too, whose variance cannot be seen.
        unit: the facet that is resampled.
        n: ratings.
    """

    components: tuple[Component, ...]
    decision: DecisionStudy
    levels: Mapping[str, int]
    unit: str
    n: int


def variance_components(table: FacetTable, *, plan: IntervalPlan | None = None) -> VarianceComponents:
    """Estimate the variance of every effect by Henderson's Method 1, which takes unbalanced ratings.

    In balanced ratings it is the analysis of variance with expected mean squares. Effects are random.

    Intervals of effects that include the unit come from a bootstrap of units, or below 50 units from a
    jackknife. Effects of a single other facet with L levels have a chi-square interval with L - 1 degrees of
    freedom: with V, the variance of the levels' means, and r, the part of V that is not the component, from L
    - 1 times V over the upper quantile to that over the lower one, each less r. Other effects have none.

    Args:
        table: ratings and facets, with two units or more.
        plan: coverage, seed and replicates (at most 500).

    References:
        Searle, Casella and McCulloch (1992), Variance Components, doi 10.1002/9780470316856, chapter 5.
        Brennan (2001), Generalizability Theory, doi 10.1007/978-1-4757-3456-0, chapters 6 and 7.

    Example:
        >>> people, sets = np.repeat(np.arange(3), 2), np.tile(np.arange(2), 3)
        >>> ratings = np.array([1.0, 2.0, 2.0, 3.0, 3.0, 4.0])  # people 1 apart, sets 1 apart, nothing else
        >>> facets = {"respondent": people, "anchor set": sets}
        >>> found = variance_components(FacetTable(ratings, facets, "respondent")).components
        >>> [(each.name, round(each.variance.value, 6) + 0.0) for each in found]
        [('respondent', 1.0), ('anchor set', 0.5), ('residual', 0.0)]
    """
    plan = plan or IntervalPlan()
    effects = effects_of(table)
    base = Effect((), np.unique(table.groups, return_inverse=True)[1])
    units = np.unique(table.facets[table.unit], return_inverse=True)[1]
    m = int(units.max()) + 1
    forms = QuadraticForms(table.values - table.values.mean(), units, table.unit)
    solve = solved_components(forms, effects, base)
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


def _unit_ends(
    values: Floats, solve: Callable[[Floats], Floats], m: int, plan: IntervalPlan
) -> tuple[Floats, Floats]:
    """Ends (effects,) over units; NaN with fewer than two."""
    if m < 2:  # noqa: PLR2004
        return np.full(len(values), np.nan), np.full(len(values), np.nan)
    if m < FEWEST_FOR_PERCENTILES:
        left_out = solve(1 - np.eye(m))
        found = [
            jackknife_interval(float(value), column, plan.interval, _UNBOUNDED)
            for value, column in zip(values, left_out.T, strict=True)
        ]
        low, high = np.array(found).T
        return low, high
    rng = np.random.default_rng(plan.seed)
    blocks = drawn_counts(m, min(plan.replicates, _REPLICATES), rng)
    return percentile_interval(np.concatenate([solve(counts) for counts in blocks]), m, plan.interval)


def _interval(
    table: FacetTable, effect: Effect, value: float, ends: tuple[float, float], plan: IntervalPlan
) -> Estimate:
    if table.unit in effect.facets:
        return Estimate(value, *ends)
    if len(effect.facets) > 1:
        return Estimate(value, float("nan"), float("nan"))
    spread = level_variance(table.values, table.facets[effect.facets[0]], table.groups)
    df = len(np.unique(table.facets[effect.facets[0]])) - 1
    rest = spread - value
    tail = (1 - plan.interval) / 2
    low, high = (df * spread / float(chi2.ppf(end, df)) - rest for end in (1 - tail, tail))
    return Estimate(value, low, high)


def level_variance(values: Floats, levels: Integers, strata: Integers) -> float:
    """Variance of the means of a facet's levels, the mean over strata with two levels or more."""
    found = []
    for stratum in np.unique(strata):
        own = strata == stratum
        _, place = np.unique(levels[own], return_inverse=True)
        means = np.bincount(place, values[own]) / np.bincount(place)
        if len(means) > 1:
            found.append(float(means.var(ddof=1)))
    return float(np.mean(found))
