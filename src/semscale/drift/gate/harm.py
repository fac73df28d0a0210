"""Harm: how much worse each item came out, summed over metrics, each as a share of its worst case."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from semscale.drift.gate.decision import GateDecision
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.measured import AlignedPair
from semscale.types import Floats

_PARTNERLESS = -1.0  # below every score: pairs that lack an output come first


@dataclass(frozen=True)
class HarmedItem:
    """One item that came out worse.

    Attributes:
        place: which of the n items.
        harm: drift beyond the margin as a share of each metric's span, summed over metrics.
        drifts: by metric, the metric that adds most to the harm first; without metrics that have no value.
    """

    place: int
    harm: float
    drifts: dict[str, float]


@dataclass(frozen=True)
class Harm:
    """The harm of n items in m metrics.

    Attributes:
        names: of the metrics.
        drifts: shape (m, n), each item's drift; NaN where it has none.
        parts: shape (m, n), drift beyond the margin as a share of the metric's span; NaN likewise.
    """

    names: tuple[str, ...]
    drifts: Floats
    parts: Floats

    @property
    def of_items(self) -> Floats:
        """Harm of each item, shape (n,), at least 0; NaN where no metric has a value."""
        none = np.isnan(self.parts).all(axis=0)
        return np.where(none, np.nan, np.nansum(self.parts, axis=0))

    @property
    def n_harmed(self) -> int:
        """Items whose harm is above 0."""
        return int((self.of_items > 0).sum())

    def worst(self, limit: int) -> tuple[HarmedItem, ...]:
        """Give the items with the greatest harm above 0, the worst first; as many as ``limit`` at most."""
        total = np.nan_to_num(self.of_items)
        places = np.argsort(-total, kind="stable")[:limit]
        return tuple(self._item(place, float(total[place])) for place in places[total[places] > 0].tolist())

    def _item(self, place: int, harm: float) -> HarmedItem:
        order = np.argsort(-np.nan_to_num(self.parts[:, place], nan=-1.0), kind="stable")
        drifts = {self.names[row]: float(self.drifts[row, place]) for row in order}
        return HarmedItem(place, harm, {name: one for name, one in drifts.items() if not np.isnan(one)})


def harm_of(comparison: Comparison, decision: GateDecision | None) -> Harm:
    """Say how much worse each item came out.

    Args:
        comparison: what was measured.
        decision: gives the tested metrics and their margins; without one all count, and margins are 0.
    """
    margins = {test.metric: test.margin for test in decision.overall} if decision else {}
    margins = margins or dict.fromkeys(comparison.metrics, 0.0)
    shape = len(margins), len(comparison.baseline.items)
    drifts = np.array([comparison.drifts(name) for name in margins]).reshape(shape)
    spans = np.array([comparison.metrics[name].span for name in margins])
    beyond = np.maximum(drifts - np.array(list(margins.values()))[:, None], 0.0)
    return Harm(tuple(margins), drifts, beyond / spans[:, None])


def worst_pairs(comparison: Comparison, places: Iterable[int]) -> dict[int, list[AlignedPair]]:
    """Collect the pairs of some items: in each item those without a partner first, then the least alike."""
    pairs: dict[int, list[AlignedPair]] = {place: [] for place in places}
    for pair in comparison.measured.pairs:
        if pair.item in pairs:
            pairs[pair.item].append(pair)
    return {place: sorted(found, key=_alike) for place, found in pairs.items()}


def _alike(pair: AlignedPair) -> float:
    if pair.baseline is None or pair.candidate is None:
        return _PARTNERLESS
    known = [score for score in pair.scores.values() if not np.isnan(score)]
    return known[0] if known else 1.0
