"""Distinct texts, and batches of equal length under a budget of tokens."""

from collections.abc import Sequence

import numpy as np

from semscale.types import Integers


def distinct(texts: Sequence[str]) -> tuple[list[str], Integers]:
    """List every text once, in order of first appearance, and say where each one of ``texts`` went.

    Returns:
        The distinct texts, and an array of shape (n,) so that ``texts[i] == distinct[where[i]]``.

    Example:
        >>> distinct(["b", "a", "b"])
        (['b', 'a'], array([0, 1, 0]))
    """
    places: dict[str, int] = {}
    where = np.fromiter((places.setdefault(text, len(places)) for text in texts), np.int64, len(texts))
    return list(places), where


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
