"""Draws that meet margins within one person."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semscale.errors import InputError
from semscale.study.panel.drawing import controlled_counts, drawn_alone, drawn_together, quota_counts
from semscale.study.panel.margins import JointShares

SHARES = st.lists(st.floats(0.01, 1), min_size=1, max_size=8)


@given(SHARES, st.integers(1, 500))
def test_quota_counts_are_within_one_and_sum_to_n(weights, n):
    shares = np.array(weights) / np.sum(weights)
    counts = quota_counts(shares, n)
    assert counts.sum() == n
    assert (np.abs(counts - shares * n) < 1).all()


def test_an_attribute_is_drawn_by_quota_in_random_order():
    drawn = drawn_alone({"a": 0.3, "b": 0.7}, 10, np.random.default_rng(0))
    assert Counter(drawn) == {"a": 3, "b": 7}
    assert drawn != sorted(drawn)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 60))
def test_every_cell_and_every_margin_of_a_joint_draw_is_within_one(seed, n):
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(12)).reshape(3, 4)
    expected = shares * n
    counts = controlled_counts(expected, rng)
    assert counts.sum() == n
    for axes in ((), (0,), (1,)):
        assert (np.abs(counts.sum(axis=axes) - expected.sum(axis=axes)) < 1 + 1e-6).all()


def test_a_joint_draw_has_the_people_of_its_cells():
    joint = JointShares({"sex": ("f", "m"), "age": ("young", "old")}, np.array([[0.5, 0.0], [0.2, 0.3]]))
    drawn = drawn_together(joint, 10, np.random.default_rng(1))
    people = Counter(zip(drawn["sex"], drawn["age"], strict=True))
    assert people == {("f", "young"): 5, ("m", "young"): 2, ("m", "old"): 3}


def test_rounding_up_is_about_as_frequent_as_the_fractions():
    # One person among four cells: each is drawn with a probability near its share.
    shares = np.array([0.1, 0.2, 0.3, 0.4])
    times = sum(controlled_counts(shares, np.random.default_rng(seed)) for seed in range(400))
    np.testing.assert_allclose(times / 400, shares, atol=0.08)


def test_margins_that_no_panel_of_this_size_meets(monkeypatch):
    import scipy.optimize

    class NoDraw:
        x = None

    monkeypatch.setattr(scipy.optimize, "milp", lambda *_, **__: NoDraw())
    with pytest.raises(InputError, match="no panel of 3 personas meets all margins within one person"):
        controlled_counts(np.array([[0.75, 0.75], [0.75, 0.75]]), np.random.default_rng(0))
