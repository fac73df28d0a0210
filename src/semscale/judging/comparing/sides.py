"""Systems side by side: every pair of systems, judged question by question in both orders."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from semscale.errors import InputError
from semscale.judging.asking import Running
from semscale.judging.judge import Judge
from semscale.judging.side_by_side import TIE, AnswerPair, PairVerdicts, judge_pairs
from semscale.stats.intervals.estimates import Estimate, IntervalPlan
from semscale.stats.intervals.means import MeanEstimate, estimate_mean
from semscale.stats.intervals.resampling import FEWEST_CLUSTERS
from semscale.stats.intervals.simultaneous import simultaneous
from semscale.stats.ranking.bradley_terry import BradleyTerry, bradley_terry
from semscale.types import Floats, Integers, Progress

_ALIKE = 1e-9  # strengths or shares that differ by rounding alone


@dataclass(frozen=True)
class SystemPairs:
    """Pairs of answers of systems, with a judge's verdicts.

    Attributes:
        first: shape (m,), numbers of systems.
        second: shape (m,), of the systems they were compared with.
        item: shape (m,), numbers of the questions.
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
        """Points of one system in all its pairs that were judged, and the questions of these pairs."""
        points = np.where(self.first == system, self.points, 1 - self.points)
        mine = ((self.first == system) | (self.second == system)) & ~np.isnan(points)
        return points[mine], self.item[mine]


@dataclass(frozen=True)
class SystemRecord:
    """How a system did side by side with the others.

    Attributes:
        wins: pairs in which it was better, both orders taken together.
        ties: pairs in which neither was.
        losses: pairs in which it was worse.
        share: mean of its points: 1 for a win, a half for a tie; clustered by question.
        chance: chance to be preferred to a system of the others' mean strength, by Bradley and Terry;
            ``None`` where strengths cannot be estimated.
    """

    wins: int
    ties: int
    losses: int
    share: MeanEstimate
    chance: Estimate | None


