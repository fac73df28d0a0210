"""Mean of all rated texts, corrected by people's ratings of some of them."""

from dataclasses import replace

import numpy as np

from semscale.rating.human.values import laid_on
from semscale.stats.calibration.prediction_powered import (
    FEWEST_LABELS,
    CorrectedMean,
    prediction_powered_mean,
)
from semscale.stats.calibration.sample_design import SampleDesign
from semscale.stats.calibration.weighted_prediction_powered import weighted_prediction_powered_mean
from semscale.types import Floats

TOO_FEW = f"a corrected mean needs {FEWEST_LABELS} labels or more"


def corrected_mean(
    means: Floats,
    table: Floats,
    values: Floats,
    *,
    design: SampleDesign | None = None,
    human_range: tuple[float, float] | None = None,
    interval: float = 0.95,
) -> CorrectedMean | None:
    """Correct the mean of the ratings by people's; ``None`` where every rated text has a label, or none.

    Args:
        means: shape (n,), of the ratings; NaN where there is none.
        table: shape (n, raters), people's ratings; NaN where nobody was asked. Texts with one must be a
            random sample of those with a rating, drawn with the probabilities of ``design``.
        values: shape (k,), of the scale's points.
        design: weights, probabilities of a label and respondents, shape (n,) each; all texts count alike and
            each by itself unless given.
        human_range: lowest and highest value that people could give; the scale's own unless given.
        interval: coverage to aim at, between 0 and 1.

    Returns:
        The corrected mean in the scale's units, NaN with fewer than 3 labels; ``None`` also where people's
        values do not fit the scale.

    References:
        Angelopoulos et al. (2023), doi 10.1126/science.adi6000.

    Example:
        >>> means = np.array([2.0, 3.0, 4.0, 3.0, 2.0, 4.0])
        >>> table = np.array([[1.0], [2.0], [3.0], [np.nan], [np.nan], [np.nan]])
        >>> round(corrected_mean(means, table, np.arange(1.0, 6.0)).value, 6)
        2.0
    """
    labels = labels_on(table, values, human_range)
    return None if labels is None else corrected_by(labels, means, values, design=design, interval=interval)


def labels_on(table: Floats, values: Floats, human_range: tuple[float, float] | None = None) -> Floats | None:
    """Give each text the mean of people's ratings in the scale's units; ``None`` where these do not fit.

    Args:
        table: shape (n, raters), people's ratings; NaN where nobody was asked.
        values: shape (k,), of the scale's points.
        human_range: lowest and highest value that people could give; the scale's own unless given.

    Returns:
        Shape (n,), within the scale; NaN where nobody was asked.

    Example:
        >>> labels_on(np.array([[0.0, 1.0], [1.0, np.nan]]), np.arange(1.0, 6.0), (0, 1)).tolist()
        [3.0, 5.0]
    """
    masses = laid_on(table, values, human_range)
    if masses is None:
        return None
    means = np.clip(masses @ values, values[0], values[-1])
    return np.where(np.isnan(table).all(axis=1), np.nan, means)


def corrected_by(
    labels: Floats,
    means: Floats,
    values: Floats,
    *,
    design: SampleDesign | None = None,
    interval: float = 0.95,
) -> CorrectedMean | None:
    """Correct the mean of the ratings as ``corrected_mean`` does, by labels in the scale's units.

    Args:
        labels: shape (n,), as ``labels_on`` gives them.
        means: shape (n,), of the ratings; NaN where there is none.
        values: shape (k,), of the scale's points.
        design: weights, probabilities of a label and respondents.
        interval: coverage to aim at, between 0 and 1.

    Example:
        >>> corrected_by(np.array([1.0, 2.0]), np.array([2.0, 2.0]), np.arange(1.0, 6.0)) is None
        True
    """
    labelled, rated = ~np.isnan(labels), ~np.isnan(means)
    if not (rated & labelled).any() or not (rated & ~labelled).any():
        return None
    bounds = (float(values[0]), float(values[-1]))
    if design is None or design.is_plain:
        found = prediction_powered_mean(means, labels, bounds=bounds, interval=interval)
    else:
        found = weighted_prediction_powered_mean(
            means, labels, bounds=bounds, design=design, interval=interval
        )
    return found if found.n_labelled >= FEWEST_LABELS else replace(found, value=np.nan, note=TOO_FEW)
