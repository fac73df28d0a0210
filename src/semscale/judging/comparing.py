"""Comparison of answers side by side: pairs judged in both orders, and ranks of systems.

Every two systems are compared question by question. Each pair is judged in both orders, so that a judge with
a preference for the first answer produces ties. If the order decides most pairs, or as many as by chance, the
judge has no information about the systems, and there is no verdict.

Pairs with identical answers tie without a call. They count half for each system in the win rate, but they say
nothing about the judge: a verdict needs judgements of most pairs whose answers differ.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import combinations
from typing import Any, Self

import numpy as np
import polars as pl

from semscale.chat.chat_model import keep_open
from semscale.chat.negotiation import FormRefusal
from semscale.chat.runner import Running, run_to_end
from semscale.errors import InputError, InterruptedRunError
from semscale.judging.judge import Judge
from semscale.judging.prompts import JudgedItem, mark_code, read_items, sanitize
from semscale.presentable import Presentable
from semscale.signature import Signature
from semscale.stats.intervals import (
    FEWEST_CLUSTERS,
    Estimate,
    IntervalPlan,
    MeanEstimate,
    estimate_mean,
    simultaneous,
)
from semscale.stats.regression import BradleyTerry, bradley_terry
from semscale.store.columns import as_list
from semscale.text_preparation import TextCounts, TextPreparation
from semscale.types import Floats, Integers, Mask, Progress, Status

_TIE = 0.5
_ROUNDING = 1e-9  # strengths, shares or chances that differ by rounding alone
_MOST_PAIRS = 1_000_000
_FEWEST_SYSTEMS = 2
_SHARE = (0.0, 1.0)
_LEAST_JUDGED = 0.5  # share of the pairs whose answers differ; with fewer, those without a verdict decide


@dataclass(frozen=True)
class AnswerPair:
    """Two answers to one question.

    Attributes:
        question: the question.
        first: the first answer.
        second: the second answer.
        reference: an answer that is known to be right, or ``None``.
    """

    question: str
    first: str
    second: str
    reference: str | None = None

    @property
    def plain_points(self) -> float | None:
        """Points of the first answer if no judge is needed; ``None`` if a judge must decide.

        Equal texts tie (0.5), and an empty text (0) loses to any other.
        """
        if self.is_identical:
            return _TIE
        first, second = self.first.strip(), self.second.strip()
        return None if first and second else float(bool(first))

    @property
    def is_identical(self) -> bool:
        """True if both answers are the same text, apart from white space around it."""
        return self.first.strip() == self.second.strip()

    @property
    def in_both_orders(self) -> tuple[JudgedItem, JudgedItem]:
        """The two items for a judge: with the first answer shown first, and shown second."""
        return (
            JudgedItem(self.question, _mark_answers(self.first, self.second), self.reference),
            JudgedItem(self.question, _mark_answers(self.second, self.first), self.reference),
        )


def _mark_answers(first: str, second: str) -> str:
    """Write two answers between marks with a code that neither text can contain."""
    texts = {"FIRST ANSWER": sanitize(first)[0], "SECOND ANSWER": sanitize(second)[0]}
    code = mark_code(*texts.values())
    return "\n\n".join(f"[BEGIN {name} {code}]\n{text}\n[END {name} {code}]" for name, text in texts.items())


@dataclass(frozen=True)
class PairVerdicts:
    """Verdicts on m pairs of answers.

    Attributes:
        orders: shape (m, 2), points of the first answer when shown first and when shown second: 1 for a win,
            0.5 for a tie, 0 for a loss; NaN without a verdict. Equal answers tie, and an empty one loses.
        asked: shape (m,), whether the judge was asked; False if the answers are equal or one is empty.
        reasons: why verdicts are missing, and how often.
        model: the judge's name.
        signature: the settings that were applied.
        refused_forms: request forms that the judge's model did not accept, and why.
        status: shape (m,), ``scored`` if both orders have points, ``unfinished`` if the run stopped before,
            or else why the first verdict is missing.
        stopped: why asking stopped early, or ``None``.
        identical: shape (m,), whether both answers are the same text; by default no pair.
    """

    orders: Floats
    asked: Mask
    reasons: dict[str, int]
    model: str
    signature: Signature
    refused_forms: tuple[FormRefusal, ...] = ()
    status: tuple[Status, ...] = ()
    stopped: str | None = None
    identical: Mask | None = None

    @property
    def is_identical(self) -> Mask:
        """True if both answers of a pair are the same text, shape (m,)."""
        return np.zeros(len(self.orders), dtype=bool) if self.identical is None else self.identical

    @property
    def unfinished(self) -> Mask:
        """True if the run stopped before a pair had both verdicts, shape (m,)."""
        if not self.status:
            return np.zeros(len(self.orders), dtype=bool)
        return np.array([status is Status.UNFINISHED for status in self.status], dtype=bool)

    def whole(self) -> Self:
        """Return the verdicts if the run finished.

        Raises:
            InterruptedRunError: a cap was reached or no reply came for too long; replies are stored.
        """
        if self.stopped is not None:
            raise InterruptedRunError(self.stopped)
        return self

    @property
    def n_asked(self) -> int:
        """Number of pairs that the judge was asked about."""
        return int(self.asked.sum())

    @property
    def obstacle(self) -> str | None:
        """The reason why too few of the pairs with different answers are judged; ``None`` for enough.

        At least half of them must be judged in both orders.
        """
        n_asked = self.n_asked
        n_judged = int((self.asked & ~np.isnan(self.orders).any(axis=1)).sum())
        if not n_asked:
            n_identical = int(self.is_identical.sum())
            all_pairs = f"all {n_identical:,} pairs have" if n_identical > 1 else "the only pair has"
            return f"{all_pairs} identical answers" if n_identical == len(self.orders) > 0 else None
        if self.unfinished[self.asked].all():
            return "the run stopped before a pair was judged in both orders"
        if not n_judged or n_judged < _LEAST_JUDGED * n_asked:
            if n_asked == 1:
                return "the only pair with different answers was not judged in both orders"
            number = f"only {n_judged:,}" if n_judged else "none"
            was, least = "was" if n_judged == 1 else "were", f"{100 * _LEAST_JUDGED:.0f} %"
            return (
                f"{number} of the {n_asked:,} pairs with different answers {was} judged in both orders, "
                f"and at least {least} must be"
            )
        return None

    @property
    def points(self) -> Floats:
        """Points of the first answers over both orders, shape (m,), 0 to 1; NaN unless both were judged.

        Above 0.5 the first answer wins, below 0.5 it loses. A judge that always prefers the answer shown
        first gives 1 and 0, a tie. A win in one order and a tie in the other give 0.75: the pair is won, and
        counts three quarters in the win rate.
        """
        points: Floats = self.orders.mean(axis=1)
        return points

    @property
    def first_place(self) -> Floats:
        """Points of the answer that was shown first, over both orders, shape (m,): 0.5 without position bias.

        NaN if the judge was not asked, or one order has no verdict.
        """
        points = (self.orders[:, 0] + 1 - self.orders[:, 1]) / 2
        return np.where(self.asked, points, np.nan)


@dataclass(frozen=True)
class OrderEffect:
    """Number of pairs that the order of the answers decides, and number that their content decides.

    A judge without any information about the answers prefers the first one with a probability a, the second
    one with a probability b, and neither otherwise. In the two orders of a pair it then prefers answers in
    the same position with the probability a² + b², and the same answer with 2ab, which is never more. So only
    a judge whose preferences follow the content in more pairs than the order has information.

    Attributes:
        n: pairs that the judge has judged in both orders.
        by_order: pairs in which it preferred the answer in the same position in both orders.
        by_content: pairs in which it preferred the same answer in both orders.
        n_one_sided: pairs with a preference in one order and a tie in the other.
        share: ``by_order`` as a share of the pairs with a preference in both orders, 0 to 1.
    """

    n: int
    by_order: int
    by_content: int
    n_one_sided: int
    share: MeanEstimate

    @classmethod
    def from_verdicts(
        cls, judged: PairVerdicts, *, plan: IntervalPlan, clusters: Integers | None = None
    ) -> Self:
        """Count the pairs that a judge was asked about.

        Args:
            judged: the verdicts on m pairs.
            plan: how the interval is made.
            clusters: shape (m,), number of each pair's question; by default each pair is its own cluster.
        """
        known = judged.asked & ~np.isnan(judged.orders).any(axis=1)
        first, second = judged.orders[:, 0], judged.orders[:, 1]
        has_preference = known & (first != _TIE) & (second != _TIE)
        is_by_order = has_preference & (first != second)
        values = np.where(has_preference, is_by_order, np.nan)
        return cls(
            n=int(known.sum()),
            by_order=int(is_by_order.sum()),
            by_content=int((has_preference & (first == second)).sum()),
            n_one_sided=int((known & ((first == _TIE) != (second == _TIE))).sum()),
            share=estimate_mean(values, bounds=_SHARE, clusters=clusters, plan=plan),
        )

    @property
    def obstacle(self) -> str | None:
        """The reason why the verdicts say nothing about the answers; ``None`` if they do.

        The order must decide at most half of the pairs. With 10 or more questions, the interval of ``share``
        must also lie below 50 %, which a judge that answers at random reaches. With fewer, differences are
        never significant.
        """
        n_decided = self.by_order + self.by_content
        if self.n and not n_decided and not self.n_one_sided:
            return f"the judge calls all {self.n:,} pairs ties"
        if 2 * self.by_order > self.n:
            return f"the order of the answers decides {self.by_order:,} of {self.n:,} pairs"
        if self.share.n_clusters >= FEWEST_CLUSTERS and self.share.high >= _TIE:
            return (
                f"the order of the answers decides {self.by_order:,} of {n_decided:,} pairs, not "
                "significantly fewer than the half that a judge reaches at random"
            )
        return None


async def judge_pairs(
    judge: Judge, pairs: Sequence[AnswerPair], *, running: Running, progress: Progress | None = None
) -> PairVerdicts:
    """Let a judge compare pairs of answers, each in both orders.

    Args:
        judge: a judge with the template of ``side_by_side_template``.
        pairs: m pairs; equal answers tie and an empty one loses without a call.
        running: how calls are made.
        progress: called as replies come.

    Returns:
        Verdicts; where a cap ended the run early the remaining pairs are ``unfinished``. Replies are stored.

    Raises:
        ReplyError: no call can succeed.
    """
    plain = [pair.plain_points for pair in pairs]
    orders = np.array([[points, points] for points in plain], dtype=np.float64).reshape(-1, 2)
    asked = np.array([points is None for points in plain], dtype=bool)
    result = await judge.judge_items(items_to_judge(pairs), running, progress)
    scores = result.score.reshape(-1, 2)
    # A score states how much better the second answer is.
    orders[asked, 0], orders[asked, 1] = 1 - scores[:, 0], scores[:, 1]
    reasons = Counter(
        verdict.reason or str(verdict.status)
        for verdict in result.verdicts
        if np.isnan(verdict.score) and verdict.status is not Status.UNFINISHED
    )
    statuses = iter(verdict.status for verdict in result.verdicts)
    return PairVerdicts(
        orders,
        asked,
        dict(reasons),
        judge.name,
        result.signature,
        result.refused_forms,
        tuple(_pair_status(next(statuses), next(statuses)) if ask else Status.SCORED for ask in asked),
        result.stopped,
        np.array([pair.is_identical for pair in pairs], dtype=bool),
    )


def items_to_judge(pairs: Sequence[AnswerPair]) -> list[JudgedItem]:
    """List the items for a judge: each pair in both orders, without pairs that need no judge."""
    return [item for pair in pairs if pair.plain_points is None for item in pair.in_both_orders]


def _pair_status(*orders: Status) -> Status:
    """Return the status of a pair, from those of both orders."""
    if Status.UNFINISHED in orders:
        return Status.UNFINISHED
    return next((status for status in orders if status is not Status.SCORED), Status.SCORED)


@dataclass(frozen=True)
class SystemPairs:
    """Pairs of answers of systems, with a judge's verdicts.

    Attributes:
        first: shape (m,), index of each pair's first system.
        second: shape (m,), index of each pair's second system.
        item: shape (m,), index of each pair's question.
        judged: the verdicts.
    """

    first: Integers
    second: Integers
    item: Integers
    judged: PairVerdicts

    @property
    def points(self) -> Floats:
        """Points of the first systems, shape (m,); NaN unless both orders were judged."""
        return self.judged.points

    def of_system(self, system: int) -> tuple[Floats, Integers]:
        """Return the points of a system in its judged pairs, and the indices of their questions."""
        points = np.where(self.first == system, self.points, 1 - self.points)
        judged = ((self.first == system) | (self.second == system)) & ~np.isnan(points)
        return points[judged], self.item[judged]

    def n_identical(self, pairs: Mask) -> int:
        """Count the pairs of a mask (m,) with identical answers."""
        return int((pairs & self.judged.is_identical).sum())

    def between(self, left: int, right: int) -> Mask:
        """Return a mask (m,) of the pairs of two systems."""
        forwards, backwards = (self.first == left), (self.first == right)
        pairs: Mask = (forwards & (self.second == right)) | (backwards & (self.second == left))
        return pairs

    def frame(self, names: Sequence[str]) -> pl.DataFrame:
        """Lay out the pairs as a table.

        Args:
            names: of the systems.

        Returns:
            Columns ``row`` (from 1), ``first``, ``second``, ``shown_first`` and ``shown_second`` (points of
            the first system when its answer is shown first and second), ``points`` (their mean),
            ``preferred`` (a system's name or ``tie``), ``identical`` (whether both answers are the same text,
            which the judge was not asked about) and ``status``, such as ``unfinished``; null without a
            verdict.
        """
        orders, points = self.judged.orders, pl.col("points")
        preferred = (
            pl.when(points > _TIE)
            .then(pl.col("first"))
            .when(points < _TIE)
            .then(pl.col("second"))
            .when(points == _TIE)
            .then(pl.lit("tie"))
        )
        return pl.DataFrame(
            [
                pl.Series("row", self.item + 1),
                pl.Series("first", [names[index] for index in self.first.tolist()], pl.String),
                pl.Series("second", [names[index] for index in self.second.tolist()], pl.String),
                pl.Series("shown_first", orders[:, 0].copy(), nan_to_null=True),
                pl.Series("shown_second", orders[:, 1].copy(), nan_to_null=True),
                pl.Series("points", self.points, nan_to_null=True),
            ]
        ).with_columns(
            preferred.alias("preferred"),
            pl.Series("identical", self.judged.is_identical),
            pl.Series("status", [str(status) for status in self.judged.status], pl.String),
        )


async def judge_systems(
    questions: Sequence[str],
    answers: Sequence[Sequence[str | None]],
    judge: Judge,
    *,
    references: Sequence[str | None] | None = None,
    running: Running,
    progress: Progress | None = None,
) -> SystemPairs:
    """Let a judge compare the answers of every pair of systems.

    Args:
        questions: n questions.
        answers: n answers of each of k systems; pairs with ``None`` are left out, and an empty text loses.
        judge: a judge with the template of ``side_by_side_template``.
        references: n right answers, ``None`` where unknown.
        running: how calls are made.
        progress: called as replies come.

    Returns:
        Verdicts; where a cap ended the run early the remaining pairs are ``unfinished``. Replies are stored.

    Raises:
        ReplyError: no call can succeed.
    """
    pairs, positions = _pair_answers(questions, answers, references)
    judged = await judge_pairs(judge, pairs, running=running, progress=progress)
    first, second, item = np.array(positions, dtype=np.int64).reshape(-1, 3).T
    return SystemPairs(first, second, item, judged)


def _pair_answers(
    questions: Sequence[str],
    answers: Sequence[Sequence[str | None]],
    references: Sequence[str | None] | None = None,
) -> tuple[list[AnswerPair], list[tuple[int, int, int]]]:
    """Pair the answers of every two systems, with the indices of both systems and of the question."""
    references = references or [None] * len(questions)
    pairs, positions = [], []
    for left, right in combinations(range(len(answers)), 2):
        for index, question in enumerate(questions):
            first, second = answers[left][index], answers[right][index]
            if first is not None and second is not None:
                pairs.append(AnswerPair(question, first, second, references[index]))
                positions.append((left, right, index))
    return pairs, positions


@dataclass(frozen=True)
class SystemRecord:
    """Results of a system side by side with the others.

    Attributes:
        wins: pairs in which it was better over both orders.
        ties: pairs with different answers in which neither was better.
        identical: pairs with identical answers, which the judge was not asked about.
        losses: pairs in which it was worse.
        share: win rate: share of won judgements plus half the share of tied ones, with two judgements per
            pair; identical answers tie; clustered by question. ``None`` if the verdicts say nothing about the
            systems.
        chance: probability that it is preferred to a system with the others' mean strength, by Bradley and
            Terry; ``None`` if strengths cannot be estimated.
    """

    wins: int
    ties: int
    identical: int
    losses: int
    share: MeanEstimate | None
    chance: Estimate | None


@dataclass(frozen=True)
class SidesSummary:
    """Results of systems judged side by side.

    Attributes:
        pairs: the pairs with their verdicts.
        records: results of the k systems; ``None`` for a system in no pair.
        over_best: for each system the probability that it is preferred to the best one, with simultaneous
            intervals for all pairs of systems; without strengths the share of points in pairs with the best
            one. ``None`` for the best one, and for a system that was not compared with it.
        best: index of the best system; ``None`` if nothing was judged, or no system is better.
        first_place: mean points of the answer that is shown first, 0.5 without position bias.
        order: number of pairs that the order of the answers decides.
        no_strengths: why strengths cannot be estimated, or ``None``.
    """

    pairs: SystemPairs
    records: tuple[SystemRecord | None, ...]
    over_best: tuple[Estimate | None, ...]
    best: int | None
    first_place: MeanEstimate
    order: OrderEffect
    no_strengths: str | None

    @property
    def no_verdict(self) -> str | None:
        """The reason why the verdicts say nothing about the systems; ``None`` if they do."""
        return _obstacle(self.pairs.judged, self.order)

    def n_with_best(self, system: int) -> int:
        """Count the questions with a verdict on a system and the best one."""
        if self.best is None:
            return 0
        judged = self.pairs.between(system, self.best) & ~np.isnan(self.pairs.points)
        return len(np.unique(self.pairs.item[judged]))

    def is_told_apart(self, system: int) -> bool:
        """True if a system is significantly worse than the best one.

        With fewer than 10 questions with a verdict on both, it is False.
        """
        over = self.over_best[system]
        return over is not None and over.high < _TIE and self.n_with_best(system) >= FEWEST_CLUSTERS

    @property
    def n_unjudged(self) -> int:
        """Number of pairs without verdicts in both orders, including pairs that were not asked about."""
        return int(np.isnan(self.pairs.points).sum())

    @property
    def n_unfinished(self) -> int:
        """Number of pairs that the run did not reach."""
        return int(self.pairs.judged.unfinished.sum())

    def record(self) -> dict[str, Any]:
        """Return the judge's figures, for JSON."""
        judged = self.pairs.judged
        return {
            "judge": judged.model,
            "n_pairs": len(self.pairs.points),
            "n_identical": int(judged.is_identical.sum()),
            "n_unjudged": self.n_unjudged,
            "n_unfinished": self.n_unfinished,
            "reasons": judged.reasons,
            "method": dict(judged.signature.fields).get("method", "prose"),
            "refused_forms": judged.refused_forms,
            "first_place": self.first_place,
            "decided_by_order": self.order.by_order,
            "decided_by_content": self.order.by_content,
            "order_share": self.order.share,
            "no_strengths": self.no_strengths,
        }


