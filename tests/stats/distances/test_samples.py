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
