"""Means and shares with intervals: bootstrap, linearized and exact."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Literal, Self, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr, betaincinv, ndtr, ndtri, stdtrit

from semscale.errors import InputError
from semscale.types import Floats, Integers

Method = Literal["bootstrap", "linearized"]
"""``bootstrap``: expanded percentiles of resampled clusters. ``linearized``: Taylor variance, t interval."""

UsedMethod = Literal["bootstrap", "linearized", "exact"]
"""A method, or ``exact``: bounds for a figure that is the same in every cluster; see ``estimate_figures``."""

DEFAULT_INTERVAL = 0.95
"""Default coverage of intervals."""

FEWEST_CLUSTERS = 10
"""Least number of clusters for a bootstrap; below it, percentiles are too narrow and t quantiles are used."""

MAX_CLUSTERS = 20_000
"""Greatest number of clusters whose totals are stored for the bootstrap; above it, sums are enough."""

_FEWEST_REPLICATES = 100

ROUNDING = 1e-6
"""Standard deviation, as a share of a figure's range, that is rounding error."""


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval.

    Attributes:
        value: the figure; NaN if it is not defined.
        low: lower end of the interval; NaN if there is no interval (fewer than two clusters).
        high: upper end; NaN if there is no interval.
    """

    value: float = np.nan
    low: float = np.nan
    high: float = np.nan


@dataclass(frozen=True)
class IntervalPlan:
    """Settings of intervals.

    Attributes:
        interval: nominal coverage, between 0 and 1.
        method: bootstrap or linearized.
        seed: seed of the bootstrap of every group, so that a group's interval does not depend on other
            groups.
        replicates: number of bootstrap replicates, at least 100.

    Raises:
        InputError: an unknown method, or a coverage, a seed or a number of replicates out of range.
    """

    interval: float = DEFAULT_INTERVAL
    method: Method = "bootstrap"
    seed: int = 0
    replicates: int = 2000

    def __post_init__(self) -> None:
        check_interval(self.interval)
        check_seed(self.seed)
        if self.method not in get_args(Method):
            raise InputError("method", f"must be {' or '.join(get_args(Method))}, got {self.method!r}")
        if not isinstance(self.replicates, int | np.integer) or self.replicates < _FEWEST_REPLICATES:
            raise InputError(
                "replicates",
                f"must be a whole number of at least {_FEWEST_REPLICATES}, got {self.replicates!r}",
            )

    @property
    def settings(self) -> dict[str, object]:
        """Entries of a signature; seed and replicates are ``None`` without a bootstrap.

        Examples:
            >>> IntervalPlan(0.9, "linearized").settings
            {'interval': 0.9, 'method': 'linearized', 'replicates': None, 'seed': None}
        """
        drawn = self.method == "bootstrap"
        return {
            "interval": self.interval,
            "method": self.method,
            "replicates": self.replicates if drawn else None,
            "seed": self.seed if drawn else None,
        }

    def method_for(self, m: int) -> Method | None:
        """Choose the method for intervals of m clusters; ``None`` with fewer than two.

        Examples:
            >>> [IntervalPlan().method_for(m) for m in (1, 9, 10)]
            [None, 'linearized', 'bootstrap']
        """
        if m < 2:
            return None
        return self.method if m >= FEWEST_CLUSTERS else "linearized"


@dataclass(frozen=True)
class MeanEstimate:
    """A mean with its interval.

    Attributes:
        value: the mean; NaN if no item has a value.
        low: lower end of the interval; NaN with fewer than two clusters.
        high: upper end; NaN if there is no interval.
        n: items used.
        n_left_out: items without a value.
        n_clusters: resampled units: items, or the caller's clusters.
        method: method of the interval; ``None`` without an interval.
    """

    value: float
    low: float
    high: float
    n: int
    n_left_out: int
    n_clusters: int
    method: UsedMethod | None


def estimate_mean(
    values: Floats,
    *,
    bounds: tuple[float, float],
    clusters: Integers | None = None,
    weights: Floats | None = None,
    plan: IntervalPlan | None = None,
) -> MeanEstimate:
    """Estimate the mean of items' values; items without a value are left out and counted.

    Args:
        values: shape (n,); NaN where an item has no value.
        bounds: least and greatest possible value of an item; intervals stay within.
        clusters: shape (n,), cluster number of each item, such as its question; by default each item is its
            own cluster.
        weights: shape (n,), above 0; all equal by default.
        plan: settings of the interval; always linearized with more than 20,000 clusters.

    Raises:
        InputError: ``clusters`` and ``values`` differ in length.

    Examples:
        >>> estimate = estimate_mean(np.array([0.2, np.nan, 0.4]), bounds=(0, 1))
        >>> round(estimate.value, 6), estimate.n, estimate.n_left_out
        (0.3, 2, 1)
    """
    plan = plan or IntervalPlan()
    known = ~np.isnan(values)
    groups = np.arange(len(values)) if clusters is None else np.asarray(clusters)
    if len(groups) != len(values):
        raise InputError("clusters", f"must have {len(values)} rows as values has, got {len(groups)}")
    _, cluster = np.unique(groups[known], return_inverse=True)
    weight = np.ones(len(cluster)) if weights is None else weights[known]
    totals: Floats = np.column_stack(
        [np.bincount(cluster, values[known] * weight), np.bincount(cluster, weight)]
    )
    method: UsedMethod | None = plan.method_for(len(totals))
    if method == "bootstrap" and len(totals) > MAX_CLUSTERS:
        method = "linearized"
    mean = Estimate()
    if len(totals):
        moments = Moments.empty(1).with_clusters(totals)
        drawn = totals if method == "bootstrap" else None
        named, exact = estimate_figures(moments, drawn, value_figure("mean", bounds), plan)
        mean, method = named["mean"], "exact" if exact else method
    n = int(known.sum())
    return MeanEstimate(mean.value, mean.low, mean.high, n, len(values) - n, len(totals), method)


_REPLICATES_BEYOND = 200
"""Number of replicates beyond each end of an interval, so that its ends are stable."""


def simultaneous(plan: IntervalPlan, k: int) -> IntervalPlan:
    """Return a plan with wider intervals, so that those of all pairs of k cells hold together.

    Examples:
        >>> wider = simultaneous(IntervalPlan(0.95), 3)
        >>> round(wider.interval, 6), wider.replicates
        (0.983333, 24000)
    """
    n_pairs = max(k * (k - 1) // 2, 1)
    tail = (1 - plan.interval) / n_pairs
    return replace(
        plan, interval=1 - tail, replicates=max(plan.replicates, round(2 * _REPLICATES_BEYOND / tail))
    )


def effective_size(total: float, squares: float) -> float:
    """Kish's effective sample size, ``sum(w) ** 2 / sum(w ** 2)``; 0 without weight.

    Args:
        total: sum of the weights.
        squares: sum of the squared weights.

    References:
        Kish (1965), Survey Sampling, section 11.7.
    """
    return total**2 / squares if squares > 0 else 0.0


@dataclass(frozen=True)
class Moments:
    """Sums of cluster totals.

    A cluster's total is ``(sum of w * p, sum of w)`` over its rows, k + 1 numbers.

    Attributes:
        n: number of added clusters.
        total: shape (k + 1,), sum of the totals.
        outer: shape (k + 1, k + 1), sum of the totals' outer products.
    """

    n: int
    total: Floats
    outer: Floats

    @classmethod
    def empty(cls, k: int) -> Self:
        """Start with no clusters, for PMFs of k points."""
        return cls(0, np.zeros(k + 1), np.zeros((k + 1, k + 1)))

    def with_clusters(self, totals: Floats) -> "Moments":
        """Add clusters.

        Args:
            totals: shape (m, k + 1); all rows of a cluster must be in one call.
        """
        return Moments(self.n + len(totals), self.total + totals.sum(axis=0), self.outer + totals.T @ totals)

    def plus(self, other: "Moments") -> "Moments":
        """Add the sums of disjoint clusters."""
        return Moments(self.n + other.n, self.total + other.total, self.outer + other.outer)

    @property
    def mean(self) -> Floats:
        """Weighted mean PMF, shape (k,); NaN where the weights sum to 0.

        Examples:
            >>> Moments.empty(2).with_clusters(np.array([[0.5, 0.5, 1.0], [3.0, 0.0, 3.0]])).mean.tolist()
            [0.875, 0.125]
        """
        weight = self.total[-1]
        return self.total[:-1] / weight if weight > 0 else np.full(len(self.total) - 1, np.nan)

    @property
    def effective_n(self) -> float:
        """Kish's effective number of clusters, ``sum(w) ** 2 / sum(w ** 2)``; 0 without weight."""
        return effective_size(float(self.total[-1]), float(self.outer[-1, -1]))

    @property
    def covariance(self) -> Floats:
        """Covariance of the mean, shape (k, k), by Taylor linearization; NaN with fewer than two clusters.

        With residuals ``z = (t - mean * w) / sum(w)`` of the clusters, it is ``m / (m - 1) * sum(z z')``.

        References:
            Woodruff (1971), JASA 66(334), 411-414, doi 10.1080/01621459.1971.10482279. Clusters count as
            drawn with replacement.
        """
        k = len(self.total) - 1
        weight = self.total[-1]
        if self.n < 2 or not weight > 0:
            return np.full((k, k), np.nan)
        residual = np.hstack([np.eye(k), -self.mean[:, None]])
        covariance: Floats = residual @ self.outer @ residual.T * (self.n / (self.n - 1) / weight**2)
        return covariance