def side_by_side(pairs: SystemPairs, names: Sequence[str], plan: IntervalPlan) -> SidesSummary:
    """Summarize verdicts on pairs of systems.

    Args:
        pairs: the pairs with their verdicts.
        names: names of the k systems.
        plan: how intervals are made.
    """
    order = OrderEffect.from_verdicts(pairs.judged, plan=plan, clusters=pairs.item)
    first_place = estimate_mean(pairs.judged.first_place, bounds=_SHARE, clusters=pairs.item, plan=plan)
    if (obstacle := _obstacle(pairs.judged, order)) is not None:
        counts = tuple(_record(pairs, system, None, None) for system in range(len(names)))
        nothing = (None,) * len(names)
        return SidesSummary(pairs, counts, nothing, None, first_place, order, obstacle)
    strengths, positions, obstacle = _strengths(pairs, names)
    records = []
    for system in range(len(names)):
        chance = None
        if strengths is not None and system in positions:
            chance = strengths.chance_against_average(positions[system], interval=plan.interval)
        records.append(_record(pairs, system, chance, plan))
    best = _best(records, strengths, positions)
    over_best: list[Estimate | None] = [None] * len(names)
    if best is not None:
        wider = simultaneous(plan, len(positions))
        for system in positions.keys() - {best}:
            if strengths is None:
                over_best[system] = _share_against(pairs, system, best, wider)
            else:
                over_best[system] = strengths.chance(
                    positions[system], positions[best], interval=wider.interval
                )
    return SidesSummary(pairs, tuple(records), tuple(over_best), best, first_place, order, obstacle)


