"""Readouts: probability masses (PMFs) over a scale's points from cosines with anchors.

``ssr``, semantic similarity rating. For one text and one anchor set with ``k`` points, where
``g = (1 + cosine) / 2``::

    p(r)  is proportional to  g(r) - min(g) + epsilon * d(r)

Masses are averaged over anchor sets, then sharpened: ``p(r) ** (1 / T)``, normalised again. The semantics
differ only in the definition of ``d`` and in the value where the formula is undefined:

- ``d(r)`` is 1 / k for ``safe``; for ``paper`` and ``guide`` it is 1 for the least similar point, else 0.
- If all similarities are equal, ``safe`` and ``guide`` give a uniform rating. ``paper`` fails if epsilon is
  0, and puts all mass on the first point otherwise.
- If T = 0 and several points share the largest mass, ``paper`` divides all mass among them. The others do not
  change the rating.

``ordinal``, a cumulative probit model of the text's position on the axis of the anchors. A text's *slope* is
the least-squares slope of its cosines with a set's anchors over the points 1 to k; with several sets, the
mean of their slopes. Up to a factor it is the text's projection on the axis from the lower to the upper
anchors. The anchors have slopes, too. The straight line through them, over the points, turns the slope of any
text into its *position* y, counted in points::

    slope(x)       =  sum over r of (r - m) * cosine(x, anchor r) / sum of (r - m)^2,  with m = (k + 1) / 2
    y(x)           =  m + (slope(x) - a) / b,  with a + b * (r - m) the line through the anchors' slopes
    P(point <= r)  =  Phi((r + 1/2 - y) / (WIDTH * s)),  with s the standard deviation of 1 ... k

So thresholds are halfway between the anchors' positions on the line, and evenly spaced, and the mean of a
rating never falls when the slope rises. Nothing is fitted to texts; ``WIDTH`` is chosen by
``bench/readout.py``.

``combined``, the mean of the ordinal masses and of a centred softmax. Some anchors are near every text. The
softmax therefore subtracts from each cosine the mean cosine of its anchor with all anchors of the scale::

    p(r)  is proportional to  exp((cosine(x, anchor r) - mean cosine(any anchor, anchor r)) / SHARPNESS)

Masses are averaged over anchor sets. A text's rating does not depend on other texts.

All cosines are identical to the last bit, regardless of other texts in the batch. The order of summation in a
matrix product depends on its shape, the processor and the position of the row. Each text is therefore
multiplied separately, in a product that always has the same shape.

References:
    Maier, Aslak, Fiaschi, Pappas, Wiecki (2025): LLMs Reproduce Human Purchase Intent via Semantic Similarity
    Elicitation of Likert Ratings. arXiv 2510.08338.
    McCullagh (1980): Regression Models for Ordinal Data. Journal of the Royal Statistical Society B 42(2),
    109-142, equation 2.4 with the probit link. DOI 10.1111/j.2517-6161.1980.tb01109.x.
    An, Kwak, Ahn (2018): SemAxis. ACL 2018, 2450-2461. DOI 10.18653/v1/P18-1228.
    Kozlowski, Taddy, Evans (2019): The Geometry of Culture. American Sociological Review 84(5), 905-949.
    DOI 10.1177/0003122419877135.
    Lample, Conneau, Ranzato, Denoyer, Jegou (2018): Word Translation Without Parallel Data. ICLR 2018,
    section 2.3, on mean similarities that correct for vectors near all others. arXiv 1710.04087.
    Radford et al. (2021): Learning Transferable Visual Models From Natural Language Supervision. ICML 2021,
    on the softmax of cosines. arXiv 2103.00020.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.rating.settings import Readout, Semantics, check_epsilon, check_semantics, check_temperature
from semscale.results.weights import reject_after
from semscale.types import FEWEST_POINTS, MOST_POINTS, Floats, Mask

Reals = npt.NDArray[np.floating[Any]]

WIDTH = 0.45
"""Standard deviation of the normal distribution, in standard deviations of the points 1 ... k."""

SHARPNESS = 0.02
"""Difference of two cosines by which masses of the softmax differ by the factor e."""

_LEAST_RISE = 1e-6
"""Anchors have no direction if their slopes rise by less: then rounding of float32 cosines moves texts."""

TIES = {"float32": 1e-6, "float64": 1e-12}
"""Masses closer than this are equal, by the type of the vectors, because of rounding."""

_EQUAL_ULPS = 8
"""Tolerance for cosines of equal anchors, because BLAS sums columns in different orders."""

_UNDEFINED = (
    "semantics 'paper' divides 0 by 0 where all similarities are equal: use 'safe' (uniform), or drop"
)

_SAFE_SQUARES = (1e-30, 1e30)  # of lengths; outside, float32 squares may have under- or overflowed

_BLOCK_ROWS = 4096  # 30 float64 similarities per row: a block's intermediates fit into a core's cache

_MODE_TIE = 1e-6  # float32 products leave equal masses this far apart


@dataclass(frozen=True)
class VectorRatings:
    """Ratings of vectors, row by row.

    Attributes:
        pmf: shape (n, k), rows sum to 1 within 1e-12.
        set_means: shape (n, s), the mean under each anchor set alone, before the temperature, in the scale's
            values.
        best_similarity: shape (n,), cosine with the most similar of all anchors, -1 to 1.
    """

    pmf: Floats
    set_means: Floats
    best_similarity: Floats


def ssr_ratings(
    vectors: npt.ArrayLike,
    anchors: npt.ArrayLike,
    *,
    values: npt.ArrayLike | None = None,
    epsilon: float = 0.0,
    temperature: float = 1.0,
    semantics: Semantics = "safe",
) -> VectorRatings:
    """Rate vectors against all anchor sets: cosines, masses per set, their average, then the temperature.

    It runs in blocks of rows that fit a processor's cache, and needs little more memory than its result. A
    row's rating is the same to the last bit regardless of order and batch.

    Args:
        vectors: shape (n, d), or (d,) for one, of length 1e-15 to 1e15. float32 is computed in float32
            products.
        anchors: shape (s, k, d), or (k, d) for one set; any lengths but 0.
        values: shape (k,), the points' values for ``set_means``; 1 to k by default.
        epsilon: as in ``similarity_pmf``.
        temperature: as in ``sharpen_pmf``.
        semantics: as in ``similarity_pmf`` and ``sharpen_pmf``.

    Returns:
        Ratings in the order of the vectors.

    Raises:
        InputError: shapes that do not fit, rows (named) with NaN or a length outside 1e-15 to 1e15, wrong
            settings, or rows for which ``paper`` has no value.

    Examples:
        >>> ratings = ssr_ratings([[3.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]])
        >>> ratings.pmf.tolist(), ratings.best_similarity.round(3).tolist()
        ([[0.0, 1.0]], [0.8])
    """
    check_epsilon(epsilon)
    check_temperature(temperature)
    check_semantics(semantics)

    def prepare(_units: Floats, point_values: Floats) -> _BlockReadout:
        def read(cosines: Reals) -> tuple[Floats, Floats, Mask]:
            masses, totals = _ssr_masses(cosines, epsilon, semantics)
            masses /= np.where(totals == 0, 1.0, totals)[:, None, :]
            pmf = sum_in_order(masses)
            total = sum_in_order(pmf)
            pmf /= np.where(total == 0, 1.0, total)
            means = sum_in_order((masses * point_values[:, None]).swapaxes(0, 1))
            pmf = sharpen_masses(pmf, temperature, semantics, TIES[cosines.dtype.name])
            return pmf, means, (totals == 0).any(axis=0)

        return read

    return _rate_in_blocks(vectors, anchors, values, prepare)


_BlockReadout = Callable[[Reals], tuple[Floats, Floats, Mask]]
"""From cosines (s, k, n) to masses (k, n), the means under each set (s, n), and rows without a value (n,)."""


def _rate_in_blocks(
    vectors: npt.ArrayLike,
    anchors: npt.ArrayLike,
    values: npt.ArrayLike | None,
    prepared: Callable[[Floats, Floats], _BlockReadout],
) -> VectorRatings:
    """Rate vectors block by block.

    Args:
        vectors: shape (n, d), or (d,) for one.
        anchors: shape (s, k, d), or (k, d) for one set.
        values: shape (k,), 1 to k by default.
        prepared: returns the readout of a block for anchors of length 1, shape (s, k, d), and values (k,).
    """
    rows = as_rows(vectors)
    units = unit_anchors(anchors, rows.shape[1])
    n, (n_sets, k, _) = len(rows), units.shape
    read = prepared(units, as_values(values, k))
    units = units.astype(rows.dtype)
    result = VectorRatings(np.empty((n, k)), np.empty((n, n_sets)), np.empty(n))
    unusable, undefined = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    for block in row_blocks(n):
        cosines, unusable[block] = cosines_of(rows[block], units)
        pmf, means, undefined[block] = read(cosines)
        result.pmf[block], result.set_means[block] = pmf.T, means.T
        result.best_similarity[block] = best_of(cosines)
    reject(unusable, "`vectors` must be finite, with a length from 1e-15 to 1e15: invalid in")
    reject(undefined, _UNDEFINED)
    return result


def similarity_pmf(
    similarities: npt.ArrayLike, *, epsilon: float = 0.0, semantics: Semantics = "safe"
) -> Floats:
    """Convert cosines with one anchor set to masses: each minus the smallest, divided by the sum.

    Args:
        similarities: shape (..., k), cosines in [-1, 1], with k from 2 to 11.
        epsilon: at least 0, in units of ``g = (1 + cosine) / 2``. ``safe`` spreads it evenly over all points;
            ``paper`` and ``guide`` give it to the least similar point (the first of several).
        semantics: ``safe`` and ``guide`` make all-equal cosines uniform; for ``paper`` they are an error if
            epsilon is 0 (0/0 in the equation), and all mass on the first point otherwise (the literal
            equation).

    Returns:
        Shape (..., k), float64, not negative, the last axis sums to 1 within 1e-12.

    Raises:
        InputError: a wrong shape, a cosine that is not finite or outside [-1, 1], a negative epsilon, or 0/0.

    References:
        arXiv 2510.08338, equation for p(r) with its offset epsilon.

    Examples:
        >>> similarity_pmf([0.2, 0.4, 0.6]).round(3).tolist()
        [0.0, 0.333, 0.667]
    """
    check_epsilon(epsilon)
    check_semantics(semantics)
    cosines = as_floats(similarities, "similarities")
    if cosines.ndim == 0 or not FEWEST_POINTS <= cosines.shape[-1] <= MOST_POINTS:
        raise InputError(
            "similarities",
            f"must have {FEWEST_POINTS} to {MOST_POINTS} points on their last axis, "
            f"got shape {cosines.shape}",
        )
    by_point = cosines.reshape(-1, cosines.shape[-1]).T
    outside = ~(np.abs(by_point) <= 1 + 1e-6)
    reject(outside.any(axis=0), "similarities must be cosines in [-1, 1]: invalid in")
    masses, totals = _ssr_masses(by_point, epsilon, semantics)
    reject(totals == 0, _UNDEFINED)
    return np.ascontiguousarray((masses / totals).T).reshape(cosines.shape)


def _ssr_masses(cosines: Reals, epsilon: float, semantics: Semantics) -> tuple[Floats, Floats]:
    """Unnormalised masses (..., k, n) and totals (..., n), in units of the cosine; a total of 0 means 0/0."""
    k = cosines.shape[-2]
    masses = cosines.astype(np.float64)
    masses -= masses.min(axis=-2, keepdims=True)
    equal = masses.max(axis=-2) <= _EQUAL_ULPS * np.finfo(cosines.dtype).eps
    if equal.any():
        masses *= ~equal[..., None, :]
    # The halves in g = (1 + cosine) / 2 cancel, except that epsilon, given in units of g, counts double for
    # cosines.
    if semantics == "safe":
        masses += 2 * epsilon / k
    elif epsilon > 0:
        least = masses.argmin(axis=-2)[..., None, :]
        np.put_along_axis(masses, least, 2 * epsilon, axis=-2)
    if semantics != "paper" and equal.any():
        masses = np.where(equal[..., None, :], 1.0, masses)
    return masses, sum_in_order(np.moveaxis(masses, -2, 0))


def sharpen_pmf(pmf: npt.ArrayLike, *, temperature: float = 1.0, semantics: Semantics = "safe") -> Floats:
    """Raise masses to the power 1/T and normalise again; T below 1 sharpens, above 1 flattens.

    Computed on logarithms relative to the largest mass, so any small T is stable. A mass of 0 stays 0 at
    every T.

    Args:
        pmf: shape (..., k), not negative, each with a positive sum.
        temperature: T, at least 0. Infinity makes all masses above 0 equal.
        semantics: result of T = 0 if several points share the largest mass (within 1e-12, or 1e-6 for
            float32). ``safe`` and ``guide`` do not change the PMF; ``paper`` shares the mass evenly among
            them, the limit of the equation. Without a tie, the point with the largest mass gets all mass.

    Returns:
        Shape (..., k), float64, the last axis sums to 1 within 1e-12.

    Raises:
        InputError: a negative or NaN temperature, or masses that are negative, not finite or all 0.

    Examples:
        >>> sharpen_pmf([0.2, 0.8], temperature=0.5).round(4).tolist()
        [0.0588, 0.9412]
        >>> sharpen_pmf([0.4, 0.4, 0.2], temperature=0.0).tolist()
        [0.4, 0.4, 0.2]
    """
    check_temperature(temperature)
    check_semantics(semantics)
    numbers = as_floats(pmf, "pmf")
    masses = numbers.astype(np.float64)
    if masses.ndim == 0 or masses.shape[-1] == 0:
        raise InputError("pmf", f"must have points on its last axis, got shape {masses.shape}")
    by_point = masses.reshape(-1, masses.shape[-1]).T
    totals = sum_in_order(by_point)
    usable = (by_point >= 0).all(axis=0) & np.isfinite(by_point).all(axis=0) & (totals > 0)
    reject(~usable, "`pmf` must be masses >= 0 with a positive sum: invalid in")
    sharp = sharpen_masses(by_point / totals, temperature, semantics, TIES[numbers.dtype.name])
    return np.ascontiguousarray(sharp.T).reshape(masses.shape)


def sharpen_masses(pmf: Floats, temperature: float, semantics: Semantics, tie: float) -> Floats:
    """Apply the temperature to columns of masses, as ``sharpen_pmf`` does, without checks.

    Args:
        pmf: shape (k, n), columns sum to 1.
        temperature: at least 0.
        semantics: as in ``sharpen_pmf``.
        tie: masses less than this apart are equal.

    Returns:
        Shape (k, n).
    """
    if temperature == 1:
        return pmf
    largest = pmf.max(axis=0)
    if temperature == 0:
        is_largest = pmf >= largest - tie
        n_largest = is_largest.sum(axis=0)
        shared = is_largest / n_largest
        return shared if semantics == "paper" else np.where(n_largest > 1, pmf, shared)
    with np.errstate(divide="ignore", over="ignore"):
        logs = np.log(pmf / np.where(largest == 0, 1.0, largest))
        powers = np.where(pmf > 0, np.exp(np.where(pmf > 0, logs, 0.0) / temperature), 0.0)
    total = sum_in_order(powers)
    return powers / np.where(total == 0, 1.0, total)


def ordinal_ratings(
    vectors: npt.ArrayLike,
    anchors: npt.ArrayLike,
    *,
    values: npt.ArrayLike | None = None,
    epsilon: float = 0.0,
    temperature: float = 1.0,
    width: float = WIDTH,
) -> VectorRatings:
    """Rate vectors by their positions on the axis of all anchor sets.

    A row's rating is the same to the last bit regardless of order and batch. The temperature is applied
    before epsilon, so that a higher position never has a lower mean.

    Args:
        vectors: shape (n, d), or (d,) for one, of length 1e-15 to 1e15. float32 is computed in float32
            products.
        anchors: shape (s, k, d), or (k, d) for one set; any lengths but 0.
        values: shape (k,), the points' values for ``set_means``; 1 to k by default.
        epsilon: at least 0; mass spread evenly over all points, in addition to the rating's mass of 1.
        temperature: as in ``sharpen_pmf``.
        width: as in ``ordinal_masses``.

    Returns:
        Ratings in the order of the vectors; uniform if the anchors have no direction, for example if all are
        equal.

    Raises:
        InputError: shapes that do not fit, rows (named) with NaN or a length outside 1e-15 to 1e15, or wrong
            settings.

    Examples:
        >>> ratings = ordinal_ratings([[1.0, 1.0], [1.0, 3.0]], [[1.0, 0.0], [0.0, 1.0]])
        >>> ratings.pmf.round(3).tolist(), ratings.best_similarity.round(3).tolist()
        ([[0.5, 0.5], [0.08, 0.92]], [0.707, 0.949])
    """
    check_epsilon(epsilon)
    check_temperature(temperature)

    def prepare(units: Floats, point_values: Floats) -> _BlockReadout:
        positions_of = _position_readout(units)
        k = units.shape[1]

        def read(cosines: Reals) -> tuple[Floats, Floats, Mask]:
            position, set_positions = positions_of(cosines)
            pmf = ordinal_masses(position, k, width=width)
            pmf = _spread(pmf, temperature, epsilon, TIES[cosines.dtype.name])
            means = _with_epsilon(_means(set_positions, point_values, width), epsilon, point_values.mean())
            return pmf, means, np.zeros(cosines.shape[2], np.bool_)

        return read

    return _rate_in_blocks(vectors, anchors, values, prepare)


def combined_ratings(
    vectors: npt.ArrayLike,
    anchors: npt.ArrayLike,
    *,
    values: npt.ArrayLike | None = None,
    epsilon: float = 0.0,
    temperature: float = 1.0,
) -> VectorRatings:
    """Rate vectors by the mean of the ordinal masses and of a softmax of centred cosines.

    A row's rating is the same to the last bit regardless of order and batch.

    Args:
        vectors: shape (n, d), or (d,) for one, of length 1e-15 to 1e15. float32 is computed in float32
            products.
        anchors: shape (s, k, d), or (k, d) for one set; any lengths but 0.
        values: shape (k,), the points' values for ``set_means``; 1 to k by default.
        epsilon: as in ``ordinal_ratings``.
        temperature: as in ``sharpen_pmf``.

    Returns:
        Ratings in the order of the vectors; uniform if all anchors are equal.

    Raises:
        InputError: shapes that do not fit, rows (named) with NaN or a length outside 1e-15 to 1e15, or wrong
            settings.

    Examples:
        Cosines .6 and .8 with two anchors whose centres are equal: the softmax has exp(-10) on the first one.

        >>> ratings = combined_ratings([[3.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]])
        >>> ratings.pmf.round(3).tolist()
        [[0.164, 0.836]]
    """
    check_epsilon(epsilon)
    check_temperature(temperature)

    def prepare(units: Floats, point_values: Floats) -> _BlockReadout:
        positions_of = _position_readout(units)
        n_sets, k, _ = units.shape
        centres = units @ units.mean(axis=(0, 1))

        def read(cosines: Reals) -> tuple[Floats, Floats, Mask]:
            position, set_positions = positions_of(cosines)
            softmax = _softmax(cosines, centres)
            pmf = (ordinal_masses(position, k) + sum_in_order(softmax) / n_sets) / 2
            pmf = _spread(pmf, temperature, epsilon, TIES[cosines.dtype.name])
            softmax_means = sum_in_order((softmax * point_values[:, None]).swapaxes(0, 1))
            means = (_means(set_positions, point_values, WIDTH) + softmax_means) / 2
            means = _with_epsilon(means, epsilon, point_values.mean())
            return pmf, means, np.zeros(cosines.shape[2], np.bool_)

        return read

    return _rate_in_blocks(vectors, anchors, values, prepare)


def _softmax(cosines: Reals, centres: Floats) -> Floats:
    """Masses (s, k, n) of each set from cosines (s, k, n) and the anchors' mean cosines (s, k)."""
    logits = (cosines.astype(np.float64) - centres[:, :, None]) / SHARPNESS
    masses: Floats = np.exp(logits - logits.max(axis=1, keepdims=True))
    masses /= sum_in_order(masses.swapaxes(0, 1))[:, None, :]
    return masses


