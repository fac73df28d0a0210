"""Alignment of outputs, with every way of pairing as an oracle, and the texts of items."""

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.drift.alignment import TextNumbers, align, align_by_position, item_texts
from semscale.drift.runs import number_of
from semscale.history.items import Item, Output

ITEM = Item(
    "1", (Output("b", {"credits": 2.0}), Output(" "), Output("a\n"), Output("b", {"credits": 1.0})), "Why?"
)


def best_sum(similarity):
    """The greatest sum of similarities over all ways to give each row of the shorter side a column."""
    table = similarity if similarity.shape[0] <= similarity.shape[1] else similarity.T
    rows = range(table.shape[0])
    return max(
        sum(table[row, order[row]] for row in rows)
        for order in permutations(range(table.shape[1]), len(rows))
    )


@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 1000))
def test_no_other_pairing_is_better(b, c, seed):
    similarity = np.random.default_rng(seed).random((b, c))
    pairs = align(similarity)
    assert len(pairs) == min(b, c)
    assert len(set(pairs[:, 0])) == len(set(pairs[:, 1])) == len(pairs)
    assert similarity[pairs[:, 0], pairs[:, 1]].sum() == pytest.approx(best_sum(similarity))


def test_the_best_sum_is_not_the_sum_of_the_best():
    # The highest single similarity, .9, leaves .1 for the other pair; .8 + .7 is more.
    assert align(np.array([[0.9, 0.8], [0.7, 0.1]])).tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_equal_outputs_keep_their_positions(n):
    assert align(np.ones((n, n))).tolist() == [[order, order] for order in range(n)]


def test_numbers_decide_between_equal_texts_and_never_between_unequal_texts():
    far = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert align(np.ones((2, 2)), far).tolist() == [[0, 1], [1, 0]]
    assert align(np.array([[0.51, 0.5], [0.5, 0.51]]), far).tolist() == [[0, 0], [1, 1]]


def test_surplus_outputs_of_a_side_stay_unaligned():
    assert align(np.array([[0.1], [0.9], [0.2]])).tolist() == [[1, 0]]
    assert align(np.array([[0.1, 0.9, 0.2]])).tolist() == [[0, 1]]


def test_by_position():
    assert align_by_position(2, 3).tolist() == [[0, 0], [1, 1]]
    assert align_by_position(0, 3).shape == (0, 2)


def test_outputs_without_a_text_are_left_out():
    numbers = TextNumbers()
    (item,) = item_texts([ITEM], ["credits"], numbers, sort=False)
    assert numbers.texts == ["b", "a\n"]
    assert (item.texts, item.positions) == ((0, 1, 0), (0, 1, 2))
    assert np.array_equal(item.numbers, [[2.0], [np.nan], [1.0]], equal_nan=True)
    assert (len(item), item.characters) == (3, 3)  # "b", "a", "b"


def test_sorted_outputs_do_not_depend_on_the_models_order():
    (item,) = item_texts([ITEM], ["credits"], TextNumbers(), sort=True)
    assert item.positions == (1, 2, 0)  # "a", "b" with 1, "b" with 2
    shuffled = Item("1", ITEM.outputs[::-1])
    (other,) = item_texts([shuffled], ["credits"], TextNumbers(), sort=True)
    assert other.texts == item.texts
    assert np.array_equal(other.numbers, item.numbers, equal_nan=True)


def test_equal_texts_of_several_items_share_a_number():
    numbers = TextNumbers()
    first, second = item_texts([ITEM, Item("2", (Output("b"), Output("c")))], [], numbers, sort=False)
    assert second.texts == (first.texts[0], 2)
    assert len(numbers) == 3


def test_a_number_that_is_not_there_is_nan():
    assert number_of(Output("a", {"credits": 1.0}), "credits") == 1.0
    assert math.isnan(number_of(Output("a"), "credits"))
