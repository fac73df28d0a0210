"""Separation of scores: how often a pair scores above unrelated pairs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from semscale.stats.ranks import average_ranks
from semscale.types import Floats, Integers

MOST_ITEMS = 300
"""How many items are paired anew at most."""
_FEWEST = 10
WEAK = 0.75
"""Below this share, scores say little about what belongs together."""


@dataclass(frozen=True)
class Separation:
    """Scores of items compared with those of unrelated pairs: predictions with other items' references.

    Attributes:
        share: how often a pair scores above an unrelated one, ties counting half: .5 by chance, 1 at best.
        unrelated: shape (m,), scores of the unrelated pairs.
    """

    share: float
    unrelated: Floats

    @property
    def is_weak(self) -> bool:
        """Whether the scores hardly differ from those of unrelated pairs."""
        return self.share < WEAK


def separate(
    scores: Floats,
    predictions: Sequence[Any] | Mapping[int, Any],
    references: Sequence[Sequence[Any]] | Mapping[int, Sequence[Any]],
    match: Callable[[list[Any], list[Any]], Floats],
    *,
    seed: int = 0,
) -> Separation | None:
    """Match predictions with the references of other items, and compare.

    At most 300 items are drawn. Items that share a reference are never paired.

    Args:
        scores: shape (n,), of the items as they are; NaN where there is none.
        predictions: n cells, or those of ``drawn_items`` by their places.
        references: n lists of cells, likewise.
        match: scores predictions with references, by the same method.
        seed: seed of the draw.

    Returns:
        ``None`` where fewer than 10 unrelated pairs can be made.
    """
    ours, theirs = _strangers(drawn_items(scores, seed), references)
    if len(ours) < _FEWEST:
        return None
    unrelated = match(
        [predictions[item] for item in ours.tolist()], [references[item] for item in theirs.tolist()]
    )
    unrelated = unrelated[~np.isnan(unrelated)]
    if len(unrelated) < _FEWEST:
        return None
    return Separation(share_above(scores[~np.isnan(scores)], unrelated), unrelated)


def drawn_items(scores: Floats, seed: int) -> Integers:
    """Draw the items that are paired anew: at most 300 of those with a score.

    Args:
        scores: shape (n,); NaN where there is none.
        seed: seed of the draw.

    Returns:
        Their places, in the order in which they were drawn.
    """
    scored = np.flatnonzero(~np.isnan(scores))
    return np.random.default_rng(seed).permutation(scored)[:MOST_ITEMS]


def share_above(scores: Floats, others: Floats) -> float:
    """Share of pairs of scores in which the first is higher; ties count half (Mann and Whitney's U).

    Args:
        scores: shape (n,), n at least 1.
        others: shape (m,), m at least 1.

    Returns:
        0 to 1; the area under the ROC curve.

    References:
        Mann and Whitney 1947, doi:10.1214/aoms/1177730491.

    Example:
        >>> share_above(np.array([0.9, 0.5]), np.array([0.5, 0.1]))  # 3 wins and a tie among 4
        0.875
    """
    n, m = len(scores), len(others)
    ranks = average_ranks(np.concatenate([scores, others]))
    return float((ranks[:n].sum() - n * (n + 1) / 2) / (n * m))


def _strangers(
    items: Integers, references: Sequence[Sequence[Any]] | Mapping[int, Sequence[Any]]
) -> tuple[Integers, Integers]:
    """Pair each item with one half a round further on, and keep pairs that have no reference in common."""
    others = np.roll(items, len(items) // 2)
    texts = {item: {text for text in references[item] if isinstance(text, str)} for item in items.tolist()}
    apart = [not texts[int(one)] & texts[int(other)] for one, other in zip(items, others, strict=True)]
    return items[apart], others[apart]
