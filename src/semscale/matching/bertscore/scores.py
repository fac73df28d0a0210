"""What BERTScore gives: precision, recall and F1 for each item."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from semscale.signature import Signature
from semscale.types import Floats, Integers, Status, are_scored, count_statuses


@dataclass(frozen=True)
class BertPairScores:
    """Scores of p pairs of one prediction and one reference.

    Attributes:
        values: shape (p, 3): precision, recall and F1; NaN where no token has a weight.
        windows: shape (p,), the most windows that one of the pair's two texts was read in.
        signature: what was applied.
    """

    values: Floats
    windows: Integers
    signature: Signature


@dataclass(frozen=True)
class BertScores:
    """BERTScores of n items, in the order of the items.

    Attributes:
        precision: shape (n,), how far what the prediction says is in the reference; NaN where there is none.
        recall: shape (n,), how far what the reference says is in the prediction; NaN likewise.
        f1: shape (n,), the harmonic mean of the two; NaN likewise. Of several references each of the three
            is the highest one by itself.
        status: shape (n,), each a ``Status``: why each item has scores, or has none.
        windows: shape (n,), the most windows that one of the item's texts was read in; 0 where none.
        signature: what was applied.
    """

    precision: Floats
    recall: Floats
    f1: Floats
    status: npt.NDArray[np.object_]
    windows: Integers
    signature: Signature

    def __len__(self) -> int:
        return len(self.status)

    @property
    def scored(self) -> npt.NDArray[np.bool_]:
        """Which items have scores, shape (n,)."""
        return are_scored(self.status)

    @property
    def n_windowed(self) -> int:
        """How many items have a text that is longer than the model reads at once."""
        return int((self.windows > 1).sum())

    @property
    def counts(self) -> dict[Status, int]:
        """How many items have each status, as far as it occurs, in the order of ``Status``."""
        return count_statuses(self.status)

    def with_zeros(self) -> "BertScores":
        """Put 0 where an item has no score, as ``bert_score`` does; the status still says why."""
        filled = {name: np.nan_to_num(getattr(self, name), nan=0.0) for name in _COLUMNS}
        return replace(self, **filled)

    def to_frame(self) -> pl.DataFrame:
        """Lay the scores out as a table, one row per item; what is missing is null.

        Returns:
            Columns ``status``, ``precision``, ``recall``, ``f1`` and ``windows``.
        """
        return pl.DataFrame(
            [
                pl.Series("status", [str(status) for status in self.status], dtype=pl.String),
                *(pl.Series(name, getattr(self, name), nan_to_null=True) for name in _COLUMNS),
                pl.Series("windows", self.windows),
            ]
        )


_COLUMNS = ("precision", "recall", "f1")
