"""Correlation attainment with its interval."""

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.stats.agreement.attainment import attainment
from semscale.stats.agreement.reliability import correlation_attainment
from semscale.stats.distances.samples import PmfSample

VALUES = np.arange(1.0, 6.0)


def surveys(n_surveys, n_people, noise=0.0, seed=0):
    """People whose surveys differ, and a panel that follows their true means with some noise."""
    rng = np.random.default_rng(seed)
    people, machine = [], []
    for _ in range(n_surveys):
        pmf = rng.dirichlet(np.full(5, 2.0))
        people.append(PmfSample(np.eye(5)[rng.choice(5, n_people, p=pmf)]))
        machine.append(pmf @ VALUES + noise * rng.standard_normal())
    return np.array(machine), people


def test_it_is_the_ratio_that_is_computed_split_by_split():
    machine, people = surveys(8, 30, noise=0.3)
    answers = [each.masses @ VALUES for each in people]
    expected = correlation_attainment(machine, answers, splits=4000, seed=5)
    found = attainment(machine, people, [VALUES] * 8, splits=4000)
    assert found.ratio.value == pytest.approx(expected, abs=0.01)


def test_the_true_means_attain_more_than_halves_do_and_the_interval_holds_the_ratio():
    machine, people = surveys(20, 20)
    found = attainment(machine, people, [VALUES] * 20, splits=300)
    # The truth correlates with a half as sqrt(reliability) does, halves with each other as the reliability.
    assert found.ratio.value == pytest.approx(found.ceiling**-0.5, abs=0.06)
    assert found.ratio.low < found.ratio.value < found.ratio.high


def test_a_panel_that_knows_nothing_attains_about_nothing():
    rng = np.random.default_rng(3)
    _, people = surveys(60, 30)
    found = attainment(rng.standard_normal(60), people, [VALUES] * 60, splits=300)
    assert found.ratio.low < 0 < found.ratio.high


def test_what_does_not_vary_has_no_value():
    _, people = surveys(4, 10)
    assert np.isnan(attainment(np.ones(4), people, [VALUES] * 4, splits=10).ratio.value)


def test_two_surveys_are_refused():
    machine, people = surveys(2, 10)
    with pytest.raises(InputError, match="one length of at least 3"):
        attainment(machine, people, [VALUES] * 2)


def test_the_p_value_counts_orders():
    # Of the 6 orders of 1, 2, 4 beside people's 1, 2, 3 only the right one correlates so highly: 1/6.
    people = [PmfSample(np.eye(5)[[place] * 3]) for place in range(3)]
    found = attainment(np.array([1.0, 2.0, 4.0]), people, [VALUES] * 3, splits=5)
    assert found.p_value == pytest.approx(1 / 6)
    turned = attainment(np.array([4.0, 2.0, 1.0]), people, [VALUES] * 3, splits=5)
    assert turned.p_value == 1


def test_few_surveys_seldom_prove_what_is_not_there():
    rng = np.random.default_rng(7)
    _, people = surveys(6, 40)
    found = [attainment(rng.standard_normal(6), people, [VALUES] * 6, splits=20) for _ in range(200)]
    assert np.mean([each.p_value <= 0.025 for each in found]) <= 0.05  # binomial: .025 + 2.3 errors


@pytest.mark.parametrize(("n_surveys", "has_interval"), [(9, False), (10, True)])
def test_below_ten_surveys_there_is_no_interval(n_surveys, has_interval):
    machine, people = surveys(n_surveys, 30, noise=0.3)
    found = attainment(machine, people, [VALUES] * n_surveys, splits=50)
    ends = [found.ratio.low, found.ratio.high, found.correlation.low, found.correlation.high]
    assert np.isfinite(ends).all() == has_interval
    assert np.isnan(ends).all() != has_interval
    means = [each.mean @ VALUES for each in people]
    assert found.correlation.value == pytest.approx(np.corrcoef(machine, means)[0, 1])
