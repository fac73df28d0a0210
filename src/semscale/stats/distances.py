"""Distances between distributions over ordered points, and samples of such distributions."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from scipy.special import rel_entr

from semscale.errors import InputError
from semscale.stats.intervals import Estimate, effective_size, t_half_width
from semscale.types import Floats, Integers

DistanceName = Literal["ks", "wasserstein", "total_variation", "jensen_shannon"]
"""Kolmogorov-Smirnov, Wasserstein-1 over the scale's width, total variation, Jensen-Shannon divergence."""

DISTANCES: tuple[DistanceName, ...] = get_args(DistanceName)

_ROUNDING = 1e-9


def ks_distance(p: Floats, q: Floats) -> Floats:
    """Kolmogorov-Smirnov distance: the largest difference of the cumulative shares, max |F_p - F_q|.

    Args:
        p: shape (..., k), sums to 1 along the last axis.
        q: the same; leading axes are broadcast.

    Returns:
        Shape (...), 0 (equal) to 1 (all mass at opposite ends).

    References:
        Smirnov (1948), Annals of Mathematical Statistics 19(2), 279-281, doi 10.1214/aoms/1177730256.

    Examples:
        >>> float(ks_distance(np.array([0.5, 0.5, 0.0]), np.array([0.0, 0.5, 0.5])))
        0.5
    """
    return np.asarray(np.abs(np.cumsum(np.subtract(p, q), axis=-1)).max(axis=-1))


def wasserstein_distance(p: Floats, q: Floats, values: Floats) -> Floats:
    """Wasserstein-1 distance divided by the scale's width: sum |F_p - F_q| times the steps / (last - first).

    It is the least sum of mass times distance that turns one distribution into the other.

    Args:
        p: shape (..., k), sums to 1 along the last axis.
        q: the same; leading axes are broadcast.
        values: shape (k,), values of the points, increasing.

    Returns:
        Shape (...), 0 (equal) to 1 (all mass at opposite ends).

    References:
        Vallender (1974), Theory of Probability and Its Applications 18(4), 784-786, doi 10.1137/1118101.

    Examples:
        >>> float(wasserstein_distance(np.array([1.0, 0, 0]), np.array([0, 1.0, 0]), np.arange(1.0, 4.0)))
        0.5
    """
    gaps = np.abs(np.cumsum(np.subtract(p, q), axis=-1))[..., :-1]
    return np.asarray(gaps @ np.diff(values) / (values[-1] - values[0]))


def total_variation(p: Floats, q: Floats) -> Floats:
    """Total variation: half the sum of |p - q|, the share of mass on other points.

    Args:
        p: shape (..., k), sums to 1 along the last axis.
        q: the same; leading axes are broadcast.

    Returns:
        Shape (...), 0 (equal) to 1 (no point in common).

    Examples:
        >>> float(total_variation(np.array([0.5, 0.5, 0.0]), np.array([0.0, 0.5, 0.5])))
        0.5
    """
    return np.asarray(np.abs(np.subtract(p, q)).sum(axis=-1) / 2)


def jensen_shannon_divergence(p: Floats, q: Floats) -> Floats:
    """Jensen-Shannon divergence in bits: the mean of KL(p, m) and KL(q, m), with m = (p + q) / 2.

    This is the divergence; its square root is the Jensen-Shannon distance.

    Args:
        p: shape (..., k), sums to 1 along the last axis.
        q: the same; leading axes are broadcast.

    Returns:
        Shape (...), 0 (equal) to 1 (no point in common).

    References:
        Lin (1991), IEEE Transactions on Information Theory 37(1), 145-151, doi 10.1109/18.61115.

    Examples:
        >>> float(jensen_shannon_divergence(np.array([1.0, 0.0]), np.array([0.0, 1.0])))
        1.0
    """
    middle = np.add(p, q) / 2
    nats = (rel_entr(p, middle) + rel_entr(q, middle)).sum(axis=-1) / 2
    return np.asarray(np.clip(nats / np.log(2), 0.0, 1.0), dtype=np.float64)


