"""Which items changed most: harm summed over metrics, each as a share of its worst case."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from semscale.types import Floats

if TYPE_CHECKING:
    from semscale.drift.gate.decision import GateDecision
    from semscale.drift.measure.comparison import Comparison

HARM = (
    "Harm is what an item's drift exceeds the margin by, as a share of the metric's worst case, summed over "
    "the metrics that the gate tests"
)
"""How items are sorted, in words."""

HARM_WITHOUT_GATE = "Harm is an item's drift as a share of the metric's worst case, summed over all metrics"
"""How they are sorted where no gate was asked."""


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


def harm(comparison: "Comparison", decision: "GateDecision | None") -> Floats:
    """Give each item's harm, shape (n,), at least 0; NaN where no metric has a value.

    Args:
        comparison: what was measured.
        decision: gives the tested metrics and their margins; without one all count, and margins are 0.
    """
    parts = _parts(comparison, decision)
    none = np.isnan(parts).all(axis=0)
    return np.where(none, np.nan, np.nansum(parts, axis=0))


def most_harmed(
    comparison: "Comparison", decision: "GateDecision | None", *, limit: int = 12
) -> tuple[HarmedItem, ...]:
    """Find the items with the greatest harm above 0, the worst first.

    Args:
        comparison: what was measured.
        decision: gives the tested metrics and their margins; without one all count, and margins are 0.
        limit: how many items at most.
    """
    parts = _parts(comparison, decision)
    total = np.nansum(parts, axis=0)
    places = np.argsort(-total, kind="stable")[:limit]
    names = list(margins_of(comparison, decision))
    found = []
    for place in places[total[places] > 0].tolist():
        order = np.argsort(-np.nan_to_num(parts[:, place], nan=-1.0), kind="stable")
        drifts = {names[row]: float(comparison.drifts(names[row])[place]) for row in order}
        known = {name: drift for name, drift in drifts.items() if not np.isnan(drift)}
        found.append(HarmedItem(place, float(total[place]), known))
    return tuple(found)


def margins_of(comparison: "Comparison", decision: "GateDecision | None") -> dict[str, float]:
    """Give the margin of each metric that counts: those that were tested, or all with 0 where none was."""
    tested = () if decision is None else decision.tests
    margins = {test.metric: test.margin for test in tested if test.group is None}
    return margins or dict.fromkeys(comparison.metrics, 0.0)


def _parts(comparison: "Comparison", decision: "GateDecision | None") -> Floats:
    """Drift beyond the margin as a share of the span, shape (metrics, n)."""
    parts = [
        np.maximum(comparison.drifts(name) - margin, 0.0) / comparison.metrics[name].span
        for name, margin in margins_of(comparison, decision).items()
    ]
    return np.array(parts).reshape(len(parts), len(comparison.baseline.items))
