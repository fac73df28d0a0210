"""Athena's figures for every submission, from a comparison of drift."""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from semscale.drift.measure.assignment import align_by_position
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.losses import number_loss
from semscale.drift.measure.measured import AlignedPair
from semscale.drift.runs.run_texts import number_of
from semscale.types import Floats

_F1, _CREDITS, _FIELD = "bertscore_f1", "credits_difference", "credits"


@dataclass(frozen=True)
class ItemFigures:
    """Figures of n submissions.

    Attributes:
        bertscore_f1: shape (n,); NaN if neither side has feedback.
        credit_drift: shape (n,); NaN if neither side has feedback. ``None`` if the baseline has no credits.
    """

    bertscore_f1: Floats
    credit_drift: Floats | None


def item_figures(comparison: Comparison, pairing: str) -> ItemFigures:
    """Compute the figures of each submission.

    Args:
        comparison: a comparison that was measured with the same pairing.
        pairing: with ``position``, feedback without a partner is dropped, like in Athena; otherwise it has
            the worst loss. A submission without feedback from one side has the worst figures in both cases.
    """
    f1 = 1 - comparison.losses(_F1)
    credit = comparison.losses(_CREDITS).copy() if _CREDITS in comparison.metrics else None
    if pairing != "position":
        return ItemFigures(f1, credit)
    for item, pairs in _together(comparison).items():
        f1[item] = np.mean(np.nan_to_num([pair.scores[_F1] for pair in pairs]))
        if credit is not None:
            credit[item] = _credit_drift(comparison, item, pairs)
    return ItemFigures(f1, credit)


def _together(comparison: Comparison) -> dict[int, list[AlignedPair]]:
    found = defaultdict(list)
    for pair in comparison.measured.pairs:
        if pair.baseline is not None and pair.candidate is not None:
            found[pair.item].append(pair)
    return found


def _credit_drift(comparison: Comparison, item: int, pairs: list[AlignedPair]) -> float:
    ours, theirs = (
        comparison.baseline.items[item].outputs_with_text,
        comparison.candidate.items[item].outputs_with_text,
    )
    before = np.array([number_of(ours[pair.baseline or 0], _FIELD) for pair in pairs])
    after = np.array([number_of(theirs[pair.candidate or 0], _FIELD) for pair in pairs])
    places = align_by_position(len(pairs), len(pairs))
    return number_loss(before, after, places, comparison.metrics[_CREDITS].span)
