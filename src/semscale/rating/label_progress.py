"""Figures that a person's labels show so far, and when to stop labelling.

r is Pearson's correlation of ratings and labels, with the interval of a comparison with people. The error is
half of the interval of the corrected mean, and ``ExpectedWidth`` forecasts it for more labels. So a page can
show after each label the figures that a run with these labels reports.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.rating.expected import DOUBTFUL
from semscale.stats.correlations import pearson_estimate
from semscale.stats.further_labels import STEP, ExpectedWidth, enough_labels
from semscale.stats.intervals import Estimate
from semscale.stats.sampling import SampleDesign, validate_inclusion
from semscale.types import Floats

FEWEST_LABELS = 10
"""Number of labels below which neither figure is stated."""

MOST_ERROR = 0.05
"""Error of the mean that is small enough, as a share of the scale's length."""

_LEAST_DISTANCE = 0.1
"""Distance of r from ``DOUBTFUL``, in Fisher's z, that is not worth the labels to show it."""

_LARGEST_R = 0.999999  # whose Fisher's z is finite

_NOT_KNOWN = Estimate(math.nan, math.nan, math.nan)


@dataclass(frozen=True)
class LabelProgress:
    """Figures that labels show so far.

    Attributes:
        n: number of labelled texts with a rating.
        r: Pearson's r of ratings and labels with its interval; NaN for fewer than 10 labels, or if all
            ratings or all labels are equal.
        error: half of the interval of the corrected mean, in the scale's values; NaN for fewer than 10
            labels, or if the interval is the whole scale.
        more: number of further labels until the error is at most 5 % of the scale's length, or falls by less
            than half a percent with 25 more, and until r is clearly above or below .3, if r stays as it is;
            0 for enough.
        expected_error: the error to expect after that many further labels; NaN if the error is not known.
    """

    n: int
    r: Estimate
    error: float
    more: int
    expected_error: float = math.nan

    @property
    def is_enough(self) -> bool:
        """True if the mean is precise enough, and it is clear whether the scale measures its construct."""
        return self.more == 0

    @property
    def has_figures(self) -> bool:
        """True if there are enough labels for figures."""
        return self.n >= FEWEST_LABELS

    @property
    def advice(self) -> str:
        """Sentences on when to stop."""
        return f"{self.next_step} {self.so_far}".strip()

    @property
    def next_step(self) -> str:
        """Sentence on whether to go on, and why."""
        texts = "text" if self.more == 1 else "texts"
        if not self.has_figures:
            return f"Label {self.more} more {texts} to see what the scale measures."
        if not self.is_enough:
            return f"Label about {self.more:,} more {texts}{self._gain}."
        if self.r.high < DOUBTFUL:
            return (
                "Stop: the scale hardly measures its construct here; use the corrected mean only "
                f"({self._figures})."
            )
        return f"These labels are enough: {self._figures}."

    @property
    def so_far(self) -> str:
        """Sentence with the figures, if more labels are needed; empty if there are none yet."""
        return f"So far, {self._figures}." if self.has_figures and not self.is_enough else ""

    @property
    def _gain(self) -> str:
        """What further labels bring; empty if that is not known."""
        gains = []
        if round(self.expected_error, 2) < round(self.error, 2):
            gains.append(f"the corrected mean will be known to about ± {self.expected_error:.2f}")
        if self.r.low <= DOUBTFUL <= self.r.high:
            gains.append("it will be clear whether the scale measures its construct here")
        return f": then {', and '.join(gains)}" if gains else ""

    @property
    def _figures(self) -> str:
        r = "their correlation with ratings is not known, as ratings or labels are all equal"
        error = "the corrected mean is not known"
        if not math.isnan(self.r.value):
            value, low, high = (f"{end:z.2f}" for end in (self.r.value, self.r.low, self.r.high))
            r = f"labels and ratings correlate by r = {value} ({low} to {high}; 1 is perfect)"
        if not math.isnan(self.error):
            error = f"the corrected mean is known to ± {self.error:.2f}"
        return f"{r}, and {error}"

    def record(self) -> dict[str, Any]:
        """Return the figures by name, for JSON."""
        return {**vars(self), "advice": self.advice}


