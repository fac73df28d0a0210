from dataclasses import replace

import numpy as np
import pytest
from made_up import comparison, stored_comparison

from semscale.drift.gate.settings import GateSettings
from semscale.drift.nights.sequence import (
    reference_error,
    sequence_tests,
)

SIGNATURE = stored_comparison({"match": 0.1}).signature


def test_losses_allowed_and_evidence_by_hand():
    # Rerun and baseline lose nothing to each other. Without noise there is only Bernstein's term: half of
    # alpha, ln(1 / .025) / (3 * 2 items * 2 runs) = 3.6889 / 12 = .3074. Stakes reach 1 / .3074, half of it
    # on average: the first run is one value, 1 + 1.6265 * (.5 - .3074) = 1.3132, of which half is bet.
    made = comparison({"match": [0.4, 0.6]}, reruns=[{"match": [0.0, 0.0]}])
    assert made.reference_variance("match") == pytest.approx((0.4**2 + 0.6**2) / 2 / 2)
    quiet = comparison({"match": [0.0, 0.0]}, reruns=[{"match": [0.0, 0.0]}])
    (test,) = sequence_tests(quiet, [stored_comparison({"match": 0.5})], {"match": 0.05}, GateSettings())
    assert test.losses == (0.5, 0.0)
    assert test.allowed == pytest.approx(0.3074, abs=1e-4)
    assert test.evidence[0] == pytest.approx((1.3132 + 1) / 2, abs=1e-4)
    assert test.p_adjusted == 1.0


def test_the_noise_of_reruns_widens_what_is_allowed():
    # One rerun, compared with the baseline alone: half of the variance of drift, here of .2 and -.2. Bound at
    # .025 is 1.96 * sqrt(.04 / 2 / 30), and Bernstein's term 3.6889 / (3 * 30 * 2).
    losses, rerun = np.full(30, 0.3), np.full(30, 0.1)
    made = comparison({"match": losses}, reruns=[{"match": rerun}])
    bound = 1.95996 * (0.04 / 2 / 30) ** 0.5 + 3.68888 / 180
    assert reference_error(made, "match", 0.025) == pytest.approx(bound, rel=1e-4)
    (test,) = sequence_tests(made, [], {"match": 0.05}, GateSettings())
    assert test.allowed == pytest.approx(0.1 + bound, rel=1e-4)


def test_items_of_earlier_runs_reveal_more_than_their_mean():
    rerun = {"match": np.full(30, 0.1)}
    made = comparison({"match": np.full(30, 0.3)}, reruns=[rerun])
    known = [stored_comparison({"match": 0.3}, day=day, scores={"match": np.full(30, 0.3)}) for day in (1, 2)]
    by_mean = [stored_comparison({"match": 0.3}, day=day) for day in (1, 2)]
    with_items, without = (
        sequence_tests(made, series, {"match": 0.05}, GateSettings())[0] for series in (known, by_mean)
    )
    assert with_items.evidence[-1] > 100 * without.evidence[-1]


def test_fields_are_measured_by_their_worst_case_and_metrics_adjusted_together():
    # Without a rerun the margin is allowed, .25 of 2.5: .1. 1.25 is .5, an item and a run before. By hand in
    # test_betting: 10.3332 / 2 + 3 / 6 + 1 / 3 = 5.9999, with a quarter of alpha; there are two metrics.
    made = comparison({"match": [0.0], "credits_difference": [1.25]})
    before = [stored_comparison({"match": 0.0, "credits_difference": 1.25})]
    tests = sequence_tests(made, before, {"match": 0.05, "credits_difference": 0.25}, GateSettings())
    assert tests[1].evidence[-1] == pytest.approx(5.99993, rel=1e-5)
    assert tests[1].p_adjusted == pytest.approx(1.0)  # 2 * 4 / 6 is more
    assert tests[0].p_adjusted == 1.0


def test_losses_beyond_the_worst_case_count_as_the_worst_case():
    made = comparison({"credits_difference": [9.0]})
    (test,) = sequence_tests(made, [], {"credits_difference": 0.25}, GateSettings())
    # 1 + 5 * (1 - .1) = 5.5, of which half is bet.
    assert test.losses == (9.0,)
    assert test.evidence == pytest.approx(((5.5 + 1) / 2,))


def test_runs_without_the_metric_add_nothing():
    made = comparison({"match": [np.nan]})
    (test,) = sequence_tests(made, [stored_comparison({"silence": 0.1})], {"match": 0.05}, GateSettings())
    assert np.isnan(test.losses).all()
    assert (test.evidence, test.p_adjusted) == ((1.0, 1.0), 1.0)


def test_reruns_without_a_value_allow_nothing_to_be_shown():
    made = comparison({"match": [0.9]}, reruns=[{"match": [np.nan]}])
    (test,) = sequence_tests(made, [], {"match": 0.05}, GateSettings())
    assert (test.evidence, test.is_significant) == ((1.0,), False)


def noisy_nights(n_bad: int, n: int = 30) -> tuple:
    """Five good nights, then bad ones: the reruns vary so much that they hide a drift of .15."""
    rng = np.random.default_rng(0)
    own = rng.uniform(0.0, 0.4, n)
    nights = [own + rng.uniform(0.0, 0.1, n) + (0.15 if night >= 5 else 0.0) for night in range(5 + n_bad)]
    rerun = {"match": np.where(np.arange(n) % 2, 0.0, 0.5)}
    made = comparison({"match": nights[-1]}, reruns=[rerun])
    days = enumerate(nights[:-1])
    return made, [
        stored_comparison({"match": one.mean()}, day=day, scores={"match": one}) for day, one in days
    ]


def test_a_drift_that_sets_in_is_seen_beside_the_nights_before_it():
    made, series = noisy_nights(n_bad=3)
    (test,) = sequence_tests(made, series, {"match": 0.05}, GateSettings())
    assert test.mean_loss < test.allowed  # beside the reruns nothing shows
    assert test.is_significant
    means = [replace(kept, scores={}) for kept in series]
    assert not sequence_tests(made, means, {"match": 0.05}, GateSettings())[0].is_significant


def test_nights_that_are_alike_are_no_evidence():
    made, series = noisy_nights(n_bad=0)
    (test,) = sequence_tests(made, series, {"match": 0.05}, GateSettings())
    assert test.evidence[-1] < 5


def test_evidence_among_runs_by_hand():
    # Six items are worse in the second run than in the first: p = 1 / 64. Half of the capital is multiplied
    # by the mean of s * 64 ** (1 - s) over s of .025 to .975, as in test_betting. Without a rerun the margin
    # of .9 is allowed, so that the other bets lose; the first run's mean, without its items, says nothing.
    made = comparison({"match": [0.4] * 6})
    before = [
        stored_comparison({"match": 0.9}, day=0),
        stored_comparison({"match": 0.1}, day=1, scores={"match": np.full(6, 0.1)}),
    ]
    (test,) = sequence_tests(made, before, {"match": 0.9}, GateSettings())
    gain = np.mean([s * 64 ** (1 - s) for s in np.arange(0.025, 1, 0.05)])
    assert test.evidence == pytest.approx((1.0, 1.0, gain / 2 + 0.5))
