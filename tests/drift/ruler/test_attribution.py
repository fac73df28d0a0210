"""What moved, by hand for every case; whole runs through the gate are in test_attributed_gates.py."""

import pytest
from made_up import comparison, spread_out
from made_up_checks import a_check

from semscale.drift.gate.decision import Outcome
from semscale.drift.gate.drift_summary import DriftSummary
from semscale.drift.gate.gate import decide
from semscale.drift.ruler.attribution import Moved, ruler_step, what_moved, with_ruler

CASES = [
    (Outcome.FAIL, "kept", Moved.SYSTEM),
    (Outcome.PASS, "kept", Moved.NEITHER),
    (Outcome.UNDECIDED, "kept", None),
    (None, "kept", None),
    (Outcome.FAIL, "moved", Moved.BOTH),
    (Outcome.PASS, "moved", Moved.RULER),
    (Outcome.UNDECIDED, "moved", Moved.RULER),
    (None, "moved", Moved.RULER),
    (Outcome.FAIL, "new", None),
    (Outcome.PASS, "new", None),
]


@pytest.mark.parametrize(("outcome", "status", "moved"), CASES)
def test_what_moved(outcome, status, moved):
    assert what_moved(outcome, a_check(status)) is moved


def decided(loss):
    found = comparison(
        {"match": spread_out(loss), "silence": [0.0] * 30},
        reruns=[{"match": spread_out(0.03), "silence": [0.0] * 30}] * 3,
    )
    return found, decide(found)


def test_a_pass_becomes_undecided_and_a_failure_stays():
    _, passed = decided(0.03)
    _, failed = decided(0.5)
    assert (passed.outcome, failed.outcome) == (Outcome.PASS, Outcome.FAIL)
    assert with_ruler(passed, a_check("moved")).outcome is Outcome.UNDECIDED
    assert with_ruler(failed, a_check("moved")).outcome is Outcome.FAIL
    for status in ("kept", "new"):
        assert with_ruler(passed, a_check(status)) == passed


def test_the_next_step_says_first_that_the_ruler_moved():
    found, passed = decided(0.03)
    check = a_check("moved")
    summary = DriftSummary(found, with_ruler(passed, check), ruler=check)
    assert summary.next_step == ruler_step()
    assert summary.next_step.startswith("The ruler moved, so this comparison cannot be trusted: ")
    assert summary.moved is Moved.RULER
    assert summary.stored.outcome == "undecided"
    found, failed = decided(0.5)
    both = DriftSummary(found, with_ruler(failed, check), ruler=check)
    assert both.next_step.startswith(f"{ruler_step()}. The gate failed besides: match drifted")
    assert both.moved is Moved.BOTH
    kept = DriftSummary(found, failed, ruler=a_check("kept"))
    assert kept.next_step == DriftSummary(found, failed).next_step
    assert kept.moved is Moved.SYSTEM
    assert DriftSummary(found, failed).moved is None
