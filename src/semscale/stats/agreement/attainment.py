"""Correlation attainment with its interval: how much of people's agreement over surveys a panel reaches."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from semscale.errors import InputError
from semscale.stats.agreement.correlations import correlation, pearson, pearson_estimate
from semscale.stats.distances.samples import PmfSample
from semscale.stats.intervals.coefficients import (
    FEWEST_FOR_PERCENTILES,
    ResamplingPlan,
    bootstrapped,
)
from semscale.stats.intervals.estimates import Estimate
from semscale.stats.intervals.jackknife import CORRELATION
from semscale.types import Floats

FEWEST_SURVEYS = 3
"""With two surveys every correlation is 1 or -1."""

FEWEST_FOR_AN_INTERVAL = 10
"""Surveys below which a correlation has no interval: one survey more or less decides how wide it is."""

_RESAMPLED_SPLITS = 200
_MOST_EXACT, _ORDERS = 7, 5000
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Attainment:
    """How well a panel's means follow those of people over surveys.

    Attributes:
        ratio: correlation attainment E[R_xy] / E[R_xx]; 1 where the panel follows people as people do. Its
            ends are NaN below 10 surveys.
        correlation: of the panel's means with those of all people; likewise.
        ceiling: E[R_xx], the correlation of two halves of the people.
        p_value: share of the orders of the surveys in which the panel's means correlate with the people's at
            least as highly as in the right one; small where the panel knows the order.
        n_surveys: surveys.
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
    """Correlation attainment over surveys, as ``correlation_attainment``, with an interval over surveys.

    The value takes all splits; every replicate of the interval takes the first 200 of them. Below 10 surveys
    there is no interval, and the p value alone says what the data show. Below 50 surveys it is a jackknife's
    of E[R_xy], on Fisher's z, over the ceiling, which is taken as known. The p value is exact up to 7
    surveys, and comes from 5,000 random orders from 8 on.

    Args:
        machine: shape (surveys,), the panel's mean in each survey.
        people: answers of the people in each survey, at least two.
        values: of each survey's points, shape (k,).
        splits: random halves of the people in each survey.
        plan: coverage and seed; 95 % and 0 unless given.

    Returns:
        NaN ratio where halves do not agree on average, or means do not vary.

    Raises:
        InputError: fewer than three surveys, or lengths that differ.

    References:
        arXiv 2510.08338, correlation attainment rho.

    Example:
        >>> people = [PmfSample(np.eye(2)[[place] * 4]) for place in (0, 1, 0)]
        >>> found = attainment(np.array([1.0, 2.0, 1.5]), people, [np.array([1.0, 2.0])] * 3, splits=10)
        >>> round(found.ceiling, 6), round(found.ratio.value, 3)  # halves agree wholly
        (1.0, 0.866)
    """
    if not len(machine) == len(people) == len(values) >= FEWEST_SURVEYS:
        raise InputError(
            f"machine, people and values must have one length of at least {FEWEST_SURVEYS}, "
            f"got {len(machine)}, {len(people)} and {len(values)}"
        )
    plan = plan or ResamplingPlan(None, 0.95, 0)
    rng = np.random.default_rng(plan.seed)
    means = np.array([each.mean @ points for each, points in zip(people, values, strict=True)])
    halves = [
        [half @ points for half in each.halves(splits, rng)]
        for each, points in zip(people, values, strict=True)
    ]
    first, second = np.array(halves).swapaxes(0, 1)
    every = np.ones((1, len(machine)))
    between, within = _correlations(machine, first, second, every)
    kept = slice(_RESAMPLED_SPLITS)
    products = _products(machine, first[:, kept], second[:, kept])
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
        return Estimate(value, float("nan"), float("nan"))
    if len(products) >= FEWEST_FOR_PERCENTILES:
        return bootstrapped(
            value,
            lambda drawn, counts: _ratio(*_from_products(drawn, counts)),
            (products,),
            plan,
            CORRELATION,
        )
    found = bootstrapped(
        between,
        lambda drawn, counts: _from_products(drawn, counts)[0].mean(axis=1),
        (products,),
        plan,
        CORRELATION,
        fewest=FEWEST_FOR_PERCENTILES,
    )
    return Estimate(value, found.low / ceiling, found.high / ceiling)


def _correlation_estimate(machine: Floats, means: Floats, plan: ResamplingPlan) -> Estimate:
    if len(machine) < FEWEST_FOR_AN_INTERVAL:
        return Estimate(pearson(machine, means), float("nan"), float("nan"))
    return pearson_estimate(machine, means, interval=plan.interval, seed=plan.seed)


def _p_value(machine: Floats, means: Floats, rng: np.random.Generator) -> float:
    """Share of orders of the surveys that correlate at least as highly; NaN where means do not vary."""
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
    reached = int((sums >= observed - _ROUNDING * np.abs(sums).max()).sum())
    return reached / len(orders) if exact else (reached + 1) / (_ORDERS + 1)


def _ratio(between: Floats, within: Floats) -> Floats:
    """Ratio (b,) of the means over splits; NaN where halves do not agree."""
    top, bottom = between.mean(axis=1), within.mean(axis=1)
    return np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1.0), np.nan)


def _correlations(machine: Floats, first: Floats, second: Floats, counts: Floats) -> tuple[Floats, Floats]:
    return _from_products(_products(machine, first, second), counts)


def _products(machine: Floats, first: Floats, second: Floats) -> Floats:
    """Sums' terms (n, 8 splits) of the machine's means and both halves', each centred over surveys."""
    x = np.broadcast_to((machine - machine.mean())[:, None], first.shape)
    a, b = first - first.mean(axis=0), second - second.mean(axis=0)
    return np.concatenate([x, a, b, x * x, a * a, b * b, x * a, a * b], axis=1)


def _from_products(products: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Correlations (b, splits) of machine and first half, and of both halves."""
    sums = (counts @ products).reshape(len(counts), 8, -1)
    x, a, b, xx, aa, bb, xa, ab = sums.swapaxes(0, 1)
    n = counts.sum(axis=1)[:, None]
    return correlation(n, x, a, xx, aa, xa), correlation(n, a, b, aa, bb, ab)
