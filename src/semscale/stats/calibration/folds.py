"""Folds for cross-validation."""

import numpy as np

from semscale.types import Floats, Integers

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


def stratified_folds(classes: Floats | Integers, *, folds: int = FOLDS, seed: int = 0) -> Integers:
    """Part items into folds of like size by chance, so that each fold has its share of every class.

    Items of a class are dealt to the folds in turn, each class from the fold at which the last one ended. Of
    a class of c items every fold has c / folds, rounded up or down.

    Args:
        classes: shape (n,), the class of each item.
        folds: how many, at least 1.
        seed: of the parting.

    Returns:
        Shape (n,), the fold of each item, from 0.

    Example:
        >>> fold = stratified_folds(np.repeat([0, 1], [4, 2]), folds=2)
        >>> np.bincount(fold[:4]).tolist(), np.bincount(fold[4:]).tolist()
        ([2, 2], [1, 1])
    """
    mixed = np.random.default_rng(seed).permutation(len(classes))
    dealt = mixed[np.argsort(np.asarray(classes)[mixed], kind="stable")]
    parted: Integers = np.empty(len(classes), np.int64)
    parted[dealt] = np.arange(len(classes)) % folds
    return parted
