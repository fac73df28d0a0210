"""Tests that compare runs: paired and exchange tests, power, bets over time, trends and changes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp, floor, inf, log, log2, pi, sqrt

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import digamma, fdtr, fdtrc, nctdtrinc, ndtr, polygamma, stdtr, stdtrit

from semscale.errors import InputError
from semscale.stats.acceptance import smallest_enough
from semscale.stats.correlations import average_ranks
from semscale.stats.intervals import (
    MAX_CLUSTERS,
    ROUNDING,
    Estimate,
    IntervalPlan,
    MeanEstimate,
    clopper_pearson_upper,
    drawn_counts,
    estimate_mean,
    percentile_interval,
)
from semscale.stats.significance import Correction, adjusted
from semscale.types import Floats, Integers

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


_MOST_EXACT = 300  # items that differ between runs; of more the sum is close to normal

_CELLS, _FEWEST_STEPS, _MOST_STEPS = 2**13, 40, 400  # resolution of the exact distribution

_ROUNDING = 1e-12


@dataclass(frozen=True)
class ExchangeTest:
    """The result of an exchange test.

    Attributes:
        p_value: one-sided mid-p-value of "the first run is like the others"; NaN without an item.
        least: the smallest p-value that these items can give, whichever run is the first; NaN likewise.
    """

    p_value: float
    least: float


def exchange_test(by_role: Floats) -> ExchangeTest:
    """Test whether the first of k runs is worse, by exchanging the runs within each item.

    If the first run is of the same model as the others, each of an item's k values is as likely to be its
    own. So the sum of its values over items has a known distribution: that of a sum of independent draws of
    one value an item. Up to 300 items that differ between runs it is computed exactly, with each value
    rounded to at most 400 steps, which treats all runs alike; beyond that by a normal distribution corrected
    for skewness. The p-value is the mid-p-value, ``P(sum > observed) + P(sum = observed) / 2``: with few
    items that differ, the ordinary p-value is far above the error that it stands for. The error of a
    mid-p-value is close to its level, and may be above it: one item beside nine reruns has 1 / 22, and is
    the greatest of 11 runs with a chance of 1 / 11.

    Two runs give a sign-flip test if their values are d and -d, and the sign test if all of them are equal.

    Args:
        by_role: shape (n, k), k >= 1: each item's value if the first, second, ... run were the one that is
            tested. Items with NaN are left out.

    References:
        Pitman (1937), JRSS Supplement 4(1), 119-130, doi 10.2307/2984124. Lancaster (1961), JASA 56(294),
        223-234, doi 10.1080/01621459.1961.10482105: mid-p-values. Hall (1992), The Bootstrap and Edgeworth
        Expansion, section 2.4: the correction for skewness.

    Example:
        >>> exchange_test(np.array([[1.0, 0.0, 0.0, 0.0]] * 3))  # (1 / 4) ** 3 / 2
        ExchangeTest(p_value=0.0078125, least=0.0078125)
    """
    known = by_role[~np.isnan(by_role).any(axis=1)]
    if not len(known):
        return ExchangeTest(np.nan, np.nan)
    differing = known[np.ptp(known, axis=1) > _ROUNDING * max(1.0, float(np.abs(known).max()))]
    if not len(differing):
        return ExchangeTest(1.0, 1.0)
    if len(differing) > _MOST_EXACT:
        return ExchangeTest(_normal_p_value(differing), 0.0)
    return _exact(differing)


def _exact(by_role: Floats) -> ExchangeTest:
    steps = _in_steps(by_role)
    distribution = np.ones(1)
    for row in steps:
        longer = np.zeros(len(distribution) + int(row.max()))
        for value in row.tolist():
            longer[value : value + len(distribution)] += distribution
        distribution = longer / len(row)
    observed = int(steps[:, 0].sum())
    p_value = float(distribution[observed + 1 :].sum() + distribution[observed] / 2)
    return ExchangeTest(min(p_value, 1.0), float(distribution[-1] / 2))


def _in_steps(by_role: Floats) -> np.typing.NDArray[np.int64]:
    """Round values to whole steps above each item's least."""
    above = by_role - by_role.min(axis=1, keepdims=True)
    resolution = int(np.clip(_CELLS // len(by_role), _FEWEST_STEPS, _MOST_STEPS))
    return np.asarray(np.rint(above / above.max() * resolution), dtype=np.int64)


def _normal_p_value(by_role: Floats) -> float:
    """One-sided p-value by the first terms of Edgeworth's expansion."""
    centred = by_role - by_role.mean(axis=1, keepdims=True)
    spread = sqrt(float((centred**2).mean(axis=1).sum()))
    z = float(centred[:, 0].sum()) / spread
    skewness = float((centred**3).mean(axis=1).sum()) / spread**3
    density = exp(-(z**2) / 2) / sqrt(2 * pi)
    return float(np.clip(ndtr(-z) + density * skewness * (z**2 - 1) / 6, 0.0, 1.0))


def adjusted_discrete(p_values: Floats, least: Floats, correction: Correction, alpha: float) -> Floats:
    """Adjust p-values of tests that have a smallest possible p-value; those that cannot reject do not count.

    After Tarone, k is the smallest number with at most k tests whose least p-value is at most ``alpha / k``.
    Only these tests are adjusted. The others cannot reject at that level, and get 1. The choice depends on
    which results are possible, and not on the result, so that the correction keeps the error of the single
    p-values; that of mid-p-values is close to alpha, and up to .09 at .05 where few items differ.

    Args:
        p_values: shape (m,), 0 to 1; NaN stays NaN and counts as no test.
        least: shape (m,), the smallest p-value that each test can have.
        correction: of the tests that count.
        alpha: level of all tests together.

    References:
        Tarone (1990), Biometrics 46(2), 515-522, doi 10.2307/2531456.

    Example:
        >>> adjusted_discrete(np.array([0.02, 0.3, 1.0]), np.array([0.001, 0.25, 1.0]), "holm", 0.05).tolist()
        [0.02, 1.0, 1.0]
    """
    known = ~np.isnan(p_values)
    able = known
    for k in range(1, int(known.sum()) + 1):
        able = known & (np.nan_to_num(least, nan=1.0) <= alpha / k)
        if able.sum() <= k:
            break
    return np.where(
        able, adjusted(np.where(able, p_values, np.nan), correction), np.where(known, 1.0, np.nan)
    )


_MOST_ITEMS = 10**9


def signs_needed(alpha: float) -> int:
    """Find how many items a sign test needs: n equal signs have the p-value ``2 ** -n``, to be below alpha.

    Example:
        >>> signs_needed(0.05)
        5
    """
    return max(2, floor(-log2(alpha)) + 1)


def exchanges_needed(alpha: float, runs: int) -> int:
    """Find how many items the exchange test needs: the worst of k runs at n items has ``k ** -n / 2``.

    Example:
        >>> exchanges_needed(0.05, 2), exchanges_needed(0.05 / 6, 5)  # 1 / 32, 1 / 250
        (4, 3)
    """
    return max(2, floor(-log2(2 * alpha) / log2(runs)) + 1)


def needed_for_significance(drift: float, sd: float, alpha: float) -> int | None:
    """Find how many items make a mean significant in a one-sided t-test.

    The smallest n with ``drift >= t(1 - alpha, n - 1) * sd / sqrt(n)``, and with as many as a
    sign test needs at least.

    Args:
        drift: the mean.
        sd: standard deviation of items, not negative.
        alpha: level, 0 to 1.

    Returns:
        The number; ``None`` where none up to 1e9 is enough.

    Example:
        >>> needed_for_significance(0.5, 1.0, 0.05), needed_for_significance(0.4, 0.0, 0.05)
        (13, 5)
    """
    if not (drift > 0 and sd >= 0):
        return None

    def enough(n: int) -> bool:
        return bool(drift >= -stdtrit(n - 1, alpha) * sd / np.sqrt(n))

    return smallest_enough(enough, signs_needed(alpha), _MOST_ITEMS)


def needed_to_exclude(share: float, confidence: float) -> int | None:
    """Find how many items without an event exclude that a share of all items has one.

    Args:
        share: above 0.
        confidence: between 0 and 1.

    Returns:
        The smallest n whose Clopper-Pearson bound for no event is below the share; ``None`` where none up to
        1e9 is enough.

    Example:
        >>> needed_to_exclude(0.05, 0.95)  # ln .05 / ln .95 = 58.4
        59
    """
    return smallest_enough(lambda n: clopper_pearson_upper(0, n, confidence) < share, 1, _MOST_ITEMS)


def detectable_difference(n: int, sd: float, *, alpha: float, power: float) -> float:
    """Find the smallest mean difference that a one-sided paired t-test detects with some power.

    The difference d solves ``P(T(n - 1, d * sqrt(n) / sd) > t(1 - alpha, n - 1)) = power``, T noncentral t.

    Args:
        n: items.
        sd: standard deviation of the items' differences, not negative.
        alpha: level, 0 to 1.
        power: chance of detecting it, above alpha and below 1.

    Returns:
        The difference, in the unit of ``sd``; NaN with fewer than two items.

    References:
        Cohen (1988), Statistical Power Analysis for the Behavioral Sciences, section 2.5.

    Example:
        >>> round(detectable_difference(27, 1.0, alpha=0.05, power=0.8), 3)
        0.491
    """
    if n < 2 or not sd >= 0:  # noqa: PLR2004
        return float("nan")
    return _noncentrality(n, alpha, power) * sd / float(np.sqrt(n))


def items_for_difference(difference: float, sd: float, *, alpha: float, power: float) -> int | None:
    """Find how many items a one-sided paired t-test needs to detect a mean difference with some power.

    Args:
        difference: above 0; no number of items detects another.
        sd: standard deviation of the items' differences, not negative.
        alpha: level, 0 to 1.
        power: chance of detecting it, above alpha and below 1.

    Returns:
        The number; ``None`` where none up to 1e9 is enough.

    References:
        As ``detectable_difference``.

    Example:
        >>> items_for_difference(0.5, 1.0, alpha=0.05, power=0.8)
        27
    """
    if not (difference > 0 and sd >= 0):
        return None

    def enough(n: int) -> bool:
        return detectable_difference(n, sd, alpha=alpha, power=power) <= difference

    return smallest_enough(enough, 2, _MOST_ITEMS)


def _noncentrality(n: int, alpha: float, power: float) -> float:
    """Noncentrality at which the test has this power."""
    return float(nctdtrinc(n - 1, 1 - power, -stdtrit(n - 1, alpha)))


_BETS = 100

_SHARPNESSES = 20

_LARGEST = 700.0  # exp of more overflows


def run_evidence(runs: Sequence[Floats], allowed: float, *, least: float = 0.0) -> Floats:
    """Bet on the items of runs, one run after the other, against "the mean over items is at most allowed".

    Given what came before, the items of a run are independent, and the mean of their expectations over these
    items is at most ``allowed``. A gambler who stakes b gains the factor ``1 + b * (x - allowed)`` at each
    item. The product over a run's items is at most 1 on average, as the geometric mean is at most the
    arithmetic one, though items differ; so is the product over runs. The stakes of 100 gamblers are spread
    evenly over 0 to ``1 / (allowed - least)``, so that one of them is nearly right whatever the drift.

    Whoever bets from the first run on has lost nearly all when a drift sets in late. So capital is kept back
    for bets that begin at the s-th run: ``1 / (s * (s + 1))``, which adds up to 1. The evidence is what all
    of it has become. The chance that it ever reaches ``1 / alpha`` is at most alpha, over all runs together.

    Args:
        runs: for each run the values of its items, the latest run last; NaN, where nothing was observed,
            changes nothing. A run of which only the mean is known is one value.
        allowed: greatest mean under the hypothesis, above ``least``; from 1 on there can be no evidence.
        least: smallest value that there can be.

    Returns:
        Shape (runs,), the greatest evidence so far, at least 1.

    Raises:
        InputError: a value below ``least``, or ``allowed`` not above it.

    References:
        Shin, Ramdas and Rinaldo (2024), New England Journal of Statistics in Data Science 2(2), 229-260,
        doi 10.51387/23-NEJSDS51 (arXiv 2203.03532): bets that begin anew at every time. Waudby-Smith and
        Ramdas (2024), JRSS-B 86(1), 1-27, doi 10.1093/jrsssb/qkad009: diversified bets on bounded
        means. Ville (1939), Etude critique de la notion de collectif.

    Example:
        >>> run_evidence([np.array([0.5, 0.5])], 0.1).round(2).tolist()  # half of the mean of (1 + 4 b) ** 2
        [5.67]
    """
    begun, unspent, evidence, number = np.zeros(_BETS), 1.0, np.ones(len(runs)), 0
    for place, values in enumerate(runs):
        known = values[~np.isnan(values)]
        if len(known):
            number += 1
            share = 1 / (number * (number + 1))
            logs = np.log(begun + share) + _log_gains(known, allowed, least)
            begun = np.exp(np.minimum(logs, _LARGEST))
            unspent -= share
        evidence[place] = begun.mean() + unspent
    return np.maximum(1.0, np.maximum.accumulate(evidence))


def _log_gains(values: Floats, allowed: float, least: float) -> Floats:
    """Give the logarithm of what each gambler's capital is multiplied by over some values, shape (100,)."""
    if not allowed > least:
        raise InputError(f"allowed must be above {least:g}, got {allowed}")
    if np.any(values < least):
        raise InputError(f"values must be at least {least:g}, got {float(values.min()):g}")
    if allowed >= 1:
        return np.zeros(_BETS)
    stakes = (np.arange(_BETS) + 0.5) / _BETS / (allowed - least)
    return np.asarray(np.log1p(stakes[:, None] * (values - allowed)).sum(axis=1))


def p_value_evidence(p_values: Sequence[float]) -> Floats:
    """Bet on p-values, one after the other, against "each is uniform, whatever came before".

    A gambler of sharpness s multiplies the capital by ``s * p ** (s - 1)``, which is 1 on average if p is
    uniform, and less if it tends to be greater. The evidence is the mean over 20 gamblers, with s spread
    evenly over 0 to 1 and bets that begin anew at every p-value, as in ``run_evidence``.

    Args:
        p_values: each above 0, at most 1; the latest last.

    Returns:
        Shape (p-values,), the greatest evidence so far, at least 1.

    References:
        Vovk, Nouretdinov and Gammerman (2003), Testing exchangeability on-line, ICML, 768-775: power
        martingales and their mixture. Shin, Ramdas and Rinaldo (2024), as in ``run_evidence``.

    Example:
        >>> p_value_evidence([1e-4]).round(1).tolist()  # half of the mean of s * 10 ** (4 - 4 s), and .5
        [59.9]
    """
    sharpness = (np.arange(_SHARPNESSES) + 0.5) / _SHARPNESSES
    begun, unspent, evidence = np.zeros(_SHARPNESSES), 1.0, np.ones(len(p_values))
    for number, p_value in enumerate(p_values, 1):
        share = 1 / (number * (number + 1))
        gains = np.log(sharpness) + (sharpness - 1) * np.log(p_value)
        begun = np.exp(np.minimum(np.log(begun + share) + gains, _LARGEST))
        unspent -= share
        evidence[number - 1] = begun.mean() + unspent
    return np.maximum(1.0, np.maximum.accumulate(evidence))


_CONFORMAL_CELLS, _FEWEST_CONFORMAL_STEPS, _MOST_CONFORMAL_STEPS = (
    2**12,
    12,
    200,
)  # resolution of the exact distribution

_LEAST = 1e-10  # rounding in the transform is far below


def conformal_p_values(runs: Floats) -> Floats:
    """Test for each run whether its values are greater than those of the runs before it.

    If nothing changed, at each item the latest value is as likely as any earlier one to be the latest. So
    the sum of a run's values over items has a known distribution: that of a sum of independent draws, at each
    item one of the values so far. The p-value is ``P(sum >= observed)``. The p-values of all runs are
    independent, or greater than such ones, so that bets on them (``p_value_evidence``) stay valid.

    Up to 300 items whose values differ the distribution is computed by Fourier transforms, with values
    rounded to at most 200 steps, which treats all runs alike; beyond that it is normal, corrected for
    skewness.

    Args:
        runs: shape (t, n), the values of n items in t runs in the order of time; higher is worse. NaN, where
            nothing was observed, is left out.

    Returns:
        Shape (t,), each at least 1e-10; 1 for the first run.

    References:
        Vovk, Nouretdinov and Gammerman (2003), Testing exchangeability on-line, ICML, 768-775: p-values that
        are independent. Hall (1992), The Bootstrap and Edgeworth Expansion, section 2.4: the correction for
        skewness.

    Example:
        >>> runs = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 1.0]])
        >>> conformal_p_values(runs).round(3).tolist()  # (1 / 3) ** 2
        [1.0, 1.0, 0.111]
    """
    return np.array([_conformal_p_value(runs[: place + 1]) for place in range(len(runs))])


def _conformal_p_value(runs: Floats) -> float:
    there = ~np.isnan(runs[-1])
    values = runs[:, there]
    spread = np.nanmax(values, axis=0, initial=-np.inf) - np.nanmin(values, axis=0, initial=np.inf)
    differing = values[:, spread > 0]
    n = differing.shape[1]
    if not n:
        return 1.0
    p_value = _normal_conformal(differing) if n > _MOST_EXACT else _exact_conformal(differing)
    return float(np.clip(p_value, _LEAST, 1.0))


def _exact_conformal(values: Floats) -> float:
    least = np.nanmin(values, axis=0)
    above = values - least
    steps = int(np.clip(_CONFORMAL_CELLS // values.shape[1], _FEWEST_CONFORMAL_STEPS, _MOST_CONFORMAL_STEPS))
    places = np.rint(np.nan_to_num(above / np.nanmax(above) * steps, nan=-1.0)).astype(np.int64)
    kernels = _shares(places, steps)
    size = next_fast_len(steps * len(kernels) + 1, real=True)
    together = irfft(np.prod(rfft(kernels, size, axis=1), axis=0), size)
    return float(together[int(places[-1].sum()) : steps * len(kernels) + 1].sum())


def _shares(places: Integers, steps: int) -> Floats:
    """Give for each item the share of its values at each step, shape (n, steps + 1); -1 is none."""
    counts = np.array([np.bincount(column[column >= 0], minlength=steps + 1) for column in places.T])
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def _normal_conformal(values: Floats) -> float:
    """One-sided p-value by the first terms of Edgeworth's expansion."""
    centred = values - np.nanmean(values, axis=0)
    spread = sqrt(float(np.nanmean(centred**2, axis=0).sum()))
    z = float(centred[-1].sum()) / spread
    skewness = float(np.nanmean(centred**3, axis=0).sum()) / spread**3
    density = exp(-(z**2) / 2) / sqrt(2 * pi)
    return float(ndtr(-z) + density * skewness * (z**2 - 1) / 6)


_MOST_PERMUTED = 200

_PERMUTATIONS = 1999

_PERMUTED_CELLS = 2_000_000


@dataclass(frozen=True)
class ChangePoint:
    """The likeliest place at which a series changed its level.

    Attributes:
        place: first value after the change, counted from 0.
        before: mean up to there.
        after: mean from there on.
        p_value: of "all values come from one distribution".
    """

    place: int
    before: float
    after: float
    p_value: float


def pettitt(values: Floats, *, seed: int = 0) -> ChangePoint:
    """Find a change of level by ranks, after Pettitt.

    With ranks r, the statistic is the greatest ``|U(t)|``, ``U(t) = 2 * sum(r_1 to r_t) - t * (n + 1)``; the
    change lies after that t. Up to 200 values the p-value is the share of 1,999 random orders, and the one
    at hand, that reach it, which is exact with ties, too. For more it is Pettitt's approximation
    ``2 * exp(-6 * K ** 2 / (n ** 3 + n ** 2))``.

    Args:
        values: shape (n,), in the order of time, at least 2, all finite.
        seed: of the random orders.

    Raises:
        InputError: fewer than two values, or one that is not finite.

    References:
        Pettitt (1979), Applied Statistics 28(2), 126-135, doi 10.2307/2346729.

    Example:
        >>> change = pettitt(np.array([0.1, 0.12, 0.11, 0.1, 0.4, 0.42, 0.41, 0.43]))
        >>> change.place, change.p_value < 0.05
        (4, True)
    """
    n = len(values)
    if n < 2 or not np.isfinite(values).all():  # noqa: PLR2004
        raise InputError(f"a change of level needs at least 2 finite values, got {n}")
    ranks = average_ranks(values)
    deviations = np.abs(_deviations(ranks))
    greatest = float(deviations.max())
    place = int(deviations.argmax()) + 1
    p_value = _permuted(ranks, greatest, seed) if n <= _MOST_PERMUTED else _approximate(n, greatest)
    return ChangePoint(place, float(values[:place].mean()), float(values[place:].mean()), p_value)


def _deviations(ranks: Floats) -> Floats:
    """U of every t below n, along the last axis."""
    n = ranks.shape[-1]
    deviations: Floats = 2 * np.cumsum(ranks[..., :-1], axis=-1) - np.arange(1, n) * (n + 1)
    return deviations


def _permuted(ranks: Floats, greatest: float, seed: int) -> float:
    rng = np.random.default_rng(seed)
    size = max(1, _PERMUTED_CELLS // len(ranks))
    reached = 0
    for start in range(0, _PERMUTATIONS, size):
        orders = np.tile(ranks, (min(size, _PERMUTATIONS - start), 1))
        shuffled = rng.permuted(orders, axis=1, out=orders)
        # Ranks and their sums are multiples of a half, so that equal ones are equal exactly.
        reached += int((np.abs(_deviations(shuffled)).max(axis=1) >= greatest).sum())
    return (1 + reached) / (1 + _PERMUTATIONS)


def _approximate(n: int, greatest: float) -> float:
    return min(1.0, 2 * float(np.exp(-6.0 * greatest**2 / (float(n) ** 3 + float(n) ** 2))))


FEWEST_VALUES = 4
"""With fewer, no order of values is unlikely enough to say anything."""

_MOST_PAIRED = 1000


@dataclass(frozen=True)
class MonotoneTrend:
    """Trend of a series over time.

    Attributes:
        p_value: two-sided, of no trend (Mann-Kendall); NaN with fewer than 4 values.
        slope: change per unit of time with its interval (Theil-Sen); NaN likewise.
    """

    p_value: float
    slope: Estimate


def monotone_trend(times: Floats, values: Floats, *, interval: float = 0.95) -> MonotoneTrend:
    """Test for a trend by Mann-Kendall, and estimate it by Theil-Sen: the median slope of all pairs.

    Of more than 1,000 values the slope is that of 1,000 means of neighbours, as pairs grow with the square.

    Args:
        times: shape (n,), in any unit, ascending; ties are allowed.
        values: shape (n,), all finite.
        interval: coverage of the slope's interval, 0 to 1.

    Raises:
        InputError: shapes that differ.

    References:
        Mann (1945), Econometrica 13(3), 245-259, doi 10.2307/1907187. Sen (1968), JASA 63(324), 1379-1389,
        doi 10.1080/01621459.1968.10480934.

    Example:
        >>> trend = monotone_trend(np.arange(8.0), np.array([1, 2, 4, 3, 5, 6, 8, 7]) / 10)
        >>> round(trend.slope.value, 3), trend.p_value < 0.01
        (0.1, True)
    """
    if times.shape != values.shape:
        raise InputError(f"times and values must have one shape, got {times.shape} and {values.shape}")
    if len(values) < FEWEST_VALUES or np.ptp(times) == 0:
        return MonotoneTrend(np.nan, Estimate(np.nan, np.nan, np.nan))
    from scipy.stats import kendalltau, theilslopes

    p_value = 1.0 if np.ptp(values) == 0 else float(kendalltau(times, values).pvalue)
    found = theilslopes(_condensed(values), _condensed(times), alpha=interval)
    return MonotoneTrend(
        p_value, Estimate(float(found.slope), float(found.low_slope), float(found.high_slope))
    )


def _condensed(values: Floats) -> Floats:
    """Means of neighbours, at most 1,000, of lots as equal as can be."""
    if len(values) <= _MOST_PAIRED:
        return values
    starts = np.linspace(0, len(values), _MOST_PAIRED, endpoint=False).astype(np.int64)
    lengths = np.diff(np.r_[starts, len(values)])
    condensed: Floats = np.add.reduceat(values, starts) / lengths
    return condensed


_LARGE, _SMALL, _PRECISION, _MOST_NEWTON_STEPS = 1e7, 1e-6, 1e-8, 50


@dataclass(frozen=True)
class VariancePrior:
    """Scaled inverse chi-square distribution of a variance.

    Attributes:
        variance: its scale, about the typical variance, at least 0.
        freedom: degrees of freedom that it is worth: 0 where samples say nothing, infinite where they differ
            by no more than chance.
    """

    variance: float
    freedom: float


def fit_variance_prior(variances: Floats, freedom: Floats) -> VariancePrior:
    """Fit the distribution of the variances of several samples, by the moments of their logarithms.

    With ``e = ln s^2 - digamma(d / 2) + ln(d / 2)`` for a sample with d degrees of freedom, the prior's d0
    solves ``trigamma(d0 / 2) = mean(t / (t - 1) (e - mean e)^2 - trigamma(d / 2))`` over t samples, and its
    scale is ``exp(mean e + digamma(d0 / 2) - ln(d0 / 2))``. Samples of which one has no spread at all differ
    without bounds, and are worth nothing.

    Args:
        variances: shape (t,), t >= 2, at least 0.
        freedom: shape (t,), degrees of freedom of each, above 0.

    References:
        Smyth (2004), Statistical Applications in Genetics and Molecular Biology 3(1), 3, section 6.2, doi
        10.2202/1544-6115.1027.

    Example:
        >>> found = fit_variance_prior(np.array([2.0, 2.0, 2.0]), np.array([1e9, 1e9, 1e9]))
        >>> round(found.variance, 3), found.freedom
        (2.0, inf)
    """
    if (variances <= 0).any():
        return VariancePrior(0.0, 0.0)
    logs = np.log(variances) - digamma(freedom / 2) + np.log(freedom / 2)
    beyond_chance = float(logs.var(ddof=1) - polygamma(1, freedom / 2).mean())
    centre = float(logs.mean())
    if beyond_chance <= 0:
        return VariancePrior(exp(centre), inf)
    half = trigamma_inverse(beyond_chance)
    return VariancePrior(exp(centre + float(digamma(half)) - log(half)), 2 * half)


def agreement(variance: float, freedom: float, prior: VariancePrior) -> float:
    """Tell how far a sample's variance agrees with a prior: twice the smaller tail of the F-distribution.

    Args:
        variance: the sample's, at least 0.
        freedom: its degrees of freedom.
        prior: with a finite freedom above 0, and a scale above 0.

    Returns:
        0 to 1; 1 at the distribution's median.

    Example:
        >>> prior = VariancePrior(1.0, 20.0)
        >>> round(agreement(1.0, 20, prior), 6), agreement(0.0, 20, prior)
        (1.0, 0.0)
    """
    ratio = variance / prior.variance
    tails = fdtr(freedom, prior.freedom, ratio), fdtrc(freedom, prior.freedom, ratio)
    return min(1.0, 2 * float(min(tails)))


def trigamma_inverse(value: float) -> float:
    """Solve ``trigamma(y) = value`` for y, by Newton's method (Smyth 2004, appendix).

    Args:
        value: above 0.

    Example:
        >>> round(trigamma_inverse(1.644934), 5)  # trigamma(1) is pi^2 / 6
        1.0
    """
    if value > _LARGE:
        return float(1 / np.sqrt(value))
    if value < _SMALL:
        return 1 / value
    found = 0.5 + 1 / value
    for _ in range(_MOST_NEWTON_STEPS):
        trigamma = float(polygamma(1, found))
        step = trigamma * (1 - trigamma / value) / float(polygamma(2, found))
        found += step
        if -step / found < _PRECISION:
            break
    return found
