"""Scores of a code turned into its probability, by rows that people coded."""

from dataclasses import dataclass

import numpy as np

from semscale.stats.calibration.calibration_error import CalibrationFigures, calibration_figures
from semscale.stats.calibration.calibrators import PlattCurve, fit_platt
from semscale.stats.calibration.folds import FOLDS, folds_of
from semscale.stats.intervals.estimates import Estimate
from semscale.stats.intervals.roc_areas import roc_area
from semscale.types import Floats, Integers

FEWEST_OF_EACH = 5
"""Hand-coded answers with a code, and without it, that its calibration needs: each fold has one of each."""

_HALF = 0.5


@dataclass(frozen=True)
class CodeCalibration:
    """How the probability of one code was made, and how well it holds.

    Attributes:
        curve: from score to probability, of all labels; ``None`` where there are too few.
        n_with: hand-coded answers that have the code, by most people.
        n_without: that do not.
        figures: how well probabilities hold for answers that their curve was not fitted to; ``None`` without
            a curve.
        area: chance that an answer with the code has a higher score than one without it; ``None`` likewise.
    """

    curve: PlattCurve | None
    n_with: int
    n_without: int
    figures: CalibrationFigures | None
    area: Estimate | None


@dataclass(frozen=True)
class FittedCode:
    """Probabilities of one code.

    Attributes:
        probability: shape (n,), by the curve of all labels; NaN without a curve or a score.
        held_out: shape (n,), what a corrected share is made of: for hand-coded answers the probability by a
            curve that was fitted without them, for others the mean of these curves. The score itself where
            there is no curve.
        calibration: how they were made.
    """

    probability: Floats
    held_out: Floats
    calibration: CodeCalibration


def calibrate_code(scores: Floats, hand: Floats, *, interval: float = 0.95, seed: int = 0) -> FittedCode:
    """Fit Platt's curve of one code, and the curves of five folds for honest figures.

    Each person's code of an answer is one label; labels of one answer are never parted.

    Args:
        scores: shape (n,), of any scale; NaN where an answer has none.
        hand: shape (c, n), 1 given, 0 not, NaN where a person did not code; c may be 0.
        interval: coverage of the figures' intervals.
        seed: of the folds.

    References:
        Platt (1999), as ``fit_platt``. The curves of folds: Zrnic and Candes (2024), Cross-prediction-powered
        inference, doi 10.1073/pnas.2322083121.
    """
    person, row = np.nonzero(~np.isnan(hand) & ~np.isnan(scores))
    labels = hand[person, row]
    n_with, n_without = int((labels > _HALF).sum()), int((labels < _HALF).sum())
    rows_with, rows_without = (len(np.unique(row[labels == each])) for each in (1.0, 0.0))
    if min(rows_with, rows_without) < FEWEST_OF_EACH:
        nothing = CodeCalibration(None, n_with, n_without, None, None)
        return FittedCode(np.full(len(scores), np.nan), scores, nothing)
    curve = fit_platt(scores[row], labels)
    held_out, fitted_without = _by_folds(scores, labels, row, seed)
    figures = calibration_figures(
        fitted_without, labels, clusters=row.astype(np.int64), interval=interval, seed=seed
    )
    area = roc_area(scores[row][labels == 1], scores[row][labels == 0], interval=interval)
    made = CodeCalibration(curve, n_with, n_without, figures, area)
    return FittedCode(curve.probability(scores), held_out, made)


def _by_folds(scores: Floats, labels: Floats, row: Integers, seed: int) -> tuple[Floats, Floats]:
    """Give each answer (n,), and each label, its probability by curves that were fitted without it."""
    fold = folds_of(len(row), groups=row, folds=FOLDS, seed=seed)
    curves = [
        fit_platt(scores[row[fold != part]], labels[fold != part]) for part in range(int(fold.max()) + 1)
    ]
    held_out: Floats = np.mean([curve.probability(scores) for curve in curves], axis=0)
    for part, curve in enumerate(curves):
        inside = row[fold == part]
        held_out[inside] = curve.probability(scores[inside])
    return held_out, held_out[row]
