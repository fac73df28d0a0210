"""The prior of a variance: against a draw from its own model, limits by hand, and Smyth's definition."""

from math import inf, pi

import numpy as np
import pytest
from scipy.stats import f

from semscale.stats.testing.variance_prior import (
    VariancePrior,
    agreement,
    fit_variance_prior,
    trigamma_inverse,
)


def test_finds_the_prior_that_variances_were_drawn_from():
    # 1 / variance is chi-square with 12 degrees of freedom by 12 * 3, as in Smyth's prior.
    rng = np.random.default_rng(0)
    true = 12 * 3.0 / rng.chisquare(12, 20_000)
    variances = true * rng.chisquare(29, len(true)) / 29
    found = fit_variance_prior(variances, np.full(len(true), 29.0))
    assert found.freedom == pytest.approx(12, rel=0.05)
    assert found.variance == pytest.approx(3, rel=0.02)


def test_variances_that_differ_by_chance_alone_are_worth_the_most():
    # ln s^2 of 3 samples with one degree of freedom has the variance trigamma(.5) = pi^2 / 2 by chance.
    found = fit_variance_prior(np.array([1.0, 2.0, 4.0]), np.ones(3))
    assert found.freedom == inf
    # digamma(.5) = -1.96351, ln(.5) = -.693147: e = ln s^2 + 1.270363, and the mean of ln s^2 is ln 2.
    assert found.variance == pytest.approx(2 * np.exp(1.270363), rel=1e-5)


def test_samples_of_different_sizes_count_with_their_own_chance():
    # e of two large samples is ln s^2; what is beyond chance is ln(4)^2 / 2 - 2e-9 = .960906.
    found = fit_variance_prior(np.array([1.0, 4.0]), np.array([1e9, 1e9]))
    assert found.freedom == pytest.approx(2 * trigamma_inverse(0.960906), rel=1e-5)


@pytest.mark.parametrize("variances", [[0.0, 1.0, 1.0], [0.0, 0.0]])
def test_a_sample_without_spread_takes_all_worth(variances):
    assert fit_variance_prior(np.array(variances), np.full(len(variances), 20.0)).freedom == 0


@pytest.mark.parametrize(("value", "at"), [(pi**2 / 6, 1.0), (pi**2 / 2, 0.5), (pi**2 / 6 - 1, 2.0)])
def test_the_inverse_of_trigamma(value, at):
    assert trigamma_inverse(value) == pytest.approx(at, rel=1e-6)


def test_the_inverse_of_trigamma_at_its_ends():
    assert trigamma_inverse(1e10) == pytest.approx(1e-5)  # trigamma(y) is about 1 / y^2
    assert trigamma_inverse(1e-8) == pytest.approx(1e8)  # and 1 / y


def test_agreement_is_twice_the_smaller_tail():
    prior = VariancePrior(0.5, 30.0)
    assert agreement(0.5 * f.ppf(0.99, 20, 30), 20, prior) == pytest.approx(0.02)
    assert agreement(0.5 * f.ppf(0.1, 20, 30), 20, prior) == pytest.approx(0.2)
    assert agreement(0.5 * f.ppf(0.5, 20, 30), 20, prior) == pytest.approx(1.0)
