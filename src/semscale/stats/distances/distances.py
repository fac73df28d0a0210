"""Distances between probability mass functions over ordered points, of many pairs at once."""

from collections.abc import Callable, Mapping
from typing import Literal, get_args

import numpy as np
from scipy.special import rel_entr

from semscale.errors import InputError
from semscale.types import Floats

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
        Shape (...), 0 (alike) to 1 (all mass at opposite ends).

    References:
        Smirnov (1948), Annals of Mathematical Statistics 19(2), 279-281, doi 10.1214/aoms/1177730256.

    Example:
        >>> float(ks_distance(np.array([0.5, 0.5, 0.0]), np.array([0.0, 0.5, 0.5])))
        0.5
    """
    return np.asarray(np.abs(np.cumsum(np.subtract(p, q), axis=-1)).max(axis=-1))


def wasserstein_distance(p: Floats, q: Floats, values: Floats) -> Floats:
    """Wasserstein-1 distance over the scale's width: sum |F_p - F_q| times the steps, over last less first.

    It is the least mass times way by which one distribution becomes the other.

    Args:
        p: shape (..., k), sums to 1 along the last axis.
        q: the same; leading axes are broadcast.
        values: shape (k,), of the points, increasing.

    Returns:
        Shape (...), 0 (alike) to 1 (all mass at opposite ends).

    References:
        Vallender (1974), Theory of Probability and Its Applications 18(4), 784-786, doi 10.1137/1118101.

    Example:
        >>> float(wasserstein_distance(np.array([1.0, 0, 0]), np.array([0, 1.0, 0]), np.arange(1.0, 4.0)))
        0.5
    """
    gaps = np.abs(np.cumsum(np.subtract(p, q), axis=-1))[..., :-1]
    return np.asarray(gaps @ np.diff(values) / (values[-1] - values[0]))


def total_variation(p: Floats, q: Floats) -> Floats:
    """Total variation: half the sum of |p - q|, the share that would have to change its point.

    Args:
        p: shape (..., k), sums to 1 along the last axis.
        q: the same; leading axes are broadcast.

    Returns:
        Shape (...), 0 (alike) to 1 (no point in common).

    Example:
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
        Shape (...), 0 (alike) to 1 (no point in common).

    References:
        Lin (1991), IEEE Transactions on Information Theory 37(1), 145-151, doi 10.1109/18.61115.

    Example:
        >>> float(jensen_shannon_divergence(np.array([1.0, 0.0]), np.array([0.0, 1.0])))
        1.0
    """
    middle = np.add(p, q) / 2
    nats = (rel_entr(p, middle) + rel_entr(q, middle)).sum(axis=-1) / 2
    return np.asarray(np.clip(nats / np.log(2), 0.0, 1.0), dtype=np.float64)


def distances(p: Floats, q: Floats, values: Floats) -> Floats:
    """Compute all distances of pairs of PMFs, in the order of ``DISTANCES``.

    Args:
        p: shape (..., k), sums to 1 along the last axis; NaN where there is none.
        q: the same; leading axes are broadcast.
        values: shape (k,), of the points, increasing.

    Returns:
        Shape (..., 4), each 0 to 1; NaN where a PMF is missing.

    Raises:
        InputError: other shapes, masses that are negative or do not sum to 1, or values that do not increase.

    Example:
        >>> distances(np.array([1.0, 0.0]), np.array([0.0, 1.0]), np.array([0.0, 1.0])).tolist()
        [1.0, 1.0, 1.0, 1.0]
    """
    taken = np.asarray(values, dtype=np.float64)
    check_values(taken)
    for name, masses in (("p", p), ("q", q)):
        check_masses(name, masses, len(taken))
    return all_distances(np.asarray(p), np.asarray(q), taken)


def all_distances(p: Floats, q: Floats, values: Floats) -> Floats:
    """Compute what ``distances`` does, of PMFs that were checked."""
    functions: Mapping[DistanceName, Callable[[], Floats]] = {
        "ks": lambda: ks_distance(p, q),
        "wasserstein": lambda: wasserstein_distance(p, q, values),
        "total_variation": lambda: total_variation(p, q),
        "jensen_shannon": lambda: jensen_shannon_divergence(p, q),
    }
    return np.stack([functions[name]() for name in DISTANCES], axis=-1)


def check_values(values: Floats) -> None:
    """Refuse values of points that are not at least two increasing numbers.

    Raises:
        InputError: they are not.
    """
    if values.ndim != 1 or len(values) < 2 or not (np.diff(values) > 0).all():  # noqa: PLR2004
        raise InputError(f"values must be two numbers or more, each above the one before, got {values}")


def check_masses(name: str, masses: Floats, k: int) -> None:
    """Refuse what is no PMF over k points; one that is wholly NaN is missing, and passes.

    Raises:
        InputError: another length, a negative mass, or masses that do not sum to 1.
    """
    if np.ndim(masses) < 1 or np.shape(masses)[-1] != k:
        raise InputError(f"{name} must have {k} masses in its last axis, got shape {np.shape(masses)}")
    missing = np.isnan(masses).all(axis=-1)
    sums = np.where(missing, 1.0, np.sum(masses, axis=-1))
    is_low = bool((np.asarray(masses)[~missing] < 0).any())
    if is_low or not (np.abs(sums - 1) <= _ROUNDING * k).all():
        raise InputError(f"{name} must have masses >= 0 that sum to 1")
