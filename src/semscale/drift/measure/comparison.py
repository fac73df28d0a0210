"""A candidate compared with the baseline, beside what the baseline's own reruns lose."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from semscale.drift.measure.losses import mean_loss
from semscale.drift.measure.measured import MeasuredRun
from semscale.drift.measure.metrics import Metric
from semscale.history.runs import Run
from semscale.signature import Signature
from semscale.types import Floats


@dataclass(frozen=True)
class Comparison:
    """A candidate beside the baseline.

    Attributes:
        baseline: the approved run.
        candidate: the run that is asked about; its items stand in the baseline's order.
        measured: the candidate against the baseline.
        reruns: runs of the baseline's model, unchanged, each against the baseline.
        floors: for each metric that was asked for, the mean loss of another item's outputs: what text that
            has nothing to do with the item loses.
    """

    baseline: Run
    candidate: Run
    measured: MeasuredRun
    reruns: tuple[MeasuredRun, ...] = ()
    floors: Mapping[str, float] = field(default_factory=dict)

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """What was measured, by name."""
        return self.measured.metrics

    @property
    def signature(self) -> Signature:
        """How it was measured."""
        return self.measured.signature

    def losses(self, metric: str) -> Floats:
        """Give the candidate's loss of each item, shape (n,); NaN where it has none."""
        return self.measured.losses[metric]

    def expected(self, metric: str) -> Floats:
        """Give what reruns of the baseline lose, item by item: their mean; 0 where there is no rerun.

        A rerun without a value has nothing to lose there, as it is silent where the baseline is: it counts 0.

        Returns:
            Shape (n,); NaN where reruns were made and none of them has a value.
        """
        if not self.reruns:
            return np.zeros(len(self.baseline.items))
        stacked = np.array([rerun.losses[metric] for rerun in self.reruns])
        is_missing = np.isnan(stacked)
        return np.where(is_missing.all(axis=0), np.nan, np.where(is_missing, 0.0, stacked).mean(axis=0))

    def drifts(self, metric: str) -> Floats:
        """Give each item's drift: its loss less what reruns lose, shape (n,).

        NaN where the candidate has no loss. Where only the reruns have none, as they are silent like the
        baseline, all that the candidate says is drift.
        """
        expected = self.expected(metric)
        return self.losses(metric) - np.where(np.isnan(expected), 0.0, expected)

    def noise(self, metric: str) -> float | None:
        """Give the mean loss of reruns; ``None`` without a rerun, NaN where none has a value."""
        if not self.reruns:
            return None
        return mean_loss(self.expected(metric))

    def noise_size(self, metric: str) -> float | None:
        """Give the root mean square of the losses of reruns, item by item; ``None`` without a rerun.

        It grows with what they lose on average and with how unevenly they lose it. NaN where none has a
        value.
        """
        if not self.reruns:
            return None
        losses = np.concatenate([rerun.losses[metric] for rerun in self.reruns])
        return math.sqrt(mean_loss(losses**2))

    def members(self, kind: str) -> dict[str, np.typing.NDArray[np.bool_]]:
        """Say which items belong to each group of a kind, each of shape (n,), by name in sorted order."""
        names = np.array([item.groups.get(kind) for item in self.baseline.items], dtype=object)
        return {name: names == name for name in sorted({name for name in names if name is not None})}
