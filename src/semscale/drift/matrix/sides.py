"""Cells side by side: every pair of cells, judged item by item in both orders."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from semscale.drift.asking.items_to_ask import ItemToAsk
from semscale.drift.matrix.cells import CellAnswers
from semscale.drift.matrix.scores import simultaneous
from semscale.errors import InputError
from semscale.judging.asking import Running
from semscale.judging.judge import Judge
from semscale.judging.side_by_side import TIE, AnswerPair, PairVerdicts, judge_pairs
from semscale.stats.intervals.estimates import Estimate, IntervalPlan
from semscale.stats.intervals.means import MeanEstimate, estimate_mean
from semscale.stats.ranking.bradley_terry import BradleyTerry, bradley_terry
from semscale.types import Floats, Integers, Progress


@dataclass(frozen=True)
class CellPairs:
    """Pairs of outputs of cells, with a judge's verdicts.

    Attributes:
        first: shape (m,), numbers of cells.
        second: shape (m,), of the cells they were compared with.
        item: shape (m,), numbers of the items.
        judged: the verdicts.
    """

    first: Integers
    second: Integers
    item: Integers
    judged: PairVerdicts

    @property
    def points(self) -> Floats:
        """Points of the first cells, shape (m,); NaN unless both orders were judged."""
        return self.judged.points

    def of_cell(self, cell: int) -> tuple[Floats, Integers]:
        """Points of one cell in all its pairs that were judged, and the items of these pairs."""
        points = np.where(self.first == cell, self.points, 1 - self.points)
        mine = ((self.first == cell) | (self.second == cell)) & ~np.isnan(points)
        return points[mine], self.item[mine]


@dataclass(frozen=True)
class CellRecord:
    """How a cell did side by side with the others.

    Attributes:
        wins: pairs in which it was better, both orders taken together.
        ties: pairs in which neither was.
        losses: pairs in which it was worse.
        share: mean of its points: 1 for a win, a half for a tie; clustered by item.
        chance: chance to be preferred to a cell of the others' mean strength, by Bradley and Terry;
            ``None`` where strengths cannot be estimated.
    """

    wins: int
    ties: int
    losses: int
    share: MeanEstimate
    chance: Estimate | None


@dataclass(frozen=True)
class SidesSummary:
    """Cells judged side by side.

    Attributes:
        pairs: with the verdicts.
        records: of the k cells; ``None`` for one that was in no pair.
        over_best: for each cell the chance to be preferred to the best one, with intervals that hold for all
            pairs of cells together; without strengths the share of points of the pairs with the best one.
            ``None`` for the best one, and for a cell that was not compared.
        best: number of the best cell from 0; ``None`` where nothing was judged, or none is better.
        first_place: mean points of what stood first, 0.5 without position bias.
        no_strengths: why strengths cannot be estimated, or ``None``.
    """

    pairs: CellPairs
    records: tuple[CellRecord | None, ...]
    over_best: tuple[Estimate | None, ...]
    best: int | None
    first_place: MeanEstimate
    no_strengths: str | None

    @property
    def n_unjudged(self) -> int:
        """Pairs without a verdict in both orders."""
        return int(np.isnan(self.pairs.points).sum())


async def judge_cells(
    found: Sequence[CellAnswers],
    items: Sequence[ItemToAsk],
    judge: Judge,
    *,
    running: Running,
    progress: Progress | None = None,
) -> CellPairs:
    """Let a judge compare the first outputs of every pair of cells.

    Args:
        found: cells' answers; pairs of which one has no output are left out.
        items: what was asked about.
        judge: with the template of ``side_by_side_template``.
        running: how calls are made.
        progress: called as replies come.

    Raises:
        InterruptedRunError: a cap was reached or no reply came for too long; replies are kept.
        ReplyError: no call can succeed.
    """
    pairs, places = [], []
    for one, other in combinations(range(len(found)), 2):
        for n, item in enumerate(items):
            first, second = found[one].first_text(n), found[other].first_text(n)
            if first is not None and second is not None:
                pairs.append(AnswerPair(item.input, first, second, item.reference))
                places.append((one, other, n))
    judged = await judge_pairs(judge, pairs, running=running, progress=progress)
    firsts, seconds, at = np.array(places, dtype=np.int64).reshape(-1, 3).T
    return CellPairs(firsts, seconds, at, judged)


def side_by_side(pairs: CellPairs, names: Sequence[str], plan: IntervalPlan) -> SidesSummary:
    """Sum up verdicts on pairs of cells.

    Args:
        pairs: with the verdicts.
        names: of the k cells.
        plan: how intervals are made.
    """
    strengths, places, refused = _strengths(pairs, names)
    records = tuple(_record(pairs, cell, strengths, places, plan) for cell in range(len(names)))
    best = _best(records, strengths, places)
    over_best: list[Estimate | None] = [None] * len(names)
    if best is not None:
        wider = simultaneous(plan, len(places))
        for cell in places.keys() - {best}:
            if strengths is None:
                over_best[cell] = _head_to_head(pairs, cell, best, wider)
            else:
                over_best[cell] = strengths.chance(places[cell], places[best], interval=wider.interval)
    first_place = estimate_mean(pairs.judged.first_place, bounds=(0.0, 1.0), clusters=pairs.item, plan=plan)
    return SidesSummary(pairs, records, tuple(over_best), best, first_place, refused)


def _strengths(
    pairs: CellPairs, names: Sequence[str]
) -> tuple[BradleyTerry | None, dict[int, int], str | None]:
    """Estimate strengths of the cells that were judged, and number these; or say why it cannot be done."""
    judged = ~np.isnan(pairs.points)
    first, second = pairs.first[judged], pairs.second[judged]
    there = sorted({*first.tolist(), *second.tolist()})
    places = {cell: place for place, cell in enumerate(there)}
    if not there:
        return None, places, "no pair was judged in both orders"
    if np.ptp(pairs.points[judged]) == 0 and pairs.points[judged][0] == TIE:
        return None, places, "the judge found no answer better than another"
    try:
        found = bradley_terry(
            np.array([places[cell] for cell in first.tolist()]),
            np.array([places[cell] for cell in second.tolist()]),
            pairs.points[judged],
            names=[names[cell] for cell in there],
            clusters=pairs.item[judged],
        )
    except InputError as error:
        return None, places, str(error)
    return found, places, None


def _head_to_head(pairs: CellPairs, cell: int, best: int, plan: IntervalPlan) -> Estimate | None:
    """Estimate the share of points that a cell got in its pairs with the best one."""
    mine, theirs = pairs.first == cell, pairs.second == cell
    with_best = (mine & (pairs.second == best)) | (theirs & (pairs.first == best))
    points = np.where(mine, pairs.points, 1 - pairs.points)[with_best]
    if np.isnan(points).all():
        return None
    share = estimate_mean(points, bounds=(0.0, 1.0), plan=plan)
    return Estimate(share.value, share.low, share.high)


def _record(
    pairs: CellPairs,
    cell: int,
    strengths: BradleyTerry | None,
    places: dict[int, int],
    plan: IntervalPlan,
) -> CellRecord | None:
    points, items = pairs.of_cell(cell)
    if not len(points):
        return None
    share = estimate_mean(points, bounds=(0.0, 1.0), clusters=items, plan=plan)
    chance = None
    if strengths is not None:
        chance = strengths.chance_against_average(places[cell], interval=plan.interval)
    wins, losses = int((points > TIE).sum()), int((points < TIE).sum())
    return CellRecord(wins, len(points) - wins - losses, losses, share, chance)


def _best(
    records: Sequence[CellRecord | None], strengths: BradleyTerry | None, places: dict[int, int]
) -> int | None:
    """Find the strongest cell, or without strengths the one with the greatest share of points, if any has."""
    if strengths is not None:
        return max(places, key=lambda cell: strengths.strengths[places[cell]])
    shares = {cell: record.share.value for cell, record in enumerate(records) if record is not None}
    if len(set(shares.values())) < 2:  # noqa: PLR2004 - none is better than another
        return None
    return max(shares, key=lambda cell: shares[cell])
