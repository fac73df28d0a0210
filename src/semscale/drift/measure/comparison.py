"""The comparison of a candidate with the baseline: its losses, its drifts, and the noise of reruns."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from semscale.drift.measure.losses import mean_loss
from semscale.drift.measure.measured import MeasuredRun
from semscale.drift.measure.metrics import Metric
from semscale.drift.runs.item_matching import ItemMatching
from semscale.history.item_json import digest_items
from semscale.history.items import Item
from semscale.history.runs import Run
from semscale.signature import Signature
from semscale.types import Floats


@dataclass(frozen=True)
class Comparison:
    """A candidate measured against the baseline, with reruns of the baseline.

    Attributes:
        baseline: the approved run, with the items that are compared.
        candidate: the run that is compared, with the same items in the baseline's order.
        measured: losses of the candidate against the baseline.
        reruns: losses of each rerun of the baseline's model against the baseline.
        floors: for each metric the mean loss of another item's outputs, that is, of unrelated texts; empty if
            not measured.
        matching: which of the baseline's items are compared.
        recorded: the candidate with all its items, as a history has it; ``None`` if ``candidate`` is it.
        rerun_items: what each rerun gave for the items, in the baseline's order, for the hard limits; empty
            where that is not known.
    """

    baseline: Run
    candidate: Run
    measured: MeasuredRun
    reruns: tuple[MeasuredRun, ...] = ()
    floors: Mapping[str, float] = field(default_factory=dict)
    matching: ItemMatching = field(default_factory=ItemMatching)
    recorded: Run | None = None
    rerun_items: tuple[tuple[Item, ...], ...] = ()

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """The measured metrics by name."""
        return self.measured.metrics

    @property
    def signature(self) -> Signature:
        """The settings of the measurement, with the items that were compared where these are not all."""
        if not self.matching.n_left_out:
            return self.measured.signature
        return self.measured.signature.extended(Signature.of("items", common=self.baseline.dataset_version))

    @cached_property
    def outputs_digest(self) -> str:
        """Hash of the candidate's items and outputs, as a history has it."""
        return digest_items((self.recorded or self.candidate).items)

    def losses(self, metric: str) -> Floats:
        """Return the candidate's loss for each item, shape (n,); NaN for an item without one."""
        return self.measured.losses[metric]

    def expected(self, metric: str) -> Floats:
        """Return the mean loss of the reruns for each item; 0 without reruns.

        A rerun without a value counts 0, as both it and the baseline have no output for the item.

        Returns:
            Shape (n,); NaN for an item for which no rerun has a value.
        """
        if not self.reruns:
            return np.zeros(len(self.baseline.items))
        stacked = np.array([rerun.losses[metric] for rerun in self.reruns])
        is_missing = np.isnan(stacked)
        return np.where(is_missing.all(axis=0), np.nan, np.where(is_missing, 0.0, stacked).mean(axis=0))

    def drifts(self, metric: str) -> Floats:
        """Return each item's drift, its loss minus the reruns' mean loss, shape (n,).

        The drift is NaN if the candidate has no loss. If only the reruns have none, because neither they nor
        the baseline have an output, the candidate's whole loss is drift.
        """
        expected = self.expected(metric)
        return self.losses(metric) - np.where(np.isnan(expected), 0.0, expected)

    def noise(self, metric: str) -> float | None:
        """Return the mean loss of reruns; ``None`` without a rerun, NaN if none has a value."""
        if not self.reruns:
            return None
        return mean_loss(self.expected(metric))

    def noise_rms(self, metric: str) -> float | None:
        """Return the root mean square of the reruns' losses over the items; ``None`` without a rerun.

        It grows with the mean of the losses and with their variation over the items. NaN if none has a value.
        """
        if not self.reruns:
            return None
        losses = np.concatenate([rerun.losses[metric] for rerun in self.reruns])
        return math.sqrt(mean_loss(losses**2))

    def members(self, kind: str) -> dict[str, np.typing.NDArray[np.bool_]]:
        """Return the members of each group of a kind, shape (n,), by name in sorted order."""
        names = np.array([item.groups.get(kind) for item in self.baseline.items], dtype=object)
        return {name: names == name for name in sorted({name for name in names if name is not None})}
