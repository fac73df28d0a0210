"""Running figures while a person labels texts: what the labels show so far, and when to stop.

Both figures need only the labelled texts, so that they can follow each label::

    r      Pearson's correlation of ratings and labels; its interval by Fisher's z, with n - 3 degrees
    error  half of the 95 % interval of the corrected mean:  t * s * sqrt(1 - r^2) * sqrt((1 - n / N) / n)

with the standard deviation s of the labels: a mean corrected by labels has the error of what ratings leave
unexplained. Texts that were drawn with unequal probabilities count by their inverse, and n is then Kish's
effective number.

References:
    Fisher (1921): On the "probable error" of a coefficient of correlation. Metron 1, 3-32.
    Cochran (1977): Sampling Techniques, section 7.3 on the regression estimator and its variance.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.rating.expected import DOUBTFUL
from semscale.stats.intervals import Estimate, effective_size
from semscale.types import Floats

FEWEST_LABELS = 10
"""Number of labels below which neither figure is stated."""

MOST_ERROR = 0.05
"""Error of the mean that is small enough, as a share of the scale's length."""

_QUANTILE = 1.96


@dataclass(frozen=True)
class LabelProgress:
    """Figures that labels show so far.

    Attributes:
        n: number of labelled texts with a rating.
        r: Pearson's r of ratings and labels with its 95 % interval; NaN for fewer than 10 labels.
        error: half of the 95 % interval of the corrected mean, in the scale's values; NaN as ``r``.
        more: labels after which the error is small enough and r is clear, if r stays as it is; 0 for enough.
    """

    n: int
    r: Estimate
    error: float
    more: int

    @property
    def is_enough(self) -> bool:
        """True if the mean is precise enough, and it is clear whether the scale measures its construct."""
        return self.more == 0

    @property
    def advice(self) -> str:
        """One sentence on when to stop."""
        if math.isnan(self.r.value):
            return f"Label {max(FEWEST_LABELS - self.n, 1)} more texts to see what the scale measures."
        shown = (
            f"r is {self.r.value:.2f} ({self.r.low:.2f} to {self.r.high:.2f}), the mean ± {self.error:.2f}"
        )
        if not self.is_enough:
            return f"Label about {self.more} more texts: {shown}."
        if self.r.high < DOUBTFUL:
            return (
                f"Stop: the scale hardly measures its construct here; use the corrected mean only ({shown})."
            )
        return f"Enough: {shown}."


def label_progress(
    ratings: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    n_texts: int,
    length: float,
    inclusion: npt.ArrayLike | None = None,
) -> LabelProgress:
    """Compute what the labels show so far.

    Args:
        ratings: shape (n,), ratings of labelled texts; NaN without a rating.
        labels: shape (n,), their labels in the scale's values; NaN without a label.
        n_texts: number N of all texts.
        length: the scale's highest minus its lowest value.
        inclusion: shape (n,), probability with which each text was drawn, above 0 to 1; equal by default.

    Raises:
        InputError: columns of different lengths, or fewer texts than labels.

    Examples:
        >>> label_progress([1.0, 2.0], [1.0, 3.0], n_texts=100, length=4).advice
        'Label 8 more texts to see what the scale measures.'
    """
    rated, labelled = (np.asarray(column, dtype=np.float64) for column in (ratings, labels))
    weights = np.ones(len(rated)) if inclusion is None else 1 / np.asarray(inclusion, dtype=np.float64)
    if not len(rated) == len(labelled) == len(weights):
        raise InputError(f"ratings and labels must be equally many, got {len(rated)} and {len(labelled)}")
    both = ~np.isnan(rated) & ~np.isnan(labelled)
    rated, labelled, weights = rated[both], labelled[both], weights[both]
    n = len(rated)
    if n > n_texts:
        raise InputError("n_texts", f"must be at least the number of labels, got {n_texts} for {n}")
    if n < FEWEST_LABELS:
        nothing = float("nan")
        return LabelProgress(n, Estimate(nothing, nothing, nothing), nothing, FEWEST_LABELS - n)
    size = effective_size(float(weights.sum()), float((weights**2).sum()))
    r, deviation = _correlate(rated, labelled, weights)
    estimate, error = _r_with_interval(r, size), _error(r, deviation, size, n / n_texts)
    return LabelProgress(n, estimate, error, _further(estimate, error, size, n, n_texts, length))


def _correlate(rated: Floats, labelled: Floats, weights: Floats) -> tuple[float, float]:
    """Return the weighted correlation, 0 where one side does not vary, and the labels' deviation."""
    shares = weights / weights.sum()
    left, right = rated - shares @ rated, labelled - shares @ labelled
    spreads = math.sqrt(shares @ left**2), math.sqrt(shares @ right**2)
    r = 0.0 if min(spreads) == 0 else float(shares @ (left * right)) / (spreads[0] * spreads[1])
    n = len(labelled)
    return r, spreads[1] * math.sqrt(n / (n - 1))


def _r_with_interval(r: float, size: float) -> Estimate:
    z = math.atanh(min(max(r, -0.999999), 0.999999))
    half = _QUANTILE / math.sqrt(max(size - 3, 1))
    return Estimate(r, math.tanh(z - half), math.tanh(z + half))


def _error(r: float, deviation: float, size: float, share: float) -> float:
    from scipy.stats import t  # slow to import

    quantile = float(t.ppf(0.975, max(size - 2, 1)))
    return quantile * deviation * math.sqrt(1 - r**2) * math.sqrt(max(1 - share, 0.0) / size)


def _further(r: Estimate, error: float, size: float, n: int, n_texts: int, length: float) -> int:
    """Return the number of further labels, at most all other texts."""
    wanted = size * (error / (MOST_ERROR * length)) ** 2
    if r.low <= DOUBTFUL <= r.high:
        distance = abs(math.atanh(min(max(r.value, -0.999999), 0.999999)) - math.atanh(DOUBTFUL))
        wanted = max(wanted, (_QUANTILE / max(distance, 0.1)) ** 2 + 3)
    more = math.ceil((wanted - size) * n / size)
    return min(max(more, 0), n_texts - n)
