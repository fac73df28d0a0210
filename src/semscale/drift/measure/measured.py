"""One run measured against the baseline, item by item and pair by pair."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import polars as pl

from semscale.drift.measure.metrics import Metric
from semscale.guards.findings import Finding
from semscale.signature import Signature
from semscale.types import Floats


@dataclass(frozen=True)
class AlignedPair:
    """Two outputs of one item that belong together, or one that has no partner.

    Attributes:
        item: which of the n items.
        baseline: which of the item's spoken baseline outputs; ``None``: the candidate says something extra.
        candidate: which of the item's spoken candidate outputs; ``None``: the candidate lacks it.
        scores: of the pair: ``match``, ``bertscore_f1`` and ``cosine``; empty without a partner.
        findings: what guards found in it; the candidate's text is the "prediction".
    """

    item: int
    baseline: int | None
    candidate: int | None
    scores: Mapping[str, float] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class MeasuredRun:
    """One run's losses against the baseline's n items, in the order of the baseline's items.

    Attributes:
        metrics: what was measured, by name.
        losses: of each metric, shape (n,); NaN where an item has no value.
        status: shape (n,), each a ``Status``: ``scored``, or ``empty`` where neither run says anything.
        pairs: all pairs, by item.
        signature: how it was measured.
    """

    metrics: Mapping[str, Metric]
    losses: Mapping[str, Floats]
    status: npt.NDArray[np.object_]
    pairs: tuple[AlignedPair, ...]
    signature: Signature

    def to_frame(self) -> pl.DataFrame:
        """Lay the losses out as a table, one row per item; what is missing is null.

        Returns:
            Columns ``status`` and one for each metric.
        """
        status = pl.Series("status", [str(status) for status in self.status], dtype=pl.String)
        losses = (pl.Series(name, values, nan_to_null=True) for name, values in self.losses.items())
        return pl.DataFrame([status, *losses])
