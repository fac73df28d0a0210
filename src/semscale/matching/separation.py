"""Comparison of scores: with those of unrelated pairs, and with other matches of the same items."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from semscale.errors import InputError
from semscale.stats.ranks import average_ranks
from semscale.store.columns import as_list, is_missing
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


def corpus_texts(corpus: Iterable[object]) -> list[str]:
    """List the texts of a corpus; missing and empty ones are passed over.

    Raises:
        InputError: something other than texts, or no text.

    Example:
        >>> corpus_texts(["a", None, " ", "b"])
        ['a', 'b']
    """
    cells = as_list(corpus, "corpus")
    for place, cell in enumerate(cells):
        if not isinstance(cell, str) and not is_missing(cell):
            raise InputError(f"corpus[{place}] must be a text, got {type(cell).__name__}")
    texts = [cell for cell in cells if isinstance(cell, str) and cell.strip()]
    if not texts:
        raise InputError(
            f"corpus must hold at least one text, got {len(cells)} cells without any; "
            "give texts of the kind to be matched, or None for the references"
        )
    return texts


def unrelated_pairs(texts: Sequence[str], n: int, seed: int) -> Integers:
    """Draw pairs of different texts; the same texts in another order give the same pairs of texts.

    Args:
        texts: distinct.
        n: how many pairs to draw; all of them where there are no more.
        seed: seed of the draw.

    Returns:
        Shape (pairs, 2), row numbers in ``texts``.

    Raises:
        InputError: fewer than two texts.

    Example:
        >>> sorted(unrelated_pairs(["a", "b", "c"], n=9, seed=0).tolist())
        [[0, 1], [0, 2], [1, 2]]
    """
    if len(texts) < 2:  # noqa: PLR2004
        raise InputError(
            f"corpus must have at least 2 different texts to estimate the baseline from, got {len(texts)}; "
            "give texts of the kind to be matched as corpus (--corpus FILE)"
        )
    order = np.array(sorted(range(len(texts)), key=texts.__getitem__), np.int64)
    m = len(order)
    total = m * (m - 1) // 2
    drawn = np.sort(np.random.default_rng(seed).choice(total, min(n, total), replace=False))
    return order[_pair_numbers(drawn, m)]


def corpus_hash(texts: Iterable[str]) -> str:
    """Name a corpus in a signature: 12 hex digits of a SHA-256 over its texts, whatever their order.

    Example:
        >>> corpus_hash(["a", "b"]) == corpus_hash(["b", "a"]) != corpus_hash(["ab"])
        True
    """
    digest = hashlib.sha256()
    for text in sorted(texts):
        digest.update(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())
    return digest.hexdigest()[:12]


def _pair_numbers(places: Integers, m: int) -> Integers:
    """Give the pairs (i, j), i < j < m, at these places of their list (0, 1), (0, 2), ... (1, 2), ..."""
    # Counted from the end, row i starts at a triangular number, so i follows from a square root.
    back = m * (m - 1) // 2 - 1 - places
    row = ((np.sqrt(8.0 * back + 1) - 1) // 2).astype(np.int64)
    first = m - 2 - row
    second = m - 1 - (back - row * (row + 1) // 2)
    return np.column_stack([first, second])
