"""A judge's distributions beside people's labels: the error of their means, and their calibration."""

from dataclasses import dataclass

import numpy as np

from semscale.judging.human_labels import mean_labels, nearest
from semscale.judging.verdicts import Verdicts
from semscale.stats.agreement.estimates import AgreementEstimate
from semscale.stats.agreement.kappa import weighted_kappa
from semscale.stats.calibration.calibration_error import CalibrationFigures, calibration_figures
from semscale.stats.calibration.proper_scores import ranked_probability_scores
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.intervals.means import MeanEstimate, estimate_mean
from semscale.types import Floats

_BOUNDS = (0.0, 1.0)
_SEVERAL = 2


@dataclass(frozen=True)
class BesidePeople:
    """A judge beside people on the same items.

    Attributes:
        less: mean of expected score less mean label, -1 to 1.
        off: mean distance of expected score and mean label, 0 to 1.
        kappa: quadratic weighted kappa of both at the nearest level.
        rps: mean ranked probability score of the distributions, 0 (best) to 1; a proper score, so that a
            judge who is sure and wrong pays more than one who is unsure. ``None`` without levels, and for a
            rubric of several criteria, whose mixture is no distribution of the combined score.
        calibration: of the mass of each item's most likely level, which should be how often people say that
            level; ``None`` likewise, and with fewer than two labelled items.
    """

    less: MeanEstimate
    off: MeanEstimate
    kappa: AgreementEstimate
    rps: MeanEstimate | None
    calibration: CalibrationFigures | None


def beside_people(verdicts: Verdicts, labels: Floats, plan: IntervalPlan) -> BesidePeople:
    """Compare verdicts with people's labels.

    Args:
        verdicts: on n items.
        labels: shape (n, raters), from 0 to 1, NaN where there is none.
        plan: how intervals are made.
    """
    mean, levels = mean_labels(labels), verdicts.template.scores
    gaps = verdicts.expected - mean
    kappa = weighted_kappa(
        nearest(verdicts.expected, levels), nearest(mean, levels), interval=plan.interval, seed=plan.seed
    )
    rps = calibration = None
    if verdicts.template.levels and len(verdicts.criteria) < _SEVERAL:
        scores = ranked_probability_scores(verdicts.pmf, shares_of_levels(labels, levels))
        rps = estimate_mean(scores, bounds=_BOUNDS, plan=plan)
        calibration = level_calibration(verdicts.pmf, nearest(mean, levels), levels, plan)
    return BesidePeople(
        estimate_mean(gaps, bounds=(-1.0, 1.0), plan=plan),
        estimate_mean(np.abs(gaps), bounds=_BOUNDS, plan=plan),
        kappa,
        rps,
        calibration,
    )


def level_calibration(
    pmf: Floats, people: Floats, levels: Floats, plan: IntervalPlan
) -> CalibrationFigures | None:
    """Say whether the mass of the most likely level is how often people say that level.

    Args:
        pmf: shape (n, k), rows sum to 1; NaN where there is no verdict. Of equal masses the lowest
            level counts.
        people: shape (n,), the level that people say; NaN where there is none.
        levels: shape (k,), ascending.
        plan: how intervals are made.

    Returns:
        Figures over the items with both; ``None`` for fewer than two.

    References:
        Guo, Pleiss, Sun and Weinberger (2017), On Calibration of Modern Neural Networks, arXiv 1706.04599,
        equation 3: the expected calibration error of the predicted class.

    Example:
        >>> pmf = np.array([[0.2, 0.8], [0.2, 0.8], [0.2, 0.8], [0.2, 0.8], [0.8, 0.2]])
        >>> found = level_calibration(
        ...     pmf, np.array([1.0, 1, 1, 0, 0]), np.array([0.0, 1]), IntervalPlan()
        ... )
        >>> round(found.error, 6)
        0.0
    """
    known = ~np.isnan(pmf).any(axis=1) & ~np.isnan(people)
    if known.sum() < _SEVERAL:
        return None
    stated = levels[pmf[known].argmax(axis=1)]
    right = (stated == people[known]).astype(np.float64)
    return calibration_figures(pmf[known].max(axis=1), right, interval=plan.interval, seed=plan.seed)


def shares_of_levels(labels: Floats, levels: Floats) -> Floats:
    """Give the share of each item's labels at each level, each label at the nearest one.

    Args:
        labels: shape (n, raters), NaN where there is none.
        levels: shape (k,), ascending.

    Returns:
        Shape (n, k), rows sum to 1; NaN without a label.

    Example:
        >>> shares_of_levels(np.array([[1.0, 0.9], [np.nan, np.nan]]), np.array([0.0, 1.0])).tolist()
        [[0.0, 1.0], [nan, nan]]
    """
    known = ~np.isnan(labels)
    at = np.stack([nearest(column, levels) for column in labels.T], axis=1)
    counts = (at[:, :, None] == levels[None, None, :]).sum(axis=1).astype(np.float64)
    n = known.sum(axis=1, keepdims=True)
    return np.where(n > 0, counts / np.maximum(n, 1), np.nan)
