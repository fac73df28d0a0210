"""The metrics of drift, each a loss of a candidate's outputs against the baseline's."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Metric:
    """A metric of an item, as a loss: 0 if the candidate equals the baseline.

    Attributes:
        name: name in settings, tables and reports.
        meaning: one sentence that explains it.
        is_similarity: whether it is usually stated as a similarity, which is ``1 - loss``.
        span: the worst-case loss, such as that of a model without outputs; greater than 0.
        unit: unit of the loss; empty for shares.
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
"""The metrics of texts, which apply to every dataset."""


def field_metric(field: str, span: float) -> Metric:
    """Return the metric of a numeric field: the mean absolute difference of aligned outputs.

    Args:
        field: name of the field, such as ``credits``; the metric is then ``credits_difference``.
        span: the loss of an output without a partner: the field's range.

    Example:
        >>> field_metric("credits", 2.5).name
        'credits_difference'
    """
    meaning = f"How far “{field}” differs between aligned outputs, on average."
    return Metric(f"{field}_difference", meaning, span=span, unit=field)
