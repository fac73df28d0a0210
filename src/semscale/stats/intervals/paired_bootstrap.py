"""Mean differences of many figures at once, with intervals and one-sided p-values of one bootstrap."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtr

from semscale.errors import InputError
from semscale.stats.intervals.estimates import ROUNDING, IntervalPlan
from semscale.stats.intervals.means import MeanEstimate, estimate_mean
from semscale.stats.intervals.resampling import drawn_counts, percentile_interval
from semscale.stats.intervals.tally import MAX_CLUSTERS
from semscale.types import Floats

_TIE = 1e-9
_ALIKE = 1e-12  # share of the mean square below which a spread is rounding
_REACHED = 100  # replicates that reach a mean: the share of so many is known to a tenth of itself


@dataclass(frozen=True)
class PairedMean:
    """The mean of one figure's differences.

    Attributes:
        mean: with its interval.
        sd: standard deviation of the differences; NaN with fewer than two.
        p_by_t: one-sided p-value of the t-test, of a mean of 0 or less; NaN where no item has a value.
        p_by_bootstrap: that of the bootstrap-t; NaN where there is none.
    """

    mean: MeanEstimate
    sd: float
    p_by_t: float
    p_by_bootstrap: float = np.nan

    @property
    def p_value(self) -> float:
        """The greater of both; NaN where no item has a value."""
        return self.p_by_t if np.isnan(self.p_by_bootstrap) else max(self.p_by_t, self.p_by_bootstrap)


def paired_means(
    values: Floats, *, bounds: Floats | None = None, plan: IntervalPlan | None = None, finest: int = 0
) -> tuple[PairedMean, ...]:
    """Estimate the means of several figures' differences, and test each against 0 or less.

    All figures are resampled together, so that a figure's result does not depend on which others there are.
    Intervals are expanded percentiles. The p-value is the greater of two: that of the t-test, and that of the
    bootstrap-t, the share of replicates whose ``(mean* - mean) / se*`` reaches ``mean / se``. Each of them
    errs too often where the differences are skewed its way; the greater does so less. Replicates of items
    that are all alike have no ``se*`` and are set aside: where one of 30 differs from all others, every third
    is one. No p-value is below ``2 ** -n``, what a sign test of n items can say at most: differences that are
    all alike and above 0 have a direction and no spread.

    With fewer than 10 items, or more than 20,000, there are t intervals and the t-test alone.

    Args:
        values: shape (n, k), differences of n items in k figures; NaN where an item has none.
        bounds: shape (k, 2), the least and the greatest difference that there can be; none unless given.
            Intervals stay within. Differences that are all alike have exact bounds, see ``estimate_figures``;
            of unbounded ones the interval has no width.
        plan: how intervals are made.
        finest: replicates that a small p-value takes; where fewer than 100 of the plan's replicates would
            reach the mean, so many are drawn for it, if they are more. Intervals keep to the plan's.

    Returns:
        One result for each of the k figures.

    Raises:
        InputError: ``values`` has not two dimensions, or holds an infinite one.

    References:
        Hall (1988), Annals of Statistics 16(3), 927-953, doi 10.1214/aos/1176350933: bootstrap-t.

    Example:
        >>> result = paired_means(np.array([[0.2], [0.1], [0.3], [np.nan]]))[0]
        >>> round(result.mean.value, 6), result.mean.n, result.mean.n_left_out, result.p_value
        (0.2, 3, 1, 0.125)
    """
    plan = plan or IntervalPlan()
    if values.ndim != 2 or np.isinf(values).any():  # noqa: PLR2004
        raise InputError("values must have a row for each item and a column for each figure, all finite")
    counts = (~np.isnan(values)).sum(axis=0)
    limits = np.tile([-np.inf, np.inf], (values.shape[1], 1)) if bounds is None else bounds
    resampled = [
        place
        for place, n in enumerate(counts)
        if plan.method_for(n) == "bootstrap"
        and n <= MAX_CLUSTERS
        and _varies(values[:, place], limits[place])
    ]
    results: dict[int, PairedMean] = {}
    if resampled:
        deviations, studentised = _replicates(values[:, resampled], plan)
        for which, place in enumerate(resampled):
            found = deviations[:, which], studentised[:, which]
            results[place] = _bootstrapped(values[:, place], *found, plan)
        results |= _refined(values, results, replace(plan, replicates=max(finest, plan.replicates)), plan)
    for place in sorted(set(range(values.shape[1])) - results.keys()):
        results[place] = _by_t(values[:, place], limits[place], plan)
    return tuple(results[place] for place in range(values.shape[1]))


def _varies(column: Floats, limits: Floats) -> bool:
    """Tell whether differences vary by more than rounding, as ``estimate_mean`` tells it."""
    width = float(limits[1] - limits[0])
    return bool(_sd(column) > (ROUNDING * width if np.isfinite(width) else 0.0))


def _by_t(column: Floats, limits: Floats, plan: IntervalPlan) -> PairedMean:
    least, greatest = limits.tolist()
    mean = estimate_mean(column, bounds=(least, greatest), plan=replace(plan, method="linearized"))
    sd = _sd(column)
    return PairedMean(mean, sd, _t_p_value(mean, sd))


def _bootstrapped(column: Floats, deviations: Floats, studentised: Floats, plan: IntervalPlan) -> PairedMean:
    kept = column[~np.isnan(column)]
    n, value, sd = len(kept), float(kept.mean()), _sd(column)
    low, high = percentile_interval(deviations[:, None], n, plan.interval)
    mean = MeanEstimate(
        value, value + float(low[0]), value + float(high[0]), n, len(column) - n, n, "bootstrap"
    )
    above = int((studentised >= _least(mean, sd)).sum())
    return PairedMean(mean, sd, _t_p_value(mean, sd), (1 + above) / (1 + int((~np.isnan(studentised)).sum())))


def _least(mean: MeanEstimate, sd: float) -> float:
    """Give the studentised mean that replicates are held against, with room for rounding."""
    reached = mean.value / (sd / np.sqrt(mean.n))
    return float(reached - _TIE * abs(reached))


def _refined(
    values: Floats, results: dict[int, PairedMean], finer: IntervalPlan, plan: IntervalPlan
) -> dict[int, PairedMean]:
    """Count again, among more replicates, where few reach the mean; the first of them are the plan's."""
    small = _REACHED / plan.replicates
    places = [place for place, found in results.items() if found.p_value < small]
    if not places or finer.replicates == plan.replicates:
        return {}
    least = np.array([_least(results[place].mean, results[place].sd) for place in places])
    above, defined = np.zeros(len(places), dtype=int), np.zeros(len(places), dtype=int)
    for _, studentised in _drawn(values[:, places], finer):
        above += (studentised >= least).sum(axis=0)
        defined += (~np.isnan(studentised)).sum(axis=0)
    p_values = (1 + above) / (1 + defined)
    return {
        place: replace(results[place], p_by_bootstrap=float(p))
        for place, p in zip(places, p_values, strict=True)
    }


