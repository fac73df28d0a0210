"""Semantic similarity rating: from cosines with anchors to probability masses over a scale's points.

The formula, for one text and one anchor set with ``k`` points, where ``g = (1 + cosine) / 2``::

    p(r)  is proportional to  g(r) - min(g) + epsilon * d(r)

Masses are averaged over anchor sets, then sharpened: ``p(r) ** (1 / T)``, normalised again. The semantics
differ only in what ``d`` is and in what happens where the formula has no value; ``docs/rating.md`` has the
whole table.

References:
    Maier, Aslak, Fiaschi, Pappas, Wiecki (2025): LLMs Reproduce Human Purchase Intent via Semantic Similarity
    Elicitation of Likert Ratings. arXiv 2510.08338.
"""

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.rating.readouts.array_checks import (
    Reals,
    Semantics,
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

_EQUAL_ULPS = (
    8  # cosines of equal anchors differ by a few roundings, because BLAS sums columns in different orders
)

_UNDEFINED = (
    "semantics 'paper' divides 0 by 0 where all similarities are equal: use 'safe' (uniform), or drop"
)


def similarity_pmf(
    similarities: npt.ArrayLike, *, epsilon: float = 0.0, semantics: Semantics = "safe"
) -> Floats:
    """Turn cosines with one anchor set into masses: each minus the smallest, divided by the sum.

    Args:
        similarities: shape (..., k), cosines in [-1, 1], with k from 2 to 11.
        epsilon: at least 0, in units of ``g = (1 + cosine) / 2``. ``safe`` spreads it evenly over all points;
            ``paper`` and ``guide`` give it to the least similar point (the first of several).
        semantics: ``safe`` and ``guide`` make all-equal cosines uniform; for ``paper`` they are an error when
            epsilon is 0 (the equation reads 0/0), and all mass on the first point otherwise (the equation to
            the letter).

    Returns:
        Shape (..., k), float64, not negative, the last axis sums to 1 within 1e-12.

    Raises:
        InputError: a wrong shape, a cosine that is not finite or outside [-1, 1], a negative epsilon, or 0/0.

    References:
        arXiv 2510.08338, equation for p(r) with its offset epsilon.

    Example:
        >>> similarity_pmf([0.2, 0.4, 0.6]).round(3).tolist()
        [0.0, 0.333, 0.667]
    """
    check_settings(epsilon=epsilon, semantics=semantics)
    cosines = as_floats(similarities, "similarities")
    if cosines.ndim == 0 or not FEWEST_POINTS <= cosines.shape[-1] <= MOST_POINTS:
        raise InputError(
            f"similarities must have {FEWEST_POINTS} to {MOST_POINTS} points on their last axis, "
            f"got shape {cosines.shape}"
        )
    by_point = cosines.reshape(-1, cosines.shape[-1]).T
    outside = ~(np.abs(by_point) <= 1 + 1e-6)
    reject(outside.any(axis=0), "similarities must be cosines in [-1, 1]: not so in")
    masses, totals = _masses(by_point, epsilon, semantics)
    reject(totals == 0, _UNDEFINED)
    return np.ascontiguousarray((masses / totals).T).reshape(cosines.shape)


def rate_vectors(
    vectors: npt.ArrayLike,
    anchors: npt.ArrayLike,
    *,
    values: npt.ArrayLike | None = None,
    epsilon: float = 0.0,
    temperature: float = 1.0,
    semantics: Semantics = "safe",
) -> VectorRatings:
    """Rate vectors against all anchor sets: cosines, masses per set, their average, then the temperature.

    Runs in blocks of rows that fit a processor's cache, against all anchors at once; beyond the input it
    needs little more than its result. A row's rating is the same to the last bit alone, in any order and in
    any company.

    Args:
        vectors: shape (n, d), or (d,) for one; any lengths but 0. float32 is computed in float32 products.
        anchors: shape (s, k, d), or (k, d) for one set; any lengths but 0.
        values: shape (k,), the points' values for ``set_means``; 1 to k unless given.
        epsilon: as in ``similarity_pmf``.
        temperature: as in ``semscale.rating.readouts.temperature.sharpen_pmf``.
        semantics: as in both.

    Returns:
        Ratings in the order of the vectors.

    Raises:
        InputError: shapes that do not fit, rows (named) with NaN, infinity or length 0, wrong settings, or
            rows for which ``paper`` has no value.

    Example:
        >>> ratings = rate_vectors([[3.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]])
        >>> ratings.pmf.tolist(), ratings.best_similarity.round(3).tolist()
        ([[0.0, 1.0]], [0.8])
    """
    check_settings(epsilon=epsilon, temperature=temperature, semantics=semantics)
    rows = as_rows(vectors)
    units = unit_anchors(anchors, rows.shape[1]).astype(rows.dtype)
    n_sets, k, _ = units.shape
    point_values = as_values(values, k)
    n = len(rows)
    result = VectorRatings.unfilled(n, k, n_sets)
    unusable, undefined = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    for block in row_blocks(n):
        cosines, unusable[block] = cosines_of(rows[block], units)
        masses, totals = _masses(cosines, epsilon, semantics)
        undefined[block] = (totals == 0).any(axis=0)
        masses /= np.where(totals == 0, 1.0, totals)[:, None, :]
        pmf = sum_in_order(masses)
        total = sum_in_order(pmf)
        pmf /= np.where(total == 0, 1.0, total)
        result.pmf[block] = sharpened(pmf, temperature, semantics, TIES[rows.dtype.name]).T
        result.set_means[block] = sum_in_order((masses * point_values[:, None]).swapaxes(0, 1)).T
        result.best_similarity[block] = best_of(cosines)
    reject(unusable, "vectors must be finite and not all 0: not so in")
    reject(undefined, _UNDEFINED)
    return result


def _masses(cosines: Reals, epsilon: float, semantics: Semantics) -> tuple[Floats, Floats]:
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
