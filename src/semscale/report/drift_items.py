"""Which items changed most: harm summed over metrics, each as a share of its worst case."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from semscale.types import Floats

if TYPE_CHECKING:
    from semscale.drift.comparison import Comparison
    from semscale.drift.decision import GateDecision

HARM = (
    "Harm is what an item's drift exceeds the margin by, as a share of the metric's worst case, summed over "
    "the metrics"
)
"""How items are sorted, in words."""


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
        decision: gives the margins; without one they are 0.
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
        decision: gives the margins; without one they are 0.
        limit: how many items at most.
    """
    parts = _parts(comparison, decision)
    total = np.nansum(parts, axis=0)
    places = np.argsort(-total, kind="stable")[:limit]
    names = list(comparison.metrics)
    found = []
    for place in places[total[places] > 0].tolist():
        order = np.argsort(-np.nan_to_num(parts[:, place], nan=-1.0), kind="stable")
        drifts = {names[row]: float(comparison.drifts(names[row])[place]) for row in order}
        known = {name: drift for name, drift in drifts.items() if not np.isnan(drift)}
        found.append(HarmedItem(place, float(total[place]), known))
    return tuple(found)


def margins_of(decision: "GateDecision | None") -> dict[str, float]:
    """Give each tested metric's margin over all items."""
    return {} if decision is None else {test.metric: test.margin for test in decision.tests if not test.group}


def _parts(comparison: "Comparison", decision: "GateDecision | None") -> Floats:
    """Drift beyond the margin as a share of the span, shape (metrics, n)."""
    margins = margins_of(decision)
    parts = [
        np.maximum(comparison.drifts(name) - margins.get(name, 0.0), 0.0) / metric.span
        for name, metric in comparison.metrics.items()
    ]
    return np.array(parts).reshape(len(parts), len(comparison.baseline.items))