_FEWEST_POINTS_FOR_BOXES = 4

_NPS_VALUES = np.arange(11.0)


@dataclass(frozen=True)
class Figures:
    """Names of f figures, and the matrix that computes them from the mean of k numbers per row.

    Attributes:
        names: names of the figures; for a scale ``mean``, then ``top_2_box``, ``bottom_2_box``, ``net`` and
            ``nps`` if they apply, then one for the mass of each point, such as ``p_1``.
        matrix: shape (f, k); ``matrix @ mean`` gives the figures.
        bounds: least and greatest possible value of each figure, each of shape (f,).
    """

    names: tuple[str, ...]
    matrix: Floats
    bounds: tuple[Floats, Floats]


def value_figure(name: str, bounds: tuple[float, float]) -> Figures:
    """Return one figure: the mean of one number per row.

    Args:
        name: name of the figure.
        bounds: least and greatest possible number of a row.

    Examples:
        >>> value_figure("f1", (-1.0, 1.0)).matrix.tolist()
        [[1.0]]
    """
    least, greatest = bounds
    return Figures((name,), np.ones((1, 1)), (np.array([least]), np.array([greatest])))


def scale_figures(values: Floats) -> Figures:
    """Return the figures of a scale.

    Boxes need 4 points, so that they do not overlap: top-2-box is the mass on the two highest points,
    bottom-2-box the mass on the two lowest, net their difference. NPS needs the values 0 to 10: the mass on 9
    and 10 minus the mass on 0 to 6.

    Args:
        values: shape (k,), ascending.

    Examples:
        >>> scale_figures(np.array([1.0, 2.0])).names
        ('mean', 'p_1', 'p_2')
        >>> figures = scale_figures(np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
        >>> (figures.matrix @ [0.1, 0.2, 0.3, 0.3, 0.1])[:4].round(3).tolist()
        [3.1, 0.4, 0.3, 0.1]

    References:
        Reichheld (2003), The One Number You Need to Grow, Harvard Business Review 81(12), for NPS.
    """
    k = len(values)
    rows = {"mean": np.asarray(values, dtype=np.float64)}
    if k >= _FEWEST_POINTS_FOR_BOXES:
        top, bottom = np.zeros(k), np.zeros(k)
        top[-2:], bottom[:2] = 1, 1
        rows |= {"top_2_box": top, "bottom_2_box": bottom, "net": top - bottom}
    if np.array_equal(values, _NPS_VALUES):
        rows["nps"] = np.repeat([-1.0, 0.0, 1.0], [7, 2, 2])
    rows |= dict(zip(mass_names(values), np.eye(k), strict=True))
    matrix = np.array(list(rows.values()))
    return Figures(tuple(rows), matrix, (matrix.min(axis=1), matrix.max(axis=1)))


