"""Forecasts: against binomial probabilities, and where there is none."""

from dataclasses import replace

import numpy as np
import pytest
from made_up import comparison, measured
from scipy.stats import binom

from semscale.drift.gate.decision import Outcome
from semscale.drift.gate.equivalence import equivalence
from semscale.drift.gate.gate import decide
from semscale.drift.gate.settings import GateSettings
from semscale.drift.nights.night_drifts import EarlierNights
from semscale.drift.sizing.forecast import SizeForecast, forecast

PLAIN = GateSettings(replicates=200, metrics=("contradictions",))


def lost_in(n_lost, n, rerun_lost=()):
    """Items of which some lost everything, with a rerun that lost others."""
    losses, rerun = np.zeros(n), np.zeros(n)
    losses[:n_lost] = 1.0
    rerun[list(rerun_lost)] = 1.0
    return comparison({"contradictions": losses}, reruns=[{"contradictions": rerun}])


def is_decided(n_lost, n):
    """Whether n items, of which some have the drift 1 and the others none, pass or fail at the margin .05."""
    roles = np.zeros((n, 2))
    roles[:n_lost] = (1.0, -1.0)
    passes = equivalence(roles, 0.05, 0.05).bound < 0.05
    return passes or (n_lost / n >= 0.05 and 0.5**n_lost / 2 < 0.05)


def test_the_items_that_decide_are_those_of_a_binomial_distribution():
    made = lost_in(1, 30)  # the mean .033 lies below the margin, and its bound above
    decision = decide(made, PLAIN)
    assert decision.outcome is Outcome.UNDECIDED
    found = forecast(made, decision)

    def share(size):
        """Of the further items, a binomial number lost everything, each with probability 1 / 30."""
        further = size - 30
        numbers = np.arange(further + 1)
        weights = binom.pmf(numbers, further, 1 / 30)
        return sum(weight for k, weight in zip(numbers, weights, strict=True) if is_decided(1 + k, size))

    assert found.items_needed is not None
    assert share(found.items_needed) == pytest.approx(0.8, abs=0.1)  # 200 draws: 3.5 standard errors
    assert share(found.items_needed // 2) < 0.8


def test_a_decided_gate_needs_nothing():
    still = lost_in(0, 24)
    assert forecast(still, decide(still, PLAIN)) is None


def test_without_a_rerun_or_with_few_items_nothing_can_be_simulated():
    alone = comparison({"contradictions": [1.0] + [0.0] * 23})
    assert decide(alone, PLAIN).outcome is Outcome.UNDECIDED
    assert forecast(alone, decide(alone, PLAIN)) is None
    few = lost_in(1, 9)
    assert forecast(few, decide(few, PLAIN)) is None


def test_a_rerun_may_decide_where_few_items_lost_all():
    # Three of 30 items lost everything beside one rerun: (1 / 3) ** 3 / 2 = .0185, where .01 is asked. With
    # m more reruns the probability is (1 / (3 + m)) ** 3 / 2, .0078 with one. They also vary by chance.
    made = lost_in(3, 30)
    made = replace(made, between=((measured({"contradictions": made.losses("contradictions")}),),))
    decision = decide(made, PLAIN.model_copy(update={"alpha": 0.01}))
    assert decision.tests[0].p_value == pytest.approx(1 / 3**3 / 2)
    assert decision.outcome is Outcome.UNDECIDED
    found = forecast(made, decision)
    assert found.more_reruns is not None
    assert found.more_reruns <= 4
    assert found.cheapest_words


def test_a_metric_that_no_rerun_has_cannot_be_simulated():
    made = lost_in(1, 30)
    decision = decide(made, PLAIN)
    assert forecast(made, decision) is not None
    alone = replace(made, reruns=(replace(made.reruns[0], losses={}),))
    assert forecast(alone, decision) is None


def test_noise_of_nights_counts_where_it_agrees_with_tonight_s():
    # Tonight's mean drift is .04 of at most .05, and items scatter by .1.
    scatter = np.where(np.arange(30) % 2, 0.1, -0.1)
    still = np.full(30, 0.2)
    made = comparison({"contradictions": still + 0.04 + scatter}, reruns=[{"contradictions": still}])
    decision = decide(made, PLAIN.model_copy(update={"noise_share": 0.0}))
    assert decision.outcome is Outcome.UNDECIDED
    without = forecast(made, decision)
    calm = np.tile(np.where(np.arange(30) % 2, 0.01, -0.01), (8, 1))
    for counted, fewer in ((0.0, False), (1.0, True)):
        test = replace(decision.tests[0], nights_as_reruns=counted)
        nights = EarlierNights({"contradictions": calm}, "8#0", 8)
        found = forecast(made, replace(decision, tests=(test,), nights=nights))
        # Half of the further items scatter a tenth as much, so that far fewer are enough.
        assert (found.items_needed < without.items_needed) is fewer


def test_nights_that_hardly_count_change_no_forecast():
    # The case above, with nights that are worth 3 millionths of a rerun.
    scatter = np.where(np.arange(30) % 2, 0.1, -0.1)
    still = np.full(30, 0.2)
    made = comparison({"contradictions": still + 0.04 + scatter}, reruns=[{"contradictions": still}])
    decision = decide(made, PLAIN.model_copy(update={"noise_share": 0.0}))
    calm = EarlierNights({"contradictions": np.tile(0.1 * scatter, (8, 1))}, "8#0", 8)
    test = replace(decision.tests[0], nights_as_reruns=3e-6)
    found = forecast(made, replace(decision, tests=(test,), nights=calm))
    assert found == forecast(made, decision)


def test_the_same_seed_gives_the_same_forecast():
    made = lost_in(1, 24)
    assert forecast(made, decide(made, PLAIN)) == forecast(made, decide(made, PLAIN))


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (SizeForecast(30, 1, 80, 2), "record 2 more reruns of the baseline (60 answers)"),
        (
            SizeForecast(30, 1, 80, 5),
            "record 5 more reruns of the baseline (150 answers)",
        ),  # as much as 50 items
        (SizeForecast(30, 1, 80, 6), "gather about 80 items (there are 30)"),
        (SizeForecast(30, 1, 1_200, None), "gather about 1,200 items (there are 30)"),
        (SizeForecast(30, 1, None, 1), "record 1 more rerun of the baseline (30 answers)"),
        (SizeForecast(30, 1, None, None), ""),
    ],
)
def test_the_cheaper_is_named(found, words):
    assert found.cheapest_words == words