def label_progress(
    ratings: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    n_texts: int,
    length: float,
    inclusion: npt.ArrayLike | None = None,
    weights: Floats | None = None,
) -> LabelProgress:
    """Compute what the labels show so far.

    The ratings of texts without a label may be left out, which is faster: the ratings of the labelled texts
    then stand for them. With the ratings of all texts, the error is that of the corrected mean.

    Args:
        ratings: shape (n,), ratings of labelled texts, with or without those of others; NaN without one.
        labels: shape (n,), labels of the same texts in the scale's values; NaN without one.
        n_texts: number N of all texts.
        length: the scale's highest minus its lowest value.
        inclusion: shape (n,), probability with which each text was drawn, above 0 to 1; equal by default.
        weights: shape (n,), weights of the texts; equal by default.

    Raises:
        InputError: columns of different lengths, fewer texts than labels, or a wrong probability.

    Examples:
        >>> label_progress([1.0, 2.0], [1.0, 3.0], n_texts=100, length=4).advice
        'Label 8 more texts to see what the scale measures.'
    """
    rated, labelled = (np.asarray(column, dtype=np.float64) for column in (ratings, labels))
    if len(rated) != len(labelled):
        raise InputError(f"ratings and labels must be equally many, got {len(rated)} and {len(labelled)}")
    both = ~np.isnan(rated) & ~np.isnan(labelled)
    n = int(both.sum())
    if n > n_texts:
        raise InputError("n_texts", f"must be at least the number of labels, got {n_texts} for {n}")
    design = SampleDesign(
        weights=weights,
        inclusion=None if inclusion is None else validate_inclusion(inclusion, ~np.isnan(labelled)),
    )
    if n < FEWEST_LABELS:
        return progress_from(n, _NOT_KNOWN, None, length)
    bounds = _widest_bounds(rated[both], labelled[both], length)
    width = ExpectedWidth.from_labels(rated, labelled, bounds=bounds, design=design)
    width = None if width is None else replace(width, n_items=n_texts)
    r = pearson_estimate(rated[both], labelled[both], weights=design.some(both).expanded)
    return progress_from(n, r, width, length)


def progress_from(n: int, r: Estimate, width: ExpectedWidth | None, length: float) -> LabelProgress:
    """Decide from r and the expected width whether n labels are enough.

    Args:
        n: number of labelled texts with a rating.
        r: Pearson's r with its interval.
        width: expected width of the corrected mean; ``None`` if its interval is the whole scale.
        length: the scale's highest minus its lowest value.
    """
    if n < FEWEST_LABELS:
        return LabelProgress(n, _NOT_KNOWN, math.nan, FEWEST_LABELS - n)
    clear = _labels_for_clear_r(r, n)
    if width is None:
        return LabelProgress(n, r, math.nan, max(clear - n, STEP))
    enough = min(max(clear, _labels_for_error(width, n, length)), width.n_items)
    return LabelProgress(n, r, width.half(n), max(enough - n, 0), width.half(max(enough, n)))


def _labels_for_clear_r(r: Estimate, n: int) -> int:
    """Return the number of labels with which the interval of r lies on one side of ``DOUBTFUL``.

    In Fisher's z, the interval narrows with the root of the number of labels.

    References:
        Fisher (1921): On the "probable error" of a coefficient of correlation. Metron 1, 3-32.
    """
    if math.isnan(r.low) or not r.low <= DOUBTFUL <= r.high:
        return n
    low, value, high = (
        math.atanh(max(-_LARGEST_R, min(end, _LARGEST_R))) for end in (r.low, r.value, r.high)
    )
    distance = value - math.atanh(DOUBTFUL)
    half = value - low if distance > 0 else high - value
    return math.ceil(n * (half / max(abs(distance), _LEAST_DISTANCE)) ** 2)


def _labels_for_error(width: ExpectedWidth, n: int, length: float) -> int:
    """Return the least number of labels, n or more, with a small error, or from which it hardly falls."""
    flat = enough_labels(lambda size: width.half(size) / length, n, width.n_items) or width.n_items
    few, enough = n - 1, flat
    while enough - few > 1:
        middle = (few + enough) // 2
        few, enough = (middle, enough) if width.half(middle) > MOST_ERROR * length else (few, middle)
    return enough


def _widest_bounds(rated: Floats, labelled: Floats, length: float) -> tuple[float, float]:
    """Return bounds that contain those of the scale, if ratings and labels are in its values."""
    least = min(float(rated.min()), float(labelled.min()))
    greatest = max(float(rated.max()), float(labelled.max()))
    return min(greatest - length, least), max(least + length, greatest)
