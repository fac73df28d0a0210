"""What nights are worth: bounds by hand, and nights that disagree."""

import numpy as np
import pytest

from semscale.drift.nights.night_noise import FEWEST_NIGHTS, NO_NIGHTS, night_noise


def nights_with(*spreads, n=20):
    """Nights of n items at plus and minus a spread: variance spread ** 2 * n / (n - 1)."""
    return np.array([spread * np.where(np.arange(n) % 2, 1.0, -1.0) for spread in spreads])


def test_equal_nights_are_worth_what_they_have_and_at_most_as_much_as_tonight():
    # 6 nights of 20 items have 6 * 19 = 114 degrees of freedom; tonight has 29. Smyth's location of equal
    # variances v with 19 degrees of freedom is v * exp(ln(9.5) - digamma(9.5)) = v * exp(.053553).
    nights = nights_with(*[1.0] * 6)
    typical = 20 / 19 * np.exp(0.053553)
    found = night_noise(nights, typical, 29.0)
    assert found.variance == pytest.approx(typical, rel=1e-5)
    assert found.freedom == pytest.approx(29, rel=0.01)  # the median of F(29, 29) is 1
    assert night_noise(nights, typical, 1000.0).freedom == pytest.approx(114, rel=0.05)


def test_nights_that_disagree_are_worth_less():
    agreeing, apart = (nights_with(*spreads) for spreads in ([1.0] * 6, [0.3, 1.0, 3.0, 0.5, 2.0, 1.0]))
    tonight = 20 / 19, 1000.0
    assert night_noise(apart, *tonight).freedom < 10 < night_noise(agreeing, *tonight).freedom


@pytest.mark.parametrize("times", [0.1, 10.0])
def test_tonight_s_own_noise_wins_where_it_differs(times):
    assert night_noise(nights_with(*[1.0] * 20), times, 39.0).freedom < 0.001


def test_few_nights_or_few_items_do_not_count():
    assert night_noise(nights_with(*[1.0] * (FEWEST_NIGHTS - 1)), 1.0, 29.0) == NO_NIGHTS
    assert night_noise(nights_with(*[1.0] * 9, n=9), 1.0, 29.0) == NO_NIGHTS


def test_items_without_a_value_are_left_out_of_a_night():
    nights = nights_with(*[1.0] * 6, n=22)
    nights[:, :2] = np.nan
    assert night_noise(nights, 1.0, 29.0) == night_noise(nights_with(*[1.0] * 6), 1.0, 29.0)


def test_nights_without_any_noise_do_not_count():
    assert night_noise(np.zeros((10, 30)), 0.1, 29.0) == NO_NIGHTS
