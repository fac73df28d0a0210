import numpy as np
import pytest
from labelled_toys import answered, predictors_at

from semscale.rating.calibration.learning_curve import extrapolated, learning_curve
from semscale.rating.calibration.selection import nested_predictions
from semscale.stats.calibration.proper_scores import ranked_probability_scores

PLACES = np.random.default_rng(0).uniform(size=100)


def curve_of(n):
    texts, human = predictors_at(PLACES[:n]), answered(1 + 4 * PLACES[:n])
    nested = nested_predictions(texts, human)
    return learning_curve(nested, texts, human), ranked_probability_scores(nested.pmf, human).mean()


def test_sizes_are_parts_of_each_folds_labels_and_forecasts_all_twice_and_four_times():
    # Five folds leave 80 of 100 labels each, of which a quarter and a half are tried as well.
    curve, error = curve_of(100)
    assert [(point.n, point.is_forecast) for point in curve] == [
        (20, False), (40, False), (80, False), (100, True), (200, True), (400, True)
    ]  # fmt: skip
    assert all(np.isnan(point.pearson) == point.is_forecast for point in curve)
    assert curve[2].ranked_probability == error  # that of the report's head


def test_too_few_labels_have_no_curve():
    assert curve_of(15)[0] == ()  # half of 12 is below 8


def test_a_known_curve_is_continued():
    sizes = np.array([20.0, 40.0, 80.0])
    assert extrapolated(sizes, 0.1 + 2 / sizes, 400) == pytest.approx(0.1 + 2 / 400)


def test_a_curve_that_rises_is_continued_level():
    assert extrapolated(np.array([10.0, 20.0]), np.array([0.2, 0.3]), 100) == pytest.approx(0.25)


def test_an_error_never_falls_below_0():
    assert extrapolated(np.array([10.0, 20.0]), np.array([1.0, 0.1]), 10_000) >= 0
