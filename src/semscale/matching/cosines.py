"""Cosines of whole texts, means of words' best cosines, and the order in which texts are encoded."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from semscale.embedding import Embedder
from semscale.embedding.texts import shift_progress
from semscale.matching.pairs import Pairs, ScoredPairs
from semscale.signature import Signature
from semscale.types import Floats, Integers, Mask, Progress, Vectors

_FRESH = 4096  # texts that are embedded together
_STORED = 16_384  # texts whose vectors stay in memory for later pairs: 25 MB for 384 dimensions
_BLOCK = 4096  # pairs whose vectors are held in float64 together


@dataclass(frozen=True)
class TextCosines:
    """Cosines of p pairs of texts.

    Attributes:
        values: shape (p,), -1 to 1; equal texts have exactly 1.
        windows: shape (p,), number of windows into which the longer of the two texts was split.
        unread: shape (p,), whether the model cannot read one of the two texts.
    """

    values: Floats
    windows: Integers
    unread: Mask


class Cosines:
    """Cosines between texts.

    Args:
        embedder: turns texts into unit vectors.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def signature(self) -> Signature:
        """Signature of the embedder."""
        return self._embedder.signature

    def of(
        self, texts: Sequence[str], first: Integers, second: Integers, progress: Progress | None = None
    ) -> TextCosines:
        """Return the cosine of each pair of texts.

        Only some thousand vectors are in memory at a time: pairs that share a text are compared together, and
        a text is embedded again only where thousands of other texts come between two of its pairs.

        Args:
            texts: shape (m,).
            first: shape (p,), rows in ``texts``.
            second: shape (p,), likewise.
            progress: called while texts are embedded.
        """
        values = np.empty(len(first))
        windows, unread = np.zeros(len(texts), np.int64), np.zeros(len(texts), np.bool_)
        vectors: dict[int, Vectors] = {}
        done = 0
        sizes = np.ones(len(texts), np.int64)
        for step in plan_steps(first, second, sizes, fresh_tokens=_FRESH, kept_tokens=_STORED):
            fresh = step.fresh.tolist()
            if fresh:
                report = shift_progress(progress, done, max(len(texts), done + len(fresh)))
                embedded = self._embedder.embed([texts[text] for text in fresh], progress=report)
                windows[fresh], unread[fresh] = embedded.windows, embedded.unread
                # A row without a copy would keep the vectors of all texts of its step in memory.
                vectors.update(zip(fresh, map(np.copy, embedded.vectors), strict=True))
                done += len(fresh)
            for start in range(0, len(step.pairs), _BLOCK):
                rows = step.pairs[start : start + _BLOCK]
                left, right = (
                    np.array([vectors[text] for text in side[rows].tolist()], np.float64)
                    for side in (first, second)
                )
                values[rows] = row_cosines(left, right)
            for text in step.dropped.tolist():
                del vectors[text]
        return TextCosines(
            values, np.maximum(windows[first], windows[second]), unread[first] | unread[second]
        )


