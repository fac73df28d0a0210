"""Best matches of pairs of texts on the device where the vectors of their tokens are."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from semscale.matching.best_matches import Cosines
from semscale.types import Integers

if TYPE_CHECKING:
    import torch

_TOKENS = 1 << 17
"""Tokens whose vectors are gathered for one product; at 384 dimensions they take 200 MB."""
_CELLS = 1 << 24
"""Cosines of one product."""

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

    def read(self, output: Cosines) -> list[Cosines]:
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