def all_distances(p: Floats, q: Floats, values: Floats) -> Floats:
    """Compute all distances of pairs of PMFs, in the order of ``DISTANCES``.

    Args:
        p: shape (..., k), sums to 1 along the last axis; NaN where missing.
        q: the same; leading axes are broadcast.
        values: shape (k,), values of the points, increasing.

    Returns:
        Shape (..., 4), each 0 to 1; NaN where a PMF is missing.

    Examples:
        >>> all_distances(np.array([1.0, 0.0]), np.array([0.0, 1.0]), np.array([0.0, 1.0])).tolist()
        [1.0, 1.0, 1.0, 1.0]
    """
    distances: Mapping[DistanceName, Floats] = {
        "ks": ks_distance(p, q),
        "wasserstein": wasserstein_distance(p, q, values),
        "total_variation": total_variation(p, q),
        "jensen_shannon": jensen_shannon_divergence(p, q),
    }
    return np.stack([distances[name] for name in DISTANCES], axis=-1)


def check_values(values: Floats) -> None:
    """Check that values of points are at least two increasing numbers.

    Raises:
        InputError: they are not.
    """
    if values.ndim != 1 or len(values) < 2 or not (np.diff(values) > 0).all():
        raise InputError("values", f"must be two numbers or more, each above the one before, got {values}")


def check_masses(name: str, masses: Floats, k: int) -> None:
    """Check that arrays are PMFs over k points; a PMF of NaN only is missing, and accepted.

    Raises:
        InputError: another length, a negative mass, or masses that do not sum to 1.
    """
    if np.ndim(masses) < 1 or np.shape(masses)[-1] != k:
        raise InputError(name, f"must have {k} masses in its last axis, got shape {np.shape(masses)}")
    missing = np.isnan(masses).all(axis=-1)
    sums = np.where(missing, 1.0, np.sum(masses, axis=-1))
    is_low = bool((np.asarray(masses)[~missing] < 0).any())
    if is_low or not (np.abs(sums - 1) <= _ROUNDING * k).all():
        raise InputError(name, "must have masses >= 0 that sum to 1")


_BLOCK_CELLS = 4_000_000  # draws that are held at once

_MANY = 1000.0  # effective answers at a point, from which a drawn total is taken as normal


