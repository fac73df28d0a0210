import numpy as np
import pytest
from labelled_toys import answered, predictors_at

from semscale.rating.calibration.learning_curve import extrapolated, learning_curve

PLACES = np.random.default_rng(0).uniform(size=100)


def test_sizes_are_shares_of_the_labels_and_forecasts_twice_and_four_times_them():
    curve = learning_curve("ridge", predictors_at(PLACES), answered(1 + 4 * PLACES))
    assert [(point.n, point.is_forecast) for point in curve] == [
        (20, False), (40, False), (80, False), (200, True), (400, True)
    ]  # fmt: skip
    assert all(np.isnan(point.pearson) == point.is_forecast for point in curve)


def test_too_few_labels_have_no_curve():
    assert learning_curve("ordinal", predictors_at(PLACES[:10]), answered(1 + 4 * PLACES[:10])) == ()


def test_a_known_curve_is_continued():
    sizes = np.array([20.0, 40.0, 80.0])
    assert extrapolated(sizes, 0.1 + 2 / sizes, 400) == pytest.approx(0.1 + 2 / 400)


def test_a_curve_that_rises_is_continued_level():
    assert extrapolated(np.array([10.0, 20.0]), np.array([0.2, 0.3]), 100) == pytest.approx(0.25)


def test_an_error_never_falls_below_0():
    assert extrapolated(np.array([10.0, 20.0]), np.array([1.0, 0.1]), 10_000) >= 0