def _spread(pmf: Floats, temperature: float, epsilon: float, tie: float) -> Floats:
    """Apply the temperature to masses (k, n), then spread a mass of epsilon over all points."""
    pmf = sharpen_masses(pmf, temperature, "safe", tie)
    return pmf if epsilon == 0 else (pmf + epsilon / len(pmf)) / (1 + epsilon)


def _with_epsilon(means: Floats, epsilon: float, middle: float) -> Floats:
    """Return means after a mass of epsilon with the mean ``middle`` was added to the mass of 1."""
    mixed: Floats = (means + epsilon * middle) / (1 + epsilon)
    return mixed


READOUTS: dict[Readout, Callable[..., VectorRatings]] = {
    "ssr": ssr_ratings,
    "ordinal": ordinal_ratings,
    "combined": combined_ratings,
}
"""From vectors and anchors to ratings, by name; all take ``values``, ``epsilon`` and ``temperature``."""


def ordinal_masses(positions: Floats, k: int, *, width: float = WIDTH) -> Floats:
    """Convert positions to masses of the points, by a normal distribution cut halfway between points.

    Args:
        positions: shape (n,), in points: 1 at the first point, k at the last; NaN for no position.
        k: number of points.
        width: standard deviation of the normal distribution, in standard deviations of the points 1 ... k;
            above 0.

    Returns:
        Shape (k, n), not negative, columns sum to 1 within 1e-12; uniform for NaN.

    References:
        McCullagh (1980), equation 2.4 with the probit link and thresholds at half points.

    Examples:
        >>> ordinal_masses(np.array([2.0, 2.5]), 3).T.round(3).tolist()
        [[0.087, 0.826, 0.087], [0.003, 0.497, 0.5]]
    """
    from scipy.special import ndtr  # slow to import, and SSR does without

    distances = _from_thresholds(positions, k, width)
    below = np.zeros((k + 1, len(positions)))
    above = np.zeros_like(below)
    below[1:-1], below[-1] = ndtr(distances), 1.0
    above[1:-1], above[0] = ndtr(-distances), 1.0
    # The smaller of the two tails is exact if the larger is rounded to 1.
    masses = np.where(above[:-1] > below[1:], np.diff(below, axis=0), -np.diff(above, axis=0))
    return np.where(np.isnan(positions), 1 / k, np.maximum(masses, 0.0))


