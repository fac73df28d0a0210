import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.answer_consistency.scoring.pair_measures import (
    above_floor,
    item_means,
    normalised,
    normalised_cosine,
)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=8))
def test_ncs_of_the_mean_is_the_mean_of_ncs(cosines):
    # The seed normalises the mean, uqlm takes the mean of what is normalised: the same up to rounding.
    column = np.array(cosines)
    assert (column.mean() + 1) / 2 == pytest.approx(normalised_cosine(column).mean(), abs=1e-12)


@given(st.floats(-1, 1), st.floats(-1, 0.99))
def test_above_the_floor_lies_between_0_and_1(cosine, floor):
    value = above_floor(np.array([cosine]), floor)[0]
    assert 0 <= value <= 1
    assert (value > 0) == (cosine > floor) or cosine == pytest.approx(floor)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("8", "8 emails", False),
        ("Paris", " paris. ", True),
        ("It's  fine!", "it's fine", True),
        ("3.5", "35", False),
        ("1,000", "1000", False),
        ("-5", "5", False),
        ("5 %", "5", False),
        ("(a)", "a", True),
        ("ＡＢ", "ab", True),
        ("?", "!", False),
        ("", "", True),
    ],
)
def test_what_is_the_same_answer_whatever_its_marks(one, other, same):
    assert (normalised(one) == normalised(other)) is same


def test_means_of_items_leave_out_pairs_without_a_value():
    means = item_means(np.array([1.0, np.nan, 0.5, np.nan]), np.array([0, 0, 1, 3]), 4)
    np.testing.assert_array_equal(means, [1.0, 0.5, np.nan, np.nan])
