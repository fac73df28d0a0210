"""Calibrators and their fits."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled_toys import ANCHORS, VALUES, answered, predictors_at
from scipy.optimize import check_grad
from scipy.stats import norm

from semscale.rating import calibrators
from semscale.rating.anchors import Axis, anchor_axis
from semscale.rating.calibrators import (
    METHODS,
    CumulativeProbit,
    Predictors,
    _Likelihood,
    fit_cumulative_probit,
    fit_evidence_ridge,
    record_of,
)

PLACES = np.linspace(0, 1, 40)

HUMAN = answered(1 + 4 * PLACES)


def rated_by(pmf):
    texts = predictors_at(PLACES)
    return Predictors(texts.vectors, pmf, VALUES, texts.axis)


@pytest.mark.parametrize("method", METHODS)
def test_masses_sum_to_1_and_survive_their_record(method):
    texts = rated_by(HUMAN**0.5 / (HUMAN**0.5).sum(axis=1, keepdims=True))
    fitted = METHODS[method].fit(texts, HUMAN)
    pmf = fitted.pmf(texts)
    np.testing.assert_allclose(pmf.sum(axis=1), 1)
    again = METHODS[method].kind(**json.loads(json.dumps(record_of(fitted))))
    assert again.pmf(texts).tolist() == pmf.tolist()


def test_none_changes_nothing():
    texts = predictors_at(PLACES)
    assert METHODS["none"].fit(texts, HUMAN).pmf(texts) is texts.pmf


def test_the_temperature_undoes_a_known_flattening():
    flat = HUMAN**0.25
    texts = rated_by(flat / flat.sum(axis=1, keepdims=True))
    fitted = METHODS["temperature"].fit(texts, HUMAN)
    assert record_of(fitted) == {"temperature": 0.25, "equal_share": pytest.approx(0, abs=1e-9)}


def test_the_mixture_finds_a_known_share_of_noise():
    # People answer as rated in 60 %, and by chance in 40 %.
    fitted = METHODS["temperature"].fit(rated_by(HUMAN), 0.6 * HUMAN + 0.4 / 5)
    assert record_of(fitted) == {"temperature": 1.0, "equal_share": pytest.approx(0.4)}


@pytest.mark.parametrize("method", ["affine", "isotonic"])
def test_ratings_squeezed_into_the_middle_are_stretched_again(method):
    squeezed = rated_by(answered(3 + (4 * PLACES - 2) / 4))
    means = METHODS[method].fit(squeezed, HUMAN).pmf(squeezed) @ VALUES
    np.testing.assert_allclose(means, HUMAN @ VALUES, atol=0.35)


def test_isotonic_never_falls_where_ratings_run_the_wrong_way():
    texts = rated_by(HUMAN[::-1])
    means = METHODS["isotonic"].fit(texts, HUMAN).pmf(texts) @ VALUES
    np.testing.assert_allclose(means, means[0])


@pytest.mark.parametrize("method", ["ordinal", "ridge"])
def test_vectors_tell_what_ratings_of_equal_shares_do_not(method):
    texts = predictors_at(PLACES)
    means = METHODS[method].fit(texts, HUMAN).pmf(texts) @ VALUES
    assert np.corrcoef(means, HUMAN @ VALUES)[0, 1] > 0.98


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


def fitted(fit, units, axis):
    return fit.intercept + fit.slope * axis + units @ fit.direction


def left_out_by_hand(units, axis, means, rows, penalty):
    """Value of a row with weights fitted without some rows, by the normal equations, and all rows' line."""
    line = np.column_stack([np.ones(len(means)), axis])
    kept = np.setdiff1d(np.arange(len(means)), rows)
    design = np.hstack([line, units])[kept]
    shrunk = np.diag([0.0, 0.0, *np.full(units.shape[1], penalty)])
    weights = np.linalg.solve(design.T @ design + shrunk, design.T @ means[kept])[2:]
    coefficients = np.linalg.lstsq(line, means - units @ weights, rcond=None)[0]
    return (line @ coefficients + units @ weights)[rows[0]]


@pytest.mark.parametrize("shape", [(12, 3), (8, 20)])
def test_a_text_left_out_gets_the_value_of_a_direction_without_it_at_one_strength(shape, monkeypatch):
    # Strengths are averaged, so leaving a label out is exact where there is one alone.
    monkeypatch.setattr(calibrators, "_STRENGTHS", np.array([1.0]))
    monkeypatch.setattr(calibrators, "_LINE_ALONE", 1e-300)
    rng = np.random.default_rng(0)
    n, d = shape
    axis, means, units = rng.normal(size=n), rng.normal(size=n), rng.normal(size=shape)
    fit = fit_evidence_ridge(units, axis, means)
    line = np.column_stack([np.ones(n), axis])
    rest = units - line @ np.linalg.lstsq(line, units, rcond=None)[0]
    penalty = (rest**2).sum() / n
    for row in range(n):
        assert fit.left_out[row] == pytest.approx(left_out_by_hand(units, axis, means, [row], penalty))


