"""Answers of respondents to a question, and the lines of its table: shares, means, boxes and the NPS."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.spelling import notes_from
from semscale.types import Floats, Integers, Mask

TakenFor = Literal[
    "scale",
    "nps",
    "number",
    "single choice",
    "multiple choice",
    "ranking",
    "rated text",
    "paired difference",
]
"""Type of the question of a table."""

LineKind = Literal["share", "mean", "nps"]
"""Statistic of a line."""

ANY = "any of these"
"""Name of the line of respondents who chose any option that does not exclude the others."""

FIRST, MEAN_RANK = "ranked first", "mean rank (1 is first)"
"""Beginnings of the names of a ranking's lines."""

_FEWEST_FOR_BOXES = 4
_TOP_OF_MANY, _MANY_ITEMS = 3, 5  # ranks that count as the top of a ranking of many items
_TOP_OF_FEW, _FEW_ITEMS = 2, 3
_PROMOTERS, _DETRACTORS = 9, 6  # the lowest point of promoters, and the highest of detractors


@dataclass(frozen=True)
class Line:
    """A line of a question's table.

    Attributes:
        name: name for readers.
        kind: statistic of the line: a share of respondents, a mean, or a net promoter score.
        is_net: true if it combines several answers, such as the two highest points.
        is_named_net: true for a net of a codebook or a description, whose name does not tell that it is one.
    """

    name: str
    kind: LineKind
    is_net: bool = False
    is_named_net: bool = False

    @property
    def label(self) -> str:
        """The name, with a mark if it is that of a net."""
        is_marked = self.name.casefold().endswith("(net)")
        return f"{self.name} (net)" if self.is_named_net and not is_marked else self.name

    @property
    def is_summary(self) -> bool:
        """True if the line sums up others: a net, a mean or a score. Summaries are tested on their own."""
        return self.is_net or self.kind != "share"


@dataclass(frozen=True, eq=False)
class TabulatedQuestion:
    """A question with the answers of all respondents, and the lines of its table.

    Attributes:
        name: the user's short name.
        text: wording of the question; the name if it is unknown.
        kind: its type.
        lines: lines of its table.
        answers: shape (n, k), value of each of k answers for each respondent: 1 or 0, a probability, or a
            number; NaN without an answer. Shape (n,), index of the answer from 0, or -1 for none, if a
            respondent gives one answer of k.
        weights: shape (k, lines), the contribution of each answer to a line; NaN in the line of a mean for an
            answer that is no number.
        notes: sentences on how answers were read.
        cautions: sentences on possible errors in reading the answers.
        wording: the full wording, if it is known; the text can be a short title.
        coding: sentence on how codes of a text were assigned; empty for other questions.
    """

    name: str
    text: str
    kind: TakenFor
    lines: tuple[Line, ...]
    answers: Floats | npt.NDArray[np.integer[Any]]
    weights: Floats
    notes: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()
    wording: str = ""
    coding: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "notes", notes_from(self.notes))
        object.__setattr__(self, "cautions", notes_from(self.cautions))

    @property
    def choices(self) -> Integers | None:
        """Index of each respondent's answer, shape (n,), -1 for none; ``None`` if there can be several."""
        return self.answers.astype(np.int64) if self.answers.ndim == 1 else None

    @property
    def mean_line(self) -> int | None:
        """Index of the line with the mean; ``None`` without a mean, and for a ranking, which has several."""
        means = [index for index, line in enumerate(self.lines) if line.kind == "mean"]
        return means[0] if len(means) == 1 else None

    @property
    def main_line(self) -> int | None:
        """Index of the line that sums the answers up: the NPS, or the mean; ``None`` without one."""
        scores = (index for index, line in enumerate(self.lines) if line.kind == "nps")
        return next(scores, self.mean_line)

    @property
    def are_summaries(self) -> Mask:
        """True for lines that sum up others, shape (lines,); their tests are a family of their own."""
        return np.array([line.is_summary for line in self.lines])

    def variances(self) -> Floats:
        """Return the variance of each respondent's answer around its mean, shape (n,).

        It is 0 for a single answer. A rated text has a probability for each point, so that the spread of all
        answers is that of the points by their shares.
        """
        if self.kind != "rated text" or self.mean_line is None or self.answers.ndim == 1:
            return np.zeros(len(self.answers))
        points = self.weights[:, self.mean_line]
        variances: Floats = self.answers @ points**2 - (self.answers @ points) ** 2
        return np.maximum(np.nan_to_num(variances), 0.0)

    def columns(self) -> Floats:
        """Return each respondent's contribution to each line, shape (n, lines); NaN without an answer."""
        if self.answers.ndim == 1:
            return LineColumns([self]).read(slice(None))
        answers = np.asarray(self.answers, dtype=np.float64)
        unknown = np.isnan(answers).astype(np.float64) @ (self.weights != 0) > 0
        return np.where(unknown, np.nan, np.nan_to_num(answers) @ self.weights)


