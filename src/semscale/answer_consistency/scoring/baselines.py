"""Baselines that a measure of consistency should beat: the lengths of texts, and equal answers."""

import numpy as np

from semscale.answer_consistency.scoring.pair_measures import equal_normalised, item_means
from semscale.matching.pairs import Pairs
from semscale.types import Floats

LENGTH_NULLS = {
    "equal_lengths": "how alike answer and samples are in length: the shorter by the longer, on average",
    "brevity": "how short the answer is: 1 / (1 + characters)",
}
"""Every null of the lengths alone by its name."""

EXACT_MATCH = "exact_match_normalised"
"""The measure that is also a null: the share of samples equal to the answer."""


def length_nulls(pairs: Pairs) -> dict[str, Floats]:
    """Compute the length baselines of each item.

    Args:
        pairs: of an answer (``prediction``) and a sample (``reference``).

    Returns:
        Arrays of shape (n,), 0 to 1; NaN for items without pairs.

    Example:
        >>> from semscale.matching.pairs import pair_up
        >>> nulls = length_nulls(pair_up(["abc"], [["abcd", "abcdef"]]))  # (3/4 + 3/6) / 2
        >>> nulls["equal_lengths"].tolist(), nulls["brevity"].tolist()
        ([0.625], [0.25])
    """
    lengths = np.array([len(text.strip()) for text in pairs.texts], np.float64)
    answer, sample = lengths[pairs.prediction], lengths[pairs.reference]
    alike = np.minimum(answer, sample) / np.maximum(answer, sample)
    return {
        "equal_lengths": item_means(alike, pairs.item, pairs.n_items),
        "brevity": item_means(1 / (1 + answer), pairs.item, pairs.n_items),
    }


def exact_match_null(pairs: Pairs) -> dict[str, Floats]:
    """Compute the share of samples equal to the answer, whatever the case, white space and marks.

    Args:
        pairs: of an answer (``prediction``) and a sample (``reference``).

    Returns:
        One array of shape (n,), 0 to 1; NaN for items without pairs.

    Example:
        >>> from semscale.matching.pairs import pair_up
        >>> exact_match_null(pair_up(["Paris"], [["paris.", "Rome"]]))["exact_match_normalised"].tolist()
        [0.5]
    """
    same = equal_normalised(pairs.texts, pairs.prediction, pairs.reference)
    return {EXACT_MATCH: item_means(same, pairs.item, pairs.n_items)}