MASS_PREFIX = "p_"


def mass_names(values: Iterable[float]) -> tuple[str, ...]:
    """Name a column for each point after its exact value, so that names are unique.

    Args:
        values: values of the scale's points; whole numbers are written without ``.0``.

    Examples:
        >>> mass_names([1.0, 2.5, 1000001.0])
        ('p_1', 'p_2.5', 'p_1000001')
    """
    numbers = map(float, values)
    return tuple(f"{MASS_PREFIX}{int(number) if number.is_integer() else repr(number)}" for number in numbers)


def estimate_figures(
    moments: Moments, totals: Floats | None, figures: Figures, plan: IntervalPlan
) -> tuple[dict[str, Estimate], frozenset[str]]:
    """Estimate figures from sums over clusters.

    A figure is ``matrix @ (sum w p / sum w)``. Its interval comes from resampled clusters, or from the
    linearized variance with t quantiles, and is cut off at the least and greatest value the figure can have.
    A figure that is the same in every cluster has no spread to resample; its interval is an exact bound from
    ``value - q (value - least)`` to ``value + q (greatest - value)``, with q the greatest plausible share of
    clusters that differ.

    Args:
        moments: sums of m clusters, whose weights sum to more than 0.
        totals: shape (m, k + 1), totals of the clusters for the bootstrap; ``None`` for linearized intervals.
        figures: f figures.
        plan: coverage, seed and replicates.

    Returns:
        The estimates by name, with NaN ends with fewer than two clusters, and the names of those with exact
        bounds.
    """
    values = figures.matrix @ moments.mean
    variance = np.einsum("fk,kj,fj->f", figures.matrix, moments.covariance, figures.matrix)
    if totals is None:
        low, high = _linear_interval(values, variance, moments.n, plan)
    else:
        low, high = _bootstrap(totals, figures, plan)
    least, greatest = figures.bounds
    equal = _have_no_spread(variance, moments.n, figures)
    unseen = clopper_pearson_upper(0, moments.effective_n, plan.interval)
    low[equal] = (values - unseen * (values - least))[equal]
    high[equal] = (values + unseen * (greatest - values))[equal]
    rows = zip(values, np.maximum(low, least), np.minimum(high, greatest), strict=True)
    named = {name: Estimate(*map(float, row)) for name, row in zip(figures.names, rows, strict=True)}
    return named, frozenset(np.array(figures.names)[equal].tolist())


