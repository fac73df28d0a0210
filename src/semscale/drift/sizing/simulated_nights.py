"""What earlier nights add to simulated comparisons: items as they came out, and the noise of their runs."""

from math import sqrt

import numpy as np

from semscale.types import Floats

_MOST_ROWS = 20_000  # items of all nights that further ones are drawn from


def items_of_nights(by_role: Floats, nights: Floats) -> Floats:
    """Lay out the items as they would be if the candidate scattered as the runs of earlier nights did.

    An item's drift is that of a night, moved so that the mean drift stays tonight's. What the candidate adds
    to its pairs with k - 1 other runs moves their drift in its place by ``-1 / (k - 1)`` of it.

    Args:
        by_role: shape (n, k), ``drifts_by_role``; NaN for items without a drift.
        nights: shape (t, n), the items' drift in earlier nights; an item without one keeps tonight's.

    Returns:
        Shape ((t + 1) n, k): tonight's items, then those of the latest nights, at most 20,000 in all.

    Example:
        >>> tonight = np.array([[0.2, -0.1, -0.1], [0.0, 0.0, 0.0]])
        >>> items_of_nights(tonight, np.array([[0.3, 0.5]])).round(2).tolist()[2:]  # .3 and .5, less .3
        [[-0.0, 0.0, 0.0], [0.2, -0.1, -0.1]]
    """
    n, k = by_role.shape
    tonight = by_role[:, 0]
    known = ~np.isnan(tonight)
    found = [by_role]
    for night in reversed(nights[max(0, len(nights) + 1 - _MOST_ROWS // n) :]):
        there = known & ~np.isnan(night)
        added = np.zeros(n)
        if there.any():
            added[there] = night[there] - night[there].mean() + tonight[there].mean() - tonight[there]
        others = np.full(k - 1, -1 / max(k - 1, 1))
        found.append(by_role + added[:, None] * np.r_[1.0, others])
    return np.concatenate(found)


def added_by_nights(nights: Floats) -> Floats:
    """Estimate what a run adds at some item, from the runs of earlier nights.

    It is a night's drift less the night's mean and the item's mean over nights, scaled up by what that lacks
    in variance.

    Args:
        nights: shape (t, n), the items' drift in earlier nights; NaN where a night has none.

    Returns:
        Shape (m,), one value for each item and night with a drift; empty with fewer than two nights.

    Example:
        >>> added_by_nights(np.array([[0.2, 0.0], [0.0, 0.2]])).round(3).tolist()  # .1 * sqrt(2)
        [0.141, -0.141, -0.141, 0.141]
    """
    complete = nights[:, ~np.isnan(nights).any(axis=0)]
    t = len(complete)
    if t < 2:  # noqa: PLR2004 - nothing to compare with
        return np.empty(0)
    centred = complete - complete.mean(axis=1, keepdims=True)
    return np.asarray((centred - centred.mean(axis=0)).ravel() * sqrt(t / (t - 1)))
