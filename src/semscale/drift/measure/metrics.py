"""The table of metrics: the loss that each one measures, its label and its direction."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from semscale.drift.directions import ASKED_FIELDS, Direction, is_lower_by_name, usual_direction
from semscale.drift.metrics import (
    AlignedItem,
    difference_share,
    known_pairs,
    number_loss,
    similarity_loss,
)
from semscale.guards.number_guard import CHANGED_KINDS


@dataclass(frozen=True)
class Metric:
    """A metric of an item, as a loss: 0 if the candidate's outputs equal the baseline's.

    Attributes:
        name: name in settings, tables and JSON.
        label: name in sentences.
        loss: computes the loss of an item for which the candidate has a text, 0 to ``span``; NaN if the item
            has no value.
        is_similarity: whether it is usually stated as a similarity, which is ``1 - loss``; more is better.
        is_usual: whether a gate tests it by default.
        span: the greatest loss, above 0; a candidate without outputs has it.
        unit: name of the numeric field whose unit the loss has; empty where the loss is a share, 0 to 1.
        direction: which numbers are better; changes of a field for the better lose nothing.
        is_assumed: whether the direction comes from the field's name alone.
        is_signed: whether an item that became better has a loss below 0, so that it makes up for another one
            that became worse; such a metric comes from references or a judge (``quality_metrics``).
        usual_margin: margin unless the settings name one; ``None`` for a share of the worst case.
    """

    name: str
    label: str
    loss: Callable[[AlignedItem], float] = field(repr=False, compare=False)
    is_similarity: bool = False
    is_usual: bool = True
    span: float = 1.0
    unit: str = ""
    direction: Direction = "either"
    is_assumed: bool = False
    is_signed: bool = False
    usual_margin: float | None = None

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest loss of an item."""
        return (-self.span if self.is_signed else 0.0), self.span

    @property
    def side(self) -> Literal["min", "max"]:
        """The kind of its threshold: ``min`` for a similarity or a score, ``max`` for a loss."""
        return "min" if self.is_similarity or self.is_signed else "max"

    @property
    def may_be_unknown(self) -> bool:
        """Whether a missing number is unknown, and no loss: what an output took, such as its cost."""
        return self.unit in ASKED_FIELDS

    @property
    def silent_loss(self) -> float:
        """The loss of a candidate that says nothing: the greatest, but NaN where it is unknown."""
        return math.nan if self.may_be_unknown else self.span

    def in_its_terms(self, loss: float) -> float:
        """Turn a loss into the metric's usual value: 1 - loss for a similarity, else the loss itself."""
        return 1 - loss if self.is_similarity else loss


def _similarity(name: str) -> Callable[[AlignedItem], float]:
    """Make the loss of a similarity of pairs; outputs without a partner have none.

    Pairs of which the model can read neither text are left out.
    """

    def loss(item: AlignedItem) -> float:
        known = [pair.scores[name] for pair in item.scores if not pair.unread]
        longest = max(len(item.baseline), len(item.candidate)) - (len(item.scores) - len(known))
        return similarity_loss(known, longest) if longest else math.nan

    return loss


def _contradictions(item: AlignedItem) -> float:
    from semscale.answer_consistency.pairs import contradicting

    found = [bool(contradicting(pair.findings)) for pair in item.scores if pair.guarded]
    return sum(found) / len(found) if found else math.nan


def _changed_numbers(item: AlignedItem) -> float:
    found = [
        any(one.guard == "number" and one.kind in CHANGED_KINDS for one in pair.findings)
        for pair in item.scores
    ]
    return sum(found) / len(found) if found else math.nan


def _count_loss(item: AlignedItem) -> float:
    return difference_share(len(item.baseline), len(item.candidate))


def _length_loss(item: AlignedItem) -> float:
    return difference_share(item.baseline.characters, item.candidate.characters)


TEXT_METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("match", "match", _similarity("match"), is_similarity=True),
        Metric("bertscore_f1", "BERTScore F1", _similarity("bertscore_f1"), is_similarity=True),
        Metric("cosine", "cosine", _similarity("cosine"), is_similarity=True, is_usual=False),
        Metric("contradictions", "contradictions", _contradictions),
        Metric("changed_numbers", "changed numbers", _changed_numbers, is_usual=False),
        Metric("output_count", "number of outputs", _count_loss),
        Metric("length", "length", _length_loss, is_usual=False),
        Metric("silence", "silence", lambda item: 0.0 if item.baseline else 1.0),
    )
}
"""The metrics of texts, which every dataset has; ``docs/drift.md`` defines each. A new one is one entry."""


def field_metric(field: str, span: float, place: int = 0, direction: Direction | None = None) -> Metric:
    """Return the metric of a numeric field: the mean absolute difference of aligned outputs.

    Where lower or higher numbers are better, only differences for the worse count. What an output took, such
    as its cost, may be unknown, as where a price is: then nothing is known of the difference.

    Args:
        field: name of the field, such as ``credits``; the metric is then ``credits_difference``.
        span: the loss of an output without a partner: the field's range.
        place: position of the field among the fields of the runs, from 0.
        direction: which numbers are better; as ``usual_direction`` has it unless given.

    Example:
        >>> field_metric("credits", 2.5).name
        'credits_difference'
    """
    better = usual_direction(field) if direction is None else direction

    def loss(item: AlignedItem) -> float:
        baseline, candidate = item.baseline.numbers[:, place], item.candidate.numbers[:, place]
        if field in ASKED_FIELDS:
            baseline, candidate, pairs = known_pairs(baseline, candidate, item.pairs)
            return number_loss(baseline, candidate, pairs, span, better)
        return number_loss(baseline, candidate, item.pairs, span, better)

    name = f"{field}_difference"
    return Metric(
        name,
        metric_label(name),
        loss,
        is_usual=is_usual(name),
        span=span,
        unit=field,
        direction=better,
        is_assumed=direction is None and is_lower_by_name(field),
    )


def metric_label(name: str) -> str:
    """Give the label of a metric by its name; a history keeps names only.

    Example:
        >>> metric_label("bertscore_f1"), metric_label("credits_difference")
        ('BERTScore F1', 'credits difference')
    """
    return TEXT_METRICS[name].label if name in TEXT_METRICS else name.replace("_", " ")


def is_usual(name: str) -> bool:
    """Tell whether a gate tests a metric by default; it tests every field but what an output took."""
    if name in TEXT_METRICS:
        return TEXT_METRICS[name].is_usual
    return name not in {f"{field}_difference" for field in ASKED_FIELDS}


def usual_metrics() -> tuple[str, ...]:
    """List the names of the metrics of texts that a gate tests by default."""
    return tuple(filter(is_usual, TEXT_METRICS))
