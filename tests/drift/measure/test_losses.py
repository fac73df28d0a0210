"""Losses of one item, worked out by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.drift.metrics import (
    difference_share,
    number_differences,
    number_distances,
    number_loss,
    similarity_loss,
    span_of,
)

NONE = np.empty((0, 2), np.int64)
NAN = math.nan


def test_a_missing_output_has_no_similarity():
    # Aligned .5 and 1, one of three lacks: (.5 + 1 + 0) / 3 = .5.
    assert similarity_loss([0.5, 1.0], 3) == 0.5


def test_equal_outputs_lose_nothing_at_all():
    assert similarity_loss([1.0] * 7, 7) == 0.0


def test_similarities_outside_of_0_to_1_are_clipped():
    assert similarity_loss([-0.25, 1.0000001], 2) == 0.5


def test_what_the_model_cannot_read_agrees_with_nothing():
    assert similarity_loss([NAN, 1.0], 2) == 0.5


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.randoms())
def test_the_order_of_pairs_changes_no_bit(similarities, random):
    mixed = random.sample(similarities, len(similarities))
    assert similarity_loss(mixed, 6) == similarity_loss(similarities, 6)


@pytest.mark.parametrize(("one", "other", "share"), [(4, 1, 0.75), (1, 4, 0.75), (0, 2, 1.0), (0, 0, 0.0)])
def test_difference_of_sizes(one, other, share):
    assert difference_share(one, other) == share


def test_numbers_of_aligned_outputs():
    pairs = np.array([[0, 1], [1, 0]])
    # |1 - .5| and |2 - 2|: .25 on average.
    assert number_loss(np.array([1.0, 2.0]), np.array([2.0, 0.5]), pairs, 4.0) == 0.25


def test_a_number_without_a_partner_counts_the_span():
    pairs = np.array([[0, 0]])
    # 0 for the pair and 4 for what the candidate lacks.
    assert number_loss(np.array([1.0, 2.0]), np.array([1.0]), pairs, 4.0) == 2.0
    # The same for what it has in addition.
    assert number_loss(np.array([1.0]), np.array([1.0, 3.0]), pairs, 4.0) == 2.0
    # A number on one side of a pair only.
    assert number_loss(np.array([1.0]), np.array([NAN]), pairs, 4.0) == 4.0


def test_outputs_without_a_number_are_left_out():
    pairs = np.array([[0, 0], [1, 1]])
    assert number_loss(np.array([1.0, NAN]), np.array([2.0, NAN]), pairs, 4.0) == 1.0
    assert math.isnan(number_loss(np.array([NAN]), np.array([NAN]), np.array([[0, 0]]), 4.0))
    assert math.isnan(number_loss(np.array([]), np.array([NAN]), NONE, 4.0))


def test_no_difference_counts_more_than_the_span():
    assert number_loss(np.array([1.0]), np.array([100.0]), np.array([[0, 0]]), 2.5) == 2.5


def test_distances_by_several_numbers():
    ours, theirs = np.array([[1.0, 0.0]]), np.array([[2.0, NAN], [1.0, 0.0]])
    # First: 1 of 2, and one that only one has: (.5 + 1) / 2. Second: the same numbers.
    assert number_distances(ours, theirs, np.array([2.0, 1.0])).tolist() == [[0.75, 0.0]]


def test_distances_without_a_field():
    assert number_distances(np.empty((2, 0)), np.empty((1, 0)), np.empty(0)).tolist() == [[0.0], [0.0]]


def test_spans_hold_0():
    # An output that is not there has no credits: from 2 to 3 it may miss by 3.
    assert span_of([2.0, 3.0]) == 3.0
    assert span_of([-1.0, -3.0]) == 3.0


@pytest.mark.parametrize(
    ("direction", "expected"), [("either", [0.5, 0.5]), ("lower", [0.5, 0.0]), ("higher", [0.0, 0.5])]
)
def test_only_changes_for_the_worse_count_where_a_side_is_better(direction, expected):
    # The first number rises from 1 to 1.5, the second falls from 1 to .5.
    pairs = np.array([[0, 0], [1, 1]])
    found = number_differences(np.array([1.0, 1.0]), np.array([1.5, 0.5]), pairs, 2.0, direction)
    assert found.tolist() == expected


def test_a_missing_number_is_the_worst_case_in_any_direction():
    one, none = np.array([1.0]), np.array([np.nan])
    for direction in ("lower", "higher"):
        assert number_differences(one, none, np.array([[0, 0]]), 2.0, direction).tolist() == [2.0]
