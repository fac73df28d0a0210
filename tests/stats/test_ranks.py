"""Ranks are SciPy's."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from semscale.stats.ranks import average_ranks


@given(
    st.lists(st.one_of(st.sampled_from([0.0, -0.0, 1.0]), st.floats(allow_nan=False, allow_infinity=False)))
)
def test_ranks_are_those_of_scipy(values):
    numbers = np.array(values, np.float64)
    np.testing.assert_array_equal(average_ranks(numbers), rankdata(numbers))


def test_equal_numbers_share_the_average_of_their_ranks():
    # 7 has the ranks 2, 3 and 4, so each has 3.
    assert average_ranks(np.array([7.0, 9.0, 7.0, 1.0, 7.0])).tolist() == [3, 5, 3, 1, 3]
