"""A metric passes by a bound of its drift, or by bounds of its shift and its scatter."""

from dataclasses import replace

import numpy as np
import pytest
from made_up import comparison, run

from semscale.drift.gate.decision import Outcome
from semscale.drift.gate.equivalence import DriftBound, equivalence
from semscale.drift.gate.gate import decide
from semscale.drift.gate.passing import PassTest, ShiftBound, shift_bound
from semscale.drift.gate.records import test_record as record_of_test
from semscale.drift.gate.settings import GateSettings
from semscale.drift.measure.roles import drifts_of_losses, drifts_of_pairs
from semscale.history.items import Item, Output

FEW = GateSettings(replicates=100)


def bound(upper):
    return DriftBound(sd=0.1, bound=upper, p_value=0.5)


@pytest.mark.parametrize(
    ("drift", "more", "fewer", "passes"),
    [
        (0.09, 0.2, 0.2, True),  # the drift alone
        (0.14, 0.09, 0.09, True),  # no shift of .1, and less than 1.5 times .1
        (0.16, 0.09, 0.09, False),
        (0.14, 0.11, 0.09, False),
        (0.14, 0.09, 0.11, False),
    ],
)
def test_a_metric_passes_by_its_drift_or_by_shift_and_scatter(drift, more, fewer, passes):
    shift = ShiftBound(0.0, bound(more), bound(fewer))
    assert PassTest(0.05, bound(drift), 0.1, shift).passes is passes


def test_without_a_shift_only_the_drift_counts():
    assert PassTest(0.05, bound(0.09), 0.1).passes
    assert not PassTest(0.05, bound(0.11), 0.1).passes
    assert shift_bound(None, 0.1, 0.05) is None
    assert shift_bound(np.full((3, 2), np.nan), 0.1, 0.05) is None


def test_each_side_of_a_shift_is_tested_at_half_of_alpha():
    rows = drifts_of_losses(np.random.default_rng(0).normal(0.0, 0.1, (30, 4)))
    found = shift_bound(rows, 0.1, 0.05).found
    sides = [equivalence(sign * rows, 0.1, 0.025) for sign in (1, -1)]
    assert found.mean == pytest.approx(rows[:, 0].mean())
    assert found.bound == max(side.bound for side in sides)
    assert found.p_value == pytest.approx(2 * max(side.p_value for side in sides))


def test_the_fewest_items_are_those_of_the_cheaper_way():
    # Sizes by tolerance and level: of the drift alone 50; of scatter 20, of the shift's two sides 30 and 40.
    needed = {(0.1, 0.05, 0.05): 50, (0.05, 0.15, 0.05): 20, (0.01, 0.1, 0.025): 30, (-0.01, 0.1, 0.025): 40}
    drift_alone = {(0.05, 0.1, 0.05): 50}

    def size(mean, found, tolerance, alpha):
        return (needed | drift_alone)[round(mean, 3), round(tolerance, 3), alpha]

    test = PassTest(0.05, bound(0.2), 0.1, ShiftBound(0.01, bound(0.2), bound(0.2)))
    assert test.fewest(size, 0.05) == 40
    assert PassTest(0.05, bound(0.2), 0.1).fewest(size, 0.05) == 50
    needed[-0.01, 0.1, 0.025] = None  # one side that no number decides
    assert test.fewest(size, 0.05) == 50


def listed(counts):
    return tuple(
        Item(f"item-{at}", tuple(Output(f"Answer {one}.") for one in range(count)))
        for at, count in enumerate(counts)
    )


def compared(candidate, rerun):
    """30 items with three outputs each: the baseline; candidate and rerun have so many."""
    runs = [np.array(one) for one in (candidate, [3] * 30, rerun)]

    def loss(one, other):
        return {"output_count": np.abs(one - other) / np.maximum(one, other)}

    made = comparison(loss(runs[0], runs[1]), reruns=[loss(runs[2], runs[1])])
    between = ((replace(made.measured, losses=loss(runs[2], runs[0])),),)
    return replace(
        made,
        candidate=replace(run(30), items=listed(runs[0])),
        baseline=replace(run(30), items=listed(runs[1])),
        rerun_items=(listed(runs[2]),),
        between=between,
    )


