"""What a reader of a decision must know beside it."""

from collections.abc import Sequence

from semscale.drift.comparison import Comparison
from semscale.drift.decision import DriftTest
from semscale.history.runs import named
from semscale.stats.resampling import FEWEST_CLUSTERS


def gate_cautions(comparison: Comparison, tests: Sequence[DriftTest]) -> list[str]:
    """Name what weakens a decision: no rerun, few items, items and metrics without a value."""
    cautions = []
    n = len(comparison.baseline.items)
    if not comparison.reruns:
        cautions.append(
            "no rerun of the baseline: every difference counts as drift, chance ones, too; record the "
            "baseline's model once more as a rerun"
        )
    if n < FEWEST_CLUSTERS:
        cautions.append(f"only {n} items: with fewer than {FEWEST_CLUSTERS} little can be shown; add items")
    few = {
        f"{test.group[0]} {test.group[1]}"
        for test in tests
        if test.group is not None and test.drift.n < FEWEST_CLUSTERS
    }
    if few:
        cautions.append(f"groups with fewer than {FEWEST_CLUSTERS} items show little: {named(sorted(few))}")
    nothing = [test.metric for test in tests if test.group is None and test.drift.n == 0]
    if nothing:
        cautions.append(f"no item has a value, so that nothing can be decided: {named(nothing)}")
    left_out = max(
        (test.drift.n_left_out for test in tests if test.group is None and test.drift.n), default=0
    )
    if left_out:
        cautions.append(f"up to {left_out} of {n} items have no value in a metric and are left out of it")
    return cautions
