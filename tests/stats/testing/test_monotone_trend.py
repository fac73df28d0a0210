import numpy as np
import pytest

from semscale.errors import InputError
from semscale.stats.testing.monotone_trend import monotone_trend


def test_five_ascending_values_by_hand():
    # Only 1 of 5! = 120 orders rises throughout, and 1 falls: p = 2 / 120. Slopes of all pairs are .5 to 1.5.
    trend = monotone_trend(np.arange(5.0), np.array([0.0, 1.0, 2.0, 3.0, 4.0]))
    assert trend.p_value == pytest.approx(2 / 120)
    assert trend.slope.value == pytest.approx(1.0)


def test_the_slope_is_the_median_of_all_pairs():
    # Pairs: (0,1) 1, (0,2) 1, (0,4) 25/... times 0, 1, 2, 4; values 0, 1, 2, 100: slopes 1, 1, 25, 1, 33, 49.
    trend = monotone_trend(np.array([0.0, 1.0, 2.0, 4.0]), np.array([0.0, 1.0, 2.0, 100.0]))
    assert trend.slope.value == pytest.approx((1 + 25) / 2)


def test_what_never_changes_has_no_trend():
    trend = monotone_trend(np.arange(6.0), np.full(6, 0.2))
    assert (trend.p_value, trend.slope.value) == (1.0, 0.0)


@pytest.mark.parametrize("times", [np.arange(3.0), np.zeros(8)])
def test_too_little_to_say_anything(times):
    trend = monotone_trend(times, np.arange(float(len(times))))
    assert np.isnan([trend.p_value, trend.slope.value, trend.slope.low]).all()


def test_long_series_keep_their_slope():
    times = np.arange(3456.0)
    values = 0.01 * times + np.random.default_rng(0).normal(size=len(times))
    trend = monotone_trend(times, values)
    assert trend.slope.value == pytest.approx(0.01, rel=0.01)
    assert trend.slope.low < 0.01 < trend.slope.high


def test_shapes_must_agree():
    with pytest.raises(InputError, match="one shape"):
        monotone_trend(np.arange(3.0), np.arange(4.0))
