"""Batches of equal length under a budget of tokens."""

import numpy as np

from semscale.types import Integers


def token_batches(lengths: Integers, budget: int) -> list[Integers]:
    """Group rows of exactly one length into batches under a budget, longest first.

    No row is padded: that saves work, and a row's result does not depend on its company, to the last bit.
    Longest first, so that the last batches, which run while other streams are already idle, are the cheapest.

    Args:
        lengths: shape (n,), tokens a row.
        budget: most tokens in a batch; a row longer than that is a batch of its own.

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
