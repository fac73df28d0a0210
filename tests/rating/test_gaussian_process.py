"""The Gaussian process of a calibration, and the cumulative probit around it."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter
from scipy.optimize import check_grad
from scipy.stats import norm
from tests.support.labelled_toys import VALUES, answered, plain, predictors_at

from semscale.rating import gaussian_process
from semscale.rating.gaussian_process import (
    MOST_TEXTS,
    SLOPE_DEVIATION,
    SLOPE_MEAN,
    CumulativeProbit,
    GaussianProcess,
    Predictors,
    _Likelihood,
    fit_cumulative_probit,
    fit_gaussian_process,
    fit_location,
    record_of,
    text_kernel,
    vector_kernel,
)

POSITIONS = np.linspace(0, 1, 40)

HUMAN = answered(1 + 4 * POSITIONS)


def parts_of(n):
    return [np.arange(n) % 4 == part for part in range(4)]


@pytest.fixture
def variances(monkeypatch):
    """Give the deviation and the noise one variance each, in variances of the labels."""

    def fix(deviation, noise):
        monkeypatch.setattr(gaussian_process, "_DEVIATIONS", np.array([deviation]))
        monkeypatch.setattr(gaussian_process, "_NOISES", np.array([noise]))

    return fix


def test_the_posterior_of_three_texts_is_that_by_hand(variances):
    # Labels -1, 0, 1 at x = -1, 0, 1 have variance 2/3, as has x. So with variance 1 the deviation is w x
    # with w ~ N(0, 1), and noise of .5 has variance 1/3. All three: w = (2 * 3) / (1 + 2 * 3) = 6/7. Without
    # the first, the difference of the others is 1 ~ N(w, 2/3), so w = 1.5 / (1 + 1.5) = .6; their mean is .5
    # at x = .5, so the first is predicted by .5 - 1.5 * .6 = -.4. Without the second, 0 is halfway.
    variances(1.0, 0.5)
    x = np.array([-1.0, 0.0, 1.0])
    fit = fit_location(x[:, None], np.zeros(3), x)
    assert fit.weights == pytest.approx([6 / 7])
    assert (fit.intercept, fit.slope) == (pytest.approx(0), 0)
    assert fit.left_out == pytest.approx([-0.4, 0, 0.4])


def test_the_slope_is_that_by_hand(variances):
    # Without a deviation and with noise of .5: five labels of variance 1, and scores that predict them
    # perfectly, have a slope of precision 5 / .5 = 10 around 1, and a prior of precision 25 around .4.
    variances(0.0, 0.5)
    scores = np.array([-2.0, -1.0, 0.0, 1.0, 2.0]) / np.sqrt(2)
    fit = fit_location(np.ones((5, 2)), scores, scores)
    assert fit.slope == pytest.approx((10 * 1 + 25 * 0.4) / 35)


def dense_prediction(features, scores, means, known, row):
    """Value of a row from known rows, with variances .3 and .6 and a flat prior of the intercept."""
    n = len(means)
    rest, unit = features - features.mean(axis=0), means.std()
    z = (scores - scores.mean()) / scores.std()
    targets = (means - means.mean()) / unit - SLOPE_MEAN * z
    covariance = 0.3 * rest @ rest.T / ((rest**2).sum() / n) + SLOPE_DEVIATION**2 * np.outer(z, z)
    inverse = np.linalg.inv(covariance[np.ix_(known, known)] + 0.6 * np.eye(len(known)))
    level = inverse.sum(axis=1) @ targets[known] / inverse.sum()
    value = level + covariance[row, known] @ inverse @ (targets[known] - level)
    return means.mean() + unit * (SLOPE_MEAN * z[row] + value)


@pytest.mark.parametrize("shape", [(12, 3), (8, 20)])
def test_left_out_values_are_those_of_a_fit_without_the_text(shape, variances):
    variances(0.3, 0.6)
    rng = np.random.default_rng(0)
    n = shape[0]
    scores, means, features = rng.normal(size=n), rng.normal(size=n), rng.normal(size=shape)
    fit = fit_location(features, scores, means)
    everything = np.arange(n)
    for row in range(n):
        other_rows = np.delete(everything, row)
        wanted = dense_prediction(features, scores, means, other_rows, row)
        assert fit.left_out[row] == pytest.approx(wanted)
        fitted = fit.intercept + fit.slope * scores[row] + features[row] @ fit.weights
        assert fitted == pytest.approx(dense_prediction(features, scores, means, everything, row))


def test_a_repeated_text_is_left_out_with_all_its_rows(variances):
    variances(0.3, 0.6)
    rng = np.random.default_rng(4)
    distinct = np.array([0, 1, 2, 3, 4, 5, 0, 1, 0])
    scores, features, means = (
        rng.normal(size=6)[distinct],
        rng.normal(size=(6, 4))[distinct],
        rng.normal(size=9),
    )
    fit = fit_location(features, scores, means, distinct)
    for row in range(9):
        other_rows = np.flatnonzero(distinct != distinct[row])
        wanted = dense_prediction(features, scores, means, other_rows, row)
        assert fit.left_out[row] == pytest.approx(wanted)


def test_labels_that_nothing_explains_leave_the_vectors_without_weight():
    rng = np.random.default_rng(6)
    features, scores = rng.normal(size=(60, 40)), rng.normal(size=60)
    fit = fit_location(features, scores, 2 + 3 * scores)
    np.testing.assert_allclose(fit.weights, 0, atol=1e-9)
    assert fit.slope == pytest.approx(3, abs=0.2)  # the prior's mean is .4 of it


def test_many_labels_outweigh_the_zero_shot_rating():
    # The labels follow a direction that the score knows nothing of; with 400 of them it is found.
    rng = np.random.default_rng(2)
    features, scores = rng.normal(size=(400, 4)), rng.normal(size=400)
    means = features @ [1.0, -1.0, 0.0, 0.5] + rng.normal(scale=0.1, size=400)
    fit = fit_location(features, scores, means)
    np.testing.assert_allclose(fit.weights, [1.0, -1.0, 0.0, 0.5], atol=0.05)
    assert abs(fit.slope) < 0.15


def test_few_labels_against_the_zero_shot_rating_do_not_turn_it_round():
    # Ten labels with a correlation of -.2: the prior of .4 has precision 25, and these have about 10.
    scores = np.arange(10.0)
    means = np.array([6.0, 3.0, 5.0, 8.0, 2.0, 4.0, 7.0, 1.0, 6.0, 3.0])
    assert np.corrcoef(scores, means)[0, 1] < -0.1
    assert fit_location(np.ones((10, 2)), scores, means).slope > 0


def test_scores_that_never_vary_give_the_mean():
    fit = fit_location(np.ones((4, 2)), np.full(4, 3.0), np.array([1.0, 2.0, 3.0, 6.0]))
    assert (fit.intercept, fit.slope) == (pytest.approx(3), 0)
    assert fit.left_out == pytest.approx([11 / 3, 10 / 3, 3, 2])  # means of the three others


def test_the_kernel_is_that_of_the_cosine_whatever_the_length():
    # Cosines 1, .6 and 0: exp(0), exp(-3.2), exp(-8).
    rows = np.array([[3.0, 0.0], [0.6, 0.8], [0.0, 9.0]])
    assert vector_kernel(rows, np.array([[1.0, 0.0]]))[:, 0] == pytest.approx(
        [1, 0.0407622, 0.00033546], rel=1e-5
    )
    # Texts of the same style add .2.
    texts = Predictors(rows, np.full((3, 5), 0.2), VALUES, plain(3))
    kernel = text_kernel(texts, np.array([[1.0, 0.0]]), plain(1))
    assert kernel[:, 0] == pytest.approx([1.2, 0.2407622, 0.20033546], rel=1e-5)


def test_vectors_tell_what_ratings_of_equal_shares_do_not():
    texts = predictors_at(POSITIONS)
    means = fit_gaussian_process(texts, HUMAN, ()).pmf(texts) @ VALUES
    assert np.corrcoef(means, HUMAN @ VALUES)[0, 1] > 0.98


def test_style_tells_what_vectors_do_not():
    # Long texts are good; all have the same vector.
    length = np.linspace(0, 4, 40)
    styles = np.column_stack([length, np.zeros((40, 7))])
    texts = Predictors(
        np.ones((40, 2)) + 1e-9 * np.arange(80).reshape(40, 2), np.full((40, 5), 0.2), VALUES, styles
    )
    means = fit_gaussian_process(texts, answered(1 + length), ()).pmf(texts) @ VALUES
    assert np.corrcoef(means, length)[0, 1] > 0.98


def test_masses_sum_to_1_and_survive_their_record():
    texts = predictors_at(POSITIONS)
    fitted = fit_gaussian_process(texts, HUMAN, parts_of(40))
    assert fitted.pmf(texts).sum(axis=1) == pytest.approx(np.ones(40))
    again = TypeAdapter(GaussianProcess).validate_json(json.dumps(record_of(fitted)))
    assert again.pmf(texts).tolist() == fitted.pmf(texts).tolist()
    assert again.refit_pmf(texts).tolist() == fitted.refit_pmf(texts).tolist()


def test_a_row_is_the_same_alone_and_in_company():
    rng = np.random.default_rng(0)
    rows, human = rng.normal(size=(50, 33)).astype(np.float32), rng.dirichlet(np.ones(5), size=50)
    texts = Predictors(rows, rng.dirichlet(np.ones(5), size=50), VALUES, rng.normal(size=(50, 8)))
    fitted = fit_gaussian_process(texts, human, parts_of(50))
    alone = [texts.rows(np.arange(50) == row) for row in range(50)]
    assert [fitted.pmf(single)[0].tolist() for single in alone] == fitted.pmf(texts).tolist()
    assert [fitted.refit_pmf(single)[0].tolist() for single in alone] == fitted.refit_pmf(texts).tolist()


def test_refits_use_only_texts_outside_their_fold():
    # Changed labels of its part change all refits but its own.
    changed = HUMAN.copy()
    changed[::4] = np.eye(5)[2]
    before, after = (
        fit_gaussian_process(predictors_at(POSITIONS), human, parts_of(40)).refits
        for human in (HUMAN, changed)
    )
    assert [record_of(single) == record_of(other) for single, other in zip(before, after, strict=True)] == [
        True, False, False, False
    ]  # fmt: skip


def test_many_texts_use_inducing_texts_and_all_labels():
    rng = np.random.default_rng(1)
    positions = rng.uniform(size=MOST_TEXTS + 200)
    human = answered(1 + 4 * positions)
    texts = predictors_at(positions)
    fitted = fit_gaussian_process(texts, human, ())
    assert fitted.texts.shape == (MOST_TEXTS, 2)
    assert np.abs((fitted.pmf(texts) - human) @ VALUES).max() < 0.3
    changed = human.copy()
    changed[1] = np.eye(5)[4]
    assert fit_gaussian_process(texts, changed, ()).posterior.intercept != fitted.posterior.intercept


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
def test_thresholds_and_slope_of_a_known_model_are_recovered(values):
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


def test_the_gradient_is_that_of_the_cost():
    rng = np.random.default_rng(2)
    problem = _Likelihood(rng.normal(size=30), rng.dirichlet(np.ones(5), size=30), np.ones(3))
    at = rng.normal(scale=0.3, size=2 + problem.n_spacings)
    assert check_grad(lambda p: problem.cost(p, 0.0)[0], lambda p: problem.cost(p, 0.0)[1], at) < 1e-4


def test_some_rows_are_those_of_the_whole():
    texts = predictors_at([0.0, 0.4, 1.0])
    some = texts.rows(np.array([False, True, True]))
    assert len(some) == 2
    assert some.vectors.tolist() == texts.vectors[1:].tolist()
    assert some.mean.tolist() == [3.0, 3.0]