def _obstacle(judged: PairVerdicts, order: OrderEffect) -> str | None:
    """Return why verdicts say nothing about the systems: too few are known, or the order decides them."""
    return judged.obstacle or order.obstacle


def _strengths(
    pairs: SystemPairs, names: Sequence[str]
) -> tuple[BradleyTerry | None, dict[int, int], str | None]:
    """Estimate the strengths of the judged systems.

    Returns:
        The strengths, the index of each judged system among them, and why there is no estimate.
    """
    judged = ~np.isnan(pairs.points)
    points, first, second = pairs.points[judged], pairs.first[judged], pairs.second[judged]
    systems, indices = np.unique(np.concatenate([first, second]), return_inverse=True)
    positions = {system: index for index, system in enumerate(systems.tolist())}
    if not positions:
        return None, positions, "no pair was judged in both orders"
    if (points == _TIE).all():
        return None, positions, "the judge found no answer better than another"
    try:
        strengths = bradley_terry(
            indices[: len(first)],
            indices[len(first) :],
            points,
            names=[names[system] for system in positions],
            clusters=pairs.item[judged],
        )
    except InputError as error:
        return None, positions, str(error)
    return strengths, positions, None


def _share_against(pairs: SystemPairs, system: int, best: int, plan: IntervalPlan) -> Estimate | None:
    """Estimate a system's share of points in its pairs with the best one."""
    points = np.where(pairs.first == system, pairs.points, 1 - pairs.points)[pairs.between(system, best)]
    if np.isnan(points).all():
        return None
    share = estimate_mean(points, bounds=_SHARE, plan=plan)
    return Estimate(share.value, share.low, share.high)


