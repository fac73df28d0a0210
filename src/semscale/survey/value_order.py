"""Order of the answers of a closed question, from their labels alone."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from semscale.survey.description import Confidence
from semscale.survey.label_words import normalise_label
from semscale.survey.number_labels import (
    bracket_positions,
    date_positions,
    name_positions,
    point_positions,
    rate_positions,
)
from semscale.survey.worded_labels import FEWEST_LABELS, Positions, worded_positions

FEWEST_POINTS, MOST_TEXTS = 3, 11
"""Fewest points of a scale, and the greatest number of answers that can be points of a scale of texts."""

MOST_ORDERED = 200
"""Greatest number of groups that are put into the order of their names."""

Name = TypeVar("Name", str, str | None)

_RULES: tuple[Callable[[Sequence[str]], Positions | None], ...] = (
    rate_positions,
    date_positions,
    bracket_positions,
    point_positions,
    name_positions,
    worded_positions,
)


@dataclass(frozen=True)
class LabelOrder:
    """Labels of a question's answers in order.

    Attributes:
        labels: the labels as they are written, from the lowest (most negative, least, never) to the highest.
        scores: numbers that count in means: the points of a scale, or the numbers inside of the labels;
            ``None`` for ordered categories without a mean, such as age brackets.
        reason: how the order is known, as a plain phrase.
        confidence: how sure it is.
    """

    labels: tuple[str, ...]
    scores: tuple[float, ...] | None
    reason: str
    confidence: Confidence


def order_labels(labels: Sequence[str]) -> LabelOrder | None:
    """Order the labels of a question's answers.

    Numbers inside of labels come first: rates ("twice a week"), dates ("Q1 2026"), brackets ("18-24", "65+"),
    points ("1 - Very bad"), and then names of months, weekdays and sizes. Worded answers are composed of a
    degree ("very"), a stem that has a direction ("satisfied", "dissatisfied") and a negation, all in one
    language; besides them all labels must share the same words ("... with the service"). The words are in
    ``label_words.yaml``.

    Scores of a worded scale are 1 to k. If answers are missing of a scale whose other answers show its
    steps, the scores keep the gap.

    Args:
        labels: all answers but those that are codes for no answer ("don't know"). Labels that differ only in
            case, blanks or punctuation are one answer.

    Returns:
        The order; ``None`` if none is known.

    Examples:
        >>> order_labels(["Agree", "Strongly disagree", "Neutral", "Strongly agree"])
        ... # doctest: +NORMALIZE_WHITESPACE
        LabelOrder(labels=('Strongly disagree', 'Neutral', 'Agree', 'Strongly agree'),
                   scores=(1.0, 3.0, 4.0, 5.0),
                   reason='answers of agreement, from negative to positive', confidence='medium')
        >>> order_labels(["65+", "18-24", "25-64"]).labels
        ('18-24', '25-64', '65+')
        >>> order_labels(["Good value", "Bad service", "Nice staff"])
    """
    answers: dict[str, list[str]] = {}
    for label in labels:
        answers.setdefault(normalise_label(label), []).append(label)
    texts = tuple(answers)
    if len(texts) < FEWEST_LABELS or "" in answers:
        return None
    for rule in _RULES:
        order = rule(texts)
        if order is not None and len(set(order.positions)) == len(texts):
            break
    else:
        return None
    ranking = sorted(range(len(texts)), key=order.positions.__getitem__)
    written = [(label, index) for index in ranking for label in answers[texts[index]]]
    scores = order.scores
    return LabelOrder(
        tuple(label for label, _ in written),
        None if scores is None else tuple(float(scores[index]) for _, index in written),
        order.reason,
        order.confidence,
    )


def order_groups(names: Iterable[Name], order: Iterable[str] = ()) -> list[Name]:
    """Put groups of respondents into the order of the survey.

    Groups that the survey does not know come after the others, in the order of their names if there is one,
    otherwise as they come. Respondents without a group (``None``) are last.

    Args:
        names: names of the groups, without repeats.
        order: groups in the order of the survey's description or of the file's labels.

    Examples:
        >>> order_groups(["South", None, "North"], ["North", "East", "South"])
        ['North', 'South', None]
        >>> order_groups(["65+", "18-24", "under 18"]), order_groups(["South", "North"])
        (['under 18', '18-24', '65+'], ['South', 'North'])
    """
    listed, ranks = list(names), {name: rank for rank, name in enumerate(order)}
    others = [name for name in listed if name is not None and name not in ranks]
    natural = order_labels(others) if len(others) <= MOST_ORDERED else None
    for name in others if natural is None else natural.labels:
        ranks[name] = len(ranks)
    return sorted(listed, key=lambda name: len(ranks) if name is None else ranks[name])