def _t_p_value(mean: MeanEstimate, sd: float) -> float:
    """One-sided p-value of the t-test, but never below that of n equal signs."""
    if mean.n == 0:
        return np.nan
    least = 2.0**-mean.n
    if not sd > 0:  # one item, or all alike
        return least if mean.value > 0 else 1.0
    return max(least, float(stdtr(mean.n - 1, -mean.value / (sd / np.sqrt(mean.n)))))


def _sd(column: Floats) -> float:
    kept = column[~np.isnan(column)]
    if len(kept) < 2:  # noqa: PLR2004
        return np.nan
    return float(kept.std(ddof=1)) if np.ptp(kept) > 0 else 0.0


def _replicates(values: Floats, plan: IntervalPlan) -> tuple[Floats, Floats]:
    """Draw the items again and again: each mean's deviation from the mean, and that over its own se.

    Args:
        values: shape (n, k), NaN where an item has no value.
        plan: seed and number of replicates, r.

    Returns:
        Two arrays of shape (r, k). A replicate of items that are all alike has no se: over that it is NaN.
        One without any value is NaN in both.
    """
    deviations, studentised = zip(*_drawn(values, plan), strict=True)
    return np.concatenate(deviations), np.concatenate(studentised)


def _drawn(values: Floats, plan: IntervalPlan) -> Iterator[tuple[Floats, Floats]]:
    """Yield the replicates block by block; see ``_replicates``."""
    present = ~np.isnan(values)
    centred = np.where(present, values - np.nanmean(values, axis=0), 0.0)
    k = values.shape[1]
    is_complete = bool(present.all())
    sums = np.hstack([centred, centred**2] if is_complete else [centred, centred**2, present])
    for counts in drawn_counts(len(values), plan.replicates, np.random.default_rng(plan.seed)):
        drawn = counts @ sums
        n = float(len(values)) if is_complete else drawn[:, 2 * k :]
        with np.errstate(divide="ignore", invalid="ignore"):
            deviations, squares = drawn[:, :k] / n, drawn[:, k : 2 * k] / n
            spread = np.maximum(squares - deviations**2, 0.0)
            spread[spread <= _ALIKE * squares] = np.nan
            yield deviations, deviations / np.sqrt(spread / (n - 1))
