"""Which earlier nights show the noise: runs of the baseline's model against the same baseline and reruns."""

from collections.abc import Sequence

import numpy as np

from semscale.drift.gate.decision import Outcome
from semscale.drift.measure.comparison import Comparison
from semscale.drift.nights.night_drifts import EarlierNights
from semscale.history.runs import Run, hashed
from semscale.history.stored_comparison import StoredComparison

MOST_NIGHTS = 30
"""The latest nights that count."""


def counted_nights(comparisons: Sequence[StoredComparison], baseline: Run) -> list[StoredComparison]:
    """Select the latest comparisons that show the noise of the baseline's model.

    Runs of other models show that of others, and a run that failed shows damage.

    Args:
        comparisons: of one series, in any order; each candidate's last one, so that a run that failed at last
            does not count by an earlier comparison.
        baseline: the approved run.

    Returns:
        At most 30, in the order of time.
    """
    of_model = [kept for kept in comparisons if kept.model == baseline.model and kept.outcome != Outcome.FAIL]
    return sorted(of_model, key=lambda kept: kept.compared)[-MOST_NIGHTS:]


def earlier_nights(comparison: Comparison, series: Sequence[StoredComparison]) -> EarlierNights:
    """Lay out the drifts of earlier nights at the items that are compared now.

    Args:
        comparison: the candidate's.
        series: earlier comparisons, of ``series_before``; those without scores do not count.
    """
    counted = [kept for kept in counted_nights(series, comparison.baseline) if kept.scores]
    if not counted:
        return EarlierNights()
    drifts = {}
    for metric in comparison.metrics:
        expected = np.nan_to_num(comparison.expected(metric))
        of_metric = [kept.scores[metric] - expected for kept in counted if metric in kept.scores]
        if of_metric:
            drifts[metric] = np.array(of_metric)
    runs = [kept.candidate_digest or kept.candidate_id for kept in counted]
    return EarlierNights(drifts, f"{len(counted)}#{hashed(runs)}", len(counted))
