"""The ordinal readout: a text's place on the axis of the anchors, read by a cumulative probit model.

A text's *slope* is the least-squares slope of its cosines with a set's anchors over the points 1 to k; with
several sets, the mean of their slopes. Up to a factor it is the text's projection on the axis from the lower
to the upper anchors. The anchors have slopes, too. The straight line through them, over the points, turns the
slope of any text into its *position* y, counted in points::

    slope(x)       =  sum over r of (r - m) * cosine(x, anchor r) / sum of (r - m)^2,  with m = (k + 1) / 2
    y(x)           =  m + (slope(x) - a) / b,  with a + b * (r - m) the line through the anchors' slopes
    P(point <= r)  =  Phi((r + 1/2 - y) / (WIDTH * s)),  with s the standard deviation of 1 ... k

So thresholds lie halfway between the anchors' places on the line, evenly spaced whatever single anchors do,
and the mean of a rating never falls when the slope rises. Nothing is fitted to texts; ``WIDTH`` was chosen
once, by ``bench/readout.py``.

References:
    McCullagh (1980): Regression Models for Ordinal Data. Journal of the Royal Statistical Society B 42(2),
    109-142, equation 2.4 with the probit link. DOI 10.1111/j.2517-6161.1980.tb01109.x.
    An, Kwak, Ahn (2018): SemAxis. ACL 2018, 2450-2461. DOI 10.18653/v1/P18-1228.
    Kozlowski, Taddy, Evans (2019): The Geometry of Culture. American Sociological Review 84(5), 905-949.
    DOI 10.1177/0003122419877135.
"""

from dataclasses import dataclass
from numbers import Real
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from semscale.errors import InputError
from semscale.rating.readouts.array_checks import (
    Reals,
    as_floats,
    as_rows,
    as_values,
    check_settings,
    reject,
    unit_anchors,
)
from semscale.rating.readouts.cosines import best_of, cosines_of, sum_in_order
from semscale.rating.readouts.temperature import TIES, sharpened
from semscale.rating.readouts.vector_ratings import VectorRatings, row_blocks
from semscale.types import FEWEST_POINTS, MOST_POINTS, Floats

WIDTH = 0.45
"""Standard deviation of the normal distribution, in standard deviations of the points 1 ... k."""

_LEAST_RISE = 1e-6
"""Anchors have no direction if their slopes rise by less: then rounding of float32 cosines moves texts."""


@dataclass(frozen=True)
class AnchorLine:
    """The straight line through the slopes of anchors.

    Attributes:
        middle: slope at the middle of the scale, the ``a`` of the formula.
        rise: how much the slope rises from one point to the next, the ``b``; 0 or more by construction.
    """

    middle: float
    rise: float

    @classmethod
    def through(cls, units: Floats) -> Self:
        """Fit the line to all anchors of some sets by least squares.

        Args:
            units: shape (s, k, d), anchors of length 1.
        """
        contrast = _contrast(units.shape[1])
        axis = np.einsum("k,skd->d", contrast, units) / len(units)
        return cls(middle=float(units.mean(axis=(0, 1)) @ axis), rise=float(axis @ axis))

    def positions(self, slopes: Floats, k: int) -> Floats:
        """Positions of texts, in points from 1 to k and beyond; NaN where anchors have no direction."""
        if self.rise < _LEAST_RISE:
            return np.full_like(slopes, np.nan)
        return (k + 1) / 2 + (slopes - self.middle) / self.rise


def ordinal_pmf(positions: npt.ArrayLike, k: int, *, width: float = WIDTH) -> Floats:
    """Turn positions into masses of the points, by a normal distribution cut halfway between them.

    Args:
        positions: shape (...), in points: 1 is the first point's place, k the last one's; any number, and NaN
            for no position.
        k: number of points, 2 to 11.
        width: standard deviation of the normal distribution, in standard deviations of the points 1 ... k;
            above 0.

    Returns:
        Shape (..., k), not negative, the last axis sums to 1 within 1e-12; uniform where there is no
        position.

    Raises:
        InputError: infinite positions, k out of range, or a width that is not above 0.

    References:
        McCullagh (1980), equation 2.4 with the probit link and thresholds at half points.

    Example:
        >>> ordinal_pmf([2.0, 2.5], 3).round(3).tolist()
        [[0.087, 0.826, 0.087], [0.003, 0.497, 0.5]]
    """
    check_width(width)
    places = as_floats(positions, "positions").astype(np.float64)
    if not FEWEST_POINTS <= k <= MOST_POINTS:
        raise InputError(f"k must be {FEWEST_POINTS} to {MOST_POINTS} points, got {k}")
    reject(np.isinf(places.ravel()), "positions must be finite: not so in")
    masses = _masses(places.reshape(-1), k, width)
    return np.ascontiguousarray(masses.T).reshape(*places.shape, k)