def _record(
    pairs: SystemPairs, system: int, chance: Estimate | None, plan: IntervalPlan | None
) -> SystemRecord | None:
    """Count a system's pairs; without a plan there is no win rate."""
    points, items = pairs.of_system(system)
    if not len(points):
        return None
    share = None if plan is None else estimate_mean(points, bounds=_SHARE, clusters=items, plan=plan)
    wins, ties, losses = _won_tied_lost(points)
    identical = pairs.n_identical((pairs.first == system) | (pairs.second == system))
    return SystemRecord(wins, ties - identical, identical, losses, share, chance)


def _won_tied_lost(points: Floats) -> tuple[int, int, int]:
    """Count points above, at and below a half."""
    return int((points > _TIE).sum()), int((points == _TIE).sum()), int((points < _TIE).sum())


def _best(
    records: Sequence[SystemRecord | None], strengths: BradleyTerry | None, positions: Mapping[int, int]
) -> int | None:
    """Return the strongest system, or the one with the greatest share of points; ``None`` if all tie."""
    if strengths is not None:
        values = {system: float(strengths.strengths[index]) for system, index in positions.items()}
    else:
        shares = {system: record.share for system, record in enumerate(records) if record is not None}
        values = {system: share.value for system, share in shares.items() if share is not None}
    if not values or np.ptp(list(values.values())) < _ROUNDING:
        return None
    # Rounded, so that the first of equal systems is named on every machine.
    return max(values, key=lambda system: round(values[system], 9))