def anchor_line(units: Floats) -> tuple[float, float]:
    """Fit the straight line through the slopes of all anchors of some sets by least squares.

    Args:
        units: shape (s, k, d), anchors of length 1.

    Returns:
        The slope at the middle of the scale, ``a`` of the formula, and its increase from one point to the
        next, ``b``, which is never negative.
    """
    contrast = _contrast(units.shape[1])
    axis = np.einsum("k,skd->d", contrast, units) / len(units)
    return float(units.mean(axis=(0, 1)) @ axis), float(axis @ axis)


def _position_readout(units: Floats) -> Callable[[Reals], tuple[Floats, Floats]]:
    """Return the function from cosines (s, k, n) to positions under all sets (n,) and each set (s, n)."""
    n_sets, k, _ = units.shape
    line, set_lines = anchor_line(units), [anchor_line(units[[row]]) for row in range(n_sets)]

    def positions(cosines: Reals) -> tuple[Floats, Floats]:
        slopes = _slopes(cosines)
        by_set = np.array([_positions(slopes[row], set_lines[row], k) for row in range(n_sets)])
        return _positions(sum_in_order(slopes) / n_sets, line, k), by_set

    return positions


def _positions(slopes: Floats, line: tuple[float, float], k: int) -> Floats:
    """Positions of texts, in points, from below 1 to above k; NaN if anchors have no direction."""
    middle, rise = line
    if rise < _LEAST_RISE:
        return np.full_like(slopes, np.nan)
    return (k + 1) / 2 + (slopes - middle) / rise


