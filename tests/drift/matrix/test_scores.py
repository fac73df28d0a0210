"""Scores of cells by reference: means over askings, what is left out, and paired differences."""

import numpy as np
import pytest
from made_up_cells import REFUSED, cell, items_to_ask

from semscale.drift.asking import ItemToAsk
from semscale.drift.matrix.scores import best_by_score, differences_from, reference_scores, simultaneous
from semscale.matching.matcher import build_method
from semscale.matching.settings import MatchSettings
from semscale.stats.intervals import IntervalPlan

BOUNDS = (0.0, 1.0)


@pytest.fixture
def cosine(toy_embedder):
    return build_method(MatchSettings(method="cosine", embedder=toy_embedder))


def test_an_item_has_the_mean_of_its_askings_and_none_where_nothing_came(cosine):
    items = [ItemToAsk("a", "A?", reference="it is great"), ItemToAsk("b", "B?", reference="it is great"),
             ItemToAsk("c", "C?")]  # fmt: skip
    found = [
        cell("x", ["it is great", None, "x"], ["it is awful", None, "x"]),
        cell("down"),
        cell("y", ["it is awful", "it is great", "x"]),
    ]
    scores = reference_scores(found, items, cosine)
    awful = scores.values[2, 0]
    assert awful < 0.99
    assert scores.values[0, 0] == pytest.approx((1 + awful) / 2)
    assert scores.values[2, 1] == pytest.approx(1)
    assert np.isnan(scores.values).tolist() == [[False, True, True], [True] * 3, [False, False, True]]
    assert scores.bounds == (-1.0, 1.0)
    assert "model:toy" in str(scores.signature)


def test_the_best_cell_is_best_on_what_all_have():
    # Over all items the first cell has .65; over the first item alone, which both have, the second is better.
    assert best_by_score(np.array([[0.4, 0.9], [0.5, np.nan]])) == 1
    assert best_by_score(np.array([[np.nan, 0.9], [0.5, np.nan]])) is None
    assert best_by_score(np.full((2, 2), np.nan)) is None


def test_differences_are_paired_and_leave_out_what_one_lacks():
    scores = np.array([[0.5, 0.7, 0.9, 0.2], [0.4, 0.6, 0.8, np.nan], [np.nan] * 4])
    best, second, down = differences_from(scores, 0, BOUNDS, IntervalPlan())
    assert (best, down) == (None, None)
    assert second.value == pytest.approx(-0.1)
    assert (second.n, second.n_left_out) == (3, 1)


def test_a_difference_that_is_everywhere_is_no_chance_and_a_mixed_one_may_be():
    rng = np.random.default_rng(0)
    base = rng.uniform(0.3, 0.7, 40)
    lower = base - rng.uniform(0.1, 0.2, 40)
    mixed = base + np.tile([0.1, -0.1], 20)
    _, below, either = differences_from(np.array([base, lower, mixed]), 0, BOUNDS, IntervalPlan())
    # Every difference lies between -.2 and -.1, and so does the interval of their mean.
    assert -0.2 < below.low < below.high < -0.1
    assert either.low < 0 < either.high


def test_intervals_of_more_cells_are_wider():
    # 3 pairs share 5 %: 1 - .05 / 3; 10 pairs: 1 - .005.
    assert simultaneous(IntervalPlan(), 3).interval == pytest.approx(1 - 0.05 / 3)
    assert simultaneous(IntervalPlan(), 5).interval == pytest.approx(0.995)
    assert simultaneous(IntervalPlan(), 1).interval == pytest.approx(0.95)


def test_items_without_any_reference_have_no_score(cosine):
    scores = reference_scores([cell("x", ["a", "b"]), cell("y", ["a", "b"])], items_to_ask(2), cosine)
    assert np.isnan(scores.values).all()


def test_a_refusal_and_an_empty_answer_score_0_and_a_failed_call_has_no_score(cosine):
    right, sorry = "it is great", "I'm sorry, but I can't help with that."
    items = [ItemToAsk(str(n), "?", reference=right) for n in range(5)] + [ItemToAsk("5", "?")]
    scores = reference_scores([cell("x", [right, "", REFUSED, sorry, None, ""])], items, cosine)
    # The last item has no reference.
    assert scores.values[0, :4] == pytest.approx([1, 0, 0, 0])
    assert np.isnan(scores.values[0, 4:]).all()


def test_a_refusal_is_right_where_the_reference_refuses(cosine):
    sorry = "I'm sorry, but I can't help with that."
    scores = reference_scores([cell("x", [sorry])], [ItemToAsk("a", "?", reference=sorry)], cosine)
    assert scores.values[0, 0] == pytest.approx(1)
