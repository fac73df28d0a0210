"""Least squares with HC3 standard errors."""

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.stats.linear_models import independent_columns, robust_regression


def test_a_line_by_hand():
    # x = 0 1 2, y = 0 2 1: slope = Sxy / Sxx = (0*-1 + 1*1... ) = 1/2, intercept 1/2; residuals -1/2 1 -1/2
    # leverages 5/6 1/3 5/6; e / (1 - h) = -3, 3/2, -3
    # the slope's weights are (x - 1) / 2 = -1/2 0 1/2: variance 1/4 * 9 + 1/4 * 9 = 9/2
    found = robust_regression(np.array([0.0, 2, 1]), np.array([[0.0], [1], [2]]))
    t = 12.706204736  # of one degree, 97.5 %
    assert found.value[0] == pytest.approx(0.5)
    assert found.high[0] - 0.5 == pytest.approx(t * np.sqrt(4.5), rel=1e-6)
    assert 0.5 - found.low[0] == pytest.approx(t * np.sqrt(4.5), rel=1e-6)
    # 1 - (1/4 + 1 + 1/4) / 2
    assert found.r_squared == pytest.approx(0.25)


def test_intervals_cover_where_the_spread_grows_with_the_predictor():
    rng, covered = np.random.default_rng(2), 0
    for _ in range(400):
        x = rng.uniform(size=60)
        found = robust_regression(2 * x + x * rng.normal(size=60), x[:, None])
        covered += bool(found.low[0] <= 2 <= found.high[0])
    assert 0.92 <= covered / 400 <= 0.985


def test_dependent_predictors_and_single_rows_are_refused():
    x = np.arange(6.0)
    with pytest.raises(InputError, match="must be independent"):
        robust_regression(x, np.column_stack([x, 2 * x + 1]))
    with pytest.raises(InputError, match="single row, as row 3"):
        robust_regression(x, (np.arange(6) == 2).astype(float)[:, None])
    with pytest.raises(InputError, match="fewer than the rows"):
        robust_regression(x[:2], x[:2, None])


def test_independent_columns_are_kept_from_the_first():
    x = np.arange(5.0)
    assert independent_columns(np.column_stack([np.ones(5), x, 2 * x - 3, x**2])) == [1, 3]


def test_whole_weights_fit_as_rows_that_are_repeated():
    response, marks = np.array([1.0, 3, 4, 6, 8]), np.array([[0.0], [0], [1], [1], [1]])
    weights = np.array([2.0, 1, 1, 3, 1])
    found = robust_regression(response, marks, weights=weights)
    times = weights.astype(int)
    repeated = robust_regression(np.repeat(response, times), np.repeat(marks, times, axis=0))
    # 30 / 5 - 5 / 3
    assert found.value[0] == pytest.approx(repeated.value[0]) == pytest.approx(6 - 5 / 3)
    assert found.r_squared == pytest.approx(repeated.r_squared)
    assert found.n == 5
