"""The report says why a metric passed whose drift alone was not shown to be small."""

from dataclasses import replace

import pytest
from made_up import comparison

from semscale.drift.gate.decision import DriftTest, GateDecision, MeanShift, Outcome
from semscale.drift.gate.gate import decide
from semscale.drift.gate.settings import GateSettings
from semscale.report.drift import shift_notes


@pytest.fixture
def decision() -> GateDecision:
    return decide(comparison({"output_count": [0.0] * 30}), GateSettings(replicates=100))


def with_test(decision: GateDecision, **changed: object) -> GateDecision:
    test: DriftTest = replace(decision.tests[0], shift=MeanShift(-0.01, 0.04, 0.02), **changed)
    return replace(decision, tests=(test,))


def test_a_pass_by_shift_is_explained(decision):
    assert list(shift_notes(with_test(decision, bound=0.07, tolerance=0.05))) == [
        "number of outputs passes by its shift: what is more and what is less differ by at most 0.040 "
        "(tolerated: 0.050), and the drift is at most 0.070 (tolerated: 1.5 × 0.050)"
    ]


def test_other_tests_need_no_word(decision):
    assert not list(shift_notes(with_test(decision, bound=0.04, tolerance=0.05)))
    undecided = with_test(decision, bound=0.07, tolerance=0.05, outcome=Outcome.UNDECIDED)
    assert not list(shift_notes(undecided))
    assert not list(shift_notes(None))
