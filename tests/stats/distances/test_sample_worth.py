"""How many people a panel is worth."""

import numpy as np
import pytest

from semscale.stats.distances.distances import ks_distance, wasserstein_distance
from semscale.stats.distances.sample_worth import error_scale, sample_worth
from semscale.stats.distances.samples import PmfSample
from semscale.stats.intervals.estimates import Estimate

VALUES = np.arange(1.0, 6.0)
PMF = np.array([0.1, 0.2, 0.4, 0.2, 0.1])
PEOPLE = [PmfSample(np.repeat(np.eye(5), (100, 200, 400, 200, 100), axis=0))]


def test_the_squared_error_of_a_mean_is_solved_by_hand():
    # Variance 1.2 on a width of 4: .075. With N = 1,000 and n = 50 the error is .075 (1/50 + 1/1000).
    error = 0.075 * (1 / 50 + 1 / 1000)
    found = sample_worth("mean", Estimate(error, error, error), PEOPLE, [VALUES])
    assert found.value == pytest.approx(50)
    assert found.seen == 1000


@pytest.mark.parametrize("error", ["ks", "wasserstein"])
def test_expected_errors_are_those_of_drawn_samples(error):
    n = 400
    drawn = np.random.default_rng(0).multinomial(n, PMF, size=20_000) / n
    distance = ks_distance(drawn, PMF) if error == "ks" else wasserstein_distance(drawn, PMF, VALUES)
    assert error_scale(error, PMF, VALUES) / np.sqrt(n) == pytest.approx(distance.mean(), rel=0.03)


def test_ends_of_the_interval_change_places():
    found = sample_worth("wasserstein", Estimate(0.1, 0.05, 0.2), PEOPLE, [VALUES])
    assert found.low < found.value < found.high


def test_an_error_below_that_of_the_people_themselves_cannot_be_seen():
    found = sample_worth("ks", Estimate(0.001, 0.0, 0.9), PEOPLE, [VALUES])
    assert found.value == found.high == np.inf
    assert 0 < found.low < 1  # .9 is further off than one respondent is


def test_missing_errors_and_people_who_all_agree():
    assert np.isnan(sample_worth("ks", Estimate(np.nan, np.nan, np.nan), PEOPLE, [VALUES]).value)
    alike = [PmfSample(np.repeat(np.eye(5)[:1], 10, axis=0))]
    assert sample_worth("mean", Estimate(0.1, 0.1, 0.1), alike, [VALUES]).value == 0
