"""Cells side by side: records, strengths and what takes their place."""

import asyncio

import numpy as np
import pytest
from made_up_cells import REFUSED, NamedChat, cell, items_to_ask

from semscale.chat.messages import Reply
from semscale.chat.runner import Running
from semscale.drift.matrix.sides import judge_cells
from semscale.judging.comparing import PairVerdicts, SystemPairs, side_by_side
from semscale.judging.judge import Judge
from semscale.judging.templates import side_by_side_template
from semscale.signature import Signature
from semscale.stats.intervals import IntervalPlan

NAN = float("nan")


def cell_pairs(*rows):
    """Pairs of cells: first, second, item, and points of the first where it stood first and second."""
    first, second, item, *_ = zip(*rows, strict=True)
    orders = np.array([row[3:] for row in rows], dtype=float)
    judged = PairVerdicts(orders, np.ones(len(rows), dtype=bool), {}, "judge", Signature.of("judge"))
    return SystemPairs(np.array(first), np.array(second), np.array(item), judged)


def test_records_count_wins_ties_and_losses_over_both_orders():
    pairs = cell_pairs(
        (0, 1, 0, 1, 1), (0, 1, 1, 1, 0), (0, 1, 2, 1, 0.5), (0, 1, 3, 0, 0.5), (0, 1, 4, 1, NAN),
    )  # fmt: skip
    found = side_by_side(pairs, ("a", "b"), IntervalPlan())
    ours, theirs = found.records
    assert (ours.wins, ours.ties, ours.losses) == (2, 1, 1)
    assert (theirs.wins, theirs.ties, theirs.losses) == (1, 1, 2)
    # 1 + 1/2 + 3/4 + 1/4 of 4.
    assert ours.share.value == pytest.approx(2.5 / 4)
    assert ours.chance.value == pytest.approx(2.5 / 4)
    assert (found.best, found.n_unjudged, found.no_strengths) == (0, 1, None)
    assert found.over_best[1].value == pytest.approx(1.5 / 4)
    # What stood first got 1 + 0, 1 + 1, 1 + 1/2, 0 + 1/2 points of 8.
    assert found.first_place.value == pytest.approx(5 / 8)


def test_strengths_order_cells_that_met_different_others():
    # Shares of 2/3, 2/3 and 4/5 are those of strengths 4, 2 and 1; see the test of the model itself.
    pairs = cell_pairs(
        (0, 1, 0, 2 / 3, 2 / 3), (1, 2, 0, 2 / 3, 2 / 3), (0, 2, 0, 4 / 5, 4 / 5),
        (0, 1, 1, 2 / 3, 2 / 3), (1, 2, 1, 2 / 3, 2 / 3), (0, 2, 1, 4 / 5, 4 / 5),
    )  # fmt: skip
    found = side_by_side(pairs, ("a", "b", "c", "down"), IntervalPlan())
    assert found.best == 0
    assert [one and round(one.value, 6) for one in found.over_best] == [None, 0.333333, 0.2, None]
    assert found.records[3] is None


def test_a_cell_that_wins_everything_is_compared_by_its_points():
    pairs = cell_pairs(*((0, 1, item, 1, 1) for item in range(12)))
    found = side_by_side(pairs, ("a", "b"), IntervalPlan())
    assert "'a' won every comparison" in found.no_strengths
    assert (found.best, found.records[0].chance) == (0, None)
    # None of 12: the exact bound, 1 - .05 ** (1 / 12), as a share has no other side.
    assert found.over_best[1].value == 0
    assert found.over_best[1].high == pytest.approx(1 - 0.05 ** (1 / 12))


def test_without_a_verdict_there_is_no_best_cell():
    found = side_by_side(cell_pairs((0, 1, 0, 1, NAN)), ("a", "b"), IntervalPlan())
    assert (found.best, found.records, found.over_best) == (None, (None, None), (None, None))
    assert found.no_strengths == "no pair was judged in both orders"


class Chat:
    """Prefers whatever stands first."""

    name, signature = "judge", Signature.of("chat", model="judge")

    async def complete(self, request):
        return Reply("Score: 1")


def test_every_pair_of_cells_is_judged_where_both_have_an_output():
    found = [
        cell("a", ["x", "y"], ["later", "later"]),
        cell("down"),
        cell("b", ["u", None]),
        cell("c", ["v", "w"]),
    ]
    judge = Judge(Chat(), template=side_by_side_template(), structured=False, logprobs=False)
    pairs = asyncio.run(judge_cells(found, items_to_ask(2), judge, running=Running(ledger=False)))
    met = list(zip(pairs.first.tolist(), pairs.second.tolist(), pairs.item.tolist(), strict=True))
    assert met == [(0, 2, 0), (0, 3, 0), (0, 3, 1), (2, 3, 0)]
    assert pairs.points.tolist() == [0.5] * 4


def test_with_one_cell_alone_nobody_is_asked():
    judge = Judge(Chat(), template=side_by_side_template(), structured=False, logprobs=False)
    pairs = asyncio.run(
        judge_cells([cell("a", ["x"])], items_to_ask(1), judge, running=Running(ledger=False))
    )
    found = side_by_side(pairs, ("a",), IntervalPlan())
    assert (len(pairs.points), found.best, found.first_place.n) == (0, None, 0)


def test_a_judge_who_only_ties_names_no_best_cell():
    # What stands first always wins, so that both orders together are ties: nothing is known of any cell.
    pairs = cell_pairs(*((0, 1, item, 1, 0) for item in range(3)))
    found = side_by_side(pairs, ("a", "b"), IntervalPlan())
    assert (found.best, found.over_best) == (None, (None, None))
    assert found.no_strengths == "the judge found no answer better than another"
    for record in found.records:
        assert (record.wins, record.ties, record.losses, record.chance) == (0, 3, 0, None)
        assert record.share.low < 0.5 < record.share.high


def test_what_says_nothing_loses_and_nobody_is_asked():
    found = [cell("a", ["", REFUSED, "I can't help with that.", "x", ""]),
             cell("b", ["x", "x", "x", None, REFUSED])]  # fmt: skip
    judge = Judge(NamedChat("judge"), template=side_by_side_template(), structured=False, logprobs=False)
    pairs = asyncio.run(judge_cells(found, items_to_ask(5), judge, running=Running(ledger=False)))
    # The call about the fourth item failed; in the fifth neither says anything.
    assert pairs.item.tolist() == [0, 1, 2, 4]
    assert pairs.points.tolist() == [0, 0, 0, 0.5]
    assert pairs.judged.n_asked == 0


@pytest.mark.parametrize(("n", "is_told_apart"), [(9, False), (10, True)])
def test_fewer_than_ten_shared_items_tell_nothing_apart(n, is_told_apart):
    # The interval excludes a half both times; the last pair has a verdict in one order only.
    pairs = cell_pairs(*((0, 1, item, 1, 1) for item in range(n)), (0, 1, n, 1, NAN))
    found = side_by_side(pairs, ("a", "b"), IntervalPlan())
    assert (found.best, found.n_with_best(1), found.over_best[1].high < 0.5) == (0, n, True)
    assert found.is_told_apart(1) is is_told_apart