def test_a_repeated_text_is_left_out_with_all_its_rows(monkeypatch):
    monkeypatch.setattr(calibrators, "_STRENGTHS", np.array([0.1]))
    monkeypatch.setattr(calibrators, "_LINE_ALONE", 1e-300)
    rng = np.random.default_rng(4)
    distinct = np.array([0, 1, 2, 3, 4, 5, 0, 1, 0])
    axis, units, means = rng.normal(size=6)[distinct], rng.normal(size=(6, 4))[distinct], rng.normal(size=9)
    fit = fit_evidence_ridge(units, axis, means, distinct=distinct)
    line = np.column_stack([np.ones(9), axis])
    rest = units - line @ np.linalg.lstsq(line, units, rcond=None)[0]
    penalty = 0.1 * (rest**2).sum() / 9
    for text in range(6):
        rows = np.flatnonzero(distinct == text)
        wanted = left_out_by_hand(units, axis, means, rows, penalty)
        assert fit.left_out[rows] == pytest.approx(np.full(len(rows), wanted))


def test_without_a_direction_the_values_are_those_of_the_line():
    rng = np.random.default_rng(5)
    axis, means = rng.normal(size=12), rng.normal(size=12)
    fit = fit_evidence_ridge(np.ones((12, 3)), axis, means)
    slope, intercept = np.polyfit(axis, means, 1)
    assert fit.left_out == pytest.approx(intercept + slope * axis)


def test_labels_that_vectors_explain_no_better_leave_most_weight_to_the_line():
    # Twenty labels with noise around the line: the direction has less than half of what it had without the
    # belief in the line alone, as that has half of the belief beforehand and the better evidence.
    rng = np.random.default_rng(6)
    units, axis = rng.normal(size=(20, 40)), rng.normal(size=20)
    means = axis + rng.normal(scale=0.3, size=20)
    believing = fit_evidence_ridge(units, axis, means).direction
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(calibrators, "_LINE_ALONE", 1e-300)
        unbelieving = fit_evidence_ridge(units, axis, means).direction
    assert np.linalg.norm(believing) < 0.5 * np.linalg.norm(unbelieving)


def test_labels_on_the_zero_shot_line_leave_the_vectors_without_weight():
    rng = np.random.default_rng(1)
    units, axis = rng.normal(size=(30, 4)), rng.normal(size=30)
    fit = fit_evidence_ridge(units, axis, 2 + 3 * axis)
    np.testing.assert_allclose(fit.direction, 0, atol=1e-9)
    assert (fit.intercept, fit.slope) == (pytest.approx(2), pytest.approx(3))


def test_many_labels_outweigh_the_zero_shot_line():
    # The labels follow a direction that the axis knows nothing of; with 400 of them it is found.
    rng = np.random.default_rng(2)
    units, axis = rng.normal(size=(400, 4)), rng.normal(size=400)
    means = units @ [1.0, -1.0, 0.0, 0.5] + rng.normal(scale=0.1, size=400)
    fit = fit_evidence_ridge(units, axis, means)
    np.testing.assert_allclose(fit.direction, [1.0, -1.0, 0.0, 0.5], atol=0.03)
    assert abs(fit.slope) < 0.03


def test_few_noisy_labels_stay_near_the_line():
    # 300 directions explain 12 labels of pure noise perfectly; an unshrunk fit would follow them all.
    rng = np.random.default_rng(3)
    units, axis = rng.normal(size=(12, 300)), np.linspace(-1, 1, 12)
    means = axis + rng.normal(scale=0.3, size=12)
    fit = fit_evidence_ridge(units, axis, means)
    new = rng.normal(size=(200, 300))
    off = fitted(fit, new, np.zeros(200)) - fit.intercept
    assert off.std() < 0.3


def test_an_axis_that_never_varies_gives_the_mean():
    fit = fit_evidence_ridge(np.ones((4, 2)), np.full(4, 3.0), np.array([1.0, 2.0, 3.0, 6.0]))
    np.testing.assert_allclose(fitted(fit, np.ones((1, 2)), np.array([3.0])), [3.0])


def test_the_axis_puts_anchors_near_their_values_and_in_order():
    places = anchor_axis(ANCHORS, VALUES).positions(ANCHORS[0])
    assert (np.diff(places) > 0).all()
    np.testing.assert_allclose(places, VALUES, atol=0.25)


def test_lengths_of_vectors_do_not_matter():
    axis = Axis(1.0, np.array([3.0, 4.0]))
    rows = np.array([[3.0, 4.0], [4.0, -3.0]])
    np.testing.assert_allclose(axis.positions(rows), [6.0, 1.0])
    np.testing.assert_allclose(axis.positions(7 * rows), [6.0, 1.0])


def test_an_axis_without_weights_is_its_intercept():
    assert Axis(2.0, np.zeros(2)).positions(np.eye(2)).tolist() == [2.0, 2.0]


def test_anchors_that_are_all_alike_have_an_axis_at_the_middle():
    axis = anchor_axis(np.ones((1, 3, 2)), np.array([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(axis.positions(np.eye(2)), 2.0)


def test_a_row_is_the_same_alone_and_in_company():
    rng = np.random.default_rng(0)
    rows, axis = rng.normal(size=(50, 33)).astype(np.float32), Axis(0.5, rng.normal(size=33))
    together = axis.positions(rows)
    assert [axis.positions(rows[[place]])[0] for place in range(50)] == together.tolist()


def test_some_rows_are_those_of_the_whole():
    texts = predictors_at([0.0, 0.4, 1.0])
    some = texts.rows(np.array([False, True, True]))
    assert len(some) == 2
    assert some.position.tolist() == texts.position[1:].tolist()
    assert some.mean.tolist() == [3.0, 3.0]
