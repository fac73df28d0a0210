"""Agreement of raters: kappa, Krippendorff's alpha, intraclass correlation, panels, and the human ceiling."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from semscale.errors import InputError
from semscale.stats.correlations import (
    CORRELATION,
    FEWEST_FOR_PERCENTILES,
    RELIABILITY,
    NormalizingTransform,
    ResampledBy,
    ResamplingPlan,
    bootstrap_interval,
    correlation,
    weighted_spearman,
)
from semscale.stats.intervals import IntervalPlan, MeanEstimate, estimate_mean, mean_of_known
from semscale.types import Floats, Integers

Counted = Callable[[Floats], Floats]
"""A coefficient of n items as a function of ``counts`` (b, n), how often each item occurs; shape (b,)."""


@dataclass(frozen=True)
class AgreementEstimate:
    """A coefficient of agreement with its interval over items.

    Attributes:
        value: the coefficient; NaN where it is not defined.
        low: lower end of the interval; NaN if there is no interval.
        high: upper end; NaN if there is no interval.
        n: items used.
        n_left_out: items left out, with fewer than two of the compared ratings.
        n_clusters: resampled units: items, or the caller's clusters.
        method: ``bootstrap``, or ``jackknife`` with fewer than 50 clusters if that is defined; ``None``
            without an interval.
        note: reason for a missing value or interval; ``None`` if there are both.
    """

    value: float
    low: float
    high: float
    n: int
    n_left_out: int
    n_clusters: int
    method: ResampledBy | None
    note: str | None = None

    def among(self, n: int) -> Self:
        """Return the estimate with all other of n items counted as left out."""
        return replace(self, n_left_out=n - self.n)


_ROUNDING = 1e-12


def estimate_agreement(
    coefficient: Counted,
    usable: npt.NDArray[np.bool_],
    plan: ResamplingPlan,
    transform: NormalizingTransform,
    *,
    undefined: str,
) -> AgreementEstimate:
    """Estimate a coefficient of the usable items, with an interval over items.

    Without any disagreement, every replicate is 1 too, so there is no interval. Below 50 clusters,
    percentiles are too narrow, and a jackknife is used.

    Args:
        coefficient: computes the coefficient of the usable items from their counts.
        usable: shape (n,), whether an item is used.
        plan: how all n items are resampled.
        transform: of the coefficient, for the jackknife of few clusters.
        undefined: note for a coefficient that is not defined.

    Raises:
        InputError: the clusters are not as many as the items.
    """
    n = int(usable.sum())
    if plan.clusters is not None:
        clusters = np.asarray(plan.clusters)
        if clusters.shape != usable.shape:
            raise InputError(
                "clusters", f"must have {len(usable)} numbers, one per item, got shape {clusters.shape}"
            )
        plan = replace(plan, clusters=clusters[usable])
    n_clusters = len(np.unique(plan.cluster_numbers(n)))
    value = float(coefficient(np.ones((1, n)))[0]) if n else float("nan")
    low, high, method, note = float("nan"), float("nan"), None, None
    if np.isnan(value):
        note = undefined if n else "no item has two ratings to compare"
    elif n_clusters < 2:
        note = "an interval needs two items or more"
    elif transform.greatest - value < _ROUNDING:
        note = "no disagreement was observed, so the coefficient has no lower bound"
    else:
        low, high, method = bootstrap_interval(
            value,
            lambda _, counts: coefficient(counts),
            (np.arange(n, dtype=np.float64),),
            plan,
            transform,
            fewest=FEWEST_FOR_PERCENTILES,
        )
        note = None if method else "not defined, or always the same, in resamples of so few items"
    return AgreementEstimate(value, low, high, n, len(usable) - n, n_clusters, method, note)


def validate_ratings(ratings: Floats, name: str = "ratings") -> Floats:
    """Check a table of ratings and return it as floats, shape (n, raters), NaN where missing.

    Raises:
        InputError: not a table of numbers with two raters or more, or an infinite value.
    """
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] < 2:
        raise InputError(name, f"must have shape (items, raters) with two raters or more, got {table.shape}")
    if np.isinf(table).any():
        raise InputError(name, "must be finite, or NaN where a rating is missing, got an infinite value")
    return table


def validate_pair(x: Floats, y: Floats) -> Floats:
    """Return two lists of ratings as the columns of one table, shape (n, 2), NaN where missing.

    Raises:
        InputError: lengths differ, not lists, or an infinite value.
    """
    if np.ndim(x) != 1 or np.shape(x) != np.shape(y):
        raise InputError(
            f"x and y must be two lists of one length, got shapes {np.shape(x)} and {np.shape(y)}"
        )
    return validate_ratings(np.column_stack([x, y]).reshape(-1, 2), "x and y")


KappaWeights = Literal["quadratic", "linear", "none"]
"""Weight of a disagreement: the squared difference, the absolute difference, or always 1."""

MOST_LEVELS = 1000
"""Greatest number of different values for coefficients of levels."""


def weighted_kappa(
    x: Floats,
    y: Floats,
    *,
    weights: KappaWeights = "quadratic",
    clusters: Integers | None = None,
    interval: float = 0.95,
    seed: int = 0,
) -> AgreementEstimate:
    """Cohen's weighted kappa: 1 - observed disagreement / disagreement expected by chance.

    By chance, every rating of one rater is paired with every rating of the other. Disagreement is computed
    from the values themselves, so an unused level changes nothing.

    Args:
        x: shape (n,), one rater's ratings; NaN where missing.
        y: shape (n,), the other rater's ratings.
        weights: weight of a disagreement: ``quadratic``, ``linear``, or ``none`` for levels without an order.
        clusters: shape (n,), cluster of each item, resampled as a whole; by default each item is its own
            cluster.
        interval: nominal coverage, between 0 and 1.
        seed: seed of the bootstrap.

    Returns:
        The coefficient, -1 to 1; items that one of the two did not rate are left out. NaN if both used only
        one and the same level.

    Raises:
        InputError: lengths differ, an infinite value, unknown weights, more than 1,000 different values, or a
            setting out of range.

    References:
        Cohen (1960), doi 10.1177/001316446002000104; weights: Cohen (1968), doi 10.1037/h0026256.

    Examples:
        >>> agreed = weighted_kappa(np.array([1.0, 2, 3, 3]), np.array([1.0, 2, 3, 2]))
        >>> round(agreed.value, 6)  # 1 - (1 / 4) / (20 / 16)
        0.8
    """
    table = validate_pair(x, y)
    usable = np.asarray(~np.isnan(table).any(axis=1))
    coefficient = kappa_coefficient(table[usable, 0], table[usable, 1], weights)
    return estimate_agreement(
        coefficient,
        usable,
        ResamplingPlan(clusters, interval, seed),
        CORRELATION,
        undefined="both raters used one and the same level only",
    )


def kappa_coefficient(x: Floats, y: Floats, weights: KappaWeights) -> Counted:
    """Return kappa of complete pairs as a function of how often each pair occurs.

    Args:
        x: shape (n,).
        y: shape (n,).
        weights: weight of a disagreement.

    Raises:
        InputError: unknown weights, or too many different values.
    """
    levels, codes = distinct_levels(np.concatenate([x, y]))
    disagreement = _disagreement(levels, weights)
    n, k = len(x), len(levels)
    observed = disagreement[codes[:n], codes[n:]]
    first, second = (sparse_sums(np.arange(n), part, np.ones(n), (n, k)) for part in (codes[:n], codes[n:]))

    def coefficient(counts: Floats) -> Floats:
        expected = (first(counts) @ disagreement * second(counts)).sum(axis=1)
        return chance_corrected(counts @ observed * counts.sum(axis=1), expected)

    return coefficient


def distinct_levels(values: Floats) -> tuple[Floats, Integers]:
    """Different values in ascending order, and the index of each value among them.

    Raises:
        InputError: more than 1,000 of them.
    """
    levels, codes = np.unique(values, return_inverse=True)
    if len(levels) > MOST_LEVELS:
        raise InputError(
            "ratings",
            f"must have at most {MOST_LEVELS:,} different values, got {len(levels):,}: "
            "round them, or use the intraclass correlation",
        )
    return levels, codes


def chance_corrected(observed: Floats, expected: Floats) -> Floats:
    """Correct for chance: 1 - observed / expected disagreement; NaN if the expected disagreement is 0."""
    defined = expected > 0
    return np.where(defined, 1 - observed / np.where(defined, expected, 1.0), np.nan)


def _disagreement(levels: Floats, weights: KappaWeights) -> Floats:
    distance = np.abs(levels[:, None] - levels)
    if weights == "quadratic":
        return distance**2
    if weights == "linear":
        return distance
    if weights == "none":
        return (distance > 0).astype(np.float64)
    raise InputError("weights", f"must be quadratic, linear or none, got {weights!r}")


Metric = Literal["nominal", "ordinal", "interval"]
"""Kind of ratings: names, ranks, or numbers with equal distances."""


def krippendorff_alpha(
    ratings: Floats,
    *,
    metric: Metric = "ordinal",
    clusters: Integers | None = None,
    interval: float = 0.95,
    seed: int = 0,
) -> AgreementEstimate:
    """Krippendorff's alpha: 1 - observed disagreement / disagreement expected by chance.

    The observed disagreement is the mean difference of two ratings of one item, with a weight of 1 / (number
    of its ratings - 1) for an item's pairs; the expected one is the mean difference of any two ratings. The
    difference is 1 for ``nominal``, the squared difference of values for ``interval``, and for ``ordinal``
    the squared difference of mean ranks among all ratings, ranked anew in every replicate.

    Args:
        ratings: shape (n, raters), NaN where a rater did not rate; items may have different raters.
        metric: kind of the ratings.
        clusters: shape (n,), cluster of each item, resampled as a whole; by default each item is its own
            cluster.
        interval: nominal coverage, between 0 and 1.
        seed: seed of the bootstrap.

    Returns:
        The coefficient, at most 1, and 0 for chance; items with fewer than two ratings are left out. NaN if
        only one level was used.

    Raises:
        InputError: not a table, an infinite value, an unknown metric, more than 1,000 different values, or a
            setting out of range.

    References:
        Krippendorff (2011), Computing Krippendorff's Alpha-Reliability,
        https://repository.upenn.edu/asc_papers/43. Hayes and Krippendorff (2007),
        doi 10.1080/19312450709336664, for resampling.

    Examples:
        >>> krippendorff_alpha(np.array([[1.0, 1.0], [2.0, 2.0], [3.0, np.nan]])).n_left_out
        1
    """
    table = validate_ratings(ratings)
    usable = (~np.isnan(table)).sum(axis=1) >= 2
    return estimate_agreement(
        alpha_coefficient(table[usable], metric),
        usable,
        ResamplingPlan(clusters, interval, seed),
        CORRELATION,
        undefined="only one level was used",
    )


def alpha_coefficient(ratings: Floats, metric: Metric) -> Counted:
    """Return alpha as a function of how often each item occurs.

    Args:
        ratings: shape (n, raters), at least two per item.
        metric: kind of the ratings.

    Raises:
        InputError: an unknown metric, or too many different values.
    """
    there = ~np.isnan(ratings)
    levels, codes = distinct_levels(ratings[there])
    rows = np.nonzero(there)[0]
    margins = sparse_sums(rows, codes, np.ones(len(rows)), (len(ratings), len(levels)))
    coincidences, first, second = _coincidences(there, codes, len(levels))
    differences = _differences(levels, metric)

    def coefficient(counts: Floats) -> Floats:
        used = margins(counts)
        observed, expected = differences(used, coincidences(counts), first, second)
        return chance_corrected(observed * (used.sum(axis=1) - 1), expected)

    return coefficient


def _coincidences(
    there: npt.NDArray[np.bool_], codes: Integers, k: int
) -> tuple[Callable[[Floats], Floats], Integers, Integers]:
    """Sums of coincidences, and the two levels of each cell that occurs in the data."""
    placed = np.full(there.shape, -1)
    placed[there] = codes
    raters = there.sum(axis=1)
    rows, cells = [], []
    for left in range(there.shape[1]):
        for right in range(left):
            both = np.flatnonzero(there[:, left] & there[:, right])
            rows.append(both)
            cells.append(placed[both, left] * k + placed[both, right])
    row, cell = np.concatenate(rows), np.concatenate(cells)
    present, number = np.unique(cell, return_inverse=True)
    # Each pair of raters counts in both directions.
    amounts = 2.0 / (raters[row] - 1)
    sums = sparse_sums(row, number, amounts, (len(there), len(present)))
    return sums, present // k, present % k


_Differences = Callable[[Floats, Floats, Integers, Integers], tuple[Floats, Floats]]


def _differences(levels: Floats, metric: Metric) -> _Differences:
    """Sums of differences over coincidences and over all pairs of ratings."""
    if metric == "nominal":
        return lambda used, together, first, second: (
            together @ (first != second).astype(np.float64),
            used.sum(axis=1) ** 2 - (used**2).sum(axis=1),
        )
    if metric not in ("ordinal", "interval"):
        raise InputError("metric", f"must be nominal, ordinal or interval, got {metric!r}")

    def squared(used: Floats, together: Floats, first: Integers, second: Integers) -> tuple[Floats, Floats]:
        # With equal values only, a rounded mean would leave a spurious difference.
        several = (used > 0).sum(axis=1) > 1
        positions = _mean_ranks(used) if metric == "ordinal" else np.broadcast_to(levels, used.shape)
        n = used.sum(axis=1)
        centred = positions - (used * positions).sum(axis=1, keepdims=True) / n[:, None]
        observed = (together * (positions[:, first] - positions[:, second]) ** 2).sum(axis=1)
        expected = 2 * n * (used * centred**2).sum(axis=1)
        return observed, np.where(several, expected, 0.0)

    return squared


def _mean_ranks(used: Floats) -> Floats:
    """Mean rank (b, k) of ratings at each level, from how often each level is used."""
    ranks: Floats = np.cumsum(used, axis=1) - used / 2
    return ranks


Form = Literal["1,1", "2,1", "3,1", "1,k", "2,k", "3,k"]
"""Shrout and Fleiss' forms: first the model, then one rater or the mean of k.