def _contrast(k: int) -> Floats:
    """Weights (k,) whose product with k numbers is their least-squares slope over 1 ... k."""
    from_middle = np.arange(k) - (k - 1) / 2
    weights: Floats = from_middle / (from_middle @ from_middle)
    return weights


def _slopes(cosines: Reals) -> Floats:
    """Slope of each text's cosines (s, k, n) in each set, shape (s, n)."""
    weighted = cosines.astype(np.float64) * _contrast(cosines.shape[1])[:, None]
    return sum_in_order(weighted.swapaxes(0, 1))


def _from_thresholds(positions: Floats, k: int, width: float) -> Floats:
    """Compute the differences of k - 1 thresholds (first axis) and positions, in standard deviations."""
    thresholds = (np.arange(1, k) + 0.5).reshape(-1, *[1] * positions.ndim)
    distances: Floats = (thresholds - positions) / (width * np.sqrt((k * k - 1) / 12))
    return distances


def _means(positions: Floats, values: Floats, width: float) -> Floats:
    """Means (s, n) of the masses at positions; those of equal masses for NaN."""
    from scipy.special import ndtr

    distances = _from_thresholds(positions, len(values), width)
    steps = np.diff(values)[:, None, None]
    rising = values[0] + sum_in_order(ndtr(-distances) * steps)
    means: Floats = np.where(np.isnan(positions), values.mean(), rising)
    return means


