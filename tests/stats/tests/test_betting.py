import numpy as np
import pytest

from semscale.errors import InputError
from semscale.stats.tests.betting import capital, run_evidence


def test_one_value_by_hand():
    # Shares are spread evenly, .5 on average: 1 + .5 * (.5 / .1 - 1) = 3
    np.testing.assert_allclose(capital(np.array([0.5]), 0.1), [3.0])


def test_two_values_by_hand():
    # Mean of (1 + 4 b) ** 2 = 1 + 8 * .5 + 16 * mean(b ** 2); 100 midpoints: 1 / 3 - 1 / 120000 = .333325
    np.testing.assert_allclose(capital(np.array([0.5, 0.5]), 0.1), [3.0, 10.3332])


def test_capital_is_lost_and_evidence_never_falls():
    # A loss of 0 leaves a gambler of share b with 1 - b: .5 on average, then a third.
    np.testing.assert_allclose(capital(np.array([0.0, 0.0]), 0.1), [0.5, 0.333325])
    found = run_evidence(np.array([0.5, 0.5, 0.0, 0.0]), np.empty(0), 0.1)
    np.testing.assert_allclose(found, [1.1079271, 3.4889344, 3.4889344, 3.4889344], rtol=1e-6)
    np.testing.assert_array_equal(run_evidence(np.zeros(3), np.empty(0), 0.1), np.ones(3))


def test_a_run_without_a_value_changes_nothing():
    whole = capital(np.array([0.5, np.nan, 0.5]), 0.1)
    np.testing.assert_allclose(whole, [3.0, 3.0, 10.3332])


def test_there_is_no_evidence_against_what_is_always_so():
    np.testing.assert_array_equal(capital(np.ones(50), 1.0), np.ones(50))


def test_much_evidence_stays_finite():
    assert np.isfinite(capital(np.ones(5000), 0.01)).all()


@pytest.mark.parametrize(("values", "allowed"), [([0.5], 0.0), ([0.5], -1.0), ([1.2], 0.5), ([-0.1], 0.5)])
def test_refuses_what_it_cannot_bet_on(values, allowed):
    with pytest.raises(InputError, match="must"):
        capital(np.array(values), allowed)


def test_false_alarms_stay_rare_however_often_one_looks():
    # The hypothesis at its very edge, where 1 in 20 paths may ever reach 20; 400 paths: standard error .011.
    rng = np.random.default_rng(0)
    paths = (rng.random((400, 300)) < 0.2).astype(np.float64)
    alarms = np.mean([capital(path, 0.2).max() >= 20 for path in paths])
    assert alarms <= 0.05 + 3 * 0.011


def test_the_last_capital_does_not_depend_on_the_order():
    values = np.array([0.9, 0.0, 0.3, np.nan, 0.1])
    np.testing.assert_allclose(capital(values, 0.2)[-1], capital(values[::-1], 0.2)[-1])


def test_evidence_of_a_run_and_its_items_by_hand():
    # w(1) = 6 / pi ** 2 = .6079271 is bet on the mean and becomes three times as much, the rest is kept: half
    # of 2.2158542. And half of w(1) times the items' 10.3332, 3.1409162.
    found = run_evidence(np.array([0.5]), np.array([0.5, 0.5, np.nan]), 0.1)
    np.testing.assert_allclose(found, [4.2488433], rtol=1e-6)


def test_evidence_of_two_runs_by_hand():
    # From the first run on w(1) * 10.3332, from the second on w(2) * 3 with w(2) = .1519818, and .2400911
    # kept: half of 6.9778688; and half of w(2) times the item's 3.0.
    found = run_evidence(np.array([0.5, 0.5]), np.array([0.5]), 0.1)
    np.testing.assert_allclose(found, [1.1079271, 3.4889344 + 0.2279727], rtol=1e-6)


def test_a_drift_that_sets_in_late_is_seen():
    # Twenty runs of four times what is allowed after 200 good ones, by which bets from the start are lost.
    means = np.r_[np.full(200, 0.05), np.full(20, 0.4)]
    assert run_evidence(means, np.empty(0), 0.1)[-1] > 1000
    assert capital(means, 0.1)[-1] < 20


def test_a_run_without_a_mean_adds_nothing_to_the_evidence():
    whole = run_evidence(np.array([0.5, np.nan, 0.5]), np.empty(0), 0.1)
    np.testing.assert_allclose(whole, [1.1079271, 1.1079271, 3.4889344], rtol=1e-6)


def test_evidence_of_runs_keeps_its_promise_at_the_edge():
    rng = np.random.default_rng(1)
    paths = (rng.random((400, 200)) < 0.2).astype(np.float64)
    alarms = np.mean([run_evidence(path, np.empty(0), 0.2)[-1] >= 20 for path in paths])
    assert alarms <= 0.05 + 3 * 0.011


def test_one_very_bad_run_is_seen_at_once():
    assert run_evidence(np.array([0.1, 0.1, 1.0]), np.ones(30), 0.5)[-1] > 1000


def test_false_alarms_stay_rare_over_runs_of_the_same_items():
    # The hypothesis at its edge: 20 items of a population with mean .2, which lose alike in each of 60 runs.
    rng = np.random.default_rng(0)
    datasets = (rng.random((400, 20)) < 0.2).astype(np.float64)
    days = (1, 2, 5, 20, 60)
    alarms = [any(run_evidence(np.full(t, 0.2), items, 0.2)[-1] >= 20 for t in days) for items in datasets]
    assert np.mean(alarms) <= 0.05 + 3 * 0.011