Model 1: other raters for every item. 2: the same raters, a sample of many; their severity counts as
disagreement. 3: these raters only; severity does not count.
"""

FORMS: tuple[Form, ...] = ("1,1", "2,1", "3,1", "1,k", "2,k", "3,k")


def intraclass_correlation(
    ratings: Floats,
    *,
    form: Form = "2,1",
    clusters: Integers | None = None,
    interval: float = 0.95,
    seed: int = 0,
) -> AgreementEstimate:
    """Intraclass correlation from mean squares: between items B, within W, between raters J, error E.

    1,1: (B - W) / (B + (k - 1) W). 2,1: (B - E) / (B + (k - 1) E + k (J - E) / n). 3,1: (B - E) / (B + (k -
    1) E). 1,k: (B - W) / B. 2,k: (B - E) / (B + (J - E) / n). 3,k: (B - E) / B.

    Args:
        ratings: shape (n, k), NaN where a rater did not rate.
        form: model, and whether it is for one rater or for the mean of k raters.
        clusters: shape (n,), cluster of each item, resampled as a whole; by default each item is its own
            cluster.
        interval: nominal coverage, between 0 and 1. Items are resampled, raters are not.
        seed: seed of the bootstrap.

    Returns:
        The coefficient, at most 1; below 0 if items differ less than by chance. Items that a rater did not
        rate are left out. NaN if ratings do not vary.

    Raises:
        InputError: not a table, an infinite value, an unknown form, or a setting out of range.

    References:
        Shrout and Fleiss (1979), Psychological Bulletin 86(2), 420-428, doi 10.1037/0033-2909.86.2.420.

    Examples:
        >>> round(intraclass_correlation(np.array([[1.0, 2], [2, 3], [3, 4]]), form="2,1").value, 6)
        0.666667
    """
    table = validate_ratings(ratings)
    if form not in FORMS:
        raise InputError("form", f"must be one of {', '.join(FORMS)}, got {form!r}")
    usable = np.asarray(~np.isnan(table).any(axis=1))
    return estimate_agreement(
        intraclass_coefficient(table[usable], form),
        usable,
        ResamplingPlan(clusters, interval, seed),
        RELIABILITY if form.endswith("k") else _single_rater_transform(table.shape[1], form),
        undefined="an intraclass correlation needs two items or more, with ratings that vary",
    )


def intraclass_coefficient(ratings: Floats, form: Form) -> Counted:
    """Return a correlation of complete ratings (n, k) as a function of how often each item occurs."""
    k = ratings.shape[1]
    centred = ratings - ratings.mean() if len(ratings) else ratings
    features = np.column_stack([centred, (centred**2).sum(axis=1), centred.sum(axis=1) ** 2 / k])

    def coefficient(counts: Floats) -> Floats:
        n = counts.sum(axis=1)
        sums = counts @ features
        raters, everything, items = sums[:, :k], sums[:, k], sums[:, k + 1]
        mean = raters.sum(axis=1) ** 2 / np.maximum(n * k, 1)
        between, total = items - mean, everything - mean
        judges = (raters**2).sum(axis=1) / np.maximum(n, 1) - mean
        freedom = np.maximum(n - 1, 1)
        top, bottom = _intraclass_ratio(
            form,
            n,
            k,
            between=between / freedom,
            within=(total - between) / np.maximum(n * (k - 1), 1),
            judges=judges / (k - 1),
            error=np.maximum(total - between - judges, 0) / (freedom * (k - 1)),
        )
        # A sum of squares within rounding error of 0 is 0.
        defined = (n > 1) & (total > 1e-12 * everything) & (bottom > 1e-12 * total / np.maximum(n * k, 1))
        return np.where(defined, top / np.where(defined, bottom, 1.0), np.nan)

    return coefficient


def _intraclass_ratio(
    form: Form, n: Floats, k: int, *, between: Floats, within: Floats, judges: Floats, error: Floats
) -> tuple[Floats, Floats]:
    """Numerator and denominator of a form."""
    noise = within if form.startswith("1") else error
    severity = (judges - error) / np.maximum(n, 1) if form.startswith("2") else np.zeros_like(n)
    if form.endswith("k"):
        return between - noise, between + severity
    return between - noise, between + (k - 1) * noise + k * severity


def _single_rater_transform(k: int, form: Form) -> NormalizingTransform:
    """Fisher's z of an intraclass correlation of k raters; the correlation of model 2 has no lowest value."""
    return NormalizingTransform(
        lambda r: np.log(np.maximum(1 + (k - 1) * r, 0) / (1 - r)) / 2,
        lambda z: 2 * np.tanh(z) / (k + (2 - k) * np.tanh(z)),
        -np.inf if form.startswith("2") else -1 / (k - 1),
        1.0,
    )


