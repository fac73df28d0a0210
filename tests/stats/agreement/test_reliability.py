import numpy as np
import pytest

from semscale.errors import InputError
from semscale.stats.agreement.reliability import (
    correlation_attainment,
    spearman_brown,
    split_half_reliability,
)


def panel(n, raters, noise, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(n, 1))
    return truth + noise * rng.normal(size=(n, raters))


def test_spearman_brown_by_hand():
    assert spearman_brown(0.5) == pytest.approx(2 / 3)
    assert np.isnan(spearman_brown(-1.0))
    assert np.isnan(spearman_brown(float("nan")))


def test_reliability_is_signal_over_signal_and_noise():
    # Variance 1 of the truth, 4 / 16 of the mean of 16 raters: 1 / 1.25 = .8
    found = split_half_reliability(panel(4000, 16, 2.0), splits=40)
    assert found.value == pytest.approx(0.8, abs=0.015)
    assert found.low < 0.8 < found.high


def test_absent_ratings_are_left_out_and_not_zero():
    complete = panel(2000, 8, 1.0, seed=1) + 100
    ragged = np.column_stack([complete, np.full((2000, 5), np.nan)])
    ragged[::2, [0, 1]] = ragged[::2, [9, 10]]
    # Six raters in half of the items: reliability between 1 / (1 + 1/6) = .857 and 1 / (1 + 1/8) = .889.
    assert 0.84 < split_half_reliability(ragged, splits=20).value < 0.91


def test_items_with_one_rating_are_set_aside():
    ratings = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [99.0, np.nan], [np.nan, np.nan]])
    assert split_half_reliability(ratings, splits=5).value == pytest.approx(1)


def test_no_reliability_without_two_items():
    found = split_half_reliability(np.array([[1.0, 2.0], [1.0, np.nan]]))
    assert np.isnan([found.value, found.low, found.high]).all()


@pytest.mark.parametrize(("ratings", "splits"), [(np.ones(3), 5), (np.ones((3, 3)), 1)])
def test_bad_input_to_reliability_is_refused(ratings, splits):
    with pytest.raises(InputError):
        split_half_reliability(ratings, splits=splits)


def test_respondents_texts_are_drawn_together():
    """With every item four times over the interval is still that of 60 respondents."""
    single = panel(60, 4, 1.0, seed=2)
    people = np.repeat(np.arange(60), 4)
    repeated = np.repeat(single, 4, axis=0)
    alone, naive = split_half_reliability(single), split_half_reliability(repeated)
    honest = split_half_reliability(repeated, clusters=people)
    # sqrt(4) = 2 times as wide as items taken one by one. Splits still differ within a person, so it is no
    # exact copy of the interval of single items.
    assert (honest.high - honest.low) / (naive.high - naive.low) == pytest.approx(2, rel=0.2)
    assert honest.high - honest.low == pytest.approx(alone.high - alone.low, rel=0.2)


def test_the_interval_covers_what_was_asked_for():
    ratings = panel(200, 6, 1.0, seed=3)
    narrow, wide = (split_half_reliability(ratings, interval=interval) for interval in (0.5, 0.99))
    assert wide.low < narrow.low < narrow.value < narrow.high < wide.high


def test_the_input_is_left_as_it_was():
    ratings = panel(20, 4, 1.0)
    before = ratings.copy()
    split_half_reliability(ratings, splits=3)
    np.testing.assert_array_equal(ratings, before)


def test_a_perfect_machine_attains_more_than_humans_and_noise_attains_nothing():
    rng = np.random.default_rng(5)
    truth = rng.normal(size=60)
    human = [mean + 2 * rng.normal(size=20) for mean in truth]
    # Half means of 10: R_xx = 1 / (1 + 4 / 10) = .71, R_xy = sqrt(.71): attainment 1 / sqrt(.71) = 1.18.
    assert correlation_attainment(truth, human, splits=200) == pytest.approx(1.18, abs=0.08)
    assert abs(correlation_attainment(rng.normal(size=60), human, splits=200)) < 0.4


def test_one_more_human_attains_one():
    rng = np.random.default_rng(6)
    truth = rng.normal(size=300)
    human = [mean + rng.normal(size=20) for mean in truth]
    another_half = np.array([mean + rng.normal(size=10).mean() for mean in truth])
    assert correlation_attainment(another_half, human, splits=100) == pytest.approx(1, abs=0.02)


def test_humans_that_do_not_vary_allow_no_attainment():
    assert np.isnan(correlation_attainment(np.arange(3.0), [np.ones(4)] * 3, splits=5))


@pytest.mark.parametrize(
    ("machine", "human", "message"),
    [
        (np.ones(2), [np.ones(2)] * 2, "at least 3"),
        (np.ones(4), [np.ones(2)] * 3, "one length"),
        (np.ones(3), [np.ones(2), np.ones(1), np.ones(2)], "in survey 1"),
    ],
)
def test_bad_input_to_attainment_is_refused(machine, human, message):
    with pytest.raises(InputError, match=message):
        correlation_attainment(machine, human)


def test_attainment_needs_a_split():
    with pytest.raises(InputError, match="splits must be at least 1, got 0"):
        correlation_attainment(np.ones(3), [np.ones(2)] * 3, splits=0)
