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
class CodeCurves:
    """Curves from the score of one code to its probability, fitted to m hand-coded answers.

    Attributes:
        calibration: the curve of all labels, and how well it holds.
        of_folds: curves of five folds, each fitted without one part of the labels; empty where there are too
            few.
        fold: shape (m,), the part that each answer is in; -1 for one without a score or a label.
    """

    calibration: CodeCalibration
    of_folds: tuple[PlattCurve, ...]
    fold: Integers

    def probability(self, scores: Floats) -> Floats:
        """Give the probability (n,) for scores (n,) by the curve of all labels; NaN without a curve."""
        curve = self.calibration.curve
        return np.full(len(scores), np.nan) if curve is None else curve.probability(scores)

    def held_out(self, scores: Floats, hand_coded: Integers) -> Floats:
        """Give what a corrected share is made of, shape (n,).

        For hand-coded answers it is the probability by a curve that was fitted without them, for others the
        mean of these curves; the score itself where there is no curve.

        Args:
            scores: shape (n,).
            hand_coded: shape (n,), place of each answer among the m hand-coded ones; -1 for others.

        References:
            Zrnic and Candes (2024), Cross-prediction-powered inference, doi 10.1073/pnas.2322083121.
        """
        if not self.of_folds:
            return scores
        found: Floats = np.mean([curve.probability(scores) for curve in self.of_folds], axis=0)
        fold = np.where(hand_coded < 0, -1, self.fold[hand_coded])
        for part, curve in enumerate(self.of_folds):
            found[fold == part] = curve.probability(scores[fold == part])
        return found


def calibrate_code(scores: Floats, hand: Floats, *, interval: float = 0.95, seed: int = 0) -> CodeCurves:
    """Fit Platt's curve of one code, and the curves of five folds for honest figures.

    Each person's code of an answer is one label; labels of one answer are never parted.

    Args:
        scores: shape (m,), of any scale; NaN where an answer has none.
        hand: shape (c, m), 1 given, 0 not, NaN where a person did not code; c may be 0.
        interval: coverage of the figures' intervals.
        seed: of the folds.

    References:
        Platt (1999), as ``fit_platt``.
    """
    person, row = np.nonzero(~np.isnan(hand) & ~np.isnan(scores))
    labels = hand[person, row]
    n_with, n_without = int((labels > _HALF).sum()), int((labels < _HALF).sum())
    rows_with, rows_without = (len(np.unique(row[labels == each])) for each in (1.0, 0.0))
    of_row: Integers = np.full(len(scores), -1, np.int64)
    if min(rows_with, rows_without) < FEWEST_OF_EACH:
        return CodeCurves(CodeCalibration(None, n_with, n_without, None, None), (), of_row)
    curve = fit_platt(scores[row], labels)
    fold = folds_of(len(row), groups=row, folds=FOLDS, seed=seed)
    of_row[row] = fold
    of_folds = tuple(
        fit_platt(scores[row[fold != part]], labels[fold != part]) for part in range(int(fold.max()) + 1)
    )
    fitted_without = np.empty(len(row))
    for part, one in enumerate(of_folds):
        fitted_without[fold == part] = one.probability(scores[row[fold == part]])
    figures = calibration_figures(
        fitted_without, labels, clusters=row.astype(np.int64), interval=interval, seed=seed
    )
    area = roc_area(scores[row][labels == 1], scores[row][labels == 0], interval=interval)
    return CodeCurves(CodeCalibration(curve, n_with, n_without, figures, area), of_folds, of_row)
