"""Intervals of distances, whose resamples lie too high, and too near each other."""

import numpy as np
from scipy.special import stdtrit

from semscale.stats.distances.distances import (
    DISTANCES,
    jensen_shannon_divergence,
    ks_distance,
    total_variation,
    wasserstein_distance,
)
from semscale.stats.intervals.estimates import Estimate
from semscale.types import Floats

_FEWEST = 2
_UNKNOWN = Estimate(np.nan, np.nan, np.nan)


def signed_distances(p: Floats, q: Floats, at: tuple[Floats, Floats], values: Floats) -> Floats:
    """Compute distances of resamples with the signs of the gaps that were seen.

    KS is the gap of the cumulative shares at the point where it was largest, Wasserstein-1 and total
    variation are sums of signed gaps. These are linear in the PMFs, and equal the distances of the pair that
    was seen. The Jensen-Shannon divergence has no kink, and is taken as it is.

    Args:
        p: shape (r, k), resamples of the one side; NaN where there is none.
        q: shape (r, k), of the other.
        at: the pair that was seen, both of shape (k,).
        values: shape (k,), of the points, increasing.

    Returns:
        Shape (r, 4), in the order of ``DISTANCES``.

    Example:
        >>> seen = np.array([0.5, 0.5]), np.array([0.25, 0.75])
        >>> turned = signed_distances(seen[1][None], seen[0][None], seen, np.array([0.0, 1.0]))
        >>> turned[0, :3].tolist()
        [-0.25, -0.25, -0.25]
    """
    gaps, seen = np.subtract(p, q), np.subtract(*at)
    below, seen_below = np.cumsum(gaps, axis=-1)[..., :-1], np.cumsum(seen)[:-1]
    largest = int(np.abs(seen_below).argmax())
    steps = np.diff(values) / (values[-1] - values[0])
    found = {
        "ks": below[..., largest] * _sign(seen_below[largest]),
        "wasserstein": below @ (_sign(seen_below) * steps),
        "total_variation": gaps @ _sign(seen) / 2,
        "jensen_shannon": jensen_shannon_divergence(p, q),
    }
    return np.stack([found[name] for name in DISTANCES], axis=-1)


def noise_distances(p: Floats, q: Floats, at: tuple[Floats, Floats], values: Floats) -> Floats:
    """Compute distances that chance alone makes: those of resamples, each less what was seen on its side.

    Args:
        p: shape (r, k), resamples of the one side; NaN where there is none.
        q: shape (r, k), of the other.
        at: the pair that was seen, both of shape (k,).
        values: shape (k,), of the points, increasing.

    Returns:
        Shape (r, 4), in the order of ``DISTANCES``; NaN for the Jensen-Shannon divergence,
        which is no norm of the gaps.
    """
    gaps, nothing = np.subtract(p, q) - np.subtract(*at), np.zeros(len(values))
    found = {
        "ks": ks_distance(gaps, nothing),
        "wasserstein": wasserstein_distance(gaps, nothing, values),
        "total_variation": total_variation(gaps, nothing),
    }
    unknown = np.full(len(gaps), np.nan)
    return np.stack([found.get(name, unknown) for name in DISTANCES], axis=-1)


def kinked_estimate(  # noqa: PLR0913 - a figure, its resamples in three forms, and how to make the ends
    value: float,
    resampled: Floats,
    linear: Floats,
    n: int,
    interval: float,
    *,
    least: float = 0.0,
    noise: Floats | None = None,
) -> Estimate:
    """Put a t interval around a distance, or a difference of distances, by the spread of its linear part.

    Gaps that were drawn to the other side of 0 count as distances again. So resamples lie above what was
    seen, as that lies above the truth, and they lie too near each other. The standard error is that of the
    linear part, which does not fold. The end on the side of the bias is moved by it; the other one is not, as
    the bias of resamples is only an estimate. Ends: value - max(b, 0) - t s, value - min(b, 0) + t s. Where
    chance alone makes a distance as large as that which was seen in more than 1 - interval of resamples, the
    lower end is ``least``, as both sides may be alike.

    Args:
        value: the figure, up to 1.
        resampled: shape (r,), the same of resamples; NaN is left out.
        linear: shape (r,), its linear part in the same resamples, likewise.
        n: persons of the smaller side.
        interval: coverage.
        least: what the figure can be at least.
        noise: shape (r,), the distance that chance alone makes in the same resamples; NaN is left out, and
            without any the lower end is as above.

    Returns:
        The figure with its interval; without one for fewer than two persons.

    References:
        Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapters 10 and 12; Fang and Santos
        (2019), Review of Economic Studies 86(1), 377-412, doi 10.1093/restud/rdy049, on kinks.
    """
    known, parts = resampled[~np.isnan(resampled)], linear[~np.isnan(linear)]
    if np.isnan(value):
        return _UNKNOWN
    if n < _FEWEST or min(len(known), len(parts)) < _FEWEST:
        return Estimate(value, np.nan, np.nan)
    bias = float(known.mean()) - value
    t = float(stdtrit(n - 1, (1 + interval) / 2)) * np.sqrt(n / (n - 1))
    half = t * float(parts.std(ddof=1))
    low, high = value - max(bias, 0.0) - half, value - min(bias, 0.0) + half
    chance = np.empty(0) if noise is None else noise[~np.isnan(noise)]
    if len(chance) and value <= np.quantile(chance, interval) * np.sqrt(n / (n - 1)):
        low = least
    return Estimate(value, float(np.clip(low, least, 1.0)), float(np.clip(high, least, 1.0)))


def shifted_estimate(value: float, resampled: Floats, interval: float, *, least: float = 0.0) -> Estimate:
    """Put the percentiles of resamples (r,) around a figure, moved by the resamples' mean less the figure.

    Distances of resamples are larger on average than the distance that was seen. The interval is about the
    distance that samples of this size show on average, so only the spread of the resamples counts.

    Args:
        value: the figure, up to 1.
        resampled: the same of resamples; NaN is left out.
        interval: coverage.
        least: what the figure can be at least.
    """
    known = resampled[~np.isnan(resampled)]
    if np.isnan(value) or not len(known):
        return _UNKNOWN if np.isnan(value) else Estimate(value, np.nan, np.nan)
    tail = (1 - interval) / 2
    ends = np.quantile(known, [tail, 1 - tail]) - known.mean() + value
    low, high = np.clip(ends, least, 1.0)
    return Estimate(value, float(low), float(high))


def _sign(gaps: Floats) -> Floats:
    """Signs of gaps; no gap counts as one above 0, as it has to have some direction."""
    return np.where(np.asarray(gaps) < 0, -1.0, 1.0)
