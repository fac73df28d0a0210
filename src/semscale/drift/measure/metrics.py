"""What is measured of each item: the table of metrics, each with its loss, its label and its direction."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from semscale.drift.measure.aligned_item import AlignedItem
from semscale.drift.measure.losses import difference_share, number_loss, similarity_loss


@dataclass(frozen=True)
class Metric:
    """One thing that is measured of an item, as a loss: 0 where the candidate does as the baseline did.

    Attributes:
        name: as settings, tables and JSON have it.
        label: as sentences have it.
        meaning: what it says, in one sentence.
        loss: computes it for an item for which the candidate says something, 0 to ``span``; NaN where the
            item has no value.
        is_similarity: whether people know it as a similarity, ``1 - loss``, of which more is better.
        is_usual: whether a gate tests it unless other metrics are asked for.
        span: the loss that counts as the worst case, such as that of a silent model; greater than 0.
        unit: of the loss: the numeric field that it is about; empty for shares.
    """

    name: str
    label: str
    meaning: str
    loss: Callable[[AlignedItem], float] = field(repr=False, compare=False)
    is_similarity: bool = False
    is_usual: bool = True
    span: float = 1.0
    unit: str = ""

    @property
    def side(self) -> Literal["min", "max"]:
        """On which side a threshold limits it: ``min`` for a similarity, ``max`` for a loss."""
        return "min" if self.is_similarity else "max"

    def in_its_terms(self, loss: float) -> float:
        """Turn a loss into what people know the metric as: a similarity is one minus the loss."""
        return 1 - loss if self.is_similarity else loss


def _similarity(name: str) -> Callable[[AlignedItem], float]:
    """Make the loss of a similarity of pairs; outputs without a partner have none."""

    def loss(item: AlignedItem) -> float:
        longest = max(len(item.baseline), len(item.candidate))
        return similarity_loss([pair.scores[name] for pair in item.scores], longest)

    return loss


def _contradictions(item: AlignedItem) -> float:
    from semscale.self_consistency.contradictions import contradicting

    found = [bool(contradicting(pair.findings)) for pair in item.scores]
    return sum(found) / len(found) if found else math.nan


TEXT_METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric(
            "match",
            "match",
            "How far the outputs say what the baseline's say (calibrated match).",
            _similarity("match"),
            is_similarity=True,
        ),
        Metric(
            "bertscore_f1",
            "BERTScore F1",
            "How alike the outputs' tokens are (BERTScore F1).",
            _similarity("bertscore_f1"),
            is_similarity=True,
        ),
        Metric(
            "cosine",
            "cosine",
            "How alike the outputs' vectors are.",
            _similarity("cosine"),
            is_similarity=True,
            is_usual=False,
        ),
        Metric(
            "contradictions",
            "contradictions",
            "Share of aligned outputs in which a guard found a contradiction.",
            _contradictions,
        ),
        Metric(
            "output_count",
            "number of outputs",
            "How far the number of outputs differs, as a share of the greater number.",
            lambda item: difference_share(len(item.baseline), len(item.candidate)),
        ),
        Metric(
            "length",
            "length",
            "How far the characters differ in number, as a share of the greater number.",
            lambda item: difference_share(item.baseline.characters, item.candidate.characters),
            is_usual=False,
        ),
        Metric(
            "silence",
            "silence",
            "Whether the candidate says nothing where the baseline says something, or only there.",
            lambda item: 0.0 if item.baseline else 1.0,
        ),
    )
}
"""Metrics of texts, which every dataset has. A new one is one entry here."""


def field_metric(field: str, span: float, place: int = 0) -> Metric:
    """Give the metric of a numeric field: mean absolute difference of aligned outputs.

    Args:
        field: its name, such as ``credits``; the metric is called ``credits_difference``.
        span: what an output that has no partner counts: the field's range.
        place: of the field among those of the runs, from 0.

    Example:
        >>> field_metric("credits", 2.5).name
        'credits_difference'
    """

    def loss(item: AlignedItem) -> float:
        baseline, candidate = item.baseline.numbers[:, place], item.candidate.numbers[:, place]
        return number_loss(baseline, candidate, item.pairs, span)

    name = f"{field}_difference"
    meaning = f"How far “{field}” differs between aligned outputs, on average."
    return Metric(name, metric_label(name), meaning, loss, span=span, unit=field)


def metric_label(name: str) -> str:
    """Give a metric's label by its name, which is all that a history keeps of it.

    Example:
        >>> metric_label("bertscore_f1"), metric_label("credits_difference")
        ('BERTScore F1', 'credits difference')
    """
    return TEXT_METRICS[name].label if name in TEXT_METRICS else name.replace("_", " ")


def is_usual(name: str) -> bool:
    """Say whether a gate tests a metric of this name unless others are asked for: all fields are tested."""
    return name not in TEXT_METRICS or TEXT_METRICS[name].is_usual


def usual_metrics() -> tuple[str, ...]:
    """Name the metrics of texts that are tested unless others are asked for."""
    return tuple(filter(is_usual, TEXT_METRICS))
