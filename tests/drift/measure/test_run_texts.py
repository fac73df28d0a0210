"""Texts of a run's items by number, in the model's order or sorted."""

import math

import numpy as np

from semscale.drift.alignment import TextNumbers, item_texts
from semscale.drift.runs import number_of
from semscale.history.items import Item, Output

ITEM = Item(
    "1", (Output("b", {"credits": 2.0}), Output(" "), Output("a\n"), Output("b", {"credits": 1.0})), "Why?"
)


def test_outputs_without_a_text_are_left_out():
    numbers = TextNumbers()
    (found,) = item_texts([ITEM], ["credits"], numbers, sort=False)
    assert numbers.texts == ["b", "a\n"]
    assert (found.texts, found.positions) == ((0, 1, 0), (0, 1, 2))
    assert np.array_equal(found.numbers, [[2.0], [np.nan], [1.0]], equal_nan=True)
    assert (len(found), found.characters) == (3, 3)  # "b", "a", "b"


def test_sorted_outputs_do_not_depend_on_the_models_order():
    (found,) = item_texts([ITEM], ["credits"], TextNumbers(), sort=True)
    assert found.positions == (1, 2, 0)  # "a", "b" with 1, "b" with 2
    shuffled = Item("1", ITEM.outputs[::-1])
    (other,) = item_texts([shuffled], ["credits"], TextNumbers(), sort=True)
    assert other.texts == found.texts
    assert np.array_equal(other.numbers, found.numbers, equal_nan=True)


def test_equal_texts_of_several_items_share_a_number():
    numbers = TextNumbers()
    first, second = item_texts([ITEM, Item("2", (Output("b"), Output("c")))], [], numbers, sort=False)
    assert second.texts == (first.texts[0], 2)
    assert len(numbers) == 3


def test_a_number_that_is_not_there_is_nan():
    assert number_of(Output("a", {"credits": 1.0}), "credits") == 1.0
    assert math.isnan(number_of(Output("a"), "credits"))
