"""Means of the states of texts' tokens, without those of a prefix that a model wants before every text."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from semscale.types import Integers, Vectors

if TYPE_CHECKING:
    from semscale.embedding.tokens.token_ids import TokenReader


def tokens_left_out(reader: "TokenReader") -> tuple[int, int]:
    """Count the first and the last tokens of every text that are left out of its mean.

    With a prefix such as "query: " these are all tokens that are none of the text's own. Without one none is
    left out: sentence models average [CLS] and [SEP], too.
    """
    return (reader.before, reader.after) if reader.prefix.strip() else (0, 0)


def text_means(
    states: npt.NDArray[np.floating[Any]], lengths: Integers, left_out: tuple[int, int] = (0, 0)
) -> Vectors:
    """Average the states of each text's tokens; a text without tokens of its own has the mean of all.

    Args:
        states: shape (t, hidden), those of n texts, end to end.
        lengths: shape (n,), tokens of each text.
        left_out: how many of each text's first and last tokens do not count.

    Returns:
        Shape (n, hidden).

    Example:
        >>> states = np.array([[9.0], [1.0], [3.0], [9.0], [9.0], [7.0]])
        >>> text_means(states, np.array([4, 2]), (1, 1)).tolist()
        [[2.0], [8.0]]
    """
    before, after = np.where(lengths > sum(left_out), np.array(left_out)[:, None], 0)
    ends = np.cumsum(lengths)
    starts, stops = ends - lengths + before, ends - after
    rows = states.astype(np.float32, copy=False)
    sums = [np.add.reduce(rows[start:stop], axis=0) for start, stop in zip(starts, stops, strict=True)]
    means: Vectors = np.divide(sums, (stops - starts)[:, None], dtype=np.float32)
    return means
