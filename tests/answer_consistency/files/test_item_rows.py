"""Rows of items that stand apart, whatever the batches."""

import pytest

from semscale.answer_consistency.files.item_rows import ItemRows

ITEMS = ["a", "b", "a", None, "c", "b", None, "a"]
ANSWERS = ["yes", " ", "no", "alone", 12, "yes", "alone", None]


def indexed(size):
    rows = ItemRows()
    for start in range(0, len(ITEMS), size):
        rows.add(ITEMS[start : start + size], ANSWERS[start : start + size])
    rows.finish()
    return rows


@pytest.mark.parametrize("size", [1, 3, 8])
def test_items_are_numbered_by_their_first_rows(size):
    rows = indexed(size)
    assert rows.n == 5
    assert rows.of(0, 5) == [[0, 2, 7], [1, 5], [3], [4], [6]]
    assert rows.of(1, 3) == [[1, 5], [3]]
    assert rows.are_first(2, 4).tolist() == [False, True, True, False]


def test_an_item_counts_with_an_answer_and_enough_samples():
    # The first item has an answer and one usable sample; the answer of the second is blank.
    assert indexed(3).eligible(1).tolist() == [True, False, False, False, False]
    assert not indexed(3).eligible(2).any()


def test_numbers_and_texts_that_print_alike_are_one_item():
    rows = ItemRows()
    rows.add([1, "1", 2], ["a", "b", "c"])
    rows.finish()
    assert rows.of(0, 2) == [[0, 1], [2]]
