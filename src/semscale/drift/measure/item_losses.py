"""Losses and pairs of one item from its aligned outputs in two runs."""

import math
from collections.abc import Mapping

from semscale.drift.measure.measured import AlignedPair
from semscale.drift.measure.metrics import TEXT_METRICS, Metric
from semscale.drift.metrics import AlignedItem


def losses_of(item: AlignedItem, metrics: Mapping[str, Metric]) -> dict[str, float]:
    """Compute an item's loss in every metric.

    Returns:
        A loss for each metric. If only the candidate has no text, every loss is the greatest (NaN for what
        an output took); if neither run has one, every loss is NaN.
    """
    if not item.baseline and not item.candidate:
        return dict.fromkeys(metrics, math.nan)
    if not item.candidate:
        return {name: metric.silent_loss for name, metric in metrics.items()}
    return {name: metric.loss(item) for name, metric in metrics.items()}


def pairs_of(number: int, item: AlignedItem) -> list[AlignedPair]:
    """List an item's pairs: aligned outputs, then outputs that the candidate lacks, then its extra ones.

    Args:
        number: number of the item.
        item: the item's aligned outputs.
    """
    ours, theirs = item.baseline.positions, item.candidate.positions
    aligned = [
        AlignedPair(
            number,
            ours[row],
            theirs[column],
            {name: score for name, score in pair.scores.items() if name in TEXT_METRICS},
            pair.findings,
        )
        for (row, column), pair in zip(item.pairs.tolist(), item.scores, strict=True)
    ]
    paired = [{pair.baseline for pair in aligned}, {pair.candidate for pair in aligned}]
    lacking = [AlignedPair(number, place, None) for place in sorted(set(ours) - paired[0])]
    extra = [AlignedPair(number, None, place) for place in sorted(set(theirs) - paired[1])]
    return [*sorted(aligned, key=lambda pair: pair.baseline or 0), *lacking, *extra]