RERUN = [3] * 26 + [2] * 2 + [4] * 2


def test_lists_that_became_longer_and_shorter_alike_pass():
    (test,) = decide(compared([2] * 2 + [4] * 2 + [3] * 26, RERUN), FEW).tests
    assert test.bound > test.tolerance
    assert (test.outcome, test.passed_by_shift) == (Outcome.PASS, True)
    # Two items each lose 1/3 and gain 1/4; where the rerun differs, the mean of the others is 5/6 or 7/8 of
    # the longest list, and candidate 1 or 3/4: 1/6 and -1/8.
    assert test.shift.mean == pytest.approx(2 * (-1 / 3 + 1 / 4 + 1 / 6 - 1 / 8) / 30)
    assert record_of_test(test)["shift"]["bound"] == test.shift.bound


def test_lists_that_only_became_shorter_do_not():
    (test,) = decide(compared([2] * 4 + [3] * 26, RERUN), FEW).tests
    assert test.outcome is Outcome.UNDECIDED
    assert not test.passed_by_shift


def test_a_fields_shift_counts_only_beside_the_number_of_outputs():
    losses = {"output_count": np.full(30, 0.01), "credits_difference": np.full(30, 0.01)}
    for metrics, known in ((None, True), (("credits_difference",), False)):
        tests = decide(comparison(losses), FEW.model_copy(update={"metrics": metrics})).tests
        assert (tests[-1].shift is not None) is known


def unlike(counts):
    """Drifts and shifts of items with counts of shape (n, k), the candidate first."""
    pairs = np.abs(counts[:, :, None] - counts[:, None, :])
    greater = np.maximum(counts[:, :, None], counts[:, None, :])
    return drifts_of_pairs(pairs / greater), drifts_of_losses(counts / counts.max(axis=1, keepdims=True))


def share_that_passes(rng, *, lost, gained, tolerance, draws=1500):
    """Items with three outputs; each other run has one more or one fewer at 7 % of the items."""
    passed = 0
    for _ in range(draws):
        counts = 3.0 + rng.choice([-1, 0, 1], p=[0.035, 0.93, 0.035], size=(30, 5))
        counts[:, 0] = 3.0 + rng.choice([-1, 0, 1], p=[lost, 1 - lost - gained, gained], size=30)
        drifts, shifts = unlike(counts)
        drift, shift = equivalence(drifts, tolerance, 0.05), shift_bound(shifts, tolerance, 0.05)
        passed += PassTest(drifts[:, 0].mean(), drift, tolerance, shift).passes
    return passed / draws


def true_drift(rng, lost, gained):
    counts = 3.0 + rng.choice([-1, 0, 1], p=[0.035, 0.93, 0.035], size=(100_000, 5))
    counts[:, 0] = 3.0 + rng.choice([-1, 0, 1], p=[lost, 1 - lost - gained, gained], size=100_000)
    return unlike(counts)[0][:, 0].mean()


@pytest.mark.exhaustive
@pytest.mark.parametrize(("lost", "gained", "times"), [(0.25, 0.0, 1.0), (0.0, 0.3, 1.0), (0.2, 0.2, 1.5)])
def test_few_pass_whose_shift_or_scatter_is_just_what_is_tolerated(lost, gained, times):
    # One direction at the tolerance: .05 is asked, and a second way to pass costs up to .02. Both ways alike,
    # at 1.5 times the tolerance: .05 at most.
    rng = np.random.default_rng(3)
    tolerance = true_drift(rng, lost, gained) / times
    assert share_that_passes(rng, lost=lost, gained=gained, tolerance=tolerance) < 0.08
