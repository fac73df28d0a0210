"""Scores of cells by reference, and their differences in pairs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semscale.drift.asking import ItemToAsk
from semscale.drift.matrix.cells import CellAnswers, gives_nothing, text_of
from semscale.guards.registry import Guards
from semscale.matching.matcher import match_with
from semscale.matching.pairs import PairMethod
from semscale.signature import Signature
from semscale.stats.drift_tests import paired_means
from semscale.stats.intervals import IntervalPlan, MeanEstimate, simultaneous
from semscale.types import Floats, Progress


@dataclass(frozen=True)
class ReferenceScores:
    """Scores of k cells for n items, by their references.

    Attributes:
        values: shape (k, n); 0 for a refusal or an empty answer, NaN where the call failed, or where there is
            no reference or no score.
        bounds: least and greatest score that there can be.
        signature: what was applied.
    """

    values: Floats
    bounds: tuple[float, float]
    signature: Signature


def reference_scores(
    found: Sequence[CellAnswers],
    items: Sequence[ItemToAsk],
    method: PairMethod,
    *,
    guards: Guards | None = None,
    progress: Progress | None = None,
) -> ReferenceScores:
    """Match each output with its item's reference.

    All outputs are matched in one go, so that they are scored alike. A refusal and an empty answer score 0,
    so that a model gains nothing by being silent; a call that failed has no score. An item that was asked
    several times has the mean of its scores.

    Args:
        found: k cells' answers.
        items: n items, some with a reference.
        method: matches pairs of texts.
        guards: look at every pair.
        progress: called while texts are matched.
    """
    predictions, references, places, nothing = [], [], [], []
    for k, one in enumerate(found):
        for asked in () if one.answers is None else one.answers.asked:
            for n, answer in enumerate(asked):
                predictions.append(text_of(answer))
                references.append(items[n].reference)
                places.append((k, n))
                nothing.append(_has_reference(items[n]) and gives_nothing(answer, items[n].reference))
    matches = match_with(method, predictions, references, guards=guards, progress=progress)
    sums, counts = np.zeros((2, len(found), len(items)))
    at = tuple(np.array(places).T)
    scores = np.where(nothing, 0.0, matches.score)
    known = ~np.isnan(scores)
    np.add.at(sums, at, np.where(known, scores, 0.0))
    np.add.at(counts, at, known)
    values = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return ReferenceScores(values, matches.bounds, matches.signature)


def best_by_score(scores: Floats) -> int | None:
    """Find the cell with the greatest mean over the items that all cells with a score have.

    Args:
        scores: shape (k, n).

    Returns:
        Its number from 0; ``None`` where no cell has a score, or no item is scored in all of them.

    Example:
        >>> best_by_score(np.array([[0.2, 0.9], [0.4, np.nan], [np.nan, np.nan]]))
        1
    """
    live = np.flatnonzero(~np.isnan(scores).all(axis=1))
    shared = ~np.isnan(scores[live]).any(axis=0)
    if not len(live) or not shared.any():
        return None
    return int(live[np.argmax(scores[live][:, shared].mean(axis=1))])


def differences_from(
    scores: Floats, best: int, bounds: tuple[float, float], plan: IntervalPlan
) -> tuple[MeanEstimate | None, ...]:
    """Estimate how far each cell's scores lie below those of the best one, over the items that both have.

    The intervals hold for all pairs of cells together (Bonferroni), so that the best cell may be the one that
    turned out best.

    Args:
        scores: shape (k, n).
        best: number of the best cell.
        bounds: least and greatest score.
        plan: how intervals are made, with the coverage of all of them together.

    Returns:
        k mean differences, below 0 where a cell is worse; ``None`` for the best cell itself and for cells
        without any score.
    """
    live = np.flatnonzero(~np.isnan(scores).all(axis=1)).tolist()
    others = [place for place in live if place != best]
    width = bounds[1] - bounds[0]
    gaps = (scores[others] - scores[best]).T
    limits = np.tile([-width, width], (len(others), 1))
    means = paired_means(gaps, bounds=limits, plan=simultaneous(plan, len(live)))
    found = dict(zip(others, (one.mean for one in means), strict=True))
    return tuple(found.get(place) for place in range(len(scores)))


def _has_reference(item: ItemToAsk) -> bool:
    return item.reference is not None and bool(item.reference.strip())
