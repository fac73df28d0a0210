"""How many more items or reruns bring the bound below the tolerance, by hand."""

import numpy as np
import pytest

from semscale.drift.gate.equivalence import DriftBound, equivalence
from semscale.drift.sizing.sizes_needed import items_to_pass, reruns_needed


def needed(drift, sd, tolerance, *, reruns=1):
    return reruns_needed(drift, DriftBound(sd, 0.0, 0.5), 30, reruns=reruns, tolerance=tolerance, alpha=0.05)


@pytest.mark.parametrize(("tolerance", "more"), [(0.060, 1), (0.057, 2), (0.052, 12), (0.050, None)])
def test_only_the_part_of_the_references_shrinks(tolerance, more):
    # t(.95, 39) * .2 / sqrt(30) = 1.6849 * .036515 = .061523 with one rerun, whose variance is 1 + 1 / 2 of
    # the candidate's part. One more: sqrt((4 / 3) / 1.5) of it, .058004. Two: sqrt((5 / 4) / 1.5), .056162.
    # Eleven: sqrt((14 / 13) / 1.5), .052129; twelve: sqrt((15 / 14) / 1.5), .051996. Never below
    # sqrt(1 / 1.5), .050233.
    assert needed(0.0, 0.2, tolerance) == more


def test_a_drift_beyond_the_tolerance_is_not_narrowed_away():
    assert needed(0.07, 0.2, 0.06) is None
    assert needed(0.0, float("nan"), 0.06) is None


def test_items_to_pass_have_the_bound_of_the_gate():
    # 2 of 20 items lose 1, and so do 2 of 20 in each further twenty: mean .1, spread and skewness stay
    # about what they are: the gate passes with as many twenties as the formula says, give or take one.
    drifts = np.array([1.0] * 2 + [0.0] * 18)[:, None]
    needed_items = items_to_pass(0.1, equivalence(drifts, 0.15, 0.05), tolerance=0.15, alpha=0.05)
    passing = next(
        times for times in range(1, 100) if equivalence(np.tile(drifts, (times, 1)), 0.15, 0.05).bound < 0.15
    )
    assert 20 * (passing - 1) <= needed_items <= 20 * (passing + 1)


def test_skewness_takes_more_items_than_the_t_test():
    # Without it t(.95, 12) / sqrt(13) = 1.7823 / 3.6056 = .4943 < .5. With 2 it is
    # (1.7823 + 2 (1 + 2 * 1.7823 ** 2) / (6 sqrt(13))) / sqrt(13) = .4943 + .1886.
    still = DriftBound(1.0, 0.0, 0.5, further_freedom=0)
    skewed = DriftBound(1.0, 0.0, 0.5, skewness=2.0, further_freedom=0)
    assert items_to_pass(0.0, still, tolerance=0.5, alpha=0.05) == 13
    assert skewed.excess(1.0, 13, 0.05) == pytest.approx(0.4943 + 0.1886, abs=1e-4)
    assert items_to_pass(0.0, skewed, tolerance=0.5, alpha=0.05) > 13


def test_no_number_of_items_passes_a_drift_at_the_tolerance():
    found = DriftBound(1.0, 0.0, 0.5)
    assert items_to_pass(0.5, found, tolerance=0.5, alpha=0.05) is None
    assert items_to_pass(0.0, DriftBound(float("nan"), 0.0, 0.5), tolerance=0.5, alpha=0.05) is None
    assert items_to_pass(0.0, DriftBound(0.0, 0.0, 0.5), tolerance=0.5, alpha=0.05) == 2
