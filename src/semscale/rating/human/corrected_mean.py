"""Mean of all rated texts, corrected by people's ratings of some of them."""

import numpy as np

from semscale.rating.human.values import laid_on
from semscale.stats.calibration.prediction_powered import CorrectedMean, prediction_powered_mean
from semscale.stats.calibration.sample_design import SampleDesign
from semscale.stats.calibration.weighted_prediction_powered import weighted_prediction_powered_mean
from semscale.types import Floats


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
        The corrected mean in the scale's units; ``None`` also where people's values do not fit the scale.

    References:
        Angelopoulos et al. (2023), doi 10.1126/science.adi6000.

    Example:
        >>> means = np.array([2.0, 3.0, 4.0, 3.0, 2.0, 4.0])
        >>> table = np.array([[1.0], [2.0], [3.0], [np.nan], [np.nan], [np.nan]])
        >>> round(corrected_mean(means, table, np.arange(1.0, 6.0)).value, 6)
        2.0
    """
    labelled, rated = ~np.isnan(table).all(axis=1), ~np.isnan(means)
    if not (rated & labelled).any() or not (rated & ~labelled).any():
        return None
    masses = laid_on(table, values, human_range)
    if masses is None:
        return None
    labels = np.where(labelled, masses @ values, np.nan)
    bounds = (float(values[0]), float(values[-1]))
    labels = np.clip(labels, *bounds)
    if design is None or design.is_plain:
        return prediction_powered_mean(means, labels, bounds=bounds, interval=interval)
    return weighted_prediction_powered_mean(means, labels, bounds=bounds, design=design, interval=interval)
