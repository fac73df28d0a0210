"""Bets over runs: by hand, and their promise at the edge of the hypothesis."""

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.stats.testing.betting import p_value_evidence, run_evidence

pytestmark = pytest.mark.exhaustive


def run(*values):
    return np.array(values, dtype=np.float64)


def test_one_value_by_hand():
    # Stakes are spread evenly over 0 to 1 / .1, 5 on average: 1 + 5 * (.5 - .1) = 3; half is bet.
    np.testing.assert_allclose(run_evidence([run(0.5)], 0.1), [2.0])


def test_two_items_of_a_run_by_hand():
    # Mean of (1 + .4 b) ** 2 = 1 + .8 * 5 + .16 * mean(b ** 2); 100 midpoints of 0 to 10: 33.3325.
    np.testing.assert_allclose(run_evidence([run(0.5, np.nan, 0.5)], 0.1), [(10.3332 + 1) / 2])


def test_two_runs_by_hand():
    # From the first run on half of 10.3332; from the second on a sixth of 3; a third is kept.
    found = run_evidence([run(0.5), run(0.5)], 0.1)
    np.testing.assert_allclose(found, [2.0, 10.3332 / 2 + 3 / 6 + 1 / 3])


def test_values_below_0_have_smaller_stakes():
    # Stakes over 0 to 1 / (.1 + .9) = 1, .5 on average: 1 + .5 * .4 = 1.2.
    np.testing.assert_allclose(run_evidence([run(0.5)], 0.1, least=-0.9), [1.1])


def test_evidence_never_falls_and_starts_at_1():
    found = run_evidence([run(0.5), run(0.5), run(0.0), run(0.0)], 0.1)
    assert found[1] == found[2] == found[3]
    np.testing.assert_array_equal(run_evidence([run(0.0)] * 3, 0.1), np.ones(3))


def test_a_run_without_a_value_changes_nothing():
    whole = run_evidence([run(0.5), run(np.nan), run(0.5)], 0.1)
    np.testing.assert_allclose(whole, run_evidence([run(0.5), run(0.5)], 0.1)[[0, 0, 1]])


def test_there_is_no_evidence_against_what_is_always_so():
    np.testing.assert_allclose(run_evidence([run(1.0, 1.0)] * 50, 1.0), np.ones(50))


def test_much_evidence_stays_finite():
    assert np.isfinite(run_evidence([np.ones(5000)] * 3, 0.01)).all()


@pytest.mark.parametrize(("values", "allowed"), [([0.5], 0.0), ([0.5], -1.0), ([-0.1], 0.5)])
def test_refuses_what_it_cannot_bet_on(values, allowed):
    with pytest.raises(InputError, match="must"):
        run_evidence([run(*values)], allowed)


def test_false_alarms_stay_rare_over_200_runs_of_items_that_differ():
    # The hypothesis at its edge: 30 items that lose with probabilities of .02 to .6, .2 on average. 1 in 20
    # series may ever reach 20; 400 series: standard error .011.
    rng = np.random.default_rng(0)
    chances = np.linspace(0.02, 0.6, 30)
    chances *= 0.2 / chances.mean()
    series = [[(rng.random(30) < chances).astype(float) for _ in range(200)] for _ in range(400)]
    alarms = np.mean([run_evidence(runs, 0.2)[-1] >= 20 for runs in series])
    assert alarms <= 0.05 + 3 * 0.011


def test_a_drift_that_sets_in_late_is_seen():
    # Thirty runs of twice what is allowed after 100 good ones, by which bets from the start are lost.
    good, bad = np.r_[1.0, np.zeros(19)], np.r_[np.ones(4), np.zeros(16)]
    assert run_evidence([good] * 100, 0.1)[-1] < 2
    assert run_evidence([good] * 100 + [bad] * 30, 0.1)[-1] > 1000


def test_one_very_bad_run_is_seen_at_once():
    assert run_evidence([np.full(30, 0.1)] * 2 + [np.ones(30)], 0.5)[-1] > 1000


def test_bets_on_p_values_by_hand():
    # p = 1 gives each gambler its sharpness, .5 on average; half of the capital is bet, then a sixth.
    np.testing.assert_allclose(p_value_evidence([1.0]), [1.0])  # .25 + .5 is less than at the start
    gains = np.arange(0.025, 1, 0.05) * 100 ** (1 - np.arange(0.025, 1, 0.05))
    np.testing.assert_allclose(p_value_evidence([0.01]), [gains.mean() / 2 + 0.5])
    twice = ((gains / 2 + 1 / 6) * gains).mean() + 1 / 3
    np.testing.assert_allclose(p_value_evidence([0.01, 0.01])[-1], twice)


def test_uniform_p_values_rarely_raise_an_alarm():
    # At most .05 of series may ever reach 20: of 400, 34 or more have a probability below .002.
    series = np.random.default_rng(0).uniform(size=(400, 100))
    assert sum(p_value_evidence(one.tolist())[-1] >= 20 for one in series) < 34


def test_small_p_values_after_many_others_are_seen():
    assert p_value_evidence([0.6] * 50)[-1] < 2
    assert p_value_evidence([0.6] * 50 + [0.001] * 5)[-1] > 1000


def test_the_least_p_values_do_not_overflow():
    assert np.isfinite(p_value_evidence([1e-10] * 200)).all()


def test_without_a_p_value_there_is_no_evidence():
    assert p_value_evidence([]).shape == (0,)
