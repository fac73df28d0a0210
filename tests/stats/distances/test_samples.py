"""Samples of answers: averages, resamples and halves."""

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.stats.distances.samples import PmfSample

EYE = np.eye(3)


def test_average_with_and_without_weights():
    masses = EYE[[0, 0, 2, 1]]
    assert PmfSample(masses).mean.tolist() == [0.5, 0.25, 0.25]
    weighted = PmfSample(masses, np.array([1.0, 1.0, 2.0, 4.0]))
    assert weighted.mean.tolist() == [0.25, 0.5, 0.25]
    # (1 + 1 + 2 + 4)^2 / (1 + 1 + 4 + 16) = 64 / 22
    assert weighted.effective_n == pytest.approx(64 / 22)


def test_resamples_have_the_mean_and_the_variance_of_drawing_n():
    sample = PmfSample(EYE[[0] * 30 + [2] * 10])
    drawn = sample.resampled(20_000, np.random.default_rng(0))
    assert drawn.shape == (20_000, 3)
    assert drawn.mean(axis=0) == pytest.approx([0.75, 0, 0.25], abs=0.003)
    # p (1 - p) / n
    assert drawn[:, 0].var() == pytest.approx(0.75 * 0.25 / 40, rel=0.05)


def test_resamples_of_weighted_answers_draw_respondents_and_not_weight():
    # Respondent 2 has 3/4 of the weight, and is drawn 0, 1 or 2 times of 2: 1/4, 1/2 and 1/4.
    sample = PmfSample(np.eye(2), np.array([1.0, 3.0]))
    drawn = sample.resampled(8000, np.random.default_rng(0))[:, 1]
    shares = {float(value): float((drawn == value).mean()) for value in np.unique(drawn)}
    assert shares == pytest.approx({0.0: 0.25, 0.75: 0.5, 1.0: 0.25}, abs=0.02)


def test_halves_are_all_of_the_respondents():
    rng = np.random.default_rng(1)
    sample = PmfSample(rng.dirichlet(np.ones(3), size=7))
    first, second = sample.halves(50, rng)
    assert first.shape == second.shape == (50, 3)
    np.testing.assert_allclose((3 * first + 4 * second) / 7, np.tile(sample.mean, (50, 1)), atol=1e-12)
    assert len(np.unique(first.round(9), axis=0)) > 10


def _many_weighted(n, rng):
    return PmfSample(np.eye(4)[rng.choice(3, size=n, p=[0.5, 0.3, 0.2])], rng.uniform(0.5, 2, size=n))


def test_resamples_of_many_weighted_answers_have_the_linearized_variance():
    sample = _many_weighted(20_000, np.random.default_rng(2))
    drawn = sample.resampled(20_000, np.random.default_rng(3))
    np.testing.assert_allclose(drawn.sum(axis=1), 1)
    assert drawn.mean(axis=0) == pytest.approx(sample.mean, abs=1e-4)
    # The variance of a ratio: sum of w^2 (y - p)^2 over (sum of w)^2.
    centred = sample.weights[:, None] * (sample.masses - sample.mean)
    expected = (centred**2).sum(axis=0) / sample.weights.sum() ** 2
    np.testing.assert_allclose(drawn.var(axis=0), expected, rtol=0.05, atol=1e-12)
    # A point that nobody picked stays at nothing.
    assert drawn[:, 3].tolist() == [0.0] * 20_000


def test_halves_of_many_weighted_answers_are_all_of_them_and_differ_as_halves_do():
    sample = _many_weighted(20_001, np.random.default_rng(4))
    first, second = sample.halves(20_000, np.random.default_rng(5))
    # Halves part what is there: they lie on both sides of the whole, and differ with four times its variance.
    assert min(first.min(), second.min()) == 0
    np.testing.assert_allclose((first + second) / 2, np.tile(sample.mean, (20_000, 1)), atol=2e-3)
    centred = sample.weights[:, None] * (sample.masses - sample.mean)
    expected = 4 * (centred**2).sum(axis=0) / sample.weights.sum() ** 2
    np.testing.assert_allclose((first - second).var(axis=0), expected, rtol=0.05, atol=1e-12)


def test_a_point_with_few_answers_is_drawn_answer_by_answer():
    rng = np.random.default_rng(6)
    points = np.zeros(5000, dtype=int)
    points[:3] = 1
    sample = PmfSample(np.eye(2)[points], rng.uniform(0.5, 2, size=5000))
    assert sample.resampled(200, rng).min() >= 0


@pytest.mark.parametrize(
    ("masses", "weights", "message"),
    [
        (np.ones(3) / 3, None, "masses must have shape"),
        (np.full((2, 3), np.nan), None, "without gaps"),
        (np.ones((2, 3)), None, "sum to 1"),
        (EYE, np.array([1.0, 0.0, 1.0]), "weights must be 3 numbers above 0"),
        (EYE, np.ones(2), "weights must be 3 numbers above 0"),
    ],
)
def test_what_is_no_sample_is_refused(masses, weights, message):
    with pytest.raises(InputError, match=message):
        PmfSample(masses, weights)
