"""Losses and pairs of one item from its aligned outputs in two runs."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from semscale.drift.measure.losses import difference_share, number_loss, similarity_loss
from semscale.drift.measure.measured import AlignedPair
from semscale.drift.measure.metrics import TEXT_METRICS, Metric
from semscale.drift.measure.pair_scores import PairScores
from semscale.drift.runs.run_texts import ItemTexts
from semscale.self_consistency.contradictions import contradicting
from semscale.types import Floats, Integers

SIMILARITIES = tuple(metric.name for metric in TEXT_METRICS.values() if metric.is_similarity)


@dataclass(frozen=True)
class AlignedItem:
    """One item's aligned outputs in two runs.

    Attributes:
        baseline: the baseline's texts.
        candidate: the candidate's texts.
        pairs: shape (p, 2), positions of aligned outputs in both.
        scores: scores of the p pairs.
    """

    baseline: ItemTexts
    candidate: ItemTexts
    pairs: Integers
    scores: Sequence[PairScores]


def losses_of(item: AlignedItem, metrics: Mapping[str, Metric], spans: Floats) -> dict[str, float]:
    """Compute an item's loss in every metric.

    Args:
        item: the item's aligned outputs.
        metrics: the metrics of texts, then those of the numeric fields.
        spans: greatest differences that count in the fields, shape (f,).

    Returns:
        A loss for each metric. If only the candidate has no text, every loss is the greatest; if neither run
        has one, every loss is NaN.
    """
    ours, theirs = len(item.baseline), len(item.candidate)
    if not ours and not theirs:
        return dict.fromkeys(metrics, math.nan)
    if not theirs:
        return {name: metric.span for name, metric in metrics.items()}
    losses = {
        name: similarity_loss([pair.scores[name] for pair in item.scores], max(ours, theirs))
        for name in SIMILARITIES
    }
    found = [bool(contradicting(pair.findings)) for pair in item.scores]
    losses["contradictions"] = sum(found) / len(found) if found else math.nan
    losses["output_count"] = difference_share(ours, theirs)
    losses["length"] = difference_share(item.baseline.characters, item.candidate.characters)
    losses["silence"] = 0.0 if ours else 1.0
    numeric = [name for name in metrics if name not in TEXT_METRICS]
    for field, (name, span) in enumerate(zip(numeric, spans.tolist(), strict=True)):
        baseline, candidate = item.baseline.numbers[:, field], item.candidate.numbers[:, field]
        losses[name] = number_loss(baseline, candidate, item.pairs, span)
    return losses


def pairs_of(number: int, item: AlignedItem) -> list[AlignedPair]:
    """List an item's pairs: aligned outputs, then outputs that the candidate lacks, then its extra ones.

    Args:
        number: number of the item.
        item: the item's aligned outputs.
    """
    ours, theirs = item.baseline.places, item.candidate.places
    aligned = [
        AlignedPair(number, ours[row], theirs[column], pair.scores, pair.findings)
        for (row, column), pair in zip(item.pairs.tolist(), item.scores, strict=True)
    ]
    paired = [{pair.baseline for pair in aligned}, {pair.candidate for pair in aligned}]
    lacking = [AlignedPair(number, place, None) for place in sorted(set(ours) - paired[0])]
    extra = [AlignedPair(number, None, place) for place in sorted(set(theirs) - paired[1])]
    return [*sorted(aligned, key=lambda pair: pair.baseline or 0), *lacking, *extra]
