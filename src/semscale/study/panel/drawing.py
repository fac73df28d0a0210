"""Draws of personas whose counts meet stated shares within one person."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from semscale.errors import InputError
from semscale.study.panel.margins import JointShares
from semscale.types import Floats, Integers

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_NEAR = 1e-9


def quota_counts(shares: Floats, n: int) -> Integers:
    """Divide n people among levels by the largest remainders; each count is within one of n times its share.

    Args:
        shares: shape (k,), at least 0, sum 1.
        n: how many people.

    Returns:
        Shape (k,), sum n.

    Example:
        >>> quota_counts(np.array([0.5, 0.3, 0.2]), 7).tolist()
        [4, 2, 1]
    """
    wanted = shares * n
    counts = np.floor(wanted + _NEAR).astype(np.int64)
    rest = np.argsort(counts - wanted, kind="stable")[: n - int(counts.sum())]
    counts[rest] += 1
    return counts


def drawn_alone(levels: Mapping[str, float], n: int, rng: np.random.Generator) -> list[str]:
    """Draw one attribute of n people by quota, in random order.

    Args:
        levels: shares, which sum to 1.
        n: how many people.
        rng: decides the order.
    """
    counts = quota_counts(np.array(list(levels.values())), n)
    placed = [level for level, count in zip(levels, counts, strict=True) for _ in range(count)]
    return [placed[place] for place in rng.permutation(n)]


def drawn_together(joint: JointShares, n: int, rng: np.random.Generator) -> dict[str, list[str]]:
    """Draw several attributes of n people from their joint distribution, in random order.

    The count of every combination, and that of every level, is within one of n times its share.

    Args:
        joint: the distribution.
        n: how many people.
        rng: decides which combinations are rounded up, and the order.

    Raises:
        InputError: no such draw of n people was found.
    """
    counts = controlled_counts(joint.shares * n, rng)
    cells = np.repeat(np.arange(counts.size), counts.reshape(-1))[rng.permutation(n)]
    places = np.unravel_index(cells, counts.shape)
    return {
        name: [levels[place] for place in found]
        for (name, levels), found in zip(joint.levels.items(), places, strict=True)
    }


def controlled_counts(expected: Floats, rng: np.random.Generator) -> Integers:
    """Round a table of expected counts up or down so that every margin is rounded up or down, too.

    Among these roundings it takes the one with the least sum of ``logit(u) - logit(f)`` over the cells
    rounded up, for random u and the cells' fractions f; without margins this is Pareto sampling, whose
    inclusion probabilities are close to f.

    Args:
        expected: shape (k1, ..., kd), at least 0, with a whole sum.
        rng: gives u.

    Returns:
        Whole numbers of the same shape and the same sum.

    Raises:
        InputError: there is no such rounding.

    References:
        Cox (1987), JASA 82, 520-524, doi:10.1080/01621459.1987.10478456 (controlled rounding); Rosen (1997),
        Journal of Statistical Planning and Inference 62, 159-191, doi:10.1016/S0378-3758(96)00186-3.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.special import logit

    counts = np.floor(expected + _NEAR)
    fractions = expected - counts
    rounded = np.flatnonzero(fractions.reshape(-1) > _NEAR)
    if not len(rounded):
        return counts.astype(np.int64)
    cost = logit(rng.uniform(_NEAR, 1 - _NEAR, len(rounded))) - logit(fractions.reshape(-1)[rounded])
    matrix, needed = _margins(fractions, rounded)
    found = milp(
        cost,
        integrality=np.ones(len(rounded), dtype=np.int64),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix, np.floor(needed + _NEAR), np.ceil(needed - _NEAR)),
    )
    if found.x is None:
        raise InputError(
            f"no panel of {expected.sum():.0f} personas meets all margins within one person: give another "
            "size"
        )
    flat = counts.reshape(-1)
    flat[rounded] += np.round(found.x)
    return counts.astype(np.int64)


def _margins(fractions: Floats, rounded: Integers) -> "tuple[csr_array, Floats]":
    """List the sums that must be rounded with the cells: the whole, and each level of each attribute.

    Returns:
        A matrix of 0 and 1, one row a sum and one column a cell, and what the sums are expected to be.
    """
    from scipy.sparse import csr_array

    places = np.unravel_index(rounded, fractions.shape)
    levels, first = [np.zeros(len(rounded), dtype=np.int64)], 1
    for size, place in zip(fractions.shape, places, strict=True):
        levels.append(first + place)
        first += size
    rows = np.concatenate(levels)
    columns = np.tile(np.arange(len(rounded)), len(levels))
    matrix = csr_array((np.ones(len(rows)), (rows, columns)), shape=(first, len(rounded)))
    return matrix, np.asarray(matrix @ fractions.reshape(-1)[rounded], dtype=np.float64)
