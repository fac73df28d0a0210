"""How often texts come up again in other parts of a table, and whether embedding them once pays."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np
import polars as pl

from semscale.embedding.texts import text_status
from semscale.store.table import Table
from semscale.types import Integers, Status

Sharing = Literal["auto", "always", "never"]
"""When equal texts of different parts are embedded once in the cluster: ``auto`` where it pays."""

TextsIn = Callable[[pl.DataFrame], Collection[str]]
"""Finds the distinct texts that are embedded for some rows."""

SHARINGS: tuple[Sharing, ...] = ("auto", "always", "never")

WORTH = 0.10
"""Share of saved embeddings, of all texts that are sent, above which sending them pays.

Sending a text to the process that embeds it, and its vector back, costs about that share of embedding a short
text with the fastest model (``bench/cluster_repeats.py``: 9 %); with slower models it pays earlier.
"""

_SAMPLED = 200_000  # texts of all parts that a sample has, about


class Repeats(NamedTuple):
    """How often texts are embedded in a run, estimated from a sample of the distinct ones.

    Attributes:
        sent: distinct texts of each part, added up.
        alone: embeddings where each part, or each node with a cache, works for itself.
        distinct: different texts of all parts: the embeddings where equal texts are shared.
    """

    sent: float
    alone: float
    distinct: float

    @property
    def pays(self) -> bool:
        """Whether sharing saves more than it costs.

        Example:
            >>> Repeats(1000, 1000, 950).pays, Repeats(1000, 1000, 500).pays, Repeats(0, 0, 0).pays
            (False, True, False)
        """
        return self.alone - self.distinct > WORTH * self.sent


def text_hashes(texts: Sequence[str]) -> Integers:
    """Hash texts, alike on all machines: shape (n,), from 0 to 2^63 - 1."""
    digests = (hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8) for text in texts)
    joined = b"".join(digest.digest() for digest in digests)
    return (np.frombuffer(joined, "<u8") >> np.uint64(1)).astype(np.int64)


def sampling_step(n_rows: int) -> int:
    """Choose of how many hashes a sample takes one, so that it has about as many texts for any table.

    Example:
        >>> sampling_step(1000), sampling_step(10_000_000)
        (1, 50)
    """
    return max(1, n_rows // _SAMPLED)


def texts_of(cells: Iterable[object]) -> set[str]:
    """Find the distinct texts among cells.

    Example:
        >>> sorted(texts_of(["good", None, " ", "bad", "good"]))
        ['bad', 'good']
    """
    return {str(cell) for cell in cells if text_status(cell) == Status.SCORED}


def sampled_texts(
    table: Table,
    texts_in: TextsIn,
    size: int,
    starts: range,
    step: int,
) -> Integers:
    """Read parts that follow each other, and sample the distinct texts of each by their hash.

    A text is in the sample of all parts or of none, so that the sample shows how often it comes up again.

    Args:
        table: the input.
        texts_in: finds the distinct texts that are embedded for some rows.
        size: rows of a part.
        starts: first rows of the parts, each ``size`` after the one before.
        step: one of so many hashes is taken.

    Returns:
        The hashes, one for each part in which a text stands.
    """
    found = [np.zeros(0, np.int64)]
    for _, batch in zip(starts, table.batches(size, starts[0]), strict=False):
        hashes = text_hashes(list(texts_in(batch)))
        found.append(hashes[hashes % step == 0])
    return np.concatenate(found)


def repeats_in(sample: Integers, *, nodes: int | None) -> Repeats:
    """Count the embeddings of a sample.

    Args:
        sample: hashes of texts, one for each part in which a text stands.
        nodes: nodes that each keep vectors in a cache of their own; ``None`` where nothing is kept, so that
            each part embeds its texts. A text in r parts is expected on m (1 - (1 - 1/m)^r) of m nodes.

    Example:
        >>> repeats_in(np.array([1, 1, 1, 2]), nodes=None)
        Repeats(sent=4.0, alone=4.0, distinct=2.0)
        >>> repeats_in(np.array([1, 1, 1, 2]), nodes=2)
        Repeats(sent=4.0, alone=2.75, distinct=2.0)
    """
    counts = np.unique(sample, return_counts=True)[1]
    alone = counts if nodes is None else nodes * (1 - (1 - 1 / nodes) ** counts)
    return Repeats(float(counts.sum()), float(alone.sum()), float(len(counts)))