class CosineMatch:
    """Matching method: the cosine of the two texts' vectors.

    Args:
        embedder: turns texts into unit vectors.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._cosines = Cosines(embedder)

    @property
    def signature(self) -> Signature:
        """Signature of the settings."""
        return Signature.of("match", method="cosine").plus(self._cosines.signature)

    def score(self, pairs: Pairs, progress: Progress | None = None) -> ScoredPairs:
        """Score every pair, -1 to 1."""
        cosines = self._cosines.of(pairs.texts, pairs.prediction, pairs.reference, progress)
        return ScoredPairs(
            cosines.values, {}, cosines.windows, cosines.unread, self.signature, bounds=(-1.0, 1.0)
        )


def row_cosines(left: Floats, right: Floats) -> Floats:
    """Return the cosine of each row with the same row of the other matrix; exactly 1 for equal rows.

    A row's result does not depend on the other rows.

    Args:
        left: shape (p, d).
        right: shape (p, d).

    Returns:
        Shape (p,), -1 to 1.

    Examples:
        >>> row_cosines(np.array([[3.0, 4.0], [1.0, 0.0]]), np.array([[3.0, 4.0], [0.0, 2.0]])).tolist()
        [1.0, 0.0]
    """
    dots, left_squares, right_squares = (
        np.einsum("ij,ij->i", a, b) for a, b in ((left, right), (left, left), (right, right))
    )
    cosines: Floats = np.clip(dots / np.sqrt(left_squares * right_squares), -1.0, 1.0)
    return cosines


Rows = TypeVar("Rows", np.float32, np.float64)


def unit_rows(rows: npt.NDArray[Rows], out: npt.NDArray[Rows] | None = None) -> npt.NDArray[Rows]:
    """Scale every row to Euclidean length 1; a row of zeros stays as it is.

    Args:
        rows: shape (r, d), in C order.
        out: array for the result, which may be ``rows`` itself; by default a new one.

    Returns:
        Shape (r, d), in the precision of ``rows``.

    Examples:
        >>> unit_rows(np.array([[3, 4], [0, 0]], np.float32)).tolist()
        [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    lengths = np.sqrt(np.einsum("rd,rd->r", rows, rows))
    return np.asarray(
        np.divide(rows, np.where(lengths > 0, lengths, lengths.dtype.type(1))[:, None], out=out)
    )


CosineMatrix = npt.NDArray[Any]
"""In single or double precision."""

BestCosines = tuple[npt.NDArray[Any], npt.NDArray[Any]]
"""The best cosine of each row and of each column of a matrix."""

MOST_COSINES = 1 << 24
"""Maximum number of cosines in memory: those of two texts of 4,096 words."""


def best_cosines(
    left: CosineMatrix,
    right: CosineMatrix,
    cosines: Callable[[CosineMatrix, CosineMatrix], CosineMatrix],
    most: int = MOST_COSINES,
) -> BestCosines:
    """Return the best cosines of two texts' rows; those of long texts are computed some rows at a time.

    Args:
        left: shape (..., r, d), unit rows.
        right: shape (..., c, d), likewise.
        cosines: function that returns the cosines of all rows.
        most: maximum number of cosines in memory.

    Examples:
        >>> left, right = np.eye(2), np.array([[0.6, 0.8]])
        >>> rows, columns = best_cosines(left, right, lambda left, right: left @ right.T, most=1)
        >>> rows.tolist(), columns.tolist()
        ([0.6, 0.8], [0.8])
    """
    *layers, n_rows, _ = left.shape
    size = max(1, most // max(1, prod(layers) * right.shape[-2]))
    if size >= n_rows:
        return best_of(cosines(left, right))
    if right is left:
        right = right.copy()  # a product with its own rows has other last digits, see cosine_matrix
    parts = (left[..., start : start + size, :] for start in range(0, n_rows, size))
    rows, columns = zip(*(best_of(cosines(part, right)) for part in parts), strict=True)
    return np.concatenate(rows, axis=-1), np.maximum.reduce(columns)


def best_of(cosines: CosineMatrix) -> BestCosines:
    """Return the best cosine of each row and of each column of a matrix, shape (..., r, c)."""
    return cosines.max(axis=-1), cosines.max(axis=-2)


def mean_best(
    best: Iterable[BestCosines],
    weights: Sequence[tuple[Floats, Floats]],
    reading: Callable[[CosineMatrix], CosineMatrix],
) -> Floats:
    """Compute the weighted means of the rows' and of the columns' best cosines, for each of p pairs of texts.

    The best cosines of all pairs are mapped and averaged together, which is faster than one by one and
    gives the same numbers.

    Args:
        best: for each pair the best cosines of its rows, shape (..., r), and columns, shape (..., c).
        weights: for each pair the weights of its rows, shape (r,), and columns, shape (c,), at least 0.
        reading: function applied to every best cosine before the mean.

    Returns:
        Shape (..., p, 2); NaN where no row, or no column, has a weight.

    Examples:
        >>> matrix = np.array([[1.0, 0.5], [0.0, 0.25]])
        >>> mean_best([best_of(matrix)], [(np.ones(2), np.array([1.0, 0.0]))], np.abs).tolist()
        [[0.625, 1.0]]
    """
    ends = [side for pair in best for side in pair]
    sides = [side for pair in weights for side in pair]
    starts = np.cumsum([0, *map(len, sides[:-1])])
    joined = np.concatenate(sides)
    totals = np.add.reduceat(joined, starts)
    sums = np.add.reduceat(reading(np.concatenate(ends, axis=-1)) * joined, starts, axis=-1)
    means: Floats = sums / np.where(totals > 0, totals, np.nan)
    return means.reshape(*means.shape[:-1], -1, 2)


@dataclass(frozen=True)
class ScoringStep:
    """Pairs that are scored together, with the texts to encode and to release.

    Attributes:
        pairs: numbers of the pairs.
        fresh: texts that must be encoded; all others that the pairs need are in memory from earlier steps.
        dropped: texts that are released afterwards.
    """

    pairs: Integers
    fresh: Integers
    dropped: Integers


def scoring_order(prediction: Integers, reference: Integers) -> Integers:
    """Order pairs so that pairs with a common text are adjacent.

    A pair's position depends on the one of its two texts that occurs in more pairs.

    Args:
        prediction: shape (p,), number of each pair's prediction.
        reference: shape (p,), number of each pair's reference.

    Returns:
        Shape (p,), numbers of the pairs.

    Examples:
        >>> scoring_order(np.array([0, 2, 3, 4]), np.array([1, 5, 1, 5])).tolist()
        [0, 2, 1, 3]
    """
    uses = np.bincount(np.concatenate([prediction, reference]))
    by_reference = uses[reference] > uses[prediction]
    tied = uses[reference] == uses[prediction]
    shared = np.where(tied, np.minimum(prediction, reference), np.where(by_reference, reference, prediction))
    return np.argsort(shared, kind="stable")


def plan_steps(
    prediction: Integers, reference: Integers, lengths: Integers, *, fresh_tokens: int, kept_tokens: int
) -> Iterator[ScoringStep]:
    """Divide pairs into steps, each with the texts that must be encoded for it.

    Args:
        prediction: shape (p,), number of each pair's prediction.
        reference: shape (p,), number of each pair's reference.
        lengths: shape (m,), tokens of each text.
        fresh_tokens: most tokens to encode in a step, unless a single pair has more.
        kept_tokens: most tokens of texts that stay in memory between two steps.

    Yields:
        Steps that together hold every pair once.
    """
    order = scoring_order(prediction, reference) if len(prediction) else np.empty(0, np.int64)
    texts = list(np.column_stack([prediction[order], reference[order]]))
    for step in plan_groups(texts, lengths, fresh_tokens=fresh_tokens, kept_tokens=kept_tokens):
        yield ScoringStep(order[step.pairs], step.fresh, step.dropped)


def plan_groups(
    groups: Sequence[Integers], lengths: Integers, *, fresh_tokens: int, kept_tokens: int
) -> Iterator[ScoringStep]:
    """Divide a sequence of groups of texts into steps; a group is scored within one step.

    Between steps the texts that are needed soonest stay in memory. Releasing those that are needed last
    encodes the fewest texts again (Belady's rule), which applies here as all groups are known beforehand.

    Args:
        groups: g arrays, each with the numbers of a group's texts.
        lengths: shape (m,), tokens of each text.
        fresh_tokens: see ``plan_steps``; a single group may have more.
        kept_tokens: see ``plan_steps``.

    Yields:
        Steps whose ``pairs`` are numbers of groups; together they hold every group once.

    References:
        Belady 1966, A study of replacement algorithms, doi:10.1147/sj.52.0078.
    """
    members = [group.tolist() for group in groups]
    sizes: list[int] = lengths.tolist()
    uses: defaultdict[int, list[int]] = defaultdict(list)
    for group, texts in enumerate(members):
        for text in texts:
            uses[text].append(group)
    stored: set[int] = set()
    start = 0
    while start < len(members):
        end, fresh = _next_step(members, start, stored, sizes, fresh_tokens)
        available = stored.union(fresh)
        stored, room = set(), kept_tokens
        later = ((bisect_left(uses[text], end), text) for text in available)
        for _, text in sorted((uses[text][use], text) for use, text in later if use < len(uses[text])):
            room -= sizes[text]
            if room < 0:
                break
            stored.add(text)
        dropped = np.array(sorted(available - stored), np.int64)
        yield ScoringStep(np.arange(start, end), np.array(fresh, np.int64), dropped)
        start = end


def _next_step(
    members: Sequence[Sequence[int]], start: int, stored: set[int], sizes: Sequence[int], room: int
) -> tuple[int, list[int]]:
    """Return the end of the step that begins at ``start``, and its texts that are not in memory."""
    fresh: dict[int, None] = {}
    for group in range(start, len(members)):
        new = dict.fromkeys(text for text in members[group] if text not in stored and text not in fresh)
        room -= sum(sizes[text] for text in new)
        if room < 0 and group > start:
            return group, list(fresh)
        fresh |= new
    return len(members), list(fresh)