@dataclass(frozen=True, eq=False)
class PmfSample:
    """Answers of n respondents, each a PMF over k points; a single chosen point has all of the mass.

    Equal answers are stored once with a count, so that 100,000 ratings of 5 points are halved as 5 counts. If
    most answers differ, as weighted ones do, and every point has 1,000 effective answers or none, totals of
    halves are drawn from their normal limit distribution (Cochran 1977, Sampling Techniques, section 2.15;
    van der Vaart 1998, Asymptotic Statistics, chapter 23).

    Attributes:
        masses: shape (n, k), rows sum to 1.
        weights: shape (n,), above 0; all equal by default.

    Raises:
        InputError: not a table of PMFs, or weights that do not fit.
    """

    masses: Floats
    weights: Floats | None = None

    def __post_init__(self) -> None:
        if np.ndim(self.masses) != 2 or np.isnan(self.masses).any():
            raise InputError(
                "masses", f"must have shape (respondents, points) without gaps, got {np.shape(self.masses)}"
            )
        check_masses("masses", self.masses, np.shape(self.masses)[1])
        if self.weights is not None and (
            np.shape(self.weights) != (self.n,) or not (np.asarray(self.weights) > 0).all()
        ):
            raise InputError(
                "weights", f"must be {self.n} numbers above 0, got shape {np.shape(self.weights)}"
            )

    @property
    def n(self) -> int:
        """Number of respondents."""
        return len(self.masses)

    @cached_property
    def effective_n(self) -> float:
        """Kish's effective number of respondents, (sum w)^2 / sum w^2; n without weights."""
        if self.weights is None:
            return float(self.n)
        return effective_size(float(self.weights.sum()), float((self.weights**2).sum()))

    @cached_property
    def mean(self) -> Floats:
        """The average PMF, shape (k,); NaN without respondents."""
        if not self.n:
            return np.full(np.shape(self.masses)[1], np.nan)
        average: Floats = np.average(self.masses, axis=0, weights=self.weights)
        return average

    def halves(self, splits: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Return average PMFs of random halves; with an odd number, the second half is larger by one.

        Args:
            splits: number of random splits. There must be at least two respondents.
            rng: random generator.

        Returns:
            Two arrays of shape (splits, k).
        """
        totals, counts = self._distinct
        if self._has_normal_totals:
            whole = self._totals.sum(axis=0)
            half = np.minimum(self._normal_half_totals(splits, rng), whole)
            return _shares(half), _shares(whole - half)
        if self._mostly_differ:
            totals, counts = self._totals, np.ones(self.n, dtype=np.int64)
        size = max(1, _BLOCK_CELLS // len(counts))
        first, second = [], []
        for start in range(0, splits, size):
            b = min(size, splits - start)
            drawn = (
                random_halves(self.n, b, rng)
                if self._mostly_differ
                else rng.multivariate_hypergeometric(counts, self.n // 2, size=b, method="marginals")
            )
            first.append(_shares(drawn @ totals))
            second.append(_shares((counts - drawn) @ totals))
        return np.concatenate(first), np.concatenate(second)

    @cached_property
    def _distinct(self) -> tuple[Floats, Integers]:
        """Weighted masses and weight (u, k + 1) of distinct answers, and how often each occurs."""
        distinct, counts = np.unique(self._totals, axis=0, return_counts=True)
        return distinct, counts.astype(np.int64)

    @cached_property
    def _totals(self) -> Floats:
        """Weighted masses and weight (n, k + 1) of all answers."""
        weights = np.ones(self.n) if self.weights is None else self.weights
        return np.column_stack([self.masses * weights[:, None], weights])

    @cached_property
    def _has_normal_totals(self) -> bool:
        """True if sums over drawn answers are close to normal: most differ, and each point has many."""
        if not self._mostly_differ:
            return False
        squares = (self._totals**2).sum(axis=0)
        used = squares > 0
        return bool((self._totals.sum(axis=0)[used] ** 2 / squares[used] >= _MANY).all())

    def _normal_half_totals(self, draws: int, rng: np.random.Generator) -> Floats:
        """Draw sums (draws, k + 1) of the totals of half of the answers."""
        n, m = self.n, self.n // 2
        # Drawn without replacement, the sum of m has (n - m) / (n - 1) of the variance.
        spread = np.cov(self._totals, rowvar=False, ddof=0) * m * (n - m) / (n - 1)
        drawn = rng.multivariate_normal(self._totals.mean(axis=0) * m, spread, size=draws, method="eigh")
        # A point without answers has rounding errors only, on both sides of 0.
        sums: Floats = np.maximum(drawn, 0)
        return sums

    @property
    def _mostly_differ(self) -> bool:
        """True if drawing single answers is faster than drawing counts of equal ones."""
        return 2 * len(self._distinct[1]) > self.n


def random_halves(n: int, splits: int, rng: np.random.Generator) -> Integers:
    """Mark a random half, shape (splits, n); the smaller one if n is odd."""
    keys = rng.random((splits, n))
    drawn = np.zeros((splits, n), dtype=np.int64)
    np.put_along_axis(drawn, np.argpartition(keys, n // 2, axis=1)[:, : n // 2], 1, axis=1)
    return drawn


def _shares(sums: Floats) -> Floats:
    averages: Floats = sums[:, :-1] / sums[:, -1:]
    return averages


def signed_distances(p: Floats, q: Floats, at_p: Floats, at_q: Floats, values: Floats) -> Floats:
    """Compute distances of resamples, with gaps signed as in the observed pair.

    KS is the gap of the cumulative shares at the point of the largest observed gap; Wasserstein-1 and total
    variation are sums of signed gaps. All three are linear in the PMFs, and equal the distances for the
    observed pair. The Jensen-Shannon divergence is smooth, and is not changed.

    Args:
        p: shape (r, k), resamples of the first side; NaN where missing.
        q: shape (r, k), resamples of the second side.
        at_p: shape (1, k), observed PMF of the first side.
        at_q: shape (1, k), observed PMF of the second side.
        values: shape (k,), values of the points, increasing.

    Returns:
        Shape (r, 4), in the order of ``DISTANCES``.

    Examples:
        >>> seen = np.array([[0.5, 0.5]]), np.array([[0.25, 0.75]])
        >>> turned = signed_distances(seen[1], seen[0], *seen, np.array([0.0, 1.0]))
        >>> turned[0, :3].tolist()
        [-0.25, -0.25, -0.25]
    """
    gaps, seen = np.subtract(p, q), np.subtract(at_p, at_q)[0]
    below, seen_below = np.cumsum(gaps, axis=-1)[..., :-1], np.cumsum(seen)[:-1]
    largest = int(np.abs(seen_below).argmax())
    steps = np.diff(values) / (values[-1] - values[0])
    distances = {
        "ks": below[..., largest] * _sign(seen_below[largest]),
        "wasserstein": below @ (_sign(seen_below) * steps),
        "total_variation": gaps @ _sign(seen) / 2,
        "jensen_shannon": jensen_shannon_divergence(p, q),
    }
    return np.stack([distances[name] for name in DISTANCES], axis=-1)


def noise_distances(p: Floats, q: Floats, at_p: Floats, at_q: Floats, values: Floats) -> Floats:
    """Compute distances by chance alone: of resamples, each minus the observed PMF of its side.

    Args:
        p: shape (r, k), resamples of the first side; NaN where missing.
        q: shape (r, k), resamples of the second side.
        at_p: shape (1, k), observed PMF of the first side.
        at_q: shape (1, k), observed PMF of the second side.
        values: shape (k,), values of the points, increasing.

    Returns:
        Shape (r, 4), in the order of ``DISTANCES``; NaN for the Jensen-Shannon divergence, which is not a
        norm of the gaps.
    """
    gaps, nothing = np.subtract(p, q) - np.subtract(at_p, at_q), np.zeros(len(values))
    distances = {
        "ks": ks_distance(gaps, nothing),
        "wasserstein": wasserstein_distance(gaps, nothing, values),
        "total_variation": total_variation(gaps, nothing),
    }
    unknown = np.full(len(gaps), np.nan)
    return np.stack([distances.get(name, unknown) for name in DISTANCES], axis=-1)


def kinked_estimate(
    value: float,
    resampled: Floats,
    linear: Floats,
    n: int,
    interval: float,
    *,
    least: float = 0.0,
    noise: Floats | None = None,
) -> Estimate:
    """Compute a t interval of a distance or a difference of distances from the spread of its linear part.

    A distance is an absolute value, so a gap that changes its sign in a resample still adds to it. Distances
    of resamples are therefore too large on average, and vary too little. The standard error s is that of the
    linear part, which keeps the signs. With b the bias of resamples, the ends are value - max(b, 0) - t s and
    value - min(b, 0) + t s: only the end on the side of the bias is moved, as the bias is an estimate. If
    chance alone gives a distance as large as the observed one in more than 1 - interval of resamples, the
    lower end is ``least``, as both sides may be equal.

    Args:
        value: the figure, up to 1.
        resampled: shape (r,), the figure in resamples; NaN is left out.
        linear: shape (r,), its linear part in the same resamples; NaN is left out.
        n: number of persons of the smaller side.
        interval: coverage.
        least: least possible figure.
        noise: shape (r,), distance by chance alone in the same resamples; NaN is left out. Without any, the
            lower end is that of the formula.

    Returns:
        The figure with its interval; no interval with fewer than two persons.

    References:
        Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapters 10 and 12; Fang and Santos
        (2019), Review of Economic Studies 86(1), 377-412, doi 10.1093/restud/rdy049, on kinks.
    """
    known, parts = resampled[~np.isnan(resampled)], linear[~np.isnan(linear)]
    if np.isnan(value):
        return Estimate()
    if n < 2 or min(len(known), len(parts)) < 2:
        return Estimate(value)
    bias = float(known.mean()) - value
    half = float(t_half_width(parts.std(ddof=1) * np.sqrt(n / (n - 1)), n - 1, interval))
    low, high = value - max(bias, 0.0) - half, value - min(bias, 0.0) + half
    chance = np.empty(0) if noise is None else noise[~np.isnan(noise)]
    if len(chance) and value <= np.quantile(chance, interval) * np.sqrt(n / (n - 1)):
        low = least
    return Estimate(value, float(np.clip(low, least, 1.0)), float(np.clip(high, least, 1.0)))


def shifted_estimate(value: float, resampled: Floats, interval: float) -> Estimate:
    """Compute an interval from percentiles of resamples (r,), shifted so that their mean is the figure.

    Distances of resamples are larger on average than the observed distance. The interval is for the mean
    distance of samples of this size, so only the spread of the resamples is used.

    Args:
        value: the figure, up to 1.
        resampled: the figure in resamples; NaN is left out.
        interval: coverage.
    """
    known = resampled[~np.isnan(resampled)]
    if np.isnan(value) or not len(known):
        return Estimate() if np.isnan(value) else Estimate(value)
    tail = (1 - interval) / 2
    ends = np.quantile(known, [tail, 1 - tail]) - known.mean() + value
    low, high = np.clip(ends, 0.0, 1.0)
    return Estimate(value, float(low), float(high))


def _sign(gaps: Floats) -> Floats:
    """Signs of gaps; a gap of 0 counts as positive."""
    return np.where(np.asarray(gaps) < 0, -1.0, 1.0)