_PERFECT = 1e-9

_NO_AGREEMENT = "their scores do not agree beyond chance"


@dataclass(frozen=True)
class PairAgreement:
    """Agreement of two judges.

    Attributes:
        first: number of the first judge, from 0.
        second: number of the second judge.
        kappa: weighted kappa on the items that both rated.
    """

    first: int
    second: int
    kappa: AgreementEstimate


@dataclass(frozen=True)
class EffectiveJudges:
    """Number of judges with independent errors whose mean would be as good as the panel's mean.

    Attributes:
        value: the number; k if judges share no errors, 1 if they share all, infinite if errors cancel. From
            ratings it is a lower bound, 1 to k, and NaN if agreement is not significantly above chance.
        low: lower end of its interval; NaN if there is no interval.
        high: upper end.
        correlation: mean correlation of two judges, from which the number follows.
        of: correlated values: ``errors``, or ``ratings`` without a known truth.
        note: reason for a missing number or interval; ``None`` if there are both.
    """

    value: float
    low: float
    high: float
    correlation: AgreementEstimate
    of: Literal["errors", "ratings"]
    note: str | None = None


def pairwise_agreement(
    ratings: Floats, *, clusters: Integers | None = None, interval: float = 0.95, seed: int = 0
) -> tuple[PairAgreement, ...]:
    """Estimate kappa of each pair of judges, with quadratic weights; see ``weighted_kappa``.

    Args:
        ratings: shape (n, judges), NaN where a judge has no score.
        clusters: shape (n,), cluster of each item, resampled as a whole; by default each item is its own
            cluster.
        interval: nominal coverage, between 0 and 1.
        seed: seed of the bootstrap.

    Raises:
        InputError: not a table of two judges or more, or as ``weighted_kappa``.

    Examples:
        >>> [(pair.first, pair.second) for pair in pairwise_agreement(np.eye(3))]
        [(0, 1), (0, 2), (1, 2)]
    """
    table = validate_ratings(ratings)
    return tuple(
        PairAgreement(
            first,
            second,
            weighted_kappa(
                table[:, first], table[:, second], clusters=clusters, interval=interval, seed=seed
            ),
        )
        for first, second in combinations(range(table.shape[1]), 2)
    )


