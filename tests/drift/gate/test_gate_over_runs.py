import numpy as np
import pytest
from made_up import comparison, spread_out, stored_comparison

from semscale.drift.gate.decision import Outcome
from semscale.drift.gate.gate import decide
from semscale.drift.gate.settings import GateSettings


def test_takes_the_evidence_of_all_runs():
    # Allowed is .1 + .05. Ten runs at .4: whoever stakes b gains 1 + b * (.4 / .15 - 1) a run.
    earlier = [stored_comparison({"match": 0.4}, day=day) for day in range(9)]
    made = comparison({"match": spread_out(0.4)}, reruns=[{"match": np.full(30, 0.1)}])
    decision = decide(made, GateSettings(over_runs=True, replicates=500), earlier=earlier)
    (sequence,) = decision.sequence
    assert len(sequence.losses) == len(sequence.evidence) == 10
    assert sequence.allowed == pytest.approx(0.15)
    (test,) = decision.tests
    assert test.p_adjusted == test.p_value == pytest.approx(1 / sequence.evidence[-1])
    assert decision.outcome is Outcome.FAIL


def test_a_single_very_bad_run_is_seen_by_its_items():
    # Allowed is .15: whoever stakes b gains 1 + b * (1 / .15 - 1) an item, 30 times.
    made = comparison({"match": spread_out(0.98)}, reruns=[{"match": np.full(30, 0.1)}])
    decision = decide(made, GateSettings(over_runs=True, replicates=500))
    assert decision.outcome is Outcome.FAIL
    assert decision.cautions == ()


def test_one_run_of_few_items_is_not_enough():
    # The worst that 2 items can be: the mean's 3.83 / 2, and .304 times the mean of (1 + 5.67 b) ** 2, 17.4.
    made = comparison({"match": [1.0, 0.9]}, reruns=[{"match": np.full(2, 0.1)}])
    decision = decide(made, GateSettings(over_runs=True, replicates=500))
    assert decision.outcome is Outcome.UNDECIDED
    assert decision.n_needed is None
    assert any("set a threshold" in caution for caution in decision.cautions)


def test_asks_whether_this_run_is_material():
    earlier = [stored_comparison({"match": 0.4}, day=day) for day in range(9)]
    losses = spread_out(0.1)
    made = comparison({"match": losses}, reruns=[{"match": losses}])
    decision = decide(made, GateSettings(over_runs=True, replicates=500), earlier=earlier)
    assert decision.sequence[0].is_significant
    assert decision.outcome is Outcome.PASS


def test_tests_groups_by_this_run():
    groups = {"topic": ["a"] * 30 + ["b"] * 30}
    losses = np.r_[np.zeros(30), spread_out(0.12)]  # .06 over all, where .05 are allowed: little evidence
    settings = GateSettings(by=("topic",), over_runs=True, replicates=500)
    tests = decide(comparison({"match": losses}, groups=groups), settings).tests
    assert [test.outcome for test in tests] == [Outcome.UNDECIDED, Outcome.PASS, Outcome.FAIL]
