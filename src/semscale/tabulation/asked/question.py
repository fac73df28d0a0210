"""A question of a survey, and the lines that it has in a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from semscale.types import Floats, Integers

QuestionKind = Literal[
    "scale", "number", "single choice", "multiple choice", "rated text", "paired difference"
]
"""What a question is taken for."""

LineKind = Literal["share", "mean"]
"""What a line states of respondents."""

_FEWEST_FOR_BOXES = 4


@dataclass(frozen=True)
class Line:
    """A line of a question's table.

    Attributes:
        name: in words.
        kind: a share of respondents, or a mean.
        is_net: whether it puts several answers together, such as the two highest points.
    """

    name: str
    kind: LineKind
    is_net: bool = False


@dataclass(frozen=True, eq=False)
class Question:
    """A question with every respondent's answer.

    Attributes:
        name: short name, as the user has it.
        text: as it was asked; the name where that is not known.
        kind: what it is taken for.
        lines: of its table.
        answers: shape (n, k), what each respondent has at k answers: 1 or 0, a probability, or a number; NaN
            where there is no answer. Shape (n,), numbers of answers from 0 and -1 for none, where a
            respondent gives one answer of k.
        weights: shape (k, lines), what each answer adds to a line.
        notes: how the answers were read, in sentences.
    """

    name: str
    text: str
    kind: QuestionKind
    lines: tuple[Line, ...]
    answers: Floats | Integers
    weights: Floats
    notes: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """How many respondents there are, with an answer or without."""
        return len(self.answers)

    @property
    def choices(self) -> Integers | None:
        """Number of each respondent's answer, shape (n,), -1 for none; ``None`` if there can be several."""
        return self.answers.astype(np.int64) if self.answers.ndim == 1 else None

    def columns(self) -> Floats:
        """Give what each respondent adds to each line, shape (n, lines); NaN without an answer."""
        if self.answers.ndim == 1:
            missing = np.full((1, len(self.lines)), np.nan)
            return np.concatenate([self.weights, missing])[self.answers.astype(np.int64)]
        answers = np.asarray(self.answers, dtype=np.float64)
        unknown = np.isnan(answers).astype(np.float64) @ (self.weights != 0) > 0
        return np.where(unknown, np.nan, np.nan_to_num(answers) @ self.weights)


def scale_lines(values: Sequence[float], names: Sequence[str]) -> tuple[tuple[Line, ...], Floats]:
    """Make the lines of a scale: each point, its two highest and two lowest, and the mean.

    Scales of fewer than four points have no lines of two points.

    Args:
        values: of the k points, ascending.
        names: of the points.

    Returns:
        The lines, and what each point adds to each of them, shape (k, lines).

    Example:
        >>> lines, weights = scale_lines([1, 2, 3], ["bad", "fair", "good"])
        >>> [line.name for line in lines], weights[:, -1].tolist()
        (['bad', 'fair', 'good', 'mean'], [1.0, 2.0, 3.0])
    """
    k = len(values)
    lines = [Line(name, "share") for name in names]
    weights = [np.eye(k)]
    if k >= _FEWEST_FOR_BOXES:
        top, bottom = np.zeros(k), np.zeros(k)
        top[-2:] = bottom[:2] = 1.0
        lines += [
            Line(f"top 2 ({values[-2]:g} and {values[-1]:g})", "share", is_net=True),
            Line(f"bottom 2 ({values[0]:g} and {values[1]:g})", "share", is_net=True),
        ]
        weights.append(np.column_stack([top, bottom]))
    lines.append(Line("mean", "mean"))
    weights.append(np.array(values, dtype=np.float64)[:, None])
    return tuple(lines), np.concatenate(weights, axis=1)


def choice_lines(names: Sequence[str]) -> tuple[tuple[Line, ...], Floats]:
    """Make a line for each answer of a question that has no order."""
    return tuple(Line(name, "share") for name in names), np.eye(len(names))


def number_lines() -> tuple[tuple[Line, ...], Floats]:
    """Make the only line of a number: its mean."""
    return (Line("mean", "mean"),), np.ones((1, 1))
