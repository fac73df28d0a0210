import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.answer_consistency.asking.early_stopping import early_decision
from semscale.errors import InputError


def stops(values, threshold, confidence):
    """After how many values the side is settled, and which one it is."""
    for k in range(1, len(values) + 1):
        side = early_decision(values[:k], threshold, len(values), confidence)
        if side is not None:
            return k, side
    raise AssertionError("all values are there")


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.floats(0.05, 0.95))
def test_with_full_confidence_the_side_is_the_one_of_all_values(values, threshold):
    k, side = stops(values, threshold, 1.0)
    assert side == (np.mean(values) >= threshold - 1e-9) or np.mean(values) == pytest.approx(threshold)
    assert k <= len(values)


def test_curtailment_by_hand():
    # 10 samples, threshold .5: five ones suffice whatever follows; six zeros leave at most .4.
    assert stops([1.0] * 10, 0.5, 1.0) == (5, True)
    assert stops([0.0] * 10, 0.5, 1.0) == (6, False)


def test_betting_by_hand():
    # The capital after ones: 1.75, then left = 4/9, so 1 + .75 * 5/4 = 1.9375, then left = 3/8, so 1 + .75 *
    # 5/3 = 2.25, then left = 2/7, so 1 + .75 * 5/2 = 2.875: products 1.75, 3.39, 7.63, 21.9. 20 is passed at
    # the fourth.
    assert stops([1.0] * 10, 0.5, 0.95) == (4, True)
    assert early_decision([1.0] * 3, 0.5, 10, 1 - 1 / 7.6) is True
    assert early_decision([1.0] * 3, 0.5, 10, 1 - 1 / 7.7) is None


@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_the_side_is_wrong_no_more_often_than_stated(confidence):
    rng = np.random.default_rng(0)
    wrong = taken = 0
    draws = 2000
    for _ in range(draws):
        # The hardest case: a share of ones near the threshold.
        values = (rng.random(20) < rng.uniform(0.4, 0.6)).astype(float)
        k, side = stops(values, 0.5, confidence)
        wrong += side != (values.mean() >= 0.5)
        taken += k
    assert wrong / draws <= 1 - confidence
    assert taken < 20 * draws


@pytest.mark.parametrize(
    ("values", "threshold", "n", "confidence", "message"),
    [
        ([1.2], 0.5, 5, 0.95, "values must be numbers from 0 to 1"),
        ([float("nan")], 0.5, 5, 0.95, "values must be numbers from 0 to 1"),
        ([0.5] * 3, 0.5, 2, 0.95, "n must be at least the 3 values seen, got 2"),
        ([0.5], 0, 5, 0.95, "threshold must lie between 0 and 1, got 0"),
        ([0.5], 0.5, 5, 1.5, "confidence must lie between 0 and 1, got 1.5"),
    ],
)
def test_what_cannot_be_is_refused(values, threshold, n, confidence, message):
    with pytest.raises(InputError, match=message):
        early_decision(values, threshold, n, confidence)
