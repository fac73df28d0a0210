"""How many more reruns narrow the bound below the tolerance, by hand."""

import pytest

from semscale.drift.gate.equivalence import DriftBound
from semscale.drift.gate.more_reruns import reruns_needed


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
