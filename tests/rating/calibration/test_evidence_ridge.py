import numpy as np
import pytest

from semscale.rating.calibration import evidence_ridge
from semscale.rating.calibration.evidence_ridge import fit_evidence_ridge


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
    monkeypatch.setattr(evidence_ridge, "_STRENGTHS", np.array([1.0]))
    monkeypatch.setattr(evidence_ridge, "_LINE_ALONE", 1e-300)
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
    monkeypatch.setattr(evidence_ridge, "_STRENGTHS", np.array([0.1]))
    monkeypatch.setattr(evidence_ridge, "_LINE_ALONE", 1e-300)
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
        patch.setattr(evidence_ridge, "_LINE_ALONE", 1e-300)
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
