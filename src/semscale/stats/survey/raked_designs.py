"""Designs with raked weights, whose standard errors know of the margins."""

from dataclasses import replace
from typing import get_args

import numpy as np

from semscale.errors import InputError
from semscale.stats.survey.margin_calibration import MarginCalibration, Regression
from semscale.stats.survey.raking import Raking, RakingTask, fitted_weights, reached_targets
from semscale.stats.survey.replicate_design import ReplicateDesign
from semscale.stats.survey.variances import AnyDesign
from semscale.types import Floats


def raked_design(design: AnyDesign, raking: Raking, *, regression: Regression = "weighted") -> AnyDesign:
    """Give a design the weights that it was raked to, and what the margins tell about its variances.

    Linearised variances then come from the residuals of a regression on the margins' categories, so that a
    margin itself has a standard error of 0. Replicate weights are raked one by one; with bounds, a row that
    counts c times in a replicate has c times the bounds there.

    Args:
        design: with the weights that raking started from.
        raking: ``rake(columns, targets, weights=design.weights)``.
        regression: of linearised variances: ``weighted`` with the weights of the start, as R's ``calibrate``
            has it, or ``plain``, as R's ``rake`` has it. Both are right in large samples.

    Raises:
        InputError: a raking of other weights, a design that is raked already, an unknown regression, or a
            replicate that cannot meet a margin (all three are named).

    References:
        Deville and Särndal (1992), JASA 87(418), 376-382, doi 10.1080/01621459.1992.10475217. Deville,
        Särndal and Sautory (1993), JASA 88(423), 1013-1020, doi 10.1080/01621459.1993.10476369.

    Example:
        >>> from semscale.stats.survey.design import SurveyDesign
        >>> from semscale.stats.survey.means import survey_means
        >>> from semscale.stats.survey.raking import rake
        >>> design = SurveyDesign(np.ones(4))
        >>> raking = rake({"sex": ["f", "f", "f", "m"]}, {"sex": {"f": 2, "m": 2}}, weights=design.weights)
        >>> means = survey_means([1.0, 1.0, 1.0, 0.0], raked_design(design, raking))
        >>> means.values.tolist(), means.standard_errors.round(6).tolist()  # the share of f is given
        ([[0.5]], [[0.0]])
    """
    if not np.array_equal(design.weights, raking.task.start):
        raise InputError("raking must start from the design's weights: rake(..., weights=design.weights)")
    if isinstance(design, ReplicateDesign):
        replicates = np.column_stack(
            [
                _raked_replicate(weights, place, raking)
                for place, weights in enumerate(np.asarray(design.replicates).T)
            ]
        )
        return replace(design, weights=raking.weights, replicates=replicates, degrees=design.df)
    if design.calibration is not None:
        raise InputError("the design is raked already: give all margins to one raking")
    if regression not in get_args(Regression):
        raise InputError(f"regression must be {' or '.join(get_args(Regression))}, got {regression!r}")
    importance = raking.task.start if regression == "weighted" else np.ones(design.n)
    calibration = MarginCalibration(raking.task.margins, raking.weights, importance)
    return replace(design, weights=raking.weights, calibration=calibration)


def _raked_replicate(weights: Floats, place: int, raking: Raking) -> Floats:
    """Rake one replicate; it may miss a margin only where all rows together do."""
    task: RakingTask = raking.task.for_replicate(weights)
    found, _ = fitted_weights(task)
    worst = reached_targets(found, task)[0]
    if raking.converged and abs(worst.target - worst.reached) > task.tolerance * task.total:
        raise InputError(
            f"replicate {place + 1:,} cannot meet margin {worst.margin!r}: category {worst.category!r} "
            f"reaches {worst.reached:.6g}, and its target is {worst.target:.6g}; join categories or widen "
            "the bounds"
        )
    return found
