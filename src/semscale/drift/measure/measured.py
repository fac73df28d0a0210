"""One run measured against the baseline, item by item and pair by pair."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self, Unpack

import numpy as np
import polars as pl

from semscale.drift.measure.metrics import Metric
from semscale.guards.findings import Finding
from semscale.results.estimates import Estimates
from semscale.results.estimating import EstimateSettings, estimate_values
from semscale.results.result import Result
from semscale.signature import Signature
from semscale.types import Floats, Integers, Mask, Statuses


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


@dataclass(frozen=True, repr=False)
class MeasuredRun(Result):
    """One run's losses against the baseline's n items, in the order of the baseline's items.

    Attributes:
        metrics: what was measured, by name.
        losses: of each metric, shape (n,); NaN where an item has no value.
        status: shape (n,), each a ``Status``: ``scored``, or ``empty`` where neither run says anything.
        pairs: all pairs, by item.
        signature: how it was measured.
        windows: shape (n,), the most windows that one of the item's texts was read in; 0 where there is none.
            ``None`` where nothing was read.
    """

    metrics: Mapping[str, Metric]
    losses: Mapping[str, Floats]
    status: Statuses
    pairs: tuple[AlignedPair, ...]
    signature: Signature
    windows: Integers | None = None

    def estimate(self, **settings: Unpack[EstimateSettings]) -> Estimates:
        """Estimate the mean loss in every metric over all items and each group; the first is the main one.

        Args:
            settings: ``by``, ``weights``, ``respondents``, and how intervals are made; see
                ``EstimateSettings``.

        Raises:
            InputError: a column of the wrong length, a wrong weight, or a setting out of range.
        """
        return estimate_values(
            self.losses,
            self.status,
            bounds={name: (0.0, self.metrics[name].span) for name in self.losses},
            signature=self.signature,
            **settings,
        )

    def _with_rows(self, rows: Mask) -> Self:
        places = np.cumsum(rows) - 1
        return replace(
            self,
            losses={name: losses[rows] for name, losses in self.losses.items()},
            status=self.status[rows],
            pairs=tuple(replace(pair, item=int(places[pair.item])) for pair in self.pairs if rows[pair.item]),
            windows=None if self.windows is None else self.windows[rows],
        )

    def to_frame(self) -> pl.DataFrame:
        """Lay the losses out as a table, one row per item; what is missing is null.

        Returns:
            Columns ``status`` and one for each metric.
        """
        status = pl.Series("status", [str(status) for status in self.status], dtype=pl.String)
        losses = (pl.Series(name, values, nan_to_null=True) for name, values in self.losses.items())
        return pl.DataFrame([status, *losses])