@dataclass(frozen=True)
class HeadToHead:
    """Results of two systems side by side.

    Attributes:
        first: index of the first system.
        second: index of the second system.
        wins: questions on which the first was better over both orders.
        ties: questions with different answers on which neither was better.
        identical: questions with identical answers, which the judge was not asked about.
        losses: questions on which the first was worse.
        n_unjudged: questions without a verdict in both orders.
        n_moved: questions whose verdict changes with the order.
        win_rate: share of judgements that the first won plus half the share of tied ones, with two judgements
            per question, 0 to 1; identical answers tie. ``None`` if the verdicts say nothing about the
            systems.
    """

    first: int
    second: int
    wins: int
    ties: int
    identical: int
    losses: int
    n_unjudged: int
    n_moved: int
    win_rate: MeanEstimate | None

    @classmethod
    def from_pairs(cls, pairs: SystemPairs, first: int, second: int, plan: IntervalPlan | None) -> Self:
        """Summarize the verdicts on two systems; without a plan there is no win rate."""
        both = pairs.between(first, second)
        wins, ties, losses = _won_tied_lost(pairs.points[both])
        identical = pairs.n_identical(both)
        points, orders = pairs.points[both], pairs.judged.orders[both]
        return cls(
            first=first,
            second=second,
            wins=wins,
            ties=ties - identical,
            identical=identical,
            losses=losses,
            n_unjudged=int(np.isnan(points).sum()),
            n_moved=int(((orders[:, 0] != orders[:, 1]) & ~np.isnan(points)).sum()),
            win_rate=None if plan is None else estimate_mean(points, bounds=_SHARE, plan=plan),
        )


