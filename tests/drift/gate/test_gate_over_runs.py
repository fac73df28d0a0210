import numpy as np
import pytest
from made_up import comparison, spread_out, stored_comparison

from semscale.drift.gate.decision import Outcome
from semscale.drift.gate.gate import decide
from semscale.drift.gate.settings import GateSettings


def test_takes_the_evidence_of_all_runs():
    # Ten runs whose mean of .4 is known, and the items of the last one.
    earlier = [stored_comparison({"match": 0.4}, day=day) for day in range(9)]
    made = comparison({"match": spread_out(0.4)}, reruns=[{"match": np.full(30, 0.1)}])
    decision = decide(made, GateSettings(over_runs=True, replicates=500), earlier=earlier)
    (sequence,) = decision.sequence
    assert len(sequence.losses) == len(sequence.evidence) == 10
    assert 0.1 < sequence.allowed < 0.25
    (test,) = decision.tests
    assert test.p_adjusted == test.p_value == pytest.approx(4 / sequence.evidence[-1])
    assert decision.outcome is Outcome.FAIL


def test_a_single_very_bad_run_is_seen_by_its_items():
    # Each of 30 items lost .88 more than its rerun, and about .3 more is allowed.
    made = comparison({"match": spread_out(0.98)}, reruns=[{"match": np.full(30, 0.1)}])
    decision = decide(made, GateSettings(over_runs=True, replicates=500))
    assert decision.outcome is Outcome.FAIL
    assert decision.cautions == ()


def test_one_run_of_few_items_is_not_enough():
    # Two items bring at most the square of what one brings, and of chance so much is allowed.
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
    # Half of the items drifted by .12: .06 over all. One run is too little evidence over runs, where about
    # as much is allowed as it drifted; by this run alone the group is beyond chance.
    groups = {"topic": ["a"] * 10 + ["b"] * 10}
    losses = np.r_[np.zeros(10), spread_out(0.12, n=10)]
    settings = GateSettings(by=("topic",), over_runs=True, replicates=500)
    made = comparison({"match": losses}, reruns=[{"match": np.zeros(20)}], groups=groups)
    tests = decide(made, settings).tests
    assert [test.outcome for test in tests] == [Outcome.UNDECIDED, Outcome.PASS, Outcome.FAIL]
