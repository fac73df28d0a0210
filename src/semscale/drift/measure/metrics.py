"""What is measured of each item: how far a candidate's outputs lie from the baseline's, as a loss."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Metric:
    """One thing that is measured of an item, as a loss: 0 where the candidate does as the baseline did.

    Attributes:
        name: as settings, tables and reports have it.
        meaning: what it says, in one sentence.
        is_similarity: whether people know it as a similarity, which is ``1 - loss``.
        span: the loss that counts as the worst case, such as that of a silent model; greater than 0.
        unit: of the loss; empty for shares.
    """

    name: str
    meaning: str
    is_similarity: bool = False
    span: float = 1.0
    unit: str = ""


TEXT_METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric(
            "match", "How far the outputs say what the baseline's say (calibrated match).", is_similarity=True
        ),
        Metric("bertscore_f1", "How alike the outputs' tokens are (BERTScore F1).", is_similarity=True),
        Metric("cosine", "How alike the outputs' vectors are.", is_similarity=True),
        Metric("contradictions", "Share of aligned outputs in which a guard found a contradiction."),
        Metric("output_count", "How far the number of outputs differs, as a share of the greater number."),
        Metric("length", "How far the characters differ in number, as a share of the greater number."),
        Metric(
            "silence", "Whether the candidate says nothing where the baseline says something, or only there."
        ),
    )
}
"""Metrics of texts, which every dataset has."""


def field_metric(field: str, span: float) -> Metric:
    """Give the metric of a numeric field: mean absolute difference of aligned outputs.

    Args:
        field: its name, such as ``credits``; the metric is called ``credits_difference``.
        span: what an output that has no partner counts: the field's range.

    Example:
        >>> field_metric("credits", 2.5).name
        'credits_difference'
    """
    meaning = f"How far “{field}” differs between aligned outputs, on average."
    return Metric(f"{field}_difference", meaning, span=span, unit=field)
