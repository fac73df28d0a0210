"""Values of a closed question: its answers in order, with the file's labels and the scores of a scale."""

from collections.abc import Collection, Sequence
from itertools import pairwise

from semscale.store.column_profile import ColumnProfile
from semscale.store.missing_codes import code_key
from semscale.survey.counted_columns import CountedColumns
from semscale.survey.description import Confidence, Value, cell_name
from semscale.survey.marks import missing_reason
from semscale.survey.number_codes import number_key, parse_number
from semscale.survey.value_order import FEWEST_POINTS, MOST_TEXTS, order_labels
from semscale.survey.written_in import MAX_ANSWERS, written_in

_LABELS_OF_CODES = "LimeSurvey"
"""The tool whose reader labels a code that full answers do not have."""

_FEWEST_WITH_ENDS = 4
BY_FREQUENCY = "answers repeat and have no known order, so the most frequent comes first"
"""Reason of a question whose answers are in the order of their numbers of respondents."""


def order_values(
    counted: CountedColumns, profile: ColumnProfile, *, in_order: bool = True
) -> tuple[tuple[Value, ...], str, Confidence]:
    """Return the values in the order of the answers, the reason for it, and how sure it is.

    Args:
        counted: the table's columns.
        profile: the column, whose cells are answers.
        in_order: whether the answers can have an order of their own.
    """
    if profile.labels.answers:
        return label_values(counted, profile), "labels and their order are the file's", "high"
    if in_order and counted.kind(profile) == "ordinal":
        points = range(int(profile.low), int(profile.high) + 1)
        return tuple(Value(value=str(point)) for point in points), "whole numbers", "high"
    counts: dict[str, int] = {}
    spelled: dict[str, str] = {}
    for value, n in profile.values.most_common():
        name = spelled.setdefault(code_key(value), " ".join(cell_name(value).split()))
        counts[name] = counts.get(name, 0) + n
    written = written_in(counts)
    counts = {name: n for name, n in counts.items() if name not in written}
    order = order_labels(list(counts)) if in_order else None
    if order is not None:
        scores = (not written and order.scores) or (None,) * len(order.labels)
        ordered = zip(order.labels, scores, strict=True)
        return tuple(Value(value=v, score=s) for v, s in ordered), order.reason, order.confidence
    if all(parse_number(value) is not None for value in counts):
        listed = sorted(counts, key=number_key)
        return tuple(Value(value=value) for value in listed[:MAX_ANSWERS]), "numbers", "medium"
    frequent = sorted(counts, key=lambda value: (-counts[value], value))
    return tuple(Value(value=value) for value in frequent[:MAX_ANSWERS]), BY_FREQUENCY, "medium"


def label_values(counted: CountedColumns, profile: ColumnProfile) -> tuple[Value, ...]:
    """Return the labelled values in the order of the file, and others that occur by their numbers.

    Points of a scale are in the order of their numbers, as often only the first and the last have labels.
    Texts without a label come first if they are as many as those with one, such as "other".
    """
    labels = profile.labels
    codes = counted.codes(profile)
    values = [
        Value(
            value=value,
            label=label,
            missing=(missing_reason(label) or "no answer")
            if value in labels.missing_values
            else codes.get(value),
        )
        for value, label in labels.values.items()
        if value in profile.values or counted.export != _LABELS_OF_CODES
    ]
    written = written_in(profile.values, set(map(code_key, (*labels.values, *codes))))
    known = labels.values.keys() | codes.keys() | written
    unlabelled = [value for value in profile.values if value not in known]
    rest = [Value(value=value) for value in sorted(unlabelled, key=number_key)[:MAX_ANSWERS]]
    are_numbers = all(parse_number(value.value) is not None for value in (*values, *rest))
    if are_numbers and (rest or counted.kind(profile) == "ordinal"):
        return tuple(sorted((*values, *rest), key=lambda value: number_key(value.value)))
    return (*rest, *values) if len(rest) >= len(values) else (*values, *rest)


def are_labels_of_scale(answers: Sequence[Value]) -> bool:
    """Return whether the labels of numbers are those of a scale, in the numbers' order or against it.

    A scale may have labels at its ends alone, and then at least as many numbers between them.
    """
    numbered = sorted(answers, key=lambda answer: answer.number or 0.0)
    is_labelled = [bool(answer.label) for answer in numbered]
    if len(answers) >= _FEWEST_WITH_ENDS and is_labelled == [True, *[False] * (len(answers) - 2), True]:
        return True
    order = order_labels([answer.label for answer in answers]) if all(a.label for a in answers) else None
    if order is None or order.scores is None or len(answers) < FEWEST_POINTS:
        return False
    scores = dict(zip(order.labels, order.scores, strict=True))
    steps = [scores[second.label] - scores[first.label] for first, second in pairwise(numbered)]
    return all(step > 0 for step in steps) or all(step < 0 for step in steps)


def are_points(values: Collection[str]) -> bool:
    """Return whether different texts are the points of a scale, as if few people answered."""
    texts = list(dict.fromkeys(code_key(value) for value in values))
    order = order_labels(texts) if FEWEST_POINTS <= len(texts) <= MOST_TEXTS else None
    return order is not None and order.scores is not None
