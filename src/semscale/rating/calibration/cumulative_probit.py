"""Cumulative probit: from one number a text to masses over the scale's points, fitted to people's answers.

P(answer at or below point r) = Phi(threshold_r - slope * location). The thresholds rise, so masses are never
negative, and a higher location never lowers the mean.

References:
    McCullagh (1980), Regression Models for Ordinal Data, doi 10.1111/j.2517-6161.1980.tb01109.x.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from semscale.types import Floats

_LEAST_MASS = 1e-9
_GAP_DEVIATION = 0.5  # of the prior on a threshold gap's log, around an even spacing
_WIDE_DEVIATION = 2.0  # of the priors on logs of slope and spacing
_WIDTH_SHARE = 0.25  # width that the priors are centred at, as a share of the scale's length


class CumulativeProbit(NamedTuple):
    """A fitted cumulative probit.

    Attributes:
        thresholds: shape (k - 1,), ascending.
        slope: of the location, above 0.
    """

    thresholds: Floats
    slope: float

    def pmf(self, locations: Floats) -> Floats:
        """Give masses (n, k) for locations (n,); NaN for NaN.

        Example:
            >>> CumulativeProbit(np.array([0.0]), 1.0).pmf(np.array([0.0])).tolist()
            [[0.5, 0.5]]
        """
        below = ndtr(self.thresholds - self.slope * np.asarray(locations, dtype=np.float64)[:, None])
        # Thresholds may be as close as rounding, where a difference can come out below 0.
        return np.maximum(np.diff(below, axis=1, prepend=0.0, append=1.0), 0.0)


def fit_cumulative_probit(
    locations: Floats, human: Floats, values: Floats, *, even: bool = False
) -> CumulativeProbit:
    """Fit thresholds and slope to people's answers, with weak priors that keep them finite.

    Each text counts once, however many people answered. Priors: gaps between thresholds are normal on the log
    around an even spacing (deviation .5), slope and spacing on the log around a width of a quarter of the
    scale (deviation 2).

    Args:
        locations: shape (n,), in the scale's units, at least one.
        human: shape (n, k), shares of people's answers.
        values: shape (k,), of the scale's points.
        even: whether thresholds lie in the middle between the points, but for shift and spread: this is the
            normal distribution around a straight line, cut at the middles.

    Example:
        >>> answers = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
        >>> fit = fit_cumulative_probit(np.array([-1.0, 0.0, 1.0]), answers, np.array([-1.0, 1.0]))
        >>> bool(abs(fit.thresholds[0]) < 1e-3), fit.slope > 0
        (True, True)
    """
    from scipy.optimize import minimize  # takes a fifth of a second to import

    centre, width = float(values.mean()), float(values[-1] - values[0])
    middles = (values[1:] + values[:-1]) / 2
    problem = _Likelihood(
        (locations - centre) / (_WIDTH_SHARE * width),
        human,
        np.diff(middles) / (_WIDTH_SHARE * width),
        even=even,
    )
    start = np.zeros(2 + problem.n_spacings)
    start[0] = (middles[0] - centre) / (_WIDTH_SHARE * width)
    found = minimize(
        problem.cost,
        start,
        args=(start[0],),
        jac=True,
        method="L-BFGS-B",
        options={"ftol": 1e-9, "gtol": 1e-4},
    )
    thresholds, slope = problem.parts(found.x)
    slope /= _WIDTH_SHARE * width
    return CumulativeProbit(thresholds + slope * centre, slope)


class _Likelihood:
    """Penalised log likelihood of a shift, a log slope, a log spacing and logs of gaps."""

    def __init__(self, locations: Floats, human: Floats, gaps: Floats, *, even: bool) -> None:
        self._locations, self._human, self._gaps = locations, human, gaps
        self.n_spacings = (1 if even else 1 + len(gaps)) if len(gaps) else 0

    def parts(self, parameters: Floats) -> tuple[Floats, float]:
        """Thresholds (k - 1,) and slope of parameters."""
        gaps = self._spaced(parameters)
        return parameters[0] + np.concatenate([[0.0], np.cumsum(gaps)]), float(np.exp(parameters[1]))

    def cost(self, parameters: Floats, first: float) -> tuple[float, Floats]:
        """Give the cost to minimise, and its gradient."""
        thresholds, slope = self.parts(parameters)
        heights = thresholds - slope * self._locations[:, None]
        masses = np.diff(ndtr(heights), axis=1, prepend=0.0, append=1.0)
        masses = np.maximum(masses, _LEAST_MASS)
        ratio = self._human / masses
        density = np.exp(-(heights**2) / 2) / np.sqrt(2 * np.pi)
        by_height = -(ratio[:, :-1] - ratio[:, 1:]) * density
        by_threshold = by_height.sum(axis=0)
        gradient = np.zeros_like(parameters)
        gradient[0] = by_threshold.sum()
        gradient[1] = -slope * (by_height.sum(axis=1) @ self._locations)
        if self.n_spacings:
            by_gap = np.cumsum(by_threshold[::-1])[::-1][1:] * self._spaced(parameters)
            gradient[2] = by_gap.sum()
            gradient[3:] = by_gap[: self.n_spacings - 1]
        deviations = np.full(len(parameters), _WIDE_DEVIATION)
        deviations[3:] = _GAP_DEVIATION
        away = parameters - np.r_[first, np.zeros(len(parameters) - 1)]
        penalty = (away**2 / deviations**2).sum() / 2
        return float(-(self._human * np.log(masses)).sum() + penalty), gradient + away / deviations**2

    def _spaced(self, parameters: Floats) -> Floats:
        if not self.n_spacings:
            return self._gaps
        own = parameters[3:] if self.n_spacings > 1 else 0.0
        spaced: Floats = self._gaps * np.exp(parameters[2] + own)
        return spaced