def best_similarities(vectors: npt.ArrayLike, anchors: npt.ArrayLike) -> Floats:
    """Compute the cosine of vectors with the most similar of all anchors, without rating them.

    Args:
        vectors: shape (n, d), finite, of length 1e-15 to 1e15.
        anchors: shape (s, k, d), or (k, d) for one set; any lengths but 0.

    Returns:
        Shape (n,), -1 to 1, equal to those of the readouts to the last bit.

    Examples:
        >>> best_similarities([[3.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]]).round(3).tolist()
        [0.8]
    """
    rows = as_rows(vectors)
    units = unit_anchors(anchors, rows.shape[1]).astype(rows.dtype)
    best = np.empty(len(rows))
    for block in row_blocks(len(rows)):
        best[block] = best_of(cosines_of(rows[block], units)[0])
    return best


def mean_best_similarities(vectors: npt.ArrayLike, anchors: npt.ArrayLike) -> Floats:
    """Compute the cosine of vectors with the most similar anchor of each set, mean over the sets.

    Args:
        vectors: shape (n, d), finite, of length 1e-15 to 1e15.
        anchors: shape (s, k, d), or (k, d) for one set; any lengths but 0.

    Returns:
        Shape (n,), -1 to 1; the same to the last bit regardless of order and batch.

    Examples:
        Cosines .6 and .8 with the anchors of one set, -.6 and .6 with those of the other: (.8 + .6) / 2.

        >>> anchors = [[[1.0, 0.0], [0.0, 1.0]], [[-1.0, 0.0], [1.0, 0.0]]]
        >>> mean_best_similarities([[3.0, 4.0]], anchors).round(3).tolist()
        [0.7]
    """
    rows = as_rows(vectors)
    units = unit_anchors(anchors, rows.shape[1]).astype(rows.dtype)
    mean = np.empty(len(rows))
    for block in row_blocks(len(rows)):
        best = cosines_of(rows[block], units)[0].max(axis=1).astype(np.float64)
        mean[block] = np.clip(sum_in_order(best) / len(units), -1, 1)
    return mean


