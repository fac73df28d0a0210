"""Batches of rows of equal length, within a budget of tokens."""

import numpy as np

from semscale.types import Integers


def token_batches(lengths: Integers, budget: int) -> list[Integers]:
    """Group rows of equal length into batches within a budget, longest rows first.

    No row is padded. That saves work, and a row's result is the same to the last bit in every batch. The
    shortest rows come last, because the last batches run while other streams are already idle.

    Args:
        lengths: shape (n,), tokens in each row.
        budget: the most tokens in a batch; a longer row is a batch by itself.

    Returns:
        Arrays of row numbers that together hold every row once.

    Example:
        >>> token_batches(np.array([5, 9, 5, 5]), budget=10)
        [array([1]), array([0, 2]), array([3])]
    """
    order = np.argsort(-lengths, kind="stable")
    changes = np.flatnonzero(np.diff(lengths[order])) + 1
    batches: list[Integers] = []
    for group in np.split(order, changes) if len(order) else []:
        rows = max(1, budget // max(1, int(lengths[group[0]])))
        batches.extend(group[start : start + rows] for start in range(0, len(group), rows))
    return batches
