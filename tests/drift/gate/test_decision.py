"""How many items would decide an undecided gate."""

import pytest

from semscale.drift.gate.decision import DriftTest, GateDecision, Outcome
from semscale.signature import Signature


def drift_test(outcome, n_needed, group=None):
    return DriftTest("match", group, 0.1, None, None, 0.05, 0.1, 0.1, False, True, outcome, n_needed)


def n_needed(*tests):
    return GateDecision(Outcome.UNDECIDED, tests, (), (), (), Signature.of("drift")).n_needed


@pytest.mark.parametrize(
    ("tests", "needed"),
    [
        ([(Outcome.UNDECIDED, 40), (Outcome.UNDECIDED, 90), (Outcome.PASS, None)], 90),
        ([(Outcome.UNDECIDED, 40), (Outcome.UNDECIDED, None)], None),  # no number would decide the second
        ([(Outcome.UNDECIDED, 40), (Outcome.UNDECIDED, 500, ("topic", "a"))], 40),  # groups do not count
        ([(Outcome.PASS, None)], None),
    ],
)
def test_the_most_that_a_test_over_all_items_needs(tests, needed):
    assert n_needed(*(drift_test(*test) for test in tests)) == needed