class LineColumns:
    """Contributions of respondents to the lines of questions; single answers need no array of all lines.

    Args:
        questions: questions with the answers of the same n respondents.
    """

    def __init__(self, questions: Iterable[TabulatedQuestion]) -> None:
        self._lines: list[tuple[Floats, npt.NDArray[Any] | slice]] = []
        for question in questions:
            if question.answers.ndim == 1:
                of_answers = np.concatenate([question.weights, np.full((1, len(question.lines)), np.nan)])
                self._lines += [(column, question.answers) for column in of_answers.T]
            else:
                self._lines += [(column, slice(None)) for column in question.columns().T]

    def __len__(self) -> int:
        return len(self._lines)

    def read(self, lines: slice) -> Floats:
        """Return each respondent's contribution to some lines, shape (n, some); NaN without an answer."""
        return np.stack([values[index] for values, index in self._lines[lines]]).T


def scale_lines(
    values: Sequence[float], names: Sequence[str], nets: Mapping[str, Sequence[int]] | None = None
) -> tuple[tuple[Line, ...], Floats]:
    """Return the lines of a scale: its points, nets, the two highest and two lowest points, and the mean.

    Scales with fewer than four points have no lines for two points. A point without a number counts in its
    share, and neither in the mean nor in the boxes.

    Args:
        values: values of the k points; NaN for a point that is no number.
        names: names of the points.
        nets: indices of the points of each net, by its name.

    Returns:
        The lines, and the contribution of each point to each of them, shape (k, lines).

    Examples:
        >>> lines, weights = scale_lines([1, 2, 3], ["bad", "fair", "good"])
        >>> [line.name for line in lines], weights[:, -1].tolist()
        (['bad', 'fair', 'good', 'mean'], [1.0, 2.0, 3.0])
    """
    points = np.array(values, dtype=np.float64)
    lines, weights = choice_lines(names, nets)
    order = [int(index) for index in np.argsort(points, kind="stable") if not np.isnan(points[index])]
    if len(order) >= _FEWEST_FOR_BOXES:
        boxes = {"top 2": order[-2:], "bottom 2": order[:2]}
        named = {
            f"{box} ({' and '.join(_short_name(values[point], names[point]) for point in members)})": members
            for box, members in boxes.items()
        }
        lines += tuple(Line(name, "share", is_net=True) for name in named)
        weights = np.column_stack([weights, _indicators(len(points), named.values())])
    return (*lines, Line("mean", "mean")), np.column_stack([weights, points])


def choice_lines(
    names: Sequence[str], nets: Mapping[str, Sequence[int]] | None = None
) -> tuple[tuple[Line, ...], Floats]:
    """Return one line per answer and net of a question, and the contribution of each answer."""
    nets = nets or {}
    lines = [
        *(Line(name, "share") for name in names),
        *(Line(net, "share", is_net=True, is_named_net=True) for net in nets),
    ]
    return tuple(lines), np.column_stack([np.eye(len(names)), _indicators(len(names), nets.values())])


def nps_lines(
    values: Sequence[float], names: Sequence[str], nets: Mapping[str, Sequence[int]] | None = None
) -> tuple[tuple[Line, ...], Floats]:
    """Return the lines of a question from 0 to 10: points, three groups, the net promoter score, the mean.

    The score is the share of promoters (9 and 10) minus the share of detractors (0 to 6), times 100. That is
    100 times the mean of 1, 0 and -1, so that its interval and tests are those of a mean.

    Args:
        values: values of the k points.
        names: names of the points.
        nets: indices of the points of each net, by its name.

    References:
        Reichheld (2003), The one number you need to grow, Harvard Business Review 81(12), 46-54.

    Examples:
        >>> lines, weights = nps_lines([0, 6, 7, 8, 9, 10], ["0", "6", "7", "8", "9", "10"])
        >>> lines[-2].name, weights[:, -2].tolist()
        ('NPS', [-100.0, -100.0, 0.0, 0.0, 100.0, 100.0])
    """
    points = np.array(values, dtype=np.float64)
    lines, weights = choice_lines(names, nets)
    promoters, detractors = points >= _PROMOTERS, points <= _DETRACTORS
    passives = ~promoters & ~detractors & ~np.isnan(points)
    groups = ("promoters (9 and 10)", "passives (7 and 8)", "detractors (0 to 6)")
    summaries = [*(Line(name, "share", is_net=True) for name in groups), Line("NPS", "nps")]
    shares = np.column_stack([promoters, passives, detractors]).astype(np.float64)
    score = np.where(np.isnan(points), np.nan, 100 * (shares[:, 0] - shares[:, 2]))
    return (
        (*lines, *summaries, Line("mean", "mean")),
        np.column_stack([weights, shares, score, points]),
    )