@dataclass(frozen=True)
class SidesSummary:
    """Systems judged side by side.

    Attributes:
        pairs: with the verdicts.
        records: of the k systems; ``None`` for one that was in no pair.
        over_best: for each system the chance to be preferred to the best one, with intervals that hold for
            all pairs of systems together; without strengths the share of points of the pairs with the best
            one. ``None`` for the best one, and for a system that was not compared.
        best: number of the best system from 0; ``None`` where nothing was judged, or none is better.
        first_place: mean points of what stood first, 0.5 without position bias.
        no_strengths: why strengths cannot be estimated, or ``None``.
    """

    pairs: SystemPairs
    records: tuple[SystemRecord | None, ...]
    over_best: tuple[Estimate | None, ...]
    best: int | None
    first_place: MeanEstimate
    no_strengths: str | None

    def n_with_best(self, system: int) -> int:
        """Count the questions with a verdict on a system and the best one."""
        pairs, both = self.pairs, {system, self.best}
        mine = [
            {one, other} == both
            for one, other in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)
        ]
        return len(np.unique(pairs.item[np.array(mine, dtype=bool) & ~np.isnan(pairs.points)]))

    def is_told_apart(self, system: int) -> bool:
        """Whether a system is worse than the best one by more than chance.

        Fewer than 10 questions with a verdict on both tell nothing apart.
        """
        over = self.over_best[system]
        return over is not None and over.high < TIE and self.n_with_best(system) >= FEWEST_CLUSTERS

    @property
    def n_unjudged(self) -> int:
        """Pairs without a verdict in both orders, those that were not asked about among them."""
        return int(np.isnan(self.pairs.points).sum())

    @property
    def n_unfinished(self) -> int:
        """Pairs that the run stopped before."""
        return int(self.pairs.judged.unfinished.sum())

    def record(self) -> dict[str, Any]:
        """Lay out what the judge did, for JSON."""
        judged = self.pairs.judged
        return {
            "judge": judged.model,
            "n_pairs": len(self.pairs.points),
            "n_unjudged": self.n_unjudged,
            "n_unfinished": self.n_unfinished,
            "reasons": judged.reasons,
            "method": dict(judged.signature.fields).get("method", "prose"),
            "not_taken": [each.record() for each in judged.not_taken],
            "first_place": self.first_place,
            "no_strengths": self.no_strengths,
        }


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
        answers: of k systems, n answers each; pairs of which one is ``None`` are left out, and an empty text
            loses.
        judge: with the template of ``side_by_side_template``.
        references: n answers that are known to be right, ``None`` where there is none.
        running: how calls are made.
        progress: called as replies come.

    Returns:
        Verdicts; where a cap ended the run early the remaining pairs are ``unfinished``. Replies are kept.

    Raises:
        ReplyError: no call can succeed.
    """
    pairs, places = pairs_of(questions, answers, references)
    judged = await judge_pairs(judge, pairs, running=running, progress=progress)
    firsts, seconds, at = np.array(places, dtype=np.int64).reshape(-1, 3).T
    return SystemPairs(firsts, seconds, at, judged)


def pairs_of(
    questions: Sequence[str],
    answers: Sequence[Sequence[str | None]],
    references: Sequence[str | None] | None = None,
) -> tuple[list[AnswerPair], list[tuple[int, int, int]]]:
    """Pair the answers of every two systems, question by question.

    Args:
        questions: n questions.
        answers: of k systems, n answers each; pairs of which one is ``None`` are left out.
        references: n answers that are known to be right, ``None`` where there is none.

    Returns:
        The pairs, and for each the numbers of both systems and of the question, from 0.
    """
    known = references or [None] * len(questions)
    pairs, places = [], []
    for one, other in combinations(range(len(answers)), 2):
        for n, question in enumerate(questions):
            first, second = answers[one][n], answers[other][n]
            if first is not None and second is not None:
                pairs.append(AnswerPair(question, first, second, known[n]))
                places.append((one, other, n))
    return pairs, places


def side_by_side(pairs: SystemPairs, names: Sequence[str], plan: IntervalPlan) -> SidesSummary:
    """Sum up verdicts on pairs of systems.

    Args:
        pairs: with the verdicts.
        names: of the k systems.
        plan: how intervals are made.
    """
    strengths, places, refused = _strengths(pairs, names)
    records = tuple(_record(pairs, system, strengths, places, plan) for system in range(len(names)))
    best = _best(records, strengths, places)
    over_best: list[Estimate | None] = [None] * len(names)
    if best is not None:
        wider = simultaneous(plan, len(places))
        for system in places.keys() - {best}:
            if strengths is None:
                over_best[system] = _head_to_head(pairs, system, best, wider)
            else:
                over_best[system] = strengths.chance(places[system], places[best], interval=wider.interval)
    first_place = estimate_mean(pairs.judged.first_place, bounds=(0.0, 1.0), clusters=pairs.item, plan=plan)
    return SidesSummary(pairs, records, tuple(over_best), best, first_place, refused)


def _strengths(
    pairs: SystemPairs, names: Sequence[str]
) -> tuple[BradleyTerry | None, dict[int, int], str | None]:
    """Estimate strengths of the systems that were judged, and number these; or say why it cannot be done."""
    judged = ~np.isnan(pairs.points)
    first, second = pairs.first[judged], pairs.second[judged]
    there = sorted({*first.tolist(), *second.tolist()})
    places = {system: place for place, system in enumerate(there)}
    if not there:
        return None, places, "no pair was judged in both orders"
    if np.ptp(pairs.points[judged]) == 0 and pairs.points[judged][0] == TIE:
        return None, places, "the judge found no answer better than another"
    try:
        found = bradley_terry(
            np.array([places[system] for system in first.tolist()]),
            np.array([places[system] for system in second.tolist()]),
            pairs.points[judged],
            names=[names[system] for system in there],
            clusters=pairs.item[judged],
        )
    except InputError as error:
        return None, places, str(error)
    return found, places, None


def _head_to_head(pairs: SystemPairs, system: int, best: int, plan: IntervalPlan) -> Estimate | None:
    """Estimate the share of points that a system got in its pairs with the best one."""
    mine, theirs = pairs.first == system, pairs.second == system
    with_best = (mine & (pairs.second == best)) | (theirs & (pairs.first == best))
    points = np.where(mine, pairs.points, 1 - pairs.points)[with_best]
    if np.isnan(points).all():
        return None
    share = estimate_mean(points, bounds=(0.0, 1.0), plan=plan)
    return Estimate(share.value, share.low, share.high)


def _record(
    pairs: SystemPairs,
    system: int,
    strengths: BradleyTerry | None,
    places: dict[int, int],
    plan: IntervalPlan,
) -> SystemRecord | None:
    points, items = pairs.of_system(system)
    if not len(points):
        return None
    share = estimate_mean(points, bounds=(0.0, 1.0), clusters=items, plan=plan)
    chance = None
    if strengths is not None:
        chance = strengths.chance_against_average(places[system], interval=plan.interval)
    wins, losses = int((points > TIE).sum()), int((points < TIE).sum())
    return SystemRecord(wins, len(points) - wins - losses, losses, share, chance)


def _best(
    records: Sequence[SystemRecord | None], strengths: BradleyTerry | None, places: dict[int, int]
) -> int | None:
    """Find the strongest system, or the one with the greatest share of points; none if all are alike."""
    if strengths is not None:
        if np.ptp(strengths.strengths) < _ALIKE:
            return None
        # Rounded, so that of systems that are alike the first is named on every machine.
        return max(places, key=lambda system: round(float(strengths.strengths[places[system]]), 9))
    shares = {system: record.share.value for system, record in enumerate(records) if record is not None}
    if not shares or np.ptp(list(shares.values())) < _ALIKE:
        return None
    return max(shares, key=lambda system: shares[system])
