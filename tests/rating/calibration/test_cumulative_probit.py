import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import check_grad
from scipy.stats import norm

from semscale.rating.calibration.cumulative_probit import CumulativeProbit, _Likelihood, fit_cumulative_probit


def test_masses_are_the_normal_distribution_cut_at_the_thresholds():
    probit = CumulativeProbit(np.array([1.0, 3.0]), 2.0)
    expected = [norm.cdf(0), norm.cdf(2) - norm.cdf(0), 1 - norm.cdf(2)]
    np.testing.assert_allclose(probit.pmf(np.array([0.5]))[0], expected)
    assert np.isnan(probit.pmf(np.array([np.nan]))).all()


@given(st.lists(st.floats(-3, 3), min_size=2, max_size=10, unique=True), st.floats(0.1, 5))
def test_a_higher_location_never_has_a_lower_mean(thresholds, slope):
    probit = CumulativeProbit(np.sort(np.array(thresholds)), slope)
    masses = probit.pmf(np.linspace(-4, 4, 50))
    assert (masses >= 0).all()
    np.testing.assert_allclose(masses.sum(axis=1), 1)
    assert (np.diff(masses @ np.arange(masses.shape[1])) >= -1e-9).all()


@pytest.mark.parametrize(
    "values", [np.array([0.0, 1.0]), np.arange(1.0, 6.0), np.array([-2.0, -1.0, 0.5, 4.0])]
)
def test_thresholds_and_slope_of_a_known_model_are_found(values):
    rng = np.random.default_rng(0)
    k = len(values)
    true = CumulativeProbit(np.sort(rng.normal(scale=1.5, size=k - 1)), 1.2)
    locations = rng.uniform(values[0], values[-1], size=4000)
    locations = (locations - values.mean()) / np.ptp(values) * 4
    fit = fit_cumulative_probit(locations, true.pmf(locations), values)
    np.testing.assert_allclose(fit.thresholds, true.thresholds, atol=0.05)
    assert fit.slope == pytest.approx(true.slope, abs=0.05)


def test_a_point_that_nobody_chose_keeps_some_mass_and_finite_thresholds():
    answers = np.tile([0.0, 0.5, 0.5, 0.0, 0.0], (20, 1))
    fit = fit_cumulative_probit(np.linspace(1, 5, 20), answers, np.arange(1.0, 6.0))
    assert np.isfinite(fit.thresholds).all()
    assert (fit.pmf(np.array([3.0])) > 0).all()


def test_even_thresholds_are_a_shifted_and_stretched_set_of_middles():
    values = np.array([1.0, 2.0, 4.0, 5.0])
    answers = np.random.default_rng(1).dirichlet(np.ones(4), size=50)
    gaps = np.diff(fit_cumulative_probit(np.linspace(1, 5, 50), answers, values, even=True).thresholds)
    np.testing.assert_allclose(gaps / gaps[0], [1.0, 1.0])  # middles 1.5, 3, 4.5


@pytest.mark.parametrize("even", [True, False])
def test_the_gradient_is_that_of_the_cost(even):
    rng = np.random.default_rng(2)
    problem = _Likelihood(rng.normal(size=30), rng.dirichlet(np.ones(5), size=30), np.ones(3), even=even)
    at = rng.normal(scale=0.3, size=2 + problem.n_spacings)
    assert check_grad(lambda p: problem.cost(p, 0.0)[0], lambda p: problem.cost(p, 0.0)[1], at) < 1e-4
