"""Losses and pairs of all items, collected for each run in any order."""

import numpy as np
from made_up import SIGNATURE, run
from made_up_items import aligned, item_texts, pair_scores

from semscale.drift.measure.indexed_baseline import IndexedBaseline, ItemPairing
from semscale.drift.measure.measured_losses import collect, mean_losses
from semscale.types import Status


def test_items_of_two_runs_in_mixed_order():
    indexed = IndexedBaseline(run(2), (), sort=False)
    one, none = item_texts(1, numbers=[1.0]), item_texts(0, numbers=[1.0])
    items = ItemPairing([one, none], [[one, none], [one, one]])
    steps = [
        (1, 1, aligned(none, one)),
        (0, 0, aligned(one, one, pair_scores(0.75))),
        (1, 0, aligned(none, none)),
        (0, 1, aligned(one, one, pair_scores(0.5))),
    ]
    told = []
    first, second = collect(indexed, items, steps, SIGNATURE, np.array([3]), lambda *step: told.append(step))
    assert first.losses["match"].tolist()[0] == 0.25
    assert np.isnan(first.losses["match"][1])
    assert second.losses["match"].tolist() == [0.5, 1.0]
    assert list(first.status) == [Status.SCORED, Status.EMPTY]
    assert list(second.status) == [Status.SCORED, Status.SCORED]
    assert [(pair.item, pair.baseline, pair.candidate) for pair in second.pairs] == [(0, 0, 0), (1, None, 0)]
    # The one text of all items is read in three windows; the first run says nothing of the second item.
    assert (first.windows.tolist(), second.windows.tolist()) == ([3, 0], [3, 3])
    assert told == [("comparing items", 4, 4)]
    assert mean_losses(first)["match"] == 0.25
