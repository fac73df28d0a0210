"""Metrics that say what is better and what is worse: by references, and by a judge."""

import math

from semscale.drift.measure.metrics import Metric

REFERENCE_MATCH = Metric(
    "reference_match",
    "reference match",
    lambda item: math.nan,  # it is no matter of aligned outputs: drift.quality measures it
    direction="higher",
    is_signed=True,
)
"""Match of an item's outputs with its reference; the loss is the baseline's match less the candidate's."""

SIDE_BY_SIDE = Metric(
    "side_by_side",
    "side by side",
    lambda item: math.nan,
    direction="higher",
    is_signed=True,
    usual_margin=0.2,
)
"""A judge's verdict on candidate and baseline: 1 for the baseline, -1 for the candidate, 0 for a tie.

The mean is the share of items lost less that of items won. Verdicts are coarse: 30 of them can show that a
candidate loses less than 20 % more than it wins, but hardly 5 %.
"""

QUALITY_METRICS = {metric.name: metric for metric in (REFERENCE_MATCH, SIDE_BY_SIDE)}
"""These metrics by name."""
