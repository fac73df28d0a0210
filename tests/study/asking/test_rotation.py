"""Balanced Latin squares and other orders."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from semscale.study.asking.rotation import balanced_square, orders


@pytest.mark.parametrize("k", range(2, 9))
def test_each_stands_everywhere_and_follows_each_other_equally_often(k):
    square = balanced_square(k)
    assert len(square) == (k if k % 2 == 0 else 2 * k)
    for place in range(k):
        assert set(Counter(row[place] for row in square).values()) == {len(square) // k}
    followers = Counter(pair for row in square for pair in pairwise(row))
    assert len(followers) == k * (k - 1)
    assert set(followers.values()) == {len(square) // k}


def test_one_thing_has_one_order():
    assert balanced_square(1) == ((0,),)


def test_full_blocks_of_interviews_are_balanced():
    found = orders(4, 12, "latin-square", np.random.default_rng(0))
    assert Counter(found) == dict.fromkeys(balanced_square(4), 3)


def test_random_orders_and_the_order_of_the_file():
    assert orders(3, 2, "none", np.random.default_rng(0)) == [(0, 1, 2), (0, 1, 2)]
    drawn = orders(3, 50, "random", np.random.default_rng(0))
    assert {tuple(sorted(order)) for order in drawn} == {(0, 1, 2)}
    assert len(set(drawn)) == 6