def _have_no_spread(variance: Floats, n: int, figures: Figures) -> npt.NDArray[np.bool_]:
    """Mark bounded figures that are the same in all n clusters, up to rounding; none if n is below 2."""
    width = figures.bounds[1] - figures.bounds[0]
    equal: npt.NDArray[np.bool_] = variance * n <= (ROUNDING * width) ** 2
    return equal & np.isfinite(width)


def _bootstrap(totals: Floats, figures: Figures, plan: IntervalPlan) -> tuple[Floats, Floats]:
    m = len(totals)
    rng = np.random.default_rng(plan.seed)
    drawn = np.concatenate([counts @ totals for counts in draw_counts(m, plan.replicates, rng)])
    return percentile_interval(drawn[:, :-1] / drawn[:, -1:] @ figures.matrix.T, m, plan.interval)


def _linear_interval(values: Floats, variance: Floats, n: int, plan: IntervalPlan) -> tuple[Floats, Floats]:
    half = t_half_width(np.sqrt(np.maximum(variance, 0)), n - 1, plan.interval)
    return values - half, values + half


def t_half_width(errors: Floats, df: Floats | float, interval: float) -> Floats:
    """Compute half of the width of t intervals: standard error times the quantile of t.

    Args:
        errors: standard errors, of any shape.
        df: degrees of freedom, of the same shape or one number.
        interval: nominal coverage, between 0 and 1.

    Examples:
        >>> round(float(t_half_width(np.array(0.1), 10, 0.95)), 4)  # t_10 is 2.2281
        0.2228
    """
    return np.asarray(stdtrit(df, (1 + interval) / 2) * errors)