def severities(
    ratings: Floats, *, clusters: Integers | None = None, plan: IntervalPlan | None = None
) -> tuple[MeanEstimate, ...]:
    """Estimate how much higher each judge rates than the mean of the other judges of the same item.

    A judge's rating is excluded from the mean that it is compared with; included, it would hide 1 / k of the
    difference.

    Args:
        ratings: shape (n, judges), NaN where a judge has no score.
        clusters: shape (n,), cluster of each item, resampled as a whole; by default each item is its own
            cluster.
        plan: how intervals are made.

    Returns:
        One estimate per judge, in units of the ratings: above 0 is lenient, below 0 severe. Items that no
        other judge rated are left out.

    Raises:
        InputError: not a table of two judges or more, or clusters of another length.

    Examples:
        >>> [float(judge.value) for judge in severities(np.array([[1.0, 2.0, 3.0], [2.0, 2.0, 5.0]]))]
        [-1.5, -0.75, 2.25]
    """
    table = validate_ratings(ratings)
    there = ~np.isnan(table)
    sums, raters = np.nansum(table, axis=1, keepdims=True), there.sum(axis=1, keepdims=True)
    rest = np.where(raters > 1, (sums - table) / np.maximum(raters - 1, 1), np.nan)
    return tuple(
        estimate_mean(column, bounds=(-np.inf, np.inf), clusters=clusters, plan=plan)
        for column in (table - rest).T
    )


