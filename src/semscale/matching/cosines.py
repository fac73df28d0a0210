"""Cosines of whole texts, and of the best matches in matrices of them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from semscale.embedding import Embedder
from semscale.embedding.embedder import Embeddings
from semscale.embedding.part_progress import shifted
from semscale.matching.pairs import Pairs, ScoredPairs
from semscale.signature import Signature
from semscale.types import Floats, Integers, Mask, Progress

if TYPE_CHECKING:
    import torch


_FRESH = 4096  # texts that are embedded together


_KEPT = 16_384  # texts whose vectors are kept for later pairs: 25 MB for 384 dimensions


_BLOCK = 4096  # pairs whose vectors are held in float64 together


@dataclass(frozen=True)
class TextCosines:
    """Cosines of p pairs of texts.

    Attributes:
        values: shape (p,), -1 to 1; equal texts have exactly 1.
        windows: shape (p,), the most windows that one of the two texts was read in.
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
        """The embedder's."""
        return self._embedder.signature

    def of(
        self,
        texts: Sequence[str],
        first: Integers,
        second: Integers,
        progress: Progress | None = None,
    ) -> TextCosines:
        """Give the cosine of each pair of texts.

        Vectors are held of some thousand texts at a time: pairs that share a text stand together, and a text
        is embedded again only where thousands of others came between two of its pairs.

        Args:
            texts: shape (m,).
            first: shape (p,), rows in ``texts``.
            second: shape (p,), likewise.
            progress: called while texts are embedded.
        """
        values = np.empty(len(first))
        windows, unread = np.zeros(len(texts), np.int64), np.zeros(len(texts), np.bool_)
        held, done = _HeldVectors(self._embedder.dimensions), 0
        of_each = np.ones(len(texts), np.int64)
        for step in plan_steps(first, second, of_each, fresh_tokens=_FRESH, kept_tokens=_KEPT):
            fresh = [texts[place] for place in step.fresh.tolist()]
            if fresh:
                told = shifted(progress, done, max(len(texts), done + len(fresh)))
                found = self._embedder.embed(fresh, progress=told)
                windows[step.fresh], unread[step.fresh] = found.windows, found.unread
                held.add(step.fresh, found)
                done += len(fresh)
            for start in range(0, len(step.pairs), _BLOCK):
                rows = step.pairs[start : start + _BLOCK]
                values[rows] = row_cosines(held.of(first[rows]), held.of(second[rows]))
            held.drop(step.dropped)
        return TextCosines(
            values, np.maximum(windows[first], windows[second]), unread[first] | unread[second]
        )


class _HeldVectors:
    """Vectors of the texts that are needed now, by the texts' numbers."""

    def __init__(self, dimensions: int) -> None:
        self._numbers = np.empty(0, np.int64)  # ascending
        self._vectors = np.empty((0, dimensions), np.float32)

    def add(self, numbers: Integers, found: Embeddings) -> None:
        """Take the vectors of further texts."""
        joined = np.concatenate([self._numbers, numbers])
        order = np.argsort(joined)
        self._numbers = joined[order]
        self._vectors = np.concatenate([self._vectors, found.vectors])[order]

    def of(self, numbers: Integers) -> Floats:
        """Give the vectors of texts, shape (n, d), as float64."""
        vectors: Floats = self._vectors[np.searchsorted(self._numbers, numbers)].astype(np.float64)
        return vectors

    def drop(self, numbers: Integers) -> None:
        """Let go of texts."""
        kept = ~np.isin(self._numbers, numbers)
        self._numbers, self._vectors = self._numbers[kept], self._vectors[kept]


