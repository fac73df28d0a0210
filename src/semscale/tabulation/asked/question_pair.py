"""The difference of two questions that the same people answered, as a question of its own."""

import numpy as np

from semscale.errors import InputError
from semscale.tabulation.asked.question import Question, number_lines


def paired_question(first: Question, second: Question) -> Question:
    """Take, for each respondent with both answers, the first less the second.

    The mean of these differences is the difference of the means of those who answered both, and its interval
    is that of a paired comparison.

    Args:
        first: a question with a mean: a scale, a number or a rated text.
        second: another one with the same unit.

    Raises:
        InputError: a question without a mean.

    Example:
        >>> from semscale.tabulation.asked.question import number_lines, Question
        >>> lines, weights = number_lines()
        >>> one, two = (
        ...     Question(name, name, "number", lines, np.array(values)[:, None], weights)
        ...     for name, values in (("a", [3.0, 2.0]), ("b", [1.0, np.nan]))
        ... )
        >>> paired_question(one, two).columns().tolist()
        [[2.0], [nan]]
    """
    lines, weights = number_lines()
    differences = _means(first) - _means(second)
    return Question(
        f"{first.name} minus {second.name}",
        f"{first.text} minus {second.text}",
        "paired difference",
        lines,
        differences[:, None],
        weights,
        ("of people who answered both; an interval without 0 says that the two differ",),
    )


def _means(question: Question) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Give what each respondent adds to the mean, shape (n,); NaN without an answer."""
    place = next((place for place, line in enumerate(question.lines) if line.kind == "mean"), None)
    if place is None:
        raise InputError(
            f"pair: '{question.name}' is a {question.kind}, which has no mean: name scales, numbers or "
            "rated texts"
        )
    return question.columns()[:, place]
