"""Totals over items: p-values are counted by hand."""

import math

import numpy as np
import pytest

from semscale.drift.limits.totals import (
    LostTotal,
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
    assert found.p_value == pytest.approx(1 / 6)  # the lowest of three exchanges, half of which counts


def test_without_a_rerun_either_run_is_as_likely_to_have_fewer():
    lost = lost_total(np.array([[1.0, 2.0]] * 7))
    assert lost.p_value == pytest.approx(0.5**7 / 2)
    assert lost.breaks(0.05)
    one_gained = lost_total(np.array([[1.0, 2.0]] * 6 + [[2.0, 1.0]]))
    # Six or seven of seven go down: one exchange loses more, seven lose as much, of which half count.
    assert one_gained.p_value == pytest.approx((1 + 7 / 2) / 2**7)
    assert not one_gained.breaks(0.05)


@pytest.mark.parametrize(
    ("total", "exceeds", "breaks"),
    [
        (LostTotal(100.0, 94.0, 0.001), True, True),
        (LostTotal(100.0, 96.0, 0.001), False, False),  # 4 % is allowed
        (LostTotal(100.0, 94.0, 0.02), True, False),  # chance may explain it
        (LostTotal(100.0, 120.0, 1.0), False, False),
        (LostTotal(0.0, 0.0, math.nan), False, False),
    ],
)
def test_it_breaks_where_more_is_lost_than_allowed_and_than_chance_explains(total, exceeds, breaks):
    assert (total.exceeds(0.05), total.breaks(0.05)) == (exceeds, breaks)


def test_an_allowed_number_counts_outputs():
    assert LostTotal(100.0, 94.0, 0.001).breaks(5)
    assert not LostTotal(100.0, 94.0, 0.001).breaks(6)


def test_what_is_lost_is_shown_in_whole_numbers():
    assert LostTotal(130.4, 118.0, 0.0).n_lost == 12
    assert LostTotal(10.0, 12.0, 0.0).n_lost == 0


def test_runs_are_counted_item_by_item():
    one, two = lists(["Two plugs.", "5 volts."], ["No."]), lists([], ["One, or two?", " "])
    assert counts_of_outputs([one, two]).tolist() == [[2.0, 0.0], [1.0, 1.0]]
    assert counts_of_numbers([one, two]).tolist() == [[2.0, 0.0], [0.0, 1.0]]  # "one" is vague


def test_only_items_with_less_than_every_other_run_are_named():
    assert with_fewest(np.array([[1.0, 2.0, 3.0], [2.0, 2.0, 3.0]])).tolist() == [True, False]


def test_unchanged_runs_hardly_ever_break_a_limit():
    rng = np.random.default_rng(0)
    counts = rng.binomial(4, 0.7, size=(2_000, 10, 4)).astype(float)  # 10 items, two reruns, wide spread
    broken = sum(lost_total(one).breaks(0.05) for one in counts)
    assert broken <= 34  # of 2,000 at .01 each, 34 or fewer have probability .999
