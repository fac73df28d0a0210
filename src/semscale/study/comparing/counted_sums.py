"""Correlations of questions and differences of groups, for persons that count as often as is said."""

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from semscale.stats.agreement.correlations import correlation
from semscale.types import Floats, Mask

CountedFigures = Callable[[Floats], Floats]
"""Figures (b, f) of n persons where each is there ``counts`` (b, n) times."""

_PRODUCTS = 6
_ROUNDING = 1e-9


def question_correlations(positions: Floats, weights: Floats) -> CountedFigures:
    """Make Pearson's correlations of every two questions a function of how often each person counts.

    Persons' answers about one concept are a pair, and each counts less its concept's mean, so that better
    concepts make no correlation.

    Args:
        positions: shape (n, c, q), q of at least 2; NaN where there is no answer.
        weights: shape (n,), above 0.

    Returns:
        Figures in the order of ``combinations(range(q), 2)``; NaN where answers do not vary.
    """
    features = [
        _pair_features(positions[..., first], positions[..., second])
        for first, second in combinations(range(positions.shape[2]), 2)
    ]

    def correlations(counts: Floats) -> Floats:
        weighted = counts * weights
        return np.stack([_pooled(weighted, each) for each in features], axis=-1)

    return correlations


def group_differences(
    positions: Floats, weights: Floats, pairs: Sequence[tuple[int, Mask, Mask]]
) -> CountedFigures:
    """Make differences between groups' mean answers a function of how often each person counts.

    A group's mean is that of its concepts' means, over the concepts that both groups have.

    Args:
        positions: shape (n, c, q); NaN where there is no answer.
        weights: shape (n,), above 0.
        pairs: of each difference the question, and the persons (n,) of the two groups: the first less the
            second.

    Returns:
        Figures in the order of ``pairs``.
    """
    there = ~np.isnan(positions)
    filled = np.where(there, positions, 0.0)
    parts = [
        [(rows, filled[rows][..., question], there[rows][..., question]) for rows in groups]
        for question, *groups in pairs
    ]

    def differences(counts: Floats) -> Floats:
        weighted = counts * weights
        means = ([_concept_means(weighted[:, rows], *sums) for rows, *sums in groups] for groups in parts)
        return np.stack([_difference(first, second) for first, second in means], axis=-1)

    return differences


def _concept_means(weighted: Floats, filled: Floats, there: Floats) -> Floats:
    """Means (b, c) of a group's answers; NaN where it has none."""
    n = weighted @ there
    return np.where(n > 0, weighted @ filled / np.where(n > 0, n, 1.0), np.nan)


def _difference(first: Floats, second: Floats) -> Floats:
    """Mean difference (b,) over concepts that both groups have."""
    gaps = first - second
    known = ~np.isnan(gaps)
    n = known.sum(axis=1)
    return np.where(n > 0, np.where(known, gaps, 0.0).sum(axis=1) / np.maximum(n, 1), np.nan)


def _pair_features(u: Floats, v: Floats) -> Floats:
    """Products (n, c, 6) whose sums over persons give a correlation; 0 where one answer is missing."""
    both = ~np.isnan(u) & ~np.isnan(v)
    x, y = np.where(both, u, 0.5) - 0.5, np.where(both, v, 0.5) - 0.5
    return np.stack([both.astype(np.float64), x, y, x * x, y * y, x * y], axis=-1)


def _pooled(weighted: Floats, features: Floats) -> Floats:
    """Correlation (b,) within concepts."""
    n, c, _ = features.shape
    sums = (weighted @ features.reshape(n, -1)).reshape(len(weighted), c, _PRODUCTS)
    size, x, y, xx, yy, xy = sums.transpose(2, 0, 1)
    used = np.where(size > 0, size, 1.0)
    var_x, var_y = ((squares - each**2 / used).sum(axis=1) for squares, each in ((xx, x), (yy, y)))
    covariance = (xy - x * y / used).sum(axis=1)
    # A sum of squares that is 0 but for rounding is 0.
    var_x, var_y = (
        np.where(var > _ROUNDING * squares.sum(axis=1), var, 0.0)
        for var, squares in ((var_x, xx), (var_y, yy))
    )
    zeros = np.zeros(len(weighted))
    return correlation(zeros + 1, zeros, zeros, var_x, var_y, covariance)