def effective_judges(
    ratings: Floats,
    *,
    truth: Floats | None = None,
    clusters: Integers | None = None,
    interval: float = 0.95,
    seed: int = 0,
) -> EffectiveJudges:
    """Estimate the effective number of judges: k / (1 + (k - 1) r), r the mean correlation of two judges.

    k is the number of judges with a score: a judge without any adds nothing to the panel.

    With a truth, r is the correlation of the judges' errors, as the formula requires. Without one, r is the
    correlation of the ratings. Judges who agree because they are right then count as dependent too, so the
    number is a lower bound, provided that all judges measure the same thing. If the interval of r includes 0,
    there is no number: judges who rate at random do not correlate either.

    Args:
        ratings: shape (n, k), NaN where a judge has no score.
        truth: shape (n,), such as human labels; items with NaN are left out.
        clusters: shape (n,), cluster of each item, resampled as a whole; by default each item is its own
            cluster.
        interval: nominal coverage, between 0 and 1.
        seed: seed of the bootstrap.

    Returns:
        With a truth, 1 to k, or above k if errors cancel. Without one, 1 to k, and NaN if agreement is not
        significantly above chance. NaN if no two judges' scores vary.

    Raises:
        InputError: not a table of two judges or more, a truth of another length, an infinite value, or a
            setting out of range.

    References:
        Clemen and Winkler (1985), Operations Research 33(2), 427-442, doi 10.1287/opre.33.2.427; the design
        effect of Kish (1965), Survey Sampling, section 5.4.

    Examples:
        >>> same = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
        >>> round(effective_judges(same).value, 6)
        1.0
    """
    table = validate_ratings(ratings)
    k = int((~np.isnan(table)).any(axis=0).sum())
    if truth is not None:
        known = np.asarray(truth, dtype=np.float64)
        if known.shape != table.shape[:1] or np.isinf(known).any():
            raise InputError("truth", f"must have {len(table)} finite values or NaN, got shape {known.shape}")
        table = table - known[:, None]
    usable = (~np.isnan(table)).sum(axis=1) > 1
    r = estimate_agreement(
        mean_correlation(table[usable]),
        usable,
        ResamplingPlan(clusters, interval, seed),
        CORRELATION,
        undefined="no two judges have scores that vary",
    )
    # Judges who never differ have no interval; 1 is the bound that always holds.
    if truth is None and not (r.low > 0 or r.value > 1 - _PERFECT):
        note = r.note if np.isnan(r.value) else _NO_AGREEMENT
        return EffectiveJudges(np.nan, np.nan, np.nan, r, "ratings", note)
    value, high, low = (_independent(k, end) for end in (r.value, r.low, r.high))
    return EffectiveJudges(value, low, high, r, "ratings" if truth is None else "errors", r.note)


