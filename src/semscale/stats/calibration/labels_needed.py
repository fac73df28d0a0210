"""How many labels give a mean a wanted half-width, with a judge and without."""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from semscale.errors import InputError
from semscale.stats.agreement.correlations import pearson
from semscale.stats.calibration.prediction_powered import FEWEST_LABELS, checked_labels
from semscale.stats.intervals.resampling import check_interval
from semscale.stats.testing.bisection import smallest_enough
from semscale.types import Floats

_MOST_LABELS = 10**9


@dataclass(frozen=True)
class LabelsNeeded:
    """How many labels are needed in all, those of the pilot included.

    Attributes:
        half_width: of the interval that is aimed at.
        corrected: labels for a corrected mean; ``None`` where labelling every item would not be enough.
        labels_only: labels for a mean of labels, of any number of items.
        explained: share of the labels' variance that the judge explains, 0 to 1, allowing for the size of the
            pilot.
        n_pilot: labels that this was found from.
        n_items: items that the judge scores.
        n_left_out: items without a score.
        note: why there is no number.
    """

    half_width: float
    corrected: int | None
    labels_only: int | None
    explained: float
    n_pilot: int
    n_items: int
    n_left_out: int
    note: str | None = None


def labels_needed(  # noqa: PLR0913 - what is planned
    scores: Floats,
    labels: Floats,
    *,
    half_width: float,
    bounds: tuple[float, float],
    n_items: int | None = None,
    interval: float = 0.95,
) -> LabelsNeeded:
    """Find how many labels a half-width needs, from a pilot of some labels.

    With n labels among T scored items the corrected mean has the variance s2 / n * (1 - R2 * (T - n) / T),
    the mean of labels s2 / n; s2 is the variance of labels and R2 the share of it that scores explain. The
    half-width is a t quantile times the root.

    Args:
        scores: shape (n,), the judge's; NaN where it has none.
        labels: shape (n,), of the pilot; NaN where there is none.
        half_width: above 0, on the labels' scale.
        bounds: least and greatest label that there can be.
        n_items: how many items will be scored; those that have a score here unless given.
        interval: coverage to aim at, between 0 and 1.

    Raises:
        InputError: as ``prediction_powered_mean``, a half-width that is not above 0, or fewer items than
            labels.

    References:
        The variance of prediction-powered inference at its best tuning, arXiv 2311.01453, section 6.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> truth = rng.uniform(size=1000)
        >>> judge = truth + 0.1 * rng.normal(size=1000)
        >>> pilot = np.where(np.arange(1000) < 50, truth, np.nan)
        >>> needed = labels_needed(judge, pilot, half_width=0.02, bounds=(0, 1))
        >>> needed.corrected < needed.labels_only / 2
        True
    """
    scores, labels = checked_labels(scores, labels, bounds)
    check_interval(interval)
    if not 0 < half_width < np.inf:
        raise InputError(f"half_width must be above 0, got {half_width}")
    scored = ~np.isnan(scores)
    both = scored & ~np.isnan(labels)
    n, total = int(both.sum()), int(scored.sum()) if n_items is None else n_items
    if total < n:
        raise InputError(f"n_items must be at least the {n} items of the pilot, got {total}")
    left_out = int((~scored).sum())
    variance = float(labels[both].var(ddof=1)) if n >= FEWEST_LABELS else 0.0
    if not variance > 0:
        few = f"a pilot needs {FEWEST_LABELS} labels or more that vary"
        return LabelsNeeded(half_width, None, None, np.nan, n, total, left_out, few)
    explained = _explained(scores[both], labels[both])

    def wide(labelled: int, freedom: int, share: float) -> bool:
        quantile = stdtrit(max(freedom, 1), (1 + interval) / 2)
        return bool(quantile * np.sqrt(variance / labelled * (1 - share)) > half_width)

    alone = smallest_enough(lambda k: not wide(k, k - 1, 0.0), FEWEST_LABELS, _MOST_LABELS)
    corrected = smallest_enough(
        lambda k: not wide(k, k - 2, explained * (total - k) / total), FEWEST_LABELS, total
    )
    note = None if corrected else f"labels for all {total} items would not be enough: score more items"
    return LabelsNeeded(half_width, corrected, alone, explained, n, total, left_out, note)


def _explained(scores: Floats, labels: Floats) -> float:
    """R squared, adjusted for the slope and the mean that it was found with."""
    n = len(scores)
    r = pearson(scores, labels)
    return 0.0 if np.isnan(r) else max(0.0, 1 - (1 - r**2) * (n - 1) / (n - 2))