def mean_of_known(values: Floats | Sequence[Floats], axis: int = -1) -> Floats:
    """Average along an axis without NaN; NaN if all values are NaN.

    Examples:
        >>> mean_of_known(np.array([[1.0, np.nan], [np.nan, np.nan]])).tolist()
        [1.0, nan]
    """
    table = np.asarray(values, dtype=np.float64)
    known = ~np.isnan(table)
    n = known.sum(axis=axis)
    return np.where(n > 0, np.where(known, table, 0.0).sum(axis=axis) / np.maximum(n, 1), np.nan)


def wilson_interval(hits: float, n: int, interval: float = 0.95) -> Estimate:
    """Compute a share with Wilson's score interval, which has a width above 0 and stays within 0 to 1.

    With z the normal quantile: (p + z^2 / 2n +- z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n).

    Args:
        hits: 0 to n; if it is known of some items only with which probability they count, their sum.
        n: at least 0.
        interval: nominal coverage, between 0 and 1.

    Returns:
        The share and its ends, 0 to 1; all NaN for n = 0.

    References:
        Wilson (1927), doi 10.1080/01621459.1927.10502953. Brown, Cai and DasGupta (2001),
        doi 10.1214/ss/1009213286, who recommend it.

    Examples:
        >>> share = wilson_interval(0, 10)
        >>> share.low, round(share.high, 3)
        (0.0, 0.278)
    """
    if not n:
        return Estimate()
    z, p = float(ndtri((1 + interval) / 2)), hits / n
    middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    low = 0.0 if hits == 0 else max(0.0, float(middle - half))
    high = 1.0 if hits == n else min(1.0, float(middle + half))
    return Estimate(p, low, high)


def clopper_pearson_upper(hits: int, n: float, confidence: float) -> float:
    """Compute Clopper and Pearson's exact one-sided upper bound of a share, from ``hits`` among n.

    It is the share, 0 to 1, at which at most ``hits`` hits have the probability 1 - confidence.

    Args:
        hits: 0 to n.
        n: at least 0; an effective number of rows, not necessarily whole.
        confidence: between 0 and 1.

    References:
        Clopper and Pearson (1934), Biometrika 26(4), 404-413, doi 10.1093/biomet/26.4.404. Without a hit and
        for 95 % it is close to 3 / n, the rule of three: Hanley and Lippman-Hand (1983), JAMA 249(13),
        1743-1745, doi 10.1001/jama.1983.03330370053031.

    Examples:
        >>> round(clopper_pearson_upper(0, 59, 0.95), 4)  # 1 - .05 ** (1 / 59)
        0.0495
    """
    return 1.0 if hits >= n else float(betaincinv(hits + 1, n - hits, confidence))