def mean_correlation(table: Floats) -> Counted:
    """Return the mean Pearson correlation of all pairs of columns as a function of how often each row occurs.

    Pairs of columns whose correlation is not defined are ignored.

    Args:
        table: shape (n, k), NaN where there is no value.
    """
    there = ~np.isnan(table)
    centred = np.where(there, table - mean_of_known(table, axis=0), 0.0)
    features = [
        _pair_features(centred[:, pair], np.asarray(there[:, pair].all(axis=1)))
        for pair in map(list, combinations(range(table.shape[1]), 2))
    ]

    def coefficient(counts: Floats) -> Floats:
        defined = np.array([_of_pair(counts @ sums) for sums in features])
        return mean_of_known(defined, axis=0)

    return coefficient


def _pair_features(centred: Floats, both: npt.NDArray[np.bool_]) -> Floats:
    u, v = centred.T
    return np.column_stack([np.ones_like(u), u, v, u * u, v * v, u * v]) * both[:, None]


def _of_pair(sums: Floats) -> Floats:
    n, *rest = sums.T
    r = correlation(np.maximum(n, 1), *rest)
    return np.where(n > 1, r, np.nan)


def _independent(k: int, r: float) -> float:
    shared = 1 + (k - 1) * r
    return k / shared if not shared <= 0 else float("inf")