def modes(pmf: Floats, values: Floats) -> Floats:
    """Return the value of the point with the largest mass; the lowest of several equal within 1e-6.

    Args:
        pmf: shape (n, k), masses; NaN without a rating.
        values: shape (k,), values of the points, ascending.

    Returns:
        Shape (n,); NaN without a rating.

    Examples:
        >>> modes(np.array([[0.4, 0.4, 0.2], [0.1, 0.2, 0.7]]), np.array([1.0, 2.0, 3.0])).tolist()
        [1.0, 3.0]
    """
    mode: Floats = np.full(len(pmf), np.nan)
    scored = ~np.isnan(pmf).any(axis=1)
    masses = pmf[scored]
    mode[scored] = values[(masses >= masses.max(axis=1, keepdims=True) - _MODE_TIE).argmax(axis=1)]
    return mode


def row_blocks(n: int) -> Iterator[slice]:
    """Divide n rows into blocks that fit a processor's cache.

    Examples:
        >>> list(row_blocks(5000))
        [slice(0, 4096, None), slice(4096, 8192, None)]
    """
    return (slice(start, start + _BLOCK_ROWS) for start in range(0, n, _BLOCK_ROWS))


def cosines_of(rows: Reals, units: Reals) -> tuple[Reals, Mask]:
    """Compute the cosines of rows with anchors of length 1.

    Args:
        rows: shape (n, d).
        units: shape (s, k, d), of the same type.

    Returns:
        The cosines, shape (s, k, n), and a mask of rows without cosines, shape (n,).
    """
    rows = np.ascontiguousarray(rows)
    squares = _squares(rows)
    usable = (squares > _SAFE_SQUARES[0]) & (squares < _SAFE_SQUARES[1])
    if not usable.all():
        rows = np.where(usable[:, None], rows, 0.0)
    n_sets, k, d = units.shape
    products = np.matmul(units.reshape(1, n_sets * k, d), rows[:, :, None])[:, :, 0]
    cosines = np.ascontiguousarray(products.T)
    cosines /= np.sqrt(np.where(usable, squares, 1.0))
    return cosines.reshape(n_sets, k, len(rows)), ~usable