def clopper_pearson_ends(shares: Floats, n: float | Floats, interval: float) -> tuple[Floats, Floats]:
    """Compute exact two-sided intervals of shares: lower and upper ends, each of the shares' shape, 0 to 1.

    Each tail has half of the probability outside the interval. With n = 0, the ends are 0 and 1.

    Args:
        shares: any shape, 0 to 1; the number of hits, share times n, need not be whole.
        n: at least 0, one number or one for each share.
        interval: least coverage, between 0 and 1.

    References:
        Clopper and Pearson (1934), Biometrika 26(4), 404-413, doi 10.1093/biomet/26.4.404.

    Examples:
        >>> low, high = clopper_pearson_ends(np.array([0.0, 0.1]), 10, 0.95)
        >>> low.round(4).tolist(), high.round(4).tolist()  # .3085 is 1 - .025 ** (1 / 10)
        ([0.0, 0.0025], [0.3085, 0.445])
    """
    hits, beyond = shares * n, (1 - interval) / 2
    low, high, missed = np.zeros_like(hits), np.ones_like(hits), n - hits
    some, lacking = hits > 0, missed > 0
    low[some] = betaincinv(hits[some], missed[some] + 1, beyond)
    high[lacking] = betaincinv(hits[lacking] + 1, missed[lacking], 1 - beyond)
    return low, high


def binomial_tail(hits: int, n: int, share: float) -> float:
    """Compute the probability of at most ``hits`` hits among n at a share; 1 for n = 0.

    Examples:
        >>> binomial_tail(0, 2, 0.5)
        0.25
    """
    return float(bdtr(hits, n, share)) if hits < n else 1.0


_BLOCK_CELLS = 65_536  # so that draws, counts and results stay in the processor's cache


def check_interval(interval: float) -> None:
    """Check that a coverage is between 0 and 1.

    Raises:
        InputError: not a number between 0 and 1.
    """
    if isinstance(interval, bool) or not isinstance(interval, Real) or not 0 < interval < 1:
        raise InputError("interval", f"must lie between 0 and 1, such as 0.95 for 95 %, got {interval!r}")


def check_seed(seed: int) -> None:
    """Check that NumPy's generators accept a seed.

    Raises:
        InputError: not a whole number of at least 0.
    """
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or seed < 0:
        raise InputError("seed", f"must be a whole number of at least 0, got {seed!r}")


def draw_counts(m: int, replicates: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Draw m clusters with replacement for each replicate.

    Args:
        m: number of clusters, at least 1.
        replicates: number of draws.
        rng: random generator.

    Yields:
        Counts of shape (b, m): how often each cluster was drawn in b replicates; rows sum to m.

    Examples:
        >>> blocks = list(draw_counts(3, 10, np.random.default_rng(0)))
        >>> np.concatenate(blocks).sum(axis=1).tolist() == [3.0] * 10
        True
    """
    size = max(1, _BLOCK_CELLS // m)
    for start in range(0, replicates, size):
        b = min(size, replicates - start)
        drawn = rng.integers(0, m, size=(b, m)) + np.arange(b)[:, None] * m
        yield np.bincount(drawn.ravel(), minlength=b * m).reshape(b, m).astype(np.float64)


def percentile_interval(replicates: Floats, m: int, interval: float) -> tuple[Floats, Floats]:
    """Compute an interval from bootstrap replicates: expanded percentiles, which correct for few clusters.

    A plain percentile interval is too narrow for small m, by ``sqrt((m - 1) / m)`` and by normal instead of t
    quantiles. The tail is therefore ``Phi(sqrt(m / (m - 1)) * t_quantile(tail, m - 1))``.

    Args:
        replicates: shape (r, f); NaN replicates are left out.
        m: number of resampled clusters.
        interval: coverage, between 0 and 1.

    Returns:
        Low and high ends, each of shape (f,); NaN with fewer than two clusters or if all replicates are NaN.

    References:
        Hesterberg (2015), The American Statistician 69(4), 371-386, doi 10.1080/00031305.2015.1089789.
    """
    figures = replicates.shape[1]
    low, high = np.full(figures, np.nan), np.full(figures, np.nan)
    if m < 2:
        return low, high
    tail = float(ndtr(np.sqrt(m / (m - 1)) * stdtrit(m - 1, (1 - interval) / 2)))
    for figure in range(figures):
        defined = replicates[:, figure]
        defined = defined[~np.isnan(defined)]
        if defined.size:
            low[figure], high[figure] = np.quantile(defined, [tail, 1 - tail])
    return low, high