def rate_vectors(  # noqa: PLR0913 - the same settings as those of the other readout, and the width
    vectors: npt.ArrayLike,
    anchors: npt.ArrayLike,
    *,
    values: npt.ArrayLike | None = None,
    epsilon: float = 0.0,
    temperature: float = 1.0,
    width: float = WIDTH,
) -> VectorRatings:
    """Rate vectors by their positions on the axis of all anchor sets.

    Runs in blocks of rows, as ``ssr.rate_vectors`` does: a row's rating is the same to the last bit alone, in
    any order and in any company. The temperature comes before epsilon, so that a higher position never has a
    lower mean, whatever both are.

    Args:
        vectors: shape (n, d), or (d,) for one; any lengths but 0. float32 is computed in float32 products.
        anchors: shape (s, k, d), or (k, d) for one set; any lengths but 0.
        values: shape (k,), the points' values for ``set_means``; 1 to k unless given.
        epsilon: at least 0; mass spread evenly over all points, beside the 1 that the rating has.
        temperature: as in ``semscale.rating.readouts.temperature.sharpen_pmf``.
        width: as in ``ordinal_pmf``.

    Returns:
        Ratings in the order of the vectors; uniform where the anchors have no direction, as equal ones.

    Raises:
        InputError: shapes that do not fit, rows (named) with NaN, infinity or length 0, or wrong settings.

    Example:
        >>> ratings = rate_vectors([[1.0, 1.0], [1.0, 3.0]], [[1.0, 0.0], [0.0, 1.0]])
        >>> ratings.pmf.round(3).tolist(), ratings.best_similarity.round(3).tolist()
        ([[0.5, 0.5], [0.08, 0.92]], [0.707, 0.949])
    """
    check_settings(epsilon=epsilon, temperature=temperature)
    check_width(width)
    rows = as_rows(vectors)
    units = unit_anchors(anchors, rows.shape[1])
    n_sets, k, _ = units.shape
    point_values = as_values(values, k)
    line, own_lines = AnchorLine.through(units), [AnchorLine.through(units[[one]]) for one in range(n_sets)]
    units = units.astype(rows.dtype)
    n = len(rows)
    result, unusable = VectorRatings.unfilled(n, k, n_sets), np.zeros(n, dtype=bool)
    for block in row_blocks(n):
        cosines, unusable[block] = cosines_of(rows[block], units)
        slopes = _slopes(cosines)
        pmf = _masses(line.positions(sum_in_order(slopes) / n_sets, k), k, width)
        pmf = sharpened(pmf, temperature, "safe", TIES[rows.dtype.name])
        result.pmf[block] = _mixed(pmf, epsilon).T
        alone = np.array([own.positions(slopes[place], k) for place, own in enumerate(own_lines)])
        result.set_means[block] = _means(alone, point_values, width, epsilon).T
        result.best_similarity[block] = best_of(cosines)
    reject(unusable, "vectors must be finite and not all 0: not so in")
    return result


def check_width(width: float) -> None:
    """Reject a width that no rating can be made with.

    Raises:
        InputError: not a finite number above 0.
    """
    if isinstance(width, bool) or not isinstance(width, Real) or not 0 < width < np.inf:
        raise InputError(f"width must be a number above 0, got {width!r}")


def _contrast(k: int) -> Floats:
    """Weights (k,) whose sum of products with k numbers is their least-squares slope over 1 ... k."""
    from_middle = np.arange(k) - (k - 1) / 2
    weights: Floats = from_middle / (from_middle @ from_middle)
    return weights


def _slopes(cosines: Reals) -> Floats:
    """Slope of each text's cosines (s, k, n) in each set, shape (s, n)."""
    weighted = cosines.astype(np.float64) * _contrast(cosines.shape[1])[:, None]
    return sum_in_order(weighted.swapaxes(0, 1))


def _from_thresholds(positions: Floats, k: int, width: float) -> Floats:
    """How far each threshold (k - 1 first) lies above a position, in standard deviations of the normal."""
    thresholds = (np.arange(1, k) + 0.5).reshape(-1, *[1] * positions.ndim)
    distances: Floats = (thresholds - positions) / (width * np.sqrt((k * k - 1) / 12))
    return distances


def _masses(positions: Floats, k: int, width: float) -> Floats:
    """Masses (k, n) between thresholds at half points; uniform where a position is NaN."""
    distances = _from_thresholds(positions, k, width)
    below = np.zeros((k + 1, len(positions)))
    above = np.zeros_like(below)
    below[1:-1], below[-1] = ndtr(distances), 1.0
    above[1:-1], above[0] = ndtr(-distances), 1.0
    # Of the two tails the smaller one is exact, where the other one is rounded to 1.
    masses = np.where(above[:-1] > below[1:], np.diff(below, axis=0), -np.diff(above, axis=0))
    return np.where(np.isnan(positions), 1 / k, np.maximum(masses, 0.0))


def _means(positions: Floats, values: Floats, width: float, epsilon: float) -> Floats:
    """Means (s, n) of the masses at such positions, epsilon among them; of equal masses where one is NaN."""
    distances = _from_thresholds(positions, len(values), width)
    steps = np.diff(values)[:, None, None]
    means = np.where(np.isnan(positions), values.mean(), values[0] + sum_in_order(ndtr(-distances) * steps))
    mixed: Floats = (means + epsilon * values.mean()) / (1 + epsilon)
    return mixed


def _mixed(pmf: Floats, epsilon: float) -> Floats:
    """Spread a mass of epsilon evenly over the points of PMFs (k, n), and normalise."""
    return pmf if epsilon == 0 else (pmf + epsilon / len(pmf)) / (1 + epsilon)