def _squares(rows: Reals) -> Reals:
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        squares: Reals = np.matmul(rows[:, None, :], rows[:, :, None])[:, 0, 0]
    return squares


def best_of(cosines: Reals) -> Reals:
    """Return each text's cosine with the most similar of all anchors, -1 to 1.

    Args:
        cosines: shape (s, k, n).

    Returns:
        Shape (n,).
    """
    best: Reals = np.clip(cosines.max(axis=(0, 1)), -1, 1)
    return best


def sum_in_order(parts: Floats) -> Floats:
    """Sum along the first axis in order.

    The order of NumPy's ``sum`` depends on the other axes' lengths and on the array's layout.

    Examples:
        >>> sum_in_order(np.array([[0.25, 1.0], [0.5, 2.0]])).tolist()
        [0.75, 3.0]
    """
    total: Floats = parts[0].copy()
    for part in parts[1:]:
        total += part
    return total


def unit_anchors(anchors: npt.ArrayLike, dimensions: int) -> Floats:
    """Scale anchors to length 1, with shape (s, k, d).

    Raises:
        InputError: not 2 to 11 anchors per set, a width other than ``dimensions``, or an anchor that is not
            finite or 0.

    Examples:
        >>> unit_anchors([[3.0, 4.0], [0.0, 2.0]], 2).tolist()
        [[[0.6, 0.8], [0.0, 1.0]]]
    """
    array = as_floats(anchors, "anchors").astype(np.float64)
    if array.ndim == 2:
        array = array[None]
    if array.ndim != 3 or not len(array) or not FEWEST_POINTS <= array.shape[1] <= MOST_POINTS:
        raise InputError(
            "anchors",
            f"must have shape (sets, {FEWEST_POINTS} to {MOST_POINTS} points, dimensions), got {array.shape}",
        )
    if array.shape[2] != dimensions:
        raise InputError(
            "vectors", f"have {dimensions} dimensions but anchors {array.shape[2]}: embed both with one model"
        )
    lengths = np.linalg.norm(array, axis=2, keepdims=True)
    for set_number, point in np.argwhere(~(np.isfinite(lengths) & (lengths > 0))[:, :, 0]):
        raise InputError(
            "anchors", f"must be finite and not all 0: not so for set {set_number}, point {point} (from 0)"
        )
    units: Floats = array / lengths
    return units


