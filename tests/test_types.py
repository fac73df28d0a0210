"""Statuses of items: counts in a fixed order, and which items are scored."""

import numpy as np

from semscale.types import Status, are_scored, count_statuses


def test_counts_are_in_the_order_of_statuses_and_without_zeros():
    statuses = [Status.FAILED, Status.MISSING, Status.SCORED, Status.FAILED]
    assert list(count_statuses(statuses).items()) == [
        (Status.SCORED, 1),
        (Status.MISSING, 1),
        (Status.FAILED, 2),
    ]


def test_scored_items():
    assert are_scored(np.array([Status.SCORED, Status.EMPTY], object)).tolist() == [True, False]
    assert are_scored(np.array([], object)).tolist() == []
