"""From one item's outputs in two runs to its losses and its pairs."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from semscale.drift.measure.losses import difference_share, number_loss, similarity_loss
from semscale.drift.measure.measured import AlignedPair
from semscale.drift.measure.metrics import TEXT_METRICS, Metric
from semscale.drift.measure.pair_scores import PairScores
from semscale.drift.runs.run_texts import Spoken
from semscale.self_consistency.contradictions import contradicting
from semscale.types import Floats, Integers

SIMILARITIES = tuple(metric.name for metric in TEXT_METRICS.values() if metric.is_similarity)


@dataclass(frozen=True)
class AlignedItem:
    """One item's outputs in two runs.

    Attributes:
        baseline: what the baseline says.
        candidate: what the candidate says.
        pairs: shape (p, 2), which of the two belong together.
        scores: of the p pairs.
    """

    baseline: Spoken
    candidate: Spoken
    pairs: Integers
    scores: Sequence[PairScores]


def losses_of(item: AlignedItem, metrics: Mapping[str, Metric], spans: Floats) -> dict[str, float]:
    """Give an item's loss in every metric.

    Args:
        item: its outputs.
        metrics: the metrics of texts, then those of the numeric fields.
        spans: of the fields, shape (f,).

    Returns:
        A loss for each of ``metrics``; NaN where there is none. A candidate that says nothing where the
        baseline speaks has the greatest loss in all of them; where neither speaks there is none.
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
    """Lay out an item's pairs: those that were aligned, then what the candidate lacks, then what is extra.

    Args:
        number: of the item.
        item: its outputs.
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
