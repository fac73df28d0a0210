"""Totals over items: p-values are counted by hand."""

import math

import numpy as np
import pytest

from semscale.drift.limits.totals import (
    CHANCE,
    LostTotal,
    chance_of_total,
    counts_of_numbers,
    counts_of_outputs,
    lost_total,
    with_fewest,
)
from semscale.history.items import Item, Output


def lists(*texts):
    return [Item(str(place), tuple(map(Output, one))) for place, one in enumerate(texts)]


def test_a_total_is_compared_with_the_mean_of_the_other_runs():
    found = lost_total(np.array([[1.0, 2.0, 4.0], [5.0, 5.0, 5.0]]))
    assert (found.before, found.now) == (8.0, 6.0)  # (7 + 9) / 2


def test_the_p_value_counts_exchanges():
    # The lowest of three exchanges of the one item that differs, and half of it counts.
    assert chance_of_total(np.array([[1.0, 2.0, 4.0], [5.0, 5.0, 5.0]])) == pytest.approx(1 / 6)


def test_without_a_rerun_either_run_is_as_likely_to_have_fewer():
    assert chance_of_total(np.array([[1.0, 2.0]] * 7)) == pytest.approx(0.5**7 / 2)
    # Six of seven go down: one exchange loses more, seven lose as much, of which half count.
    assert chance_of_total(np.array([[1.0, 2.0]] * 6 + [[2.0, 1.0]])) == pytest.approx((1 + 7 / 2) / 2**7)
    assert math.isnan(chance_of_total(np.zeros((0, 3))))


@pytest.mark.parametrize(
    ("now", "allowed", "exceeds"),
    [(94.0, 0.05, True), (96.0, 0.05, False), (120.0, 0.05, False), (94.0, 5, True), (94.0, 6, False)],
)
def test_a_share_or_a_number_may_be_lost(now, allowed, exceeds):
    assert LostTotal(100.0, now).exceeds(allowed) is exceeds


def test_of_nothing_nothing_is_lost():
    assert not LostTotal(0.0, 0.0).exceeds(0.05)


def test_what_is_lost_is_shown_in_whole_numbers():
    assert LostTotal(130.4, 118.0).n_lost == 12
    assert LostTotal(10.0, 12.0).n_lost == 0


def test_runs_are_counted_item_by_item():
    one, two = lists(["Two plugs.", "5 volts."], ["No."]), lists([], ["One, or two?", " "])
    assert counts_of_outputs([one, two]).tolist() == [[2.0, 0.0], [1.0, 1.0]]
    assert counts_of_numbers([one, two]).tolist() == [[2.0, 0.0], [0.0, 1.0]]  # "one" is vague


def test_only_items_with_less_than_every_other_run_are_named():
    assert with_fewest(np.array([[1.0, 2.0, 3.0], [2.0, 2.0, 3.0]])).tolist() == [True, False]


def test_unchanged_runs_hardly_ever_break_a_limit():
    rng = np.random.default_rng(0)
    counts = rng.binomial(4, 0.7, size=(2_000, 10, 4)).astype(float)  # 10 items, two reruns, wide spread
    broken = sum(lost_total(one).exceeds(0.05) and chance_of_total(one) < CHANCE for one in counts)
    assert broken <= 34  # of 2,000 at .01 each, 34 or fewer have probability .999
