"""How many people, drawn at random, would err as much as a panel does."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from semscale.stats.distances.samples import PmfSample
from semscale.stats.intervals.estimates import Estimate
from semscale.types import Floats

ErrorName = Literal["ks", "wasserstein", "mean"]
"""The largest gap of cumulative shares, Wasserstein-1, and the squared error of means over the width."""

Reach = Literal["seen", "fewer than 1", "more than can be seen", "unknown"]

_GAUSSIAN_DRAWS = 20_000


@dataclass(frozen=True)
class SampleWorth:
    """The size n of a simple random sample of people whose expected error equals that of the panel.

    Attributes:
        error: which error is meant.
        value: n; below 1 where the panel is worse than a single respondent; infinite where its error is
            below what halves of these people would show, so that more cannot be seen.
        low: from the upper end of the interval of the panel's error.
        high: from its lower end.
        seen: people whose answers stand for the truth, the mean over surveys of the effective number.
        reach: whether n is a number that these people show.
    """

    error: ErrorName
    value: float
    low: float
    high: float
    seen: float
    reach: Reach


def sample_worth(
    error: ErrorName, panel: Estimate, people: Sequence[PmfSample], values: Sequence[Floats], *, seed: int = 0
) -> SampleWorth:
    """Find the n whose expected error equals the panel's.

    People are a sample of N themselves, so a further sample of n differs from them by both errors. With the
    mean over surveys, the error of n people is c sqrt(1/n + 1/N): for KS c is the expected maximum of a
    Gaussian process with the covariance of the cumulative shares, for Wasserstein-1 it is sum sqrt(2/pi F (1
    - F)) step / width. The squared error of a mean is s^2 (1/n + 1/N) / width^2.

    Args:
        error: which error the panel's figure is.
        panel: mean over surveys of the panel's error, with its interval.
        people: answers of the people in each survey.
        values: of each survey's points.
        seed: of the draws for KS.
    """
    sizes = np.array([each.effective_n for each in people])
    scales = np.array(
        [error_scale(error, each.mean, points, seed) for each, points in zip(people, values, strict=True)]
    )
    power = 1.0 if error == "mean" else 0.5
    value, high, low = (_size(end, scales, sizes, power) for end in (panel.value, panel.low, panel.high))
    return SampleWorth(error, value, low, high, float(sizes.mean()), _reach(value))


def _reach(n: float) -> Reach:
    if np.isnan(n):
        return "unknown"
    if np.isinf(n):
        return "more than can be seen"
    return "seen" if n >= 1 else "fewer than 1"


def error_scale(error: ErrorName, pmf: Floats, values: Floats, seed: int = 0) -> float:
    """Expected error of one respondent in the limit of many: c, or s^2 / width^2 for ``mean``.

    Args:
        error: which error.
        pmf: shape (k,), of the people.
        values: shape (k,), of the points.
        seed: of the draws for KS.

    Example:
        >>> half = np.array([0.5, 0.5])
        >>> round(error_scale("wasserstein", half, np.array([0.0, 1.0])), 4)  # sqrt(2/pi) / 2
        0.3989
        >>> error_scale("mean", half, np.array([0.0, 1.0]))
        0.25
    """
    width = values[-1] - values[0]
    if error == "mean":
        return float((pmf @ values**2 - (pmf @ values) ** 2) / width**2)
    below = np.cumsum(pmf)[:-1]
    if error == "wasserstein":
        spread = np.sqrt(2 / np.pi * np.clip(below * (1 - below), 0, None))
        return float(spread @ np.diff(values) / width)
    covariance = np.minimum(below[:, None], below) - np.outer(below, below)
    factor = _root(covariance)
    normal = np.random.default_rng(seed).standard_normal((_GAUSSIAN_DRAWS, len(below)))
    return float(np.abs(normal @ factor.T).max(axis=1).mean())


def _root(covariance: Floats) -> Floats:
    """Give a matrix whose product with its transpose is the covariance, also where that is singular."""
    sizes, axes = np.linalg.eigh(covariance)
    root: Floats = axes * np.sqrt(np.clip(sizes, 0, None))
    return root


def _size(error: float, scales: Floats, sizes: Floats, power: float) -> float:
    """Solve mean(scale (1/n + 1/N)^power) = error for n; NaN for NaN, infinite below the error of the N."""
    if np.isnan(error):
        return float("nan")

    def expected(inverse: float) -> float:
        return float((scales * (inverse + 1 / sizes) ** power).mean())

    if error <= expected(0.0):
        return float("inf")
    low, high = 0.0, 1.0
    while expected(high) < error:
        high *= 2
        if high > 1e12 or not scales.any():  # noqa: PLR2004 - people who all answer alike err by nothing
            return 0.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if expected(middle) < error else (low, middle)
    return 1 / high
