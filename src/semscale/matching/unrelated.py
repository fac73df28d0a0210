"""Unrelated texts: random pairs from a corpus, whose mean similarity is a baseline."""

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np

from semscale.errors import InputError
from semscale.store.columns import as_list, is_missing
from semscale.types import Integers


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
