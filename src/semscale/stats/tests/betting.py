"""Betting e-processes: evidence against a bounded mean, valid whenever one looks."""

import numpy as np

from semscale.errors import InputError
from semscale.types import Floats

_BETS = 100
_LARGEST = 700.0  # exp of more overflows


def run_evidence(means: Floats, latest: Floats, allowed: float) -> Floats:
    """Bet on the means of runs one after the other, and on the latest run's items by themselves.

    The hypothesis is that each mean is at most ``allowed`` on average, whatever came before; the bets are
    those of ``capital``. Whoever bets from the first run on has lost nearly all when a drift sets in late. So
    the capital is split over all runs to begin with, ``w(s) = 6 / (pi s) ** 2`` for the s-th, which adds up
    to 1. Run means alone say little about one run, however bad: it is one value. Its items say much, but the
    same items come again in every run, so that their bets must not be multiplied over runs. Half of the
    capital is therefore put on the means, and half on items: the share ``w(t)`` on those of the t-th run. The
    chance that the sum ever reaches ``1 / alpha`` stays at most alpha, however the runs depend on each other.
    What bets on the items of earlier runs have won is left out, which makes the evidence smaller than it
    could be.

    Args:
        means: shape (t,), t >= 1, 0 to 1: mean loss of each run, the latest last; NaN where it has none.
        latest: shape (n,), 0 to 1: the items of the latest run; those that are NaN are passed over.
        allowed: greatest mean under the hypothesis, above 0.

    Returns:
        Shape (t,), the greatest evidence so far, at least 1.

    Raises:
        InputError: as ``capital``.

    References:
        Shin, Ramdas and Rinaldo (2024), New England Journal of Statistics in Data Science 2(2), 229-260,
        doi 10.51387/23-NEJSDS51: bets that begin anew at every time. Wang and Ramdas (2022), JRSS-B 84(3),
        822-852, doi 10.1111/rssb.12489: means of dependent e-values are e-values.

    Example:
        >>> run_evidence(np.array([0.5]), np.full(3, 0.5), 0.1).round(2).tolist()
        [12.96]
    """
    factors = _factors(means, allowed)
    number = np.cumsum(~np.isnan(means))
    share = 6 / (np.pi * np.maximum(number, 1)) ** 2
    begun, unspent, evidence = np.zeros(_BETS), 1.0, np.ones(len(means))
    for t in np.flatnonzero(~np.isnan(means)):
        begun = np.minimum(factors[:, t] * (begun + share[t]), np.exp(_LARGEST))
        unspent -= share[t]
        evidence[t] = (begun.mean() + unspent) / 2
    items = capital(latest, allowed)
    if len(items) and len(means) and not np.isnan(means[-1]):
        evidence[-1] += share[-1] * items[-1] / 2
    return np.maximum(1.0, np.maximum.accumulate(evidence))


def capital(values: Floats, allowed: float) -> Floats:
    """Bet against "each value is at most ``allowed`` on average, whatever came before", value by value.

    A gambler who stakes a share b of the capital gains the factor ``1 + b * (x / allowed - 1)``: if the
    hypothesis is true, no bet makes money on average. This is the mean capital of 100 gamblers whose shares
    are spread evenly over 0 to 1, so that one of them is nearly right whatever the drift. By Ville's
    inequality the chance that it ever reaches ``1 / alpha`` under the hypothesis is at most alpha: one may
    look after every value, and stop when one likes.

    Args:
        values: shape (t,), 0 to 1, in the order of time; NaN, where nothing was observed, changes nothing.
        allowed: greatest mean under the hypothesis, above 0; from 1 on there can be no evidence.

    Returns:
        Shape (t,), above 0; its mean under the hypothesis is at most 1. The last one is the same in any order
        of the values.

    Raises:
        InputError: a value outside 0 to 1, or ``allowed`` not above 0.

    References:
        Waudby-Smith and Ramdas (2024), JRSS-B 86(1), 1-27, doi 10.1093/jrsssb/qkad009: the one-sided
        capital process with diversified Kelly bets. Ville (1939), Etude critique de la notion de collectif.

    Example:
        >>> capital(np.array([0.5, 0.0]), 0.1).round(2).tolist()
        [3.0, 1.17]
    """
    logs = np.cumsum(np.log(_factors(values, allowed)), axis=1)
    return np.asarray(np.exp(np.minimum(logs, _LARGEST)).mean(axis=0))


def _factors(values: Floats, allowed: float) -> Floats:
    """Give what each gambler's capital is multiplied by at each value, shape (100, t); 1 where it is NaN."""
    if not allowed > 0:
        raise InputError(f"allowed must be above 0, got {allowed}")
    if np.any((values < 0) | (values > 1)):
        raise InputError("values must lie between 0 and 1: divide them by the greatest that there can be")
    shares = (np.arange(_BETS) + 0.5) / _BETS
    gains = np.where(np.isnan(values) | (allowed >= 1), 0.0, values / allowed - 1)
    return np.asarray(1 + shares[:, None] * gains)