@dataclass(frozen=True, repr=False)
class SystemComparison(Presentable):
    """Systems compared by a judge.

    Attributes:
        source: name of the table.
        systems: names of the k systems, with their columns.
        sides: records, strengths and position bias.
        duels: one for every two systems.
        counts: rows by status; of a ``scored`` row at least one pair is judged in both orders, or has
            identical answers.
        plan: how intervals are made.
        created: time of the comparison.
        input_notes: how the texts were read.
    """

    source: str
    systems: Mapping[str, str]
    sides: SidesSummary
    duels: tuple[HeadToHead, ...]
    counts: Mapping[str, int]
    plan: IntervalPlan
    created: datetime = field(default_factory=lambda: datetime.now(UTC))
    input_notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        best = f", best={self.names[self.sides.best]!r}" if self.sides.best is not None else ""
        return f"SystemComparison(source={self.source!r}, systems={self.names}{best})"

    @property
    def names(self) -> list[str]:
        """The systems' names, in their order."""
        return list(self.systems)

    @property
    def signature(self) -> Signature:
        """The settings of the judge and of the intervals."""
        return self.sides.pairs.judged.signature.with_settings("estimate", self.plan.settings)

    @property
    def not_told_apart(self) -> tuple[str, ...]:
        """Systems whose difference to the best one may be chance."""
        return tuple(
            name
            for index, name in enumerate(self.names)
            if self.sides.over_best[index] is not None and not self.sides.is_told_apart(index)
        )

    @property
    def equal_to_best(self) -> tuple[str, ...]:
        """Systems that are exactly as good as the best one."""
        over = zip(self.names, self.sides.over_best, strict=True)
        return tuple(
            name for name, chance in over if chance is not None and abs(chance.value - _TIE) < _ROUNDING
        )

    @property
    def no_verdict(self) -> str | None:
        """The reason why there is no verdict; ``None`` if the judge has information, or did not judge."""
        return self.sides.no_verdict

    @property
    def stopped(self) -> str | None:
        """The reason why asking stopped early, or ``None``."""
        return self.sides.pairs.judged.stopped

    @property
    def failed(self) -> str | None:
        """The reason why no call brought a judgement; ``None`` if a reply came that could be one.

        Replies without a readable score give no verdict (``no_verdict``), which is no failure. In a stopped
        run, which may continue, only calls without any reply count.
        """
        judged = self.sides.pairs.judged
        if not np.isnan(judged.orders[judged.asked]).all() or Status.UNPARSABLE in judged.status:
            return None
        if self.stopped is not None and Status.FAILED not in judged.status:
            return None
        return max(judged.reasons, key=lambda reason: judged.reasons[reason], default=None)

    def record(self) -> dict[str, Any]:
        """Return the numbers by name, for JSON."""
        names, sides = self.names, self.sides
        systems = [
            {
                "name": name,
                "column": self.systems[name],
                "wins": None if record is None else record.wins,
                "ties": None if record is None else record.ties,
                "identical": None if record is None else record.identical,
                "losses": None if record is None else record.losses,
                "share": None if record is None else record.share,
                "preferred": None if record is None else record.chance,
                "over_best": over,
            }
            for name, record, over in zip(names, sides.records, sides.over_best, strict=True)
        ]
        duels = [
            {**vars(duel), "first": names[duel.first], "second": names[duel.second]} for duel in self.duels
        ]
        return {
            "instrument": "judge compare",
            "source": self.source,
            "created": self.created,
            "counts": self.counts,
            "interval": self.plan.interval,
            "no_verdict": self.no_verdict,
            "best": None if sides.best is None else names[sides.best],
            "not_told_apart": self.not_told_apart,
            "stopped": self.stopped,
            "systems": systems,
            "pairs": duels,
            "side_by_side": sides.record(),
            "signature": self.signature,
        }


