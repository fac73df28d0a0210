"""Folds for cross-validation."""

import numpy as np

from semscale.types import Integers

FOLDS = 5


def folds_of(n: int, *, groups: Integers | None = None, folds: int = FOLDS, seed: int = 0) -> Integers:
    """Part n items into folds of like size by chance, whole groups together.

    Args:
        n: items.
        groups: shape (n,), numbers of groups that must not be parted; each item by itself unless given.
        folds: at most; fewer where there are fewer groups.
        seed: of the parting.

    Returns:
        Shape (n,), the fold of each item, from 0.

    Example:
        >>> sorted(np.bincount(folds_of(7, folds=3)).tolist())
        [2, 2, 3]
    """
    place = np.arange(n) if groups is None else np.unique(groups, return_inverse=True)[1]
    m = int(place.max()) + 1
    drawn = np.random.default_rng(seed).permutation(m) % min(folds, m)
    parted: Integers = drawn[place].astype(np.int64)
    return parted
