"""Losses of one run against the baseline, by item, with its aligned pairs of outputs."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self, Unpack

import numpy as np
import polars as pl

from semscale.drift.measure.metrics import Metric
from semscale.guards.findings import Finding
from semscale.results.estimates import Estimates, EstimateSettings, estimate_values
from semscale.results.result import Result
from semscale.signature import Signature
from semscale.types import Floats, Integers, Mask, Statuses


@dataclass(frozen=True)
class AlignedPair:
    """Two aligned outputs of one item, or one output without a partner.

    Attributes:
        item: number of the item, from 0.
        baseline: position among the baseline's outputs with a text; ``None`` if the candidate's is extra.
        candidate: position among the candidate's outputs with a text; ``None`` if it lacks one.
        scores: ``match``, ``bertscore_f1`` and ``cosine`` of the pair; empty without a partner.
        findings: findings of the guards; the candidate's text is the "prediction".
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
        metrics: the measured metrics by name.
        losses: for each metric, shape (n,); NaN for an item without a value.
        status: shape (n,), each a ``Status``: ``scored``, or ``empty`` if neither run has a text.
        pairs: all pairs, item by item.
        signature: settings of the measurement.
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
            bounds={name: self.metrics[name].bounds for name in self.losses},
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
        """Return the losses as a table with one row per item; missing ones are null.

        Returns:
            Columns ``status`` and one for each metric.
        """
        status = pl.Series("status", [str(status) for status in self.status], dtype=pl.String)
        losses = (pl.Series(name, values, nan_to_null=True) for name, values in self.losses.items())
        return pl.DataFrame([status, *losses])
