"""Pairs of answers that a judge sees side by side, each pair in both orders."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from semscale.errors import InterruptedRunError
from semscale.judging.asking import Running
from semscale.judging.decisions.form_refusals import FormRefusal
from semscale.judging.judge import Judge
from semscale.judging.prompts.input_sanitizing import mark_code, sanitize
from semscale.judging.prompts.prompting import JudgedItem
from semscale.judging.prompts.template import Template, read_yaml
from semscale.signature import Signature
from semscale.types import Floats, Mask, Progress, Status

TIE = 0.5


@dataclass(frozen=True)
class AnswerPair:
    """Two answers to one question.

    Attributes:
        question: what was asked.
        first: the one answer.
        second: the other answer.
        reference: an answer that is known to be right, or ``None``.
    """

    question: str
    first: str
    second: str
    reference: str | None = None

    @property
    def plain_points(self) -> float | None:
        """Points of the first answer where nobody needs to be asked; ``None`` where a judge must decide.

        The same text twice ties, and an empty text loses to any other.
        """
        first, second = self.first.strip(), self.second.strip()
        if first == second:
            return TIE
        return None if first and second else float(bool(first))

    @property
    def in_both_orders(self) -> tuple[JudgedItem, JudgedItem]:
        """What a judge is shown: the first answer before the second, and after it."""
        return (
            JudgedItem(self.question, _shown(self.first, self.second), self.reference),
            JudgedItem(self.question, _shown(self.second, self.first), self.reference),
        )


@dataclass(frozen=True)
class PairVerdicts:
    """Verdicts on m pairs of answers.

    Attributes:
        orders: shape (m, 2), points of the first answer, 1 for better and 0.5 for a tie: where it stood
            first, and where it stood second. NaN where there is no verdict. Answers that are alike tie, and
            an empty one loses.
        asked: shape (m,), whether the judge was asked; not where answers are alike or one is empty.
        reasons: why verdicts are missing, each reason with its number.
        model: the judge's name.
        signature: what was applied.
        not_taken: forms of asking that the judge's model did not take, and why.
        status: shape (m,), ``scored`` where both orders have points, ``unfinished`` where the run stopped
            before one of them came, or else why the first verdict is missing.
        stopped: why not everything was asked, or ``None``.
    """

    orders: Floats
    asked: Mask
    reasons: dict[str, int]
    model: str
    signature: Signature
    not_taken: tuple[FormRefusal, ...] = ()
    status: tuple[Status, ...] = ()
    stopped: str | None = None

    @property
    def unfinished(self) -> Mask:
        """Whether the run stopped before a pair had both verdicts, shape (m,)."""
        if not self.status:
            return np.zeros(len(self.orders), dtype=bool)
        return np.array([status is Status.UNFINISHED for status in self.status], dtype=bool)

    def whole(self) -> Self:
        """Give the verdicts if everything was asked.

        Raises:
            InterruptedRunError: a cap was reached or no reply came for too long; replies are kept.
        """
        if self.stopped is not None:
            raise InterruptedRunError(self.stopped)
        return self

    @property
    def n_asked(self) -> int:
        """Pairs that the judge was asked about."""
        return int(self.asked.sum())

    @property
    def points(self) -> Floats:
        """Points of the first answers over both orders, shape (m,), 0 to 1; NaN unless both were judged.

        Above 0.5 the first answer wins, below it loses. A judge who prefers whatever stands first says 1 and
        0, which is a tie.
        """
        points: Floats = self.orders.mean(axis=1)
        return points

    @property
    def first_place(self) -> Floats:
        """Points of the answer that stood first, over both orders, shape (m,): 0.5 without position bias.

        NaN where the judge was not asked, or not both orders were judged.
        """
        place = (self.orders[:, 0] + 1 - self.orders[:, 1]) / 2
        return np.where(self.asked, place, np.nan)


def side_by_side_template(rubric: str = "") -> Template:
    """The template of a judge who compares two answers.

    Args:
        rubric: your own words on what makes an answer better.

    Example:
        >>> side_by_side_template().scores.tolist()
        [0.0, 0.5, 1.0]
    """
    return Template(**{**read_yaml("side_by_side"), "rubric": rubric.strip()})


async def judge_pairs(
    judge: Judge, pairs: Sequence[AnswerPair], *, running: Running, progress: Progress | None = None
) -> PairVerdicts:
    """Let a judge compare pairs of answers, each in both orders.

    Args:
        judge: with the template of ``side_by_side_template``.
        pairs: m pairs; answers that are alike tie, and an empty one loses: the judge is not asked.
        running: how calls are made.
        progress: called as replies come.

    Returns:
        Verdicts; where a cap ended the run early the remaining pairs are ``unfinished``. Replies are kept.

    Raises:
        ReplyError: no call can succeed.
    """
    plain = [pair.plain_points for pair in pairs]
    orders = np.array([[points, points] for points in plain], dtype=np.float64).reshape(-1, 2)
    asked = np.array([points is None for points in plain], dtype=bool)
    verdicts = await judge.judge_items(shown_to_judge(pairs), running, progress)
    scores = np.array([verdict.score for verdict in verdicts.verdicts], dtype=np.float64).reshape(-1, 2)
    # A score says how much better the answer is that stands second.
    orders[asked, 0], orders[asked, 1] = 1 - scores[:, 0], scores[:, 1]
    reasons: dict[str, int] = {}
    for verdict in verdicts.verdicts:
        if np.isnan(verdict.score) and verdict.status is not Status.UNFINISHED:
            reason = verdict.reason or str(verdict.status)
            reasons[reason] = reasons.get(reason, 0) + 1
    found = iter(verdicts.verdicts)
    status = tuple(
        _status(next(found).status, next(found).status) if is_asked else Status.SCORED for is_asked in asked
    )
    return PairVerdicts(
        orders,
        asked,
        reasons,
        judge.name,
        verdicts.signature,
        verdicts.not_taken,
        status,
        verdicts.stopped,
    )


def shown_to_judge(pairs: Sequence[AnswerPair]) -> list[JudgedItem]:
    """List what a judge is shown of pairs: each in both orders, without those that it is not asked about."""
    return [item for pair in pairs if pair.plain_points is None for item in pair.in_both_orders]


def _status(*orders: Status) -> Status:
    """The status of a pair, from those of both orders."""
    if Status.UNFINISHED in orders:
        return Status.UNFINISHED
    return next((status for status in orders if status is not Status.SCORED), Status.SCORED)


def _shown(first: str, second: str) -> str:
    """Write two answers with marks around each, whose code neither can contain."""
    texts = {"FIRST ANSWER": sanitize(first)[0], "SECOND ANSWER": sanitize(second)[0]}
    code = mark_code(*texts.values())
    return "\n\n".join(f"[BEGIN {name} {code}]\n{text}\n[END {name} {code}]" for name, text in texts.items())
