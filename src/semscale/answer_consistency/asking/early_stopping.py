"""Sequential test that ends sampling as soon as the decision about an item is settled."""

from collections.abc import Sequence
from numbers import Real

import numpy as np

from semscale.errors import InputError
from semscale.types import Floats

STAKE = 0.75
"""Share of the largest bet that cannot ruin the player; any share below 1 keeps the error rate."""

Side = bool | None
"""``True``: at or above the threshold. ``False``: below it. ``None``: not settled."""


def early_decision(
    values: Sequence[float] | Floats, threshold: float, n: int, confidence: float = 0.95
) -> Side:
    """Say on which side of a threshold the mean of n samples will lie, if that is settled.

    The values seen so far are the first of n that come in random order, so their mean is that of a sample
    without replacement. Two players bet on it, one against "below" and one against "at or above"; each bets
    ``STAKE`` of what cannot ruin them, so a player's capital is a martingale where the other side is true,
    and exceeds ``1 / (1 - confidence)`` with a probability of at most ``1 - confidence``, however often one
    looks (Ville's inequality). Once no values that are still to come can change the side, it is settled too.

    Args:
        values: shape (k,), k at most n, each 0 to 1, in the order they came.
        threshold: above 0, below 1.
        n: samples that would be taken in all.
        confidence: probability, between 0 and 1, that the side is the one of all n samples; 1 stops only
            where it cannot change any more.

    Returns:
        ``True``, ``False`` or ``None``, see ``Side``.

    Raises:
        InputError: a value or a setting out of range.

    References:
        Waudby-Smith and Ramdas 2020, Confidence sequences for sampling without replacement, arXiv
        2006.04347; and 2024, Estimating means of bounded random variables by betting, section 5,
        doi:10.1093/jrsssb/qkad009.

    Example:
        >>> early_decision([1.0, 1.0, 1.0, 1.0], 0.5, 10), early_decision([1.0, 0.0], 0.5, 10)
        (True, None)
    """
    seen = _checked(values, threshold, n, confidence)
    total = seen.sum()
    if _above(total / n, threshold):
        return True
    if not _above((total + n - len(seen)) / n, threshold):
        return False
    if _capital(seen, threshold, n) >= _needed(confidence):
        return True
    if _capital(1 - seen, 1 - threshold, n) >= _needed(confidence):
        return False
    return None


def _above(mean: float, threshold: float) -> bool:
    return bool(mean >= threshold - 1e-12)  # sums of tenths


def _needed(confidence: float) -> float:
    return np.inf if confidence >= 1 else 1 / (1 - confidence)


def _capital(seen: Floats, threshold: float, n: int) -> float:
    """Give what a player has who bet that the mean of n lies above the threshold, starting with 1.

    The stake is chosen before each value: what is still to come has a mean of at most ``left`` if the
    mean of all is at most the threshold, so no bet up to ``1 / left`` can ruin them.
    """
    capital, total, most = 1.0, 0.0, 0.0
    for place, value in enumerate(seen):
        left = (n * threshold - total) / (n - place)
        if left <= 0:
            return np.inf
        capital *= 1 + STAKE / left * (value - left)
        most, total = max(most, capital), total + value
    return most


def _checked(values: Sequence[float] | Floats, threshold: float, n: int, confidence: float) -> Floats:
    seen = np.asarray(values, np.float64)
    if seen.ndim != 1 or not ((seen >= 0) & (seen <= 1)).all():
        raise InputError(f"values must be numbers from 0 to 1, got {values!r:.60}")
    if len(seen) > n:
        raise InputError(f"n must be at least the {len(seen)} values seen, got {n!r}")
    for name, setting, most in (("threshold", threshold, 1), ("confidence", confidence, 1 + 1e-9)):
        if isinstance(setting, bool) or not isinstance(setting, Real) or not 0 < setting < most:
            raise InputError(f"{name} must lie between 0 and 1, got {setting!r}")
    return seen
