"""Weighted correlations and their standard errors."""

import numpy as np
import pytest
from reference_figures import figures, six_digits
from scipy import stats
from test_reference import DESIGNS, OURS, REPLICATED, design, replicated

from semscale.errors import InputError
from semscale.stats.survey.correlations import correlation_interval, survey_correlations
from semscale.stats.survey.design import SurveyDesign
from semscale.stats.survey.replication import jackknife_replicates


def check(found, expected):
    assert found.values[0, 0] == six_digits(expected["value"])
    assert found.standard_errors[0, 0] == six_digits(expected["se"])
    assert found.df[0, 0] == expected["df"]


@pytest.mark.parametrize("name", DESIGNS)
def test_linearised_errors_equal_the_delta_method_on_r_s_svyvar(name):
    found = survey_correlations(OURS["x"], OURS["y"], design(name))
    check(found, figures("sample_correlations")["designs"][name])


@pytest.mark.parametrize("kind", ["pearson", "spearman"])
@pytest.mark.parametrize("name", REPLICATED)
def test_replicates_equal_r_s(name, kind):
    made, rows = replicated(name)
    found = survey_correlations(OURS["x"][rows], OURS["y"][rows], made, kind=kind)
    check(found, figures("sample_correlations")[kind][name])


def answers(n=60, seed=4):
    """Two related columns with ties and gaps, weights, and groups of which one is empty."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 7, n).astype(float)
    y = np.round(x + rng.normal(0, 2, n))
    x[rng.random(n) < 0.1] = np.nan
    return x, y, rng.uniform(1, 3, n), rng.integers(0, 2, n)


@pytest.mark.parametrize("kind", ["pearson", "spearman"])
def test_errors_are_those_of_the_change_that_a_weight_makes(kind):
    x, y, weights, _ = answers()
    step = 1e-4
    slopes = np.zeros(len(x))
    for row in range(len(x)):
        up, down = weights.copy(), weights.copy()
        up[row] += step
        down[row] -= step
        changed = [survey_correlations(x, y, SurveyDesign(one), kind=kind).values[0, 0] for one in (up, down)]
        slopes[row] = (changed[0] - changed[1]) / (2 * step)
    influence = weights * slopes
    n = len(x)
    expected = np.sqrt(n / (n - 1) * ((influence - influence.mean()) ** 2).sum())
    found = survey_correlations(x, y, SurveyDesign(weights), kind=kind)
    assert found.standard_errors[0, 0] == pytest.approx(expected, rel=1e-6)


def test_without_weights_they_are_scipy_s_in_each_group():
    x, y, _, groups = answers()
    there = ~np.isnan(x)
    plain = SurveyDesign(np.ones(len(x)))
    for kind, own in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr)):
        found = survey_correlations(x, y, plain, kind=kind, groups=groups, n_groups=3)
        for group in (0, 1):
            rows = there & (groups == group)
            assert found.values[0, group] == pytest.approx(own(x[rows], y[rows]).statistic)
            assert found.n[0, group] == rows.sum()
        assert np.isnan(found.values[0, 2])
        assert np.isnan(found.standard_errors[0, 2])


@pytest.mark.parametrize("kind", ["pearson", "spearman"])
def test_many_columns_in_one_call_are_those_one_by_one(kind):
    x, y, weights, groups = answers()
    for made in (SurveyDesign(weights), jackknife_replicates(SurveyDesign(weights))):
        both = survey_correlations(
            np.column_stack([x, y]), np.column_stack([y, -y]), made, kind=kind, groups=groups
        )
        one = survey_correlations(x, y, made, kind=kind, groups=groups)
        assert both.values[0] == pytest.approx(one.values[0])
        assert both.covariance[0] == pytest.approx(one.covariance[0])
        assert both.values[1] == pytest.approx([-1, -1])


def test_intervals_by_hand_and_within_bounds():
    x, y, weights, _ = answers()
    found = survey_correlations(x, y, SurveyDesign(weights))
    r, error = found.values[0, 0], found.standard_errors[0, 0]
    half = stats.t.ppf(0.975, found.df[0, 0]) * error / (1 - r**2)
    low, high = correlation_interval(found)
    assert [low[0, 0], high[0, 0]] == pytest.approx(
        [np.tanh(np.arctanh(r) - half), np.tanh(np.arctanh(r) + half)]
    )
    exact = survey_correlations(y, y, SurveyDesign(weights))
    assert exact.values[0, 0] == pytest.approx(1)
    assert np.isnan(correlation_interval(exact)).all()


def test_what_does_not_vary_has_no_correlation():
    for kind in ("pearson", "spearman"):
        for made in (SurveyDesign(np.ones(5)), jackknife_replicates(SurveyDesign(np.ones(5)))):
            found = survey_correlations(np.full(5, 0.1), np.arange(5.0), made, kind=kind)
            assert np.isnan(found.values).all()
            assert np.isnan(found.standard_errors).all()


def test_an_unknown_kind_is_refused():
    with pytest.raises(InputError, match="kind must be pearson or spearman, got 'kendall'"):
        survey_correlations([1.0, 2], [1.0, 2], SurveyDesign(np.ones(2)), kind="kendall")
