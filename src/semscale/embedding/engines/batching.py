"""Batches of rows of equal length, within a budget of tokens, and what each is computed in."""

from collections.abc import Iterator, Sequence

import numpy as np

from semscale.embedding.engines.arithmetic import FLOAT32, Arithmetic
from semscale.types import Integers

TOKEN_BUDGET = 512  # tokens in a batch; up to 2,048 are equally fast within the noise, and need more memory
# Rounding errors average out over a text's tokens, so bfloat16 harms short texts most. Short texts, such as
# anchors and short answers, are also cheap: below this many tokens `fast` and `turbo` compute in float32.
SHORT = 8


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


def arithmetic_batches(
    lengths: Sequence[int], arithmetic: Arithmetic
) -> Iterator[tuple[Arithmetic, Integers]]:
    """Yield batches of rows, each with its arithmetic; batches of short rows, in float32, come first.

    Args:
        lengths: tokens in each of n rows.
        arithmetic: of rows that are not short.
    """
    tokens = np.array(lengths, np.int64)
    exact = tokens < SHORT if arithmetic != FLOAT32 else np.ones(len(tokens), np.bool_)
    for each, those in ((FLOAT32, exact), (arithmetic, ~exact)):
        rows = np.flatnonzero(those)
        for batch in token_batches(tokens[rows], TOKEN_BUDGET):
            yield each, rows[batch]