def compare_systems(  # noqa: PLR0913 - answers, judge, and how to ask it
    judge: Judge,
    questions: object,
    systems: Mapping[str, object],
    *,
    references: object = None,
    columns: Mapping[str, str] | None = None,
    source: str = "items in memory",
    running: Running | None = None,
    plan: IntervalPlan | None = None,
    progress: Progress | None = None,
) -> tuple[SystemComparison, pl.DataFrame]:
    """Let a judge compare the answers of every two systems, each pair in both orders.

    Args:
        judge: a judge with the template of ``side_by_side_template``.
        questions: shape (n,), a list or a series.
        systems: answers of each system by its name, each of shape (n,); two systems or more.
        references: shape (n,), right answers, each a text or a list of texts.
        columns: columns of the systems' answers, by the systems' names; the names by default.
        source: name of the table.
        running: how calls are made.
        plan: how intervals are made.
        progress: called as replies come.

    Returns:
        The summary, and a table with a row for each pair; where a cap ended the run early the remaining pairs
        are ``unfinished``, and replies are stored.

    Raises:
        InputError: fewer than two systems, or columns of unequal length.
        ReplyError: no call can succeed.
    """
    texts, answers, known, counts = _read_systems(questions, systems, references, judge.preparation)
    text_counts = TextCounts()
    judge.preparation.prepare([as_list(column, "answers") for column in systems.values()], text_counts)

    async def judge_all() -> SystemPairs:
        async with keep_open(judge.model):
            return await judge_systems(
                texts,
                answers,
                judge,
                references=known,
                running=running or Running(),
                progress=progress,
            )

    pairs, names, plan = run_to_end(judge_all()), list(systems), plan or IntervalPlan()
    lost = _rows_without_verdict(pairs)
    counts = counts + lost - Counter({str(Status.SCORED): lost.total()})
    sides = side_by_side(pairs, names, plan)
    duels = (
        HeadToHead.from_pairs(pairs, first, second, plan if sides.no_verdict is None else None)
        for first, second in combinations(range(len(names)), 2)
    )
    summary = SystemComparison(
        source=source,
        systems=dict(columns or {name: name for name in names}),
        sides=sides,
        duels=tuple(duels),
        counts=dict(counts),
        plan=plan,
        input_notes=judge.preparation.notes(text_counts, columns.values() if columns else systems),
    )
    return summary, pairs.frame(names)


