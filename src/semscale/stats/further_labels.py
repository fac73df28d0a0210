"""Expected widths of corrected means after further labels, and the number of labels that are worth it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from semscale.stats.intervals import t_half_width
from semscale.stats.prediction_powered import (
    PRIOR_LABELS,
    estimate_corrected_mean,
    freedom_after_tuning,
    labels_to_add,
    linearized_terms,
    validate_labels,
    weighted_items,
)
from semscale.stats.sampling import SampleDesign
from semscale.types import Floats

STEP = 25
"""Labels that are added at once when their gain is considered."""

LITTLE = 0.005
"""Narrowing of a half-width by ``STEP`` labels that counts as little, as a part of the scale's length."""


@dataclass(frozen=True)
class ExpectedWidth:
    """Expected half-width of the interval of a corrected mean, as a function of the number of labels.

    The variance of a corrected mean from n of N labels is that of ``prediction_powered_mean``:
    ``(var(y) - 2 t cov(y, f) + t**2 var(f)) / n + t**2 var(f) / (N - n)``, with labels y, scores f, and the
    tuning ``t = slope / (1 + n / (N - n))``, shrunk by four labels. The half-width is the quantile of
    t times the root. If all labels are at the bounds, the four labels that the interval adds count as well.

    Further labels are assumed to be drawn like the known ones, and scores not to change; scores that learn
    from the labels make the interval narrower.

    Attributes:
        value: the mean.
        label_variance: variance of the labels.
        score_variance: variance of the scores.
        correlation: correlation of labels and scores.
        n_items: number of items with a score, labelled or not.
        bounds: least and greatest possible label; the interval stays within.
        effective: effective number of labels by the number of labels, at most 1; below 1 for unequal weights.
        has_added: whether four labels at the bounds are added.
        factor: realised half-width by the formula's at the number of known labels.
        interval: nominal coverage.

    References:
        Angelopoulos, Duchi and Zrnic (2023), arXiv 2311.01453, section 6.

    Examples:
        With scores that say nothing, the half-width is that of the mean label:

        >>> width = ExpectedWidth(0.0, 0.25, 1.0, 0.0, 10_000, (-9.0, 9.0))
        >>> round(width.half(100), 4)  # t with 98.04 degrees: 1.9844 * .5 / root of 99
        0.0997
    """

    value: float
    label_variance: float
    score_variance: float
    correlation: float
    n_items: int
    bounds: tuple[float, float]
    effective: float = 1.0
    has_added: bool = False
    factor: float = 1.0
    interval: float = 0.95

    @classmethod
    def from_labels(
        cls,
        scores: Floats,
        labels: Floats,
        *,
        bounds: tuple[float, float],
        design: SampleDesign | None = None,
        interval: float = 0.95,
    ) -> "ExpectedWidth | None":
        """Estimate it from the labels so far, so that it agrees with the interval that these have.

        Args:
            scores: shape (n,), the judge's scores; NaN where missing.
            labels: shape (n,), human labels; NaN where missing.
            bounds: least and greatest possible label.
            design: weights, probabilities of a label, clusters and strata.
            interval: nominal coverage.

        Returns:
            The expected width; ``None`` if the labels are too few for an interval.

        Raises:
            InputError: as ``estimate_corrected_mean``.
        """
        scores, labels = validate_labels(scores, labels, bounds)
        corrected = estimate_corrected_mean(scores, labels, bounds=bounds, design=design, interval=interval)
        if np.isnan(corrected.low):
            return None
        items = weighted_items(scores, labels, design or SampleDesign())
        labelled = items.expanded > 0
        part = items.expanded[labelled] / items.expanded.sum()
        whole = items.weights / items.weights.sum()
        y, f = items.labels[labelled], items.scores[labelled]
        deviation, distance = y - part @ y, f - part @ f
        spread = float(np.sqrt((part @ deviation**2) * (part @ distance**2)))
        n_effective = 1 / float((linearized_terms(items).share ** 2).sum())
        expected = cls(
            value=corrected.value,
            label_variance=float(part @ deviation**2),
            score_variance=float(whole @ (items.scores - whole @ items.scores) ** 2),
            correlation=float(part @ (deviation * distance)) / spread if spread > 0 else 0.0,
            n_items=len(items.scores),
            bounds=bounds,
            effective=n_effective / len(y),
            has_added=labels_to_add(y, items.scores, bounds) is not None,
            interval=interval,
        )
        return replace(expected, factor=(corrected.high - corrected.low) / 2 / expected.half(len(y)))

    @classmethod
    def from_probabilities(
        cls, probability: Floats, scores: Floats, *, interval: float = 0.95
    ) -> "ExpectedWidth":
        """Forecast it before there are labels, for labels 0 and 1 with known probabilities.

        Args:
            probability: shape (n,), probability of the label 1.
            scores: shape (n,), the judge's scores.
            interval: nominal coverage.
        """
        value = float(probability.mean())
        variance = value * (1 - value)
        covariance = float(((probability - value) * (scores - scores.mean())).mean())
        spread = float(np.sqrt(variance) * scores.std())
        return cls(
            value,
            variance,
            float(scores.var()),
            covariance / spread if spread > 0 else 0.0,
            len(scores),
            (0.0, 1.0),
            has_added=True,
            interval=interval,
        )

    def half(self, n: int) -> float:
        """Return the expected half-width with n labels in all; n above the number of items counts as that."""
        n = min(n, self.n_items)
        added = PRIOR_LABELS if self.has_added else 0
        size, rest = n * self.effective + added, self.n_items - n
        labels, covariance = self._moments(n * self.effective, added)
        tuning = 0.0
        if rest and self.score_variance > 0:
            slope = covariance / self.score_variance * size / (size + PRIOR_LABELS)
            tuning = slope / (1 + size / rest)
        of_scores = tuning**2 * self.score_variance
        variance = (labels - 2 * tuning * covariance + of_scores) / max(size - 1, 1)
        if rest:
            variance += of_scores / rest
        freedom = max(1.0, freedom_after_tuning(size))
        half = self.factor * float(t_half_width(np.sqrt(max(variance, 0.0)), freedom, self.interval))
        low, high = self.bounds
        return (min(self.value + half, high) - max(self.value - half, low)) / 2

    def _moments(self, n: float, added: int) -> tuple[float, float]:
        """Return the labels' variance and covariance with the scores, with those of the added labels.

        Half of the added labels are at each bound.
        """
        covariance = self.correlation * float(np.sqrt(self.label_variance * self.score_variance))
        if not added:
            return self.label_variance, covariance
        low, high = self.bounds
        mean = (n * self.value + added * (low + high) / 2) / (n + added)
        squares = n * (self.label_variance + (self.value - mean) ** 2)
        squares += added / 2 * ((low - mean) ** 2 + (high - mean) ** 2)
        return squares / (n + added), covariance * n / (n + added)


def enough_labels(half: Callable[[int], float], n: int, most: int) -> int | None:
    """Return the number of labels from which 25 more narrow an interval by less than half a percent.

    Args:
        half: expected half-width with a number of labels, as a part of the scale's length.
        n: number of labels so far.
        most: number of items that could have a label.

    Returns:
        The number, n or more in steps of 25; ``None`` if even labels for all items narrow it by more.

    Examples:
        1 / sqrt(n) falls by .005 with 25 more labels at n = 175 (.0756 to .0707), and by less at 200.

        >>> enough_labels(lambda n: n**-0.5, 50, 1_000), enough_labels(lambda n: n**-0.5, 50, 100)
        (175, None)
    """
    for size in range(n, most + 1, STEP):
        if half(size) - half(min(size + STEP, most)) < LITTLE:
            return size if size + STEP <= most or size == n else None
    return None
