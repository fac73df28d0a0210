"""Betting e-processes: evidence against a bounded mean, valid whenever one looks."""

from collections.abc import Sequence

import numpy as np

from semscale.errors import InputError
from semscale.types import Floats

_BETS = 100
_SHARPNESSES = 20
_LARGEST = 700.0  # exp of more overflows


def run_evidence(runs: Sequence[Floats], allowed: float, *, least: float = 0.0) -> Floats:
    """Bet on the items of runs, one run after the other, against "the mean over items is at most allowed".

    Given what came before, the items of a run are independent, and the mean of their expectations over these
    items is at most ``allowed``. A gambler who stakes b gains the factor ``1 + b * (x - allowed)`` at each
    item. The product over a run's items is at most 1 on average, as the geometric mean is at most the
    arithmetic one, though items differ; so is the product over runs. The stakes of 100 gamblers are spread
    evenly over 0 to ``1 / (allowed - least)``, so that one of them is nearly right whatever the drift.

    Whoever bets from the first run on has lost nearly all when a drift sets in late. So capital is kept back
    for bets that begin at the s-th run: ``1 / (s * (s + 1))``, which adds up to 1. The evidence is what all
    of it has become. The chance that it ever reaches ``1 / alpha`` is at most alpha, over all runs together.

    Args:
        runs: for each run the values of its items, the latest run last; NaN, where nothing was observed,
            changes nothing. A run of which only the mean is known is one value.
        allowed: greatest mean under the hypothesis, above ``least``; from 1 on there can be no evidence.
        least: smallest value that there can be.

    Returns:
        Shape (runs,), the greatest evidence so far, at least 1.

    Raises:
        InputError: a value below ``least``, or ``allowed`` not above it.

    References:
        Shin, Ramdas and Rinaldo (2024), New England Journal of Statistics in Data Science 2(2), 229-260,
        doi 10.51387/23-NEJSDS51 (arXiv 2203.03532): bets that begin anew at every time. Waudby-Smith and
        Ramdas (2024), JRSS-B 86(1), 1-27, doi 10.1093/jrsssb/qkad009: diversified bets on bounded
        means. Ville (1939), Etude critique de la notion de collectif.

    Example:
        >>> run_evidence([np.array([0.5, 0.5])], 0.1).round(2).tolist()  # half of the mean of (1 + 4 b) ** 2
        [5.67]
    """
    begun, unspent, evidence, number = np.zeros(_BETS), 1.0, np.ones(len(runs)), 0
    for place, values in enumerate(runs):
        known = values[~np.isnan(values)]
        if len(known):
            number += 1
            share = 1 / (number * (number + 1))
            logs = np.log(begun + share) + _log_gains(known, allowed, least)
            begun = np.exp(np.minimum(logs, _LARGEST))
            unspent -= share
        evidence[place] = begun.mean() + unspent
    return np.maximum(1.0, np.maximum.accumulate(evidence))


def _log_gains(values: Floats, allowed: float, least: float) -> Floats:
    """Give the logarithm of what each gambler's capital is multiplied by over some values, shape (100,)."""
    if not allowed > least:
        raise InputError(f"allowed must be above {least:g}, got {allowed}")
    if np.any(values < least):
        raise InputError(f"values must be at least {least:g}, got {float(values.min()):g}")
    if allowed >= 1:
        return np.zeros(_BETS)
    stakes = (np.arange(_BETS) + 0.5) / _BETS / (allowed - least)
    return np.asarray(np.log1p(stakes[:, None] * (values - allowed)).sum(axis=1))


def p_value_evidence(p_values: Sequence[float]) -> Floats:
    """Bet on p-values, one after the other, against "each is uniform, whatever came before".

    A gambler of sharpness s multiplies the capital by ``s * p ** (s - 1)``, which is 1 on average if p is
    uniform, and less if it tends to be greater. The evidence is the mean over 20 gamblers, with s spread
    evenly over 0 to 1 and bets that begin anew at every p-value, as in ``run_evidence``.

    Args:
        p_values: each above 0, at most 1; the latest last.

    Returns:
        Shape (p-values,), the greatest evidence so far, at least 1.

    References:
        Vovk, Nouretdinov and Gammerman (2003), Testing exchangeability on-line, ICML, 768-775: power
        martingales and their mixture. Shin, Ramdas and Rinaldo (2024), as in ``run_evidence``.

    Example:
        >>> p_value_evidence([1e-4]).round(1).tolist()  # half of the mean of s * 10 ** (4 - 4 s), and .5
        [59.9]
    """
    sharpness = (np.arange(_SHARPNESSES) + 0.5) / _SHARPNESSES
    begun, unspent, evidence = np.zeros(_SHARPNESSES), 1.0, np.ones(len(p_values))
    for number, p_value in enumerate(p_values, 1):
        share = 1 / (number * (number + 1))
        gains = np.log(sharpness) + (sharpness - 1) * np.log(p_value)
        begun = np.exp(np.minimum(np.log(begun + share) + gains, _LARGEST))
        unspent -= share
        evidence[number - 1] = begun.mean() + unspent
    return np.maximum(1.0, np.maximum.accumulate(evidence))