class CosineMatch:
    """Matches by the cosine of the two texts' vectors.

    Args:
        embedder: turns texts into unit vectors.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._cosines = Cosines(embedder)

    @property
    def signature(self) -> Signature:
        """What is applied."""
        return Signature.of("match", method="cosine").extended(self._cosines.signature)

    def score(self, pairs: Pairs, progress: Progress | None = None) -> ScoredPairs:
        """Score every pair, -1 to 1."""
        found = self._cosines.of(pairs.texts, pairs.prediction, pairs.reference, progress)
        return ScoredPairs(
            found.values, {}, found.windows, self.signature, bounds=(-1.0, 1.0), unread=found.unread
        )


def row_cosines(ours: Floats, theirs: Floats) -> Floats:
    """Give the cosine of each row with the row across, shape (p,); exactly 1 for equal rows.

    A row's result does not depend on the other rows.

    Example:
        >>> row_cosines(np.array([[3.0, 4.0], [1.0, 0.0]]), np.array([[3.0, 4.0], [0.0, 2.0]])).tolist()
        [1.0, 0.0]
    """
    dots, norms, others = (
        np.einsum("ij,ij->i", a, b) for a, b in ((ours, theirs), (ours, ours), (theirs, theirs))
    )
    cosines: Floats = np.clip(dots / np.sqrt(norms * others), -1.0, 1.0)
    return cosines


Rows = TypeVar("Rows", np.float32, np.float64)


def unit_rows(rows: npt.NDArray[Rows], out: npt.NDArray[Rows] | None = None) -> npt.NDArray[Rows]:
    """Give every row Euclidean length 1; a row of zeros stays as it is.

    Args:
        rows: shape (r, d), in C order.
        out: where to write them, ``rows`` itself at most; a new array unless given.

    Returns:
        Shape (r, d), in the precision of ``rows``.

    Example:
        >>> unit_rows(np.array([[3, 4], [0, 0]], np.float32)).tolist()
        [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    lengths = np.sqrt(np.einsum("rd,rd->r", rows, rows))
    return np.asarray(
        np.divide(rows, np.where(lengths > 0, lengths, lengths.dtype.type(1))[:, None], out=out)
    )


CosineMatrix = npt.NDArray[Any]
"""In single or double precision."""


def mean_best(
    matrices: Iterable[CosineMatrix],
    weights: Sequence[tuple[Floats, Floats]],
    reading: Callable[[CosineMatrix], CosineMatrix],
) -> Floats:
    """Compute the weighted mean of the rows' best cosines, and of the columns' ones, for each of p matrices.

    The best cosines of all matrices are mapped and averaged together, which is faster than one by one and
    gives the same numbers.

    Args:
        matrices: p matrices of shape (..., r, c).
        weights: for each matrix the weights of its rows, shape (r,), and columns, shape (c,), at least 0.
        reading: function applied to every best cosine before the mean.

    Returns:
        Shape (..., p, 2); NaN where no row, or no column, has a weight.

    Example:
        >>> matrix = np.array([[1.0, 0.5], [0.0, 0.25]])
        >>> mean_best([matrix], [(np.ones(2), np.array([1.0, 0.0]))], np.abs).tolist()
        [[0.625, 1.0]]
    """
    best = [side for matrix in matrices for side in (matrix.max(axis=-1), matrix.max(axis=-2))]
    return mean_of_best(best, weights, reading)


def mean_of_best(
    best: Sequence[CosineMatrix],
    weights: Sequence[tuple[Floats, Floats]],
    reading: Callable[[CosineMatrix], CosineMatrix],
) -> Floats:
    """Average the best cosines of p matrices, as ``mean_best`` does once it has found them.

    Args:
        best: for each matrix the best cosines of its rows, shape (..., r), then those of its columns,
            shape (..., c).
        weights: as there.
        reading: as there.
    """
    sides = [side for pair in weights for side in pair]
    means = _weighted_means(
        reading(np.concatenate(best, axis=-1)), np.concatenate(sides), [len(side) for side in sides]
    )
    return means.reshape(*means.shape[:-1], -1, 2)


def _weighted_means(values: CosineMatrix, weights: Floats, counts: Sequence[int]) -> Floats:
    """Average runs of values, whose lengths are ``counts``, each as if it stood alone."""
    starts = np.cumsum([0, *counts[:-1]])
    totals = np.add.reduceat(weights, starts)
    sums = np.add.reduceat(values * weights, starts, axis=-1)
    return np.asarray(sums / np.where(totals > 0, totals, np.nan))


@dataclass(frozen=True)
class ScoringStep:
    """Pairs that are scored together, with the texts to encode and to keep for them.

    Attributes:
        pairs: numbers of the pairs.
        fresh: texts that must be encoded for them; all others they need are there from steps before.
        dropped: texts that are let go afterwards.
    """

    pairs: Integers
    fresh: Integers
    dropped: Integers


def scoring_order(prediction: Integers, reference: Integers) -> Integers:
    """Order pairs so that those which share a text stand together.

    Of a pair's two texts the one that more pairs need decides its place.

    Args:
        prediction: shape (p,), number of each pair's prediction.
        reference: shape (p,), number of each pair's reference.

    Returns:
        Shape (p,), numbers of the pairs.

    Example:
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
    """Cut pairs into steps, and choose the texts to keep between them: those that are needed soonest.

    Releasing the texts that are needed last encodes the fewest texts again (Belady's rule). It can be applied
    here, as all pairs are known beforehand.

    Args:
        prediction: shape (p,), number of each pair's prediction.
        reference: shape (p,), number of each pair's reference.
        lengths: shape (m,), tokens of each text.
        fresh_tokens: most tokens to encode in a step, unless a single pair has more.
        kept_tokens: most tokens of texts that are kept between two steps.

    Yields:
        Steps that together hold every pair once.

    References:
        Belady 1966, A study of replacement algorithms, doi:10.1147/sj.52.0078.
    """
    order = scoring_order(prediction, reference) if len(prediction) else np.empty(0, np.int64)
    texts = np.column_stack([prediction[order], reference[order]])
    for step in plan_groups(list(texts), lengths, fresh_tokens=fresh_tokens, kept_tokens=kept_tokens):
        yield replace(step, pairs=order[step.pairs])


def plan_groups(
    groups: Sequence[Integers], lengths: Integers, *, fresh_tokens: int, kept_tokens: int
) -> Iterator[ScoringStep]:
    """Cut a sequence of groups of texts into steps; a group is scored within one step.

    Args:
        groups: g arrays, each with the numbers of a group's texts.
        lengths: shape (m,), tokens of each text.
        fresh_tokens: as ``plan_steps`` has it, unless a single group has more.
        kept_tokens: as ``plan_steps`` has it.

    Yields:
        Steps whose ``pairs`` are numbers of groups; together they hold every group once.
    """
    uses = _Uses(groups)
    kept: set[int] = set()
    start = 0
    while start < len(groups):
        end, fresh = _filled(uses, start, kept, lengths, fresh_tokens)
        needed = kept | set(fresh)
        kept = _worth_keeping(needed, uses, end, lengths, kept_tokens)
        dropped = np.array(sorted(needed - kept), np.int64)
        yield ScoringStep(np.arange(start, end), np.array(fresh, np.int64), dropped)
        start = end


class _Uses:
    """At which places of the order each text is needed."""

    def __init__(self, groups: Sequence[Integers]) -> None:
        self.groups = groups
        texts = np.concatenate([np.empty(0, np.int64), *groups])
        places = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
        by_text = np.argsort(texts, kind="stable")
        self._places = places[by_text]
        counts = np.bincount(texts, minlength=1)
        self._starts = np.concatenate([[0], np.cumsum(counts)])

    def next_after(self, text: int, place: int) -> int | None:
        """First place from ``place`` on that needs a text; ``None`` if none does."""
        own = self._places[self._starts[text] : self._starts[text + 1]]
        at = int(np.searchsorted(own, place))
        return int(own[at]) if at < len(own) else None


def _filled(
    uses: _Uses, start: int, kept: set[int], lengths: Integers, fresh_tokens: int
) -> tuple[int, list[int]]:
    """Take groups from ``start`` on while their fresh texts fit; say where they end and what is fresh."""
    fresh: dict[int, None] = {}
    room = fresh_tokens
    for place in range(start, len(uses.groups)):
        new = {int(text): None for text in uses.groups[place] if text not in kept and text not in fresh}
        room -= int(sum(lengths[text] for text in new))
        if room < 0 and place > start:
            return place, list(fresh)
        fresh |= new
    return len(uses.groups), list(fresh)


def _worth_keeping(
    candidates: set[int], uses: _Uses, end: int, lengths: Integers, kept_tokens: int
) -> set[int]:
    needed = [(at, text) for text in candidates if (at := uses.next_after(text, end)) is not None]
    kept: set[int] = set()
    for _, text in sorted(needed):
        kept_tokens -= int(lengths[text])
        if kept_tokens < 0:
            break
        kept.add(text)
    return kept


_TOKENS = 1 << 17
"""Tokens whose vectors are gathered for one product; at 384 dimensions they take 200 MB."""


_CELLS = 1 << 24
"""CosineMatrix of one product."""


Places = tuple[Integers, Integers]
"""Of a pair: the rows of its prediction's tokens and of its reference's."""


def best_on_device(
    units: "torch.Tensor", pairs: Sequence[Places]
) -> "Iterator[tuple[BestMatches, torch.Tensor]]":
    """Compute the best cosine of every token of each pair, some pairs in one product.

    Pairs of like lengths share a product; shorter ones are padded, and what is padded is nobody's best match.

    Args:
        units: shape (rows, d), unit rows, on any device.
        pairs: p pairs; no text is without a token.

    Yields:
        The numbers of the pairs in a product with what reads its output, and the output, which the device may
        still be computing.
    """
    lengths = np.array([(len(ours), len(theirs)) for ours, theirs in pairs], np.int64).reshape(-1, 2)
    for block in length_blocks(lengths, tokens=_TOKENS, cells=_CELLS):
        found = BestMatches(block, lengths[block])
        yield found, _best(units, [pairs[pair] for pair in block.tolist()], lengths[block])


class BestMatches:
    """Reads the best cosines of some pairs from the output of their product.

    Args:
        pairs: shape (b,), their numbers.
        lengths: shape (b, 2), tokens of prediction and reference.

    Attributes:
        pairs: as given.
    """

    def __init__(self, pairs: Integers, lengths: Integers) -> None:
        self.pairs = pairs
        self._lengths = lengths

    def read(self, output: CosineMatrix) -> list[CosineMatrix]:
        """Give the best cosines of each pair's prediction, then of its reference, each of shape (t,).

        Args:
            output: shape (b, longest prediction + longest reference).
        """
        wide = int(self._lengths[:, 0].max())
        return [
            side
            for row, (ours, theirs) in zip(output, self._lengths.tolist(), strict=True)
            for side in (row[:ours], row[wide : wide + theirs])
        ]


def length_blocks(lengths: Integers, *, tokens: int, cells: int) -> Iterator[Integers]:
    """Cut pairs into blocks of like lengths, longest first.

    Args:
        lengths: shape (p, 2), tokens of prediction and reference.
        tokens: most tokens in a block, padding included, unless one pair has more.
        cells: most cosines in a block, likewise.

    Yields:
        Numbers of pairs; together they hold every pair once.

    Example:
        >>> blocks = length_blocks(np.array([[3, 4], [9, 2], [3, 5]]), tokens=16, cells=100)
        >>> [block.tolist() for block in blocks]
        [[1], [2, 0]]
    """
    order = np.lexsort((lengths[:, 1], lengths[:, 0]))[::-1]
    start = 0
    while start < len(order):
        # The first of a block has its longest prediction; the longest reference is met on the way.
        wide = int(lengths[order[start], 0])
        tall = np.maximum.accumulate(lengths[order[start:], 1])
        count = np.arange(1, len(tall) + 1)
        fits = (count * (wide + tall) <= tokens) & (count * wide * tall <= cells)
        stop = start + max(1, len(fits) if fits.all() else int(fits.argmin()))
        yield order[start:stop]
        start = stop


def _best(units: "torch.Tensor", pairs: Sequence[Places], lengths: Integers) -> "torch.Tensor":
    """Give best cosines of the predictions' tokens beside those of the references', (b, t + s)."""
    import torch

    ours, theirs = (_padded([pair[side] for pair in pairs], lengths[:, side]) for side in (0, 1))
    with torch.inference_mode():
        rows = torch.from_numpy(np.concatenate([ours, theirs], axis=1)).to(units.device)
        there = torch.from_numpy(lengths).to(units.device)
        wide = ours.shape[1]
        beyond = [
            torch.arange(size, device=units.device)[None, :] >= there[:, side, None]
            for side, size in enumerate((wide, theirs.shape[1]))
        ]
        vectors = units[rows]
        cosines = torch.bmm(vectors[:, :wide], vectors[:, wide:].transpose(1, 2))
        of_ours = cosines.masked_fill(beyond[1][:, None, :], -torch.inf).amax(2)
        of_theirs = cosines.masked_fill(beyond[0][:, :, None], -torch.inf).amax(1)
        return torch.cat([of_ours, of_theirs], dim=1)


def _padded(rows: Sequence[Integers], lengths: Integers) -> Integers:
    """Lay rows of numbers under each other, (b, longest), with 0 behind the shorter ones."""
    found = np.zeros((len(rows), int(lengths.max())), np.int64)
    found[np.arange(found.shape[1]) < lengths[:, None]] = np.concatenate(rows)
    return found