def _rows_without_verdict(pairs: SystemPairs) -> Counter[str]:
    """Count the rows none of whose pairs has a verdict, by the status of the first of these pairs."""
    has_verdict = ~np.isnan(pairs.points)
    lost = set(pairs.item[~has_verdict].tolist()) - set(pairs.item[has_verdict].tolist())
    status_of_row: dict[int, Status] = {}
    for item, status in zip(pairs.item.tolist(), pairs.judged.status, strict=True):
        if item in lost and (item not in status_of_row or status is Status.UNFINISHED):
            status_of_row[item] = status
    return Counter(map(str, status_of_row.values()))


def pair_items(
    judge: Judge, questions: object, systems: Mapping[str, object], *, references: object = None
) -> tuple[list[JudgedItem], dict[str, int]]:
    """List the items that a comparison of systems would send to the judge, and count the rows.

    Args:
        judge: the judge.
        questions: see ``compare_systems``.
        systems: see ``compare_systems``.
        references: see ``compare_systems``.

    Returns:
        The items, two for each pair that needs the judge, and rows by status; ``scored`` rows would be
        compared.

    Raises:
        InputError: as ``compare_systems``.
    """
    texts, answers, known, counts = _read_systems(questions, systems, references, judge.preparation)
    pairs, _ = _pair_answers(texts, answers, known)
    return items_to_judge(pairs), dict(counts)


def _read_systems(
    questions: object,
    systems: Mapping[str, object],
    references: object,
    preparation: TextPreparation,
) -> tuple[list[str], list[list[str | None]], list[str | None], Counter[str]]:
    """Read n questions, n answers of each system, n references, and count rows by status.

    A row with two answers or more is compared.
    """
    if len(systems) < _FEWEST_SYSTEMS:
        raise InputError("systems", f"must be two or more, got {len(systems)}")
    columns = [read_items(questions, answers, references, preparation) for answers in systems.values()]
    texts = as_list(questions, "questions")
    n_pairs = len(texts) * len(columns) * (len(columns) - 1) // 2
    if n_pairs > _MOST_PAIRS:
        raise InputError(f"{n_pairs:,} pairs are more than the {_MOST_PAIRS:,} that are compared at once")
    counts: Counter[str] = Counter()
    known = []
    for row in zip(*columns, strict=True):
        items = [item for item in row if isinstance(item, JudgedItem)]
        missing = next((status for status in row if isinstance(status, Status)), Status.MISSING)
        counts[str(Status.SCORED if len(items) >= _FEWEST_SYSTEMS else missing)] += 1
        known.append(items[0].reference if items else None)
    answers = [
        [item.answer if isinstance(item, JudgedItem) else None for item in column] for column in columns
    ]
    return [str(text) for text in texts], answers, known, counts


def system_names(a: str | None, b: str | None, systems: Sequence[str]) -> dict[str, str]:
    """Name the systems of a command: columns ``a`` and ``b``, and ``NAME=COLUMN`` for each further one.

    Raises:
        InputError: fewer than two systems, one without a column, or a repeated name or column.

    Examples:
        >>> system_names("old", "new", [])
        {'old': 'old', 'new': 'new'}
        >>> system_names(None, None, ["small=answer_1", "large=answer_2"])
        {'small': 'answer_1', 'large': 'answer_2'}
    """
    pairs = [(column, column) for column in (a, b) if column is not None]
    for entry in systems:
        name, _, column = (part.strip() for part in entry.partition("="))
        if not name or not column:
            raise InputError(f"`system` must be NAME=COLUMN, got {entry!r}")
        pairs.append((name, column))
    if len(pairs) < _FEWEST_SYSTEMS:
        raise InputError("name two systems or more, with `a` and `b` or with `system` for each")
    for noun, values in zip(("name", "column"), zip(*pairs, strict=True), strict=True):
        twice = next((value for index, value in enumerate(values) if value in values[:index]), None)
        if twice is not None:
            raise InputError(f"each system needs a {noun} of its own, got {twice!r} twice")
    return dict(pairs)