_DIFFERENCE = NormalizingTransform(np.asarray, np.asarray, -2.0, 2.0)


@dataclass(frozen=True)
class HumanComparison:
    """Agreement of a judge with people, and of people with each other, on the same items.

    Attributes:
        judge: the judge's rank correlation with people.
        ceiling: rank correlation of each person with the others, averaged over persons.
        difference: judge minus ceiling; above 0 if the judge agrees with people better than a person does.
        n_raters: people that were left out in turn.
    """

    judge: AgreementEstimate
    ceiling: AgreementEstimate
    difference: AgreementEstimate
    n_raters: int


def compare_with_humans(
    judge: Floats,
    human: Floats,
    *,
    clusters: Integers | None = None,
    interval: float = 0.95,
    seed: int = 0,
) -> HumanComparison:
    """Compare a judge with people, and each person with the other people, leaving one person out at a time.

    Each person is left out in turn. Then the judge and that person are each correlated (Spearman) with the
    mean of the remaining people, on the same items. Both results are means over the people left out.

    Args:
        judge: shape (n,), NaN where the judge has no score.
        human: shape (n, raters), NaN where a person did not rate. If a column mixes several people, the
            column is left out instead of a person.
        clusters: shape (n,), cluster of each item, resampled as a whole; by default each item is its own
            cluster.
        interval: nominal coverage, between 0 and 1.
        seed: seed of the bootstrap.

    Returns:
        Rank correlations, -1 to 1, and their difference; items without the judge's score or with fewer than
        two people's are left out.

    Raises:
        InputError: lengths differ, not a table of two people or more, an infinite value, or a setting out of
            range.

    References:
        Agreement of people with each other as the yardstick: Calderon, Reichart and Dror (2025), The
        Alternative Annotator Test, arXiv 2501.10970.

    Examples:
        >>> people = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 3.0]])
        >>> compared = compare_with_humans(np.array([1.0, 2.0, 3.0]), people)
        >>> round(compared.judge.value, 2), round(compared.ceiling.value, 2)
        (0.75, 0.5)
    """
    people = validate_ratings(human, "human")
    scores = np.asarray(judge, dtype=np.float64)
    if scores.shape != people.shape[:1] or np.isinf(scores).any():
        raise InputError("judge", f"must have {len(people)} finite scores or NaN, got shape {scores.shape}")
    usable = ~np.isnan(scores) & ((~np.isnan(people)).sum(axis=1) >= 2)
    turns = [_turn(scores[usable], people[usable], person) for person in range(people.shape[1])]
    turns = [turn for turn in turns if len(turn[0])]
    plan = ResamplingPlan(clusters, interval, seed)
    figures: list[tuple[Counted, NormalizingTransform]] = [
        (lambda counts: _mean_agreement(turns, counts)[0], CORRELATION),
        (lambda counts: _mean_agreement(turns, counts)[1], CORRELATION),
        (lambda counts: np.subtract(*_mean_agreement(turns, counts)), _DIFFERENCE),
    ]
    undefined = "in no turn do the judge's, the person's and the others' ratings all vary"
    of_judge, of_people, difference = (
        estimate_agreement(figure, usable, plan, transform, undefined=undefined)
        for figure, transform in figures
    )
    return HumanComparison(of_judge, of_people, difference, len(turns))


