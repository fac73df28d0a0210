"""Evidence against a bounded mean that may be looked at after every observation: a betting e-process."""

import numpy as np

from semscale.errors import InputError
from semscale.types import Floats

_BETS = 100
_LARGEST = 700.0  # exp of more overflows


def betting_evidence(values: Floats, allowed: float) -> Floats:
    """Bet against "each value is at most ``allowed`` on average, whatever came before", value by value.

    A gambler who stakes a share b of the capital gains the factor ``1 + b * (x / allowed - 1)``: if the
    hypothesis is true, no bet makes money on average. The evidence is the mean capital of 100 gamblers whose
    shares are spread evenly over 0 to 1, so that one of them is nearly right whatever the drift. By Ville's
    inequality the chance that it ever reaches ``1 / alpha`` under the hypothesis is at most alpha: one may
    look after every value, and stop when one likes.

    Args:
        values: shape (t,), 0 to 1, in the order of time; NaN, where nothing was observed, changes nothing.
        allowed: greatest mean under the hypothesis, above 0; from 1 on there can be no evidence.

    Returns:
        Shape (t,), the greatest e-value so far, at least 1.

    Raises:
        InputError: a value outside 0 to 1, or ``allowed`` not above 0.

    References:
        Waudby-Smith and Ramdas (2024), JRSS-B 86(1), 1-27, doi 10.1093/jrsssb/qkad009: the one-sided
        capital process with diversified Kelly bets. Ville (1939), Etude critique de la notion de collectif.

    Example:
        >>> betting_evidence(np.array([0.1, 0.5, 0.5, 0.5]), 0.1).round(1).tolist()
        [1.0, 3.0, 10.3, 39.0]
    """
    if not allowed > 0:
        raise InputError(f"allowed must be above 0, got {allowed}")
    if np.any((values < 0) | (values > 1)):
        raise InputError("values must lie between 0 and 1: divide them by the greatest that there can be")
    if allowed >= 1:
        return np.ones(len(values))
    shares = (np.arange(_BETS) + 0.5) / _BETS
    gains = np.where(np.isnan(values), 0.0, values / allowed - 1)
    capital = np.cumsum(np.log1p(shares[:, None] * gains), axis=1)
    evidence = np.exp(np.minimum(capital, _LARGEST)).mean(axis=0)
    return np.maximum(1.0, np.maximum.accumulate(evidence))
