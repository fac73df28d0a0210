"""Rows of token ids laid one after the other in batches, so that no row is padded."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from semscale.embedding.engines.batching import SHORT
from semscale.types import Ids, Integers


class EqualRows(NamedTuple):
    """Neighbouring rows of equal length in a batch.

    Attributes:
        row: the first of them in the batch.
        first: place of its first token in the batch.
        rows: how many they are.
        length: tokens in each.
    """

    row: int
    first: int
    rows: int
    length: int


@dataclass(frozen=True)
class PackedRows:
    """Token ids of b rows, one after the other, longest rows first.

    Attributes:
        ids: shape (tokens of all rows,), int32.
        lengths: shape (b,), tokens in each row, descending.
    """

    ids: Ids
    lengths: Integers

    @classmethod
    def of(cls, rows: Sequence[Ids]) -> "PackedRows":
        """Pack rows that are in order of their lengths, longest first."""
        return cls(np.concatenate([np.empty(0, np.int32), *rows]), np.array(list(map(len, rows)), np.int64))

    @cached_property
    def ends(self) -> Ids:
        """Where each row begins, and where the last one ends, shape (b + 1,), int32."""
        return np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.int32)

    @cached_property
    def places(self) -> Ids:
        """The place of each token in its own row, from 0, shape of ``ids``, int32.

        Example:
            >>> PackedRows.of([np.array([7, 8, 9]), np.array([7])]).places.tolist()
            [0, 1, 2, 0]
        """
        return (np.arange(len(self.ids)) - np.repeat(self.ends[:-1], self.lengths)).astype(np.int32)

    @cached_property
    def runs(self) -> list[EqualRows]:
        """Runs of rows of equal length, which together are all rows.

        Example:
            >>> PackedRows.of([np.zeros(3, np.int32), np.zeros(3, np.int32), np.zeros(1, np.int32)]).runs
            [EqualRows(row=0, first=0, rows=2, length=3), EqualRows(row=2, first=6, rows=1, length=1)]
        """
        starts = np.flatnonzero(np.diff(self.lengths, prepend=-1))
        counts = np.diff(np.append(starts, len(self.lengths)))
        columns = (starts, self.ends[starts], counts, self.lengths[starts])
        return [EqualRows(*each) for each in zip(*(column.tolist() for column in columns), strict=True)]


def packed_batches(lengths: Integers, budget: int) -> Iterator[Integers]:
    """Cut rows into batches within a budget of tokens, longest rows first.

    Rows of one batch differ in length, as they are packed, not padded; rows of like length lie together, so
    that few runs of equal length make a batch.

    Args:
        lengths: shape (n,), tokens in each row.
        budget: the most tokens in a batch; a longer row is a batch by itself.

    Yields:
        Arrays of row numbers that together hold every row once.

    Example:
        >>> list(packed_batches(np.array([5, 9, 4, 5]), budget=10))
        [array([1]), array([0, 3]), array([2])]
    """
    order = np.argsort(-lengths, kind="stable")
    ends = np.cumsum(lengths[order])
    start = 0
    while start < len(order):
        before = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + budget, side="right")))
        yield order[start:stop]
        start = stop


def typed_batches(lengths: Integers, budget: int, number_type: str) -> Iterator[tuple[str, Integers]]:
    """Cut rows into batches, each with the type that it is computed in; short rows are always in float32.

    Args:
        lengths: shape (n,), tokens in each row.
        budget: as ``packed_batches`` has it.
        number_type: of rows that are not short, such as ``bfloat16``.

    Example:
        >>> [(kind, rows.tolist()) for kind, rows in typed_batches(np.array([3, 9]), 512, "bfloat16")]
        [('bfloat16', [1]), ('float32', [0])]
    """
    exact = lengths < SHORT if number_type != "float32" else np.ones(len(lengths), np.bool_)
    for kind, those in ((number_type, ~exact), ("float32", exact)):
        rows = np.flatnonzero(those)
        for batch in packed_batches(lengths[rows], budget):
            yield kind, rows[batch]
