"""Refits of a calibration without a part of its labels each, which show how uncertain its fit is."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from semscale.rating.calibration.calibrators import Calibrator, MethodName, calibrator_of, fit_calibrator
from semscale.rating.calibration.predictors import Predictors
from semscale.stats.calibration.folds import folds_of
from semscale.types import Floats, Integers

REFITS = 20
"""Parts of the labelled texts, each of which one refit lacks; fewer where there are fewer texts or groups."""


def fit_without_parts(
    method: MethodName,
    predictors: Predictors,
    human: Floats,
    *,
    groups: Integers | None = None,
    seed: int = 0,
) -> tuple[Calibrator, ...]:
    """Fit a method again without each of 20 parts of the texts, equal texts and whole groups together.

    Args:
        method: which one; nothing is fitted, and there are no refits, for ``none``.
        predictors: of n texts.
        human: shape (n, k), shares of people's answers.
        groups: shape (n,), groups that stay together; equal texts unless given.
        seed: of the parting.
    """
    if method == "none":
        return ()
    together = predictors.distinct if groups is None else groups
    part = folds_of(len(predictors), groups=together, folds=REFITS, seed=seed)
    kept = (predictors.without(part == one) for one in np.unique(part))
    fits = (fit_calibrator(method, predictors.rows(rows), human[rows]) for rows in kept)
    return tuple(calibrator_of(method, _rounded(fit.record())) for fit in fits)


def _rounded(record: Mapping[str, Any]) -> dict[str, Any]:
    """Keep six digits of each number, which is far below its error and makes the file half as long."""
    return {
        name: [_six_digits(one) for one in value] if isinstance(value, list) else _six_digits(value)
        for name, value in record.items()
    }


def _six_digits(value: float) -> float:
    return float(f"{value:.6g}")
