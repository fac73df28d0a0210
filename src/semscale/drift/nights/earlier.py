"""Earlier comparisons with a baseline, with the scores of their items in the baseline's order."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from semscale.drift.measure.comparison import Comparison
from semscale.drift.nights.counted_nights import counted_nights
from semscale.drift.nights.series import measured_alike
from semscale.drift.runs import match_items
from semscale.history.runs import Run
from semscale.history.stored_comparison import StoredComparison

if TYPE_CHECKING:
    from semscale.history.history import History


def load_earlier(history: "History", baseline: Run) -> list[StoredComparison]:
    """Load the comparisons with a baseline, each with the scores of all the baseline's items.

    Args:
        history: where they are kept.
        baseline: with all its items.

    Returns:
        The oldest first. An item that a candidate lacked has NaN.
    """
    return [_with_scores(history, baseline, one) for one in history.comparisons(baseline_id=baseline.id)]


def load_nights(history: "History", baseline: Run, comparison: Comparison) -> list[StoredComparison]:
    """Load the comparisons that show the noise: those measured alike, and of these ``counted_nights``.

    Args:
        history: where they are kept.
        baseline: with all its items.
        comparison: the candidate's.

    Returns:
        As of ``load_earlier``.
    """
    alike = measured_alike(comparison, history.comparisons(baseline_id=baseline.id))
    return [_with_scores(history, baseline, one) for one in counted_nights(alike, baseline)]


def _with_scores(history: "History", baseline: Run, one: StoredComparison) -> StoredComparison:
    scores = history.scores(one.id)
    if not one.is_complete:
        places = list(match_items(baseline, history.run(one.candidate_id)).positions)
        for name, of_common in scores.items():
            scores[name] = np.full(len(baseline.items), np.nan)
            scores[name][places] = of_common
    return replace(one, scores=scores)
