"""How likely chance alone makes a metric's drift as great: the exact tests of the gate."""

import numpy as np

from semscale.drift.measure.comparison import Comparison
from semscale.history.items import Item
from semscale.stats.drift_tests import ExchangeTest, exchange_test
from semscale.types import Floats, Mask

_COUNTED = ("output_count", "silence")
"""Metrics that have a direction: outputs are lost, or gained."""


def chance_test(comparison: Comparison, metric: str, inside: Mask) -> ExchangeTest:
    """Test whether the candidate is like the baseline and its reruns in one metric.

    With reruns, the runs of each item are exchanged (``exchange_test``). Without one, two runs of one model
    may differ as far as two different ones, so that nothing can be tested; but neither is more likely to lose
    outputs. So numbers of outputs and silence are tested by a sign-flip test of what the candidate lost. In a
    signed metric candidate and baseline are exchanged, of which neither is more likely to be better.

    Args:
        comparison: what was measured.
        metric: name of the metric.
        inside: shape (n,), the items that are tested.

    Returns:
        The test; NaN where nothing can be tested.
    """
    if comparison.reruns or comparison.metrics[metric].is_signed:
        return exchange_test(comparison.drifts_by_role(metric)[inside])
    if metric not in _COUNTED:
        return ExchangeTest(np.nan, np.nan)
    lost = lost_outputs(comparison, metric)[inside]
    return exchange_test(np.column_stack([lost, -lost]))


def lost_outputs(comparison: Comparison, metric: str) -> Floats:
    """Return which share of its outputs each item has lost; negative if it has gained some.

    Args:
        comparison: what was measured.
        metric: ``output_count``; or ``silence``, which counts losing or gaining all.

    Returns:
        Shape (n,), -1 to 1; NaN for an item without an output on either side.
    """
    counts = np.array([list(map(_n_outputs, (comparison.baseline, comparison.candidate)[side].items))
                       for side in (0, 1)], dtype=np.float64)  # fmt: skip
    if metric == "silence":
        counts = np.minimum(counts, 1.0)
    greater = counts.max(axis=0)
    shares: Floats = np.full(len(greater), np.nan)
    np.divide(counts[0] - counts[1], greater, out=shares, where=greater > 0)
    return shares


def _n_outputs(item: Item) -> int:
    return len(item.outputs_with_text)