def ranking_lines(items: Sequence[str], ranks: Floats) -> tuple[tuple[Line, ...], Floats]:
    """Return the lines of a ranking, and each respondent's contribution to them.

    For each item there are the share of respondents who ranked it first, the share who ranked it among the
    first 3 (of 3 or 4 items, the first 2), and its mean rank. Shares are of all respondents who ranked
    anything; an item that they did not rank is not among their first ones. The mean is of those who ranked
    the item.

    Args:
        items: names of the k items.
        ranks: shape (n, k), from 1; 0 for an item that was not ranked, NaN if its rank is unknown.

    Returns:
        The lines, and shape (n, lines); NaN for respondents who ranked nothing.

    Examples:
        >>> lines, answers = ranking_lines(["a", "b"], np.array([[1.0, 2.0], [0.0, 1.0], [0.0, 0.0]]))
        >>> [line.name for line in lines][::2]
        ['ranked first: a', 'mean rank (1 is first): a']
        >>> answers.tolist()
        [[1.0, 0.0, 1.0, 2.0], [0.0, 1.0, nan, 1.0], [nan, nan, nan, nan]]
    """
    k = len(items)
    has_ranked = np.any(ranks > 0, axis=1, keepdims=True)
    is_known = has_ranked & ~np.isnan(ranks)
    first = np.where(is_known, ranks == 1, np.nan)
    means = np.where(ranks > 0, ranks, np.nan)
    top = _TOP_OF_MANY if k >= _MANY_ITEMS else _TOP_OF_FEW if k >= _FEW_ITEMS else 0
    parts: list[tuple[str, LineKind, Floats]] = [(FIRST, "share", first), (MEAN_RANK, "mean", means)]
    if top:
        parts.insert(1, (f"top {top}", "share", np.where(is_known, (ranks > 0) & (ranks <= top), np.nan)))
    lines = [
        Line(f"{name}: {item}", kind, is_net=kind == "share" and name != FIRST)
        for name, kind, _ in parts
        for item in items
    ]
    return tuple(lines), np.column_stack([values for _, _, values in parts])


def number_lines() -> tuple[tuple[Line, ...], Floats]:
    """Return the only line of a number, its mean, and the number's contribution to it."""
    return (Line("mean", "mean"),), np.ones((1, 1))


def difference_question(first: TabulatedQuestion, second: TabulatedQuestion) -> TabulatedQuestion:
    """Subtract the second answer from the first for each respondent with both.

    The mean of these differences is the difference of the means of respondents with both answers; its
    interval is that of a paired comparison.

    Args:
        first: a question with a mean: a scale, a number or a rated text.
        second: another question with the same unit.

    Raises:
        InputError: a question has no mean.

    Examples:
        >>> lines, weights = number_lines()
        >>> a = TabulatedQuestion("a", "a", "number", lines, np.array([[3.0], [2.0]]), weights)
        >>> b = TabulatedQuestion("b", "b", "number", lines, np.array([[1.0], [np.nan]]), weights)
        >>> difference_question(a, b).columns().tolist()
        [[2.0], [nan]]
    """
    lines, weights = number_lines()
    return TabulatedQuestion(
        f"{first.name} minus {second.name}",
        f"{first.text} minus {second.text}",
        "paired difference",
        lines,
        _mean_column(first) - _mean_column(second),
        weights,
        ("of people who answered both; an interval without 0 shows that the two differ",),
        (*first.cautions, *second.cautions),
    )


def _mean_column(question: TabulatedQuestion) -> Floats:
    """Return each respondent's contribution to the mean, shape (n, 1); NaN without an answer."""
    if question.mean_line is None:
        raise InputError(
            "pair",
            f": '{question.name}' is a {question.kind}, which has no mean: name scales, numbers or "
            "rated texts",
        )
    return question.columns()[:, [question.mean_line]]


def _indicators(k: int, groups: Iterable[Sequence[int]]) -> Floats:
    """Return 1 for the members of each group of k answers, shape (k, groups)."""
    columns = [np.isin(np.arange(k), members) for members in groups]
    return np.array(columns, dtype=np.float64).reshape(len(columns), k).T


def _short_name(value: float, name: str) -> str:
    """Return a point's number if its name begins with it, otherwise its name."""
    number = f"{value:g}"
    return number if name.split(" ", 1)[0] == number else name