def as_floats(numbers: npt.ArrayLike, name: str) -> Reals:
    """Return numbers as float32 or float64, whichever is closest; without a copy if they are one of these.

    Raises:
        InputError: not an array of numbers.
    """
    if getattr(numbers, "dtype", None) is not None and np.iscomplexobj(numbers):
        raise InputError(name, "must be real numbers, got complex ones: pass their .real")
    try:
        array = np.asarray(numbers)
        if array.dtype in (np.float32, np.float64):
            return array
        return array.astype(np.float32 if array.dtype == np.float16 else np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(
            name, f"must be an array of numbers, got {type(numbers).__name__}: {error}"
        ) from error


def as_rows(vectors: npt.ArrayLike) -> Reals:
    """Return vectors as rows (n, d); a single vector (d,) becomes one row.

    Raises:
        InputError: not numbers, or neither one nor two axes.
    """
    rows = as_floats(vectors, "vectors")
    if rows.ndim == 1 and rows.size:
        rows = rows[None]
    if rows.ndim != 2:
        raise InputError("vectors", f"must have shape (texts, dimensions), got {rows.shape}")
    return rows


def as_values(values: npt.ArrayLike | None, k: int) -> Floats:
    """Check values of k points and return them as floats; 1 to k by default.

    Raises:
        InputError: not one number per point.
    """
    array = np.arange(1.0, k + 1) if values is None else as_floats(values, "values").astype(np.float64)
    if array.shape != (k,):
        raise InputError("values", f"must be {k} numbers, one per point, got shape {array.shape}")
    return array


def reject(rows: Mask | np.bool_, problem: str) -> None:
    """Raise an error that names the marked rows, if there are any.

    Raises:
        InputError: at least one row is marked.

    Examples:
        >>> reject(np.array([False, True]), "vectors must be finite: invalid in")
        Traceback (most recent call last):
        semscale.errors.InputError: vectors must be finite: invalid in 1 row (counted from 1): 2
    """
    reject_after(0, rows, problem)
