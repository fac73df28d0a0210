"""Areas under ROC curves: by hand, beside the count of all pairs, and how often their intervals hold."""

import numpy as np
import pytest
from scipy.stats import norm

from semscale.errors import InputError
from semscale.stats.intervals.roc_areas import roc_area


def test_the_interval_by_hand():
    # Of 2 and 1, 3 exceeds both, 1.5 exceeds one, 0 none: shares 1, 1/2, 0, variance 1/4. 2 is exceeded by
    # one of three, 1 by two: the variance of 1/3 and 2/3 is 1/18. So the area is 1/2, and its variance
    # 1/4 / 3 + 1/18 / 2 = 1/9.
    found = roc_area(np.array([3.0, 1.5, 0.0]), np.array([2.0, 1.0]), interval=0.9)
    assert found.value == pytest.approx(0.5)
    # On the logit scale: 0 +- 1.6449 * (1/3) / (1/4) = +- 2.1931, and expit(2.1931) = .8996.
    assert found.high == pytest.approx(0.8996, abs=1e-4)
    assert found.low == pytest.approx(1 - 0.8996, abs=1e-4)


def test_the_area_is_the_share_of_pairs_with_ties_as_halves():
    rng = np.random.default_rng(0)
    above, below = rng.integers(0, 9, 41).astype(float), rng.integers(0, 6, 30).astype(float)
    wins = [(one > other) + (one == other) / 2 for one in above for other in below]
    found = roc_area(above, below)
    assert found.value == pytest.approx(np.mean(wins))
    assert 0 < found.low < found.value < found.high < 1
    swapped = roc_area(below, above)
    assert (1 - swapped.value, 1 - swapped.high, 1 - swapped.low) == pytest.approx(
        (found.value, found.low, found.high)
    )


@pytest.mark.parametrize(
    ("above", "below", "value"),
    [
        ([], [0.5], np.nan),
        ([0.5], [], np.nan),
        ([0.9], [0.1, 0.2, 0.95], 2 / 3),  # one item of a kind
        ([0.8, 0.9], [0.1, 0.2], 1.0),  # nothing shows how far the area would vary
        ([0.1, 0.2], [0.8, 0.9], 0.0),
        ([0.5, 0.5], [0.5, 0.5, 0.5], 0.5),
    ],
)
def test_scores_that_show_no_spread_have_no_interval(above, below, value):
    found = roc_area(np.array(above), np.array(below))
    assert found.value == pytest.approx(value, nan_ok=True)
    assert np.isnan([found.low, found.high]).all()


@pytest.mark.parametrize("shift", [0.5, 1.2])
def test_the_interval_holds_as_often_as_it_says(shift):
    # Of normal scores that lie apart by a shift, the area is Phi(shift / sqrt(2)).
    area, rng = norm.cdf(shift / np.sqrt(2)), np.random.default_rng(1)
    held = [
        found.low <= area <= found.high
        for found in (roc_area(rng.normal(shift, 1, 40), rng.normal(0, 1, 60)) for _ in range(1000))
    ]
    assert 0.93 <= np.mean(held) <= 0.97


def test_the_coverage_must_be_a_share():
    with pytest.raises(InputError, match="interval"):
        roc_area(np.array([1.0]), np.array([0.0]), interval=95)
