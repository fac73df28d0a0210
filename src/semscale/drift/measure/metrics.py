"""The table of metrics: each is a loss of a candidate's outputs, with its label and its direction."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from semscale.drift.measure.aligned_item import AlignedItem
from semscale.drift.measure.losses import difference_share, number_loss, similarity_loss


@dataclass(frozen=True)
class Metric:
    """A metric of an item, as a loss: 0 if the candidate equals the baseline.

    Attributes:
        name: name in settings, tables and JSON.
        label: name in sentences.
        meaning: one sentence that explains it.
        loss: computes the loss of an item for which the candidate has a text, 0 to ``span``; NaN if the item
            has no value.
        is_similarity: whether it is usually stated as a similarity, which is ``1 - loss``; more is better.
        is_usual: whether a gate tests it by default.
        span: the worst-case loss, such as that of a model without outputs; greater than 0.
        unit: the numeric field that the metric is about, in whose unit the loss is; empty for shares.
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
    from semscale.self_consistency.scoring.contradictions import contradicting

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
"""The metrics of texts, which apply to every dataset. A new one is one entry here."""


def field_metric(field: str, span: float, place: int = 0) -> Metric:
    """Return the metric of a numeric field: the mean absolute difference of aligned outputs.

    Args:
        field: name of the field, such as ``credits``; the metric is then ``credits_difference``.
        span: the loss of an output without a partner: the field's range.
        place: position of the field among the fields of the runs, from 0.

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
