import numpy as np
import pytest

from semscale.rating.calibration.evidence_ridge import fit_evidence_ridge


def fitted(fit, units, axis):
    return fit.intercept + fit.slope * axis + units @ fit.direction


@pytest.mark.parametrize("shape", [(12, 3), (8, 20)])
def test_a_text_left_out_gets_the_value_of_a_fit_without_it_at_one_strength(shape):
    # Strengths are averaged, so leaving a label out is exact where all strengths give one fit: here the
    # labels lie on the line but for one, which the vectors cannot explain, as they are all alike.
    rng = np.random.default_rng(0)
    n, d = shape
    axis, means = rng.normal(size=n), rng.normal(size=n)
    units = np.ones((n, d))
    fit = fit_evidence_ridge(units, axis, means)
    for row in range(n):
        kept = np.arange(n) != row
        slope, intercept = np.polyfit(axis[kept], means[kept], 1)
        assert fit.left_out[row] == pytest.approx(intercept + slope * axis[row])


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
