"""What BERTScore gives: precision, recall and F1 for each item."""

from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np
import polars as pl

from semscale.results.estimates import Estimates
from semscale.results.estimating import EstimateSettings, estimate_values
from semscale.results.result import Result
from semscale.signature import Signature
from semscale.types import Floats, Integers, Statuses


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


@dataclass(frozen=True, repr=False)
class BertScores(Result):
    """BERTScores of n items, in the order of the items.

    Attributes:
        precision: shape (n,), how far what the prediction says is in the reference; NaN where there is none.
        recall: shape (n,), how far what the reference says is in the prediction; NaN likewise.
        f1: shape (n,), the harmonic mean of the two; NaN likewise. Of several references each of the three
            is the highest one by itself.
        status: shape (n,), each a ``Status``: why each item has scores, or has none.
        windows: shape (n,), the most windows that one of the item's texts was read in; 0 where none.
        signature: what was applied.
        bounds: the least and the greatest score that there can be; rescaled ones go lower.
    """

    precision: Floats
    recall: Floats
    f1: Floats
    status: Statuses
    windows: Integers
    signature: Signature
    bounds: tuple[float, float] = (-1.0, 1.0)

    row_fields = ("precision", "recall", "f1", "status", "windows")

    def with_zeros(self) -> "BertScores":
        """Put 0 where an item has no score, as ``bert_score`` does; the status still says why."""
        filled = {name: np.nan_to_num(getattr(self, name), nan=0.0) for name in _COLUMNS}
        return replace(self, **filled)

    def estimate(self, **settings: Unpack[EstimateSettings]) -> Estimates:
        """Estimate mean precision, recall and F1 of all items and of each group; F1 is the main one.

        Args:
            settings: ``by``, ``weights``, ``respondents``, and how intervals are made; see
                ``EstimateSettings``.

        Raises:
            InputError: a column of the wrong length, a wrong weight, or a setting out of range.
        """
        return estimate_values(
            {name: getattr(self, name) for name in _COLUMNS},
            self.status,
            bounds=dict.fromkeys(_COLUMNS, self.bounds),
            main="f1",
            signature=self.signature,
            **settings,
        )

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