def _turn(judge: Floats, people: Floats, person: int) -> tuple[Integers, Floats, Floats, Floats]:
    """Return the rows to compare without one person, and the ratings by judge, person and others there."""
    means = mean_of_known(np.delete(people, person, axis=1))
    rows = np.flatnonzero(~np.isnan(people[:, person]) & ~np.isnan(means))
    return rows, judge[rows], people[rows, person], means[rows]


def _mean_agreement(turns: list[tuple[Integers, Floats, Floats, Floats]], counts: Floats) -> Floats:
    """Mean over turns of the judge's and the people's correlation, shape (2, b), where both are defined."""
    if not turns:
        return np.full((2, len(counts)), np.nan)
    pairs = []
    for rows, judge, person, reference in turns:
        some = counts[:, rows].sum(axis=1) > 1
        drawn = np.where(some[:, None], counts[:, rows], 1.0)
        pair = np.stack([weighted_spearman(side, reference, drawn) for side in (judge, person)])
        pairs.append(np.where(some & ~np.isnan(pair).any(axis=0), pair, np.nan))
    return mean_of_known(pairs, axis=0)


def sparse_sums(
    items: Integers, cells: Integers, amounts: Floats, shape: tuple[int, int]
) -> Callable[[Floats], Floats]:
    """Return the sums of cells as a function of how often each item occurs.

    Args:
        items: shape (e,), the item of each entry.
        cells: shape (e,), the cell of each entry.
        amounts: shape (e,), the amount that each entry adds to its cell; entries of one item and cell add up.
        shape: number of items and number of cells.

    Returns:
        A function from counts (b, items) to sums (b, cells).

    Examples:
        >>> sums = sparse_sums(np.array([0, 1]), np.array([0, 0]), np.array([2.0, 3.0]), (2, 1))
        >>> sums(np.array([[1.0, 1.0], [0.0, 2.0]])).tolist()
        [[5.0], [6.0]]
    """
    table = csr_array((amounts, (cells, items)), shape=shape[::-1])

    def sums(counts: Floats) -> Floats:
        drawn: Floats = np.asarray(table @ np.ascontiguousarray(counts.T))
        return drawn.T

    return sums
