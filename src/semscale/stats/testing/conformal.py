"""Conformal p-values: whether each of a series of runs is like those before it."""

from math import exp, pi, sqrt

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import ndtr

from semscale.types import Floats, Integers

_MOST_EXACT = 300  # items that differ between runs; of more the sum is close to normal
_CELLS, _FEWEST_STEPS, _MOST_STEPS = 2**12, 12, 200  # resolution of the exact distribution
_LEAST = 1e-10  # rounding in the transform is far below


def conformal_p_values(runs: Floats) -> Floats:
    """Test for each run whether its values are greater than those of the runs before it.

    If nothing changed, at each item the latest value is as likely as any earlier one to be the latest. So
    the sum of a run's values over items has a known distribution: that of a sum of independent draws, at each
    item one of the values so far. The p-value is ``P(sum >= observed)``. The p-values of all runs are
    independent, or greater than such ones, so that bets on them (``p_value_evidence``) stay valid.

    Up to 300 items whose values differ the distribution is computed by Fourier transforms, with values
    rounded to at most 200 steps, which treats all runs alike; beyond that it is normal, corrected for
    skewness.

    Args:
        runs: shape (t, n), the values of n items in t runs in the order of time; higher is worse. NaN, where
            nothing was observed, is left out.

    Returns:
        Shape (t,), each at least 1e-10; 1 for the first run.

    References:
        Vovk, Nouretdinov and Gammerman (2003), Testing exchangeability on-line, ICML, 768-775: p-values that
        are independent. Hall (1992), The Bootstrap and Edgeworth Expansion, section 2.4: the correction for
        skewness.

    Example:
        >>> runs = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 1.0]])
        >>> conformal_p_values(runs).round(3).tolist()  # (1 / 3) ** 2
        [1.0, 1.0, 0.111]
    """
    return np.array([_p_value(runs[: place + 1]) for place in range(len(runs))])


def _p_value(runs: Floats) -> float:
    there = ~np.isnan(runs[-1])
    values = runs[:, there]
    spread = np.nanmax(values, axis=0, initial=-np.inf) - np.nanmin(values, axis=0, initial=np.inf)
    differing = values[:, spread > 0]
    n = differing.shape[1]
    if not n:
        return 1.0
    p_value = _normal(differing) if n > _MOST_EXACT else _exact(differing)
    return float(np.clip(p_value, _LEAST, 1.0))


def _exact(values: Floats) -> float:
    least = np.nanmin(values, axis=0)
    above = values - least
    steps = int(np.clip(_CELLS // values.shape[1], _FEWEST_STEPS, _MOST_STEPS))
    places = np.rint(np.nan_to_num(above / np.nanmax(above) * steps, nan=-1.0)).astype(np.int64)
    kernels = _shares(places, steps)
    size = next_fast_len(steps * len(kernels) + 1, real=True)
    together = irfft(np.prod(rfft(kernels, size, axis=1), axis=0), size)
    return float(together[int(places[-1].sum()) : steps * len(kernels) + 1].sum())


def _shares(places: Integers, steps: int) -> Floats:
    """Give for each item the share of its values at each step, shape (n, steps + 1); -1 is none."""
    counts = np.array([np.bincount(column[column >= 0], minlength=steps + 1) for column in places.T])
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def _normal(values: Floats) -> float:
    """One-sided p-value by the first terms of Edgeworth's expansion."""
    centred = values - np.nanmean(values, axis=0)
    spread = sqrt(float(np.nanmean(centred**2, axis=0).sum()))
    z = float(centred[-1].sum()) / spread
    skewness = float(np.nanmean(centred**3, axis=0).sum()) / spread**3
    density = exp(-(z**2) / 2) / sqrt(2 * pi)
    return float(ndtr(-z) + density * skewness * (z**2 - 1) / 6)
