"""Expected correlation of ratings with people's, from the ratings alone.

People who rate texts are not needed for the best predictor: how much the ratings of the texts differ. Ratings
of a scale that measures nothing in these texts are all near the middle, because the texts lie on no side of
its anchors::

    spread  =  standard deviation of the ratings / length of the scale
    r       =  tanh(.48 + .65 * ln(spread / .15))

The coefficients are those of a regression over scales and texts with human ratings, in which pairs of a scale
with texts about something else have a third of the weight. ``bench/expected_r.py`` fits them, and tests them
on constructs that are left out. Agreement between anchor sets, correlations with sentiment and length, and
the nearness of the texts to the anchors added nothing there.
"""

import math
from dataclasses import dataclass
from typing import Any

from semscale.rating.settings import DEFAULT_READOUT
from semscale.signature import Signature
from semscale.weights.known import DEFAULT_RATING_MODEL, model_in_signature

INTERCEPT, SLOPE = 0.48, 0.65
"""Coefficients of Fisher's z for the logarithm of spread / ``TYPICAL_SPREAD``."""

TYPICAL_SPREAD = 0.15

Z_DEVIATION = 0.31
"""Standard deviation of Fisher's z around its expectation, on constructs that were left out."""

DOUBTFUL = 0.3
"""Expected correlation below which a scale probably does not measure its construct."""

FEWEST_TEXTS = 30
"""Number of rated texts below which their spread is not known well enough."""

LABELS_TO_CHECK = 50
"""Number of labels that shows whether a doubtful scale measures its construct."""

_QUANTILE = 1.96


@dataclass(frozen=True)
class ExpectedCorrelation:
    """Pearson's r with people that can be expected without any label.

    Attributes:
        value: expected r.
        low: lower end of its 95 % interval.
        high: upper end of its 95 % interval.
        spread: standard deviation of the ratings, as a share of the scale's length.
        n: number of rated texts.
    """

    value: float
    low: float
    high: float
    spread: float
    n: int

    @property
    def is_doubtful(self) -> bool:
        """True if the scale probably does not measure its construct in these texts.

        Examples:
            >>> expected_correlation(0.09, 200).is_doubtful, expected_correlation(0.18, 200).is_doubtful
            (True, False)
        """
        return self.value < DOUBTFUL

    def record(self) -> dict[str, Any]:
        """Return the numbers by name, for JSON."""
        return {**vars(self), "is_doubtful": self.is_doubtful}


def expected_correlation(spread: float, n: int) -> ExpectedCorrelation | None:
    """Return the correlation to expect for ratings with this spread; ``None`` for too few texts.

    Args:
        spread: standard deviation of n ratings, as a share of the scale's length.
        n: number of rated texts.

    Examples:
        tanh(.48 + .65 * ln 1) = tanh .48, and tanh(.48 +- 1.96 * .31) are the ends.

        >>> expected = expected_correlation(0.15, 200)
        >>> [round(end, 2) for end in (expected.low, expected.value, expected.high)]
        [-0.13, 0.45, 0.8]
        >>> expected_correlation(0.15, 5)
    """
    if n < FEWEST_TEXTS or math.isnan(spread):
        return None
    z = INTERCEPT + SLOPE * math.log(max(spread, 1e-9) / TYPICAL_SPREAD)
    low, value, high = (math.tanh(z + side * _QUANTILE * Z_DEVIATION) for side in (-1, 0, 1))
    return ExpectedCorrelation(value, low, high, spread, n)


def has_expectation(signature: Signature) -> bool:
    """Return true for ratings with the model and the readout for which the coefficients were fitted.

    A calibration changes the spread, and states its own error.
    """
    fields, known = dict(signature.fields), model_in_signature(signature)
    applied = fields.get("readout"), float(fields.get("temperature", 1)), float(fields.get("epsilon", 0))
    return (
        known is not None
        and known.name == DEFAULT_RATING_MODEL
        and applied == (DEFAULT_READOUT, 1.0, 0.0)
        and "calibration" not in fields
    )
